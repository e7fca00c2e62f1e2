import Foundation
import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// A migration that makes a table anew takes the triggers away with the old one, and so the note of
/// what it changes.
struct RebuiltTableTests {
  private static let notes = Schema(
    sql: "CREATE TABLE notes (id TEXT PRIMARY KEY NOT NULL, title TEXT, image BLOB)",
    tables: ["notes"])

  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet(schema: Self.notes)
    (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO notes (id, title) VALUES ('1', 'a'), ('2', 'b'), ('3', 'c')")
    try fleet.settle()
  }

  /// SQLite's procedure for what ALTER TABLE cannot do
  /// (https://sqlite.org/lang_altertable.html, 7).
  private static func rebuild(_ db: Database, _ rows: String = "SELECT * FROM notes") throws {
    try db.execute(
      sql: """
        CREATE TABLE new_notes (id TEXT PRIMARY KEY NOT NULL, title TEXT DEFAULT '', image BLOB);
        INSERT INTO new_notes \(rows);
        DROP TABLE notes;
        ALTER TABLE new_notes RENAME TO notes
        """)
  }

  private func titles(_ device: Device) throws -> [String] {
    try device.rows("SELECT id, title FROM notes ORDER BY id")
  }

  @Test func whatTheMigrationChangesIsAnEdit() throws {
    try ann.relaunch {
      try Self.rebuild(
        $0, "SELECT id, upper(title), image FROM notes UNION ALL SELECT '4', 'new', NULL")
    }
    try fleet.settle()
    #expect(try titles(ben) == ["1|A", "2|B", "3|C", "4|new"])
    #expect(try titles(ann) == titles(ben))
    try fleet.expectExhausted()
  }

  @Test func soIsWhatWasWrittenBeforeTheNextEngine() throws {
    try ann.relaunch {
      try Self.rebuild($0)
      try $0.execute(
        sql: """
          UPDATE notes SET title = 'late' WHERE id = '2';
          INSERT INTO notes (id, title) VALUES ('5', 'x')
          """)
    }
    try ann.execute("UPDATE notes SET title = 'later' WHERE id = '3'")
    try fleet.settle()
    #expect(try titles(ben) == ["1|a", "2|late", "3|later", "5|x"])
    #expect(try titles(ann) == titles(ben))
  }

  /// That a row was left out says less than that it was deleted: another device may have the only
  /// copy of what was written into it.
  @Test func aRowThatIsLeftOutComesBack() throws {
    try ann.relaunch { try Self.rebuild($0, "SELECT * FROM notes WHERE id <> '3'") }
    try fleet.settle()
    #expect(try titles(ann) == ["1|a", "2|b", "3|c"])
    #expect(try titles(ben) == titles(ann))
    try fleet.expectExhausted()
  }

  @Test func whatIsDeletedBeforeTheRebuildStaysDeleted() throws {
    try ann.relaunch {
      try $0.execute(sql: "DELETE FROM notes WHERE id = '3'")
      try Self.rebuild($0)
    }
    try fleet.settle()
    #expect(try titles(ben) == ["1|a", "2|b"])
    try fleet.expectExhausted()
  }

  @Test func aRebuildThatChangesNoValueSendsNothing() throws {
    let before = ann.events.count
    try ann.relaunch { try Self.rebuild($0) }
    try fleet.settle()
    let isSent = ann.events[before...].contains { event in
      if case .nextRecordZoneChangeBatch = event { true } else { false }
    }
    #expect(!isSent)
    try fleet.expectExhausted()
  }

  @Test func whatIsEditedElsewhereMeanwhileIsLaterThanTheMigration() throws {
    try ben.execute("UPDATE notes SET title = 'ben' WHERE id = '1'")
    try ben.sync()
    try ann.relaunch { try Self.rebuild($0, "SELECT id, upper(title), image FROM notes") }
    try fleet.settle()
    #expect(try titles(ann) == ["1|ben", "2|B", "3|C"])
    #expect(try titles(ben) == titles(ann))
    try fleet.expectExhausted()
  }

  @Test func whatIsDeletedElsewhereMeanwhileGoes() throws {
    try ben.execute("DELETE FROM notes WHERE id = '1'")
    try ben.sync()
    try ann.relaunch { try Self.rebuild($0, "SELECT id, upper(title), image FROM notes") }
    try fleet.settle()
    #expect(try titles(ann) == ["2|B", "3|C"])
    #expect(try titles(ben) == titles(ann))
    try fleet.expectExhausted()
  }

  @Test func unsentEditsOfBeforeCount() throws {
    try ann.execute("UPDATE notes SET title = 'unsent' WHERE id = '1'")
    try ann.execute("INSERT INTO notes (id, title) VALUES ('9', 'made'), ('10', 'left out')")
    try ann.relaunch { try Self.rebuild($0, "SELECT * FROM notes WHERE id <> '10'") }
    try fleet.settle()
    #expect(try titles(ben) == ["1|unsent", "2|b", "3|c", "9|made"])
    try fleet.expectExhausted()
  }

  @Test func everyDeviceMayRebuild() throws {
    for device in [ann, ben] {
      try device.relaunch { try Self.rebuild($0, "SELECT id, upper(title), image FROM notes") }
    }
    try ann.execute("UPDATE notes SET title = 'edited' WHERE id = '1'")
    try fleet.settle()
    #expect(try titles(ann) == ["1|edited", "2|B", "3|C"])
    #expect(try titles(ben) == titles(ann))
    try fleet.expectExhausted()
  }

  @Test func bytesThatWereChangedAreSentAndOthersAreNot() throws {
    let (old, new) = (Data(repeating: 1, count: 9_000), Data(repeating: 2, count: 9_000))
    try ann.execute("UPDATE notes SET image = ?", [old])
    try fleet.settle()
    try ann.relaunch {
      try Self.rebuild($0)
      try $0.execute(sql: "UPDATE notes SET image = ? WHERE id = '2'", arguments: [new])
      try $0.execute(sql: "UPDATE notes SET image = NULL WHERE id = '3'")
    }
    try ann.fetch()
    #expect(try ann.counts().pending == 2)
    try fleet.settle()
    #expect(
      try ben.database.read { try Data?.fetchAll($0, sql: "SELECT image FROM notes ORDER BY id") }
        == [old, new, nil])
    try fleet.expectExhausted()
  }

  @Test func theEngineSaysSoAndKeepsWhatWasThere() throws {
    try ann.relaunch { try Self.rebuild($0, "SELECT id, upper(title), image FROM notes") }
    try ann.sync()
    #expect(ann.events.contains(.rebuiltTables(["notes"])))
    #expect(
      ann.events.contains(
        .adopted(["1", "2", "3"].map { .init(type: "notes", name: "\($0):notes") })))
    let lost = try ann.database.read { db in
      try SyncHistory.entries(db, onlyConflicts: false).map { "\($0.key): \($0.loss)" }
    }
    #expect(lost.contains { $0.hasPrefix("1: ") && $0.contains("\"a\"") && $0.contains("\"A\"") })
    let before = ann.events.count
    try ann.relaunch()
    #expect(!ann.events[before...].contains(.rebuiltTables(["notes"])))
  }

  /// A process may die between the migration and the end of the fetch.
  @Test func aRelaunchBeforeTheCloudWasReadLosesNothing() throws {
    try ann.reinstall { try Self.rebuild($0, "SELECT id, upper(title), image FROM notes") }
    try ann.relaunch()
    try fleet.settle()
    #expect(try titles(ben) == ["1|A", "2|B", "3|C"])
  }

  /// Nobody takes such an edit, and a row that differs for good would say what nobody wrote.
  @Test func whatMayOnlyBeReadIsAsItsOwnerHasIt() throws {
    let family = try Family()
    try family.share([Family.benID: .read])
    try family.ben.relaunch { db in
      try CaptureTriggers().remove(from: "reminders", in: db)
      try db.execute(
        sql: """
          DROP TRIGGER sync_permission_update_reminders;
          UPDATE reminders SET title = upper(title)
          """)
    }
    try family.settle()
    #expect(
      try family.ben.rows("SELECT title FROM reminders ORDER BY title") == ["Milk", "RUN"])
    #expect(try family.benToo.rows("SELECT title FROM reminders WHERE id = 'run'") == ["RUN"])
    #expect(try family.ann.rows("SELECT title FROM reminders WHERE id = 'milk'") == ["Milk"])
    #expect(try family.ben.counts() == SyncCounts())
  }

  @Test func whatIsWrittenToACounterCountsOnce() throws {
    let pages = Schema(
      sql: "CREATE TABLE pages (id TEXT PRIMARY KEY NOT NULL, views INTEGER NOT NULL DEFAULT 0)",
      tables: ["pages"])
    let fleet = try Fleet(schema: pages) { $0.mergePolicies = ["pages": ["views": .counter]] }
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO pages VALUES ('p', 3)")
    try fleet.settle()
    try ann.relaunch { db in
      try CaptureTriggers().remove(from: "pages", in: db)
      try db.execute(sql: "UPDATE pages SET views = 10")
    }
    try ann.fetch()
    try ben.execute("UPDATE pages SET views = views + 1")
    try ben.sync()
    try fleet.settle()
    for device in [ann, ben] { #expect(try device.rows("SELECT views FROM pages") == ["11"]) }
    try fleet.expectExhausted()
  }

  @Test func preparingTheTablesIsEnough() throws {
    struct Notes: TableRecord { static let databaseTableName = "notes" }
    try ann.relaunch {
      try Self.rebuild($0)
      try SyncEngine.prepare($0, tables: [Notes.self])
      try $0.execute(
        sql: "UPDATE notes SET title = 'A' WHERE id = '1'; DELETE FROM notes WHERE id = '3'")
    }
    try fleet.settle()
    #expect(try titles(ben) == ["1|A", "2|b"])
    try fleet.expectExhausted()
  }

  /// Gives the notes a place, of which no edit says what it is.
  private static let place = "ALTER TABLE notes ADD COLUMN place TEXT DEFAULT 'here'"

  private static func rebuild(
    _ db: Database, placeIs value: String, withDefault other: String = "'here'"
  ) throws {
    try db.execute(
      sql: """
        CREATE TABLE new_notes (
          id TEXT PRIMARY KEY NOT NULL, title TEXT, image BLOB, place TEXT DEFAULT \(other));
        INSERT INTO new_notes SELECT id, title, image, \(value) FROM notes;
        DROP TABLE notes;
        ALTER TABLE new_notes RENAME TO notes
        """)
  }

  private func places(_ device: Device) throws -> [String] {
    try device.rows("SELECT id, place FROM notes ORDER BY id")
  }

  @Test func whatIsPutWhereNobodyHasWrittenAnythingIsSentAndNoLaterThanTheRow() throws {
    for device in [ann, ben] { try device.relaunch { try $0.execute(sql: Self.place) } }
    try ben.execute("UPDATE notes SET place = 'ben' WHERE id = '1'")
    fleet.clock.advance()
    try ann.relaunch {
      try Self.rebuild($0, placeIs: "CASE id WHEN '3' THEN place ELSE 'there' END")
    }
    try fleet.settle()
    #expect(try places(ann) == ["1|ben", "2|there", "3|here"])
    #expect(try places(ben) == places(ann))
    try fleet.expectExhausted()
  }

  @Test func soIsItOfARowThatTheCloudDoesNotHaveYet() throws {
    try ann.execute("INSERT INTO notes (id, title) VALUES ('4', 'd')")
    for device in [ann, ben] { try device.relaunch { try $0.execute(sql: Self.place) } }
    try ann.relaunch { try Self.rebuild($0, placeIs: "iif(id = '4', 'there', place)") }
    try fleet.settle()
    #expect(try places(ann) == ["1|here", "2|here", "3|here", "4|there"])
    #expect(try places(ben) == places(ann))
    try fleet.expectExhausted()
  }

  @Test func anotherDefaultLeavesTheOneOfBeforeInTheRowsOnNewDevicesToo() throws {
    for device in [ann, ben] {
      try device.relaunch { try $0.execute(sql: Self.place) }
      try device.relaunch { try Self.rebuild($0, placeIs: "place", withDefault: "'there'") }
    }
    try ann.execute("INSERT INTO notes (id) VALUES ('4')")
    try fleet.settle()
    let new = try fleet.device(
      schema: Schema(
        sql: """
          CREATE TABLE notes (
            id TEXT PRIMARY KEY NOT NULL, title TEXT, image BLOB, place TEXT DEFAULT 'there')
          """, tables: ["notes"]))
    try fleet.settle()
    for device in [ann, ben, new] {
      #expect(try places(device) == ["1|here", "2|here", "3|here", "4|there"])
    }
    try fleet.expectExhausted()
  }
}
