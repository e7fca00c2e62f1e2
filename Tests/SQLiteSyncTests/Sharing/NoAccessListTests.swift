import Foundation
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Sharing where the file system cannot let other Unix users in.
struct NoAccessListTests {
  private let fleet: Fleet
  private let ann: Device

  private static let benID = AccountID(userID: 1_001)

  init() throws {
    fleet = try Fleet(store: StoreWithoutLists(), schema: .family)
    ann = try fleet.device(account: AccountID(userID: 1_000))
    try ann.execute("INSERT INTO lists VALUES ('home', 'Home')")
    try ann.sync()
  }

  /// Expects that nothing of a share was begun.
  private func expectNothingShared() throws {
    #expect(try ann.counts() == SyncCounts())
    #expect(try ann.rows("SELECT * FROM sync_shares") == [])
    #expect(try ann.rows("SELECT count(*) FROM sync_zones") == ["1"])
    #expect(try ann.shared() == [])
    try fleet.settle()
    #expect(try ann.container.zones().map(\.name) == ["default"])
  }

  @Test func sharingWithAnotherUserIsRefusedWithAHint() throws {
    let error = #expect(throws: CloudError.self) { try ann.share([Self.benID: .write]) }
    #expect(error?.code == .permissionFailure)
    #expect(error?.hint?.contains("access control lists") == true)
    try expectNothingShared()
  }

  @Test func addingAnotherUserLeavesTheShareAsItWas() throws {
    _ = try ann.share([Family.benID: .read])
    try fleet.settle()
    let before = try ann.database.readSnapshot(SyncShare.all)
    #expect(throws: CloudError.self) {
      try ann.synchronizer.setPermissions(
        table: "lists", key: "home", participants: [Self.benID: .read], publicPermission: nil)
    }
    #expect(throws: CloudError.self) { try ann.share([Self.benID: .read]) }
    #expect(try ann.database.readSnapshot(SyncShare.all) == before)
    try fleet.expectExhausted(after: [.failed])
  }

  @Test func removingOneIsPossible() throws {
    _ = try ann.share([Family.benID: .read])
    try fleet.settle()
    try ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Self.benID: .none], publicPermission: nil)
    try fleet.settle()
    let people = try ann.database.readSnapshot(SyncShare.all).first?.participants
    #expect(people?[Self.benID]?.state == .gone)
  }
}

/// A cloud on a file system without access control lists.
private final class StoreWithoutLists: ObjectStore, UnguardedUsers {
  private let base = MemoryStore()

  var users: (any StoreUsers)? { self }

  func read(_ key: StoreKey, limit: Int) throws -> Data? { base.read(key, limit: limit) }

  func createIfAbsent(_ key: StoreKey, _ bytes: Data) -> CreateOutcome {
    base.createIfAbsent(key, bytes)
  }

  func list(
    _ prefix: StorePrefix, after name: String?, limit: Int, where isWanted: (String) -> Bool
  ) throws -> [StoreEntry] {
    base.list(prefix, after: name, limit: limit, where: isWanted)
  }

  func delete(_ key: StoreKey) throws { base.delete(key) }

  func barrier(_ prefix: StorePrefix) throws { base.barrier(prefix) }

  func now(in prefix: StorePrefix) -> Int64? { base.now(in: prefix) }

  func userRefusal(in prefix: StorePrefix) -> CloudError? {
    CloudError(.permissionFailure, "Here are none.", hint: "Use access control lists.")
  }

  func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch {
    base.watch(prefixes, onChange: onChange)
  }
}
