import Foundation
import GRDB
import SQLiteSync

struct Garden: TableRecord { static let databaseTableName = "gardens" }
struct Plant: TableRecord { static let databaseTableName = "plants" }
struct Favorite: TableRecord { static let databaseTableName = "favorites" }

let gardenSQL = """
  CREATE TABLE gardens (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL DEFAULT '') STRICT;
  CREATE TABLE plants (
    id TEXT PRIMARY KEY NOT NULL,
    name TEXT NOT NULL DEFAULT '',
    gardenID TEXT NOT NULL REFERENCES gardens (id) ON DELETE CASCADE
  ) STRICT;
  CREATE TABLE favorites (
    plantID TEXT PRIMARY KEY NOT NULL REFERENCES plants (id) ON DELETE CASCADE
  ) STRICT;
  """

func device(of account: AccountID, _ store: MemoryStore) throws -> (DatabaseQueue, SyncEngine) {
  let database = try DatabaseQueue(configuration: .synchronized)
  try database.write { db in try db.execute(sql: gardenSQL) }
  let cloud = CloudContainer(store: store, account: account, device: UUID(), app: "Gardens 1.0")
  let engine = try SyncEngine(
    for: database, tables: [Garden.self, Plant.self], privateTables: [Favorite.self],
    cloud: cloud)
  return (database, engine)
}

func shareGarden(_ key: String, with friend: AccountID, _ engine: SyncEngine) async throws {
  try await engine.syncChanges()
  try await engine.share(
    table: "gardens", key: key, title: "Our garden", participants: [friend: .read])
  try await engine.syncChanges()
}

func acceptAll(_ engine: SyncEngine) async throws {
  try await engine.syncChanges()
  for invitation in try await engine.invitations() {
    print("\(invitation.sender) shares “\(invitation.title)”.")
    try await engine.acceptShare(invitation.link)
  }
}

func rename(_ garden: String, _ database: DatabaseQueue) throws {
  do {
    try database.write { db in
      try db.execute(sql: "UPDATE gardens SET name = 'Mine' WHERE id = ?", arguments: [garden])
    }
  } catch let error as DatabaseError where error.message == SyncEngine.writePermissionError {
    print("Only to be read.")
  }
}

let store = MemoryStore()
let (anns, ann) = try device(of: "ann", store)
let (bens, ben) = try device(of: "ben", store)
try await ben.syncChanges()
try anns.write { db in
  try db.execute(
    sql: """
      INSERT INTO gardens VALUES ('g', 'Front');
      INSERT INTO plants VALUES ('p', 'Rose', 'g');
      INSERT INTO favorites VALUES ('p');
      """)
}
try await shareGarden("g", with: "ben", ann)
try await acceptAll(ben)
try bens.read { db in
  print("ben has", try String.fetchAll(db, sql: "SELECT name FROM plants"))
  print("and", try Favorite.fetchCount(db), "favorites.")
  for share in try SyncShare.all(db) { print("\(share.owner) lets him \(share.access).") }
}
try rename("g", bens)
for engine in [ann, ben] { engine.stopAndWait() }
