import Foundation
import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// What nobody who keeps the rules leaves in a cloud, and what a device makes of it.
struct VoidCommitTests {
  private let fleet: Fleet
  private let store: FaultyStore
  private let device: Device
  private let other: Device

  init() throws {
    store = FaultyStore(MemoryStore())
    fleet = try Fleet(store: store)
    device = try fleet.device()
    other = try fleet.device()
  }

  @Test func ownCommitThatDoesNotCountIsShownAndSentAgain() throws {
    try device.execute("INSERT INTO lists (id, title) VALUES ('a', 'A')")
    try fleet.settle()
    // Taken for sent here, and in no commit that counts.
    try device.execute("UPDATE lists SET title = 'B'")
    try device.synchronizer.foldEdits()
    try device.database.write { try $0.execute(sql: "DELETE FROM sync_pending") }
    let zone = device.container.zone(ZoneID(name: "default", owner: fleet.account))
    let token = try #require(
      try device.synchronizer.position(in: device.synchronizer.zones()[0]).token)
    let origin = zone.origin()
    let void = Commit.file(
      header: Commit(
        origin: origin, zone: "default", epoch: token.epoch, sequence: token.sequence + 1,
        previous: token.hash, operations: []),
      lines: [
        Commit.line(
          .delete(
            Tombstone(name: "a:lists", type: "lists", clock: .zero),
            base: ChangeTag(epoch: 1, sequence: 99, index: 0)))
      ])
    _ = try Stranger(fleet).putNextCommit(void)
    try fleet.settle()
    #expect(try other.rows("SELECT title FROM lists") == ["B"])
    #expect(device.synchronizer.distrust?.reason == .voidCommit)
    device.synchronizer.distrust = nil
    try fleet.settle()
    #expect(device.synchronizer.distrust == nil)
  }

  @Test func cloudWhoseFileWasMadeAnewIsTheSame() throws {
    try device.execute("INSERT INTO lists (id, title) VALUES ('a', 'A')")
    try fleet.settle()
    try store.delete(CloudLayout.cloudFile)
    _ = store.createIfAbsent(CloudLayout.cloudFile, CloudFile(id: "made anew").encoded)
    for device in [device, other] { try device.relaunch() }
    try device.execute("UPDATE lists SET title = 'B'")
    try fleet.settle()
    #expect(try other.rows("SELECT title FROM lists") == ["B"])
    #expect(try device.database.read(SyncAccount.init).cloud == "made anew")
  }

  /// Expects that both devices end the same, though files are damaged before one sends its edit.
  ///
  /// - Parameter keys: The files with the version that both have seen, once the other has sent.
  private func expectEditsAreSent(damaging keys: () throws -> [StoreKey]) throws {
    try device.execute("UPDATE lists SET title = 'B' WHERE id = 'a'")
    try other.execute("UPDATE lists SET title = 'C' WHERE id = 'a'")
    try other.sync()
    let keys = try keys()
    #expect(!keys.isEmpty)
    for key in keys {
      try store.delete(key)
      _ = store.createIfAbsent(key, Data("damaged".utf8))
    }
    try device.sync()
    try fleet.settle()
    #expect(try device.contents() == other.contents())
    #expect(try device.counts() == SyncCounts())
  }

  @Test func unsentEditOfRecordInDamagedCommitIsSent() throws {
    try device.execute("INSERT INTO lists (id, title) VALUES ('a', 'A')")
    try fleet.settle()
    try device.execute("INSERT INTO lists (id, title) VALUES ('b', 'B')")
    try fleet.settle()
    let zone = ZoneLayout(ZoneID(name: "default", owner: fleet.account))
    // The version that both have seen is in the first commit.
    try expectEditsAreSent { [zone.commit(1, epoch: 1)] }
  }

  /// The version that both have seen is in a checkpoint, the commits before it are gone.
  @Test func unsentEditOfRecordInDamagedCheckpointIsSent() throws {
    try device.execute("INSERT INTO lists (id, title) VALUES ('a', 'A')")
    try fleet.settle()
    var policy = MaintenancePolicy()
    (policy.manyCommits, policy.keptCommits) = (1, 0)
    (policy.keptCommitAge, policy.announcement) = (.min / 2, .min / 2)
    let id = ZoneID(name: "default", owner: fleet.account)
    let log = device.container.zone(id)
    for _ in 1...2 { _ = try log.maintain(policy) }
    let zone = ZoneLayout(id)
    #expect(try store.list(zone.log(epoch: 1), after: nil, limit: .max).isEmpty)
    try expectEditsAreSent {
      let checkpoints = zone.checkpoints(epoch: 1)
      return try store.list(checkpoints, after: nil, limit: .max)
        .map { StoreKey(checkpoints, listed: $0) }
    }
  }
}
