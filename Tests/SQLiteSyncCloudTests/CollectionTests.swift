import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSyncCloud

/// What nobody needs any more is deleted, and nothing else.
extension MaintenanceTests {
  @Test func anAssetThatNobodyNamesIsDeletedAndOthersAreNot() throws {
    let kept = try log.publishAsset(Data("kept".utf8))
    let replaced = try log.publishAsset(Data("replaced".utf8))
    for reference in [replaced, kept] {
      var record = CloudRecord.test("a")
      record.fields["cover"] = CloudField(.asset(reference), .zero)
      try device.modify([.save(record, base: device.tag("a"))])
    }
    let abandoned = try log.publishAsset(Data("abandoned".utf8))
    for day in 1...4 {
      try device.save("day \(day)", "")
      _ = try log.maintain(Self.eager)
      clock.advance(hours: 48)
    }
    let young = try log.publishAsset(Data("about to be named".utf8))
    try device.save("last", "")
    _ = try log.maintain(Self.eager)
    #expect(try log.readAsset(kept) == Data("kept".utf8))
    #expect(try log.readAsset(young) == Data("about to be named".utf8))
    for gone in [replaced, abandoned] {
      #expect(throws: CloudError.missingAsset(gone)) { try log.readAsset(gone) }
    }
  }

  @Test func leftoversOfDeadWritersAreSweptAndYoungOnesAreNot() throws {
    try cloud.put(Data(), at: StoreKey(log.layout.stage, listed: .leftover("old")))
    try cloud.put(Data(), at: StoreKey(log.layout.meta, listed: .leftover(".old")))
    clock.advance(hours: 24)
    try cloud.put(Data(), at: StoreKey(log.layout.stage, listed: .leftover("young")))
    #expect(try log.maintain(Self.eager).deletedFiles == 2)
    #expect(try names(in: log.layout.stage) == ["young"])
    #expect(try names(in: log.layout.meta) == [ZoneLayout.fileName(1)])
  }

  @Test func aDeletedZoneIsEmptiedAndItsTombstoneStays() throws {
    try fill(1...3)
    _ = try log.publishAsset(Data([1]))
    _ = try log.maintain(Self.eager)
    try log.delete(reason: "ann deleted it")
    _ = try log.maintain(Self.eager)
    #expect(try !names(in: log.layout.log(epoch: 1)).isEmpty)
    clock.advance(hours: 24)
    _ = try log.maintain(Self.eager)
    for prefix in [
      log.layout.log(epoch: 1), log.layout.checkpoints(epoch: 1), log.layout.assets(epoch: 1),
    ] {
      #expect(try names(in: prefix).isEmpty)
    }
    let error = #expect(throws: CloudError.self) { try device.fetch() }
    #expect(error?.code == .userDeletedZone)
    #expect(error?.reason.contains("ann deleted it") == true)
  }

  @Test func aVersionIsFoundAgainInTheLogOrTheCheckpoint() throws {
    try fill(1...4)
    let known = device.copies
    let overwritten = try #require(device.tag("4"))
    try device.save("4", "newer")
    _ = try log.maintain(Self.eager)
    clock.advance(hours: 1)
    _ = try log.maintain(Self.eager)
    #expect(try names(in: log.layout.log(epoch: 1)).count == 1)
    var found: [ChangeTag: ServerCopy] = [:]
    for name in ["1", "2", "3"] {
      let copy = try #require(known[name])
      #expect(try log.copies(at: [copy.tag]) == [copy.tag: copy])
      found[copy.tag] = copy
    }
    let newer = try #require(device.tag("4"))
    found[newer] = device.copies["4"]
    let gone = [overwritten, ChangeTag(epoch: 2, sequence: 1, index: 0)]
    for tag in gone { #expect(try log.copies(at: [tag]) == [:]) }
    #expect(try log.copies(at: Set(found.keys).union(gone)) == found)
  }

  @Test func aResetZoneAsksForEverythingToBeUploadedAgain() throws {
    try fill(1...3)
    try log.reset(reason: "damaged")
    let error = #expect(throws: CloudError.self) { try device.fetch() }
    #expect(error == .rebuilt(log.id))
    let fresh = try cloud.other(2).device
    try fresh.fetch()
    #expect(fresh.copies.isEmpty)
    try fresh.save("1", "uploaded again")
    #expect(fresh.tag("1")?.epoch == 2)
  }

  @Test func whatCannotBeDeletedIsReportedAndTheRestGoesOn() throws {
    try fill(1...4)
    _ = try log.maintain(Self.eager)
    clock.advance(hours: 1)
    let refusal = CloudError(.permissionFailure, "not yours")
    let store = FaultyStore(cloud.store) { call in
      call.kind == .delete && call.path.hasSuffix("0002.json") ? .failure(refusal) : nil
    }
    let report = try CloudFixture(over: store, seed: 7, clock: clock).log.maintain(Self.eager)
    #expect(report.failures == [refusal])
    #expect(report.deletedFiles == 2)
  }
}

extension StoreEntry {
  static func leftover(_ name: String) -> StoreEntry {
    StoreEntry(name: name, byteCount: 0, modified: 0)
  }
}
