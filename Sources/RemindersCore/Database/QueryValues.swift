import GRDB

/// What a query finds now, and again after every change of what it reads.
///
/// A value may equal the one before. While nobody takes them, only the newest is kept.
public struct QueryValues<Value: Sendable>: AsyncSequence, Sendable {
  private let stream: AsyncThrowingStream<Reading<Value>, any Error>

  /// Follows a query.
  ///
  /// Where changes come one after the other, as while the sync engine sends many records, the query
  /// runs no more often than every `interval`: people could not read faster, and it takes time from
  /// what they do meanwhile.
  init<Q: Query>(
    of query: Q, in reader: any DatabaseReader, _ watch: ChangeWatch, interval: Duration
  ) where Q.Value == Value {
    stream = AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task.detached {
        do {
          let (changes, rest) = (watch.changes(), Rest())
          /// A reading that begins now sees all that was committed before.
          func reading() -> @Sendable (Value) -> Reading<Value> {
            let commit = watch.commitCount
            return { Reading($0, isCurrent: { watch.lastChange(of: changes) <= commit }, rest) }
          }
          var isFirst = true
          for await _ in changes {
            let reading = reading()
            if isFirst {
              isFirst = false
              try await reader.read { db in
                let (value, statements) = try db.recordingStatements { try query.fetch(db) }
                // The value comes before it is known what to watch: nobody waits for that.
                continuation.yield(reading(value))
                watch.limit(changes, to: try db.region(of: statements))
              }
            } else {
              continuation.yield(reading(try await reader.read { db in try query.fetch(db) }))
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

  /// The values, for one to take.
  public func makeAsyncIterator() -> AsyncThrowingStream<Reading<Value>, any Error>.Iterator {
    stream.makeAsyncIterator()
  }
}

/// What was found, and whether it is as new as the database.
public struct Reading<Value: Sendable>: Sendable {
  /// What was found.
  public let value: Value
  private let source: (isCurrent: @Sendable () -> Bool, rest: Rest)?

  /// Something that does not change any more.
  public init(_ value: Value) {
    self.value = value
    source = nil
  }

  fileprivate init(_ value: Value, isCurrent: @escaping @Sendable () -> Bool, _ rest: Rest) {
    self.value = value
    source = (isCurrent, rest)
  }

  /// Whether no commit has changed since what was read for it; if one has, another reading follows.
  public var isCurrent: Bool { source?.isCurrent() ?? true }

  /// Has the next reading follow at once, if anything changed: somebody waits for what they did.
  public func hurry() { source?.rest.end() }
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
