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
}
