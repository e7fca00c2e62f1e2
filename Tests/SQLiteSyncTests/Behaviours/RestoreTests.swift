import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// What lost can be brought back: as a new edit, on all devices.
struct RestoreTests {
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
          INSERT INTO covers (listID, image) VALUES ('l', x'0102');
          INSERT INTO reminders (id, title, listID) VALUES ('r', 'Bread', 'l'), ('s', 'Salt', 'l');
          INSERT INTO tags (title) VALUES ('Car'), ('kids');
          INSERT INTO reminderTags (id, reminderID, tagID)
          VALUES ('rc', 'r', 'Car'), ('rk', 'r', 'kids'), ('sc', 's', 'Car');
          INSERT INTO nodes (id, title, parentID) VALUES ('a', 'A', NULL), ('b', 'B', 'a'),
            ('c', 'C', 'b');
          """)
    }
    try fleet.settle()
  }

  /// Restores what was kept last of a row.
  @discardableResult
  private func restore(
    _ table: String, _ key: String, on device: Device
  ) throws -> SyncHistory.Restored {
    try device.write { db in
      let entry = try #require(try SyncHistory.entries(db, of: table, key: key).first)
      return try SyncHistory.restore(entry.id, in: db)
    }
  }

  private func expectAll(_ expected: [String: [String]]) throws {
    try fleet.settle()
    for device in [ann, ben] { #expect(try device.contents() == expected) }
    #expect(try ann.counts() == SyncCounts() && ben.counts() == SyncCounts())
  }

  @Test(arguments: [true, false])
  func aListComesBackWithAllThatItsDeletionTook(isHere: Bool) throws {
    let before = try ann.contents()
    try ann.execute("DELETE FROM lists")
    try fleet.settle()
    #expect(try ben.rows("SELECT count(*) FROM reminders") == ["0"])
    let restored = try restore("lists", "l", on: isHere ? ann : ben)
    #expect(restored.rows.first == .init(table: "lists", key: "l"))
    #expect(restored.rows.count == 7 && restored.leftOut.isEmpty)
    try expectAll(before)
  }

  @Test func beforeAnyEngineHasSeenTheDeletionToo() throws {
    let before = try ann.contents()
    try ann.execute("DELETE FROM lists")
    try restore("lists", "l", on: ann)
    #expect(try ann.contents() == before)
    try expectAll(before)
  }

  @Test func whatWasDeletedBeforeStaysDeleted() throws {
    try ann.execute("DELETE FROM reminderTags WHERE id = 'rk'")
    try ann.execute("DELETE FROM reminders WHERE id = 's'")
    let before = try ann.contents()
    try ann.execute("DELETE FROM lists")
    try fleet.settle()
    try restore("lists", "l", on: ben)
    try expectAll(before)
  }

  @Test func aRowBelowARowOfItsOwnTableComesBackToo() throws {
    let before = try ann.contents()
    try ann.execute("DELETE FROM nodes WHERE id = 'a'")
    try fleet.settle()
    #expect(try restore("nodes", "a", on: ben).rows.map(\.key) == ["a", "b", "c"])
    try expectAll(before)
  }

  @Test func rowsThatReferToThemselvesOrInACircleComeBackToo() throws {
    try ann.execute("UPDATE nodes SET parentID = 'c' WHERE id = 'a'")
    try ann.execute("INSERT INTO nodes (id, parentID) VALUES ('self', 'self')")
    try fleet.settle()
    let before = try ann.contents()
    try ann.execute("DELETE FROM nodes WHERE id IN ('a', 'self')")
    #expect(try ann.rows("SELECT count(*) FROM nodes") == ["0"])
    try restore("nodes", "b", on: ann)
    try restore("nodes", "self", on: ann)
    try expectAll(before)
  }

  @Test func aParentThatIsGoneIsRestoredByItself() throws {
    try ann.execute("DELETE FROM lists")
    try fleet.settle()
    let restored = try restore("reminders", "r", on: ben)
    #expect(restored.rows.map(\.key) == ["l", "r", "rc", "rk"])
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT id, listID FROM reminders") == ["r|l"])
      #expect(try device.rows("SELECT count(*) FROM covers") == ["0"])
    }
  }

  @Test func aTagThatIsGoneComesBackWithTheReminderItWasOn() throws {
    try ann.execute("DELETE FROM reminders WHERE id = 'r'")
    try ann.execute("DELETE FROM tags WHERE title = 'car'")
    try fleet.settle()
    try restore("reminders", "r", on: ann)
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM tags ORDER BY 1") == ["Car", "kids"])
    #expect(try ben.rows("SELECT id FROM reminderTags ORDER BY 1") == ["rc", "rk"])
  }

  @Test func aRowWhoseOtherParentIsGoneForGoodIsLeftOutAndNamed() throws {
    try ann.execute("DELETE FROM reminders WHERE id = 'r'")
    try ann.execute("DELETE FROM tags WHERE title = 'kids'")
    try ann.execute(
      """
      DELETE FROM sync_history WHERE tableID = (SELECT id FROM sync_tables WHERE name = 'tags')
      """)
    let restored = try restore("reminders", "r", on: ann)
    #expect(restored.leftOut == [.init(table: "reminderTags", key: "rk")])
    #expect(try ann.rows("SELECT id FROM reminderTags ORDER BY 1") == ["rc", "sc"])
  }

  @Test func aRowWhoseParentIsGoneForGoodIsRefused() throws {
    try ann.execute("DELETE FROM lists")
    try ann.execute(
      """
      DELETE FROM sync_history WHERE tableID = (SELECT id FROM sync_tables WHERE name = 'lists')
      """)
    let error = #expect(throws: SyncError.self) { try restore("reminders", "r", on: ann) }
    #expect(error?.reason == .nothingToRestore && error?.column == "listID")
    #expect(try ann.rows("SELECT count(*) FROM reminders") == ["0"])
  }

  @Test func aValueComesBackAsANewEditThatWinsEverywhere() throws {
    try ben.execute("UPDATE reminders SET title = 'Rolls' WHERE id = 'r'")
    try fleet.settle()
    #expect(try restore("reminders", "r", on: ann).rows.isEmpty)
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT title FROM reminders WHERE id = 'r'") == ["Bread"])
    }
    // Which is kept again: nothing is ever final.
    try restore("reminders", "r", on: ben)
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM reminders WHERE id = 'r'") == ["Rolls"])
  }

  @Test func aMoveComesBackWithTheListThatIsGone() throws {
    try ben.execute("INSERT INTO lists (id, title) VALUES ('m', 'Work')")
    try ben.execute("UPDATE reminders SET listID = 'm' WHERE id = 'r'")
    try fleet.settle()
    try ann.execute("DELETE FROM lists WHERE id = 'l'")
    let restored = try restore("reminders", "r", on: ann)
    #expect(restored.rows == [.init(table: "lists", key: "l")])
    try fleet.settle()
    #expect(try ben.rows("SELECT id, listID FROM reminders") == ["r|l"])
  }

  @Test func aRowThatIsThereAgainGetsBackWhatItWas() throws {
    let before = try ann.contents()
    try ann.execute("DELETE FROM reminders WHERE id = 'r'")
    try ann.execute("INSERT INTO reminders (id, title) VALUES ('r', 'new')")
    let deletion = try #require(
      ann.database.read { try SyncHistory.entries($0, of: "reminders", key: "r") }.first)
    let restored = try ann.write { try SyncHistory.restore(deletion.id, in: $0) }.rows
    #expect(Set(restored.map(\.key)) == ["rc", "rk"])
    try expectAll(before)
    #expect(try ann.write { try SyncHistory.restore(deletion.id, in: $0) }.rows.isEmpty)
    try expectAll(before)
  }

  /// An app that takes a deletion back makes the row as it knew it.
  @Test func whatATakenBackDeletionOverwroteComesBack() throws {
    try ben.execute("UPDATE reminders SET title = 'Rye bread' WHERE id = 'r'")
    try ben.sync()
    try ann.execute("DELETE FROM reminders WHERE id = 'r'")
    try fleet.settle()
    try ann.execute("INSERT INTO reminders (id, title, listID) VALUES ('r', 'Bread', 'l')")
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM reminders WHERE id = 'r'") == ["Bread"])
    try restore("reminders", "r", on: ben)
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT title FROM reminders WHERE id = 'r'") == ["Rye bread"])
    }
  }

  @Test func whatIsNotKeptIsRefused() throws {
    let error = #expect(throws: SyncError.self) {
      try ann.write { try SyncHistory.restore(1_000_000, in: $0) }
    }
    #expect(error?.reason == .nothingToRestore)
    try ben.execute("UPDATE reminders SET title = 'Rolls' WHERE id = 'r'")
    try fleet.settle()
    try ann.execute("DELETE FROM reminders WHERE id = 'r'")
    let orphan = #expect(throws: SyncError.self) {
      try ann.write { db in
        let entries = try SyncHistory.entries(db, of: "reminders", key: "r", column: "title")
        try SyncHistory.restore(entries[0].id, in: db)
      }
    }
    #expect(orphan?.hint == "Restore the row first.")
  }

  @Test func aColumnThatIsGoneIsLeftOut() throws {
    try ann.execute("DELETE FROM reminders WHERE id = 's'")
    try ann.relaunch { db in
      struct Reminders: TableRecord { static let databaseTableName = "reminders" }
      try SyncEngine.forget(db, table: Reminders.self, columns: ["priority"])
      try db.execute(sql: "ALTER TABLE reminders DROP COLUMN priority")
    }
    try restore("reminders", "s", on: ann)
    #expect(try ann.rows("SELECT title FROM reminders WHERE id = 's'") == ["Salt"])
  }

  @Test func aDeletionByADeviceWhoseClockIsSlowIsTakenBackWhole() throws {
    // The reminder was edited by a clock of the future: its deletion has a later clock still.
    ben.skew = 86_400_000
    try ben.execute("UPDATE reminders SET title = 'Rolls' WHERE id = 'r'")
    try fleet.settle()
    let before = try ann.contents()
    try ann.execute("DELETE FROM lists")
    try fleet.settle()
    try restore("lists", "l", on: ben)
    try expectAll(before)
  }

  /// Random rows, and one deletion with all that it takes.
  @Test(arguments: (1...25).map(UInt64.init))
  func whateverIsDeletedComesBackAsItWas(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let fleet = try Fleet(schema: SimulatedSchema.schema(.old))
    let (ann, ben) = try fleet.pair()
    for _ in 1...60 {
      do {
        try ann.write { try RandomEdit(version: .old, using: &random).execute(in: $0) }
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
        continue
      }
    }
    // Rows that only lose their parent stay as the deletion left them.
    try ann.execute("DELETE FROM orphans; DELETE FROM fosters")
    try fleet.settle()
    let before = try ann.contents()
    let rows = try ann.rows(
      """
      SELECT 'lists', id FROM lists UNION ALL SELECT 'reminders', id FROM reminders
      UNION ALL SELECT 'tags', lower(title) FROM tags UNION ALL SELECT 'nodes', id FROM nodes
      """)
    let victim = try #require(rows.randomElement(using: &random)).split(separator: "|")
    let (table, key) = (String(victim[0]), String(victim[1]))
    try ann.execute("DELETE FROM \(table) WHERE \(table == "tags" ? "title" : "id") = ?", [key])
    try fleet.settle()
    try restore(table, key, on: Bool.random(using: &random) ? ann : ben)
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.contents() == before, "SEED=\(seed): \(table) \(key)")
    }
  }
}
