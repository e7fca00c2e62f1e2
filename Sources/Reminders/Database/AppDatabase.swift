import Foundation
import GRDB

/// The app's local file: opens it, observes queries, and is where the named writes live.
public struct AppDatabase: Sendable {
  /// The connections, for the sync engine.
  public let writer: any DatabaseWriter
  /// Makes the id of a new row: a lower-case UUID.
  let makeID: @Sendable () -> String
  /// The present moment.
  let now: @Sendable () -> Date

  /// The name of the file in the data directory.
  public static let fileName = "reminders.sqlite"

  /// Opens the file in a data directory, making both when they are not there.
  ///
  /// - Throws: `AppError`, when the directory cannot be made, or the file is no database, cannot
  ///   be read or written, or was made by a newer version.
  public init(
    directory: URL,
    makeID: @escaping @Sendable () -> String = { UUID().uuidString.lowercased() },
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    writer = try DatabasePool(path: directory.appending(path: Self.fileName).path)
    try writer.write { db in
      try db.execute(sql: "CREATE TABLE IF NOT EXISTS sync_state (isApplying INTEGER NOT NULL)")
    }
    try Migrations.migrator.migrate(writer)
    self.makeID = makeID
    self.now = now
  }

  /// What a query finds now.
  public func fetch<Q: Query>(_ query: Q) throws -> Q.Value {
    try writer.read { db in try query.fetch(db) }
  }

  /// What a query finds now and after every change, each value once.
  ///
  /// The stream begins with the present value and keeps only the newest one while nobody reads it.
  public func values<Q: Query>(of query: Q) -> AsyncThrowingStream<Q.Value, any Error> {
    let observation = ValueObservation.trackingConstantRegion { db in try query.fetch(db) }
      .removeDuplicates()
    return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let cancellable = observation.start(in: writer, scheduling: .async(onQueue: .global())) {
        continuation.finish(throwing: $0)
      } onChange: {
        continuation.yield($0)
      }
      continuation.onTermination = { _ in cancellable.cancel() }
    }
  }
}
