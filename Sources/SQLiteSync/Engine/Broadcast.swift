import Foundation
import Synchronization

/// Sends each value to every stream that is being read.
final class Broadcast<Value: Sendable>: Sendable {
  private let continuations = Mutex<[UUID: AsyncStream<Value>.Continuation]>([:])

  /// A new stream of the values sent from now on, after `first`.
  func stream(startingWith first: Value? = nil) -> AsyncStream<Value> {
    let id = UUID()
    return AsyncStream { continuation in
      if let first { continuation.yield(first) }
      continuation.onTermination = { [weak self] _ in
        _ = self?.continuations.withLock { $0.removeValue(forKey: id) }
      }
      continuations.withLock { $0[id] = continuation }
    }
  }

  func send(_ value: Value) {
    for continuation in continuations.withLock({ Array($0.values) }) {
      continuation.yield(value)
    }
  }

  /// Ends the streams that there are now, when the result is called.
  func ending() -> @Sendable () -> Void {
    let now = continuations.withLock { Array($0.values) }
    return { now.forEach { $0.finish() } }
  }

  func finish() { ending()() }
}
