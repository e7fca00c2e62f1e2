import Foundation
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSyncCloud

/// A cloud that moves from one store to another.
@Suite struct CloudCopyTests {
  private let here = MemoryStore()
  private let there = MemoryStore()
  private let desk: CloudFixture

  init() throws {
    desk = try CloudFixture(over: here)
    try desk.log.create()
  }

  /// The same devices at the new place.
  private func moved(to store: any ObjectStore) throws -> CloudFixture {
    try CloudFixture(over: store, seed: 1)
  }

  private func fill() throws {
    for number in 1...20 { try desk.device.save("\(number)", "value") }
    let asset = try desk.log.publishAsset(Data(repeating: 7, count: 2_000_000))
    var record = CloudRecord.test("with a picture")
    record.fields["cover"] = CloudField(.asset(asset), .zero)
    try desk.device.modify([.save(record, base: nil)])
    _ = try desk.log.maintain(MaintenanceTests.eager)
    try desk.device.save("after", "the checkpoint")
  }

  @Test func aDeviceGoesOnWithWhatItHas() throws {
    try fill()
    let id = try desk.container.open()
    let report = try CloudCopy(from: here, to: there).run()
    #expect(report.copied > 20 && report.present == 0 && report.byteCount > 2_000_000)
    #expect(report.skipped.isEmpty && !report.isStillUsed && report.sharing == nil)

    let counting = FaultyStore(there)
    let phone = try CloudFixture(over: counting, seed: 2)
    #expect(try phone.container.open(expecting: id) == id)
    let start = counting.callCount
    let changes = try phone.log.changes(after: desk.device.token, view: desk.device.view)
    #expect(changes.copies.isEmpty && !changes.moreComing, "it has everything")
    #expect(counting.callCount - start < 12)
    try moved(to: there).device.fetch()
    #expect(try CloudCheck(phone.container).run().findings.isEmpty)
  }

  /// A number is a user of one machine: of a database only where it was given to a role.
  @Test(.enabled(if: PostgresServer.isThere, "PostgreSQL is not installed"))
  func aDatabaseIsRefusedToAUserOfAMachineBeforeAnythingIsWritten() throws {
    let user = AccountID(userID: 4_001)
    _ = here.createIfAbsent(CloudLayout.accountFile(user), Data([1]))
    let database = try PostgresServer.shared.get().database().store(as: "ann")
    let error = try #require(throws: CloudError.self) {
      try CloudCopy(from: here, to: database).run()
    }
    #expect(error.reason.contains("u4001"), "\(error)")
    #expect(error.hint?.contains(".give([\"u4001\": ") == true, "\(error)")
    #expect(try database.read(CloudLayout.cloudFile, limit: 1) == nil)
    #expect(try database.list(CloudLayout.accounts, after: nil, limit: 9).isEmpty)
  }

  @Test(arguments: ObjectStoreTests.Kind.allCases.filter { [.directory, .sftp].contains($0) })
  func nothingIsWrittenWhereAllBelongsToOtherUsers(kind: ObjectStoreTests.Kind) throws {
    let source = MemoryStore()
    let bytes = try #require(here.read(CloudLayout.cloudFile, limit: .max))
    _ = source.createIfAbsent(CloudLayout.cloudFile, bytes)
    for number in 1...2 as ClosedRange<UInt32> {
      let user = AccountID(userID: geteuid() + number)
      _ = source.createIfAbsent(CloudLayout.accountFile(user), Data([1]))
    }
    let directory = try TemporaryDirectory()
    let store = try ObjectStoreTests.connect(kind, to: directory)()
    let error = try #require(throws: CloudError.self) {
      try CloudCopy(from: source, to: store).run()
    }
    #expect(error.code == .permissionFailure, "\(error)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == [])
    // What is one's own is copied, and the rest is told.
    let own = AccountID(userID: geteuid())
    _ = source.createIfAbsent(CloudLayout.accountFile(own), Data([1]))
    let report = try CloudCopy(from: source, to: store).run()
    #expect(report.accounts == [own] && report.skipped.count == 2)
  }

  @Test func nothingIsMadeWhereThereIsNothingToCopy() throws {
    var isMade = false
    #expect(throws: CloudError.self) {
      try CloudCopy(from: MemoryStore(), to: there).run(making: { isMade = true })
    }
    #expect(!isMade)
  }

  @Test func whatIsLostAtTheOldPlaceIsSaid() throws {
    try fill()
    #expect(try CloudCopy(from: here, to: MemoryStore()).run().damage.isEmpty)
    let log = desk.log.layout.log(epoch: 1)
    let last = try #require(try here.list(log, after: nil, limit: .max).last)
    let key = StoreKey(log, listed: last)
    try desk.device.save("later", "")
    here.delete(key)
    let report = try CloudCopy(from: here, to: there).run()
    #expect(report.damage.contains { $0.path == "\(key)" })
  }

  @Test(arguments: ObjectStoreTests.Kind.allCases)
  func aCloudGoesToAnyStoreAndBack(kind: ObjectStoreTests.Kind) throws {
    try fill()
    let directory = try TemporaryDirectory()
    let connect = ObjectStoreTests.connect(kind, to: directory, isNew: true)
    _ = try CloudCopy(from: here, to: connect()).run()
    let back = MemoryStore()
    _ = try CloudCopy(from: connect(), to: back).run()
    let phone = try CloudFixture(over: back, seed: 2)
    try phone.device.fetch()
    #expect(phone.device.copies == desk.device.copies)
    #expect(phone.device.token == desk.device.token)
    #expect(try CloudCheck(phone.container).run().findings.isEmpty)
  }

  /// Wherever it is interrupted, there is no cloud yet or all of it, and the next copy ends it.
  @Test func aCopyThatWasInterruptedIsMadeAgain() throws {
    try fill()
    var isWhole = false
    for number in stride(from: 1, to: 10_000, by: 23) where !isWhole {
      let there = MemoryStore()
      let dying = FaultyStore(there) { $0.number == number ? .crashAfter : nil }
      isWhole = (try? CloudCopy(from: here, to: dying).run()) != nil
      if there.read(CloudLayout.cloudFile, limit: 1) != nil {
        let phone = try CloudFixture(over: there, seed: 2)
        try phone.device.fetch()
        #expect(phone.device.copies == desk.device.copies)
      }
      _ = try CloudCopy(from: here, to: there).run()
      let again = try CloudCopy(from: here, to: there).run()
      #expect(again.copied == 0 && again.present > 20)
    }
    #expect(isWhole)
  }

  @Test func answersThatAreLostAreSettled() throws {
    try fill()
    let lossy = FaultyStore(there) { call in
      guard call.kind == .create else { return nil }
      return call.number.isMultiple(of: 2) ? .unknownDone : .unknownNotDone
    }
    let report = try CloudCopy(from: here, to: lossy).run()
    #expect(report.present == 0)
    let again = try CloudCopy(from: here, to: there).run()
    #expect(again.copied == 0 && again.present == report.copied, "with CLOUD.json")
  }

  @Test func whatComesWhileItIsCopiedIsCopiedToo() throws {
    try fill()
    let isDone = Mutex(false)
    let report = try CloudCopy(from: here, to: there).run { [here] done, _ in
      let isFirst = isDone.withLock { isDone in
        defer { isDone = true }
        return !isDone
      }
      guard isFirst, done > 0 else { return }
      #expect(throws: Never.self) {
        let phone = try CloudFixture(over: here, seed: 5)
        try phone.device.save("late", "value")
      }
    }
    #expect(!report.isStillUsed)
    let phone = try CloudFixture(over: there, seed: 2)
    try phone.device.fetch()
    #expect(phone.device.records["late"] != nil)
  }

  @Test func anotherCloudIsNotMixedIn() throws {
    try fill()
    let other = try CloudFixture(over: there, seed: 9)
    try other.log.create()
    for _ in 1...2 {
      let error = try #require(throws: CloudError.self) {
        try CloudCopy(from: here, to: there).run()
      }
      #expect(error.reason.contains("Another cloud"))
      // Also where its CLOUD.json was lost, or is not there yet.
      there.delete(CloudLayout.cloudFile)
    }
    #expect(there.read(desk.log.layout.commit(1, epoch: 1), limit: 1) == nil)
  }

  @Test func placesThatBothWentOnAreNamed() throws {
    try fill()
    _ = try CloudCopy(from: here, to: there).run()
    let phone = try CloudFixture(over: there, seed: 2)
    try phone.device.fetch()
    try phone.device.save("new place", "")
    try desk.device.save("old place", "")
    let error = try #require(throws: CloudError.self) {
      try CloudCopy(from: here, to: there).run()
    }
    #expect(error.reason.contains("is another file at the new place"))
  }

  @Test func whatIsNoCloudIsNotCopied() throws {
    let error = try #require(throws: CloudError.self) {
      try CloudCopy(from: MemoryStore(), to: there).run()
    }
    #expect(error.reason == "There is no cloud to copy.")
  }
}
