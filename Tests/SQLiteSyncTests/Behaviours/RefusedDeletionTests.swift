import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// Rows that were deleted elsewhere, and that a constraint of this device alone does not let go.
struct RefusedDeletionTests {
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
    try ann.execute(
      """
      INSERT INTO lists (id, title) VALUES ('l', 'Home');
      INSERT INTO reminders (id, title, listID) VALUES ('r', 'Milk', 'l');
      INSERT INTO orphans (id, title, listID) VALUES ('o', 'Annie', 'l');
      """)
    try fleet.settle()
  }

  /// What keeps Ann's list, and what lets it go.
  enum Refusal: String, CaseIterable {
    case reference = """
      CREATE TABLE pins (listID TEXT REFERENCES lists (id)); INSERT INTO pins VALUES ('l')
      """
    case trigger = """
      CREATE TRIGGER keep BEFORE DELETE ON lists BEGIN SELECT RAISE(ABORT, 'kept'); END
      """
    case triggerBelow = """
      CREATE TRIGGER keep BEFORE DELETE ON reminders BEGIN SELECT RAISE(ABORT, 'kept'); END
      """
    case triggerOfWhatLosesItsParent = """
      CREATE TRIGGER keep BEFORE UPDATE OF listID ON orphans
      BEGIN SELECT RAISE(ABORT, 'kept'); END
      """

    var end: String { self == .reference ? "DELETE FROM pins" : "DROP TRIGGER keep" }
  }

  private func rows(_ device: Device) throws -> [String] {
    try device.rows(
      "SELECT id FROM lists UNION ALL SELECT id FROM reminders UNION ALL SELECT id FROM orphans")
  }

  /// Ben deletes the list, and makes another; Ann cannot let go of hers.
  private func deleteAndRefuse(_ refusal: Refusal = .reference) throws {
    try ann.execute(refusal.rawValue)
    try ben.execute("INSERT INTO lists (id) VALUES ('m'); DELETE FROM lists WHERE id = 'l'")
    try fleet.settle()
  }

  @Test(arguments: Refusal.allCases)
  func aDeletionThatAConstraintRefusesWaitsAndTheRestIsApplied(refusal: Refusal) throws {
    try deleteAndRefuse(refusal)
    #expect(try ann.rows("SELECT id FROM lists ORDER BY id") == ["l", "m"])
    #expect(try ann.counts().quarantined > 0 && ann.counts().pending == 0)
    let waiting = try ann.database.read { try SyncWaitingRecord.all($0) }
    #expect(waiting.allSatisfy { if case .constraint = $0.reason { true } else { false } })
    #expect(try ann.database.read { try SyncEngine.check($0) } == [])
    #expect(try rows(ben) == ["m", "o"])
    try ann.execute(refusal.end)
    try ann.relaunch()
    try fleet.settle()
    for device in [ann, ben] { #expect(try rows(device) == ["m", "o"]) }
    #expect(
      try ann.rows("SELECT DISTINCT primaryKey FROM sync_history WHERE field IS NULL ORDER BY 1")
        == ["l", "r"])
    try fleet.expectExhausted(after: [.quarantined])
  }

  @Test func itIsTriedAgainWithWhateverComesNextAndIsSaidOnce() throws {
    try deleteAndRefuse()
    try ben.execute("UPDATE lists SET title = 'Work'")
    try fleet.settle()
    let said = ann.events.filter { if case .quarantined = $0 { true } else { false } }
    #expect(said.count == 1)
    try ann.execute("DELETE FROM pins")
    try ben.execute("UPDATE lists SET color = 1")
    try fleet.settle()
    #expect(try rows(ann) == ["m", "o"])
    try fleet.expectExhausted(after: [.quarantined])
  }

  @Test func anEditOfTheRowBringsItBackEverywhere() throws {
    try deleteAndRefuse()
    try ann.execute("UPDATE lists SET title = 'House' WHERE id = 'l'")
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT title FROM lists WHERE id = 'l'") == ["House"])
    }
    try fleet.expectExhausted(after: [.quarantined])
  }

  @Test func whatIsMadeBelowItBringsItBackEverywhere() throws {
    try deleteAndRefuse()
    try ann.execute("INSERT INTO reminders (id, title, listID) VALUES ('s', 'Eggs', 'l')")
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT title, listID FROM reminders") == ["Eggs|l"])
      #expect(try device.rows("SELECT title FROM lists WHERE id = 'l'") == ["Home"])
    }
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test func whoDeletesItHereTooIsAtOneWithTheOthers() throws {
    try deleteAndRefuse()
    try ann.execute("DELETE FROM pins; DELETE FROM lists WHERE id = 'l'")
    try fleet.settle()
    for device in [ann, ben] { #expect(try rows(device) == ["m", "o"]) }
    try fleet.expectExhausted(after: [.quarantined])
  }

  @Test func aRowThatMovedIntoAListThatIsGoneStaysWhereItWas() throws {
    try ann.execute("INSERT INTO lists (id) VALUES ('m')")
    try fleet.settle()
    try ann.execute(
      "CREATE TABLE pins (reminderID REFERENCES reminders (id)); INSERT INTO pins VALUES ('r')")
    try ben.execute("UPDATE reminders SET listID = 'm'")
    try ann.execute("DELETE FROM lists WHERE id = 'm'")
    try ben.send()
    try ann.fetch()
    #expect(try ann.rows("SELECT id, listID FROM reminders") == ["r|l"])
    #expect(try ann.counts().quarantined == 1)
    try ann.execute("DELETE FROM pins")
    try ann.relaunch()
    try fleet.settle()
    for device in [ann, ben] { #expect(try rows(device) == ["l", "o"]) }
    try fleet.expectExhausted(after: [.quarantined])
  }

  // MARK: - The tombstone is gone

  @Test func whatIsNotMentionedAndCannotGoStaysForEverybody() throws {
    try ann.execute(Refusal.reference.rawValue)
    try ben.execute("INSERT INTO lists (id) VALUES ('m'); DELETE FROM lists WHERE id = 'l'")
    try fleet.compact(after: ben, forgettingDeletions: true)
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT id, title FROM lists ORDER BY id") == ["l|Home", "m|"])
    }
    try fleet.expectExhausted(haveTombstonesExpired: true)
  }

  @Test func whatWaitsToGoStaysForEverybodyOnceItsDeletionIsForgotten() throws {
    try deleteAndRefuse()
    try ben.execute("UPDATE lists SET title = 'Work'")
    try fleet.compact(after: ben, forgettingDeletions: true)
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT id, title FROM lists ORDER BY id") == ["l|Home", "m|Work"])
    }
    try fleet.expectExhausted(after: [.quarantined], haveTombstonesExpired: true)
  }
}
