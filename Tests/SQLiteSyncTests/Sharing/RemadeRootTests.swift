import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// A participant deletes what somebody shares, and makes a row with its key before the next sync:
/// the participant has left, and the row is their own.
struct RemadeRootTests {
  private let family: Family
  private let home = Family.home
  private let work = Family.work
  private let own = Family.own

  init() throws {
    family = try Family()
    try family.share([Family.benID: .write])
  }

  private func expect(benHas tree: [String], leaving strays: [String] = []) throws {
    let new = try family.fleet.device(account: Family.benID)
    try family.settle()
    for device in [family.ann, family.annToo] { #expect(try device.tree() == home + work) }
    for device in [family.ben, family.benToo, new] { #expect(try device.tree() == tree) }
    for device in family.fleet.devices {
      #expect(try device.counts() == SyncCounts())
      #expect(try device.strays().isEmpty && device.troubles.isEmpty)
    }
    #expect(try family.ben.shared().isEmpty)
    let share = try #require(try family.ann.database.read { try SyncShare.all($0) }.first)
    #expect(share.participants[Family.benID]?.state == .left)
  }

  @Test func theOwnerKeepsEverything() throws {
    try family.ben.execute(
      "DELETE FROM lists WHERE id = 'home'; INSERT INTO lists VALUES ('home', 'Mine')")
    try expect(benHas: ["Mine"] + own)
  }

  @Test func soDoesItAfterTheDeletionWasFolded() throws {
    try family.ben.execute("DELETE FROM lists WHERE id = 'home'")
    try family.ben.synchronizer.foldEdits()
    try family.ben.execute("INSERT INTO lists VALUES ('home', 'Mine')")
    try expect(benHas: ["Mine"] + own)
  }

  @Test func whatIsMadeAnewBelowItIsOnesOwn() throws {
    try family.ben.execute(
      """
      DELETE FROM lists WHERE id = 'home';
      INSERT INTO lists VALUES ('home', 'Mine');
      INSERT INTO reminders VALUES ('milk', 'My milk', 'home'), ('tea', 'Tea', 'home');
      INSERT INTO subtasks VALUES ('fat', '1.5 %', 'milk');
      """)
    try expect(
      benHas: ["Mine", "Mine > My milk", "Mine > My milk > 1.5 %", "Mine > Tea"] + own)
    try family.ann.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try family.settle()
    #expect(try family.ben.rows("SELECT title FROM reminders WHERE id = 'milk'") == ["My milk"])
  }

  @Test func aKeyThatIsGivenAwayAndTakenBackIsADeletionToo() throws {
    try family.ben.execute(
      """
      DELETE FROM reminders;
      DELETE FROM covers;
      UPDATE lists SET id = 'other' WHERE id = 'home';
      UPDATE lists SET id = 'home', title = 'Mine' WHERE id = 'other';
      """)
    try expect(benHas: ["Mine", "Own"])
  }

  @Test func theOwnerCanInviteAgain() throws {
    try family.ben.execute(
      "DELETE FROM lists WHERE id = 'home'; INSERT INTO lists VALUES ('home', 'Mine')")
    try family.settle()
    try family.ben.execute("DELETE FROM lists WHERE id = 'home'")
    try family.settle()
    try family.share([Family.benID: .write])
    #expect(try family.ben.tree() == home + own)
    try family.fleet.expectExhausted()
  }

  @Test func whatMayOnlyBeReadCannotBeMadeAnewBeforeOneHasLeft() throws {
    try family.ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Family.benID: .read], publicPermission: nil)
    try family.settle()
    #expect(throws: (any Error).self) {
      try family.ben.execute(
        "DELETE FROM lists WHERE id = 'home'; INSERT INTO lists VALUES ('home', 'Mine')")
    }
    try family.settle()
    #expect(try family.ann.tree() == home + work)
  }
}
