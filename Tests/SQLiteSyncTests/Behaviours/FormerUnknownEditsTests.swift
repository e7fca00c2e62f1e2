import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// What a deleted row had in fields that this version of the app has no column for, when a later
/// edit brings it back: nobody else may have heard of them.
struct FormerUnknownEditsTests {
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device
  private let carl: Device

  /// ann's and carl's app has a column more than ben's.
  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
    carl = try fleet.device()
    for device in [ann, carl] {
      try device.relaunch {
        try $0.execute(
          sql: """
            ALTER TABLE reminders ADD COLUMN url TEXT;
            ALTER TABLE lists ADD COLUMN emblem TEXT;
            """)
      }
    }
    try ann.execute(
      """
      INSERT INTO lists (id, title) VALUES ('l', 'Home');
      INSERT INTO reminders (id, title, listID) VALUES ('r', 'Milk', 'l');
      """)
    try fleet.settle()
  }

  private func edit(_ device: Device, _ sql: String) throws {
    fleet.clock.advance(milliseconds: 1000)
    try device.execute(sql)
  }

  @Test(arguments: [true, false])
  func whatOnlyAnAppWithoutTheColumnHasHeardOfIsThere(isDeletedThere: Bool) throws {
    try edit(carl, "UPDATE reminders SET url = 'dairy'")
    try fleet.settle(carl, ben)
    try edit(isDeletedThere ? ben : carl, "DELETE FROM reminders")
    try fleet.settle(carl, ben)
    try edit(ann, "UPDATE reminders SET priority = 1")
    // carl is gone.
    try fleet.settle(ann, ben)
    #expect(try ann.rows("SELECT priority, url FROM reminders") == ["1|dairy"])
    try fleet.settle()
    #expect(try carl.rows("SELECT priority, url FROM reminders") == ["1|dairy"])
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test func aLaterValueElsewhereWins() throws {
    try edit(carl, "UPDATE reminders SET url = 'dairy'")
    try fleet.settle(carl, ben)
    try edit(carl, "DELETE FROM reminders")
    try fleet.settle(carl, ben)
    try edit(ann, "UPDATE reminders SET url = 'farm'")
    try fleet.settle()
    for device in [ann, carl] {
      #expect(try device.rows("SELECT url FROM reminders") == ["farm"])
    }
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test func whatIsMadeAnewHasNothingOfIt() throws {
    try edit(carl, "UPDATE reminders SET url = 'dairy'")
    try edit(carl, "DELETE FROM reminders")
    try fleet.settle()
    try edit(ann, "INSERT INTO reminders (id) VALUES ('r')")
    try fleet.settle()
    for device in [ann, carl] {
      #expect(try device.rows("SELECT url FROM reminders") == ["NULL"])
    }
    try fleet.expectExhausted(after: fleet.troubles)
  }

  /// A list lives again since just after its deletion, with fields that are as old as they were.
  @Test func aListThatIsBroughtBackByWhatIsBelowHasIt() throws {
    try edit(carl, "UPDATE lists SET emblem = 'house'")
    try fleet.settle(carl, ben)
    try edit(carl, "DELETE FROM lists")
    try edit(ann, "UPDATE reminders SET priority = 1")
    try carl.sync()
    try ann.sync()
    try fleet.settle(ann, ben)
    #expect(try ann.rows("SELECT title, emblem FROM lists") == ["Home|house"])
    try fleet.settle()
    #expect(try carl.rows("SELECT title, emblem FROM lists") == ["Home|house"])
    try fleet.expectExhausted(after: fleet.troubles)
  }
}
