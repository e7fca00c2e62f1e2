import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Rows that are deleted, or whose zone ends, while they are on their way from one zone to another.
struct UnfinishedMoveTests {
  private let family: Family
  private var ann: Device { family.ann }
  private var annToo: Device { family.annToo }
  private var ben: Device { family.ben }
  private var benToo: Device { family.benToo }

  init() throws {
    family = try Family()
  }

  /// Lets a row's new zone be known on the device, and not yet in the cloud.
  private func place(on device: Device) throws {
    try device.synchronizer.write { db in
      try Placement(db: db, tables: device.synchronizer.tables, now: 0).placePending()
    }
  }

  private func expectGone(_ key: String) throws {
    for device in family.fleet.devices {
      #expect(try device.rows("SELECT * FROM reminders WHERE id = '\(key)'") == [])
    }
    try family.fleet.expectExhausted()
  }

  /// What is below a row that was moved by both: there is nothing to wait for.
  ///
  /// Ann has moved it away and back, when ben may only read there; an old version of ben's app,
  /// which knows no subtasks, has moved it to a list of his own.
  @Test func whatStaysBelowTheOtherCopyOfARowIsNotWaitedFor() throws {
    try family.share([Family.benID: .write])
    var schema = Schema.family
    schema.tables.removeAll { $0 == "subtasks" }
    let bens = try family.fleet.device(schema: schema, account: Family.benID)
    try bens.sync()
    try ann.execute("UPDATE reminders SET listID = 'work' WHERE id = 'milk'")
    try ann.sync()
    for zone in try ben.synchronizer.zones() { try ben.synchronizer.fetchOnce(zone) }
    try ann.execute("UPDATE reminders SET listID = 'home' WHERE id = 'milk'")
    family.fleet.clock.advance()
    try bens.execute("UPDATE reminders SET listID = 'own' WHERE id = 'milk'")
    try bens.send()
    try ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Family.benID: .read], publicPermission: nil)
    try ann.sync()
    try ben.sync()
    let waiting = try ben.database.read { try SyncWaitingRecord.all($0) }
    #expect(waiting == [])
    #expect(try ben.counts() == SyncCounts())
    try family.settle()
    #expect(try ann.tree() == Family.home + Family.work)
    for device in [ben, benToo] {
      #expect(try device.tree() == Family.home + Family.own)
      #expect(try device.counts() == SyncCounts())
    }
  }

  @Test func deletedParentInNewZoneDeletesRowInOldZone() throws {
    try family.share([Family.benID: .write])
    try ann.execute("UPDATE reminders SET listID = 'work' WHERE id = 'milk'")
    try place(on: ann)
    try annToo.execute("DELETE FROM lists WHERE id = 'work'")
    try annToo.sync()
    try family.settle()
    try expectGone("milk")
  }

  /// The second device shares a list and deletes it, before the first one has heard of either.
  @Test func whatWasMadeBelowAListThatWasDeletedInItsNewZoneBringsItBack() throws {
    _ = try annToo.synchronizer.share(
      table: "lists", key: "work", title: "Work", participants: [:], publicPermission: .none)
    let zone = try #require(try annToo.synchronizer.zones().last)
    try zone.log.create()
    try annToo.synchronizer.sendOnce(to: zone)
    try annToo.execute("DELETE FROM lists WHERE id = 'work'")
    try annToo.synchronizer.foldEdits()
    try annToo.synchronizer.sendOnce(to: zone)
    try ann.execute("INSERT INTO reminders VALUES ('tea', 'Tea', 'work')")
    try ann.synchronizer.foldEdits()
    try ann.send()
    try family.settle()
    for device in [ann, annToo] {
      #expect(try device.tree().contains("Work > Tea"))
      #expect(try device.counts() == SyncCounts())
    }
  }

  /// The second device shares a list and deletes it; what the first one has made below it keeps it
  /// in its old zone at that moment.
  @Test func listThatIsDeletedInItsNewZoneStaysNowhere() throws {
    _ = try annToo.synchronizer.share(
      table: "lists", key: "work", title: "Work", participants: [:], publicPermission: .none)
    let zones = try annToo.synchronizer.zones()
    let (own, share) = try (zones[0], #require(zones.last))
    try share.log.create()
    try annToo.synchronizer.sendOnce(to: share)
    try ann.execute("INSERT INTO reminders VALUES ('tea', 'Tea', 'work')")
    try ann.synchronizer.foldEdits()
    try ann.send()
    try annToo.execute("DELETE FROM lists WHERE id = 'work'")
    try annToo.synchronizer.foldEdits()
    try annToo.synchronizer.sendOnce(to: own)
    for _ in 0..<3 { try annToo.sync() }
    // What kept it has gone with it since.
    family.fleet.clock.advance(milliseconds: 2 * SendFailures.holdMilliseconds)
    try annToo.sync()
    let new = try family.fleet.device(account: Family.annID)
    for device in [new, annToo, new] { try device.sync() }
    for device in [new, annToo] {
      #expect(try device.rows("SELECT id FROM lists WHERE id = 'work'") == [])
      #expect(try device.counts() == SyncCounts())
    }
  }

  /// A row moves into a shared list, is deleted there, and the list's zone is deleted: all before
  /// the row's old version is.
  @Test func deletedNewZoneDeletesRowInOldZoneIfItWasDeletedThere() throws {
    let link = try family.share([Family.benID: .write])
    try annToo.execute("UPDATE reminders SET listID = 'home' WHERE id = 'memo'")
    try place(on: annToo)
    try annToo.synchronizer.sendOnce(to: annToo.synchronizer.zones()[1])
    try ben.sync()
    try ben.execute("DELETE FROM reminders WHERE id = 'memo'")
    try ben.sync()
    try annToo.synchronizer.fetchChanges()
    try ann.container.zone(link.zone).delete(reason: "a test")
    try annToo.sync()
    try family.settle()
    let new = try family.fleet.device(account: Family.annID)
    try new.sync()
    for device in [ann, annToo, new] {
      #expect(try device.rows("SELECT * FROM reminders WHERE id = 'memo'") == [])
      #expect(try device.rows("SELECT * FROM sync_leftovers") == [])
    }
  }

  @Test func endedNewZoneDeletesRowInOldZoneIfItWasDeletedHere() throws {
    try family.shareOwn(.write)
    try ann.execute("UPDATE reminders SET listID = 'own' WHERE id = 'memo'")
    try place(on: ann)
    try ann.synchronizer.sendOnce(to: ann.synchronizer.zones()[1])
    try ann.execute("DELETE FROM reminders WHERE id = 'memo'")
    try ben.sync()
    try ben.execute("UPDATE lists SET title = 'Mine' WHERE id = 'own'")
    try ben.synchronizer.unshare(table: "lists", key: "own")
    try ben.sync()
    try family.settle()
    #expect(try ann.rows("SELECT * FROM reminders WHERE id = 'memo'") == [])
    #expect(try annToo.rows("SELECT * FROM reminders WHERE id = 'memo'") == [])
    #expect(try ben.tree().contains("Mine > Memo"))
    try family.fleet.expectExhausted()
  }

  @Test(arguments: [Share.Permission.read, .write])
  func leavingAListKeepsWhatMovedToAnotherOne(permission: Share.Permission) throws {
    try family.share([Family.benID: permission])
    let link = try ann.synchronizer.share(
      table: "lists", key: "work", title: "Work", participants: [Family.benID: permission],
      publicPermission: .none)
    try family.settle()
    try ben.synchronizer.accept(link)
    try family.settle()
    try ann.execute("UPDATE reminders SET listID = 'work' WHERE id = 'milk'")
    try ann.sync()
    try ben.execute("DELETE FROM lists WHERE id = 'home'")
    try family.settle()
    for device in [ben, benToo] {
      #expect(try device.tree().contains("Work > Milk > 3.5 %"))
      #expect(try device.tree().contains("Home") == false)
    }
    #expect(try annToo.tree().contains("Work > Milk > 3.5 %"))
    try family.fleet.expectExhausted()
  }

  @Test func ownRowBelowAListThatEndedWhileSignedOutGoesIntoTheHistory() throws {
    try family.share([Family.benID: .read])
    try ben.execute("INSERT INTO notes VALUES ('mine', 'On her list', 'home')")
    try family.settle()
    for device in [ben, benToo] { try device.signOut() }
    try ann.synchronizer.unshare(table: "lists", key: "home")
    try ann.sync()
    for device in [ben, benToo] {
      try device.signIn(Family.benID)
      try device.synchronizer.open()
      try device.sync()
      #expect(try device.counts().waiting == 1)
    }
    family.fleet.clock.advance(milliseconds: Applier.patience)
    try family.settle()
    for device in [ben, benToo] { #expect(try device.counts() == SyncCounts()) }
    let kept = "SELECT 1 FROM sync_history WHERE primaryKey = 'mine' AND field IS NULL"
    #expect(try ben.rows(kept) == ["1"])
    guard case .tombstone = try CloudImage.copies(in: ben.synchronizer.zone)["mine:notes"]?.content
    else {
      Issue.record("The note is still in the cloud.")
      return
    }
  }

  @Test func rowWhoseNewParentIsNotKnownYetStaysWhenItsOldOneIsShared() throws {
    let stranger = try Stranger(family.fleet, account: Family.benID)
    try stranger.save(
      "reminders", "run", ["title": .text("Run"), "listID": .text("late")], parent: nil)
    try benToo.sync()
    _ = try benToo.synchronizer.share(
      table: "lists", key: "own", title: "Own", participants: [:], publicPermission: .none)
    try family.settle()
    try stranger.save("lists", "late", ["title": .text("Late")])
    try family.settle()
    for device in [ben, benToo] { #expect(try device.tree().contains("Late > Run > Shoes")) }
    try family.fleet.expectExhausted(after: [.waited])
  }

  @Test func whatIsOnItsWayIsWhereTheCloudHasItUntilItArrives() throws {
    try family.share([Family.benID: .write])
    try family.shareOwn(.write)
    try ben.execute("INSERT INTO lists VALUES ('mine', 'Mine')")
    try ben.sync()
    _ = try ben.synchronizer.share(
      table: "lists", key: "mine", title: "Mine", participants: [:], publicPermission: .none)
    try family.settle()
    try ann.execute("UPDATE reminders SET listID = 'own' WHERE id = 'milk'")
    try ann.sync()
    try ben.execute("UPDATE reminders SET listID = 'mine' WHERE id = 'milk'")
    try family.settle()
    for device in [ben, benToo] { #expect(try device.tree().contains("Mine > Milk > 3.5 %")) }
    try family.fleet.expectExhausted()
  }

  @Test func whatAnotherDeviceOfOursMovedOutOfAListThatEndedIsOurs() throws {
    try family.share([Family.benID: .write])
    try ben.execute("UPDATE reminders SET listID = 'own' WHERE id = 'milk'")
    let own = try ben.synchronizer.zones()[0]
    try ben.synchronizer.write { db in
      try Placement(db: db, tables: ben.synchronizer.tables, now: 0).placePending()
    }
    try ben.synchronizer.sendOnce(to: own)
    try ann.synchronizer.unshare(table: "lists", key: "home")
    for _ in 0..<2 { try ann.sync() }
    try benToo.sync()
    #expect(try benToo.tree().contains("Own > Milk > 3.5 %"))
    try family.settle()
    for device in [ben, benToo] { #expect(try device.tree().contains("Own > Milk > 3.5 %")) }
  }

  @Test func whatWaitsForWhatWaitsInVainGoesWithIt() throws {
    let stranger = try Stranger(family.fleet, account: Family.benID)
    try stranger.save("reminders", "r", ["title": .text("In no list"), "listID": .text("never")])
    try stranger.save(
      "subtasks", "s", ["title": .text("Below"), "reminderID": .text("r")],
      parent: "r:reminders")
    try family.settle()
    for device in [ben, benToo] { #expect(try device.counts().waiting == 2) }
    family.fleet.clock.advance(milliseconds: Applier.patience)
    try family.settle()
    #expect(try stranger.names().isDisjoint(with: ["r:reminders", "s:subtasks"]))
    let kept = "SELECT primaryKey FROM sync_history WHERE field IS NULL ORDER BY 1"
    #expect(try ben.rows(kept) == ["r", "s"])
    try family.fleet.expectExhausted(after: [.waited])
  }

  /// One device moves a reminder into ann's list, where she edits it; another one shares the list
  /// in which it was, and has not heard of that.
  @Test func rowThatWasMovedToOthersMeanwhileStaysThere() throws {
    try family.share([Family.benID: .write])
    try family.ben.execute("UPDATE reminders SET listID = 'home' WHERE id = 'run'")
    try family.fleet.settle(family.ben, family.ann)
    try family.ben.execute("INSERT INTO subtasks VALUES ('cap', 'Cap', 'run')")
    try family.fleet.settle(family.ben, family.ann)
    try family.ann.execute("UPDATE reminders SET title = 'Swim' WHERE id = 'run'")
    try family.ann.sync()
    _ = try family.benToo.synchronizer.share(
      table: "lists", key: "own", title: "Own", participants: [Family.catID: .write],
      publicPermission: .none)
    try family.fleet.settle(family.benToo, family.ben, family.ann)
    try family.settle()
    for device in [family.ben, family.benToo] {
      #expect(try device.tree().filter { $0.contains("Swim") }.count == 3)
      #expect(try device.rows("SELECT 1 FROM sync_leftovers") == [])
      #expect(try device.tree().contains("Home > Swim > Cap"))
      #expect(try device.counts() == SyncCounts())
    }
    #expect(try family.ann.tree().contains("Home > Swim > Shoes"))
  }

  /// Ben moves a reminder out of ann's list, which is begun anew before his other device and ann
  /// have heard of that: until she says so again, he may do there what he might before.
  @Test func rowThatWasMovedOutOfALogThatIsBegunAnewIsWhereItWasMoved() throws {
    let link = try family.share([Family.benID: .write])
    _ = try family.ben.synchronizer.share(
      table: "lists", key: "own", title: "Own", participants: [Family.catID: .write],
      publicPermission: .none)
    try family.settle()
    family.fleet.clock.advance()
    try family.ben.execute("UPDATE reminders SET listID = 'own' WHERE id = 'milk'")
    try family.ben.sync()
    try family.ann.container.zone(link.zone).reset(reason: "a test")
    try family.benToo.execute("UPDATE lists SET title = 'Our home' WHERE id = 'home'")
    try family.benToo.synchronizer.sendChanges()
    try family.fleet.settle(family.ann, family.benToo, family.ben)
    try family.settle()
    for device in [family.ben, family.benToo] {
      #expect(try device.tree().contains("Own > Milk > 3.5 %"))
      #expect(try !device.tree().contains("Our home > Milk"))
      #expect(try device.counts() == SyncCounts())
    }
  }

  @Test func ownRowIsNotReplacedByTheOneOfAStrangerWhoseZoneIsKnownEarlier() throws {
    try family.share([Family.benID: .read])
    try ann.execute("INSERT INTO reminders VALUES ('run', 'Stolen', 'home')")
    try family.settle()
    _ = try ben.synchronizer.share(
      table: "lists", key: "own", title: "Own", participants: [:], publicPermission: .none)
    try family.settle()
    let late = try family.fleet.device(account: Family.benID)
    try late.sync()
    try family.settle()
    for device in [ben, benToo, late] { #expect(try device.tree().contains("Own > Run > Shoes")) }
    try family.fleet.expectExhausted()
  }

  @Test(arguments: [Share.Permission.read, .write])
  func movedRowIsNotTakenFromZoneOfStranger(permission: Share.Permission) throws {
    try family.share([Family.benID: permission])
    try ann.execute("INSERT INTO reminders VALUES ('run', 'Stolen', 'home')")
    try family.settle()
    _ = try ben.synchronizer.share(
      table: "lists", key: "own", title: "Own", participants: [:], publicPermission: .none)
    try ben.sync()
    // Not in the order in which the zones were followed: the stranger's comes first.
    let zones = try benToo.synchronizer.zones()
    for zone in zones { try benToo.synchronizer.fetchOnce(zone) }
    try family.settle()
    for device in [ben, benToo] { #expect(try device.tree().contains("Own > Run > Shoes")) }
    #expect(try ann.tree().contains("Home > Stolen"))
    try family.fleet.expectExhausted()
  }
}
