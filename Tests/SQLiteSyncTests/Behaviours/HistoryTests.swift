import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// What lost is kept, by whom it was, and what won.
struct HistoryTests {
  let fleet: Fleet
  let ann: Device
  let ben: Device

  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
    try ann.write { db in
      try db.execute(
        sql: """
          INSERT INTO lists (id, title) VALUES ('l', 'Home');
          INSERT INTO reminders (id, title, notes, listID) VALUES ('r', 'Bread', 'rye', 'l');
          """)
    }
    try fleet.settle()
  }

  /// What lost to somebody, and what was deleted; not what was overwritten on the device itself.
  private func entries(_ device: Device) throws -> [SyncHistory.Entry] {
    try device.database.read { try SyncHistory.entries($0) }.filter { entry in
      if case .row = entry.loss { true } else { entry.loser != nil }
    }
  }

  @Test func whatIsOverwrittenHereIsKeptByWhicheverProgram() throws {
    try ann.execute("UPDATE reminders SET title = 'Rye bread', notes = 'rye'")
    try ann.execute("UPDATE reminders SET title = 'White bread', dueDate = 5")
    let entries = try ann.database.read { try SyncHistory.entries($0, of: "reminders", key: "r") }
    #expect(
      entries.map(\.loss) == [
        .value(column: "dueDate", lost: .null, kept: 5.databaseValue),
        .value(column: "title", lost: "Rye bread".db, kept: "White bread".db),
        .value(column: "title", lost: "Bread".db, kept: "Rye bread".db),
      ])
    #expect(entries.allSatisfy { $0.winner.isHere && !$0.isConflict })
    try ann.write { try SyncHistory.restore(entries[2].id, in: $0) }
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM reminders") == ["Bread"])
  }

  @Test func historyBeginsBeforeAnybodyIsSignedIn() throws {
    let database = try DatabaseQueue(configuration: .synchronized)
    try database.write { db in
      try db.execute(
        sql: "CREATE TABLE notes (id TEXT PRIMARY KEY NOT NULL, text TEXT)")
      try SyncEngine.prepare(db, tables: [Note.self])
      #expect(try SyncEngine.captures(db, tables: [Note.self]))
      try db.execute(
        sql:
          "INSERT INTO notes VALUES ('a', 'One'); UPDATE notes SET text = 'Two'; DELETE FROM notes")
      let entries = try SyncHistory.entries(db)
      #expect(entries.count == 2)
      for entry in entries { try SyncHistory.restore(entry.id, in: db) }
      #expect(try String.fetchAll(db, sql: "SELECT text FROM notes") == ["One"])
    }
  }

  private struct Note: TableRecord { static let databaseTableName = "notes" }

  // MARK: - Values

  @Test func aRowThatDiesOnArrivalWithItsParentIsKept() throws {
    try ben.execute("INSERT INTO reminders (id, title, listID) VALUES ('s', 'Salt', 'l')")
    try ben.sync()
    try ann.execute("DELETE FROM lists")
    try ann.sync()
    let entry = try #require(try entries(ann).first { $0.key == "s" })
    guard case .row(let values) = entry.loss else {
      Issue.record("not a row: \(entry)")
      return
    }
    #expect(values["title"] == "Salt".db && values["listID"] == "l".db)
    #expect(entry.winner.isHere && entry.loser?.device == ben.container.device)
    try fleet.settle()
    #expect(try ben.rows("SELECT id FROM reminders") == [])
    #expect(try entries(ann).count { $0.key == "s" } == 1)
  }

  @Test func aValueThatIsOverwrittenFromElsewhereIsKeptWithWhoAndWhen() throws {
    try ann.execute("UPDATE reminders SET title = 'Rye bread'")
    let edited = fleet.clock.now
    try fleet.settle()
    let entry = try #require(try entries(ben).first)
    #expect(entry.loss == .value(column: "title", lost: "Bread".db, kept: "Rye bread".db))
    #expect((entry.table, entry.key) == ("reminders", "r"))
    #expect(entry.winner.milliseconds == edited)
    #expect(entry.winner.device == ann.container.device && !entry.winner.isHere)
    #expect(entry.winner.account == AccountID(userID: 1000).displayName)
    #expect(entry.loser?.device == ann.container.device)
    #expect(!entry.isConflict)
    #expect(try entries(ann).isEmpty)
  }

  @Test func ofTwoEditsWithoutKnowledgeOfEachOtherTheDeviceThatMeetsBothKeepsTheLoser() throws {
    try ann.execute("UPDATE reminders SET title = 'mine', dueDate = 1")
    try ben.execute("UPDATE reminders SET title = 'theirs'")
    try ben.sync()
    try ann.sync()
    let lost = try #require(try entries(ann).first)
    #expect(lost.loss == .value(column: "title", lost: "mine".db, kept: "theirs".db))
    #expect(lost.isConflict && lost.loser?.isHere == true && !lost.winner.isHere)
    #expect(try entries(ann).count == 1)
  }

  @Test func whatAnUnsentEditOverrulesIsKeptToo() throws {
    try ben.execute("UPDATE reminders SET title = 'theirs'")
    try ann.execute("UPDATE reminders SET title = 'mine', notes = 'white'")
    try ben.sync()
    try ann.sync()
    let entry = try #require(try entries(ann).first)
    #expect(entry.loss == .value(column: "title", lost: "theirs".db, kept: "mine".db))
    #expect(entry.isConflict && entry.winner.isHere)
    #expect(entry.loser?.device == ben.container.device)
    // Nobody else edited the notes: that they were "rye" before is not a loss.
    #expect(try entries(ann).count == 1)
    try fleet.settle()
    #expect(try ben.rows("SELECT title, notes FROM reminders") == ["mine|white"])
  }

  @Test func aForeignKeyThatADeletionClearsIsKept() throws {
    try ann.execute("INSERT INTO orphans (id, title, listID) VALUES ('o', 'O', 'l')")
    try fleet.settle()
    try ann.execute("DELETE FROM lists")
    try fleet.settle()
    let entries = try ben.database.read { try SyncHistory.entries($0, of: "orphans") }
    #expect(entries.map(\.loss) == [.value(column: "listID", lost: "l".db, kept: .null)])
  }

  @Test func entriesAreFoundByTableRowAndColumnTheNewestFirst() throws {
    for (title, notes) in [("A", "1"), ("B", "2")] {
      try ann.execute("UPDATE reminders SET title = ?, notes = ?", [title, notes])
      try ann.execute("UPDATE lists SET title = ?", [title])
      try fleet.settle()
    }
    try ben.database.read { db in
      #expect(try SyncHistory.entries(db).count == 6)
      #expect(try SyncHistory.entries(db, limit: 2).count == 2)
      #expect(try SyncHistory.entries(db, of: "lists", key: "l").count == 2)
      #expect(try SyncHistory.entries(db, of: "lists", key: "other").isEmpty)
      #expect(try SyncHistory.entries(db, onlyConflicts: true).isEmpty)
      let titles = try SyncHistory.entries(db, of: "reminders", key: "r", column: "title")
      #expect(
        titles.map(\.loss) == [
          .value(column: "title", lost: "A".db, kept: "B".db),
          .value(column: "title", lost: "Bread".db, kept: "A".db),
        ])
    }
  }

  // MARK: - Rows

  @Test func aRowThatIsDeletedHereIsKeptAtOnceAndWithoutAnEngine() throws {
    try ann.execute("DELETE FROM reminders")
    let entry = try #require(try entries(ann).first)
    #expect(entry.winner.isHere && entry.winner.milliseconds == fleet.clock.now)
    guard case .row(let row) = entry.loss else {
      Issue.record("A row was expected.")
      return
    }
    #expect(row["title"] == "Bread".db && row["dueDate"] == .null && row["listID"] == "l".db)
    let deleted = try ann.database.read { try SyncHistory.deletedRows($0, of: "reminders") }
    #expect(deleted == [entry])
  }

  @Test func aRowThatIsDeletedElsewhereIsKeptWithItsUnsentEdits() throws {
    try ben.execute("UPDATE reminders SET notes = 'white'")
    try ann.execute("DELETE FROM reminders")
    try ann.sync()
    try ben.sync()
    let entry = try #require(try entries(ben).first)
    #expect(entry.winner.device == ann.container.device && !entry.winner.isHere)
    guard case .row(let row) = entry.loss else {
      Issue.record("A row was expected.")
      return
    }
    #expect(row["notes"] == "white".db)
  }

  @Test func aRowThatIsThereIsNotAmongTheDeleted() throws {
    for _ in 1...2 {
      try ann.execute("DELETE FROM reminders")
      try ann.execute("INSERT INTO reminders (id, title) VALUES ('r', 'again')")
    }
    let deleted = try ann.database.read { try SyncHistory.deletedRows($0, of: "reminders") }
    #expect(deleted.isEmpty)
    try ann.execute("DELETE FROM reminders")
    #expect(try entries(ann).count == 3)
    let again = try ann.database.read { try SyncHistory.deletedRows($0, of: "reminders") }
    #expect(again.map(\.id) == [try #require(entries(ann).first).id])
  }

  @Test(arguments: [
    "'it''s \"so\" \\ \n é 😀'", "''", "char(97, 0, 98)", "'{\"hex\":\"00\"}'", "NULL", "0",
    "9223372036854775807", "-9223372036854775808", "0.1", "-0.0", "1e300", "9e999", "-9e999",
    "0.1 + 0.2", "4.9e-324", "x''", "x'00ff7b22'",
  ])
  func anImageHoldsEveryValueExactly(sql: String) throws {
    let schema = Schema(
      sql: "CREATE TABLE things (id TEXT PRIMARY KEY NOT NULL, \"odd \"\"name'\" ANY)",
      tables: ["things"])
    let device = try Fleet(schema: schema).device()
    try device.execute("INSERT INTO things VALUES ('t', \(sql))")
    let before = try device.database.read {
      try DatabaseValue.fetchOne($0, sql: "SELECT * FROM (SELECT \"odd \"\"name'\" FROM things)")
    }
    try device.execute("DELETE FROM things")
    let entry = try #require(try entries(device).first)
    #expect(entry.loss == .row(["odd \"name'": before ?? .null]))
  }

  @Test func anImageHoldsAsManyColumnsAsATableMayHave() throws {
    let columns = (1...200).map { "c\($0) ANY DEFAULT (x'0\($0 % 10)')" }.joined(separator: ", ")
    let schema = Schema(
      sql: "CREATE TABLE wide (id TEXT PRIMARY KEY NOT NULL, \(columns))", tables: ["wide"])
    let device = try Fleet(schema: schema).device()
    try device.execute("INSERT INTO wide (id) VALUES ('w')")
    try device.execute("DELETE FROM wide")
    let expected = (1...200).map { ("c\($0)", Data([UInt8($0 % 10)]).databaseValue) }
    #expect(
      try #require(try entries(device).first).loss
        == .row(Dictionary(uniqueKeysWithValues: expected)))
  }

  // MARK: - How long

  /// Lets days pass on each of which the device synchronizes.
  private func pass(days: Int) throws {
    for _ in 0..<days {
      fleet.clock.advance(milliseconds: History.pruneInterval)
      try ann.sync()
    }
  }

  @Test func whatLostIsForgottenAfterThirtyDays() throws {
    try ann.execute("DELETE FROM reminders")
    try pass(days: 30)
    try ann.execute("DELETE FROM lists")
    try ann.sync()
    #expect(try entries(ann).map(\.table) == ["lists", "reminders"])
    try pass(days: 2)
    #expect(try entries(ann).map(\.table) == ["lists"])
    try pass(days: 31)
    #expect(try entries(ann).isEmpty)
  }

  /// Their numbers begin anew, and so must not be taken for those of entries of before.
  @Test func whatIsLostOnceAllIsForgottenIsKeptAsLong() throws {
    try ann.execute("DELETE FROM reminders")
    try pass(days: 33)
    #expect(try entries(ann).isEmpty)
    try ann.execute("DELETE FROM lists")
    try pass(days: 30)
    #expect(try entries(ann).map(\.table) == ["lists"])
    try pass(days: 3)
    #expect(try entries(ann).isEmpty)
  }

  @Test(arguments: [43, 20_000, -43, -20_000])
  func aClockThatIsWrongForAnHourThrowsNothingAway(days: Int64) throws {
    try ann.execute("DELETE FROM reminders")
    try pass(days: 5)
    fleet.clock.advance(milliseconds: days * History.pruneInterval)
    // What is lost by a wrong clock is kept as long as all else.
    try ann.execute("DELETE FROM lists")
    try ann.sync()
    try ann.relaunch()
    try ann.sync()
    fleet.clock.advance(milliseconds: 3_600_000 - days * History.pruneInterval)
    try ann.sync()
    try pass(days: 24)
    #expect(try entries(ann).map(\.table) == ["lists", "reminders"])
    try pass(days: 8)
    #expect(try entries(ann).isEmpty)
  }

  @Test func aDeviceThatWasOffForLongKeepsWhatItHad() throws {
    try ann.execute("DELETE FROM reminders")
    try ann.sync()
    fleet.clock.advance(milliseconds: 10 * SyncHistory.lifetime)
    try ann.sync()
    #expect(try entries(ann).map(\.table) == ["reminders"])
  }

  // MARK: - Who edited what

  @Test func theLatestEditOfEachFieldIsKnown() throws {
    let made = try ben.database.read { try SyncRowEdits($0, of: "reminders", key: "r") }
    #expect(made.made?.device == ann.container.device)
    #expect(made.fields["title"]?.isHere == false)
    try ben.execute("UPDATE reminders SET title = 'Rye bread'")
    // Before and after the engine has looked at the edit.
    for _ in 1...2 {
      let edits = try ben.database.read { try SyncRowEdits($0, of: "reminders", key: "r") }
      #expect(edits.fields["title"]?.isHere == true)
      #expect(edits.fields["title"]?.milliseconds == fleet.clock.now)
      #expect(edits.fields["notes"] == made.fields["notes"])
      try ben.synchronizer.foldEdits()
    }
  }

  // MARK: - What waits

  @Test func pendingChangesAreListedBeforeAndAfterTheFold() throws {
    try ann.execute("UPDATE reminders SET title = 'B'")
    let since = fleet.clock.now
    try ann.execute("DELETE FROM lists")
    for isFolded in [false, true] {
      let changes = try ann.database.read { try SyncPendingChange.all($0) }
      #expect(changes.map(\.table) == ["reminders", "lists"])
      #expect(changes.map(\.isDeletion) == [true, true])
      #expect(changes.map(\.attempts) == [0, 0])
      if !isFolded { #expect(changes.first?.since == Date(millisecondsSince1970: since)) }
      try ann.synchronizer.foldEdits()
    }
    try ann.sync()
    #expect(try ann.database.read { try SyncPendingChange.all($0) }.isEmpty)
  }

  @Test func recordsThatWaitSayForWhat() throws {
    try ben.execute("DELETE FROM lists")
    try ben.sync()
    try ann.execute("UPDATE reminders SET title = 'later'")
    // The reminder is sent before its list, which lives on with it, is there again.
    try ann.send()
    try ben.database.read { db in
      for record in try SyncWaitingRecord.all(db) {
        #expect(record.reason == .parent("l:lists"))
      }
    }
    try fleet.settle()
    #expect(try ben.database.read { try SyncWaitingRecord.all($0) }.isEmpty)
  }
}

extension String {
  fileprivate var db: DatabaseValue { databaseValue }
}
