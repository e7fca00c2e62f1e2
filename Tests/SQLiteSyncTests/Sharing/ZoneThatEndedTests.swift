import GRDB
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// A zone that ends while a device reads its zones: it is not read any further.
struct ZoneThatEndedTests {
  private let family: Family

  init() throws {
    family = try Family()
    try family.share([Family.benID: .write])
  }

  /// Folds the log of the shared zone, so that whoever begins with it reads more than one page.
  private func fold() throws {
    var policy = MaintenancePolicy.standard
    (policy.commits, policy.bytes, policy.keptCommits, policy.keptCommitAge) = (1, 0, 0, 0)
    for zone in try family.ann.synchronizer.zones() where zone.id != SyncZone.defaultID {
      _ = try zone.log.maintain(policy)
    }
  }

  @Test(arguments: [false, true])
  func leavingOnAnotherDeviceEndsIt(isFolded: Bool) throws {
    if isFolded { try fold() }
    try family.ben.synchronizer.leave(table: "lists", key: "home")
    try family.ben.sync()
    var steps = 0
    family.benToo.synchronizer.shouldStop = {
      steps += 1
      return steps > 1_000
    }
    try family.benToo.sync()
    #expect(steps <= 1_000, "It goes on for ever.")
    #expect(try family.benToo.tree() == Family.own)
    #expect(
      try family.benToo.rows(
        "SELECT id FROM sync_records WHERE abs(zoneID) NOT IN (SELECT id FROM sync_zones)") == [])
  }

  /// Its network mount does not show the end of the zone at once: some of the reads that ask for it
  /// are answered from before.
  @Test(arguments: 0...8)
  func endOfAZoneThatIsSeenLateFailsNoSync(staleReads: Int) throws {
    let store = FaultyStore(family.fleet.store)
    let late = try family.fleet.device(store: store, account: Family.annID)
    try family.settle()
    try family.ann.execute("UPDATE lists SET title = 'House' WHERE id = 'home'")
    try family.ann.sync()
    try fold()
    let zone = try #require(try family.ann.synchronizer.zones().last)
    let meta = zone.log.layout.meta
    let before = try family.fleet.store.list(meta, after: nil, limit: .max)
    try family.ann.synchronizer.unshare(table: "lists", key: "home")
    for _ in 0..<3 { try family.ann.sync() }
    let end = try #require(
      try family.fleet.store.list(meta, after: before.last?.name, limit: .max).last)
    let left = Mutex(staleReads)
    store.plan { call in
      guard call.kind == .read, call.path.hasSuffix(end.name), call.path.hasPrefix(meta.description)
      else {
        return nil
      }
      return left.withLock { left in
        left -= 1
        return left >= 0 ? .stale : nil
      }
    }
    try late.sync()
    store.plan { _ in nil }
    try family.settle()
    #expect(try late.tree() == family.ann.tree())
    try family.fleet.expectExhausted(after: [.waited])
  }

  /// What an ended zone has left behind may still speak of its number.
  @Test func numberOfAZoneIsNeverAnothers() throws {
    let numbers = try family.ann.write { db in
      try ["share-a", "share-b"].map { name in
        let zone = ZoneID(name: name, owner: Family.annID)
        try Zones(db: db).add(zone)
        let number = try #require(try Zones(db: db).ownID(zone))
        try Zones(db: db).remove(zone)
        return number
      }
    }
    #expect(numbers[0] < numbers[1])
  }

  /// As a forged version leaves it that takes a record's place in its new zone.
  @Test func staleCopyOfWhatIsInTheSameZoneIsDeletedOnce() throws {
    let device = family.annToo
    let tag = try device.rows("SELECT tag FROM sync_records WHERE primaryKey = 'memo'")[0]
    try family.ann.execute("DELETE FROM reminders WHERE id = 'memo'")
    try family.settle()
    try device.execute(
      """
      INSERT INTO sync_leftovers (recordID, zoneID, tag, pass)
      SELECT id, zoneID, '\(tag)', 0 FROM sync_records WHERE primaryKey = 'memo'
      """)
    var steps = 0
    device.synchronizer.shouldStop = {
      steps += 1
      return steps > 1_000
    }
    try device.sync()
    #expect(steps <= 1_000, "It goes on for ever.")
    #expect(try device.rows("SELECT * FROM sync_leftovers") == [])
  }

  /// Ann's device begins the log anew, as a repair does: what ben had sent is only on his.
  @Test func nobodySignsOutWithWhatTheCloudHasLost() throws {
    try family.ben.execute("INSERT INTO reminders VALUES ('tea', 'Tea', 'home')")
    try family.ben.sync()
    try #require(try family.ann.synchronizer.zones().last).log.reset(reason: "a test")
    try family.ben.synchronizer.noticeRebuiltZones()
    let error = #expect(throws: SyncError.self) { try family.ben.signOut(discarding: 0) }
    #expect(error?.reason == .unsentEdits)
    try family.settle()
    for device in [family.ann, family.benToo] {
      #expect(try device.tree().contains("Home > Tea"))
    }
    try family.fleet.expectExhausted(
      after: [.refused(.assetFileNotFound), .refused(.batchRequestFailed)])
  }

  @Test func nobodyIsKeptFromSigningOutByAShareThatIsOver() throws {
    try family.ann.synchronizer.unshare(table: "lists", key: "home")
    for _ in 0..<3 { try family.ann.sync() }
    try family.ben.synchronizer.noticeRebuiltZones()
    try family.ben.signOut(discarding: 0)
    #expect(try family.ben.rows("SELECT id FROM lists") == [])
  }

  @Test func deletionOfWhatWasSavedElsewhereBeforeItsZoneEndedIsSent() throws {
    try family.ann.synchronizer.unshare(table: "lists", key: "home")
    for _ in 0..<3 { try family.ann.sync() }
    let own = try family.annToo.synchronizer.zones()[0]
    try family.annToo.synchronizer.fetchOnce(own)
    try family.annToo.execute("DELETE FROM reminders WHERE id = 'milk'")
    try family.annToo.sync()
    try family.settle()
    for device in [family.ann, family.annToo] {
      #expect(try device.rows("SELECT id FROM reminders WHERE id = 'milk'") == [])
    }
    try family.fleet.expectExhausted()
  }

  @Test func deletionOfWhatIsUnsharedElsewhereFailsNoSync() throws {
    try family.annToo.execute("DELETE FROM lists WHERE id = 'home'")
    try family.ann.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try family.ann.synchronizer.unshare(table: "lists", key: "home")
    for _ in 0..<3 { try family.ann.sync() }
    try family.annToo.sync()
    try family.settle()
    #expect(try family.annToo.tree() == family.ann.tree())
  }

  /// A device dies right after it has heard that another one left, and then accepts again.
  @Test(arguments: 1...4)
  func acceptingAgainLeavesNothingBehind(crashAtCommit commit: Int) throws {
    let link = try family.ann.share([Family.benID: .write], publicly: .read)
    let store = FaultyStore(family.fleet.store)
    let device = try family.fleet.device(store: store, account: Family.benID)
    try family.settle()
    #expect(try device.tree() == (Family.home + Family.own).sorted())
    try family.ben.synchronizer.leave(table: "lists", key: "home")
    try family.ben.sync()
    let crash = CommitCrash(of: store)
    device.database.add(transactionObserver: crash, extent: .databaseLifetime)
    crash.arm(commit: commit, .after)
    // It dies, or has nothing left to commit.
    try? device.sync()
    crash.disarm()
    store.revive()
    try device.reinstall()
    try device.synchronizer.open()
    // Refused where it had not heard of it yet: then it is followed still, and ends now.
    if (try? device.synchronizer.accept(link)) == nil { try device.synchronizer.accept(link) }
    try family.settle()
    #expect(try device.tree() == family.benToo.tree())
    #expect(
      try device.rows(
        "SELECT id FROM sync_records WHERE abs(zoneID) NOT IN (SELECT id FROM sync_zones)") == [])
  }
}
