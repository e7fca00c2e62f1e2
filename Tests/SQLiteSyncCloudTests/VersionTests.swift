import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSyncCloud

/// Zones and entries of newer versions; whole clouds are in `DirectoryTests`.
@Suite struct VersionTests {
  let cloud: CloudFixture

  init() throws {
    cloud = try CloudFixture()
    try cloud.log.create()
    try cloud.device.save("a", "1")
  }

  private func upgrade(read: [String] = [], write: [String] = []) throws {
    try cloud.log.upgrade(read: read, write: write)
  }

  /// Every file's name, which is enough: no file changes.
  private func names() throws -> [String] {
    let layout = cloud.log.layout
    return try (layout.all(epoch: 1) + [layout.stage]).flatMap { prefix in
      try cloud.store.list(prefix, after: nil, limit: .max).map(\.name)
    }
  }

  private func expectRefused(_ actions: [() throws -> Void]) throws {
    let before = try names()
    for action in actions {
      let error = #expect(throws: CloudError.self) { try action() }
      #expect(error?.code == .incompatibleVersion)
      #expect(error?.hint?.contains("newest version") == true)
    }
    #expect(try names() == before)
  }

  private var writes: [() throws -> Void] {
    [
      { try cloud.device.save("b", "1") }, { _ = try cloud.log.publishAsset(Data([1])) },
      { try cloud.device.delete("a") }, { _ = try cloud.log.maintain(MaintenanceTests.eager) },
    ]
  }

  @Test func aZoneThatNeedsMoreToBeReadIsLeftAlone() throws {
    try upgrade(read: ["encryption"])
    let fresh = try cloud.other()
    try expectRefused(
      [
        { try cloud.device.fetch() }, { try fresh.device.fetch() },
        { try cloud.log.reset(reason: "") },
      ]
        + writes)
    #expect(try CloudCheck(cloud.container).run().worst == .damage, "a sync fails")
    let other = cloud.container.seen(by: ownAccount("ben"))
    #expect(try CloudCheck(other).run().worst == .warning, "it is another's")
    #expect(try CloudCheck(other, following: [cloud.log.id]).run().worst == .damage)
  }

  @Test func aZoneThatNeedsMoreToBeWrittenIsRead() throws {
    try upgrade(write: ["encryption"])
    let fresh = try cloud.other()
    try fresh.device.fetch()
    #expect(fresh.device.records.count == 1)
    try expectRefused(writes)
    #expect(try CloudCheck(cloud.container).run().worst == .damage, "a sync fails")
  }

  @Test(arguments: [(["x"], []), ([], ["x"])] as [([String], [String])])
  func aWriterLearnsOfAnUpgradeThatCameWhileItWrote(read: [String], write: [String]) throws {
    let store = FaultyStore(cloud.store)
    let old = try CloudFixture(over: store, seed: 3)
    let log = cloud.log
    store.planOnce(at: .create) { try log.upgrade(read: read, write: write) }
    let error = #expect(throws: CloudError.self) { try old.device.save("b", "1") }
    #expect(error?.code == .incompatibleVersion)
  }

  @Test(arguments: [2, 999])
  func anEntryOfANewerFormatIsNotTakenForABrokenOne(version: Int) throws {
    let manifest = try cloud.log.manifest()
    let text = #"{"f":"meta","prev":"\#(manifest.hash)","seq":2,"v":\#(version)}"# + "\n"
    try cloud.put(Data(text.utf8), at: cloud.log.layout.metaEntry(2))
    let fresh = try cloud.other()
    try expectRefused([{ try cloud.device.fetch() }, { try fresh.device.fetch() }] + writes)
    let other = try CloudFixture(over: cloud.store, seed: 4, zone: "other")
    try other.log.create()
    #expect(try other.container.zones() == [other.log.id])
    #expect(try CloudCheck(cloud.container).run().worst == .damage, "a sync fails")
  }

  @Test func aCommitOfANewerFormatCannotDemandIt() throws {
    let token = try #require(cloud.device.token)
    var text = String(
      decoding: Commit(
        origin: cloud.log.origin(), zone: cloud.log.id.name, epoch: 1, sequence: 2,
        previous: token.hash, operations: [.save(.test("b"), base: nil)]
      ).encoded, as: UTF8.self)
    text = text.replacing(#""v":1"#, with: #""v":2"#)
    try cloud.put(Data(text.utf8), at: cloud.log.layout.commit(2, epoch: 1))
    try cloud.device.save("c", "1")
    #expect(cloud.device.voided == 1)
    #expect(Set(cloud.device.records.keys) == ["a", "c"])
  }
}

extension ZoneLog {
  fileprivate func upgrade(read: [String], write: [String]) throws {
    try publishMeta { manifest in
      guard let manifest, manifest.needs == .init() else { return nil }
      return (manifest.epoch, .upgrade(needs: .init(read: read, write: write)))
    }
  }
}
