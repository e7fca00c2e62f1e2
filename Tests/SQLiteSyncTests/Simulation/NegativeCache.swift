import RemindersTestSupport
import Synchronization

/// When objects were created in a simulation's cloud.
final class Births: Sendable {
  private let times = Mutex<[String: Int64]>([:])
  private let clock: TestClock

  init(clock: TestClock) {
    self.clock = clock
  }

  func note(_ path: String) {
    times.withLock { $0[path] = $0[path] ?? clock.now }
  }

  /// Whether a listing that is late may not show it yet.
  func isNew(_ path: String) -> Bool { age(of: path).map { $0 < 60_000 } ?? false }

  /// How long ago something was created; nil before that.
  func age(of path: String) -> Int64? {
    times.withLock { $0[path] }.map { clock.now - $0 }
  }
}

/// What the cache of one device's network mount believes not to be there.
///
/// It remembers an absence that was asked about, until it sees the object or forgets. The protocol
/// rests on caches that forget within the hour.
final class NegativeCache: Sendable {
  private static let lifetimeMilliseconds: Int64 = 60_000

  private let absent = Mutex<Set<String>>([])
  private let births: Births

  init(births: Births) {
    self.births = births
  }

  /// Whether a call may be answered from before the object was there.
  func canBeStale(_ call: FaultyStore.Call) -> Bool {
    switch call.kind {
    case .create:
      births.note(call.path)
      return false
    case .read:
      guard let age = births.age(of: call.path) else {
        absent.withLock { _ = $0.insert(call.path) }
        return false
      }
      return absent.withLock { $0.contains(call.path) } && age < Self.lifetimeMilliseconds
    case .list, .delete, .barrier: return false
    }
  }

  /// Learns that a call was answered truly.
  func note(_ call: FaultyStore.Call) {
    guard births.age(of: call.path) != nil else { return }
    absent.withLock { _ = $0.remove(call.path) }
  }
}
