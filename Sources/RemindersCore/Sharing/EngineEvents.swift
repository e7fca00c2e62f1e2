import SQLiteSync
import Synchronization

/// What an engine tells, also after it was stopped and started again: a stop ends its stream.
package final class EngineEvents: Sendable {
  private struct Streams {
    /// The one that is read.
    var current: AsyncStream<SyncEvent>
    /// The one after it, begun before the next start: so nothing is missed.
    var next: AsyncStream<SyncEvent>?
  }

  private let engine: SyncEngine
  private let streams: Mutex<Streams>

  /// The events of an engine that is not started yet.
  package init(of engine: SyncEngine) {
    self.engine = engine
    streams = Mutex(Streams(current: engine.events))
  }

  /// Stops the engine, and goes on listening.
  package func stopEngine() {
    engine.stop()
    let next = engine.events
    streams.withLock { $0.next = next }
  }

  /// Everything until whoever reads is cancelled.
  package var stream: AsyncStream<SyncEvent> {
    AsyncStream { [self] in
      while !Task.isCancelled {
        for await event in streams.withLock({ $0.current }) { return event }
        streams.withLock {
          $0.current = $0.next ?? engine.events
          $0.next = nil
        }
      }
      return nil
    }
  }
}
