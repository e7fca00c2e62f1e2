import Foundation
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSyncCloud

/// A log of which a file is missing or altered: nobody goes on as if nothing were wrong, and what
/// only looks so is not called damage.
@Suite struct DamageTests {
  let fixture: CheckFixture

  /// Three commits, read by one device.
  init() throws {
    fixture = try CheckFixture()
    for name in ["a", "b", "c"] { try fixture.device.save(name, "1") }
  }

  /// A device that knows nothing yet.
  private func newcomer(_ seed: UInt64 = 2) throws -> CloudFixture {
    try fixture.cloud.other(seed)
  }

  private func expectDamage(
    of number: Int64, _ work: () throws -> Void, at location: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: CloudError.self, sourceLocation: location) { try work() }
    #expect(error?.code == .internalError, sourceLocation: location)
    #expect(error?.reason.contains("Commit \(number)") == true, sourceLocation: location)
    #expect(error?.hint?.contains("heck of the cloud") == true, sourceLocation: location)
  }

  @Test(arguments: [1, 2, 400]) func aMissingCommitStopsTheReader(limit: Int) throws {
    try fixture.remove(fixture.commit(2))
    let late = try newcomer()
    expectDamage(of: 2) { try late.device.fetch(limit: limit) }
    expectDamage(of: 2) { try late.device.save("d", "1") }
    #expect(try late.log.readCommit(4, epoch: 1) == nil)
  }

  @Test func whatComesBeforeTheMissingCommitIsRead() throws {
    try fixture.remove(fixture.commit(2))
    let late = try newcomer()
    expectDamage(of: 2) { try late.device.fetch() }
    #expect(Set(late.device.records.keys) == ["a"])
    #expect(late.device.token?.sequence == 1)
  }

  @Test(arguments: [1, 2, 400]) func aCommitThatWasAlteredLaterStopsTheReader(limit: Int) throws {
    try fixture.alter(fixture.commit(2))
    let late = try newcomer()
    expectDamage(of: 2) { try late.device.fetch(limit: limit) }
    expectDamage(of: 2) { try late.device.save("d", "1") }
    #expect(try late.log.readCommit(4, epoch: 1) == nil)
  }

  @Test func whatWasAlteredIsNotFoldedIntoACheckpoint() throws {
    try fixture.alter(fixture.commit(2))
    expectDamage(of: 2) { _ = try fixture.cloud.log.maintain(MaintenanceTests.eager) }
    #expect(try fixture.cloud.log.manifest().checkpoint == nil)
  }

  @Test func whoHasReadItBeforeGoesOn() throws {
    try fixture.alter(fixture.commit(2))
    try fixture.device.save("d", "1")
    #expect(fixture.device.voided == 0)
    #expect(Set(fixture.device.records.keys) == ["a", "b", "c", "d"])
  }

  @Test func onceTheFileIsBackEverybodySeesTheSame() throws {
    let whole = try fixture.read(fixture.commit(2))
    try fixture.alter(fixture.commit(2))
    let late = try newcomer()
    // The altered file is read, and found out by the one after it.
    _ = try late.device.log.changes(after: nil, limit: 2, view: late.device.view)
    expectDamage(of: 2) { try late.device.fetch() }
    try fixture.put(whole, at: fixture.commit(2))
    try late.device.fetch()
    #expect(late.device.copies == fixture.device.copies)
    #expect(late.device.voided == 0)
  }

  @Test func commitsThatWereExchangedAreDamageUntilTheyAreBack() throws {
    let places = [fixture.commit(1), fixture.commit(2)]
    let files = try places.map(fixture.read)
    for (file, place) in zip(files.reversed(), places) { try fixture.put(file, at: place) }
    let late = try newcomer()
    expectDamage(of: 2) { try late.device.fetch() }
    for (file, place) in zip(files, places) { try fixture.put(file, at: place) }
    try late.device.fetch()
    #expect(late.device.copies == fixture.device.copies)
    #expect(late.device.voided == 0)
  }

  @Test func theLatestCommitAlteredIsAnotherLogToWhoHasReadIt() throws {
    try fixture.alter(fixture.commit(3))
    #expect {
      try fixture.device.fetch()
    } throws: { error in
      (error as? CloudError)?.code == .zoneNotFound
    }
    // Nothing tells a newcomer that it was a commit; the device that wrote it sends it again.
    let late = try newcomer()
    try late.device.fetch()
    #expect(late.device.voided == 1)
  }

  /// A forger could do that at any time, so it must not stop anybody.
  @Test func aCommitThatNamesAnotherOneBeforeIsVoidAndReported() throws {
    try fixture.cloud.forge(at: 4, previous: ContentHash(of: [1]), [.save(.test("x"), base: nil)])
    let late = try newcomer()
    let changes = try late.device.fetch()
    #expect(changes.voids.map(\.number) == [4])
    #expect(changes.voids.first?.reason == "it does not follow the commit before")
    #expect(try fixture.device.fetch().voids == changes.voids)
    #expect(Set(late.device.records.keys) == ["a", "b", "c"])
  }

  // MARK: A network mount

  private func mounted(
    _ plan: @escaping @Sendable (FaultyStore.Call) -> FaultyStore.Fault?
  ) throws -> CloudFixture {
    let cloud = try CloudFixture(
      over: FaultyStore(fixture.cloud.store, plan: plan), seed: 3, clock: fixture.cloud.clock)
    return cloud
  }

  @Test func aMountThatHidesACommitForAMomentHidesNothingFromTheReader() throws {
    let path = "\(fixture.commit(2))"
    let remaining = Mutex(4)
    let late = try mounted { call in
      call.kind == .read && call.path == path && remaining.countsDown() ? .stale : nil
    }
    try late.device.fetch()
    #expect(late.device.copies == fixture.device.copies)
  }

  @Test func aMountThatHidesACommitForLongIsNotDamage() throws {
    let path = "\(fixture.commit(2))"
    let late = try mounted { call in
      call.kind == .read && call.path == path ? .stale : nil
    }
    #expect {
      try late.device.fetch()
    } throws: { error in
      (error as? CloudError)?.code == .networkUnavailable
    }
  }
}

extension Mutex<Int> {
  /// True as many times as the number says.
  fileprivate borrowing func countsDown() -> Bool {
    withLock { count in
      count -= 1
      return count >= 0
    }
  }
}
