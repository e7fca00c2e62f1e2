import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// What only its owner has on a row that others can take away: it goes with the row, and comes back
/// with it.
struct TakenAlongTests {
  private let family: Family
  private var ann: Device { family.ann }
  private var ben: Device { family.ben }

  private static let tags = "SELECT reminderID || ' ' || tagID FROM reminderTags"

  init() throws {
    family = try Family()
    try family.share([Family.benID: .write])
  }

  private func move(_ key: String, to list: String) throws {
    try ben.execute("UPDATE reminders SET listID = '\(list)' WHERE id = '\(key)'")
    try family.settle()
  }

  private func deleteByBen() throws {
    try ben.execute("DELETE FROM reminders WHERE id = 'milk'")
    try family.settle()
    #expect(try ann.rows(Self.tags) == [])
  }

  private func restoreByBen() throws {
    try ben.write { db in
      let entry = try #require(
        try SyncHistory.deletedRows(db, of: "reminders").first { $0.key == "milk" })
      try SyncHistory.restore(entry.id, in: db)
    }
    try family.settle()
  }

  @Test func tagsComeBackWithAReminderThatWasMovedAway() throws {
    try move("milk", to: "own")
    #expect(try ann.rows(Self.tags) == [])
    try move("milk", to: "home")
    for device in [ann, family.annToo] { #expect(try device.rows(Self.tags) == ["milk weekly"]) }
    try family.fleet.expectExhausted(after: [.waited])
  }

  @Test func tagsComeBackWithAReminderThatSomebodyElseDeletedAndRestored() throws {
    try deleteByBen()
    try restoreByBen()
    for device in [ann, family.annToo] { #expect(try device.rows(Self.tags) == ["milk weekly"]) }
    try family.fleet.expectExhausted(after: [.waited])
  }

  /// Twice, as what came back is taken along by the next deletion, too.
  @Test func tagsComeBackEachTime() throws {
    for _ in 0..<2 {
      try deleteByBen()
      try restoreByBen()
      #expect(try ann.rows(Self.tags) == ["milk weekly"])
    }
    try family.fleet.expectExhausted(after: [.waited])
  }

  @Test func notesComeBackWithAListThatIsAcceptedAgain() throws {
    try ben.execute("INSERT INTO notes VALUES ('mine', 'Of ben', 'home')")
    try family.settle()
    try ben.synchronizer.leave(table: "lists", key: "home")
    try family.settle()
    #expect(try ben.rows("SELECT id FROM notes") == [])
    try family.share([Family.benID: .write])
    for device in [ben, family.benToo] {
      #expect(try device.rows("SELECT id FROM notes") == ["mine"])
    }
    try family.fleet.expectExhausted(after: [.waited])
  }

  @Test func whatItsOwnerTookAwayBeforeStaysAway() throws {
    try ann.execute("DELETE FROM reminderTags")
    try family.settle()
    try deleteByBen()
    try restoreByBen()
    #expect(try ann.rows(Self.tags) == [])
    try family.fleet.expectExhausted()
  }

  @Test func whatHangsOnATagThatIsGoneByNowStaysAway() throws {
    try deleteByBen()
    try ann.execute("DELETE FROM tags")
    try restoreByBen()
    #expect(try ann.rows(Self.tags) == [])
    #expect(try ann.rows("SELECT title FROM tags") == [])
    try family.fleet.expectExhausted()
  }

  /// An older deletion by somebody else does not count.
  @Test func whatItsOwnerDeletedStaysAwayWhenSomebodyElseRestoresIt() throws {
    try deleteByBen()
    try restoreByBen()
    try ann.execute("DELETE FROM reminders WHERE id = 'milk'")
    try family.settle()
    try restoreByBen()
    #expect(try ann.tree().contains("Home > Milk"))
    #expect(try ann.rows(Self.tags) == [])
    try family.fleet.expectExhausted(after: [.waited])
  }

  /// Nobody takes her edit: it is told, and it is in the history.
  @Test func unsentEditOfWhatWasMovedAwayIsTold() throws {
    try ben.execute("UPDATE reminders SET listID = 'own' WHERE id = 'milk'")
    try ben.sync()
    try ann.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    let before = ann.events.count
    try family.settle()
    let milk = SyncEvent.Record(type: "reminders", name: "milk:reminders")
    #expect(ann.events[before...].contains(.withdrawn([milk])))
    let gone = try ann.write { try SyncHistory.deletedRows($0, of: "reminders") }.first
    #expect(gone?.isOutOfReach == true)
    guard case .row(let values)? = gone?.loss else {
      Issue.record("Nothing is in the history.")
      return
    }
    #expect(values["title"] == "Oat milk".databaseValue)
  }

  @Test func unsentEditOfWhatMayOnlyBeReadByNowIsTold() throws {
    try ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Family.benID: .read], publicPermission: nil)
    try ann.sync()
    try ben.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    let before = ben.events.count
    try family.settle()
    let milk = SyncEvent.Record(type: "reminders", name: "milk:reminders")
    #expect(ben.events[before...].contains(.withdrawn([milk])))
    #expect(try ben.tree().contains("Home > Milk"))
  }

  /// What ben has of the reminder is in the shared zone, and newer than what ann's history has.
  @Test func whatOthersHaveBelowItIsTheirs() throws {
    try move("milk", to: "own")
    try ben.execute("UPDATE subtasks SET title = 'Fat' WHERE id = 'fat'")
    try move("milk", to: "home")
    for device in [ann, ben] { #expect(try device.tree().contains("Home > Milk > Fat")) }
    try family.fleet.expectExhausted(after: [.waited])
  }

  /// What nobody but this device has ever had.
  @Test(arguments: [Share.Permission.none, .read, .write])
  func rowThatWasNeverSentAndGoesWithItsListIsTold(permission: Share.Permission) throws {
    try family.share([Family.benID: .write])
    try ben.execute("INSERT INTO reminders VALUES ('new', 'New', 'home')")
    if permission == .write {
      family.fleet.clock.advance()
      try ann.execute("DELETE FROM lists WHERE id = 'home'")
    } else {
      try ann.synchronizer.setPermissions(
        table: "lists", key: "home", participants: [Family.benID: permission],
        publicPermission: nil)
    }
    try ann.sync()
    let before = ben.events.count
    try ben.sync()
    let withdrawn = ben.events[before...].flatMap { event -> [SyncEvent.Record] in
      if case .withdrawn(let records) = event { records } else { [] }
    }
    #expect(withdrawn == [.init(type: "reminders", name: "new:reminders")])
    #expect(try ben.rows("SELECT * FROM reminders WHERE id = 'new'") == [])
  }

  /// An app that knows no subtasks has deleted a reminder, and let go of one that was made later:
  /// whoever has the reminder brings it back, and here nobody has it.
  @Test func whatWasLetGoOfBelowWhatNobodyHasIsGivenUpByItsOwner() throws {
    let link = try family.share([Family.benID: .write])
    let stranger = try Stranger(family.fleet, account: Family.benID, zone: link.zone)
    let clock = family.fleet.clock
    try stranger.delete(
      "reminders", "gone", at: FieldClock(milliseconds: clock.now + 5_000, device: 0xbeef))
    clock.advance(milliseconds: 10_000)
    try stranger.save("subtasks", "late", ["title": .text("Late"), "reminderID": .text("gone")])
    try family.settle()
    #expect(try ann.counts().waiting == 1)
    clock.advance(milliseconds: 2 * Applier.patience)
    try family.settle()
    let new = try family.fleet.device(account: Family.annID)
    try new.sync()
    for device in [ann, family.annToo, new] { #expect(try device.counts() == SyncCounts()) }
    #expect(try stranger.record("late:subtasks") == nil)
  }
}
