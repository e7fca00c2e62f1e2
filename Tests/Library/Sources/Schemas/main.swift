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
