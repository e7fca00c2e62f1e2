import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Somebody who knows the name of a record that is not shared with him, and puts one of that name
/// into a zone that is.
struct KnownNameTests {
  private let family: Family
  private var ann: Device { family.ann }
  private var annToo: Device { family.annToo }
  private var ben: Device { family.ben }

  private static let memo = ["Work", "Work > Memo", "Work > Memo > Page 1"]

  init() throws {
    family = try Family()
  }

  /// Expects that ann's memo is where and as it was, and that ben has learned nothing of it.
  private func expectMemoUntouched() throws {
    for device in [ann, annToo] {
      #expect(try device.tree().filter { $0.hasPrefix("Work") } == Self.memo)
      #expect(try device.shared().contains { $0.contains("memo:") } == false)
      #expect(
        try device.rows("SELECT * FROM sync_history WHERE primaryKey = 'memo'") == [])
    }
    for device in [ben, family.benToo] {
      #expect(try device.tree().contains { $0.contains("Page 1") } == false)
    }
    let cloud = try CloudImage.copies(in: ann.synchronizer.zone)
    guard case .record(let record)? = cloud["memo:reminders"]?.content else {
      Issue.record("The memo is not in ann's zone any more.")
      return
    }
    #expect(record.fields["title"]?.value == .text("Memo"))
    try family.fleet.expectExhausted()
  }

  @Test(arguments: [Share.Permission.read, .write])
  func aPrivateRowIsNotPulledIntoAZoneOfSomebodyElse(permission: Share.Permission) throws {
    try family.shareOwn(permission)
    try ben.execute("INSERT INTO reminders VALUES ('memo', 'Stolen', 'own')")
    try family.settle()
    try expectMemoUntouched()
    #expect(try ben.tree().contains("Own > Stolen"))
    try ben.execute("UPDATE reminders SET title = 'Stolen again' WHERE id = 'memo'")
    try family.settle()
    try expectMemoUntouched()
    try ben.execute("DELETE FROM reminders WHERE id = 'memo'")
    try family.settle()
    try expectMemoUntouched()
  }

  @Test func aParticipantDoesNotPullAPrivateRowIntoTheOwnersSharedZone() throws {
    try family.share([Family.benID: .write])
    try ben.execute("INSERT INTO reminders VALUES ('memo', 'Stolen', 'home')")
    try family.settle()
    try expectMemoUntouched()
  }

  @Test func whatIsWrittenToTheRowAfterwardsStaysPrivateToo() throws {
    try family.shareOwn(.write)
    try ben.execute("INSERT INTO reminders VALUES ('memo', 'Stolen', 'own')")
    try family.settle()
    try annToo.execute("UPDATE reminders SET title = 'Secret' WHERE id = 'memo'")
    try family.settle()
    #expect(try ann.tree().contains("Work > Secret > Page 1"))
    #expect(try ben.tree().contains("Own > Stolen"))
    try family.fleet.expectExhausted()
  }

  @Test func itsOwnerCanStillMoveItThere() throws {
    try family.shareOwn(.write)
    try ben.execute("INSERT INTO reminders VALUES ('memo', 'Stolen', 'own')")
    try family.settle()
    try ann.execute("UPDATE reminders SET listID = 'own', title = 'Given' WHERE id = 'memo'")
    try family.settle()
    for device in [ann, annToo, ben, family.benToo] {
      #expect(try device.tree().contains("Own > Given > Page 1"))
    }
    try family.fleet.expectExhausted(after: [.refused(.referenceViolation)])
  }

  @Test(arguments: [true, false])
  func aRowThatItsOwnerMovedAndSomebodyEditedThereArrives(savesFirst: Bool) throws {
    try family.shareOwn(.write)
    try ann.execute("UPDATE reminders SET listID = 'own' WHERE id = 'memo'")
    try ann.sync()
    try ben.sync()
    try ben.execute("UPDATE reminders SET title = 'Read' WHERE id = 'memo'")
    try ben.sync()
    let zones = try annToo.synchronizer.zones()
    for zone in savesFirst ? zones.reversed() : zones {
      try annToo.synchronizer.fetchOnce(zone)
      #expect(try annToo.rows("SELECT count(*) FROM reminders WHERE id = 'memo'") == ["1"])
    }
    try family.settle()
    for device in [ann, annToo, ben] {
      #expect(try device.tree().contains("Own > Read > Page 1"))
    }
    try family.fleet.expectExhausted()
  }

  @Test func aMoveThatWasCutShortIsFinishedAlsoWhenSomebodyEditedTheRowMeanwhile() throws {
    try family.shareOwn(.write)
    try ann.execute("UPDATE reminders SET listID = 'own' WHERE id = 'memo'")
    let zones = try ann.synchronizer.zones()
    try ann.synchronizer.write { db in
      try Placement(db: db, tables: ann.synchronizer.tables, now: 0).placePending()
    }
    try ann.synchronizer.sendOnce(to: zones[1])
    try ben.sync()
    try ben.execute("UPDATE reminders SET title = 'Read' WHERE id = 'memo'")
    try ben.sync()
    try annToo.sync()
    #expect(try annToo.tree().contains("Work > Memo > Page 1"))
    try ann.relaunch()
    try family.settle()
    for device in [ann, annToo, ben] {
      #expect(try device.tree().contains("Own > Read > Page 1"))
    }
    try family.fleet.expectExhausted()
  }
}
