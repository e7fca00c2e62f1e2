import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// Changes of keys, and what foreign keys do by themselves.
struct CaptureKeyTests {
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
    try ann.write { db in
      try db.execute(
        sql: """
          INSERT INTO lists (id, title) VALUES ('l', 'Personal'), ('inbox', 'Inbox');
          INSERT INTO reminders (id, title, listID) VALUES ('r', 'Haircut', 'l');
          INSERT INTO tags VALUES ('car'), ('home');
          INSERT INTO reminderTags VALUES ('rc', 'r', 'car'), ('rh', 'r', 'home');
          INSERT INTO orphans VALUES ('o', 'Orphan', 'l');
          INSERT INTO fosters VALUES ('f', 'Foster', 'l');
          INSERT INTO nodes VALUES ('a', 'A', NULL), ('b', 'B', 'a'), ('c', 'C', 'b');
          """)
    }
    try fleet.settle()
  }

  private func expectBenHas(
    _ rows: [String], _ sql: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try fleet.settle()
    #expect(try ben.rows(sql) == rows, sourceLocation: sourceLocation)
    try fleet.expectExhausted(sourceLocation: sourceLocation)
  }

  @Test func aChangedKeyIsADeletionAndANewRecord() throws {
    try ann.execute("UPDATE orphans SET id = 'p' WHERE id = 'o'")
    #expect(try ann.outbox() == ["delete o:orphans", "save p:orphans: all"])
    #expect(try ann.times("orphans", "p") == ["life": fleet.clock.now])
    try expectBenHas(["p|Orphan|l"], "SELECT * FROM orphans")
  }

  @Test func aKeyChangedTogetherWithAFieldIsOneNewRecord() throws {
    try ann.execute("UPDATE orphans SET id = 'p', title = 'Other' WHERE id = 'o'")
    #expect(try ann.outbox() == ["delete o:orphans", "save p:orphans: all"])
    #expect(try ann.times("orphans", "p") == ["life": fleet.clock.now])
    try expectBenHas(["p|Other|l"], "SELECT * FROM orphans")
  }

  @Test func aKeyChangedToThatOfADeletedRowIsANewLifeOfIt() throws {
    try ann.execute("INSERT INTO orphans VALUES ('p', 'Second', 'l')")
    try fleet.settle()
    try ann.execute("DELETE FROM orphans WHERE id = 'p'")
    try ann.execute("UPDATE orphans SET id = 'p' WHERE id = 'o'")
    #expect(try ann.outbox() == ["delete o:orphans", "save p:orphans: all"])
    try expectBenHas(["p|Orphan|l"], "SELECT * FROM orphans")
  }

  @Test func aKeyChangedOverAnotherRowReplacesIt() throws {
    try ann.execute("INSERT INTO orphans VALUES ('p', 'Second', 'l')")
    try fleet.settle()
    try ann.execute("UPDATE OR REPLACE orphans SET id = 'p' WHERE id = 'o'")
    #expect(try ann.outbox() == ["delete o:orphans", "save p:orphans: all"])
    try expectBenHas(["p|Orphan|l"], "SELECT * FROM orphans")
  }

  @Test func keysThatChangePlacesAreBothCaptured() throws {
    try ann.execute("INSERT INTO orphans VALUES ('p', 'Second', NULL)")
    try fleet.settle()
    try ann.write { db in
      for (old, new) in [("o", "x"), ("p", "o"), ("x", "p")] {
        try db.execute(sql: "UPDATE orphans SET id = ? WHERE id = ?", arguments: [new, old])
      }
    }
    #expect(try ann.outbox() == ["save o:orphans: all", "save p:orphans: all"])
    try expectBenHas(["o|Second|NULL", "p|Orphan|l"], "SELECT * FROM orphans ORDER BY id")
  }

  @Test func aRenamedNaturalKeyTakesItsReferencesAlong() throws {
    try ann.execute("UPDATE tags SET title = 'auto' WHERE title = 'car'")
    #expect(
      try ann.outbox() == ["delete car:tags", "save auto:tags: all", "save rc:reminderTags: tagID"])
    try expectBenHas(["rc|r|auto", "rh|r|home"], "SELECT * FROM reminderTags ORDER BY id")
    #expect(try ben.rows("SELECT * FROM tags ORDER BY 1") == ["auto", "home"])
  }

  @Test func aKeyThatChangesOnlyItsCaseIsTheSameRecordWithAnotherSpelling() throws {
    let life = try #require(try ann.times("tags", "car")["life"])
    try ann.execute("UPDATE tags SET title = 'Car' WHERE title = 'car'")
    // SQLite does not cascade it: by the key's collation nothing has changed.
    #expect(try ann.outbox() == ["save car:tags: title"])
    #expect(try ann.times("tags", "car") == ["life": life, "title": fleet.clock.now])
    try expectBenHas(["Car", "home"], "SELECT title FROM tags ORDER BY 1")
    #expect(try ben.rows("SELECT tagID FROM reminderTags ORDER BY id") == ["car", "home"])
  }

  @Test func aReplaceWithAnotherSpellingOfTheKeyIsAnEditOfTheSpelling() throws {
    try ann.write { db in
      try db.execute(sql: "DELETE FROM reminderTags; REPLACE INTO tags VALUES ('CAR')")
    }
    #expect(
      try ann.outbox()
        == ["save car:tags: title", "delete rc:reminderTags", "delete rh:reminderTags"])
    try expectBenHas(["CAR", "home"], "SELECT title FROM tags ORDER BY 1")
  }

  // MARK: - What deleting a parent does

  @Test func aDeletedParentTakesItsRowsAndTheRowsBelowThem() throws {
    try ann.execute("DELETE FROM lists WHERE id = 'l'")
    #expect(
      try ann.outbox() == [
        "delete l:lists", "delete r:reminders", "delete rc:reminderTags", "delete rh:reminderTags",
        "save o:orphans: listID", "save f:fosters: listID",
      ])
    #expect(try ann.times("reminderTags", "rc")["death"] == fleet.clock.now)
    #expect(try ann.times("orphans", "o")["listID"] == fleet.clock.now)
    try expectBenHas(["inbox"], "SELECT id FROM lists")
    #expect(try ben.rows("SELECT * FROM reminderTags") == [])
    #expect(try ben.rows("SELECT * FROM orphans") == ["o|Orphan|NULL"])
    #expect(try ben.rows("SELECT * FROM fosters") == ["f|Foster|inbox"])
  }

  @Test func aTreeIsDeletedFromItsRoot() throws {
    try ann.execute("DELETE FROM nodes WHERE id = 'a'")
    #expect(try ann.outbox() == ["delete a:nodes", "delete b:nodes", "delete c:nodes"])
    try expectBenHas([], "SELECT * FROM nodes")
  }

  @Test func aRowWhoseKeyIsItsForeignKeyIsDeletedWithItsParent() throws {
    try ann.execute("INSERT INTO covers VALUES ('l', x'01')")
    try fleet.settle()
    #expect(try ben.rows("SELECT * FROM covers") == ["l|1 bytes"])
    try ann.execute("DELETE FROM lists WHERE id = 'l'")
    #expect(try ann.outbox().contains("delete l:covers"))
    try expectBenHas([], "SELECT * FROM covers")
  }

  @Test func withoutForeignKeysNothingIsTakenAlong() throws {
    try ann.database.inDatabase { try $0.execute(sql: "PRAGMA foreign_keys = OFF") }
    try ann.execute("DELETE FROM reminderTags")
    try ann.execute("DELETE FROM reminders WHERE id = 'r'")
    try ann.database.inDatabase { try $0.execute(sql: "PRAGMA foreign_keys = ON") }
    #expect(
      try ann.outbox() == [
        "delete r:reminders", "delete rc:reminderTags", "delete rh:reminderTags",
      ])
    try expectBenHas([], "SELECT * FROM reminders")
  }

  @Test(arguments: ["x'ff'", "x'61'"])
  func aKeyOfBytesIsToldAndHoldsUpNothingElse(key: String) throws {
    let fleet = try Fleet(
      schema: Schema(
        sql: """
          CREATE TABLE items (
            id TEXT PRIMARY KEY NOT NULL, parentID TEXT REFERENCES items (id) ON DELETE CASCADE)
          """, tables: ["items"]))
    let ann = try fleet.device { db in
      try db.execute(sql: "INSERT INTO items VALUES ('i', NULL), (\(key), 'i'), ('j', 'i')")
    }
    let ben = try fleet.device()
    try ann.execute("UPDATE items SET parentID = 'i' WHERE id = \(key)")
    try fleet.settle()
    #expect(try ben.rows("SELECT id FROM items ORDER BY id") == ["i", "j"])
    #expect(ann.troubles == [.failed])
    #expect(
      ann.events.contains { event in
        guard case .failed(let message, _) = event else { return false }
        return message.hasPrefix("A row of items has a primary key that is not text")
      })
    #expect(try ann.counts().notSynchronized == 1)
    try ben.execute("DELETE FROM items WHERE id = 'i'")
    try fleet.settle()
    #expect(try ann.rows("SELECT id FROM items") == [])
    #expect(try ann.counts() == SyncCounts())
    // Neither the history nor a check stumbles over it.
    let keys = try ann.database.read { try SyncHistory.entries($0).map(\.key) }
    #expect(keys.sorted() == ["i", "j"])
    #expect(try ann.database.read { try SyncEngine.check($0) } == [])
  }

  @Test func aTableWithAKeyOfBytesCanBeTakenOut() throws {
    struct Items: TableRecord { static let databaseTableName = "items" }
    let fleet = try Fleet(
      schema: Schema(
        sql: "CREATE TABLE items (id TEXT PRIMARY KEY NOT NULL, title TEXT)", tables: ["items"]))
    let ann = try fleet.device { db in
      try db.execute(sql: "INSERT INTO items VALUES ('i', 'One'), (x'ff', 'Two')")
    }
    let ben = try fleet.device()
    try fleet.settle()
    try ann.execute("UPDATE items SET title = 'Three'")
    try ann.relaunch(tables: []) { try SyncEngine.forget($0, table: Items.self) }
    try fleet.settle()
    #expect(try ben.rows("SELECT id, title FROM items") == ["i|Three"])
  }

  @Test func aCheckNamesAKeyOfBytes() throws {
    let fleet = try Fleet(
      schema: Schema(sql: "CREATE TABLE items (id TEXT PRIMARY KEY NOT NULL)", tables: ["items"]))
    let ann = try fleet.device { try $0.execute(sql: "INSERT INTO items VALUES (x'ff')") }
    try fleet.settle()
    let findings = try ann.database.read { try SyncEngine.check($0) }
    #expect(findings.allSatisfy { $0.place == "items" })
  }
}
