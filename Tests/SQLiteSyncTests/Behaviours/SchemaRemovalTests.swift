import Foundation
import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// What an engine says when something that was synchronized is not there any more.
struct SchemaRemovalTests {
  private struct Lists: TableRecord { static let databaseTableName = "lists" }
  private struct Orphans: TableRecord { static let databaseTableName = "orphans" }
  private struct Covers: TableRecord { static let databaseTableName = "covers" }

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
    #expect(error?.hint?.contains("SyncEngine.rename") == true)
    #expect(error?.hint?.contains("SyncEngine.forget") == true)
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

  /// In a new installation all migrations run before there is an engine.
  @Test func whereNoEngineHasBeenThereIsNothingToForget() throws {
    let database = try DatabaseQueue()
    try database.write { db in
      #expect(try SyncEngine.cloud(of: db) == nil)
      try db.execute(sql: "CREATE TABLE lists (id TEXT PRIMARY KEY NOT NULL, color INTEGER)")
      try SyncEngine.forget(db, table: Lists.self, columns: ["color"])
      try db.execute(sql: "ALTER TABLE lists DROP COLUMN color")
      #expect(throws: SyncError.self) { try SyncEngine.forget(db, table: Orphans.self) }
    }
    let engine = try SyncEngine(for: database, tables: [Lists.self], cloud: nil)
    try database.write { try SyncEngine.forget($0, table: Lists.self) }
    withExtendedLifetime(engine) {}
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

  @Test func theUnsentEditOfAColumnThatComesBackIsThereAndIsSent() throws {
    try editColorAndTakeItOut()
    try ann.relaunch { db in
      try db.execute(
        sql: "ALTER TABLE lists ADD color INTEGER NOT NULL ON CONFLICT REPLACE DEFAULT 255")
    }
    #expect(try ann.rows("SELECT color FROM lists") == ["8"])
    try fleet.settle()
    #expect(try ben.rows("SELECT color FROM lists") == ["8"])
    try fleet.expectExhausted()
  }

  /// Ann puts a large image into a cover, which is not sent, and takes out the column.
  private func addImageAndTakeItOut(after earlier: () throws -> Void = {}) throws -> [String] {
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Home')")
    try ann.execute("INSERT INTO covers (listID) VALUES ('l')")
    try fleet.settle()
    try earlier()
    try ann.execute("UPDATE covers SET image = randomblob(10000)")
    let image = try ann.rows("SELECT hex(image) FROM covers")
    try ann.relaunch { db in
      try SyncEngine.forget(db, table: Covers.self, columns: ["image"])
      try db.execute(sql: "ALTER TABLE covers DROP COLUMN image")
    }
    return image
  }

  @Test func theUnsentImageInAColumnThatIsTakenOutIsSent() throws {
    let image = try addImageAndTakeItOut()
    try ben.execute("UPDATE lists SET title = 'House'")
    try fleet.settle()
    #expect(try ben.rows("SELECT hex(image) FROM covers") == image)
    #expect(try ann.counts() == SyncCounts())
    // Its bytes are still here: no download.
    try ann.relaunch { try $0.execute(sql: "ALTER TABLE covers ADD image BLOB") }
    #expect(try ann.rows("SELECT hex(image) FROM covers") == image)
    try fleet.settle()
    try fleet.expectExhausted()
  }

  @Test func theUnsentImageIsSentAlsoWhenItsRecordHasChangedInTheMeantime() throws {
    let image = try addImageAndTakeItOut { try ben.execute("UPDATE covers SET image = x'01'") }
    try ben.sync()
    // Published, and then refused: the cloud has another version.
    try ann.send()
    try fleet.settle()
    #expect(try ben.rows("SELECT hex(image) FROM covers") == image)
    try ann.relaunch { try $0.execute(sql: "ALTER TABLE covers ADD image BLOB") }
    #expect(try ann.rows("SELECT hex(image) FROM covers") == image)
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test func theUnsentImageInAColumnThatComesBackIsThereAndIsSent() throws {
    let image = try addImageAndTakeItOut()
    try ann.relaunch { try $0.execute(sql: "ALTER TABLE covers ADD image BLOB") }
    #expect(try ann.rows("SELECT hex(image) FROM covers") == image)
    try fleet.settle()
    #expect(try ben.rows("SELECT hex(image) FROM covers") == image)
    try fleet.expectExhausted()
  }

  @Test func aLaterImageFromElsewhereWinsOverTheUnsentOneOfAColumnThatIsTakenOut() throws {
    _ = try addImageAndTakeItOut()
    try ben.execute("UPDATE covers SET image = zeroblob(5000)")
    try ben.sync()
    try fleet.settle()
    try ann.relaunch { try $0.execute(sql: "ALTER TABLE covers ADD image BLOB") }
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT image = zeroblob(5000) FROM covers") == ["1"])
    }
    try fleet.expectExhausted(after: fleet.troubles)
  }
}
