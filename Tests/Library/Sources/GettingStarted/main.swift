import Foundation
import GRDB
import SQLiteSync

let gardenSQL = """
  CREATE TABLE gardens (
    id TEXT PRIMARY KEY NOT NULL DEFAULT (\(SyncEngine.randomUUID)),
    name TEXT NOT NULL DEFAULT ''
  ) STRICT;
  CREATE TABLE plants (
    id TEXT PRIMARY KEY NOT NULL DEFAULT (\(SyncEngine.randomUUID)),
    name TEXT NOT NULL DEFAULT '',
    isThirsty INTEGER NOT NULL DEFAULT 1,
    gardenID TEXT NOT NULL REFERENCES gardens (id) ON DELETE CASCADE
  ) STRICT;
  CREATE TABLE waterings (
    id TEXT PRIMARY KEY NOT NULL DEFAULT (\(SyncEngine.randomUUID)),
    liters REAL,
    plantID TEXT NOT NULL REFERENCES plants (id) ON DELETE CASCADE
  ) STRICT;
  """

struct Garden: TableRecord { static let databaseTableName = "gardens" }
struct Plant: TableRecord { static let databaseTableName = "plants" }
struct Watering: TableRecord { static let databaseTableName = "waterings" }

func open(_ path: String, cloud: URL) throws -> (DatabasePool, SyncEngine) {
  let database = try DatabasePool(path: path, configuration: .synchronized)
  try database.write { db in try db.execute(sql: gardenSQL) }
  let engine = try SyncEngine(
    for: database, tables: [Garden.self, Plant.self, Watering.self], cloud: cloud, account: "ann")
  return (database, engine)
}

func plant(_ name: String, in garden: String, _ db: Database) throws {
  try db.execute(
    sql: "INSERT INTO gardens (id, name) VALUES (?1, ?1) ON CONFLICT DO NOTHING",
    arguments: [garden])
  try db.execute(
    sql: "INSERT INTO plants (name, gardenID) VALUES (?, ?)", arguments: [name, garden])
}

let quenchSQL = """
  CREATE TRIGGER quench AFTER INSERT ON waterings
  WHEN NOT \(SyncEngine.isSynchronizingChanges)
  BEGIN
    UPDATE plants SET isThirsty = 0 WHERE id = NEW.plantID;
  END
  """

func waitUntilSent(_ engine: SyncEngine) async {
  for await status in engine.statuses where status.phase == .idle && status.pending == 0 {
    return
  }
}

let folder = FileManager.default.temporaryDirectory.appending(path: "gardens-\(UUID())")
let cloud = folder.appending(path: "cloud")
try FileManager.default.createDirectory(at: cloud, withIntermediateDirectories: true)

// Two devices of one person. Elsewhere each is a machine of its own.
let (mine, desk) = try open(folder.appending(path: "desk.sqlite").path, cloud: cloud)
let (theirs, phone) = try open(folder.appending(path: "phone.sqlite").path, cloud: cloud)
for database in [mine, theirs] {
  try database.write { db in try db.execute(sql: quenchSQL) }
}

try mine.write { db in
  try plant("Rose", in: "Front", db)
  try plant("Leek", in: "Back", db)
}
await waitUntilSent(desk)
try await phone.fetchChanges()
try theirs.write { db in
  try db.execute(
    sql: "INSERT INTO waterings (liters, plantID) SELECT 1.5, id FROM plants WHERE name = 'Rose'")
}
await waitUntilSent(phone)
try await desk.fetchChanges()
let thirsty = try mine.read { db in
  try String.fetchAll(db, sql: "SELECT name FROM plants WHERE isThirsty")
}
print("Thirsty on the desk:", thirsty)
for engine in [desk, phone] { engine.stopAndWait() }
