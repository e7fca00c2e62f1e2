import Foundation
import Synchronization

/// Waiting for the engine.
extension EngineCore {
  /// Looks for edits now, when there is nothing else to do, and waits for that.
  ///
  /// Returns false when that took longer than `limit`. Nothing is lost then: the edits are
  /// kept, and sent the next time.
  func flush(within limit: DispatchTimeInterval) -> Bool {
    queue.async { [self] in if isRunning { handle(.wake) } }
    return wait(within: limit)
  }

  /// Waits until the queue is done with what it was asked until now; false when that took longer.
  func wait(within limit: DispatchTimeInterval) -> Bool {
    guard !isOnQueue else { return false }
    let isDone = DispatchSemaphore(value: 0)
    queue.async { isDone.signal() }
    return isDone.wait(timeout: .now() + limit) == .success
  }

  /// Waits until the queue is done with what it was asked until now, however long that takes.
  ///
  /// Does not wait for what calls it.
  func wait() {
    guard !isOnQueue else { return }
    queue.sync {}
  }

  /// By which a queue says whose it is.
  static let onQueue = DispatchSpecificKey<ObjectIdentifier>()

  /// Whether it is the engine that calls, from what it was given: its logger, or a closure of its
  /// configuration.
  private var isOnQueue: Bool {
    let thread = ObjectIdentifier(Thread.current)
    return DispatchQueue.getSpecific(key: Self.onQueue) == ObjectIdentifier(self)
      || workingThread.withLock { $0 == thread }
  }

  /// Works as the engine: a closure that is called meanwhile, on the queue of the database perhaps,
  /// cannot wait for the engine.
  func working<Result>(_ work: () throws -> Result) rethrows -> Result {
    let thread = ObjectIdentifier(Thread.current)
    let before = workingThread.withLock { working in
      defer { working = thread }
      return working
    }
    defer { workingThread.withLock { $0 = before } }
    return try work()
  }
}
