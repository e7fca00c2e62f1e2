import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// Files of a shared zone are lost: that ends no share, and its owner's devices put it back.
struct LostZoneTests {
  private let family: Family
  private let layout: ZoneLayout
  private var ann: Device { family.ann }
  private var ben: Device { family.ben }

  init() throws {
    family = try Family()
    let link = try family.share([Family.benID: .write, Family.catID: .read])
    layout = ZoneLayout(link.zone)
    try ann.execute("UPDATE lists SET title = 'House' WHERE id = 'home'")
    try family.settle()
  }

  private static let house = ["House", "House > Milk", "House > Milk > 3.5 %"]

  private func lose(_ keys: StoreKey...) throws {
    for key in keys { try family.fleet.store.delete(key) }
  }

  /// Expects that those whom it is shared with keep it meanwhile, and go on when it is back.
  private func expectGoingOn() throws {
    try ben.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    for device in [ben, family.cat] {
      let error = #expect(throws: CloudError.self) { try device.sync() }
      #expect(error?.reason == "What ann shares is not in the cloud any more.")
      #expect(try device.tree().contains("House"))
    }
    try ann.sync()
    try family.settle()
    try family.settle()
    let house = ["House", "House > Oat milk", "House > Oat milk > 3.5 %"]
    #expect(try ann.tree() == house + Family.work)
    for device in [ben, family.benToo] { #expect(try device.tree() == house + Family.own) }
    #expect(try family.cat.tree() == house)
    try ann.execute("UPDATE lists SET title = 'Home' WHERE id = 'home'")
    try family.settle()
    #expect(try family.cat.tree().contains("Home"))
    for device in family.fleet.devices { #expect(try device.counts() == SyncCounts()) }
  }

  @Test func itsFirstEntry() throws {
    try lose(layout.metaEntry(1))
    try expectGoingOn()
  }

  @Test func itsFirstEntryAndACommit() throws {
    try lose(layout.metaEntry(1), layout.commit(1, epoch: 1))
    try expectGoingOn()
  }

  @Test func everything() throws {
    for prefix in [layout.meta, layout.log(epoch: 1), layout.assets(epoch: 1)] {
      let entries = try family.fleet.store.list(prefix, after: nil, limit: .max)
      for entry in entries { try lose(StoreKey(prefix, listed: entry)) }
    }
    try expectGoingOn()
  }

  /// Its owner has begun it anew, and has not sent yet whom it is shared with.
  @Test func aNewLogThatNamesNobodyEndsNothing() throws {
    try lose(layout.metaEntry(1))
    try ann.container.zone(ann.database.readSnapshot(SyncShare.all)[0].zone).create()
    try family.cat.sync()
    #expect(try family.cat.tree() == Self.house)
    try family.settle()
    #expect(try family.cat.tree() == Self.house)
  }
}
