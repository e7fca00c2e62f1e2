import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// The end of sharing: taken back, left, removed, deleted.
struct EndOfSharingTests {
  private let family: Family
  private var ann: Device { family.ann }
  private var ben: Device { family.ben }

  private let home = Family.home
  private let work = Family.work
  private let own = Family.own

  init() throws {
    family = try Family()
    try family.share([Family.benID: .write, Family.catID: .read])
  }

  private func expectOnlyAnnHasHome() throws {
    for device in [family.ann, family.annToo] {
      #expect(try device.tree() == home + work)
      #expect(try device.shared() == [])
    }
    for device in [family.ben, family.benToo] { #expect(try device.tree() == own) }
    #expect(try family.cat.tree() == [])
  }

  @Test func whatIsTakenBackStaysWithItsOwnerAlone() throws {
    try ann.synchronizer.unshare(table: "lists", key: "home")
    try family.settle()
    try expectOnlyAnnHasHome()
    #expect(ben.zoneChanges.last == .ended && !ann.zoneChanges.contains(.ended))
    #expect(try ann.container.zones().map(\.name) == ["default"])
    #expect(try ben.rows("SELECT DISTINCT primaryKey FROM sync_history ORDER BY 1").count == 3)
    try family.fleet.expectExhausted()
  }

  @Test func aRowThatAConstraintKeepsGoesAsSoonAsItCan() throws {
    try ben.execute(
      "CREATE TABLE pins (reminderID REFERENCES reminders (id)); INSERT INTO pins VALUES ('milk')")
    try ann.synchronizer.unshare(table: "lists", key: "home")
    try family.settle()
    #expect(try ben.tree() == ["Home", "Home > Milk"] + own)
    #expect(try ben.counts().quarantined == 2)
    #expect(try ann.container.zones().map(\.name) == ["default"])
    try ben.execute("DELETE FROM pins")
    try ben.relaunch()
    try family.settle()
    try expectOnlyAnnHasHome()
    try family.fleet.expectExhausted(after: [.quarantined])
  }

  @Test func aRowThatAConstraintKeepsBecomesOnesOwnWholeByWhatIsPutIntoIt() throws {
    try ben.execute(
      "CREATE TABLE pins (listID REFERENCES lists (id)); INSERT INTO pins VALUES ('home')")
    try ann.synchronizer.unshare(table: "lists", key: "home")
    try family.settle()
    try ben.execute("INSERT INTO reminders VALUES ('eggs', 'Eggs', 'home')")
    try family.settle()
    let new = try family.fleet.device(account: Family.benID)
    try family.settle()
    for device in [ben, family.benToo, new] {
      #expect(try device.tree() == ["Home", "Home > Eggs"] + own)
    }
    try family.fleet.expectExhausted(after: [.quarantined, .refused(.referenceViolation)])
  }

  @Test func aRowThatAConstraintKeepsCanBeSharedAgain() throws {
    try ben.execute(
      "CREATE TABLE pins (reminderID REFERENCES reminders (id)); INSERT INTO pins VALUES ('milk')")
    try ann.synchronizer.unshare(table: "lists", key: "home")
    try family.settle()
    try ann.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try family.share([Family.benID: .write])
    #expect(try ben.tree() == ["Home", "Home > Oat milk", "Home > Oat milk > 3.5 %"] + own)
    try family.fleet.expectExhausted(after: [.quarantined])
  }

  @Test func whatWasTakenBackCanBeSharedAgain() throws {
    try ann.synchronizer.unshare(table: "lists", key: "home")
    try family.settle()
    try family.share([Family.catID: .write])
    #expect(try family.cat.tree() == home)
    #expect(try ben.tree() == own)
    try family.cat.execute("INSERT INTO reminders VALUES ('eggs', 'Eggs', 'home')")
    try family.settle()
    #expect(try ann.tree().contains("Home > Eggs"))
    try family.fleet.expectExhausted()
  }

  @Test func aZoneThatWasBegunAnewAfterADeletionIsClosed() throws {
    try ann.execute("DELETE FROM subtasks WHERE id = 'fat'")
    try family.settle()
    let zone = try #require(try ann.container.zones().first { $0.name != "default" })
    try ann.container.zone(zone).reset(reason: "a test")
    try family.settle()
    try ann.synchronizer.unshare(table: "lists", key: "home")
    try family.settle()
    #expect(try ann.container.zones().map(\.name) == ["default"])
    // The cover's bytes were left behind with the old log.
    try family.fleet.expectExhausted(
      after: [.refused(.assetFileNotFound), .refused(.batchRequestFailed)])
  }

  @Test func anEditThatArrivesBeforeTheZoneIsClosedIsKept() throws {
    try ben.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try ben.sync()
    try ann.synchronizer.unshare(table: "lists", key: "home")
    try family.settle()
    #expect(try ann.tree().contains("Home > Oat milk"))
    #expect(try ben.tree() == own)
    try family.fleet.expectExhausted()
  }

  @Test func whoLeavesLosesOnlyTheOwnCopy() throws {
    try ben.execute("INSERT INTO notes VALUES ('b', 'Only his', 'home')")
    try family.settle()
    try family.benToo.synchronizer.leave(table: "lists", key: "home")
    try family.settle()
    for device in [family.ben, family.benToo] {
      #expect(try device.tree() == own)
      #expect(try device.rows("SELECT * FROM notes") == [])
    }
    #expect(try ann.tree() == home + work)
    #expect(try family.cat.tree() == home)
    let participants = try ann.database.readSnapshot(SyncShare.all).first?.participants
    #expect(participants?[Family.benID]?.state == .left)
    try family.fleet.expectExhausted()
  }

  @Test func whoDeletesTheRootOfSomebodyElseLeaves() throws {
    try ben.execute("DELETE FROM lists WHERE id = 'home'")
    try family.cat.execute("DELETE FROM lists WHERE id = 'home'")
    try family.settle()
    for device in [family.ben, family.benToo] { #expect(try device.tree() == own) }
    #expect(try family.cat.tree() == [])
    #expect(try ann.tree() == home + work)
    try family.fleet.expectExhausted()
  }

  @Test func whoLeavesWhileStoppedHasLeftAfterTheStart() throws {
    try ben.execute("DELETE FROM lists WHERE id = 'home'")
    try ben.relaunch()
    try family.settle()
    #expect(try family.benToo.tree() == own)
    #expect(try ann.tree() == home + work)
    try family.fleet.expectExhausted()
  }

  @Test func whenTheOwnerDeletesItItIsGoneEverywhere() throws {
    try ann.execute("DELETE FROM lists WHERE id = 'home'")
    try family.settle()
    for device in [family.ann, family.annToo] { #expect(try device.tree() == work) }
    for device in [family.ben, family.benToo] { #expect(try device.tree() == own) }
    #expect(try family.cat.tree() == [])
    #expect(try ann.container.zones().map(\.name) == ["default"])
    #expect(try ann.rows("SELECT * FROM sync_shares") == [])
    try family.fleet.expectExhausted()
  }

  @Test func whoIsRemovedSeesNothingMore() throws {
    try ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Family.benID: .none], publicPermission: nil)
    try family.settle()
    for device in [family.ben, family.benToo] { #expect(try device.tree() == own) }
    #expect(try family.cat.tree() == home)
    #expect(try ann.tree() == home + work)
    try family.fleet.expectExhausted()
  }

  @Test func whatWasRemovedInTheMeantimeIsKeptInTheHistory() throws {
    try ben.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Family.benID: .none], publicPermission: nil)
    try ann.sync()
    try family.settle()
    #expect(try ben.tree() == own)
    #expect(
      try ben.rows(
        "SELECT v0 FROM sync_history WHERE primaryKey = 'milk' AND field IS NULL")
        == ["Oat milk"])
    #expect(try ann.tree() == home + work)
    try family.fleet.expectExhausted()
  }

  @Test func aZoneThatDisappearsTakesTheRowsOfOthersAndLeavesTheOwners() throws {
    let zone = try #require(ann.database.readSnapshot(SyncShare.all).first?.zone)
    try ann.container.zone(zone).delete(reason: "a test")
    try family.settle()
    try expectOnlyAnnHasHome()
    try family.fleet.expectExhausted()
  }

  @Test func whoIsInvitedAgainComesBack() throws {
    try ben.synchronizer.leave(table: "lists", key: "home")
    try family.settle()
    let link = try ann.share([Family.benID: .read])
    try family.settle()
    try ben.synchronizer.accept(link)
    try family.settle()
    for device in [family.ben, family.benToo] { #expect(try device.tree() == home + own) }
    try family.fleet.expectExhausted()
  }

  /// The second device knows that it left, and has told nobody, when the first is in again.
  @Test func whoComesBackOnAnotherDeviceGetsAllOfItOnBoth() throws {
    let link = try family.share([Family.benID: .write])
    let benToo = family.benToo
    try benToo.synchronizer.leave(table: "lists", key: "home")
    try benToo.synchronizer.sendOnce(to: benToo.synchronizer.zones()[0])
    try ben.sync()
    #expect(try ben.tree() == own)
    try ben.synchronizer.accept(link)
    try ann.execute("INSERT INTO reminders VALUES ('tea', 'Tea', 'home')")
    try family.settle()
    for device in [ben, benToo] { #expect(try device.tree() == home + ["Home > Tea"] + own) }
    try family.fleet.expectExhausted()
  }

  /// Ben has brought the list back as his own.
  @Test func whatIsHereAsOnesOwnIsNotAccepted() throws {
    try family.share([Family.benID: .write])
    try ben.synchronizer.leave(table: "lists", key: "home")
    try family.settle()
    try ben.execute("INSERT INTO lists VALUES ('home', 'Mine')")
    try family.settle()
    let link = try ann.share([Family.benID: .write])
    try family.settle()
    let error = try #require(throws: SyncError.self) { try ben.synchronizer.accept(link) }
    #expect(error.reason == .ownRow)
    #expect(error.message.hasPrefix("You already have “Home” as your own, and cannot have the one"))
    try family.settle()
    for device in [family.ben, family.benToo] { #expect(try device.tree() == ["Mine"] + own) }
    #expect(try ann.tree().contains("Home > Milk > 3.5 %"))
    #expect(try ben.rows("SELECT name FROM sync_zones") == ["default"])
    try ben.execute("DELETE FROM lists WHERE id = 'home'")
    try ben.sync()
    try ben.synchronizer.accept(link)
    try family.settle()
    for device in [family.ben, family.benToo] { #expect(try device.tree() == home + own) }
    try family.fleet.expectExhausted()
  }

  @Test func whatIsPublicAndWasLeftCanBeAcceptedAgain() throws {
    let link = try family.share([:], publicly: .read)
    try family.cat.synchronizer.accept(link)
    try family.settle()
    for _ in 0..<2 {
      try family.cat.synchronizer.leave(table: "lists", key: "home")
      try family.settle()
      #expect(try family.cat.tree() == [])
      try family.cat.synchronizer.accept(link)
      try family.settle()
      #expect(try family.cat.tree() == home)
    }
    let participants = try ann.database.readSnapshot(SyncShare.all).first?.participants
    #expect(participants?[Family.catID]?.state == .accepted)
    try family.fleet.expectExhausted()
  }

  @Test func whoWasRemovedDoesNotComeBackByAPublicLink() throws {
    let link = try family.share([:], publicly: .read)
    try ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Family.benID: .none], publicPermission: nil)
    try family.settle()
    #expect(try ben.tree() == own)
    let error = #expect(throws: SyncError.self) { try ben.synchronizer.accept(link) }
    #expect(error?.reason == .notShared)
  }

  @Test func whoLeavesAfterHeWasRemovedIsRemovedStill() throws {
    let link = try family.share([:], publicly: .read)
    try ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Family.benID: .none], publicPermission: nil)
    try ann.sync()
    try ben.synchronizer.leave(table: "lists", key: "home")
    try family.settle()
    #expect(throws: SyncError.self) { try ben.synchronizer.accept(link) }
  }

  @Test(arguments: [true, false])
  func whatIsBegunAnewIsStillSharedWithTheSamePeople(ownerComesFirst: Bool) throws {
    let zone = try #require(ann.database.readSnapshot(SyncShare.all).first?.zone)
    try ben.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try ann.container.zone(zone).reset(reason: "a test")
    if !ownerComesFirst {
      for device in [ben, family.benToo, family.cat] {
        try device.sync()
        #expect(try device.tree().contains { $0.hasPrefix("Home > ") })
      }
    }
    try family.settle()
    let home = ["Home", "Home > Oat milk", "Home > Oat milk > 3.5 %"]
    for device in [family.ann, family.annToo] { #expect(try device.tree() == home + work) }
    for device in [family.ben, family.benToo] { #expect(try device.tree() == home + own) }
    #expect(try family.cat.tree() == home)
    // The cover's bytes were left behind with the old log.
    try family.fleet.expectExhausted(
      after: [.refused(.assetFileNotFound), .refused(.batchRequestFailed)])
  }
}
