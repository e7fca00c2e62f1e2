import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// A row that was deleted and comes back by a later edit has all that was edited in it before it
/// was deleted, whoever knew of that.
struct FormerEditsTests {
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device
  private let carl: Device

  private static let row = "SELECT title, priority, listID FROM reminders ORDER BY id"

  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
    carl = try fleet.device()
    try ann.execute(
      """
      INSERT INTO lists (id, title) VALUES ('l', 'Home'), ('m', 'Work');
      INSERT INTO reminders (id, title, listID) VALUES ('r', 'Milk', 'l');
      """)
    try fleet.settle()
  }

  private func edit(_ device: Device, _ sql: String) throws {
    fleet.clock.advance(milliseconds: 1000)
    try device.execute(sql)
  }

  private func expectEverywhere(
    _ rows: [String], on devices: [Device]? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for device in devices ?? [ann, ben, carl] {
      #expect(try device.rows(Self.row) == rows, sourceLocation: sourceLocation)
    }
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test(arguments: [true, false], [true, false])
  func whatItsDeleterEditedBeforeIsThere(isSent: Bool, isSeen: Bool) throws {
    try edit(ben, "UPDATE reminders SET title = 'Oat milk'")
    if isSent { try ben.sync() }
    if isSeen { try carl.sync() }
    try edit(ben, "DELETE FROM reminders")
    if isSent { try ben.sync() }
    try edit(ann, "UPDATE reminders SET priority = 1")
    try fleet.settle()
    try expectEverywhere(["Oat milk|1|l"])
  }

  @Test func whatOthersHadEditedBeforeIsThere() throws {
    try edit(carl, "UPDATE reminders SET title = 'Oat milk'")
    try carl.sync()
    try edit(ben, "DELETE FROM reminders")
    try ben.sync()
    try carl.sync()
    try edit(ann, "UPDATE reminders SET priority = 1")
    try fleet.settle()
    try expectEverywhere(["Oat milk|1|l"])
  }

  /// Who edited it is gone; who deleted it has heard of that edit after the deletion.
  @Test func whatCameTooLateForItsDeletionIsThere() throws {
    try edit(carl, "UPDATE reminders SET title = 'Oat milk'")
    try edit(ben, "DELETE FROM reminders")
    try carl.sync()
    try ben.sync()
    try edit(ann, "UPDATE reminders SET priority = 1")
    for _ in 0..<2 {
      try ann.sync()
      try ben.sync()
    }
    for device in [ann, ben] { #expect(try device.rows(Self.row) == ["Oat milk|1|l"]) }
    try fleet.settle()
    try expectEverywhere(["Oat milk|1|l"])
  }

  @Test func whatIsPutElsewhereBeforeIsThere() throws {
    try edit(ben, "UPDATE reminders SET listID = 'm'")
    try ben.sync()
    try edit(ben, "DELETE FROM reminders")
    try ben.sync()
    try edit(ann, "UPDATE reminders SET priority = 1")
    try fleet.settle()
    try expectEverywhere(["Milk|1|m"])
  }

  @Test func whatIsMadeAnewHasNothingOfIt() throws {
    try edit(ben, "UPDATE reminders SET title = 'Oat milk'")
    try ben.sync()
    try edit(ben, "DELETE FROM reminders")
    try fleet.settle()
    try edit(ann, "INSERT INTO reminders (id, title, listID) VALUES ('r', 'Bread', 'l')")
    try fleet.settle()
    try expectEverywhere(["Bread|NULL|l"])
  }

  @Test func whatWasMadeAnewBetweenTwoDeletionsIsThere() throws {
    try edit(ann, "UPDATE reminders SET title = 'Soy milk'")
    try edit(ben, "DELETE FROM reminders")
    try edit(ben, "INSERT INTO reminders (id, title, listID) VALUES ('r', 'Bread', 'l')")
    try edit(ben, "DELETE FROM reminders")
    try edit(ann, "UPDATE reminders SET priority = 1")
    try fleet.settle()
    try expectEverywhere(["Bread|1|l"])
  }

  /// An app without a column says nothing of it, whether it brings the row back or makes it anew.
  @Test(arguments: [true, false])
  func whatItsReviverHasNoColumnForIsThere(isMadeAnew: Bool) throws {
    try ben.relaunch { try $0.execute(sql: "ALTER TABLE reminders ADD COLUMN url TEXT") }
    try edit(ben, "UPDATE reminders SET url = 'dairy'")
    try edit(ben, "DELETE FROM reminders")
    if isMadeAnew { try fleet.settle() }
    try edit(
      ann,
      isMadeAnew
        ? "INSERT INTO reminders (id) VALUES ('r')" : "UPDATE reminders SET priority = 1")
    try fleet.settle()
    #expect(try ben.rows("SELECT url FROM reminders") == [isMadeAnew ? "NULL" : "dairy"])
    try fleet.expectExhausted(after: fleet.troubles)
  }

  /// The cloud's version of a list is later than that of the reminder in it, and both come back.
  @Test func whatComesBackBeforeItsParentHasIt() throws {
    try edit(ann, "UPDATE lists SET title = 'At home' WHERE id = 'l'")
    try fleet.settle()
    try edit(ben, "UPDATE reminders SET title = 'Oat milk'")
    try edit(ben, "DELETE FROM lists WHERE id = 'l'")
    try edit(
      ann,
      """
      INSERT INTO tags (title) VALUES ('dairy');
      INSERT INTO reminderTags (id, reminderID, tagID) VALUES ('t', 'r', 'dairy');
      """)
    try fleet.settle()
    try expectEverywhere(["Oat milk|NULL|l"])
  }

  /// The row goes on as another one, and so do its edits; an earlier one was deleted.
  @Test func whatHasAnotherKeyNowIsNotAsItWasBefore() throws {
    try edit(ben, "DELETE FROM reminders")
    try edit(ben, "INSERT INTO reminders (id, title, listID) VALUES ('r', 'Bread', 'l')")
    try fleet.settle()
    try edit(ben, "UPDATE reminders SET title = 'Rye bread'")
    try edit(ben, "UPDATE reminders SET id = 's'")
    try edit(ann, "UPDATE reminders SET priority = 1")
    try fleet.settle()
    try expectEverywhere(["Bread|1|l", "Rye bread|NULL|l"])
  }

  /// The row goes with a list that it was not in here.
  @Test func whatWasEditedWhereItsLaterListWasDeletedIsThere() throws {
    try edit(ben, "UPDATE reminders SET title = 'Oat milk'")
    try edit(ann, "UPDATE reminders SET listID = 'm'")
    try ann.sync()
    try edit(ben, "DELETE FROM lists WHERE id = 'm'")
    try ben.sync()
    try edit(carl, "UPDATE reminders SET priority = 1")
    try fleet.settle()
    try expectEverywhere(["Oat milk|1|l"])
  }

  @Test func laterEditsElsewhereWin() throws {
    try edit(ben, "UPDATE reminders SET title = 'Oat milk'")
    try ben.sync()
    try edit(ben, "DELETE FROM reminders")
    try edit(ann, "UPDATE reminders SET title = 'Soy milk'")
    try fleet.settle()
    try expectEverywhere(["Soy milk|NULL|l"])
  }

  /// The list to which it was moved comes back by an edit that is known later than the row's.
  @Test func whatWasPutIntoAListThatComesBackLaterIsThere() throws {
    let dora = try fleet.device()
    try fleet.settle()
    try edit(ben, "UPDATE reminders SET listID = 'm'")
    try fleet.settle(ben, carl)
    try edit(ben, "DELETE FROM reminders")
    try edit(ben, "DELETE FROM lists WHERE id = 'm'")
    try fleet.settle(ben, carl)
    try edit(ann, "UPDATE reminders SET priority = 1")
    try edit(dora, "UPDATE lists SET title = 'At work' WHERE id = 'm'")
    try ann.sync()
    try fleet.settle(ben, carl)
    try dora.sync()
    try fleet.settle()
    try expectEverywhere(["Milk|1|m"])
  }
}
