import Foundation
import GRDB
import SQLiteSync
import SQLiteSyncCloud

/// One device: a database file and a whole engine over a cloud, everything durable.
final class Site {
  let place: Place
  let database: DatabasePool
  let engine: SyncEngine

  convenience init(cloud: Place, starts: Bool = false, rows: Int = 0) throws {
    try self.init(
      store: DirectoryStore(directory: cloud.url), account: AccountID(userID: getuid()),
      starts: starts, rows: rows)
  }

  init(
    store: any ObjectStore, account: AccountID,
    configuration: SyncConfiguration = SyncConfiguration(), starts: Bool = false, rows: Int = 0
  ) throws {
    place = try Place()
    database = try Self.database(in: place)
    if rows > 0 { try database.write { try Workload.insert(0..<rows, in: $0) } }
    engine = try SyncEngine(
      for: database, tableNames: Workload.tables,
      cloud: CloudContainer(store: store, account: account, device: UUID(), app: "bench"),
      configuration: configuration, startImmediately: starts)
  }

  /// A database with the tables and no engine.
  static func database(in place: Place) throws -> DatabasePool {
    let database = try DatabasePool(
      path: place.url.appending(path: "app.sqlite").path, configuration: .synchronized)
    try database.write { try $0.execute(sql: Workload.schema) }
    return database
  }

  /// The bytes of the database, with everything in its main file.
  func byteCount() throws -> Int {
    try database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    return try place.byteCount()
  }

  /// Seconds from the return of a write on one device until the other device's database has it, of
  /// one edit after the other, with both engines running.
  ///
  /// - Parameters:
  ///   - ann: The device that writes, with one row.
  ///   - ben: The device that waits for it.
  ///   - edits: How many at most.
  ///   - patience: After which no other one is begun.
  static func latencies(
    from ann: Site, to ben: Site, edits: Int, patience: Duration = .seconds(600)
  ) async throws -> [Double] {
    let titles = ValueObservation.tracking { db in
      try String.fetchOne(db, sql: "SELECT title FROM reminders")
    }
    var seen = titles.values(in: ben.database).makeAsyncIterator()
    while try await seen.next() == .some(nil) {}
    var times: [Double] = []
    let begin = ContinuousClock.now
    while times.count < edits, .now - begin < patience {
      let title = "Edit \(times.count)"
      let start = ContinuousClock.now
      try await ann.database.write { db in
        try db.execute(sql: "UPDATE reminders SET title = ?", arguments: [title])
      }
      while try await seen.next() != .some(title) {}
      times.append((ContinuousClock.now - start).seconds)
    }
    return times
  }
}
