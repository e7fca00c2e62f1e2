import Foundation
import GRDB
import SQLiteSync

struct Plant: Codable, PersistableRecord {
  static let databaseTableName = "plants"
  var id = UUID()
  var name: String

  static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
    .lowercaseString
  }
}

func callPlantsFlowers(_ db: Database) throws {
  try db.rename(table: "plants", to: "flowers")
  try SyncEngine.rename(db, table: "plants", to: "flowers")
  try db.execute(sql: "ALTER TABLE flowers RENAME COLUMN name TO title")
  try SyncEngine.rename(db, column: "name", to: "title", of: "flowers")
}

struct Pot: TableRecord { static let databaseTableName = "pots" }

let database = try DatabaseQueue(configuration: .synchronized)
try database.write { db in
  try db.execute(
    sql: """
      CREATE TABLE plants (
        id TEXT PRIMARY KEY NOT NULL DEFAULT (\(SyncEngine.randomUUID)), name TEXT NOT NULL
      );
      CREATE TABLE pots (id INTEGER PRIMARY KEY NOT NULL, plantID TEXT REFERENCES plants (id));
      """)
  try Plant(name: "Rose").insert(db)
  for error in try SyncEngine.validate(db, tables: [Plant.self, Pot.self]) {
    print(error.table ?? "", error.column ?? "", error.reason)
  }
  for warning in try SyncEngine.warnings(db, tables: [Plant.self]) {
    print("Warning:", warning.table ?? "", warning.column ?? "", warning.reason)
  }
}
_ = try SyncEngine(for: database, tables: [Plant.self], cloud: nil, startImmediately: false)
try database.write(callPlantsFlowers)
_ = try SyncEngine(
  for: database, tableNames: ["flowers"], cloud: nil, startImmediately: false)
print(try database.read { try SyncCounts($0).pending }, "flower")
