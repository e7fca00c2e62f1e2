import GRDB

/// What a query finds now, and again after every change of what it reads.
///
/// A value may equal the one before. While nobody takes them, only the newest is kept.
public struct QueryValues<Value: Sendable>: AsyncSequence, Sendable {
  private let stream: AsyncThrowingStream<Value, any Error>
  private let rest: Rest

  /// Follows a query.
  ///
  /// Where changes come one after the other, as while the sync engine sends many records, the query
  /// runs no more often than every `interval`: people could not read faster, and it takes time from
  /// what they do meanwhile.
  init<Q: Query>(
    of query: Q, in reader: any DatabaseReader, _ watch: ChangeWatch, interval: Duration
  ) where Q.Value == Value {
    let rest = Rest()
    self.rest = rest
    stream = AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task.detached {
        do {
          let changes = watch.changes()
          var isFirst = true
          for await _ in changes {
            if isFirst {
              isFirst = false
              try await reader.read { db in
                let (value, statements) = try db.recordingStatements { try query.fetch(db) }
                // Whoever waits for it has it before it is known what to watch.
                continuation.yield(value)
                watch.limit(changes, to: try db.region(of: statements))
              }
            } else {
              continuation.yield(try await reader.read { db in try query.fetch(db) })
            }
            await rest.pass(interval)
          }
          continuation.finish()
        } catch {
          continuation.finish(throwing: (error as? DatabaseError).map { AppError($0) } ?? error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Has the query run at once, if anything changed: somebody waits for what they did.
  public func hurry() { rest.end() }

  /// The values, for one to take.
  public func makeAsyncIterator() -> AsyncThrowingStream<Value, any Error>.Iterator {
    stream.makeAsyncIterator()
  }
}

/// A pause that can be cut short.
private struct Rest: Sendable {
  private let ends: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    (ends, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Ends the present pause, or else the next.
  func end() { continuation.yield() }

  /// Returns after a while, when the pause is ended, or when the task is cancelled.
  func pass(_ duration: Duration) async {
    let timer = Task {
      // The only error is that the pause was ended before.
      do { try await Task.sleep(for: duration) } catch { return }
      end()
    }
    defer { timer.cancel() }
    for await _ in ends { return }
  }
}
