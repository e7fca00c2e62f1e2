import Foundation
import GRDB
import SQLiteSync

struct Plant: TableRecord { static let databaseTableName = "plants" }

func device(
  _ store: MemoryStore, clockIsAhead: Bool = false
) throws -> (DatabaseQueue, SyncEngine) {
  let database = try DatabaseQueue(configuration: .synchronized)
  try database.write { db in
    try db.execute(
      sql: """
        CREATE TABLE plants (
          id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL DEFAULT '', place TEXT,
          watered INTEGER NOT NULL DEFAULT 0
        ) STRICT
        """)
  }
  let cloud = CloudContainer(store: store, account: "ann", device: UUID(), app: "Plants 1.0")
  var configuration = SyncConfiguration()
  configuration.mergePolicies = ["plants": ["watered": .counter]]
  if clockIsAhead {  // by a minute, so that it is known who edits later
    configuration.editTimeSQL =
      "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) + 60000"
  }
  let engine = try SyncEngine(
    for: database, tables: [Plant.self], cloud: cloud, configuration: configuration,
    startImmediately: false)
  return (database, engine)
}

func edit(_ database: DatabaseQueue, _ sql: String) throws {
  try database.write { db in try db.execute(sql: sql) }
}

func plants(_ database: DatabaseQueue) throws -> [String] {
  try database.read { db in
    try String.fetchAll(db, sql: "SELECT name || ' in the ' || place FROM plants")
  }
}

func watered(_ database: DatabaseQueue) throws -> Int? {
  try database.read { db in try Int.fetchOne(db, sql: "SELECT watered FROM plants") }
}

func conflicts(_ database: DatabaseQueue) throws -> [String] {
  try database.read { db in
    try SyncHistory.entries(db, onlyConflicts: true).compactMap { entry in
      guard case .value(let column, let lost, let kept) = entry.loss else { return nil }
      return "\(column): kept \(kept), not \(lost)"
    }
  }
}

func bringBackLastDeleted(_ database: DatabaseQueue) throws {
  try database.write { db in
    let deleted = try SyncHistory.deletedRows(db, of: "plants", limit: 1)
    if let last = deleted.first { try SyncHistory.restore(last.id, in: db) }
  }
}

let store = MemoryStore()
let (desk, atDesk) = try device(store)
let (phone, onPhone) = try device(store, clockIsAhead: true)
try edit(desk, "INSERT INTO plants VALUES ('1', 'Rose', 'hall', 2)")
for engine in [atDesk, onPhone] { try await engine.syncChanges() }

try edit(desk, "UPDATE plants SET name = 'Red rose', place = 'garden'")
try edit(phone, "UPDATE plants SET place = 'kitchen'")
for engine in [atDesk, onPhone, atDesk] { try await engine.syncChanges() }
print("Desk:", try plants(desk), "Phone:", try plants(phone))
print(try conflicts(phone))

for database in [desk, phone] { try edit(database, "UPDATE plants SET watered = watered + 1") }
for engine in [atDesk, onPhone, atDesk] { try await engine.syncChanges() }
print("Watered:", try [desk, phone].compactMap(watered))

try edit(phone, "DELETE FROM plants")
for engine in [onPhone, atDesk] { try await engine.syncChanges() }
print("Deleted:", try plants(desk))
try bringBackLastDeleted(desk)
for engine in [atDesk, onPhone] { try await engine.syncChanges() }
print("Restored:", try plants(phone))
