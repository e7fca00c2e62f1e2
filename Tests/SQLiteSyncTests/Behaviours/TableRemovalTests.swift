import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// A table that this version does not synchronize any more, and others do.
struct TableRemovalTests {
  private struct Orphans: TableRecord { static let databaseTableName = "orphans" }
  private struct Covers: TableRecord { static let databaseTableName = "covers" }

  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
    try ann.execute(
      """
      INSERT INTO lists (id, title) VALUES ('l', 'Home');
      INSERT INTO orphans (id, title, listID) VALUES ('a', 'Annie', 'l'), ('b', 'Ben', 'l');
      INSERT INTO covers (listID) VALUES ('l');
      """)
    try fleet.settle()
  }

  private func orphans(_ device: Device) throws -> [String] {
    try device.rows("SELECT id, title, listID FROM orphans ORDER BY id")
  }

  /// Ann's next version takes a table out, and drops it.
  private func takeOut(_ table: any TableRecord.Type) throws {
    let name = table.databaseTableName
    try ann.relaunch(tables: ann.tables.filter { $0 != name }) { db in
      try SyncEngine.forget(db, table: table)
      try db.execute(sql: "DROP TABLE \(name.quotedIdentifier)")
    }
  }

  /// And the one after that has it again.
  private func putBack(_ table: String) throws {
    let statement = "SELECT sql FROM sqlite_schema WHERE name = '\(table)'"
    let sql = try ben.rows(statement).joined()
    try ann.relaunch(tables: ann.tables + [table]) { try $0.execute(sql: sql) }
  }

  @Test func itsUnsentEditsAreSent() throws {
    try ann.execute(
      """
      UPDATE orphans SET title = 'Anne' WHERE id = 'a';
      DELETE FROM orphans WHERE id = 'b';
      INSERT INTO orphans (id, title, listID) VALUES ('c', 'Cat', 'l');
      """)
    try takeOut(Orphans.self)
    try fleet.settle()
    #expect(try orphans(ben) == ["a|Anne|l", "c|Cat|l"])
    try putBack("orphans")
    #expect(try orphans(ann) == ["a|Anne|l", "c|Cat|l"])
    try fleet.settle()
    try fleet.expectExhausted()
  }

  @Test func itsUnsentEditsAreSentAlsoWhenItComesBackBefore() throws {
    try ann.execute("UPDATE orphans SET title = 'Anne' WHERE id = 'a'")
    try ann.execute("INSERT INTO orphans (id, title, listID) VALUES ('c', 'Cat', 'l')")
    try takeOut(Orphans.self)
    try putBack("orphans")
    #expect(try orphans(ann) == ["a|Anne|l", "b|Ben|l", "c|Cat|l"])
    try fleet.settle()
    #expect(try orphans(ben) == ["a|Anne|l", "b|Ben|l", "c|Cat|l"])
    try fleet.expectExhausted()
  }

  @Test(arguments: [true, false])
  func itsUnsentImageIsSent(isNew: Bool) throws {
    if isNew { try ann.execute("INSERT INTO lists (id) VALUES ('m')") }
    try ann.execute(
      isNew
        ? "INSERT INTO covers VALUES ('m', randomblob(10000))"
        : "UPDATE covers SET image = randomblob(10000)")
    let sql = "SELECT listID, hex(image) FROM covers ORDER BY 1"
    let covers = try ann.rows(sql)
    try takeOut(Covers.self)
    try fleet.settle()
    #expect(try ben.rows(sql) == covers)
    // Its bytes are still here: no download.
    try putBack("covers")
    #expect(try ann.rows(sql) == covers)
    try fleet.settle()
    try fleet.expectExhausted()
  }

  @Test(arguments: [true, false])
  func itsUnsentEditsAreMergedWithThoseOfOthers(fetchesFirst: Bool) throws {
    try ben.execute("UPDATE orphans SET title = 'Early', listID = NULL WHERE id = 'a'")
    try ann.execute("UPDATE orphans SET title = 'Anne' WHERE id = 'a'")
    try ann.execute("UPDATE orphans SET title = 'Bob' WHERE id = 'b'")
    try takeOut(Orphans.self)
    try ben.execute("UPDATE orphans SET title = 'Late' WHERE id = 'b'")
    try ben.sync()
    try fetchesFirst ? ann.fetch() : ann.send()
    try fleet.settle()
    #expect(try orphans(ben) == ["a|Anne|NULL", "b|Late|l"])
    #expect(try ann.counts() == SyncCounts())
    try putBack("orphans")
    try fleet.settle()
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test func itsUnsentEditsAndTheDeletionsOfOthersGoByTheirTimes() throws {
    try ben.execute("DELETE FROM orphans WHERE id = 'a'")
    try ann.execute("UPDATE orphans SET title = 'Later than the deletion' WHERE id = 'a'")
    try ann.execute("UPDATE orphans SET title = 'Earlier' WHERE id = 'b'")
    try takeOut(Orphans.self)
    try ben.execute("DELETE FROM orphans WHERE id = 'b'")
    try ben.sync()
    try fleet.settle()
    #expect(try orphans(ben) == ["a|Later than the deletion|l"])
    #expect(try ann.counts() == SyncCounts())
    try putBack("orphans")
    try fleet.settle()
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test func itsUnsentDeletionAndTheEditsOfOthersGoByTheirTimes() throws {
    try ben.execute("UPDATE orphans SET title = 'Earlier' WHERE id = 'a'")
    try ann.execute("DELETE FROM orphans")
    try takeOut(Orphans.self)
    try ben.execute("UPDATE orphans SET title = 'Later' WHERE id = 'b'")
    try ben.sync()
    try fleet.settle()
    #expect(try orphans(ben) == ["b|Later|l"])
    #expect(try ann.counts() == SyncCounts())
    try putBack("orphans")
    try fleet.settle()
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test func itsUnsentEditsAreSentToAZoneThatIsFetchedWhole() throws {
    try ann.execute("UPDATE orphans SET title = 'Anne' WHERE id = 'a'")
    try takeOut(Orphans.self)
    try ben.execute("DELETE FROM orphans")
    try fleet.compact(after: ben, forgettingDeletions: true)
    try fleet.settle()
    #expect(try orphans(ben) == ["a|Anne|l"])
    #expect(try ann.counts() == SyncCounts())
  }

  // MARK: - It is only not listed for a while

  @Test func whatWasEditedMeanwhileIsSentAndWhatCameIsApplied() throws {
    try ann.execute("UPDATE covers SET image = zeroblob(9000)")
    try fleet.settle()
    try ann.relaunch(tables: ann.tables.filter { $0 != "orphans" && $0 != "covers" })
    try ann.execute(
      """
      UPDATE orphans SET title = 'Anne' WHERE id = 'a';
      INSERT INTO orphans (id, title, listID) VALUES ('c', 'Cat', 'l');
      UPDATE covers SET image = zeroblob(8000)
      """)
    try ben.execute("UPDATE orphans SET listID = NULL WHERE id = 'a'")
    try ben.execute("UPDATE orphans SET title = 'Bob' WHERE id = 'b'")
    try fleet.settle()
    try ann.relaunch(tables: ann.tables + ["orphans", "covers"])
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try orphans(device) == ["a|Anne|NULL", "b|Bob|l", "c|Cat|l"])
      #expect(try device.rows("SELECT image FROM covers") == ["8000 bytes"])
    }
    try fleet.expectExhausted()
  }

  private func title(of entry: SyncHistory.Entry) -> String? {
    guard case .row(let row) = entry.loss else { return nil }
    return row["title"].flatMap(String.fromDatabaseValue)
  }

  private let listed = ["reminderTags", "covers", "reminders", "lists", "tags", "fosters", "nodes"]

  @Test func whatWasDeletedMeanwhileIsDeletedEverywhereAndKeptInTheHistory() throws {
    try ann.relaunch(tables: listed)
    try ann.execute("DELETE FROM orphans WHERE id = 'a'")
    try fleet.settle()
    try ann.relaunch(tables: ann.tables + ["orphans"])
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try orphans(device) == ["b|Ben|l"])
      let lost = try device.database.read { try SyncHistory.deletedRows($0, of: "orphans") }
      #expect(lost.map { title(of: $0) } == ["Annie"])
    }
    try fleet.expectExhausted()
  }

  @Test func whatWasDeletedMeanwhileAndEditedElsewhereSinceComesBack() throws {
    try ann.relaunch(tables: listed)
    try ann.execute("DELETE FROM orphans")
    try ben.execute("UPDATE orphans SET title = 'Anne' WHERE id = 'a'")
    try fleet.settle()
    try ann.relaunch(tables: ann.tables + ["orphans"])
    try fleet.settle()
    for device in [ann, ben] { #expect(try orphans(device) == ["a|Anne|l"]) }
    try fleet.expectExhausted()
  }

  @Test func whatCameMeanwhileWasNotDeleted() throws {
    try ann.relaunch(tables: listed)
    try ben.execute("INSERT INTO orphans (id, title, listID) VALUES ('c', 'Cat', 'l')")
    try fleet.settle()
    try ann.relaunch(tables: ann.tables + ["orphans"])
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try orphans(device) == ["a|Annie|l", "b|Ben|l", "c|Cat|l"])
    }
    try fleet.expectExhausted()
  }

  @Test func whatHadNoRowWhenItsTableWasTakenOutWasNotDeleted() throws {
    try ann.execute(
      """
      CREATE TRIGGER noCats BEFORE INSERT ON orphans WHEN NEW.title = 'Cat'
      BEGIN SELECT RAISE(ABORT, 'no cats'); END
      """)
    try ben.execute("INSERT INTO orphans (id, title, listID) VALUES ('c', 'Cat', 'l')")
    try fleet.settle()
    try ann.relaunch(tables: listed) { try $0.execute(sql: "DROP TRIGGER noCats") }
    try fleet.settle()
    try ann.relaunch(tables: ann.tables + ["orphans"])
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try orphans(device) == ["a|Annie|l", "b|Ben|l", "c|Cat|l"])
    }
    try fleet.expectExhausted(after: [.quarantined])
  }

  @Test func whatWasDeletedElsewhereMeanwhileGoes() throws {
    try ann.relaunch(tables: ann.tables.filter { $0 != "orphans" })
    try ben.execute("DELETE FROM orphans WHERE id = 'a'")
    try fleet.settle()
    try ann.relaunch(tables: ann.tables + ["orphans"])
    try fleet.settle()
    for device in [ann, ben] { #expect(try orphans(device) == ["b|Ben|l"]) }
    try fleet.expectExhausted()
  }

  @Test(arguments: [true, false])
  func theRowsOfATableThatIsMadeAnewAreNoEdits(isForgotten: Bool) throws {
    if isForgotten {
      try takeOut(Orphans.self)
    } else {
      try ann.relaunch(tables: ann.tables.filter { $0 != "orphans" })
      try ann.relaunch { try $0.execute(sql: "DROP TABLE orphans") }
    }
    let sql = try ben.rows("SELECT sql FROM sqlite_schema WHERE name = 'orphans'").joined()
    try ann.relaunch(tables: ann.tables + ["orphans"]) { db in
      try db.execute(sql: sql)
      try db.execute(sql: "INSERT INTO orphans (id, title) VALUES ('a', 'By default')")
    }
    try fleet.settle()
    for device in [ann, ben] { #expect(try orphans(device) == ["a|Annie|l", "b|Ben|l"]) }
    try fleet.expectExhausted()
  }

  // MARK: - What its rows hang on

  @Test func whatItsRowsHangOnCanBeDeleted() throws {
    try takeOut(Orphans.self)
    try ann.execute("DELETE FROM lists")
    try fleet.settle()
    #expect(try ben.rows("SELECT id FROM lists") == [])
    #expect(try orphans(ben) == ["a|Annie|NULL", "b|Ben|NULL"])
    try fleet.expectExhausted()
  }

  @Test func whatItsUnsentRowsHangOnCanBeDeleted() throws {
    try ann.execute("INSERT INTO orphans (id, title, listID) VALUES ('c', 'Cat', 'l')")
    try ann.execute("UPDATE orphans SET title = 'Anne' WHERE id = 'a'")
    try takeOut(Orphans.self)
    try ann.execute("DELETE FROM lists")
    try fleet.settle()
    #expect(try ben.rows("SELECT id FROM lists") == [])
    #expect(try orphans(ben) == ["a|Anne|NULL", "b|Ben|NULL", "c|Cat|NULL"])
    try fleet.expectExhausted()
  }

  @Test func whatTheRowsOfATableHangOnThatIsOnlyNotListedAnyMoreCanBeDeleted() throws {
    try ann.execute("UPDATE orphans SET title = 'Anne' WHERE id = 'a'")
    try ann.relaunch(tables: ann.tables.filter { $0 != "orphans" })
    try ann.execute("DELETE FROM lists")
    try fleet.settle()
    #expect(try ben.rows("SELECT id FROM lists") == [])
    #expect(try orphans(ben) == ["a|Anne|NULL", "b|Ben|NULL"])
    try ann.relaunch(tables: ann.tables + ["orphans"])
    try fleet.settle()
    try fleet.expectExhausted()
  }

  /// Its records have no value for the column.
  @Test func whatIsPutIntoAColumnThatCameMeanwhileIsSentAndNoLaterThanTheRow() throws {
    let column = "ALTER TABLE orphans ADD COLUMN place TEXT DEFAULT 'here'"
    try ben.relaunch { try $0.execute(sql: column) }
    try ann.relaunch(tables: ann.tables.filter { $0 != "orphans" })
    try ben.execute("UPDATE orphans SET place = 'ben' WHERE id = 'a'")
    fleet.clock.advance()
    try ann.relaunch(tables: ann.tables + ["orphans"]) { db in
      try db.execute(sql: column + "; UPDATE orphans SET place = 'there'")
    }
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT id, place FROM orphans ORDER BY id") == ["a|ben", "b|there"])
    }
    try fleet.expectExhausted()
  }
}
