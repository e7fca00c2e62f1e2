import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// What was deleted in a zone that has ended since, and is made anew: as an app's undo does.
struct MadeAnewTests {
  private let family: Family
  private let home = Family.home
  private let work = Family.work
  private let own = Family.own

  init() throws {
    family = try Family()
    try family.share([Family.benID: .write])
  }

  private func expectOnlyAnnHas(_ tree: [String]) throws {
    let new = try family.fleet.device(account: Family.annID)
    try family.settle()
    for device in [family.ann, family.annToo, new] {
      #expect(try device.tree() == tree)
      #expect(try device.counts() == SyncCounts())
      #expect(try device.strays().isEmpty && device.troubles.isEmpty)
    }
    #expect(try family.ben.tree() == own)
  }

  private static let rows = """
    INSERT INTO lists VALUES ('home', 'Home');
    INSERT INTO reminders VALUES ('milk', 'Milk', 'home');
    INSERT INTO subtasks VALUES ('fat', '3.5 %', 'milk');
    """

  @Test func aSharedRowBeforeOthersHaveHeardOfItsDeletion() throws {
    try family.ann.execute("DELETE FROM lists WHERE id = 'home'")
    try family.ann.sync()
    try family.ann.execute(Self.rows)
    try family.settle()
    try expectOnlyAnnHas(home + work)
  }

  @Test(arguments: [true, false])
  func aSharedRowThatIsGoneEverywhere(isMadeByAnotherDevice: Bool) throws {
    try family.ann.execute("DELETE FROM lists WHERE id = 'home'")
    try family.settle()
    try (isMadeByAnotherDevice ? family.annToo : family.ann).execute(Self.rows)
    try family.settle()
    try expectOnlyAnnHas(home + work)
  }

  @Test func aRowBelowOneThatWasTakenBack() throws {
    try family.ann.execute("DELETE FROM reminders WHERE id = 'milk'")
    try family.settle()
    try family.ann.synchronizer.unshare(table: "lists", key: "home")
    try family.settle()
    try family.ann.execute("INSERT INTO reminders VALUES ('milk', 'Milk', 'home')")
    try family.settle()
    try expectOnlyAnnHas(["Home", "Home > Milk"] + work)
  }

  @Test func itCanBeSharedAgain() throws {
    try family.ann.execute("DELETE FROM lists WHERE id = 'home'")
    try family.settle()
    try family.ann.execute(Self.rows)
    try family.settle()
    try family.share([Family.benID: .write])
    #expect(try family.ben.tree() == home + own)
    try family.ben.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try family.settle()
    #expect(try family.annToo.rows("SELECT title FROM reminders WHERE id = 'milk'") == ["Oat milk"])
    try family.fleet.expectExhausted()
  }
}
