import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSync
import SQLiteSyncCloud
import Testing

// The code of the article MigratingKeys.md, block by block.

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

/// The article's example runs, and the article shows what runs.
struct MigratingKeysTests {
  private let queue: DatabaseQueue

  init() throws {
    queue = try DatabaseQueue()
    try queue.write { db in
      try db.execute(sql: oldGardenSQL)
      try db.execute(
        sql: """
          INSERT INTO gardens VALUES (1, 'Front'), (2, 'Back');
          INSERT INTO plants VALUES (1, 'Rose', 1), (2, 'Leek', 2);
          INSERT INTO labels VALUES (2, 'tasty'), (NULL, 'lost');
          """)
    }
  }

  private func synchronizer(cloud: URL) throws -> SyncEngine {
    let container = CloudContainer(
      directory: cloud, account: try #require(AccountID(name: "ann")), device: UUID(),
      app: "Garden 2.0")
    return try SyncEngine(
      for: queue, tables: [Garden.self, Plant.self, Label.self], cloud: container,
      startImmediately: false)
  }

  private func migrate(_ register: (inout DatabaseMigrator) -> Void) throws {
    var migrator = DatabaseMigrator()
    register(&migrator)
    try migrator.migrate(queue)
  }

  @Test(arguments: [true, false])
  func theGardensAreAcceptedAfterwards(isByHand: Bool) throws {
    let cloud = try TemporaryDirectory()
    #expect(throws: SyncError.self) { try synchronizer(cloud: cloud.url) }
    try migrate { migrator in
      if isByHand {
        migrator.registerMigration("By hand", migrate: migrateGardensByHand)
      } else {
        migrateGardens(&migrator)
      }
    }
    _ = try synchronizer(cloud: cloud.url)
    let rows = try queue.read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT labels.text, plants.name, gardens.name FROM labels
          LEFT JOIN plants ON plants.id = plantID LEFT JOIN gardens ON gardens.id = gardenID
          ORDER BY labels.text DESC
          """
      ).map { $0.map { String.fromDatabaseValue($0.1) ?? "-" }.joined(separator: " ") }
    }
    #expect(rows == ["tasty Leek Back", "lost - -"])
    #expect(
      try queue.read { try Int.fetchOne($0, sql: "SELECT count(DISTINCT id) FROM labels") } == 2)
  }

  @Test func aColumnThatGoesIsNamedFirst() throws {
    let cloud = try TemporaryDirectory()
    try migrate(migrateGardens)
    try queue.write { try $0.execute(sql: "ALTER TABLE gardens ADD COLUMN nickname TEXT") }
    _ = try synchronizer(cloud: cloud.url)
    try queue.write(dropNickname)
    _ = try synchronizer(cloud: cloud.url)
  }

  @Test func theArticleShowsTheCodeOfThisFile() throws {
    try expectArticle("MigratingKeys.md", blocks: 4)
  }
}
