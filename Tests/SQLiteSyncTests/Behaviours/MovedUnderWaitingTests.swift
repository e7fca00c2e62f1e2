import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// A row that somebody put below another that is not here waits with that: no device goes on
/// showing it as it was before.
struct MovedUnderWaitingTests {
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet(schema: UniqueTests.schema)
    (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO lists VALUES ('inbox', 'Inbox', 0)")
    try ann.execute("INSERT INTO reminders VALUES ('r', 'Milk', 'inbox', 'oat')")
    try fleet.settle()
    try ann.execute("INSERT INTO lists VALUES ('a', 'Work', 1)")
    try ben.execute("INSERT INTO lists VALUES ('b', 'Work', 2)")
    try ben.execute("UPDATE reminders SET listID = 'b'")
  }

  private func expectSame(
    _ reminders: [String], waiting: [String], in fleet: Fleet? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for device in (fleet ?? self.fleet).devices {
      #expect(
        try device.rows("SELECT * FROM reminders") == reminders, sourceLocation: sourceLocation)
      let names = try device.database.read { try SyncWaitingRecord.all($0) }.map(\.key).sorted()
      #expect(names == waiting, sourceLocation: sourceLocation)
      #expect(try device.counts().pending == 0, sourceLocation: sourceLocation)
      #expect(try device.strays() == [], sourceLocation: sourceLocation)
    }
  }

  @Test func itWaitsOnEveryDevice() throws {
    try fleet.settle()
    _ = try fleet.device()
    try fleet.settle()
    try expectSame([], waiting: ["b", "r"])
    // Where it was before, it is not any more.
    try ann.execute("DELETE FROM lists WHERE id = 'inbox'")
    try fleet.settle()
    try expectSame([], waiting: ["b", "r"])
    try ann.execute("UPDATE lists SET title = 'Office' WHERE id = 'a'")
    try fleet.settle()
    try expectSame(["r|Milk|b|oat"], waiting: [])
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test func whatIsEditedMeanwhileIsInIt() throws {
    try ann.execute("UPDATE reminders SET notes = 'soy'")
    try fleet.settle()
    try expectSame([], waiting: ["b", "r"])
    try ann.execute("DELETE FROM lists WHERE id = 'a'")
    try fleet.settle()
    try expectSame(["r|Milk|b|soy"], waiting: [])
  }

  @Test func itIsTakenOutWithWhatHangsOnIt() throws {
    let fleet = try Fleet(schema: UniqueTests.schema)
    let (ann, ben) = try fleet.pair()
    try ann.execute(
      "INSERT INTO nodes VALUES ('1', 'one', NULL), ('2', 'two', '1'), ('3', 'three', '2')")
    try fleet.settle()
    try ann.execute("INSERT INTO nodes VALUES ('a', 'new', NULL)")
    try ben.execute("INSERT INTO nodes VALUES ('b', 'new', NULL)")
    try ben.execute("UPDATE nodes SET parentID = 'b' WHERE id = '2'")
    try fleet.settle()
    for device in fleet.devices {
      #expect(try device.rows("SELECT id FROM nodes ORDER BY id") == ["1", "a"])
    }
    try ben.execute("UPDATE nodes SET name = 'other' WHERE id = 'a'")
    try fleet.settle()
    for device in fleet.devices {
      #expect(
        try device.rows("SELECT id, parentID FROM nodes ORDER BY id")
          == ["1|NULL", "2|b", "3|2", "a|NULL", "b|NULL"])
    }
    try fleet.expectExhausted(after: fleet.troubles)
  }

  /// The row that it hangs on comes at last, and takes the place of the one on which it hung here.
  @Test func itWaitsForWhatItHangsOnByThen() throws {
    let fleet = try Fleet(schema: UniqueTests.schema)
    let (ann, ben) = try fleet.pair()
    try ben.execute("INSERT INTO lists VALUES ('b', 'Work', 2)")
    try ann.execute("INSERT INTO lists VALUES ('a', 'Work', 1)")
    try ann.execute("INSERT INTO reminders VALUES ('r', 'Milk', 'a', 'oat')")
    try ben.execute("INSERT INTO reminders VALUES ('r', 'Bread', 'b', NULL)")
    try fleet.settle(ben, ann)
    for device in fleet.devices {
      #expect(try device.rows("SELECT id, title, listID FROM reminders") == ["r|Bread|b"])
      let waiting = try device.database.read { try SyncWaitingRecord.all($0) }
      #expect(waiting.map(\.key) == ["a"])
    }
    try ben.execute("DELETE FROM lists WHERE id = 'b'")
    try fleet.settle()
    try fleet.expectExhausted(after: fleet.troubles)
  }

  /// An older version of the app makes a list without a value that this one's must have.
  @Test func itWaitsForWhatLacksAValue() throws {
    let old = Schema(
      sql: """
        CREATE TABLE lists (id TEXT PRIMARY KEY NOT NULL, title TEXT) STRICT;
        CREATE TABLE reminders (
          id TEXT PRIMARY KEY NOT NULL, listID TEXT NOT NULL REFERENCES lists (id) ON DELETE CASCADE
        ) STRICT;
        """, tables: ["lists", "reminders"])
    let new = Schema(
      sql: old.sql.replacing("title TEXT", with: "title TEXT, kind TEXT NOT NULL"),
      tables: old.tables)
    let fleet = try Fleet(schema: new)
    let (ann, ben) = (try fleet.device(), try fleet.device(schema: old))
    try ann.execute("INSERT INTO lists VALUES ('inbox', 'Inbox', 'plain')")
    try ann.execute("INSERT INTO reminders VALUES ('r', 'inbox')")
    try fleet.settle()
    try ben.execute("INSERT INTO lists VALUES ('b', 'New')")
    try ben.execute("UPDATE reminders SET listID = 'b'")
    try fleet.settle()
    #expect(try ann.rows("SELECT * FROM reminders") == [])
    try ann.execute("DELETE FROM lists WHERE id = 'inbox'")
    try fleet.settle()
    #expect(try ben.rows("SELECT * FROM reminders") == ["r|b"])
  }

  /// What is shared with somebody goes from his device, and from nobody's else, when he leaves.
  @Test func whoLeavesTakesNothingWithHim() throws {
    let cloud = try Fleet(schema: UniqueTests.schema)
    let (ann, ben) = (
      try cloud.device(account: Family.annID), try cloud.device(account: Family.benID)
    )
    try ann.execute("INSERT INTO lists VALUES ('f', 'First', 1), ('g', 'Trips', 2)")
    try ann.execute("INSERT INTO reminders VALUES ('r', 'Milk', 'f', NULL)")
    try ben.execute("INSERT INTO lists VALUES ('own', 'Trips', 3)")
    try cloud.settle()
    for key in ["f", "g"] {
      let link = try ann.synchronizer.share(
        table: "lists", key: key, title: key, participants: [Family.benID: .write],
        publicPermission: .none)
      try cloud.settle()
      try ben.synchronizer.accept(link)
      try cloud.settle()
    }
    try ann.execute("UPDATE reminders SET listID = 'g'")
    try cloud.settle()
    try ben.synchronizer.leave(table: "lists", key: "f")
    try cloud.settle()
    try cloud.settle()
    #expect(try ann.rows("SELECT id, listID FROM reminders") == ["r|g"])
    #expect(try ben.rows("SELECT id, title FROM lists") == ["own|Trips"])
    try ben.execute("UPDATE lists SET title = 'Mine'")
    try cloud.settle()
    #expect(try ben.rows("SELECT id, listID FROM reminders") == ["r|g"])
  }
}
