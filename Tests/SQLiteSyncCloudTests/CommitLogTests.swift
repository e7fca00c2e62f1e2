import Foundation
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSyncCloud

@Suite struct CommitLogTests {
  let one: CloudFixture
  let two: CloudFixture

  init() throws {
    one = try CloudFixture()
    try one.log.create()
    two = try one.other()
  }

  @Test func whatOneDeviceSavesTheOtherFetches() throws {
    let result = try one.device.save("a", "hello")
    #expect(result.failures.isEmpty)
    #expect(one.device.records["a"] == .test("a", "hello"))

    try two.device.fetch()
    #expect(two.device.records == one.device.records)
    #expect(two.device.token == one.device.token)
    #expect(two.device.tag("a") == ChangeTag(epoch: 1, sequence: 1, index: 0))
  }

  @Test func aFetchReturnsTheLatestVersionOfEachRecordInTheOrderOfTheTags() throws {
    try one.device.save("a", "1")
    try one.device.save("b", "1")
    try one.device.save("a", "2")
    try one.device.delete("b")
    let changes = try two.device.fetch()
    #expect(changes.copies.map(\.name) == ["a", "b"])
    #expect(changes.copies.map(\.tag.description) == ["1.3.0", "1.4.0"])
    #expect(two.device.records["a"] == .test("a", "2"))
    #expect(two.device.records["b"] == nil)
  }

  @Test func aFetchIsLimitedToSomeCommitsAndSaysThatMoreAreComing() throws {
    for number in 1...5 { try one.device.save("\(number)", "") }
    let first = try one.log.changes(after: nil, limit: 2, view: two.device.view)
    #expect(first.copies.map(\.name) == ["1", "2"])
    #expect(first.moreComing)
    try two.device.fetch(limit: 2)
    #expect(two.device.records.count == 5)
  }

  @Test func aSecondFetchReturnsNothing() throws {
    try one.device.save("a", "1")
    let token = one.device.token
    let changes = try one.device.fetch()
    #expect(changes.copies.isEmpty)
    #expect(changes.token == token)
  }

  @Test func aLostRaceIsCheckedAgainAndCommittedAtTheNextNumber() throws {
    let store = FaultyStore(one.store)
    let slow = try CloudFixture(over: store, seed: 3)
    store.planOnce(at: .create) { [base = one.store] in
      try CloudFixture(over: base, seed: 4).device.save("rival", "first")
    }
    try slow.device.save("mine", "second")
    #expect(slow.device.tag("rival")?.sequence == 1)
    #expect(slow.device.tag("mine")?.sequence == 2)
  }

  @Test func aLostRaceForOneRecordIsRefusedWithTheOthersVersion() throws {
    let store = FaultyStore(one.store)
    let slow = try CloudFixture(over: store, seed: 3)
    store.planOnce(at: .create) { [base = one.store] in
      try CloudFixture(over: base, seed: 4).device.save("a", "first")
    }
    let result = try slow.device.save("a", "second")
    try two.device.fetch()
    #expect(result.failures["a"]?.code == .serverRecordChanged)
    #expect(result.failures["a"]?.server == two.device.copies["a"])
    #expect(slow.device.records["a"] == .test("a", "first"))
  }

  @Test(arguments: [FaultyStore.Fault.unknownDone, .unknownNotDone])
  func aCommitterThatLostTheAnswerRecognisesItsOwnCommit(fault: FaultyStore.Fault) throws {
    let store = FaultyStore(one.store)
    let unlucky = try CloudFixture(over: store, seed: 3)
    let isFirst = Mutex(true)
    store.plan { call in
      call.kind == .create && isFirst.take() ? fault : nil
    }
    let result = try unlucky.device.save("a", "once")
    #expect(result.failures.isEmpty)
    try two.device.fetch()
    #expect(two.device.token == unlucky.device.token)
    #expect(two.device.tag("a")?.sequence == 1)
    #expect(try two.log.readCommit(2, epoch: 1) == nil)
  }

  @Test func aCommitThatIsOnlyFoundIsMadeDurableBeforeItCounts() throws {
    let store = FaultyStore(one.store)
    let unlucky = try CloudFixture(over: store, seed: 3)
    let calls = Mutex<[FaultyStore.Call.Kind]>([])
    store.plan { call in
      guard call.path.contains("/log") else { return nil }
      calls.withLock { $0.append(call.kind) }
      return call.kind == .create ? .unknownDone : nil
    }
    try unlucky.device.save("a", "once")
    #expect(calls.withLock { $0.suffix(3) } == [.create, .read, .barrier])
  }

  @Test func aCommitFollowsOnlyWhatIsDurable() throws {
    try one.device.save("a", "1")
    let store = FaultyStore(one.store)
    let late = try CloudFixture(over: store, seed: 3)
    let calls = Mutex<[FaultyStore.Call.Kind]>([])
    store.plan { call in
      if call.path.contains("/log") { calls.withLock { $0.append(call.kind) } }
      return nil
    }
    try late.device.save("b", "1")
    let barrier = try #require(calls.withLock { $0.firstIndex(of: .barrier) })
    #expect(try barrier < #require(calls.withLock { $0.firstIndex(of: .create) }))
  }

  @Test func anAnswerThatStaysLostIsReportedAndTheCommitIsFoundLater() throws {
    let store = FaultyStore(one.store)
    let unlucky = try CloudFixture(over: store, seed: 3)
    store.plan { call in
      switch call.kind {
      case .create: .unknownDone
      case .read where call.path.contains("/log/"): .stale
      default: nil
      }
    }
    #expect(throws: FaultyStore.lost) { try unlucky.device.save("a", "once") }
    store.restart()
    try unlucky.device.fetch()
    #expect(unlucky.device.records["a"] == .test("a", "once"))
  }

  @Test func aCloudThatGoesAwayIsUnavailableAndNotOfANewerFormat() throws {
    let store = FaultyStore(one.store)
    let unlucky = try CloudFixture(over: store, seed: 3)
    store.plan { $0.path == "CLOUD.json" ? .stale : nil }
    #expect {
      try unlucky.device.save("a", "1")
    } throws: { error in
      (error as? CloudError)?.code == .accountTemporarilyUnavailable
    }
  }

  @Test func aCommitThatDoesNotFollowTheOneBeforeIsVoid() throws {
    try one.device.save("a", "1")
    try one.forge(at: 2, previous: ContentHash(of: [1, 2, 3]), [.save(.test("b"), base: nil)])
    try one.device.save("c", "1")
    try two.device.fetch()
    #expect(two.device.voided == 1)
    #expect(Set(two.device.records.keys) == ["a", "c"])
    #expect(two.device.token == one.device.token)
  }

  @Test func aCommitThatBreaksARuleIsVoidForEverybody() throws {
    try one.device.save("a", "1")
    let token = try #require(one.device.token)
    try one.forge(at: 2, previous: token.hash, [.save(.test("a", "2"), base: nil)])
    try one.device.fetch()
    try two.device.fetch()
    #expect(one.device.voided == 1)
    #expect(two.device.voided == 1)
    #expect(two.device.records["a"] == .test("a", "1"))
  }

  @Test func aMissingCommitInTheMiddleIsReportedAndNothingIsCommittedAfterIt() throws {
    for number in 1...4 { try one.device.save("\(number)", "") }
    let early = try one.log.changes(after: nil, limit: 1, view: two.device.view).token
    try one.store.delete(one.log.layout.commit(3, epoch: 1))
    let before = try one.log.changes(after: early, view: two.device.view)
    #expect(before.copies.map(\.name) == ["2"] && before.moreComing)
    for action in [
      { _ = try one.log.changes(after: before.token, view: two.device.view) },
      { _ = try one.log.modify([], after: early, view: two.device.view, atomically: false) },
    ] {
      let error = #expect(throws: CloudError.self) { try action() }
      #expect(error?.code == .internalError)
      #expect(error?.hint?.contains("heck of the cloud") == true)
    }
  }

  @Test func aRestoredBackupIsAnotherLogToWhoHasSeenMore() throws {
    try one.device.save("a", "1")
    try two.device.fetch()
    try one.device.save("b", "lost by the restore")
    try one.store.delete(one.log.layout.commit(2, epoch: 1))
    #expect(throws: CloudError.rebuilt(one.log.id)) { try one.device.fetch() }
    try two.device.save("c", "1")
    #expect(throws: CloudError.rebuilt(one.log.id)) { try one.device.fetch() }
    #expect(throws: CloudError.rebuilt(one.log.id)) { try one.device.save("d", "1") }
  }

  @Test func nobodyLosesACommitToAFasterOne() throws {
    for number in 1...10 {
      try one.device.save("one\(number)", "")
      try two.device.save("two\(number)", "")
    }
    try one.device.fetch()
    #expect(one.device.records.count == 20)
    #expect(two.device.records.count == 20)
  }
}

extension FaultyStore {
  /// Lets something happen just before the first call of a kind.
  func planOnce(at kind: Call.Kind, _ action: @escaping @Sendable () throws -> Void) {
    let isFirst = Mutex(true)
    plan { call in
      guard call.kind == kind, isFirst.take() else { return nil }
      do {
        try action()
      } catch {
        Issue.record(error)
      }
      return nil
    }
  }
}

extension Mutex<Bool> {
  /// True the first time.
  borrowing func take() -> Bool {
    withLock { value in
      defer { value = false }
      return value
    }
  }
}

extension CloudFixture {
  /// Puts a commit into the log that the production writer would not make.
  func forge(at sequence: Int64, previous: ContentHash, _ changes: [CloudChange]) throws {
    let commit = Commit(
      origin: log.origin(), zone: log.id.name, epoch: 1, sequence: sequence, previous: previous,
      operations: changes)
    try put(commit.encoded, at: log.layout.commit(sequence, epoch: 1))
  }

  /// Puts bytes into the store.
  func put(_ bytes: Data, at key: StoreKey) throws {
    guard case .created = store.createIfAbsent(key, bytes) else {
      throw CloudError(.internalError, "\(key) could not be created.")
    }
  }
}
