import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// Versions of records that are kept aside, since whoever wrote them has no say about them.
struct HeldVersionTests {
  private let family: Family

  init() throws {
    family = try Family()
  }

  @Test func versionThatIsTakenIsNotHeldAnyLonger() throws {
    try family.share([Family.benID: .read])
    // Another device of ben's has moved what it might write until then.
    try Stranger(family.fleet, account: Family.benID).save(
      "reminders", "milk", ["title": .text("Milk"), "listID": .text("own")], parent: "own:lists")
    try family.ben.sync()
    try family.ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Family.benID: .none], publicPermission: nil)
    try family.settle()
    #expect(try family.ben.tree().contains("Own > Milk"))
    #expect(try family.ben.rows("SELECT tag FROM sync_leftovers WHERE isHeld") == [])
    // While this device is away, the reminder moves on, and somebody else edits it there.
    let link = try family.benToo.synchronizer.share(
      table: "lists", key: "own", title: "Own", participants: [Family.catID: .write],
      publicPermission: .none)
    try family.fleet.settle(family.benToo, family.cat)
    try family.cat.synchronizer.accept(link)
    try family.cat.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try family.fleet.settle(family.cat, family.benToo)
    try family.settle()
    #expect(try family.ben.tree() == family.benToo.tree())
    #expect(try family.ben.tree().contains("Own > Oat milk"))
  }

  @Test func versionThatHangsOnWhatIsNotInItsZoneDoesNotMoveWithTheRow() throws {
    let link = try family.share([Family.benID: .write])
    let stranger = try Stranger(family.fleet, account: Family.benID, zone: link.zone)
    try stranger.save(
      "reminders", "milk", ["title": .text("Forged"), "listID": .text("own")], parent: "home:lists")
    try family.ann.sync()
    try family.ann.synchronizer.unshare(table: "lists", key: "home")
    // Whatever is kept aside is tried again then.
    try family.ann.relaunch()
    try family.settle()
    for device in [family.ann, family.annToo] {
      #expect(try device.tree() == Family.home + Family.work)
      #expect(try device.counts().waiting == 0)
    }
  }

  /// The log lets a record go of a parent that is deleted, also one of a table that the device
  /// which deletes does not have.
  @Test func recordOfUnknownTableIsJudgedWhenTheTableIsHere() throws {
    try family.share([Family.benID: .write])
    var schema = Schema.family
    schema.tables.removeAll { $0 == "subtasks" }
    let old = try family.fleet.device(schema: schema, account: Family.annID)
    try family.settle()
    try old.execute("DELETE FROM reminders WHERE id = 'milk'")
    try old.sync()
    let late = try family.fleet.device(schema: schema, account: Family.annID)
    try late.sync()
    // What was made before anybody had heard of the deletion keeps the reminder alive.
    family.fleet.clock.advance()
    try family.ann.execute("INSERT INTO subtasks VALUES ('size', 'Two', 'milk')")
    try family.settle()
    for device in [old, late] { try device.relaunch(tables: Schema.family.tables) }
    try family.fleet.settle(family.ann, family.annToo, family.ben, old, late)
    for device in [family.ann, family.annToo, old, late] {
      #expect(try device.tree() == Family.home + ["Home > Milk > Two"] + Family.work)
    }
  }

  /// Ben moves a reminder from ann's shared list into his own, which ann may only read; one of her
  /// devices has unshared the list meanwhile.
  @Test func whatAnotherDeviceTookBackIsTakenWithWhatHangsOnIt() throws {
    try family.share([Family.benID: .write])
    try family.shareOwn(.read)
    try family.ben.execute("UPDATE reminders SET listID = 'own' WHERE id = 'milk'")
    try family.fleet.settle(family.ben, family.ann)
    try family.annToo.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try family.annToo.synchronizer.unshare(table: "lists", key: "home")
    try family.settle()
    #expect(try family.ann.tree() == family.annToo.tree())
  }

  /// Who may only read a list sends nothing of what follows from a deletion in it.
  @Test func readerSendsNoDeletionOfWhatHungOnADeletedRow() throws {
    let old = try oldDevice(sharingWith: .read)
    try old.execute("DELETE FROM reminders WHERE id = 'milk'")
    try old.sync()
    try family.ben.sync()
    #expect(try family.ben.tree() == ["Home"] + Family.own)
    #expect(try family.ben.counts() == SyncCounts())
    try family.settle()
    #expect(try family.ben.tree() == ["Home"] + Family.own)
    #expect(try family.ben.counts() == SyncCounts())
  }

  /// What is below a deleted row and was made later brings it back: that can only somebody who may
  /// write.
  @Test func readerTakesARowThatIsRevivedWithWhatHangsOnIt() throws {
    let old = try oldDevice(sharingWith: .read)
    family.fleet.clock.advance()
    try family.ann.execute("INSERT INTO subtasks VALUES ('size', 'Two', 'milk')")
    try family.settle()
    try old.sync()
    old.skew = -1_000
    try old.execute("DELETE FROM reminders WHERE id = 'milk'")
    try old.sync()
    try family.ben.sync()
    #expect(try family.ben.tree() == ["Home"] + Family.own)
    #expect(try family.ben.counts() == SyncCounts())
    try family.settle()
    let home = Family.home + ["Home > Milk > Two"]
    #expect(try family.ann.tree() == home + Family.work)
    #expect(try family.ben.tree() == home + Family.own)
  }

  /// Ben deletes a reminder that he may only read by then; somebody else made something below it.
  @Test func whatHangsOnARowThatIsGivenBackComesWithIt() throws {
    try family.share([Family.benID: .write])
    try family.annToo.execute("INSERT INTO subtasks VALUES ('size', 'Two', 'milk')")
    family.fleet.clock.advance()
    try family.ben.execute("DELETE FROM reminders WHERE id = 'milk'")
    try family.annToo.sync()
    try family.annToo.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Family.benID: .read], publicPermission: nil)
    try family.settle()
    #expect(try family.ben.tree() == Family.home + ["Home > Milk > Two"] + Family.own)
    #expect(try family.ben.counts() == SyncCounts())
  }

  /// What a reader has made below a row that is deleted goes with it, whenever it was made.
  @Test func whatAReaderHasNotSentGoesWithTheRow() throws {
    try family.share([Family.benID: .write])
    try family.ann.execute("DELETE FROM reminders WHERE id = 'milk'")
    family.fleet.clock.advance()
    try family.ben.execute("INSERT INTO subtasks VALUES ('size', 'Two', 'milk')")
    try family.ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Family.benID: .read], publicPermission: nil)
    try family.settle()
    #expect(try family.ben.tree() == ["Home"] + Family.own)
    #expect(try family.ben.strays() == [])
    #expect(try family.ben.counts() == SyncCounts())
  }

  /// A reminder is moved to two lists at once, ann's own and one of ben's that ann may only read.
  @Test func whatHangsOnARowThatCameBackStaysWhereItWasMade() throws {
    try family.share([Family.benID: .write])
    try family.shareOwn(.read)
    try family.ann.execute("UPDATE reminders SET listID = 'work' WHERE id = 'milk'")
    try family.ann.sync()
    family.fleet.clock.advance()
    try family.ben.execute("UPDATE reminders SET listID = 'own' WHERE id = 'milk'")
    try family.ben.execute("INSERT INTO subtasks VALUES ('size', 'Two', 'milk')")
    try family.ben.send()
    try family.fleet.settle(family.ben, family.ann, family.annToo)
    try family.ann.execute("DELETE FROM reminders WHERE id = 'milk'")
    try family.ann.fetch()
    family.fleet.clock.advance()
    try family.annToo.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try family.fleet.settle(family.annToo, family.ann)
    try family.settle()
    #expect(try family.ann.tree() == family.annToo.tree())
    for device in [family.ann, family.annToo] {
      #expect(try device.counts() == SyncCounts())
    }
  }

  /// An old version of the app deletes a reminder and lets its subtask go in the log; another one
  /// has moved the reminder to a list that is not shared.
  @Test(arguments: [true, false])
  func whatWasLetGoOfInTheLogFollowsItsParent(isMovedFirst: Bool) throws {
    let old = try oldDevice(sharingWith: .write)
    var schema = Schema.family
    schema.tables.removeAll { $0 == "subtasks" }
    let bens = try family.fleet.device(schema: schema, account: Family.benID)
    try bens.sync()
    try bens.execute("DELETE FROM reminders WHERE id = 'milk'")
    family.fleet.clock.advance()
    try old.execute("UPDATE reminders SET listID = 'work' WHERE id = 'milk'")
    if isMovedFirst {
      try family.fleet.settle(old, bens, old)
    } else {
      try family.fleet.settle(bens, old)
    }
    try family.settle()
    try old.relaunch(tables: Schema.family.tables)
    try family.fleet.settle(family.ann, family.annToo, family.ben, old)
    try family.settle()
    #expect(try family.ann.tree().contains("Work > Milk > 3.5 %"))
    for device in [family.annToo, old] { #expect(try device.tree() == family.ann.tree()) }
  }

  /// An old version of the app moves a reminder and cannot take the subtask along, which it does
  /// not know: a new one does, while somebody else edits it where it was.
  @Test func whatHangsOnWhatWasLeftBehindIsLeftBehindToo() throws {
    let link = try family.share([Family.benID: .write])
    var schema = Schema.family
    schema.tables.removeAll { $0 == "subtasks" }
    let bens = try family.fleet.device(schema: schema, account: Family.benID)
    try bens.sync()
    family.fleet.clock.advance()
    try bens.execute("UPDATE reminders SET listID = 'own' WHERE id = 'milk'")
    for device in [bens, family.ben, family.ben, family.benToo, bens] { try device.sync() }
    // The log forgets that the subtask went, and that the reminder is to go is not said yet.
    try family.ann.container.zone(link.zone).reset(reason: "a test")
    family.fleet.clock.advance()
    try family.annToo.execute("UPDATE subtasks SET title = '1.5 %' WHERE id = 'fat'")
    try family.annToo.sync()
    try family.fleet.settle(family.annToo, family.ben, bens, family.ann)
    try family.settle()
    #expect(try family.ben.tree().contains("Own > Milk > 1.5 %"))
    for device in [family.ann, family.annToo] {
      #expect(try device.tree() == ["Home"] + Family.work)
      #expect(try device.counts() == SyncCounts())
    }
    for device in [family.ben, bens] { #expect(try device.counts() == SyncCounts()) }
  }

  /// An old version of the app takes a list back, and no device is there that knows subtasks.
  @Test func whatIsUnknownComesBackWithWhatIsNotSharedAnyMore() throws {
    let old = try oldDevice(sharingWith: .write)
    try old.synchronizer.unshare(table: "lists", key: "home")
    try family.fleet.settle(old)
    let new = try family.fleet.device(account: Family.annID)
    try family.fleet.settle(new, old)
    #expect(try new.tree() == Family.home + Family.work)
    #expect(try new.counts() == SyncCounts())
    try family.settle()
    #expect(try family.ann.tree() == Family.home + Family.work)
    #expect(try old.rows("SELECT name FROM sync_zones") == ["default"])
  }

  /// The old device has not heard of the deletion when it takes the list back.
  @Test func whatIsUnknownAndDeletedDoesNotComeBackWithIt() throws {
    let old = try oldDevice(sharingWith: .write)
    try family.ben.execute("DELETE FROM reminders WHERE id = 'milk'")
    try family.ben.sync()
    try old.synchronizer.unshare(table: "lists", key: "home")
    try family.fleet.settle(old)
    let new = try family.fleet.device(account: Family.annID)
    try family.fleet.settle(new, old)
    #expect(try new.tree() == ["Home"] + Family.work)
    #expect(try new.counts() == SyncCounts())
    try family.settle()
    #expect(try family.ann.tree() == ["Home"] + Family.work)
    #expect(try family.ann.counts() == SyncCounts())
  }

  /// A new device, which never heard of the list, has it in the history once it has given up
  /// waiting for what it hung on.
  @Test func whatIsUnknownGoesWithASharedListThatIsDeleted() throws {
    let old = try oldDevice(sharingWith: .write)
    try old.execute("DELETE FROM lists WHERE id = 'home'")
    try family.fleet.settle(old)
    let new = try family.fleet.device(account: Family.annID)
    try family.fleet.settle(new, old)
    #expect(try new.tree() == Family.work)
    family.fleet.clock.advance(milliseconds: Applier.patience)
    try family.fleet.settle(new, old)
    #expect(try new.counts() == SyncCounts())
    #expect(try new.rows("SELECT primaryKey FROM sync_history WHERE field ISNULL") == ["fat"])
    try family.settle()
    #expect(try family.ann.tree() == Family.work)
    #expect(try family.ann.counts() == SyncCounts())
  }

  /// A new device finds the subtask before the deletion, and nobody else is there to delete it.
  @Test func whatWaitsForADeletedRowGoesWithIt() throws {
    let old = try oldDevice(sharingWith: .write)
    family.fleet.clock.advance()
    try old.execute("DELETE FROM reminders WHERE id = 'memo'")
    try old.sync()
    let new = try family.fleet.device(account: Family.annID)
    try new.sync()
    #expect(try new.counts() == SyncCounts())
    #expect(try new.tree() == Family.home + ["Work"])
    #expect(try new.rows("SELECT primaryKey FROM sync_history WHERE field ISNULL") == ["page"])
  }

  /// Ann's old device has moved the reminder to a list of her own, without the subtask.
  ///
  /// Then ben's old device deletes it where it was, and lets the subtask go there. Devices that
  /// never had any of it find only that.
  @Test func whatWasLetGoOfGoesWithItsParentThatWasDeletedInAnotherZone() throws {
    let old = try oldDevice(sharingWith: .write)
    var schema = Schema.family
    schema.tables.removeAll { $0 == "subtasks" }
    let bens = try family.fleet.device(schema: schema, account: Family.benID)
    try bens.sync()
    try old.execute("UPDATE reminders SET listID = 'work' WHERE id = 'milk'")
    try old.sync()
    family.fleet.clock.advance()
    try bens.execute("DELETE FROM reminders WHERE id = 'milk'")
    try family.fleet.settle(bens, old)
    let new = try family.fleet.device(account: Family.annID)
    let bensNew = try family.fleet.device(account: Family.benID)
    for device in [bensNew, new] {
      try device.sync()
      #expect(try device.counts() == SyncCounts())
      #expect(try device.rows("SELECT 1 FROM sync_leftovers") == [])
    }
    #expect(try bensNew.rows("SELECT primaryKey FROM sync_history WHERE field ISNULL") == ["fat"])
    try family.settle()
    for device in [family.ann, family.annToo, new] {
      #expect(try device.tree() == ["Home"] + Family.work)
      #expect(try device.counts() == SyncCounts())
    }
  }

  /// The subtask is later than the deletion of its reminder, so a device that has just come to know
  /// subtasks waits for the reminder to come back; instead, the list is deleted.
  @Test func whatWaitsInAListThatIsDeletedGoesIntoTheHistory() throws {
    let old = try oldDevice(sharingWith: .write)
    family.fleet.clock.advance()
    try family.ann.execute("UPDATE subtasks SET title = 'Fat' WHERE id = 'fat'")
    try family.fleet.settle(family.ann, old)
    old.skew = -86_400_000
    try old.execute("DELETE FROM reminders WHERE id = 'milk'")
    try old.sync()
    old.skew = 0
    try old.relaunch(tables: Schema.family.tables)
    #expect(try old.counts().waiting == 1)
    try family.fleet.settle(family.ann)
    family.fleet.clock.advance()
    try family.ann.execute("DELETE FROM lists WHERE id = 'home'")
    try family.fleet.settle(family.ann)
    try old.sync()
    family.fleet.clock.advance(milliseconds: Applier.patience)
    try family.fleet.settle(family.ann, old)
    #expect(try old.tree() == Family.work)
    #expect(try old.counts() == SyncCounts())
    #expect(
      try old.rows("SELECT primaryKey FROM sync_history WHERE field ISNULL AND primaryKey = 'fat'")
        == ["fat"])
  }

  /// An old version of the app deletes a reminder that is saved nowhere any more, before it has
  /// sent what hangs on it and what it does not know.
  @Test func whatWaitsForWhatWasNeverSentGoesIntoTheHistory() throws {
    let old = try oldDevice(sharingWith: .write)
    try family.ann.execute("INSERT INTO reminders VALUES ('tea', 'Tea', 'home')")
    try family.ann.execute("INSERT INTO subtasks VALUES ('bag', 'Bag', 'tea')")
    try family.fleet.settle(family.ann, old)
    let zone = try #require(old.database.readSnapshot(SyncShare.all).first?.zone)
    try family.ann.container.zone(zone).delete(reason: "a test")
    try old.synchronizer.fetchChanges()
    // The cloud refused the subtask, as it does before it has the reminder.
    try old.write { db in
      let schema = try #require(try SchemaRegistry.knownTableID("subtasks", in: db))
      let bag = try #require(try MetadataStore(db: db).record(tableID: schema, key: "bag")?.id)
      try Outbox(db: db).postpone(bag, CloudError(.referenceViolation, "a test")) { _ in .max }
    }
    try old.execute("DELETE FROM reminders WHERE id = 'tea'")
    try old.sync()
    try old.relaunch(tables: Schema.family.tables)
    family.fleet.clock.advance(milliseconds: Applier.patience)
    for _ in 0..<2 { try old.sync() }
    #expect(try old.counts() == SyncCounts())
    #expect(
      try old.rows("SELECT primaryKey FROM sync_history WHERE field ISNULL AND primaryKey = 'bag'")
        == ["bag"])
  }

  /// Ben's program says that a subtask hangs on what nobody has, and in the log on the list.
  @Test func whatHangsOnWhatNobodyHasAndOnAnotherInTheLogGoesIntoTheHistory() throws {
    let old = try oldDevice(sharingWith: .write)
    let zone = try #require(old.database.readSnapshot(SyncShare.all).first?.zone)
    let program = try Stranger(family.fleet, account: Family.benID, zone: zone)
    try program.save("subtasks", "fat", ["reminderID": .text("home")], parent: "home:lists")
    try old.sync()
    try old.synchronizer.unshare(table: "lists", key: "home")
    try family.fleet.settle(old)
    let new = try family.fleet.device(account: Family.annID)
    try family.fleet.settle(new)
    #expect(try new.counts().waiting == 1)
    family.fleet.clock.advance(milliseconds: Applier.patience)
    try family.fleet.settle(new, old)
    #expect(try new.counts() == SyncCounts())
    #expect(try new.rows("SELECT primaryKey FROM sync_history WHERE field ISNULL") == ["fat"])
    try family.settle()
    #expect(try family.ann.counts() == SyncCounts())
  }

  /// A device of ann's with a version of the app that knows no subtasks; ann shares her list.
  private func oldDevice(sharingWith permission: Share.Permission) throws -> Device {
    try family.share([Family.benID: permission])
    var schema = Schema.family
    schema.tables.removeAll { $0 == "subtasks" }
    let old = try family.fleet.device(schema: schema, account: Family.annID)
    try old.sync()
    return old
  }
}
