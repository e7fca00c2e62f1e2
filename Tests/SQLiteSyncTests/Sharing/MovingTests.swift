import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Rows that move between lists in several zones end in exactly one of them.
struct MovingTests {
  private let family: Family
  private var ann: Device { family.ann }
  private var annToo: Device { family.annToo }
  private var ben: Device { family.ben }

  private static let moved = ["Home", "Home > Memo", "Home > Memo > Page 1", "Home > Milk"]

  init() throws {
    family = try Family()
    try family.share([Family.benID: .write])
  }

  private func expectMemoAtHome() throws {
    for device in family.fleet.devices where device !== family.cat {
      #expect(try device.tree().starts(with: Self.moved))
      #expect(try device.shared().contains("@ann: memo:reminders"))
      #expect(try device.shared().contains("@ann: page:subtasks"))
    }
    try family.fleet.expectExhausted()
  }

  @Test func aSubtreeMovesIntoASharedList() throws {
    let events = ann.events.count
    try ann.execute("UPDATE reminders SET listID = 'home' WHERE id = 'memo'")
    try family.settle()
    try expectMemoAtHome()
    let deleted = ann.events[events...].compactMap { event in
      if case .sentRecordZoneChanges(_, let deleted, _, _) = event {
        deleted.map(\.name)
      } else {
        nil
      }
    }
    #expect(Set(deleted.joined()) == ["memo:reminders", "page:subtasks"])
  }

  @Test func aSubtreeMovesOutOfASharedList() throws {
    try ann.execute("UPDATE reminders SET listID = 'work' WHERE id = 'milk'")
    try family.settle()
    for device in [ann, annToo] {
      #expect(try device.tree().contains("Work > Milk > 3.5 %"))
      #expect(try device.shared() == ["@ann: home:covers", "@ann: home:lists"])
    }
    for device in [ben, family.benToo] {
      #expect(try device.tree() == ["Home", "Own", "Own > Run", "Own > Run > Shoes"])
    }
    try family.fleet.expectExhausted()
  }

  /// The records of which a device was told that they were deleted elsewhere.
  private func deletionsFetched(by device: Device, since count: Int) -> Set<String> {
    Set(
      device.events[count...].flatMap { event -> [String] in
        if case .fetchedRecordZoneChanges(_, let deleted, _) = event {
          deleted.map(\.name)
        } else {
          []
        }
      })
  }

  @Test func onlyWhoLosesARowByItsMoveIsToldThatItWasDeleted() throws {
    let counts = (ann: annToo.events.count, ben: ben.events.count)
    try ann.execute("UPDATE reminders SET listID = 'work' WHERE id = 'milk'")
    try family.settle()
    #expect(deletionsFetched(by: annToo, since: counts.ann) == [])
    #expect(deletionsFetched(by: ben, since: counts.ben).contains("milk:reminders"))
  }

  /// Ben took a row along into a list of his when he could not know yet that it was not shared any
  /// more; later he may write where it lives, and says something of it.
  @Test func whatHangsOnARowThatIsTakenAfterAllComesAlong() throws {
    try family.shareOwn(.write)
    try ann.synchronizer.unshare(table: "lists", key: "home")
    try ann.sync()
    try ben.execute("UPDATE reminders SET listID = 'own' WHERE id = 'milk'")
    try ben.execute("UPDATE subtasks SET title = '1.5 %' WHERE id = 'fat'")
    try ben.send()
    try family.settle()
    let link = try ann.synchronizer.share(
      table: "lists", key: "work", title: "Work", participants: [Family.benID: .write],
      publicPermission: .none)
    family.fleet.clock.advance()
    try ann.execute("UPDATE reminders SET listID = 'work' WHERE id = 'milk'")
    try family.settle()
    try ben.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try family.settle()
    try ben.synchronizer.accept(link)
    try family.settle()
    for device in [ann, annToo, ben] {
      #expect(try device.tree().contains("Work > Oat milk > 1.5 %"))
      #expect(try device.counts() == SyncCounts())
    }
    try family.fleet.expectExhausted()
  }

  @Test(arguments: [true, false])
  func anotherDeviceEndsTheSameWhicheverZoneItReadsFirst(savesFirst: Bool) throws {
    try ann.execute("UPDATE reminders SET listID = 'home' WHERE id = 'memo'")
    try ann.sync()
    try annToo.execute("UPDATE reminders SET title = 'Memo!' WHERE id = 'memo'")
    let zones = try annToo.synchronizer.zones()
    for zone in savesFirst ? zones.reversed() : zones {
      try annToo.synchronizer.fetchOnce(zone)
      #expect(try annToo.rows("SELECT count(*) FROM reminders WHERE id = 'memo'") == ["1"])
    }
    try family.settle()
    for device in [ann, ben] { #expect(try device.tree().contains("Home > Memo! > Page 1")) }
    try family.fleet.expectExhausted()
  }

  @Test func aMoveWhileStoppedIsSentAfterTheStart() throws {
    try ann.execute("UPDATE reminders SET listID = 'home' WHERE id = 'memo'")
    try ann.relaunch()
    try family.settle()
    try expectMemoAtHome()
  }

  @Test func aMoveThatWasCutShortIsFinishedLater() throws {
    try ann.execute("UPDATE reminders SET listID = 'home' WHERE id = 'memo'")
    // Saved in the new zone, and not yet deleted in the old one.
    let zones = try ann.synchronizer.zones()
    try ann.synchronizer.write { db in
      try Placement(db: db, tables: ann.synchronizer.tables, now: 0).placePending()
    }
    try ann.synchronizer.sendOnce(to: zones[1])
    try family.fleet.settle(annToo, ben, family.benToo)
    #expect(try annToo.tree().contains("Home > Memo > Page 1"))
    try ann.relaunch()
    try family.settle()
    try expectMemoAtHome()
  }

  @Test func anotherDeviceFinishesTheMoveOfOneThatIsLost() throws {
    try ann.execute("UPDATE reminders SET listID = 'home' WHERE id = 'memo'")
    let zones = try ann.synchronizer.zones()
    try ann.synchronizer.write { db in
      try Placement(db: db, tables: ann.synchronizer.tables, now: 0).placePending()
    }
    try ann.synchronizer.sendOnce(to: zones[1])
    try family.fleet.settle(annToo)
    let staleCopies = try annToo.unsettled()
    #expect(staleCopies == [])
    try family.settle()
    try expectMemoAtHome()
  }

  @Test func anEditOfWhoHasNotHeardOfAMoveMovesAlongAlsoWhenItChangesNothing() throws {
    try ben.execute("UPDATE reminders SET listID = 'own' WHERE id = 'milk'")
    let own = try ben.synchronizer.zones()[0]
    try ben.synchronizer.write { db in
      try Placement(db: db, tables: ben.synchronizer.tables, now: 0).placePending()
    }
    try ben.synchronizer.sendOnce(to: own)
    // It knows the row in both zones.
    try family.benToo.synchronizer.fetchChanges()
    try ann.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try ann.execute("UPDATE reminders SET title = 'Milk' WHERE id = 'milk'")
    try ann.sync()
    try family.benToo.sync()
    let zones = try family.benToo.synchronizer.zones().map(\.log)
    let cloud = try CloudImage(cloud: zones, without: [:])
    #expect(try CloudImage(of: family.benToo).differences(from: cloud) == nil)
    try family.settle()
    #expect(try ben.tree().contains("Own > Milk > 3.5 %"))
    try family.fleet.expectExhausted()
  }

  @Test func thereAndBackAgain() throws {
    for list in ["home", "work", "home"] {
      try ann.execute("UPDATE reminders SET listID = ? WHERE id = 'memo'", [list])
      try family.settle()
    }
    try expectMemoAtHome()
  }

  @Test func thereAndBackBeforeAnythingIsSent() throws {
    try ann.execute("UPDATE reminders SET listID = 'home' WHERE id = 'memo'")
    try ann.execute("UPDATE reminders SET listID = 'work' WHERE id = 'memo'")
    try family.settle()
    #expect(try ben.tree().contains("Home > Memo") == false)
    #expect(try annToo.tree().contains("Work > Memo > Page 1"))
    try family.fleet.expectExhausted()
  }

  @Test func aRowThatIsDeletedOnItsWayIsDeletedEverywhere() throws {
    try ann.execute("UPDATE reminders SET listID = 'home' WHERE id = 'memo'")
    try ann.synchronizer.write { db in
      try Placement(db: db, tables: ann.synchronizer.tables, now: 0).placePending()
    }
    try ann.execute("DELETE FROM reminders WHERE id = 'memo'")
    try family.settle()
    for device in family.fleet.devices {
      #expect(try device.rows("SELECT * FROM reminders WHERE id = 'memo'") == [])
    }
    try family.fleet.expectExhausted()
  }

  @Test func anEditOfAParticipantFollowsTheRowThatMovesAway() throws {
    try ann.execute("UPDATE reminders SET listID = 'work' WHERE id = 'milk'")
    try ben.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try ben.sync()
    try family.settle()
    #expect(try annToo.tree().contains("Work > Oat milk > 3.5 %"))
    #expect(try ben.tree().contains("Home > Oat milk") == false)
    try family.fleet.expectExhausted()
  }

  @Test func aParticipantMovesARowOfHisOwnIntoTheSharedListAndTakesItBack() throws {
    try ben.execute("UPDATE reminders SET listID = 'home' WHERE id = 'run'")
    try family.settle()
    for device in [ann, annToo, family.benToo] {
      #expect(try device.tree().contains("Home > Run > Shoes"))
    }
    try family.fleet.expectExhausted()
    try family.benToo.execute("UPDATE reminders SET listID = 'own' WHERE id = 'run'")
    try family.settle()
    for device in [ann, annToo] { #expect(try device.tree().contains("Home > Run") == false) }
    #expect(try ben.tree().contains("Own > Run > Shoes"))
    try family.fleet.expectExhausted()
  }

  @Test func aChildThatIsMadeBelowARowThatMovesAwayMovesToo() throws {
    try ann.execute("UPDATE reminders SET listID = 'work' WHERE id = 'milk'")
    try annToo.execute("INSERT INTO subtasks VALUES ('new', 'New', 'milk')")
    try annToo.sync()
    try family.settle()
    for device in [ann, annToo] { #expect(try device.tree().contains("Work > Milk > New")) }
    #expect(try ann.shared() == ["@ann: home:covers", "@ann: home:lists"])
    try family.fleet.expectExhausted()
  }

  @Test func deletingWhatMovedElsewhereIsDecidedByTheLaterTime() throws {
    try annToo.execute("DELETE FROM reminders WHERE id = 'memo'")
    try ann.execute("UPDATE reminders SET listID = 'home' WHERE id = 'memo'")
    try family.settle()
    try expectMemoAtHome()
    try ann.execute("UPDATE reminders SET listID = 'work' WHERE id = 'memo'")
    try annToo.execute("DELETE FROM reminders WHERE id = 'memo'")
    try family.settle()
    for device in family.fleet.devices {
      #expect(try device.rows("SELECT * FROM reminders WHERE id = 'memo'") == [])
    }
    try family.fleet.expectExhausted()
  }

  @Test func anEditOfAListThatIsSharedMeanwhileGoesAlongAfterAnExpiredToken() throws {
    try annToo.execute("UPDATE lists SET title = 'Office' WHERE id = 'work'")
    _ = try ann.synchronizer.share(
      table: "lists", key: "work", title: "Work", participants: [Family.benID: .write],
      publicPermission: .none)
    try family.fleet.compact(after: ann, forgettingDeletions: true)
    try family.settle()
    for device in [ann, annToo] { #expect(try device.tree().contains("Office > Memo > Page 1")) }
    try family.fleet.expectExhausted(haveTombstonesExpired: true)
  }

  @Test(arguments: [true, false])
  func whatIsDeletedWhileItMovesIsDeletedWhereItWent(isShared: Bool) throws {
    if isShared {
      _ = try ann.synchronizer.share(
        table: "lists", key: "work", title: "Work", participants: [Family.benID: .write],
        publicPermission: .none)
    } else {
      try ann.execute("UPDATE reminders SET listID = 'home' WHERE id = 'memo'")
    }
    family.fleet.clock.advance(milliseconds: 1_000)
    try annToo.execute("DELETE FROM reminders WHERE id = 'memo'")
    try ann.sync()
    try family.settle()
    for device in family.fleet.devices {
      #expect(try device.rows("SELECT id FROM reminders WHERE id = 'memo'") == [])
      #expect(try device.rows("SELECT id FROM subtasks WHERE id = 'page'") == [])
    }
    try family.fleet.expectExhausted()
  }

  @Test func aListWhoseLastRowMovedToASharedOneIsDeletedByTheSameSync() throws {
    // What is only hers stays with it.
    try ann.execute("INSERT INTO reminderTags VALUES ('u', 'memo', 'weekly')")
    try family.settle()
    try ann.execute("UPDATE reminders SET listID = 'home' WHERE id = 'memo'")
    try ann.execute("DELETE FROM lists WHERE id = 'work'")
    try ann.sync()
    #expect(try ann.database.read { try SyncCounts($0) } == SyncCounts())
    try family.settle()
    for device in family.fleet.devices where device !== family.cat {
      #expect(try device.rows("SELECT * FROM lists WHERE id = 'work'") == [])
      #expect(try device.tree().starts(with: Self.moved))
    }
    let tags = "SELECT tagID FROM reminderTags WHERE reminderID = 'memo'"
    for device in [ann, annToo] { #expect(try device.rows(tags) == ["weekly"]) }
    // Nobody is told that what moved was deleted.
    let deleted = try annToo.database.read { try SyncHistory.deletedRows($0, of: "reminders") }
    #expect(deleted.isEmpty)
  }

  @Test func nothingIsSentOfARowThatIsDeletedWhereItsZoneHasEnded() throws {
    try ann.execute("DELETE FROM reminders WHERE id = 'memo'")
    // As a row has it that comes back out of the history, and is deleted again before it is sent.
    try ann.synchronizer.write { db in
      try db.execute(sql: "UPDATE sync_records SET zoneID = 1000 WHERE primaryKey = 'memo'")
    }
    try ann.sync()
    #expect(try ann.database.read { try SyncCounts($0) } == SyncCounts())
  }

  @Test func aLeftoverThatIsRefusedIsTriedLessAndLessOften() throws {
    try ann.execute("UPDATE reminders SET listID = 'home' WHERE id = 'memo'")
    try ann.synchronizer.write { db in
      try Placement(db: db, tables: ann.synchronizer.tables, now: 0).placePending()
      let id = try Int64.fetchOne(db, sql: "SELECT id FROM sync_records WHERE primaryKey = 'memo'")
      let staleCopies = StaleCopies(db: db)
      let record = try #require(id)
      for _ in 0..<2 {
        try staleCopies.postpone(recordID: record, in: SyncZone.defaultID) { Int64($0) * 1_000 }
      }
      let sql = "SELECT nextAttempt FROM sync_leftovers WHERE recordID = ?"
      #expect(try Int64.fetchOne(db, sql: sql, arguments: [record]) == 2_000)
      // What came from the cloud since may have mended what stood in the way.
      let version = try staleCopies.version(ofRecord: record, in: SyncZone.defaultID)
      try staleCopies.save(#require(version), ofRecord: record)
      #expect(try Int64.fetchOne(db, sql: sql, arguments: [record]) == 0)
    }
  }

  @Test func aCoverIsUploadedToTheZoneThatItsListIsSharedIn() throws {
    let zones = try ben.synchronizer.zones()
    let name = try ben.rows("SELECT name FROM sync_assets").first ?? ""
    let asset = AssetReference(name: name, byteCount: 5000)
    #expect(try zones[1].log.readAsset(asset).count == 5000)
    try family.fleet.expectExhausted()
  }

  /// What hung on it stays where it was until a device has a table for it.
  ///
  /// It was to be let go of in the new zone, where it never was: the deletion was refused for ever.
  @Test func deletionOfMovedRowWithChildrenOfUnknownTableIsSent() throws {
    var schema = Schema.family
    schema.tables.removeAll { $0 == "subtasks" }
    let family = try Family()
    let old = try family.fleet.device(schema: schema, account: Family.annID)
    try family.fleet.settle()
    try family.share([Family.benID: .write])
    try old.execute("UPDATE reminders SET listID = 'home' WHERE id = 'memo'")
    try old.sync()
    try old.execute("DELETE FROM reminders WHERE id = 'memo'")
    try old.sync()
    #expect(try old.counts().pending == 0)
    try family.fleet.settle()
    #expect(try family.ann.rows("SELECT id FROM reminders") == ["milk"])
    #expect(try family.ann.rows("SELECT id FROM subtasks") == ["fat"])
  }
}

extension Synchronizer {
  /// Fetches one zone, and not the others.
  func fetchOnce(_ zone: SyncZone) throws {
    let position = try position(in: zone)
    let changes = try zone.log.changes(after: position.token, view: view(at: position))
    _ = try apply(changes, of: zone, from: position)
  }

  /// Sends one batch to one zone, and does nothing in the others.
  func sendOnce(to zone: SyncZone) throws {
    var placed: Int?
    _ = try sendBatch(to: zone, at: position(in: zone), &placed)
  }
}
