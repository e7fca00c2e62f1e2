import Foundation
import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// Writes by whoever has the file.
struct CaptureConnectionTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.url.appendingPathComponent("ann.sqlite").path
    fleet = try Fleet()
    ann = try fleet.device(path: path)
    ben = try fleet.device()
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    try ann.execute(
      "INSERT INTO reminders (id, title, notes, listID) VALUES ('r', 'Haircut', 'short', 'l')")
    try fleet.settle()
  }

  @Test func aSecondConnectionIsCaptured() throws {
    let other = try DatabaseQueue(path: path)
    fleet.clock.advance()
    try other.write { db in
      try db.execute(sql: "UPDATE test_clock SET now = ?", arguments: [fleet.clock.now])
      try db.execute(sql: "UPDATE reminders SET title = 'Hair'")
    }
    #expect(try ann.outbox() == ["save r:reminders: title"])
    #expect(try ann.times("reminders", "r")["title"] == fleet.clock.now)
    try fleet.settle()
    #expect(try ben.rows("SELECT title, notes FROM reminders") == ["Hair|short"])
    try fleet.expectExhausted()
  }

  @Test(.enabled(if: SQLiteShell.isThere, Comment(rawValue: SQLiteShell.absence)))
  func theSQLiteShellIsCaptured() throws {
    try SQLiteShell.run(
      """
      UPDATE reminders SET notes = 'by the shell';
      INSERT INTO tags VALUES ('shell');
      BEGIN; DELETE FROM lists; ROLLBACK;
      """, on: path)
    #expect(try ann.outbox() == ["save r:reminders: notes", "save shell:tags: all"])
    try fleet.settle()
    #expect(try ben.rows("SELECT notes FROM reminders") == ["by the shell"])
    #expect(try ben.rows("SELECT title FROM tags") == ["shell"])
    try fleet.expectExhausted()
  }

  @Test func aConnectionWithRecursiveTriggersLosesNothing() throws {
    try ann.database.inDatabase { try $0.execute(sql: "PRAGMA recursive_triggers = ON") }
    try ann.execute("UPDATE reminders SET title = 'Hair'")
    #expect(try ann.outbox() == ["save r:reminders: title"])
    // With recursive triggers SQLite itself says that REPLACE is a deletion and an insert.
    try ann.execute("REPLACE INTO reminders (id, title, listID) VALUES ('r', 'Again', 'l')")
    #expect(try ann.outbox() == ["save r:reminders: all"])
    try fleet.settle()
    #expect(try ben.rows("SELECT title, notes, listID FROM reminders") == ["Again||l"])
    try fleet.expectExhausted()
  }

  @Test func aWriteByAConnectionWithoutForeignKeysIsCaptured() throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let other = try DatabaseQueue(path: path, configuration: configuration)
    try other.write { try $0.execute(sql: "UPDATE reminders SET listID = NULL") }
    #expect(try ann.outbox() == ["save r:reminders: listID"])
    try fleet.settle()
    #expect(try ben.rows("SELECT listID FROM reminders") == ["NULL"])
    try fleet.expectExhausted()
  }
}
