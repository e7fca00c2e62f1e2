import Foundation
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSyncCloud

/// Folding the log, and deleting what nobody needs.
@Suite struct MaintenanceTests {
  let clock = TestTime()
  let cloud: CloudFixture
  var device: Device { cloud.device }
  var log: ZoneLog { cloud.log }

  /// Folds whenever there is something, and keeps one commit.
  static let eager: MaintenancePolicy = {
    var policy = MaintenancePolicy()
    policy.manyCommits = 1
    policy.keptCommits = 1
    policy.keptCommitAge = 0
    return policy
  }()

  init() throws {
    let clock = clock
    cloud = try CloudFixture(over: MemoryStore(now: { clock.now }), clock: clock)
    try cloud.log.create()
  }

  func fill(_ names: ClosedRange<Int>) throws {
    for name in names { try device.save("\(name)", "value \(name)") }
  }

  func names(in prefix: StorePrefix) throws -> [String] {
    try cloud.store.list(prefix, after: nil, limit: .max).map(\.name)
  }

  @Test func aNewDeviceReadsTheCheckpointAndNotTheHistory() throws {
    for _ in 1...10 { try device.save("a", "again") }
    try device.save("b", "1", parent: "a")
    try device.save("c", "1")
    try device.delete("c")
    #expect(try log.maintain(Self.eager).checkpoint == 13)
    try device.save("d", "after")

    let counting = FaultyStore(cloud.store)
    let fresh = try CloudFixture(over: counting, seed: 2, clock: clock)
    let first = try fresh.log.changes(after: nil, view: fresh.device.view)
    #expect(first.moreComing)
    try fresh.device.fetch()
    #expect(fresh.device.copies == device.copies)
    #expect(fresh.device.token == device.token)
    #expect(counting.callCount < 40)
  }

  @Test func aCheckpointIsTheLogFolded() throws {
    try fill(1...20)
    try device.delete("7")
    let history = try cloud.other(3).device
    try history.fetch()
    _ = try log.maintain(Self.eager)
    try fill(21...25)
    try history.fetch()
    _ = try log.maintain(Self.eager)
    let fresh = try cloud.other(2).device
    try fresh.fetch()
    #expect(fresh.copies == history.copies)
    #expect(fresh.copies == device.copies)
  }

  @Test func whatWasFoldedIsDeletedOnlyAfterItWasAnnounced() throws {
    try fill(1...5)
    _ = try log.maintain(Self.eager)
    #expect(try log.maintain(Self.eager).deletedFiles == 0)
    #expect(try names(in: log.layout.log(epoch: 1)).count == 5)
    clock.advance(hours: 1)
    #expect(try log.maintain(Self.eager).deletedFiles == 4)
    #expect(try names(in: log.layout.log(epoch: 1)) == [ZoneLayout.fileName(5)])
    try device.save("6", "")
    #expect(device.tag("6")?.sequence == 6)
  }

  @Test func whatACheckpointThatIsDamagedReplacesStays() throws {
    try fill(1...5)
    _ = try log.maintain(Self.eager)
    clock.advance(hours: 1)
    let prefix = log.layout.checkpoints(epoch: 1)
    let key = StoreKey(
      prefix, listed: try #require(cloud.store.list(prefix, after: nil, limit: 1).first))
    let bytes = try #require(try cloud.store.read(key, limit: .max))
    try cloud.store.delete(key)
    for damaged in [nil, Data("junk".utf8)] {
      if let damaged { try cloud.put(damaged, at: key) }
      let report = try log.maintain(Self.eager)
      #expect(report.deletedFiles == 0 && report.failures.count == 1)
      #expect(try names(in: log.layout.log(epoch: 1)).count == 5)
    }
    try cloud.store.delete(key)
    try cloud.put(bytes, at: key)
    #expect(try log.maintain(Self.eager).deletedFiles == 4)
  }

  @Test func aDeviceWhoseClockIsYearsAheadDeletesNothingTooEarly() throws {
    try fill(1...5)
    try device.delete("2")
    let ahead = TestTime()
    ahead.advance(hours: 24 * 3_650)
    let wrong = try CloudFixture(over: cloud.store, seed: 3, clock: ahead)
    try cloud.put(Data(), at: StoreKey(log.layout.stage, listed: .leftover("young")))
    for _ in 1...2 { #expect(try wrong.log.maintain(Self.eager).deletedFiles == 0) }
    let fresh = try cloud.other(2).device
    try fresh.fetch()
    #expect(fresh.copies == device.copies)
  }

  /// Deletions are dated by the clocks of devices.
  @Test func aStoreWhoseClockIsYearsAheadHasNoDeletionForgotten() throws {
    let clock = clock
    let store = MemoryStore(now: { clock.now + MaintenancePolicy.days(3_650) })
    let ahead = try CloudFixture(over: store, clock: clock)
    try ahead.log.create()
    try ahead.device.save("a", "")
    try ahead.device.delete("a", at: clock.now)
    #expect(try ahead.log.maintain(Self.eager).checkpoint != nil)
    let fresh = try ahead.other(2).device
    try fresh.fetch()
    #expect(fresh.copies["a"] == ahead.device.copies["a"])
  }

  @Test func aZoneThatIsAlwaysBusyIsCollectedToo() throws {
    for round in 1...6 {
      try device.save("\(round)", "")
      _ = try log.maintain(Self.eager)
      clock.advance(hours: 1)
    }
    #expect(try names(in: log.layout.log(epoch: 1)).count <= 3)
  }

  @Test func aDeviceThatWasAwayFetchesEverythingAgain() throws {
    try fill(1...3)
    let away = try cloud.other(2).device
    try away.fetch()
    try device.delete("2")
    try fill(4...9)
    _ = try log.maintain(Self.eager)
    clock.advance(hours: 1)
    _ = try log.maintain(Self.eager)
    #expect(throws: CloudError.tokenExpired) { try away.fetch() }
    #expect(throws: CloudError.tokenExpired) { try away.save("x", "") }
    let again = Device(away.log)
    try again.fetch()
    #expect(again.copies == device.copies)
  }

  @Test func aReaderInTheMiddleOfACheckpointContinuesWithIt() throws {
    let count = CloudLimits.recordsPerPart + 10
    for start in stride(from: 0, to: count, by: 400) {
      try device.modify(
        (start..<min(start + 400, count)).map { .save(.test("\($0)"), base: nil) })
    }
    _ = try log.maintain(Self.eager)
    let slow = try cloud.other(2).device
    slow.apply(try log.changes(after: nil, view: slow.view))
    #expect(slow.copies.count == CloudLimits.recordsPerPart)
    let token = try #require(slow.token)
    #expect(ChangeToken(token.description) == token)

    try device.save("new", "")
    _ = try log.maintain(Self.eager)
    try slow.fetch()
    #expect(slow.copies == device.copies)
  }

  @Test func aReaderWhoseCheckpointIsGoneBeginsAgain() throws {
    try fill(1...3)
    _ = try log.maintain(Self.eager)
    let manifest = try log.manifest()
    let slow = manifest.start
    for round in 4...6 {
      try fill(round...round)
      _ = try log.maintain(Self.eager)
    }
    #expect(throws: CloudError.tokenExpired) {
      try log.changes(after: slow, view: Device(log).view)
    }
  }

  @Test func aWriterThatFetchedNothingYetCommitsOntoTheCheckpoint() throws {
    try fill(1...5)
    _ = try log.maintain(Self.eager)
    let fresh = try cloud.other(2).device
    try fresh.save("new", "")
    #expect(fresh.copies.count == 6)
    #expect(
      try fresh.modify([.save(.test("3"), base: nil)]).failures["3"]?.code == .serverRecordChanged)
  }

  @Test func deletionsAreForgottenAfterHalfAYear() throws {
    try device.save("a", "")
    try device.delete("a", at: clock.now)
    try device.save("b", "")
    _ = try log.maintain(Self.eager)
    let early = try cloud.other(2).device
    try early.fetch()
    #expect(early.copies["a"] != nil)

    clock.advance(hours: 24 * 181)
    try device.save("c", "")
    _ = try log.maintain(Self.eager)
    let late = try cloud.other(3).device
    try late.fetch()
    #expect(late.copies["a"] == nil)

    // One knows of the deletion and one does not: they agree on what follows.
    try late.save("a", "again")
    try early.fetch()
    try device.fetch()
    #expect(late.copies["a"] == early.copies["a"])
    #expect(device.copies["a"] == late.copies["a"])
    #expect(early.voided == 0)
  }

  @Test func keysOfANewerProgramSurviveTheFolding() throws {
    let line = #"{"base":null,"fields":{},"name":"a","new":{"x":1},"op":"save","t":5,"type":"t"}"#
    let header = Commit(
      origin: log.origin(), zone: "test", epoch: 1, sequence: 1,
      previous: try log.manifest().genesis, operations: [])
    try cloud.put(
      Commit.file(header: header, lines: [Array(line.utf8)]),
      at: log.layout.commit(1, epoch: 1))
    _ = try log.maintain(Self.eager)
    let part = try #require(try log.manifest().checkpoint?.checkpoint.parts.first)
    let bytes = try #require(try cloud.store.read(log.layout.part(part, epoch: 1), limit: 1 << 20))
    #expect(String(decoding: bytes, as: UTF8.self).contains(line))
  }

  @Test func voidCommitsAreFoldedAway() throws {
    try device.save("a", "1")
    try cloud.forge(at: 2, previous: ContentHash(of: [0]), [.save(.test("x"), base: nil)])
    try device.save("b", "1")
    _ = try log.maintain(Self.eager)
    let fresh = try cloud.other(2).device
    #expect(try fresh.fetch().voids == [])
    #expect(fresh.copies == device.copies)
  }

  @Test func twoMaintainersAtOnceMakeOneCheckpoint() throws {
    try fill(1...5)
    let store = FaultyStore(cloud.store)
    let slow = try CloudFixture(over: store, seed: 4, clock: clock)
    store.plan { [base = cloud.store, clock] call in
      guard call.kind == .create, call.path.contains("/meta/") else { return nil }
      store.restart()
      do {
        let other = try CloudFixture(over: base, seed: 5, clock: clock)
        _ = try other.log.maintain(MaintenanceTests.eager)
      } catch {
        Issue.record(error)
      }
      return nil
    }
    _ = try slow.log.maintain(Self.eager)
    let manifest = try log.manifest()
    #expect(manifest.number == 2)
    #expect(manifest.voids.isEmpty)
    let fresh = try cloud.other(6).device
    try fresh.fetch()
    #expect(fresh.copies == device.copies)
  }

  @Test func aWriterThatStalledAcrossACompactionDoesNotCommitBelowTheFloor() throws {
    try fill(1...3)
    let store = FaultyStore(cloud.store)
    let stalled = try CloudFixture(over: store, seed: 4, clock: clock)
    try stalled.device.fetch()
    store.planOnce(at: .create) { [base = cloud.store, clock] in
      let other = try CloudFixture(over: base, seed: 5, clock: clock)
      try other.device.fetch()
      for number in 4...9 { try other.device.save("\(number)", "") }
      _ = try other.log.maintain(MaintenanceTests.eager)
      clock.advance(hours: 1)
      _ = try other.log.maintain(MaintenanceTests.eager)
    }
    #expect(throws: CloudError.tokenExpired) { try stalled.device.save("late", "") }
    let fresh = Device(log)
    try fresh.fetch()
    #expect(fresh.copies.count == 9)
    #expect(fresh.copies["late"] == nil)
  }

  @Test func aMaintainerThatSleptLosesNoPartsToACollector() throws {
    try fill(1...3)
    let store = FaultyStore(cloud.store)
    let slow = try CloudFixture(over: store, seed: 4, clock: clock)
    var collecting = Self.eager
    collecting.manyCommits = 1_000
    let isFirst = Mutex(true)
    store.plan { [base = cloud.store, clock, collecting] call in
      guard call.kind == .create, call.path.contains("/meta/"), isFirst.take() else { return nil }
      clock.advance(hours: 24)
      do {
        let other = try CloudFixture(over: base, seed: 5, clock: clock)
        #expect(try other.log.maintain(collecting).deletedFiles == 1)
      } catch {
        Issue.record(error)
      }
      return nil
    }
    #expect(try slow.log.maintain(Self.eager).checkpoint == 3)
    let fresh = try cloud.other(6)
    try fresh.device.fetch()
    #expect(fresh.device.copies == device.copies)
  }

  @Test func whatAStalledWriterCreatesBelowTheFloorStopsNobody() throws {
    try fill(1...3)
    let store = FaultyStore(cloud.store)
    let stalled = try CloudFixture(over: store, seed: 4, clock: clock)
    try stalled.device.fetch()
    var policy = Self.eager
    policy.keptCommits = 0
    store.planOnce(at: .create) { [base = cloud.store, clock, policy] in
      let other = try CloudFixture(over: base, seed: 5, clock: clock)
      try other.device.fetch()
      try other.device.save("4", "")
      _ = try other.log.maintain(policy)
      clock.advance(hours: 1)
      _ = try other.log.maintain(policy)
    }
    #expect(throws: CloudError.tokenExpired) { try stalled.device.save("late", "") }
    // Its file has the number of the last commit of the checkpoint.
    #expect(try names(in: log.layout.log(epoch: 1)) == [ZoneLayout.fileName(4)])
    let fresh = Device(log)
    try fresh.fetch()
    #expect(fresh.copies.count == 4)
    try fresh.save("5", "")
    #expect(fresh.copies["late"] == nil)
  }

  @Test func onlyTheOwnerMaintainsAZone() throws {
    let other = CloudContainer(
      store: cloud.store, account: ownAccount("ben"), device: UUID(8), app: "test")
    try other.open()
    let error = #expect(throws: CloudError.self) {
      try other.zone(log.id).maintain(forgettingDeletionsUpTo: nil)
    }
    #expect(error?.code == .permissionFailure)
  }

  @Test func theDefaultPolicyFoldsAfterEnoughCommitsAndBytes() {
    let policy = MaintenancePolicy.standard
    #expect(!policy.isDue(commits: 255, bytes: 9 << 20, checkpointBytes: 0))
    #expect(policy.isDue(commits: 256, bytes: 1 << 20, checkpointBytes: 0))
    #expect(!policy.isDue(commits: 256, bytes: 1 << 20 - 1, checkpointBytes: 0))
    #expect(!policy.isDue(commits: 256, bytes: 1 << 20, checkpointBytes: 3 << 20))
    #expect(policy.isDue(commits: 4_096, bytes: 1, checkpointBytes: 3 << 20))
  }
}
