import Foundation
import GRDB
import SQLiteSync
import SQLiteSyncCloud

let gardenSQL = """
  CREATE TABLE gardens (
    id TEXT PRIMARY KEY NOT NULL DEFAULT (lower(hex(randomblob(16)))),
    name TEXT NOT NULL ON CONFLICT REPLACE DEFAULT ''
  ) STRICT;
  CREATE TABLE plants (
    id TEXT PRIMARY KEY NOT NULL DEFAULT (lower(hex(randomblob(16)))),
    name TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
    isThirsty INTEGER NOT NULL ON CONFLICT REPLACE DEFAULT 1,
    gardenID TEXT REFERENCES gardens (id) ON DELETE CASCADE
  ) STRICT;
  CREATE TABLE waterings (
    id TEXT PRIMARY KEY NOT NULL DEFAULT (lower(hex(randomblob(16)))),
    liters REAL,
    plantID TEXT REFERENCES plants (id) ON DELETE CASCADE
  ) STRICT;
  """

struct Garden: TableRecord { static let databaseTableName = "gardens" }
struct Plant: TableRecord { static let databaseTableName = "plants" }
struct Watering: TableRecord { static let databaseTableName = "waterings" }

func openGarden(at path: String) throws -> DatabasePool {
  try DatabasePool(path: path, configuration: .synchronized)
}

func synchronize(
  _ database: any DatabaseWriter, cloud: URL, account: AccountID
) throws -> SyncEngine {
  try SyncEngine(
    for: database, tables: [Garden.self, Plant.self, Watering.self], cloud: cloud,
    account: account)
}

func plant(_ name: String, in garden: String, _ db: Database) throws {
  try db.execute(
    sql: "INSERT INTO gardens (id, name) VALUES (?1, ?1) ON CONFLICT DO NOTHING",
    arguments: [garden])
  try db.execute(
    sql: "INSERT INTO plants (name, gardenID) VALUES (?, ?)", arguments: [name, garden])
}

func waitUntilSent(_ engine: SyncEngine) async {
  for await status in engine.statuses where status.phase == .idle && status.pending == 0 {
    return
  }
}

func plantsOnTheirWay(_ db: Database) throws -> [String] {
  try String.fetchAll(
    db,
    sql: """
      SELECT plants.name FROM plants
      LEFT JOIN sync_metadata
        ON recordType = 'plants' AND recordPrimaryKey = plants.id
      WHERE changeTag IS NULL OR isPending
      ORDER BY plants.name
      """)
}

let quenchSQL = """
  CREATE TRIGGER quench AFTER INSERT ON waterings
  WHEN NOT \(SyncEngine.isSynchronizingChanges)
  BEGIN
    UPDATE plants SET isThirsty = 0 WHERE id = NEW.plantID;
  END
  """

func synchronizeOnce(_ engine: SyncEngine) async throws {
  let result = try await engine.syncChanges()
  print("\(result.sent) sent, \(result.fetched) fetched")
  engine.stopAndWait()
}

func bringBackLastDeletedPlant(_ db: Database) throws {
  let deleted = try SyncHistory.deletedRows(db, of: "plants", limit: 1)
  if let last = deleted.first { try SyncHistory.restore(last.id, in: db) }
}

func shareGarden(
  _ key: String, with friend: AccountID, _ engine: SyncEngine
) async throws -> ShareLink {
  try await engine.syncChanges()
  let link = try await engine.share(
    table: "gardens", key: key, title: "Garden", participants: [friend: .write])
  try await engine.syncChanges()
  return link
}

func engineForTests(
  _ database: DatabaseQueue, _ store: MemoryStore, _ account: AccountID
) throws -> SyncEngine {
  let device = try database.write { db in
    try SyncEngine.prepare(db)
    return try SyncEngine.device(of: db)
  }
  let container = CloudContainer(store: store, account: account, device: device, app: "test")
  return try SyncEngine(
    for: database, tables: [Garden.self, Plant.self, Watering.self], cloud: container,
    startImmediately: false)
}

let folder = FileManager.default.temporaryDirectory.appending(path: "garden-\(UUID())")
let cloud = folder.appending(path: "cloud")
try FileManager.default.createDirectory(at: cloud, withIntermediateDirectories: true)

// Two devices of one person. Elsewhere each is a machine of its own.
var engines: [SyncEngine] = []
for name in ["desk", "phone"] {
  let database = try openGarden(at: folder.appending(path: "\(name).sqlite").path)
  try database.write { db in try db.execute(sql: gardenSQL) }
  engines.append(try synchronize(database, cloud: cloud, account: "ann"))
  try database.write { db in
    try db.execute(sql: quenchSQL)
    if name == "desk" { try plant("Rose", in: "Front", db) }
  }
  await waitUntilSent(engines[engines.count - 1])
  try await engines[engines.count - 1].fetchChanges()
  print(name, try database.read { try String.fetchAll($0, sql: "SELECT name FROM plants") })
}
for engine in engines { engine.stopAndWait() }
