import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// What comes from the cloud, and what becomes of it.
struct FetchTests {
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
  }

  @Test func insertsUpdatesAndDeletionsArrive() throws {
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM lists") == ["Personal"])
    try ben.execute("UPDATE lists SET title = 'Family'")
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM lists") == ["Family"])
    try ann.execute("DELETE FROM lists")
    try fleet.settle()
    #expect(try ben.rows("SELECT * FROM lists") == [])
    #expect(try Stranger(fleet).names() == [])
    try fleet.expectExhausted()
  }

  @Test func anEditThatArrivesKeepsTheTimeAtWhichItWasMade() throws {
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    let created = fleet.clock.now
    try fleet.settle()
    try ben.execute("UPDATE lists SET title = 'Family'")
    let edited = fleet.clock.now
    fleet.clock.advance(milliseconds: 3_600_000)
    try fleet.settle()
    #expect(try ann.times("lists", "l") == ["life": created, "title": edited])
    try fleet.expectExhausted()
  }

  @Test func aCommitThatBreaksARuleChangesNothingAndIsTold() throws {
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    try fleet.settle()
    let number = try Stranger(fleet).putNextCommit(Data("junk".utf8))
    try ann.execute("UPDATE lists SET title = 'Family'")
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM lists") == ["Family"])
    for device in [ann, ben] {
      let told = device.events.filter { event in
        if case .ignoredCommit("default", number, _) = event { true } else { false }
      }
      #expect(told.count == 1)
    }
    try fleet.expectExhausted()
  }

  @Test func aFetchWithNothingNewDoesNotTouchAnUnsentEdit() throws {
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    try fleet.settle()
    try ann.execute("UPDATE lists SET title = 'Family'")
    try ann.fetch()
    #expect(try ann.rows("SELECT title FROM lists") == ["Family"])
    #expect(try Stranger(fleet).record("l:lists")?.fields["title"]?.value == .text("Personal"))
    try fleet.settle()
    try fleet.expectExhausted()
  }

  @Test func unknownFieldsSurviveLaterEditsOfTheRow() throws {
    let stranger = try Stranger(fleet)
    try stranger.save("lists", "l", ["title": .text("Personal"), "icon": .text("🚗")])
    try fleet.settle()
    try ann.execute("UPDATE lists SET title = 'Family'")
    try fleet.settle()
    let record = try stranger.record("l:lists")
    #expect(record?.fields["icon"]?.value == .text("🚗"))
    #expect(record?.fields["title"]?.value == .text("Family"))
    try fleet.expectExhausted()
  }

  @Test func aRowMovedElsewhereHasItsNewParentAndKeepsItOverALocalEdit() throws {
    try ann.execute("INSERT INTO lists (id) VALUES ('l'), ('m')")
    try ann.execute("INSERT INTO reminders (id, listID) VALUES ('r', 'l')")
    try fleet.settle()
    try ben.execute("UPDATE reminders SET listID = 'm'")
    try fleet.settle()
    try ann.execute("UPDATE reminders SET title = 'Moved'")
    try fleet.settle()
    #expect(
      try ann.rows(
        "SELECT parentRecordName FROM sync_metadata WHERE recordName = 'r:reminders'")
        == ["m:lists"])
    #expect(try Stranger(fleet).record("r:reminders")?.parent == "m:lists")
    #expect(try ben.rows("SELECT title, listID FROM reminders") == ["Moved|m"])
    try fleet.expectExhausted()
  }

  @Test func parentsAndChildrenDeletedTogetherGoInAnyOrder() throws {
    try ann.execute("INSERT INTO lists (id) VALUES ('l')")
    try ann.execute("INSERT INTO reminders (id, listID) VALUES ('r', 'l'), ('s', 'l')")
    try fleet.settle()
    let stranger = try Stranger(fleet)
    fleet.clock.advance()
    try stranger.delete("lists", "l", andOf: "reminders", "r", "s")
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT * FROM lists") == [])
      #expect(try device.rows("SELECT * FROM reminders") == [])
    }
    try fleet.expectExhausted()
  }

  @Test func aRowThatIsOnlyAKeyArrives() throws {
    try Stranger(fleet).save("tags", "car")
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM tags") == ["car"])
    try ben.execute("INSERT INTO reminderTags (id, tagID) VALUES ('rt', 'CAR')")
    try fleet.settle()
    #expect(try ann.rows("SELECT tagID FROM reminderTags") == ["CAR"])
    try fleet.expectExhausted()
  }

  @Test(arguments: [true, false])
  func aNaturalKeyMadeOnBothDevicesIsOneRowAndCanBeRenamed(annRenames: Bool) throws {
    try ann.execute("INSERT INTO tags VALUES ('car')")
    try ben.execute("INSERT INTO tags VALUES ('car')")
    try fleet.settle()
    try (annRenames ? ann : ben).execute("UPDATE tags SET title = 'auto'")
    try fleet.settle()
    for device in [ann, ben] { #expect(try device.rows("SELECT title FROM tags") == ["auto"]) }
    try fleet.expectExhausted()
  }

  @Test(arguments: [true, false])
  func aTagThatIsRenamedElsewhereToOneThatIsHereBecomesThatOne(annSendsFirst: Bool) throws {
    try ann.execute("INSERT INTO tags VALUES ('car')")
    try ann.execute("INSERT INTO reminderTags (id, tagID) VALUES ('x', 'car')")
    try fleet.settle()
    try ann.execute("UPDATE tags SET title = 'Auto' WHERE title = 'car'")
    try ben.execute("INSERT INTO tags VALUES ('auto')")
    try ben.execute("INSERT INTO reminderTags (id, tagID) VALUES ('y', 'auto'), ('z', 'car')")
    for device in annSendsFirst ? [ann, ben] : [ben, ann] { try device.sync() }
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT lower(title) FROM tags WHERE title = 'auto'") == ["auto"])
      #expect(
        try device.rows("SELECT id FROM reminderTags WHERE tagID = 'auto' ORDER BY 1")
          == ["x", "y"])
      // Later than the renaming, a reminder got the tag of before: so that one lives.
      #expect(try device.rows("SELECT tagID FROM reminderTags WHERE id = 'z'") == ["car"])
    }
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test func aRecordThatTheCloudRefusesIsHeldWithItsErrorAndHoldsUpNothingElse() throws {
    // A trigger refuses such a key; here it is not there when it is written.
    try ann.write { db in
      try db.execute(sql: "DROP TRIGGER sync_capture_insert_lists")
      let key = String(repeating: "k", count: 300)
      try db.execute(sql: "INSERT INTO lists (id) VALUES (?)", arguments: [key])
      try db.execute(
        sql: """
          INSERT INTO sync_edits (tableID, primaryKey, kind, mask, at)
          SELECT id, ?, 0, -1, 1 FROM sync_tables WHERE name = 'lists'
          """, arguments: [key])
    }
    try ann.relaunch()
    try ann.execute("INSERT INTO lists (id) VALUES ('short')")
    try ann.sync()
    try ben.sync()
    #expect(try ben.rows("SELECT id FROM lists") == ["short"])
    #expect(try ann.counts().pending == 1)
    #expect(
      try ann.rows("SELECT attempts, error LIKE 'invalidArguments%' FROM sync_pending") == ["1|1"])
    try ann.execute("DELETE FROM lists WHERE id <> 'short'")
    try fleet.settle()
    try fleet.expectExhausted(
      after: [.refused(.invalidArguments), .refused(.batchRequestFailed)])
  }

  // MARK: - Records that are not rows

  @Test(arguments: ["noColon", "a:b:c", ":", "x:", "r:reminders", "l:lists"])
  func aRecordOfAnotherKindIsKeptAndIsNoRow(name: String) throws {
    let stranger = try Stranger(fleet)
    try stranger.save(CloudRecord(name: name, type: "foreign", life: stranger.now))
    try fleet.settle()
    #expect(try ann.rows("SELECT * FROM reminders") == [])
    #expect(try ann.rows("SELECT * FROM lists") == [])
    #expect(try ann.counts() == SyncCounts())
    #expect(ann.troubles == [])
    #expect(try stranger.names() == [name])
  }

  @Test func aRecordThatAConstraintRefusesIsQuarantinedAndTheRestIsApplied() throws {
    let stranger = try Stranger(fleet)
    try stranger.save("lists", "bad", ["title": .text("Bad"), "color": .text("not a number")])
    try stranger.save("lists", "good", ["title": .text("Good")])
    try fleet.settle()
    #expect(try ann.rows("SELECT id FROM lists") == ["good"])
    #expect(try ann.counts().quarantined == 1)
    try stranger.save("lists", "bad", ["title": .text("Better"), "color": .integer(1)])
    try fleet.settle()
    #expect(try ann.rows("SELECT id, title FROM lists ORDER BY id") == ["bad|Better", "good|Good"])
    try fleet.expectExhausted(after: [.quarantined])
  }

  @Test func anUpdateThatAConstraintRefusesLeavesNothingInTheHistory() throws {
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    try fleet.settle()
    let stranger = try Stranger(fleet)
    try stranger.save("lists", "l", ["title": .text("Bad"), "color": .text("red")])
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM lists") == ["Personal"])
    #expect(try ann.database.read { try SyncHistory.entries($0) } == [])
    try stranger.save("lists", "l", ["title": .text("Good"), "color": .integer(3)])
    try fleet.settle()
    let lost = try ann.database.read { try SyncHistory.entries($0).map(\.loss) }
    #expect(
      Set(lost) == [
        .value(column: "title", lost: "Personal".databaseValue, kept: "Good".databaseValue),
        .value(column: "color", lost: 255.databaseValue, kept: 3.databaseValue),
      ])
    try fleet.expectExhausted(after: [.quarantined])
  }

  /// The letters are the same, their bytes are not: `é` in one character, and in two.
  @Test func aTextThatChangesOnlyInItsBytesArrives() throws {
    let (composed, decomposed) = ("Caf\u{E9}", "Cafe\u{301}")
    try ann.execute("INSERT INTO tags VALUES ('\(composed)')")
    try ann.execute("INSERT INTO reminders (id) VALUES ('r')")
    try ann.execute("INSERT INTO reminderTags VALUES ('t', 'r', '\(composed)')")
    try fleet.settle()
    try ann.execute("UPDATE tags SET title = '\(decomposed)'")
    try fleet.settle()
    for device in [ann, ben] {
      #expect(
        try device.rows("SELECT hex(title) FROM tags") == ["43616665CC81"])
      #expect(try device.rows("SELECT hex(tagID) FROM reminderTags") == ["43616665CC81"])
    }
    try fleet.expectExhausted()
  }

  @Test func anUpdateThatAConstraintRefusesLeavesTheRowAndIsNotOverwrittenInTheCloud() throws {
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    try fleet.settle()
    let stranger = try Stranger(fleet)
    try stranger.save("lists", "l", ["title": .text("Bad"), "color": .text("red")])
    try fleet.settle()
    #expect(try ann.rows("SELECT title, color FROM lists") == ["Personal|255"])
    #expect(try ann.counts().quarantined == 1)
    try ann.execute("UPDATE lists SET title = 'Family'")
    try ann.sync()
    let record = try stranger.record("l:lists")
    #expect(record?.fields["color"]?.value == .text("red"))
    #expect(record?.fields["title"]?.value == .text("Family"))
    try stranger.save("lists", "l", ["title": .text("Good"), "color": .integer(3)])
    try fleet.settle()
    #expect(try ben.rows("SELECT title, color FROM lists") == ["Good|3"])
    try fleet.expectExhausted(after: [.quarantined])
  }

  // MARK: - Columns and rows that an app hides

  @Test func generatedColumnsAreNeitherSentNorWritten() throws {
    let schema = Schema(
      sql: """
        CREATE TABLE items (
          id TEXT PRIMARY KEY NOT NULL, price INTEGER NOT NULL ON CONFLICT REPLACE DEFAULT 0,
          twice INTEGER GENERATED ALWAYS AS (price * 2) VIRTUAL,
          thrice INTEGER GENERATED ALWAYS AS (price * 3) STORED
        )
        """, tables: ["items"])
    let fleet = try Fleet(schema: schema)
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO items (id, price) VALUES ('i', 5)")
    try fleet.settle()
    #expect(try Stranger(fleet).record("i:items")?.fields.keys.sorted() == ["price"])
    try Stranger(fleet).save("items", "i", ["price": .integer(7), "twice": .integer(1)])
    try fleet.settle()
    #expect(try ben.rows("SELECT price, twice, thrice FROM items") == ["7|14|21"])
    try fleet.expectExhausted()
  }

  @Test func rowsThatAnAppHidesAreSentChangedAndDeletedLikeOthers() throws {
    let schema = Schema(
      sql: """
        CREATE TABLE notes (
          id TEXT PRIMARY KEY NOT NULL, text TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
          deletedAt INTEGER);
        CREATE VIEW visibleNotes AS SELECT * FROM notes WHERE deletedAt IS NULL;
        """, tables: ["notes"])
    let fleet = try Fleet(schema: schema)
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO notes VALUES ('n', 'hidden', 1)")
    try fleet.settle()
    #expect(try ben.rows("SELECT text FROM notes") == ["hidden"])
    try ben.execute("UPDATE notes SET text = 'still hidden'")
    try fleet.settle()
    #expect(try ann.rows("SELECT text FROM notes") == ["still hidden"])
    try ann.execute("DELETE FROM notes")
    try fleet.settle()
    #expect(try ben.rows("SELECT * FROM notes") == [])
    try fleet.expectExhausted()
  }

  @Test func aTableThatIsNotSynchronizedStaysOut() throws {
    for device in [ann, ben] {
      try device.execute("CREATE TABLE drafts (id TEXT PRIMARY KEY NOT NULL, text TEXT)")
    }
    try ann.execute("INSERT INTO drafts VALUES ('d', 'mine')")
    try fleet.settle()
    #expect(try ben.rows("SELECT * FROM drafts") == [])
    #expect(try ann.outbox() == [])
    try fleet.expectExhausted()
  }
}
