import Foundation
import GRDB
import SQLiteSync

let oldGardenSQL = """
  CREATE TABLE gardens (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL DEFAULT ''
  );
  CREATE TABLE plants (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL DEFAULT '',
    gardenID INTEGER REFERENCES gardens (id) ON DELETE CASCADE
  );
  CREATE TABLE labels (
    plantID INTEGER REFERENCES plants (id) ON DELETE CASCADE, -- a table without a key
    text TEXT
  );
  """

struct Garden: TableRecord { static let databaseTableName = "gardens" }
struct Plant: TableRecord { static let databaseTableName = "plants" }
struct Label: TableRecord { static let databaseTableName = "labels" }

func migrateGardens(_ migrator: inout DatabaseMigrator) {
  migrator.registerMigration("Keys that can meet others") { db in
    try SyncEngine.migratePrimaryKeys(
      db, tables: [Garden.self, Plant.self, Label.self], replaceNulls: true)
  }
}

func migrateGardensByHand(_ db: Database) throws {
  let file = UUID().uuidString
  let key = DatabaseFunction("key", argumentCount: 2, pure: true) { values in
    values[1].isNull ? nil : "\(values[0])-\(values[1])-\(file)"
  }
  db.add(function: key)
  defer { db.remove(function: key) }
  try db.execute(
    sql: """
      CREATE TABLE new_gardens (
        id TEXT PRIMARY KEY NOT NULL ON CONFLICT REPLACE DEFAULT (\(SyncEngine.randomUUID)),
        name TEXT NOT NULL ON CONFLICT REPLACE DEFAULT ''
      );
      INSERT INTO new_gardens SELECT key('gardens', id), name FROM gardens;
      DROP TABLE gardens;
      ALTER TABLE new_gardens RENAME TO gardens;

      CREATE TABLE new_plants (
        id TEXT PRIMARY KEY NOT NULL ON CONFLICT REPLACE DEFAULT (\(SyncEngine.randomUUID)),
        name TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
        gardenID TEXT REFERENCES gardens (id) ON DELETE CASCADE
      );
      INSERT INTO new_plants SELECT key('plants', id), name, key('gardens', gardenID) FROM plants;
      DROP TABLE plants;
      ALTER TABLE new_plants RENAME TO plants;

      CREATE TABLE new_labels (
        id TEXT PRIMARY KEY NOT NULL ON CONFLICT REPLACE DEFAULT (\(SyncEngine.randomUUID)),
        plantID TEXT REFERENCES plants (id) ON DELETE CASCADE,
        text TEXT
      );
      INSERT INTO new_labels (plantID, text) SELECT key('plants', plantID), text FROM labels;
      DROP TABLE labels;
      ALTER TABLE new_labels RENAME TO labels;
      """)
}

func dropNickname(_ db: Database) throws {
  try SyncEngine.forget(db, table: Garden.self, columns: ["nickname"])
  try db.execute(sql: "ALTER TABLE gardens DROP COLUMN nickname")
}

/// Both ways end with the same rows, and with tables that an engine accepts.
func migrated(_ register: (inout DatabaseMigrator) -> Void) throws -> DatabaseQueue {
  let database = try DatabaseQueue(configuration: .synchronized)
  try database.write { db in
    try db.execute(
      sql: oldGardenSQL + """
        INSERT INTO gardens VALUES (1, 'Front'), (2, 'Back');
        INSERT INTO plants VALUES (1, 'Rose', 1), (2, 'Leek', 2);
        INSERT INTO labels VALUES (2, 'tasty');
        """)
  }
  var migrator = DatabaseMigrator()
  register(&migrator)
  try migrator.migrate(database)
  return database
}

let byCall = try migrated(migrateGardens)
let byHand = try migrated { $0.registerMigration("By hand", migrate: migrateGardensByHand) }
for database in [byCall, byHand] {
  let engine = try SyncEngine(
    for: database, tables: [Garden.self, Plant.self, Label.self], cloud: nil,
    startImmediately: false)
  try database.write { db in
    let row = """
      SELECT text || ' ' || plants.name || ' in ' || gardens.name FROM labels
      JOIN plants ON plants.id = plantID JOIN gardens ON gardens.id = gardenID
      """
    print(try String.fetchAll(db, sql: row), "pending:", try SyncCounts(db).pending)
    try db.execute(sql: "ALTER TABLE gardens ADD COLUMN nickname TEXT")
  }
  engine.stopAndWait()
}

// Another version of the app comes, with a column more, and then one with a column less.
func open(_ database: DatabaseQueue) throws {
  _ = try SyncEngine(
    for: database, tables: [Garden.self, Plant.self, Label.self], cloud: nil,
    startImmediately: false)
}
try open(byCall)
try byCall.write(dropNickname)
try open(byCall)
print("Without nickname")
