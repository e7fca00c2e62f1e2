import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// Tables of unusual shapes, and rows that were there before the engine.
struct CaptureSchemaTests {
  // MARK: - Wide tables

  private static let wide = Schema(
    sql: "CREATE TABLE wide (id TEXT PRIMARY KEY NOT NULL, "
      + (0..<130).map { "c\($0) INTEGER" }.joined(separator: ", ") + ")",
    tables: ["wide"])

  @Test(arguments: [[0], [59], [60], [119], [120], [129], [0, 59, 60, 61, 119, 120, 129]])
  func everyColumnOfAWideTableIsCaptured(columns: [Int]) throws {
    let fleet = try Fleet(schema: Self.wide)
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO wide (id) VALUES ('w')")
    try fleet.settle()
    let names = columns.map { "c\($0)" }
    let changes = names.map { "\($0) = 7" }.joined(separator: ", ")
    try ann.execute("UPDATE wide SET c1 = c1, \(changes)")
    #expect(try ann.outbox() == ["save w:wide: " + names.sorted().joined(separator: ", ")])
    try fleet.settle()
    #expect(
      try ben.rows("SELECT \(names.joined(separator: ", ")) FROM wide")
        == [names.map { _ in "7" }.joined(separator: "|")])
    try fleet.expectExhausted()
  }

  @Test func aReplaceOfAWideRowIsAnEditOfTheFieldsThatDiffer() throws {
    let fleet = try Fleet(schema: Self.wide)
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO wide (id, c5) VALUES ('w', 5)")
    try fleet.settle()
    try ann.execute("REPLACE INTO wide (id, c5, c60, c129) VALUES ('w', 5, 1, 2)")
    #expect(try ann.outbox() == ["save w:wide: c129, c60"])
    try fleet.settle()
    #expect(try ben.rows("SELECT c5, c60, c129 FROM wide") == ["5|1|2"])
    try fleet.expectExhausted()
  }

  private struct Wide: TableRecord { static let databaseTableName = "wide" }

  @Test func aTableThatLostAllColumnsOfAMaskGoesOnBeingCaptured() throws {
    let fleet = try Fleet(schema: Self.wide)
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO wide (id) VALUES ('w')")
    try fleet.settle()
    for device in [ann, ben] {
      try device.relaunch { db in
        try SyncEngine.forget(db, table: Wide.self, columns: (60..<120).map { "C\($0)" })
        for column in 60..<120 {
          try db.execute(sql: "ALTER TABLE wide DROP COLUMN c\(column)")
        }
      }
    }
    try ann.execute("UPDATE wide SET c0 = 1, c120 = 2")
    #expect(try ann.outbox() == ["save w:wide: c0, c120"])
    try fleet.settle()
    #expect(try ben.rows("SELECT c0, c120 FROM wide") == ["1|2"])
  }

  // MARK: - Names

  @Test func namesMayNeedQuotes() throws {
    let schema = Schema(
      sql: #"""
        CREATE TABLE "order" (
          "primary key" TEXT PRIMARY KEY NOT NULL, "it's ""it""" TEXT, "a b" TEXT);
        CREATE TABLE "a 'b' ""c""" (
          "select" TEXT PRIMARY KEY NOT NULL, [group] TEXT,
          `from` TEXT REFERENCES "order" ("primary key") ON DELETE CASCADE
        );
        """#,
      tables: ["a 'b' \"c\"", "order"])
    let fleet = try Fleet(schema: schema)
    let (ann, ben) = try fleet.pair()
    try ann.execute(#"INSERT INTO "order" VALUES ('it''s', 'one', 'two')"#)
    try ann.execute(#"INSERT INTO "a 'b' ""c""" VALUES ('k', 'g', 'it''s')"#)
    try fleet.settle()
    try ben.execute(#"UPDATE "order" SET "it's ""it""" = 'three'"#)
    #expect(try ben.outbox() == [#"save it's:order: it's "it""#])
    try ben.execute(#"REPLACE INTO "a 'b' ""c""" VALUES ('k', 'h', 'it''s')"#)
    #expect(try ben.outbox().contains(#"save k:a 'b' "c": group"#))
    try fleet.settle()
    #expect(try ann.rows(#"SELECT * FROM "order""#) == ["it's|three|two"])
    #expect(try ann.rows(#"SELECT * FROM "a 'b' ""c""""#) == ["k|h|it's"])
    try ann.execute(#"DELETE FROM "order""#)
    try fleet.settle()
    #expect(try ben.rows(#"SELECT * FROM "a 'b' ""c""""#) == [])
    try fleet.expectExhausted()
  }

  @Test(arguments: [
    "", " ", "a:b", "a_x", "é", "100%", "%41", "a\nb", "e\u{301}", "../x", "🙂", "'\"", "a/b",
  ])
  func anyTextCanBeAKey(key: String) throws {
    let fleet = try Fleet()
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO lists (id, title) VALUES (?, 'Odd')", [key])
    try ann.execute("INSERT INTO reminders (id, listID) VALUES ('r', ?)", [key])
    try fleet.settle()
    #expect(try ben.rows("SELECT lists.id FROM lists JOIN reminders ON listID = lists.id") == [key])
    try ben.execute("DELETE FROM lists")
    try fleet.settle()
    #expect(try ann.rows("SELECT id FROM lists") == [])
    try fleet.expectExhausted()
  }

  @Test func twoSpellingsOfOneLetterAreTwoKeys() throws {
    let fleet = try Fleet()
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO lists (id, title) VALUES ('é', 'one'), ('e\u{301}', 'two')")
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM lists ORDER BY title") == ["one", "two"])
    try fleet.expectExhausted()
  }

  // MARK: - Rows of before

  @Test func rowsOfBeforeTheEngineAreSent() throws {
    let fleet = try Fleet()
    let ann = try fleet.device { db in
      try db.execute(
        sql: """
          INSERT INTO lists (id, title) VALUES ('l', 'Personal');
          INSERT INTO reminders (id, title, listID) VALUES ('r', 'Haircut', 'l');
          INSERT INTO tags VALUES ('Car');
          """)
    }
    let ben = try fleet.device()
    #expect(
      try ann.outbox() == ["save car:tags: all", "save l:lists: all", "save r:reminders: all"])
    try fleet.settle()
    #expect(try ben.rows("SELECT title, listID FROM reminders") == ["Haircut|l"])
    #expect(try ben.rows("SELECT title FROM tags") == ["Car"])
    try fleet.expectExhausted()
  }

  @Test func aTableThatAMigrationRebuiltGoesOnBeingCaptured() throws {
    let fleet = try Fleet()
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO tags VALUES ('car')")
    try ann.execute("INSERT INTO orphans VALUES ('o', 'Orphan', NULL)")
    try fleet.settle()
    try ann.relaunch { db in
      try db.execute(
        sql: """
          CREATE TABLE new (
            id TEXT PRIMARY KEY NOT NULL,
            title TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
            listID TEXT REFERENCES lists (id) ON DELETE SET NULL
          ) STRICT;
          INSERT INTO new SELECT * FROM orphans;
          DROP TABLE orphans;
          ALTER TABLE new RENAME TO orphans;
          """)
    }
    #expect(try ann.outbox() == [])
    try ann.execute("UPDATE orphans SET title = 'Rebuilt'")
    #expect(try ann.outbox() == ["save o:orphans: title"])
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM orphans") == ["Rebuilt"])
    try fleet.expectExhausted()
  }

  @Test func anEditMadeByAMigrationIsAnEdit() throws {
    let fleet = try Fleet()
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'personal')")
    try fleet.settle()
    try ann.relaunch { try $0.execute(sql: "UPDATE lists SET title = upper(title)") }
    #expect(try ann.outbox() == ["save l:lists: title"])
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM lists") == ["PERSONAL"])
    try fleet.expectExhausted()
  }
}
