import Foundation
import GRDB
import SQLiteSync

struct Plant: TableRecord { static let databaseTableName = "plants" }

/// A device of an account: its database and its engine.
struct Device {
  let database: DatabaseQueue
  let engine: SyncEngine

  init(_ store: MemoryStore, of account: AccountID = "ann") throws {
    database = try DatabaseQueue(configuration: .synchronized)
    try database.write { db in
      try db.execute(
        sql: "CREATE TABLE plants (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL DEFAULT '')")
    }
    let cloud = CloudContainer(store: store, account: account, device: UUID(), app: "Test")
    engine = try SyncEngine(
      for: database, tables: [Plant.self], cloud: cloud, startImmediately: false)
  }

  func write(_ sql: String) throws { try database.write { try $0.execute(sql: sql) } }

  func names() throws -> [String] {
    try database.read { try String.fetchAll($0, sql: "SELECT name FROM plants ORDER BY name") }
  }
}

func anEditReachesTheOtherDevice() async throws {
  let store = MemoryStore()
  let (desk, phone) = try (Device(store), Device(store))
  try desk.write("INSERT INTO plants VALUES ('1', 'Rose')")
  try await desk.engine.syncChanges()
  try await phone.engine.syncChanges()
  print(try phone.names())
}

func bothEditsAreKept() async throws {
  let store = MemoryStore()
  let (desk, phone) = try (Device(store), Device(store))
  try desk.write("INSERT INTO plants VALUES ('1', 'Rose')")
  try phone.write("INSERT INTO plants VALUES ('2', 'Leek')")
  for device in [desk, phone, desk] { try await device.engine.syncChanges() }
  print(try desk.names() == phone.names(), try desk.names())
}

try await anEditReachesTheOtherDevice()
try await bothEditsAreKept()
