import Foundation
import Synchronization

/// Sends each value to every stream that is being read.
final class Broadcast<Value: Sendable>: Sendable {
  private struct Streams {
    var continuations: [UUID: (era: Int, continuation: AsyncStream<Value>.Continuation)] = [:]
    /// How many ends were announced: the era of the streams that are begun now.
    var announcedEnds = 0
    /// How many of them have come: the era of the values that are sent now.
    var ends = 0
  }

  private let streams = Mutex(Streams())

  /// A new stream of the values sent from now on, after `first`.
  func stream(startingWith first: Value? = nil) -> AsyncStream<Value> {
    let id = UUID()
    return AsyncStream { continuation in
      if let first { continuation.yield(first) }
      continuation.onTermination = { [weak self] _ in
        _ = self?.streams.withLock { $0.continuations.removeValue(forKey: id) }
      }
      streams.withLock { $0.continuations[id] = ($0.announcedEnds, continuation) }
    }
  }

  func send(_ value: Value) {
    for continuation in streams.withLock({ streams in
      streams.continuations.values.filter { $0.era <= streams.ends }.map(\.continuation)
    }) {
      continuation.yield(value)
    }
  }

  /// Ends the streams that there are now, when the result is called.
  ///
  /// What is sent until then is theirs: a stream that is begun meanwhile begins with what comes
  /// after. The results are called in the order in which they were made, each once.
  func ending() -> @Sendable () -> Void {
    streams.withLock { $0.announcedEnds += 1 }
    return { [self] in
      let ended = streams.withLock { streams in
        streams.ends += 1
        return streams.continuations.values.filter { $0.era < streams.ends }.map(\.continuation)
      }
      // Each takes itself out.
      ended.forEach { $0.finish() }
    }
  }

  /// Ends all streams.
  func finish() {
    streams.withLock { $0.continuations.values.map(\.continuation) }.forEach { $0.finish() }
  }
}
