import Foundation
import GRDB
import TestSupport
import Testing

@testable import SQLiteSync

/// What an engine says when something that was synchronized is not there any more.
struct SchemaRemovalTests {
  private struct Lists: TableRecord { static let databaseTableName = "lists" }
  private struct Orphans: TableRecord { static let databaseTableName = "orphans" }

  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
  }

  private func refusal(tables: [String]? = nil, _ sql: String) -> SyncError? {
    #expect(throws: SyncError.self) {
      try ann.relaunch(tables: tables) { db in
        // SQLite drops no column that a trigger names.
        for table in ["lists", "orphans"] { try CaptureTriggers().remove(from: table, in: db) }
        try db.execute(sql: sql)
      }
    }
  }

  @Test(arguments: [
    "ALTER TABLE lists DROP COLUMN color", "ALTER TABLE lists RENAME COLUMN color TO colour",
  ])
  func aColumnThatIsGoneIsNamed(sql: String) {
    let error = refusal(sql)
    #expect(error?.reason == .removedColumn)
    #expect(error?.table == "lists" && error?.column == "color")
  }

  @Test func aTableThatIsGoneIsNamed() {
    let rest = ann.tables.filter { $0 != "orphans" }
    let error = refusal(tables: rest, "DROP TABLE orphans")
    #expect(error?.reason == .removedTable && error?.table == "orphans")
  }

  @Test func aTableThatWasRenamedIsNamed() {
    let renamed = ann.tables.map { $0 == "orphans" ? "waifs" : $0 }
    let error = refusal(tables: renamed, "ALTER TABLE orphans RENAME TO waifs")
    #expect(error?.reason == .removedTable && error?.table == "orphans")
  }

  @Test func aTableThatIsTakenOutFirstMayGo() throws {
    try ann.execute("INSERT INTO orphans (id, title) VALUES ('o', 'Annie')")
    try fleet.settle()
    try ann.relaunch(tables: ann.tables.filter { $0 != "orphans" }) { db in
      try SyncEngine.forget(db, table: Orphans.self)
      try db.execute(sql: "DROP TABLE orphans")
    }
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM orphans") == ["Annie"])
    try fleet.expectExhausted()
  }

  /// Ann sets the colour of a list that both have, and takes out the column before that is sent.
  private func editColorAndTakeItOut() throws {
    try ann.execute("INSERT INTO lists (id, title, color) VALUES ('l', 'Home', 7)")
    try fleet.settle()
    try ann.execute("UPDATE lists SET color = 8")
    try ann.relaunch { db in
      try SyncEngine.forget(db, table: Lists.self, columns: ["color"])
      try db.execute(sql: "ALTER TABLE lists DROP COLUMN color")
    }
  }

  @Test func theValuesOfAColumnThatIsTakenOutStayInTheCloud() throws {
    try editColorAndTakeItOut()
    try ann.execute("UPDATE lists SET title = 'House'")
    try fleet.settle()
    #expect(try ben.rows("SELECT title, color FROM lists") == ["House|8"])
    try ben.execute("UPDATE lists SET color = 9")
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM lists") == ["House"])
    try ann.relaunch { db in
      try db.execute(
        sql: "ALTER TABLE lists ADD color INTEGER NOT NULL ON CONFLICT REPLACE DEFAULT 255")
    }
    try fleet.settle()
    #expect(try ann.rows("SELECT title, color FROM lists") == ["House|9"])
    try fleet.expectExhausted()
  }

  @Test func theUnsentEditOfAColumnThatIsTakenOutIsSentAlsoAfterAFetchOfItsRecord() throws {
    try editColorAndTakeItOut()
    try ben.execute("UPDATE lists SET title = 'House'")
    try ben.sync()
    try fleet.settle()
    #expect(try ben.rows("SELECT title, color FROM lists") == ["House|8"])
    try fleet.expectExhausted(after: fleet.troubles)
  }
}
