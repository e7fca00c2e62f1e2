import Dispatch
import RemindersTestSupport
import SQLiteSyncCloud
import Synchronization

/// Holds a store still at one of its calls, until it may go on.
final class Gate: Sendable {
  private let (reached, reach) = AsyncStream<Void>.makeStream()
  private let mayGoOn = DispatchSemaphore(value: 0)
  private let callsBefore: Mutex<Int>
  private let isMeant: @Sendable (FaultyStore.Call) -> Bool

  /// - Parameters:
  ///   - callsBefore: How many of the calls that are meant pass.
  ///   - isMeant: Which calls are.
  init(after callsBefore: Int = 0, _ isMeant: @escaping @Sendable (FaultyStore.Call) -> Bool) {
    self.callsBefore = Mutex(callsBefore)
    self.isMeant = isMeant
  }

  /// The store that is held still.
  func store(over base: any ObjectStore) -> FaultyStore {
    FaultyStore(base) { call in
      let isHere =
        self.isMeant(call)
        && self.callsBefore.withLock { count in
          count -= 1
          return count == -1
        }
      guard isHere else { return nil }
      self.reach.yield()
      self.mayGoOn.wait()
      return nil
    }
  }

  /// Returns once the call is made.
  func wait() async {
    for await _ in reached { return }
  }

  /// Lets the call be carried out.
  func open() { mayGoOn.signal() }
}
