import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// The cloud is restored from a backup of before something became of a share: the devices know
/// what, and send it again.
struct RestoredCloudTests {
  private let family: Family
  private let backup: Set<StoreKey>
  private var ann: Device { family.ann }

  init() throws {
    family = try Family()
    try family.share([Family.benID: .write])
    backup = try Self.files(family.ann.container.zones(), in: family.fleet.store)
  }

  /// The cloud is restored as it is now.
  private init(restoring family: Family) throws {
    self.family = family
    backup = try Self.files(family.ann.container.zones(), in: family.fleet.store)
  }

  private static func files(_ zones: [ZoneID], in store: any ObjectStore) throws -> Set<StoreKey> {
    let prefixes = zones.map { ZoneLayout($0) }.flatMap {
      [$0.meta, $0.log(epoch: 1), $0.log(epoch: 2)]
    }
    return try Set(
      prefixes.flatMap { prefix in
        try store.list(prefix, after: nil, limit: .max).map { StoreKey(prefix, listed: $0) }
      })
  }

  /// Removes what came since.
  private func restore(_ zones: [ZoneID]) throws {
    let store = family.fleet.store
    for key in try Self.files(zones, in: store).subtracting(backup) { try store.delete(key) }
  }

  @Test(arguments: [true, false])
  func whatIsNotSharedAnyMoreStaysWithItsOwner(isRead: Bool) throws {
    let zones = try ann.container.zones()
    try ann.synchronizer.unshare(table: "lists", key: "home")
    try isRead ? family.settle() : ann.sync()
    try ann.execute("INSERT INTO reminders VALUES ('secret', 'Secret', 'home')")
    try ann.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try isRead ? family.settle() : ann.sync()
    try restore(zones)
    try family.settle()
    let mine = ["Home", "Home > Oat milk", "Home > Oat milk > 3.5 %", "Home > Secret"]
    for device in [ann, family.annToo] { #expect(try device.tree() == mine + Family.work) }
    #expect(try ann.counts() == SyncCounts())
  }

  @Test(arguments: [true, false])
  func whatIsNotSharedAnyMoreIsReadByNobodyAgain(isPublic: Bool) throws {
    let link = try ann.share([Family.benID: .write], publicly: isPublic ? .read : .none)
    try family.settle()
    let zones = try ann.container.zones()
    let shared = try Self(restoring: family)
    try ann.synchronizer.unshare(table: "lists", key: "home")
    try family.settle()
    #expect(try ann.container.zones().map(\.name) == ["default"])
    try shared.restore(zones)
    #expect(try ann.container.zones().count == 2)
    try family.settle()
    #expect(try ann.container.zones().map(\.name) == ["default"])
    for device in [family.ben, family.cat] {
      #expect(throws: SyncError.self) { try device.synchronizer.accept(link) }
    }
    for device in [ann, family.annToo] { #expect(try device.tree() == Family.home + Family.work) }
  }

  @Test func whoWasRemovedStaysRemoved() throws {
    let zones = try ann.container.zones()
    try ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Family.benID: .none], publicPermission: nil)
    try family.settle()
    #expect(try family.ben.tree() == Family.own)
    try ann.execute("INSERT INTO reminders VALUES ('secret', 'Secret', 'home')")
    try ann.sync()
    try restore(zones)
    try family.settle()
    for device in [family.ben, family.benToo] { #expect(try device.tree() == Family.own) }
    for device in [ann, family.annToo] { #expect(try device.tree().contains("Home > Secret")) }
    let zone = try #require(try ann.synchronizer.zones().last)
    let share = try ann.database.readSnapshot { try ZoneShare(of: zone.id, in: $0)?.share }
    #expect(share?.permission(of: Family.benID) == Share.Permission.none)
  }
}
