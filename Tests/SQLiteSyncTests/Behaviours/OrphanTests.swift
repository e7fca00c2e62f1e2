import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// A program that leaves foreign keys off, as the `sqlite3` shell does, deletes rows or gives them
/// other keys, and leaves behind what refers to them.
struct OrphanTests {
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
    try ann.execute(
      """
      INSERT INTO lists (id, title) VALUES ('inbox', 'Inbox'), ('l', 'Home');
      INSERT INTO covers VALUES ('l', x'00');
      INSERT INTO reminders (id, title, listID) VALUES ('r', 'Milk', 'l');
      INSERT INTO tags VALUES ('car');
      INSERT INTO reminderTags VALUES ('rt', 'r', 'CAR');
      INSERT INTO orphans VALUES ('o', 'Orphan', 'l');
      INSERT INTO fosters VALUES ('f', 'Foster', 'l');
      INSERT INTO nodes VALUES ('a', 'A', NULL), ('b', 'B', 'a'), ('c', 'C', 'b');
      """)
  }

  /// Ann runs the shell.
  private func shell(_ sql: String) throws {
    try ann.write { _ in }
    try ann.database.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF; BEGIN")
      try db.execute(sql: sql)
      try db.execute(sql: "COMMIT; PRAGMA foreign_keys = ON")
    }
  }

  private func expectEverywhere(
    _ sql: String, _ rows: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for device in [ann, ben] {
      #expect(try device.rows(sql) == rows, sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: [true, false])
  func whatHangsOnADeletedRowGoesWithItOrLetsGoOfIt(isKnown: Bool) throws {
    if isKnown { try fleet.settle() }
    try shell("DELETE FROM lists WHERE id = 'l'")
    try fleet.settle()
    try expectEverywhere("SELECT id FROM lists", ["inbox"])
    for table in ["covers", "reminders", "reminderTags"] {
      try expectEverywhere("SELECT * FROM \(table)", [])
    }
    try expectEverywhere("SELECT listID FROM orphans", ["NULL"])
    try expectEverywhere("SELECT listID FROM fosters", ["inbox"])
    try fleet.expectExhausted()
  }

  @Test(arguments: [true, false])
  func itComesBackFromTheHistoryWithTheRow(isKnown: Bool) throws {
    if isKnown { try fleet.settle() }
    try shell("DELETE FROM lists WHERE id = 'l'")
    ann.skew += 5000
    try ann.write { _ in }
    try fleet.settle()
    try ann.write { db in
      let entry = try #require(try SyncHistory.deletedRows(db, of: "lists").first)
      try SyncHistory.restore(entry.id, in: db)
    }
    try fleet.settle()
    try expectEverywhere("SELECT id, title, listID FROM reminders", ["r|Milk|l"])
    try expectEverywhere("SELECT id, reminderID, tagID FROM reminderTags", ["rt|r|CAR"])
    try expectEverywhere("SELECT listID, image FROM covers", ["l|1 bytes"])
    try fleet.expectExhausted()
  }

  @Test func aWholeTreeGoesWithItsRoot() throws {
    try fleet.settle()
    try shell("DELETE FROM nodes WHERE id = 'a'")
    try fleet.settle()
    try expectEverywhere("SELECT id FROM nodes", [])
    try fleet.expectExhausted()
  }

  @Test(arguments: [true, false])
  func whatHangsOnARowWithAnotherKeyFollowsIt(isKnown: Bool) throws {
    if isKnown { try fleet.settle() }
    try shell("UPDATE lists SET id = 'x' WHERE id = 'l'; UPDATE lists SET id = 'y' WHERE id = 'x'")
    try shell("UPDATE tags SET title = 'Auto'; UPDATE nodes SET id = 'n' WHERE id = 'a'")
    try fleet.settle()
    try expectEverywhere("SELECT id, title FROM lists ORDER BY id", ["inbox|Inbox", "y|Home"])
    for table in ["covers", "reminders", "orphans", "fosters"] {
      try expectEverywhere("SELECT listID FROM \(table)", ["y"])
    }
    try expectEverywhere("SELECT tagID FROM reminderTags", ["Auto"])
    try expectEverywhere("SELECT parentID FROM nodes ORDER BY id", ["n", "b", "NULL"])
    // Of one table, a row can come before what it hangs on now.
    try fleet.expectExhausted(after: [.waited])
  }

  @Test func whatHangsOnARowThatIsDeletedUnderAnotherKeyGoesWithIt() throws {
    try fleet.settle()
    try shell("UPDATE lists SET id = 'x' WHERE id = 'l'; DELETE FROM lists WHERE id = 'x'")
    try fleet.settle()
    try expectEverywhere("SELECT id FROM reminders", [])
    try expectEverywhere("SELECT listID FROM orphans", ["NULL"])
    try fleet.expectExhausted()
  }

  @Test func whatHangsOnARowThatIsThereAgainStays() throws {
    try fleet.settle()
    try shell(
      """
      DELETE FROM lists WHERE id = 'l'; INSERT INTO lists (id, title) VALUES ('l', 'Anew');
      DELETE FROM tags; UPDATE reminderTags SET tagID = NULL
      """)
    try fleet.settle()
    try expectEverywhere("SELECT title FROM lists WHERE id = 'l'", ["Anew"])
    try expectEverywhere("SELECT listID FROM reminders", ["l"])
    try expectEverywhere("SELECT tagID FROM reminderTags", ["NULL"])
    try fleet.expectExhausted()
  }

  @Test func anEditElsewhereLaterThanTheDeletionBringsTheRowBack() throws {
    try fleet.settle()
    try shell("DELETE FROM lists WHERE id = 'l'")
    try ben.execute("UPDATE reminders SET title = 'Oat milk'")
    try fleet.settle()
    try expectEverywhere("SELECT title, listID FROM reminders", ["Oat milk|l"])
    try expectEverywhere("SELECT title FROM lists WHERE id = 'l'", ["Home"])
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test func aRowThatATriggerKeepsStaysHereAndStopsNothingElse() throws {
    try fleet.settle()
    try ann.execute(
      """
      CREATE TRIGGER keep BEFORE DELETE ON reminders BEGIN SELECT RAISE(ABORT, 'kept'); END
      """)
    try shell("DELETE FROM lists WHERE id = 'l'")
    try ben.execute("UPDATE lists SET title = 'In' WHERE id = 'inbox'")
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM lists") == ["In"])
    #expect(try ann.rows("SELECT id FROM reminders") == ["r"])
    try expectEverywhere("SELECT listID FROM orphans", ["NULL"])
  }
}
