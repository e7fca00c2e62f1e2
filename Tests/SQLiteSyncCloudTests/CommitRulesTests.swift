import Foundation
import Testing

@testable import SQLiteSyncCloud

/// What CloudKit's server answers, answered by a directory.
@Suite struct CommitRulesTests {
  let cloud: CloudFixture
  var device: Device { cloud.device }

  init() throws {
    cloud = try CloudFixture()
    try cloud.log.create()
  }

  private func code(_ result: ModifyResult, _ name: String) -> CloudError.Code? {
    result.failures[name]?.code
  }

  // MARK: Zones

  @Test func nothingCanBeDoneInAnUnknownZone() throws {
    let unknown = cloud.container.zone(ZoneID(name: "unknown", owner: CloudFixture.ann))
    let view = device.view
    for action: () throws -> Void in [
      { _ = try unknown.changes(after: nil, view: view) },
      {
        _ = try unknown.modify(
          [.save(.test("a"), base: nil)], after: nil, view: view, atomically: false)
      },
      {
        _ = try unknown.modify(
          [.delete(.test("a"), base: nil)], after: nil, view: view, atomically: false)
      },
      { _ = try unknown.publishAsset(Data()) },
      { try unknown.delete(reason: "") },
    ] {
      #expect(throws: CloudError.noZone(unknown.id)) { try action() }
    }
    #expect(try !unknown.exists())
  }

  @Test func creatingAZoneTwiceIsCreatingItOnce() throws {
    try cloud.log.create()
    try cloud.other().log.create()
    #expect(try cloud.container.zones() == [cloud.log.id])
    #expect(try cloud.log.manifest().number == 1)
  }

  @Test func aDeletedZoneSaysSoToWhoeverComesBack() throws {
    try device.save("a", "1")
    try cloud.log.delete(reason: "Reset by ann")
    let error = #expect(throws: CloudError.self) { try device.fetch() }
    #expect(error?.code == .userDeletedZone)
    #expect(throws: CloudError.self) { try device.save("b", "1") }
    #expect(try !cloud.log.exists())
    #expect(try cloud.container.zones().isEmpty)
  }

  @Test func aZoneThatIsCreatedAgainIsEmptyAndOldTokensExpire() throws {
    try device.save("a", "1")
    try cloud.log.delete(reason: "")
    try cloud.log.create()
    #expect(throws: CloudError.tokenExpired) { try device.fetch() }
    let fresh = Device(cloud.log)
    try fresh.fetch()
    #expect(fresh.copies.isEmpty)
    try fresh.save("b", "1")
    #expect(fresh.tag("b") == ChangeTag(epoch: 2, sequence: 1, index: 0))
  }

  // MARK: Change tags

  @Test func aSaveOverTheVersionThatWasSeenIsAccepted() throws {
    try device.save("a", "1")
    #expect(try device.save("a", "2").failures.isEmpty)
    #expect(device.records["a"] == .test("a", "2"))
  }

  @Test func aSaveOverAnotherVersionIsAnsweredWithTheCloudsCopy() throws {
    let other = try cloud.other().device
    try device.save("a", "1")
    try other.fetch()
    let stale = other.tag("a")
    try device.save("a", "2")
    let result = try other.modify([.save(.test("a", "3"), base: stale)])
    #expect(code(result, "a") == .serverRecordChanged)
    #expect(result.failures["a"]?.server == device.copies["a"])
    #expect(other.records["a"] == .test("a", "2"))
  }

  @Test func aSaveOfARecordThatShouldNotExistIsRefusedWhenItDoes() throws {
    try device.save("a", "1")
    #expect(code(try device.modify([.save(.test("a"), base: nil)]), "a") == .serverRecordChanged)
  }

  @Test func aSaveOfARecordThatNeverWasButHasATagIsAnUnknownItem() throws {
    let tag = ChangeTag(epoch: 1, sequence: 1, index: 0)
    #expect(code(try device.modify([.save(.test("a"), base: tag)]), "a") == .unknownItem)
  }

  @Test func aSaveOfADeletedRecordIsAnUnknownItemWithItsTombstone() throws {
    let other = try cloud.other().device
    try device.save("a", "1")
    try other.fetch()
    try device.delete("a", at: 9)
    let result = try other.save("a", "2")
    #expect(code(result, "a") == .unknownItem)
    #expect(result.failures["a"]?.server == device.copies["a"])
  }

  @Test func aSaveThatHasSeenTheDeletionCreatesTheRecordAgain() throws {
    try device.save("a", "1")
    try device.delete("a")
    #expect(code(try device.modify([.save(.test("a"), base: nil)]), "a") == .unknownItem)
    #expect(try device.save("a", "again").failures.isEmpty)
    #expect(device.records["a"] == .test("a", "again"))
  }

  @Test func aRecordDoesNotChangeItsType() throws {
    try device.save("a", "1")
    var record = CloudRecord.test("a")
    record.type = "other"
    let result = try device.modify([.save(record, base: device.tag("a"))])
    #expect(code(result, "a") == .invalidArguments)
  }

  // MARK: Deletions

  @Test func deletingWhatIsNotThereSucceedsAndWritesNothing() throws {
    #expect(try device.delete("a").failures.isEmpty)
    #expect(device.token?.sequence == 0)
    try device.save("a", "1")
    try device.delete("a", at: 5)
    #expect(try device.delete("a", at: 5).failures.isEmpty)
    #expect(device.token?.sequence == 2)
  }

  @Test func aLaterDeletionOfADeletedRecordMovesItsClock() throws {
    try device.save("a", "1")
    try device.delete("a", at: 5)
    try device.delete("a", at: 9)
    try cloud.forge(
      at: 4, previous: #require(device.token).hash, [.delete(.test("a", at: 7), base: nil)])
    try device.fetch()
    #expect(device.copies["a"]?.content == .tombstone(.test("a", at: 9)))
    #expect(device.voided == 0)
  }

  @Test func aDeletionOfAnotherVersionIsRefused() throws {
    try device.save("a", "1")
    let stale = device.tag("a")
    try device.save("a", "2")
    let result = try device.modify([.delete(.test("a"), base: stale)])
    #expect(code(result, "a") == .serverRecordChanged)
  }

  // MARK: Parents

  @Test func parentAndChildCanBeSavedTogetherInAnyOrder() throws {
    let result = try device.modify([
      .save(.test("child", parent: "parent"), base: nil), .save(.test("parent"), base: nil),
    ])
    #expect(result.failures.isEmpty)
    #expect(device.records.count == 2)
  }

  @Test func aChildWithoutItsParentIsRefused() throws {
    #expect(code(try device.save("child", "", parent: "parent"), "child") == .referenceViolation)
    try device.save("parent", "")
    try device.delete("parent")
    #expect(code(try device.save("child", "", parent: "parent"), "child") == .referenceViolation)
  }

  @Test func aRecordMayHangOnItself() throws {
    #expect(try device.save("a", "", parent: "a").failures.isEmpty)
    #expect(try device.delete("a").failures.isEmpty)
  }

  @Test func parentAndChildCanBeDeletedTogetherInAnyOrder() throws {
    try device.save("parent", "")
    try device.save("child", "", parent: "parent")
    let result = try device.modify([
      .delete(.test("parent"), base: device.tag("parent")),
      .delete(.test("child"), base: device.tag("child")),
    ])
    #expect(result.failures.isEmpty)
    #expect(device.records.isEmpty)
  }

  @Test func aParentWithAChildIsNotDeleted() throws {
    try device.save("parent", "")
    try device.save("child", "", parent: "parent")
    #expect(code(try device.delete("parent"), "parent") == .referenceViolation)
  }

  @Test func aParentWhoseChildMovesAwayInTheSameCommitIsDeleted() throws {
    try device.save("parent", "")
    try device.save("child", "", parent: "parent")
    let result = try device.modify([
      .delete(.test("parent"), base: device.tag("parent")),
      .save(.test("child", parent: nil), base: device.tag("child")),
    ])
    #expect(result.failures.isEmpty)
  }

  @Test func whatIsRefusedTakesWhatStandsOnItWithIt() throws {
    try device.save("list", "")
    let result = try device.modify([
      .save(.test("list"), base: nil),
      .save(.test("reminder", parent: "new list"), base: nil),
      .save(.test("new list", parent: "nowhere"), base: nil),
      .save(.test("tag", parent: "reminder"), base: nil),
      .save(.test("innocent", parent: "list"), base: nil),
    ])
    #expect(code(result, "list") == .serverRecordChanged)
    #expect(code(result, "new list") == .referenceViolation)
    #expect(code(result, "reminder") == .referenceViolation)
    #expect(code(result, "tag") == .referenceViolation)
    #expect(Set(device.records.keys) == ["list", "innocent"])
  }

  // MARK: Batches

  @Test func oneFailureOfAnAtomicRequestFailsTheOthers() throws {
    try device.save("a", "1")
    let result = try device.modify(
      [.save(.test("a", "2"), base: nil), .save(.test("innocent"), base: nil)], atomically: true)
    #expect(code(result, "a") == .serverRecordChanged)
    #expect(code(result, "innocent") == .batchRequestFailed)
    #expect(device.records["innocent"] == nil)
    #expect(device.token?.sequence == 1)
  }

  @Test func twoChangesOfOneRecordInOneRequestAreRefused() throws {
    let result = try device.modify([
      .save(.test("a", "1"), base: nil), .delete(.test("a"), base: nil),
    ])
    #expect(code(result, "a") == nil)
    let twice = try device.modify([
      .save(.test("b", "1"), base: nil), .save(.test("b", "2"), base: nil),
    ])
    #expect(code(twice, "b") == .invalidArguments)
    #expect(device.records["b"] == .test("b", "1"))
  }

  @Test func namesInTwoUnicodeSpellingsAreTwoRecords() throws {
    let composed = "caf\u{E9}", decomposed = "cafe\u{301}"
    try device.modify([
      .save(.test(composed, "1"), base: nil), .save(.test(decomposed, "2"), base: nil),
    ])
    let changes = try Device(cloud.log).fetch()
    #expect(
      changes.copies.map { Array($0.name.utf8) } == [Array(composed.utf8), Array(decomposed.utf8)])
  }

  // MARK: Limits, at one less, at, and one more

  @Test(arguments: [(399, true), (400, true), (401, false)])
  func aRequestHasAtMost400Changes(count: Int, isAccepted: Bool) throws {
    let changes = (0..<count).map { CloudChange.save(.test("\($0)"), base: nil) }
    if isAccepted {
      try device.modify(changes)
      #expect(device.records.count == count)
    } else {
      let error = #expect(throws: CloudError.self) { try device.modify(changes) }
      #expect(error?.code == .limitExceeded)
    }
  }

  @Test(arguments: [-1, 0, 1])
  func aRecordHasAtMostOneMebibyte(difference: Int) throws {
    var record = CloudRecord.test("a")
    let overhead = Commit.line(.save(record, base: nil)).count
    record = .test(
      "a", String(repeating: "x", count: CloudLimits.recordBytes + difference - overhead))
    let result = try device.modify([.save(record, base: nil)])
    #expect(code(result, "a") == (difference > 0 ? .limitExceeded : nil))
    record.name = "b"
    let token = try #require(device.token)
    try cloud.forge(at: token.sequence + 1, previous: token.hash, [.save(record, base: nil)])
    try device.fetch()
    #expect(device.voided == (difference > 0 ? 1 : 0))
  }

  @Test func aCommitOfTooManyBytesIsRefusedAsAWhole() throws {
    let text = String(repeating: "x", count: CloudLimits.recordBytes - 1_000)
    let changes = (0..<3).map { CloudChange.save(.test("\($0)", text), base: nil) }
    let error = #expect(throws: CloudError.self) { try device.modify(changes) }
    #expect(error?.code == .limitExceeded)
    try device.modify(Array(changes.prefix(2)))
    #expect(device.records.count == 2)
  }

  @Test(arguments: [(1, true), (254, true), (255, true), (256, false), (0, false)])
  func aNameHasOneTo255Bytes(count: Int, isAccepted: Bool) throws {
    let name = String(repeating: "n", count: count)
    for record in [
      CloudRecord.test(name), CloudRecord(name: "a", type: name, life: .zero),
      CloudRecord(name: "b", type: "t", life: .zero, fields: [name: CloudField(.null, .zero)]),
    ] {
      let result = try device.modify([.save(record, base: nil)])
      #expect(code(result, record.name) == (isAccepted ? nil : .invalidArguments))
    }
  }

  @Test(arguments: ["a\nb", "a\u{0}", "\u{7F}", "\u{85}"])
  func aNameHoldsNoControlCharacter(name: String) throws {
    #expect(code(try device.save(name, ""), name) == .invalidArguments)
  }

  @Test(arguments: [199, 200, 201])
  func aRecordHasAtMost200Fields(count: Int) throws {
    var record = CloudRecord.test("a")
    record.fields = [:]
    for number in 0..<count { record.fields["f\(number)"] = CloudField(.null, .zero) }
    let result = try device.modify([.save(record, base: nil)])
    #expect(code(result, "a") == (count > 200 ? .invalidArguments : nil))
  }

  @Test(arguments: [-1, 0, 1])
  func bytesInACommitAreFew(difference: Int) throws {
    var record = CloudRecord.test("a")
    let bytes = Data(repeating: 7, count: CloudLimits.inlineBytes + difference)
    record.fields["blob"] = CloudField(.bytes(bytes), .zero)
    let result = try device.modify([.save(record, base: nil)])
    #expect(code(result, "a") == (difference > 0 ? .invalidArguments : nil))
  }

  // MARK: Assets

  @Test func anAssetIsPublishedBeforeTheCommitThatNamesIt() throws {
    let bytes = Data("an image".utf8)
    let reference = try cloud.log.publishAsset(bytes)
    var record = CloudRecord.test("a")
    record.fields["cover"] = CloudField(.asset(reference), FieldClock(milliseconds: 3, device: 1))
    try device.modify([.save(record, base: nil)])
    let other = try cloud.other()
    try other.device.fetch()
    #expect(other.device.records["a"] == record)
    #expect(try other.log.readAsset(reference) == bytes)
  }

  @Test func twoUploadsOfTheSameBytesAreTwoAssets() throws {
    #expect(try cloud.log.publishAsset(Data([1])) != cloud.log.publishAsset(Data([1])))
  }

  @Test func aSaveThatNamesAnAssetWhichIsNotThereIsRefused() throws {
    let reference = try cloud.log.publishAsset(Data([1]))
    try cloud.store.delete(#require(cloud.log.layout.asset(reference, epoch: 1)))
    var record = CloudRecord.test("a")
    record.fields["cover"] = CloudField(.asset(reference), .zero)
    #expect(code(try device.modify([.save(record, base: nil)]), "a") == .assetFileNotFound)
    #expect(device.records.isEmpty)
    #expect(throws: CloudError.missingAsset(reference)) { try cloud.log.readAsset(reference) }
  }

  @Test func anAssetOfOtherContentIsNotGivenOut() throws {
    let bytes = Data("right".utf8)
    let reference = AssetReference(name: "\(ContentHash(of: bytes))-00000000", byteCount: 5)
    try cloud.put(Data("wrong".utf8), at: #require(cloud.log.layout.asset(reference, epoch: 1)))
    #expect(throws: CloudError.missingAsset(reference)) { try cloud.log.readAsset(reference) }
  }

  @Test(arguments: ["../../CLOUD.json", "", "a-b", String(repeating: "A", count: 64) + "-00000000"])
  func anAssetsNameCannotBeAPath(name: String) throws {
    let reference = AssetReference(name: name, byteCount: 1)
    #expect(throws: CloudError.missingAsset(reference)) { try cloud.log.readAsset(reference) }
    var record = CloudRecord.test("a")
    record.fields["cover"] = CloudField(.asset(reference), .zero)
    #expect(code(try device.modify([.save(record, base: nil)]), "a") == .invalidArguments)
  }
}
