import Foundation
import GRDB
import SQLiteSync

struct Plant: TableRecord { static let databaseTableName = "plants" }

func importPlants(_ names: [String], _ database: DatabaseQueue) throws {
  try database.write { db in
    let statement = try db.cachedStatement(sql: "INSERT INTO plants (name) VALUES (?)")
    for name in names { try statement.execute(arguments: [name]) }
  }
}

let database = try DatabaseQueue(configuration: .synchronized)
try database.write { db in
  try db.execute(
    sql: """
      CREATE TABLE plants (
        id TEXT PRIMARY KEY NOT NULL DEFAULT (\(SyncEngine.randomUUID)), name TEXT NOT NULL
      ) STRICT
      """)
}
let store = MemoryStore()
let cloud = CloudContainer(store: store, account: "ann", device: UUID(), app: "Plants 1.0")
let engine = try SyncEngine(
  for: database, tables: [Plant.self], cloud: cloud, startImmediately: false)
try importPlants((1...1000).map { "Plant \($0)" }, database)
print(try await engine.syncChanges().sent, "records")
try database.write { try $0.execute(sql: "UPDATE plants SET name = name") }
print(try await engine.syncChanges().sent, "records")
