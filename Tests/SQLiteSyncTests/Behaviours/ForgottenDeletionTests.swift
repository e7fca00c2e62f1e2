import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// A row that a full fetch does not mention, because its deletion was forgotten: what is known of
/// its edits is still known when somebody who was away longer brings it back.
struct ForgottenDeletionTests {
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device
  private let carl: Device

  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
    carl = try fleet.device()
    try ann.execute(
      """
      INSERT INTO lists (id, title) VALUES ('l', 'Home');
      INSERT INTO reminders (id, title, listID) VALUES ('r', 'Milk', 'l');
      """)
    try fleet.settle()
  }

  private static let row = "SELECT title, notes, priority FROM reminders"

  /// Deletes the row where ben had heard of an edit before, and carl had not.
  private func deleteAfterEdit(isHeardOf: Bool = false) throws {
    try ann.execute("UPDATE reminders SET title = 'Oat milk'")
    try fleet.settle(ann, ben)
    try ann.execute("DELETE FROM reminders")
    if isHeardOf { try fleet.settle(ann, ben) }
    try fleet.compact(after: ann, forgettingDeletions: true)
    if isHeardOf { try ben.forgetPosition() }
    try ben.sync()
    #expect(ben.zoneChanges == [.expired])
    #expect(try ben.rows(Self.row) == [])
  }

  @Test(arguments: [true, false])
  func whatWasEditedBeforeItIsThereWhenTheRowComesBack(isDeletionHeardOf: Bool) throws {
    try deleteAfterEdit(isHeardOf: isDeletionHeardOf)
    try carl.execute("UPDATE reminders SET priority = 1")
    // Who edited and deleted it is gone.
    try fleet.settle(carl, ben)
    for device in [ben, carl] { #expect(try device.rows(Self.row) == ["Oat milk||1"]) }
    try fleet.settle()
    try fleet.expectExhausted(haveTombstonesExpired: true)
  }

  @Test func anOlderEditOfTheSameFieldLoses() throws {
    try carl.execute("UPDATE reminders SET title = 'Soy milk', priority = 1")
    try deleteAfterEdit()
    try fleet.settle(carl, ben)
    for device in [ben, carl] { #expect(try device.rows(Self.row) == ["Oat milk||1"]) }
    try fleet.settle()
    try fleet.expectExhausted(haveTombstonesExpired: true)
  }

  @Test func aLaterEditOfTheSameFieldWins() throws {
    try deleteAfterEdit()
    try carl.execute("UPDATE reminders SET title = 'Soy milk'")
    try fleet.settle(carl, ben)
    for device in [ben, carl] { #expect(try device.rows(Self.row) == ["Soy milk||NULL"]) }
    try fleet.settle()
    try fleet.expectExhausted(haveTombstonesExpired: true)
  }

  @Test func aRowOfItsKeyMadeBeforeByADeviceThatNeverHeardOfItStaysDeleted() throws {
    let dora = try fleet.device(opens: false)
    try dora.execute("INSERT INTO reminders (id, title) VALUES ('r', 'Bread')")
    try deleteAfterEdit()
    try dora.synchronizer.open()
    try fleet.settle()
    for device in fleet.devices { #expect(try device.rows(Self.row) == []) }
    try fleet.expectExhausted(haveTombstonesExpired: true)
  }
}

extension Device {
  /// As if the log reached back no more to where this device has read it.
  fileprivate func forgetPosition() throws {
    try database.write { db in
      var position = try ZonePosition(in: db)
      position.begin(.expired)
      try position.save(in: db)
    }
    synchronizer.emit(
      .fetchedDatabaseChanges(zone: "default", owner: "ann", change: .expired))
  }
}
