import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// A migration that gives each device rows of its own, and older rows a reference to them.
struct SameMigrationTests {
  private static let folders = """
    CREATE TABLE folders (id TEXT PRIMARY KEY NOT NULL, name TEXT UNIQUE) STRICT;
    ALTER TABLE lists ADD COLUMN folderID TEXT REFERENCES folders ON DELETE CASCADE;
    """

  private func migrate(_ device: Device, folder: String) throws {
    try device.relaunch(tables: ["folders"] + UniqueTests.schema.tables) { db in
      try db.execute(sql: Self.folders)
      try db.execute(sql: "INSERT INTO folders VALUES (?, 'Inbox')", arguments: [folder])
      try db.execute(sql: "UPDATE lists SET folderID = ?", arguments: [folder])
    }
  }

  /// Returns how many lists waited for the folder that was set aside, and came back with it.
  private func waitingThatCameBack(first: Int) throws -> Int {
    let fleet = try Fleet(schema: UniqueTests.schema)
    _ = try fleet.pair()
    try fleet.devices[0].execute("INSERT INTO lists VALUES ('1', 'a', 0), ('2', 'b', 0)")
    try fleet.settle()
    for index in [first, 1 - first] {
      fleet.clock.advance()
      try migrate(fleet.devices[index], folder: "f\(index)")
    }
    try fleet.settle()
    let rows = "SELECT * FROM lists ORDER BY id"
    let before = try fleet.devices[0].rows(rows)
    let waiting = try fleet.devices[0].database.read { try SyncWaitingRecord.all($0) }
    let lists = waiting.count { $0.table == "lists" }
    #expect(before.count + lists == 2)
    try fleet.devices[0].execute("DELETE FROM folders")
    try fleet.settle()
    for device in fleet.devices {
      #expect(try device.rows("SELECT id FROM folders") == ["f\(1 - first)"])
      #expect(try device.rows(rows).count == lists)
      #expect(try device.rows(rows) == fleet.devices[0].rows(rows))
      #expect(try device.counts().pending == 0)
    }
    try fleet.expectExhausted(after: fleet.troubles)
    return lists
  }

  @Test func whatHungOnTheRowThatWaitedComesBackWithIt() throws {
    let counts = try [0, 1].map(waitingThatCameBack)
    // What a migration put there on the one device wins over what it put there on the other,
    // whichever came first.
    #expect(counts.sorted() == [0, 2])
  }

  @Test func whatItMakesContendsWithWhatCameBeforeTheTableWasHere() throws {
    let fleet = try Fleet(schema: UniqueTests.schema)
    let (ann, ben) = try fleet.pair()
    try migrate(ann, folder: "first")
    try fleet.settle()
    #expect(try ben.database.read { try SyncWaitingRecord.all($0) }.map(\.key) == ["first"])
    try migrate(ben, folder: "second")
    try fleet.settle()
    for device in fleet.devices {
      #expect(try device.rows("SELECT id FROM folders") == ["first"])
      let waiting = try device.database.read { try SyncWaitingRecord.all($0) }
      #expect(waiting.map(\.reason) == [.duplicate(of: "first:folders")])
      #expect(try device.counts().pending == 0)
    }
    try ann.execute("DELETE FROM folders")
    try fleet.settle()
    for device in fleet.devices {
      #expect(try device.rows("SELECT id FROM folders") == ["second"])
    }
    try fleet.expectExhausted(after: fleet.troubles)
  }
}
