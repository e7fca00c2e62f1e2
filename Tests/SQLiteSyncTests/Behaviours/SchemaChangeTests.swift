import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Devices with different versions of the app.
struct SchemaChangeTests {
  static let old = Schema(
    sql: """
      CREATE TABLE lists (
        id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '')
      """, tables: ["lists"])
  static let new = Schema(
    sql: """
      CREATE TABLE lists (
        id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
        color TEXT DEFAULT 'blue', size INTEGER NOT NULL ON CONFLICT REPLACE DEFAULT 7, image BLOB)
      """, tables: ["lists"])

  static func upgrade(_ db: Database) throws {
    try db.execute(
      sql: """
        ALTER TABLE lists ADD COLUMN color TEXT DEFAULT 'blue';
        ALTER TABLE lists ADD COLUMN size INTEGER NOT NULL ON CONFLICT REPLACE DEFAULT 7;
        ALTER TABLE lists ADD COLUMN image BLOB;
        """)
  }

  struct Lists: TableRecord { static let databaseTableName = "lists" }

  private static func dropColor(_ db: Database) throws {
    try SyncEngine.forget(db, table: Lists.self, columns: ["color"])
    try db.execute(sql: "ALTER TABLE lists DROP COLUMN color")
  }

  let fleet: Fleet
  let ann: Device
  let ben: Device

  /// Ann has the old version, ben the new one.
  init() throws {
    fleet = try Fleet(schema: Self.old)
    ann = try fleet.device()
    ben = try fleet.device(schema: Self.new)
  }

  @Test func valuesThatCameBeforeTheColumnAppearAfterTheMigration() throws {
    try ben.execute("INSERT INTO lists (id, title, color, size) VALUES ('l', 'A', 'red', 3)")
    try fleet.settle()
    try ann.relaunch(migrate: Self.upgrade)
    #expect(try ann.rows("SELECT title, color, size FROM lists") == ["A|red|3"])
    try fleet.settle()
    try fleet.expectExhausted()
  }

  @Test func theOldVersionEditsARecordOfTheNewOneAndLosesNothing() throws {
    try ben.execute("INSERT INTO lists (id, title, color) VALUES ('l', 'A', 'red')")
    try fleet.settle()
    try ann.execute("UPDATE lists SET title = 'B'")
    try fleet.settle()
    #expect(try ben.rows("SELECT title, color FROM lists") == ["B|red"])
    try ben.execute("UPDATE lists SET color = 'green'")
    try fleet.settle()
    try ann.relaunch(migrate: Self.upgrade)
    #expect(try ann.rows("SELECT title, color FROM lists") == ["B|green"])
    try fleet.settle()
    try fleet.expectExhausted()
  }

  @Test func whatTheOldVersionDoesNotKnowKeepsItsDefault() throws {
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'A')")
    try fleet.settle()
    #expect(try ben.rows("SELECT title, color, size FROM lists") == ["A|blue|7"])
    #expect(try ben.counts().pending == 0)
    try ben.execute("UPDATE lists SET size = 8")
    try fleet.settle()
    #expect(try Stranger(fleet).record("l:lists")?.fields.keys.sorted() == ["size", "title"])
    try fleet.expectExhausted()
  }

  @Test func nullIsNotTheDefault() throws {
    try ben.execute("INSERT INTO lists (id, color) VALUES ('l', NULL)")
    try fleet.settle()
    try ann.relaunch(migrate: Self.upgrade)
    #expect(try ann.rows("SELECT color FROM lists") == ["NULL"])
    try fleet.settle()
    try fleet.expectExhausted()
  }

  @Test func aNewColumnSendsNothingByItself() throws {
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'A')")
    try fleet.settle()
    try ann.relaunch(migrate: Self.upgrade)
    #expect(try ann.outbox() == [])
    #expect(try ann.rows("SELECT color, size FROM lists") == ["blue|7"])
    try fleet.settle()
    try fleet.expectExhausted()
  }

  @Test func aValueWrittenInTheMigrationItselfIsNotOverwrittenByAnOlderOne() throws {
    try ben.execute("INSERT INTO lists (id, color) VALUES ('l', 'red')")
    try fleet.settle()
    try ann.relaunch { db in try Self.upgrade(db) }
    try ann.execute("UPDATE lists SET color = 'green'")
    try fleet.settle()
    #expect(try ben.rows("SELECT color FROM lists") == ["green"])
    try fleet.expectExhausted()
  }

  @Test func aRecordThatTheOldVersionMadeAnewHasNothingOfItsFormerLife() throws {
    let carl = try fleet.device()
    try ben.execute("INSERT INTO lists (id, color) VALUES ('l', 'red')")
    try fleet.settle()
    try carl.execute("DELETE FROM lists")
    try carl.sync()
    try ben.sync()
    try carl.execute("INSERT INTO lists (id, title) VALUES ('l', 'New')")
    try carl.sync()
    // Ann never hears of the deletion in between.
    try fleet.settle()
    try ann.relaunch(migrate: Self.upgrade)
    for device in [ann, ben] {
      #expect(try device.rows("SELECT title, color FROM lists") == ["New|blue"])
    }
    try fleet.expectExhausted()
  }

  // MARK: - Migrations that write

  @Test func whatAMigrationPutsIntoANewColumnReachesTheOthers() throws {
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'A'), ('m', 'B')")
    try fleet.settle()
    try ann.relaunch { db in
      try Self.upgrade(db)
      try db.execute(sql: "UPDATE lists SET color = 'green' WHERE id = 'l'")
    }
    #expect(try ann.outbox() == ["save l:lists: color"])
    try fleet.settle()
    #expect(try ben.rows("SELECT id, color FROM lists ORDER BY id") == ["l|green", "m|blue"])
    try fleet.expectExhausted()
  }

  @Test func whatAMigrationPutsIntoANewColumnIsNoLaterThanTheRow() throws {
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'A'), ('m', 'B')")
    try fleet.settle()
    try ben.execute("UPDATE lists SET color = 'red' WHERE id = 'l'")
    try ben.sync()
    try ann.fetch()
    try ben.execute("UPDATE lists SET color = 'pink' WHERE id = 'm'")
    try ben.sync()
    // Of one list ann knows that ben has given it a color, of the other not yet.
    try ann.relaunch { db in
      try Self.upgrade(db)
      try db.execute(sql: "UPDATE lists SET color = 'green'")
    }
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT id, color FROM lists ORDER BY id") == ["l|red", "m|pink"])
    }
    try fleet.expectExhausted()
  }

  @Test func twoDevicesWhoseMigrationsPutDifferentValuesAgree() throws {
    let carl = try fleet.device(schema: Self.old)
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'A')")
    try fleet.settle()
    for (device, color) in [(ann, "green"), (carl, "pink")] {
      try device.relaunch { db in
        try Self.upgrade(db)
        try db.execute(sql: "UPDATE lists SET color = ?", arguments: [color])
      }
    }
    try fleet.settle()
    #expect(try ann.rows("SELECT color FROM lists") == carl.rows("SELECT color FROM lists"))
    #expect(try ann.rows("SELECT color FROM lists") == ben.rows("SELECT color FROM lists"))
    try fleet.expectExhausted(after: fleet.troubles)
    #expect(
      fleet.troubles.isSubset(of: [.refused(.serverRecordChanged), .refused(.batchRequestFailed)]))
  }

  // MARK: - Columns that go

  @Test func aDroppedColumnKeepsItsValueInTheCloudAndComesBackWithIt() throws {
    let carl = try fleet.device(schema: Self.new)
    try ben.execute("INSERT INTO lists (id, title, color, size) VALUES ('l', 'A', 'red', 3)")
    try fleet.settle()
    try carl.relaunch(migrate: Self.dropColor)
    try carl.execute("UPDATE lists SET title = 'B'")
    try fleet.settle()
    #expect(try Stranger(fleet).record("l:lists")?.fields["color"]?.value == .text("red"))
    #expect(try ben.rows("SELECT title, color FROM lists") == ["B|red"])
    try ben.execute("UPDATE lists SET color = 'green'")
    try fleet.settle()
    try carl.relaunch {
      try $0.execute(sql: "ALTER TABLE lists ADD COLUMN color TEXT DEFAULT 'blue'")
    }
    #expect(try carl.rows("SELECT title, color, size FROM lists") == ["B|green|3"])
    try fleet.settle()
    try fleet.expectExhausted()
  }

  @Test func aColumnDroppedWithAnUnsentEditOfAnotherSendsThatAndKeepsItsValue() throws {
    try ben.execute("INSERT INTO lists (id, title, color) VALUES ('l', 'A', 'red')")
    try fleet.settle()
    try ben.execute("UPDATE lists SET title = 'B'")
    try ben.relaunch(migrate: Self.dropColor)
    try ben.send()
    #expect(try Stranger(fleet).record("l:lists")?.fields["color"]?.value == .text("red"))
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM lists") == ["B"])
    try fleet.expectExhausted()
  }

  // MARK: - Tables

  private static let itemsSQL = """
    CREATE TABLE items (
      id TEXT PRIMARY KEY NOT NULL, title TEXT,
      listID TEXT REFERENCES lists (id) ON DELETE CASCADE)
    """

  @Test func rowsOfATableThatIsNotHereYetAreKeptForIt() throws {
    try ben.relaunch(tables: ["lists", "items"]) { try $0.execute(sql: Self.itemsSQL) }
    try ben.execute("INSERT INTO lists (id) VALUES ('l')")
    try ben.execute("INSERT INTO items VALUES ('i', 'Milk', 'l'), ('j', 'Eggs', 'l')")
    try fleet.settle()
    try ben.execute("DELETE FROM items WHERE id = 'j'")
    try fleet.settle()
    #expect(try ann.counts() == SyncCounts())
    let fetched = ann.synchronizer.fetchedCount
    try ann.relaunch(tables: ["lists", "items"]) { try $0.execute(sql: Self.itemsSQL) }
    #expect(try ann.rows("SELECT * FROM items") == ["i|Milk|l"])
    try fleet.settle()
    #expect(ann.synchronizer.fetchedCount == 0 && fetched > 0)
    try fleet.expectExhausted()
  }

  @Test func unknownTablesAreReplayedParentsFirstAndWithTheirDeletions() throws {
    // Their names sort the other way round.
    let sql = """
      CREATE TABLE zoos (id TEXT PRIMARY KEY NOT NULL, name TEXT);
      CREATE TABLE mammals (
        id TEXT PRIMARY KEY NOT NULL, zooID TEXT REFERENCES zoos (id) ON DELETE CASCADE,
        motherID TEXT REFERENCES mammals (id) ON DELETE SET NULL);
      CREATE TABLE ears (
        id TEXT PRIMARY KEY NOT NULL, mammalID TEXT REFERENCES mammals (id) ON DELETE CASCADE);
      """
    let tables = ["ears", "mammals", "lists", "zoos"]
    try ben.relaunch(tables: tables) { try $0.execute(sql: sql) }
    try ben.execute("INSERT INTO zoos VALUES ('z', 'Berlin'), ('y', 'Basel')")
    try ben.execute("INSERT INTO mammals VALUES ('calf', 'z', NULL), ('cow', 'z', NULL)")
    try ben.execute("UPDATE mammals SET motherID = 'cow' WHERE id = 'calf'")
    try ben.execute("INSERT INTO mammals VALUES ('bear', 'y', NULL)")
    try ben.execute("INSERT INTO ears VALUES ('l', 'calf'), ('r', 'calf'), ('b', 'bear')")
    try fleet.settle()
    try ben.execute("DELETE FROM zoos WHERE id = 'y'")
    try ben.execute("DELETE FROM ears WHERE id = 'r'")
    try fleet.settle()
    let fetched = ann.synchronizer.fetchedCount
    try ann.relaunch(tables: tables) { try $0.execute(sql: sql) }
    #expect(try ann.contents() == ben.contents())
    #expect(try ann.rows("SELECT id FROM ears") == ["l"])
    try fleet.settle()
    #expect(ann.synchronizer.fetchedCount == 0 && fetched > 0)
    try fleet.expectExhausted()
  }

  @Test func rowsOfATableThatIsListedLaterAreSentThen() throws {
    try ann.relaunch { try $0.execute(sql: Self.itemsSQL) }
    try ann.execute("INSERT INTO items VALUES ('i', 'Milk', NULL)")
    try fleet.settle()
    #expect(try Stranger(fleet).names() == [])
    try ann.relaunch(tables: ["lists", "items"])
    try ben.relaunch(tables: ["lists", "items"]) { try $0.execute(sql: Self.itemsSQL) }
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM items") == ["Milk"])
    try fleet.expectExhausted()
  }

  @Test func aTableThatIsNoLongerListedIsLeftAloneUntilItIsAgain() throws {
    for device in [ann, ben] {
      try device.relaunch(tables: ["lists", "items"]) { try $0.execute(sql: Self.itemsSQL) }
    }
    try ann.execute("INSERT INTO items VALUES ('i', 'Milk', NULL)")
    try fleet.settle()
    try ann.relaunch(tables: ["lists"])
    try ben.execute("UPDATE items SET title = 'Cream'")
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM items") == ["Milk"])
    try ann.relaunch(tables: ["lists", "items"])
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM items") == ["Cream"])
    try fleet.expectExhausted()
  }

  @Test(arguments: [("CASCADE", []), ("SET NULL", ["Milk|NULL"])], [1, 450])
  func theOldVersionDeletesARowThatHasChildrenItDoesNotKnow(
    action: (sql: String, left: [String]), count: Int
  ) throws {
    let itemsSQL = Self.itemsSQL.replacing("CASCADE", with: action.sql)
    try ben.relaunch(tables: ["lists", "items"]) { try $0.execute(sql: itemsSQL) }
    try ben.execute("INSERT INTO lists (id) VALUES ('l'), ('m')")
    try ben.execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO items SELECT 'i' || i, 'Milk', 'l' FROM n
      """)
    try ben.execute("INSERT INTO items VALUES ('other', 'Eggs', 'm')")
    try fleet.settle()
    try ann.execute("DELETE FROM lists WHERE id = 'l'")
    try fleet.settle()
    #expect(try ben.rows("SELECT id FROM lists") == ["m"])
    #expect(
      try ben.rows("SELECT DISTINCT title, listID FROM items ORDER BY 1 DESC")
        == action.left + ["Eggs|m"])
    try ann.relaunch(tables: ["lists", "items"]) { try $0.execute(sql: itemsSQL) }
    try fleet.settle()
    try fleet.expectExhausted()
  }

  @Test func theOldVersionAloneDeletesARowThatHasChildrenItDoesNotKnow() throws {
    try ben.relaunch(tables: ["lists", "items"]) { try $0.execute(sql: Self.itemsSQL) }
    try ben.execute("INSERT INTO lists (id) VALUES ('l')")
    try ben.execute("INSERT INTO items VALUES ('i', 'Milk', 'l')")
    try fleet.settle()
    try ann.execute("DELETE FROM lists")
    try ann.sync()
    try ann.relaunch(tables: ["lists", "items"]) { try $0.execute(sql: Self.itemsSQL) }
    #expect(try ann.rows("SELECT * FROM items") == [])
    try fleet.settle()
    #expect(try ben.rows("SELECT * FROM items") == [])
    #expect(try Stranger(fleet).names() == [])
    try fleet.expectExhausted()
  }

  @Test func aNewColumnMayReferToANewTable() throws {
    let migrate: (Database) throws -> Void = { db in
      try db.execute(
        sql: """
          CREATE TABLE folders (id TEXT PRIMARY KEY NOT NULL, name TEXT);
          ALTER TABLE lists ADD COLUMN folderID TEXT REFERENCES folders (id) ON DELETE SET NULL;
          """)
    }
    try ben.relaunch(tables: ["lists", "folders"], migrate: migrate)
    try ben.execute("INSERT INTO folders VALUES ('f', 'Home')")
    try ben.execute("INSERT INTO lists (id, folderID) VALUES ('l', 'f')")
    try fleet.settle()
    try ann.relaunch(tables: ["lists", "folders"], migrate: migrate)
    try fleet.settle()
    #expect(try ann.rows("SELECT folderID FROM lists") == ["f"])
    try fleet.expectExhausted()
  }

  @Test func aRecordThatAConstraintRefusedIsTriedAgainAfterAMigration() throws {
    let schema = Schema(
      sql: "CREATE TABLE items (id TEXT PRIMARY KEY NOT NULL, n INTEGER CHECK (n < 10))",
      tables: ["items"])
    let fleet = try Fleet(schema: schema)
    let (ann, ben) = try fleet.pair()
    try Stranger(fleet).save("items", "i", ["n": .integer(99)])
    try fleet.settle()
    #expect(try ann.counts().quarantined == 1)
    for device in [ann, ben] {
      try device.relaunch { db in
        try db.execute(
          sql: """
            CREATE TABLE new (id TEXT PRIMARY KEY NOT NULL, n INTEGER CHECK (n < 100));
            INSERT INTO new SELECT * FROM items;
            DROP TABLE items;
            ALTER TABLE new RENAME TO items;
            """)
      }
    }
    try fleet.settle()
    #expect(try ann.rows("SELECT n FROM items") == ["99"])
    try fleet.expectExhausted(after: [.quarantined])
  }
}
