import Foundation
import GRDB
import SQLiteSync
import Testing

@testable import RemindersCore

struct DatabaseCheckTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  private func check() throws -> [String] {
    try fixture.database.check().map { "\($0.severity.rawValue) \($0.place)" }
  }

  /// Writes what the app's own triggers would not let happen.
  private func sql(_ statement: String) throws {
    try fixture.database.writer.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      try db.execute(sql: statement)
      try db.execute(sql: "PRAGMA foreign_keys = ON")
    }
  }

  @Test func `a file in order has no findings`() async throws {
    #expect(try check() == [])
    for title in ["Milk", "Größe Ærø", "x"] { try await fixture.add(title, tags: ["home"]) }
    #expect(try check() == [])
  }

  @Test func `a row without the row it belongs to is found`() async throws {
    let id = try await fixture.add("Milk")
    try sql("UPDATE reminders SET remindersListID = 'gone' WHERE id = '\(id)'")
    #expect(try check() == ["damage reminders"])
  }

  @Test func `a due date that nobody can read is found, and stays`() async throws {
    let id = try await fixture.add("Milk", due: .day(try day("2026-12-25")))
    try sql("UPDATE reminders SET dueDate = 'soon' WHERE id = '\(id)'")
    let found = try fixture.database.check()
    #expect(found.map(\.severity) == [.warning])
    #expect(found.first?.problem.contains("“soon” of \(id)") == true)
    try fixture.database.repair()
    #expect(try check() == ["warning reminders"])
  }

  @Test(arguments: [
    "UPDATE reminderTexts SET title = 'other'", "DELETE FROM reminderTexts",
    "INSERT INTO reminderTexts (reminderID, title, notes, isCompleted) VALUES ('x', '', '', 0)",
    "INSERT INTO reminderIndex (reminderIndex) VALUES ('delete-all')",
    "UPDATE reminderTexts SET isCompleted = 1", "UPDATE reminderIndexed SET lastID = 0",
    "DROP TABLE reminderIndexed",
  ])
  func `a search index that is not that of the reminders is made anew`(
    damage: String
  ) async throws {
    try await fixture.add("Milk and butter")
    try await fixture.add("Bread")
    try fixture.indexTexts()
    try sql(damage)
    let findings = try fixture.database.check()
    #expect(findings.map(\.place) == ["reminderIndex"])
    #expect(findings.allSatisfy { $0.isRepairable })
    try fixture.database.repair()
    #expect(try check() == [])
    let found = try fixture.titles("butter")
    #expect(found == ["Milk and butter"])
  }

  @Test func `a damaged file is told and not changed`() async throws {
    for number in 0..<200 { try await fixture.add("Reminder \(number)") }
    let file = fixture.directory.appending(path: AppDatabase.fileName)
    try await fixture.database.writer.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
    let handle = try FileHandle(forUpdating: file)
    let size = try handle.seekToEnd()
    for page in stride(from: 4096 * 8, to: size - 4096, by: 4096 * 3) {
      try handle.seek(toOffset: page + 8)
      try handle.write(contentsOf: Data(repeating: 0xFF, count: 64))
    }
    try handle.close()
    let before = try Data(contentsOf: file)
    do {
      let damaged = try AppDatabase(directory: fixture.directory)
      #expect(try damaged.check().contains { $0.place == AppDatabase.fileName })
    } catch let error as AppError {
      #expect(error.kind == .cannotRead)
    }
    #expect(try Data(contentsOf: file) == before)
  }
}
