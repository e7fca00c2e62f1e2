import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSyncCloud

/// What a repair does, and what it leaves alone.
@Suite struct RepairTests {
  let fixture: CheckFixture

  init() throws {
    fixture = try CheckFixture()
  }

  private var staged: String {
    "\(fixture.layout.stage)/01234567-89ab-cdef-0123-456789abcdef"
  }

  /// The directory is what it was, but for these paths.
  private func expectUnchanged(
    since before: [String: Data], but paths: Set<String> = [], _ body: () throws -> Void
  ) throws {
    try body()
    let after = try fixture.contents()
    let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
    #expect(changed == paths)
  }

  @Test func oldLeftoversAreRemovedAndNothingElse() throws {
    _ = try fixture.fill()
    let assets = fixture.layout.assets(epoch: 1)
    let old = [
      staged, "\(assets)/\(ContentHash(of: [1]))-01234567",
      "\(fixture.layout.checkpoints(epoch: 1))/0000000000000001-0123456789ab-0001.jsonl",
    ]
    let young = [
      "\(fixture.layout.stage)/11234567-89ab-cdef-0123-456789abcdef",
      "\(assets)/\(ContentHash(of: [2]))-01234567",
    ]
    let foreign = ["\(fixture.layout.stage)/notes.txt", "\(assets)/README", "README"]
    for path in old + young + foreign { try fixture.put(Data([1]), at: path) }
    for path in old + foreign { try fixture.age(path) }
    try expectUnchanged(since: fixture.contents(), but: Set(old)) {
      try fixture.repair(try fixture.check())
    }
    #expect(try fixture.check().findings.allSatisfy { !$0.isRepairable })
  }

  enum Stranger: CaseIterable {
    case file, link, pipe
  }

  @Test(
    arguments: ["stage", "meta", "e1", "e1/log", "e1/cp", "e1/assets", "quarantine"],
    Stranger.allCases)
  func whatIsInThePlaceOfADirectoryIsMovedOutOfTheWay(name: String, stranger: Stranger) throws {
    for name in ["1", "2"] { try fixture.device.save(name, "") }
    let url = fixture.url(fixture.layout.zone).appending(path: name)
    let aside = fixture.url("aside")
    if FileManager.default.fileExists(atPath: url.path) {
      try FileManager.default.moveItem(at: url, to: aside)
    }
    switch stranger {
    case .file: try Data("mine".utf8).write(to: url)
    case .link: try FileManager.default.createSymbolicLink(at: url, withDestinationURL: aside)
    case .pipe: try #require(mkfifo(url.path, 0o600) == 0)
    }
    let report = try fixture.check()
    #expect(report.worst == .damage)
    try fixture.repair(report)
    let isThere = FileManager.default.fileExists(atPath: aside.path)
    if isThere {
      // What was repaired is the place: the directory can be put back.
      if FileManager.default.fileExists(atPath: url.path) {
        try FileManager.default.removeItem(at: url)
      }
      try FileManager.default.moveItem(at: aside, to: url)
    }
    #expect(try (fixture.check().worst ?? .note) == .note)
    try fixture.device.save("3", "")
    let kept = try fixture.contents().values.filter { $0 == Data("mine".utf8) }
    #expect(kept.count == (stranger == .file ? 1 : 0))
    #expect(try !fixture.contents().keys.contains { $0.contains(".aside-") })
  }

  @Test func assetsStayWhileACommitCannotBeRead() throws {
    _ = try fixture.fill()
    let path = "\(fixture.layout.assets(epoch: 1))/\(ContentHash(of: [1]))-01234567"
    try fixture.put(Data([1]), at: path)
    try fixture.age(path)
    try fixture.alter(fixture.commit(6))
    try expectUnchanged(since: fixture.contents()) { try fixture.repair(try fixture.check()) }
  }

  @Test func aMissingCommitIsPutBackFromACopyWithItsHash() throws {
    for name in 1...4 { try fixture.device.save("\(name)", "") }
    let key = fixture.commit(2)
    let bytes = try fixture.read(key)
    try fixture.put(bytes, at: staged)
    try fixture.put(Data("another".utf8), at: "\(key).bak")
    try fixture.remove(key)
    try fixture.repair(try fixture.check())
    #expect(try fixture.read(key) == bytes)
    #expect(try fixture.check().worst == .note)
    let fresh = try fixture.cloud.other()
    try fresh.device.fetch()
    #expect(fresh.device.records.count == 4)
  }

  /// Wherever the cloud is: from a copy, or by a device that has all that was in the log.
  @Test(arguments: ObjectStoreTests.Kind.allCases, [true, false])
  func aLostCommitIsMendedInAnyStore(kind: ObjectStoreTests.Kind, hasCopy: Bool) throws {
    let (memory, directory) = (MemoryStore(), try TemporaryDirectory())
    let desk = try CloudFixture(over: memory)
    try desk.log.create()
    for name in 1...4 { try desk.device.save("\(name)", "") }
    let key = desk.log.layout.commit(2, epoch: 1)
    let bytes = try #require(memory.read(key, limit: .max))
    memory.delete(key)
    let connect = ObjectStoreTests.connect(kind, to: directory, isNew: true)
    _ = try CloudCopy(from: memory, to: connect()).run()
    let phone = try CloudFixture(over: connect(), seed: 2)
    if hasCopy {
      let aside = desk.log.layout.quarantine(key, bytes)
      #expect(phone.store.createIfAbsent(aside, bytes).isCreated)
    }
    let state = desk.device.token.map { CloudCheck.DeviceState(zone: desk.log.id, token: $0) }
    let report = try CloudCheck(
      phone.container, holding: [state].compactMap { hasCopy ? nil : $0 }
    ).run()
    #expect(report.worst == .damage)
    for finding in report.findings { try CloudRepair(phone.container).repair(finding) }
    #expect(try (CloudCheck(phone.container).run().worst ?? .note) == .note)
    try phone.device.fetch()
    #expect(phone.device.records.count == (hasCopy ? 4 : 0))
    #expect(phone.device.token?.epoch == (hasCopy ? 1 : 2))
  }

  @Test func alteredFilesInARowArePutBackOneAfterTheOther() throws {
    for name in 1...5 { try fixture.device.save("\(name)", "") }
    let keys = [2, 3, 4].map { fixture.commit($0) }
    let files = try keys.map { try fixture.read($0) }
    for (key, bytes) in zip(keys, files) {
      try fixture.put(bytes, at: "\(key).bak")
      try fixture.put(Data("no commit".utf8), at: key)
    }
    // Only a file that can be read tells the hash of the one before it.
    for _ in keys { try fixture.repair(try fixture.check(fixture.state)) }
    #expect(try keys.map { try fixture.read($0) } == files)
    #expect(try fixture.check().worst == .note)
  }

  @Test func anAlteredFileIsPutAsideAndTheRightOnePutBack() throws {
    let asset = try fixture.fill()
    let keys = [fixture.commit(5), try #require(fixture.layout.asset(asset, epoch: 1))]
    for key in keys {
      let bytes = try fixture.read(key)
      try fixture.put(bytes, at: "\(key).sync-conflict")
      try fixture.alter(key)
      let altered = try fixture.read(key)
      try fixture.repair(try fixture.check())
      #expect(try fixture.read(key) == bytes)
      let aside = fixture.layout.quarantine(key, altered)
      #expect(try fixture.read(aside) == altered)
    }
    #expect(try fixture.check().worst == .note)
  }

  @Test(arguments: [false, true])
  func aLostAssetIsPutBackFromBytesThatTheDeviceHas(isAltered: Bool) throws {
    let asset = try fixture.fill()
    let key = try #require(fixture.layout.asset(asset, epoch: 1))
    let picture = try fixture.read(key)
    if isAltered { try fixture.alter(key) } else { try fixture.remove(key) }
    let held: CloudCheck.HeldBytes = { $0 == asset.sha256 ? picture : nil }
    // Without them there is nothing to put back; other bytes are not taken.
    try fixture.repair(try fixture.check())
    #expect(try fixture.check().worst == .damage)
    #expect(throws: CloudError.self) {
      try fixture.repair(try fixture.check(bytes: held)) { _ in Data("others".utf8) }
    }
    try fixture.repair(try fixture.check(bytes: held), bytes: held)
    #expect(try fixture.read(key) == picture)
    #expect(try fixture.check().findings(at: key).isEmpty)
  }

  @Test func aLostAssetIsPutBackFromAnEqualOne() throws {
    let asset = try fixture.fill()
    let key = try #require(fixture.layout.asset(asset, epoch: 1))
    let picture = try fixture.read(key)
    let equal = try fixture.cloud.log.publishAsset(picture)
    var record = CloudRecord.test("e", "1")
    record.fields["cover"] = CloudField(.asset(equal), FieldClock(rawValue: 7))
    try fixture.device.modify([.save(record, base: nil)])
    try fixture.remove(key)
    try fixture.repair(try fixture.check())
    #expect(try fixture.read(key) == picture)
    #expect(try fixture.check().findings(at: key).isEmpty)
  }

  @Test func aZoneThatThisDeviceFollowsAndCannotReadIsDamage() throws {
    try fixture.device.save("1", "")
    let log = fixture.layout.log(epoch: 1)
    try FileManager.default.removeItem(at: fixture.url(log))
    try fixture.put(Data(), at: log)
    let bob = CloudContainer(
      directory: fixture.directory.url, account: ownAccount("bob"), device: UUID(5), app: "test")
    #expect(try CloudCheck(bob).run().worst == .note)
    #expect(try CloudCheck(bob, following: [fixture.cloud.log.id]).run().worst == .damage)
  }

  @Test func aDeviceThatHasEverythingBeginsABrokenLogAnew() throws {
    for name in 1...4 { try fixture.device.save("\(name)", "") }
    try fixture.remove(fixture.commit(2))
    let fresh = try fixture.cloud.other()
    #expect(throws: CloudError.self) { try fresh.device.fetch() }
    try fixture.repair(try fixture.check(fixture.state))
    let error = #expect(throws: CloudError.self) { try fixture.device.fetch() }
    #expect(error?.code == .zoneNotFound)
    #expect(try fixture.check().worst == .note)
    // It has what came before the gap, and sends it again.
    #expect(Set(fresh.device.records.keys) == ["1"])
    let other = #expect(throws: CloudError.self) { try fresh.device.fetch() }
    #expect(other?.code == .zoneNotFound)
    let late = try fixture.cloud.other(3)
    try late.device.fetch()
    #expect(late.device.records.isEmpty)
  }

  @Test func aGapBeforeAFileThatIsNoCommitIsMendedToo() throws {
    for name in 1...2 { try fixture.device.save("\(name)", "") }
    try fixture.put(Data("no commit".utf8), at: fixture.commit(3))
    try fixture.device.save("3", "")
    #expect(fixture.device.token?.sequence == 4)
    try fixture.remove(fixture.commit(2))
    // Nothing tells which file is missing, so there is no other way.
    #expect(try fixture.check().findings.allSatisfy { !$0.isRepairable })
    try fixture.repair(try fixture.check(fixture.state))
    #expect(try fixture.check().worst == .note)
    #expect(throws: Never.self) { try fixture.cloud.other().device.fetch() }
  }

  /// The next change passes over both, and nothing tells what the first of them was.
  @Test func twoFilesInARowThatCannotBeReadAreMendedByWhoeverIsInStep() throws {
    for name in 1...4 { try fixture.device.save("\(name)", "") }
    for number in 3...4 as ClosedRange<Int64> {
      try fixture.put(Data("no commit".utf8), at: fixture.commit(number))
    }
    let (stale, other) = (fixture.state, try fixture.cloud.other().device)
    try other.fetch()
    try other.save("5", "")
    #expect(try fixture.check(stale).findings.allSatisfy { !$0.isRepairable })
    let state = other.token.map { CloudCheck.DeviceState(zone: fixture.cloud.log.id, token: $0) }
    let report = try fixture.check(state)
    #expect(report.worst == .damage)
    try fixture.repair(report)
    #expect(try fixture.check().worst == .note)
  }

  @Test func aDeviceThatHasReadTheLatestCommitKnowsThatItWasAltered() throws {
    for name in 1...2 { try fixture.device.save("\(name)", "") }
    try fixture.alter(fixture.commit(2))
    #expect(try fixture.check().worst == .damage)
    #expect(try fixture.check().findings.allSatisfy { !$0.isRepairable })
    try fixture.repair(try fixture.check(fixture.state))
    #expect(throws: CloudError.self) { try fixture.device.fetch() }
    #expect(try fixture.check().worst == .note)
  }

  @Test func anotherCommitAtTheEndMayHoldWhatTheDeviceLacks() throws {
    for name in 1...2 { try fixture.device.save("\(name)", "") }
    let state = fixture.state
    let before = try Commit.read(
      SealedFile(Array(try fixture.read(fixture.commit(2))))
    ).previous
    try fixture.remove(fixture.commit(2))
    try fixture.cloud.forge(at: 2, previous: before, [.save(.test("fork"), base: nil)])
    let report = try fixture.check(state)
    #expect(report.findings(at: fixture.commit(2)).first?.severity == .damage)
    #expect(report.findings.allSatisfy { !$0.isRepairable })
  }

  @Test func aDeviceThatWasAwayLeavesABrokenLogAsItIs() throws {
    for name in 1...3 { try fixture.device.save("\(name)", "") }
    let state = fixture.state
    let other = try fixture.cloud.other()
    try other.device.fetch()
    try other.device.save("4", "")
    try fixture.remove(fixture.commit(2))
    try expectUnchanged(since: fixture.contents()) {
      try fixture.repair(try fixture.check(state))
    }
  }

  @Test func nothingOfAnotherAccountIsRepaired() throws {
    for name in 1...4 { try fixture.device.save("\(name)", "") }
    try fixture.put(try fixture.read(fixture.commit(2)), at: staged)
    try fixture.remove(fixture.commit(2))
    let bob = CloudContainer(
      directory: fixture.directory.url, account: ownAccount("bob"), device: UUID(5), app: "test")
    try expectUnchanged(since: fixture.contents()) {
      for finding in try CloudCheck(bob).run().findings { try CloudRepair(bob).repair(finding) }
    }
  }
}
