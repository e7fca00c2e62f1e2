import Foundation
import GRDB
import SQLiteSync
import SQLiteSyncCloudConformance

final class SQLiteStore: ObjectStore {
  private let database: DatabaseQueue

  init(path: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    database = try DatabaseQueue(path: path, configuration: configuration)
    try database.write { db in
      try db.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS objects (
            path TEXT PRIMARY KEY NOT NULL, bytes BLOB NOT NULL, modified INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID
          """)
    }
  }

  /// The engine waits and tries again after `networkUnavailable`.
  private func answering<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw CloudError(.networkUnavailable, "The file of the cloud: \(error).")
    }
  }

  func read(_ key: StoreKey, limit: Int) throws -> Data? {
    try answering {
      try database.read { db in
        try Data.fetchOne(
          db, sql: "SELECT bytes FROM objects WHERE path = ?", arguments: [key.description]
        )?.prefix(limit)
      }
    }
  }

  func createIfAbsent(_ key: StoreKey, _ bytes: Data) -> CreateOutcome {
    do {
      return try database.write { db in
        try db.execute(
          sql: "INSERT OR IGNORE INTO objects VALUES (?, ?, ?)",
          arguments: [key.description, bytes, Int64(Date().timeIntervalSince1970 * 1000)])
        return db.changesCount == 1 ? .created : .exists
      }
    } catch {
      // The commit may have happened all the same.
      return .unknown(CloudError(.networkUnavailable, "The file of the cloud: \(error)."))
    }
  }

  func list(
    _ prefix: StorePrefix, after name: String?, limit: Int, where isWanted: (String) -> Bool
  ) throws -> [StoreEntry] {
    let folder = prefix.description.isEmpty ? "" : prefix.description + "/"
    let rows = try answering {
      try database.read { db in
        try Row.fetchAll(
          db,
          sql: """
            SELECT substr(path, length(?1) + 1) AS rest, length(bytes) AS size, modified
            FROM objects WHERE substr(path, 1, length(?1)) = ?1 ORDER BY path
            """, arguments: [folder])
      }
    }
    var entries: [String: StoreEntry] = [:]
    for row in rows {
      let parts = (row["rest"] as String).split(separator: "/", maxSplits: 1)
      guard let first = parts.first.map(String.init), isWanted(first) else { continue }
      guard name.map({ $0.utf8.lexicographicallyPrecedes(first.utf8) }) ?? true else { continue }
      entries[first] = StoreEntry(
        name: first, byteCount: row["size"], modified: row["modified"],
        kind: parts.count > 1 ? .directory : .file)
    }
    return Array(
      entries.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }.prefix(limit))
  }

  func delete(_ key: StoreKey) throws {
    try answering {
      try database.write { db in
        try db.execute(sql: "DELETE FROM objects WHERE path = ?", arguments: [key.description])
      }
    }
  }

  // A commit of SQLite is durable, and nobody tells: the engine looks from time to time.
  func barrier(_ prefix: StorePrefix) {}

  // Its objects get their times from the clock of this device.
  func now(in prefix: StorePrefix) -> Int64? { nil }

  func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch {
    StoreWatch {}
  }
}

for check in StoreCheck.all {
  let checked = NSTemporaryDirectory() + "checked-\(UUID()).sqlite"
  _ = try SQLiteStore(path: checked)
  // Each device connects by itself.
  try check.run { try SQLiteStore(path: checked) }
}
print("All \(StoreCheck.all.count) promises are kept.")

struct Plant: TableRecord { static let databaseTableName = "plants" }

let file = FileManager.default.temporaryDirectory.appending(path: "cloud-\(UUID()).sqlite").path

func device() throws -> (DatabaseQueue, SyncEngine) {
  let database = try DatabaseQueue(configuration: .synchronized)
  try database.write { db in
    try db.execute(
      sql: "CREATE TABLE plants (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL DEFAULT '')")
  }
  let cloud = CloudContainer(
    store: try SQLiteStore(path: file), account: "ann", device: UUID(), app: "Plants 1.0")
  let engine = try SyncEngine(
    for: database, tables: [Plant.self], cloud: cloud, startImmediately: false)
  return (database, engine)
}

let (mine, desk) = try device()
let (theirs, phone) = try device()
try mine.write { try $0.execute(sql: "INSERT INTO plants VALUES ('1', 'Rose')") }
print(try await desk.syncChanges().sent, "sent")
print(try await phone.syncChanges().fetched, "fetched")
print(try theirs.read { try String.fetchAll($0, sql: "SELECT name FROM plants") })
