import Foundation
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSyncCloud

/// What a check finds.
@Suite struct CheckTests {
  let fixture: CheckFixture

  init() throws {
    fixture = try CheckFixture()
  }

  /// As after a database has lost its table of objects: every device sends what it has.
  @Test func aZoneOfWhichNothingIsLeftNeedsNoBackup() throws {
    _ = try fixture.fill()
    let zone = fixture.url("\(fixture.layout.zone)")
    for name in try FileManager.default.contentsOfDirectory(atPath: zone.path) {
      try FileManager.default.removeItem(at: zone.appending(path: name))
    }
    let gone = try fixture.check().findings.filter { $0.severity == .damage }
    #expect(gone.map(\.problem) == ["Nothing of the zone is there any more."])
    let advice = gone.map(\.advice).joined()
    #expect(advice.contains("makes it anew") && !advice.contains("backup"), "\(advice)")
  }

  @Test func aCloudInOrderHasNoFindings() throws {
    _ = try fixture.fill()
    let report = try fixture.check()
    #expect(report.summary == [])
    #expect(report.worst == nil)
    #expect(report.zones == 1)
    #expect(report.records == 4)
    #expect(report.assets == 1)
  }

  @Test func aNewCloudHasNoFindings() throws {
    #expect(try fixture.check().summary == [])
  }

  @Test func aCheckWritesNothing() throws {
    _ = try fixture.fill()
    try fixture.alter(fixture.commit(6))
    try fixture.put(Data("x".utf8), at: "accounts/@ann/README")
    let before = try fixture.contents()
    _ = try fixture.check()
    #expect(try fixture.contents() == before)
  }

  /// A device whose clock is ten years ahead of the server's takes nothing for old.
  @Test func agesAreThoseOfTheStoresClock() throws {
    let clock = TestTime()
    let hours = Mutex<Int64>(-24 * 3_650)
    let cloud = try CloudFixture(
      over: MemoryStore(now: { clock.now + hours.withLock { $0 } * 3_600_000 }), clock: clock)
    try cloud.log.create()
    let staged = StoreEntry(name: UUID(7).uuidString.lowercased(), byteCount: 0, modified: 0)
    let key = StoreKey(cloud.log.layout.stage, listed: staged)
    #expect(cloud.store.createIfAbsent(key, Data([1])).isCreated)
    #expect(try CloudCheck(cloud.container).run().findings.isEmpty)
    hours.withLock { $0 += 24 * 30 }
    #expect(try CloudCheck(cloud.container).run().findings.map(\.path) == [key.description])
  }

  @Test func aDirectoryThatIsNotThereCannotBeChecked() throws {
    let container = CloudContainer(
      directory: fixture.url("nowhere"), account: CloudFixture.ann, device: UUID(1), app: "test")
    let error = #expect(throws: CloudError.self) { try CloudCheck(container).run() }
    #expect(error?.code == .accountTemporarilyUnavailable)
  }

  // MARK: The log

  @Test func aMissingCommitIsNamedWithItsHash() throws {
    for name in 1...4 { try fixture.device.save("\(name)", "") }
    let hash = ContentHash(of: try fixture.read(fixture.commit(2)))
    try fixture.remove(fixture.commit(2))
    let report = try fixture.check()
    let finding = try #require(report.findings(at: fixture.commit(2)).first)
    #expect(finding.severity == .damage)
    #expect(finding.advice.contains(hash.description))
    #expect(report.findings(at: fixture.layout.zone).first?.severity == .damage)
    #expect(report.findings.count == 2)
  }

  @Test func anAlteredCommitIsNamed() throws {
    for name in 1...3 { try fixture.device.save("\(name)", "") }
    try fixture.alter(fixture.commit(2))
    let report = try fixture.check()
    #expect(report.findings(at: fixture.commit(2)).contains { $0.severity == .damage })
    #expect(!report.summary.contains { $0.hasSuffix("\(fixture.commit(1))") })
    #expect(!report.summary.contains { $0.hasSuffix("\(fixture.commit(3))") })
  }

  @Test func whatTheCheckpointHoldsDoesNotBlockTheLog() throws {
    _ = try fixture.fill()
    try fixture.remove(fixture.commit(4))
    let report = try fixture.check()
    #expect(report.findings(at: fixture.commit(4)).first?.severity == .damage)
    #expect(report.findings(at: fixture.layout.zone).isEmpty)
  }

  @Test func aCommitAtTheEndThatCannotBeReadIsDamage() throws {
    try fixture.device.save("a", "1")
    try fixture.alter(fixture.commit(1))
    #expect(try fixture.check().summary == ["damage \(fixture.commit(1))"])
  }

  @Test func whatWasNeverACommitIsAWarning() throws {
    try fixture.device.save("a", "1")
    try fixture.put(Data("junk".utf8), at: fixture.commit(2))
    try fixture.device.save("b", "1")
    #expect(try fixture.check().summary == ["warning \(fixture.commit(2))"])
  }

  @Test func aCommitThatBreaksARuleIsAWarning() throws {
    try fixture.device.save("a", "1")
    let token = try #require(fixture.device.token)
    try fixture.cloud.forge(at: 2, previous: token.hash, [.save(.test("a"), base: nil)])
    let finding = try #require(try fixture.check().findings.first)
    #expect(finding.path == "\(fixture.commit(2))")
    #expect(finding.severity == .warning)
    #expect(finding.problem.contains("serverRecordChanged"))
  }

  // MARK: Checkpoints

  private func newestPart() throws -> StoreKey {
    let prefix = fixture.layout.checkpoints(epoch: 1)
    let entry = try #require(
      try fixture.cloud.store.list(prefix, after: nil, limit: .max).last)
    return StoreKey(prefix, listed: entry)
  }

  @Test func aMissingPartOfACheckpointIsNamed() throws {
    _ = try fixture.fill()
    let part = try newestPart()
    try fixture.remove(part)
    let report = try fixture.check()
    #expect(report.findings(at: part).first?.severity == .damage)
    #expect(report.findings(at: fixture.layout.zone).first?.severity == .damage)
  }

  @Test func anAlteredPartOfACheckpointIsNamed() throws {
    _ = try fixture.fill()
    let part = try newestPart()
    try fixture.alter(part)
    #expect(try fixture.check().findings(at: part).first?.severity == .damage)
  }

  @Test func aCheckpointThatIsNotTheLogFoldedIsDamage() throws {
    try fixture.device.save("a", "1")
    try fixture.device.save("b", "1")
    let token = try #require(fixture.device.token)
    let line = CheckpointPart.Line(
      tag: ChangeTag(epoch: 1, sequence: 1, index: 0), author: CloudFixture.ann, device: "d",
      operation: Commit.line(.save(.test("a", "forged"), base: nil))[...])
    var writer = CheckpointPart.Writer(epoch: 1, sequence: 2)
    #expect(writer.add(line.encoded) == nil)
    let last = writer.finish()
    let file = try #require(last)
    try fixture.put(file.bytes, at: fixture.layout.part(file.part, epoch: 1))
    let checkpoint = Checkpoint(sequence: 2, hash: token.hash, parts: [file.part], floor: 0)
    try fixture.cloud.log.publishMeta { _ in (1, .checkpoint(checkpoint)) }
    let report = try fixture.check()
    let finding = try #require(report.findings.first)
    #expect(report.findings.count == 1)
    #expect(finding.path == "\(fixture.layout.metaEntry(2))")
    #expect(finding.problem.contains("2 records differ"))
  }

  // MARK: Everything else

  /// One thing that is wrong, and what is said of which path.
  struct Wrong: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let severity: CheckFinding.Severity
    let path: @Sendable (CheckFixture, AssetReference) -> String
    let make: @Sendable (CheckFixture, String) throws -> Void

    init(
      _ name: String, _ severity: CheckFinding.Severity,
      at path: @escaping @Sendable (CheckFixture, AssetReference) -> String,
      _ make: @escaping @Sendable (CheckFixture, String) throws -> Void
    ) {
      testDescription = name
      self.severity = severity
      self.path = path
      self.make = make
    }
  }

  private static let assetPath: @Sendable (CheckFixture, AssetReference) -> String = {
    "\($0.layout.assets(epoch: 1))/\($1.name)"
  }

  static let wrongs = [
    Wrong("no CLOUD.json", .damage, at: { _, _ in "CLOUD.json" }) {
      try FileManager.default.removeItem(at: $0.url($1))
    },
    Wrong("another CLOUD.json", .damage, at: { _, _ in "CLOUD.json" }) {
      try $0.put(Data("{}\n".utf8), at: $1)
    },
    Wrong("a newer format", .damage, at: { _, _ in "CLOUD.json" }) {
      try $0.put(Data(#"{"f":"cloud","id":"x","v":2}"#.utf8 + [10]), at: $1)
    },
    Wrong("a folder of Syncthing", .damage, at: { _, _ in ".stfolder" }) {
      try FileManager.default.createDirectory(at: $0.url($1), withIntermediateDirectories: false)
    },
    Wrong("another account.json", .warning, at: { _, _ in "accounts/@ann/account.json" }) {
      try $0.put(Data("x".utf8), at: $1)
    },
    Wrong("no account.json", .warning, at: { _, _ in "accounts/@ann/account.json" }) {
      try FileManager.default.removeItem(at: $0.url($1))
    },
    Wrong("a foreign account", .note, at: { _, _ in "accounts/Bob" }) {
      try FileManager.default.createDirectory(at: $0.url($1), withIntermediateDirectories: false)
    },
    Wrong("a link among the accounts", .warning, at: { _, _ in "accounts/@eve" }) {
      try FileManager.default.createSymbolicLink(
        atPath: $0.url($1).path, withDestinationPath: "/etc")
    },
    Wrong("a foreign zone", .note, at: { _, _ in "accounts/@ann/zones/x" }) {
      try $0.put(Data("x".utf8), at: $1)
    },
    Wrong("a zone without a beginning", .damage) { fixture, _ in
      "\(fixture.layout.metaEntry(1))"
    } _: {
      try FileManager.default.removeItem(at: $0.url($1))
    },
    Wrong("another beginning", .damage, at: { fixture, _ in "\(fixture.layout.metaEntry(1))" }) {
      try $0.put(Data("x".utf8), at: $1)
    },
    Wrong("a hole in meta", .damage, at: { fixture, _ in "\(fixture.layout.metaEntry(2))" }) {
      try FileManager.default.removeItem(at: $0.url($1))
    },
    Wrong("an altered meta entry", .warning) { fixture, _ in
      "\(fixture.layout.metaEntry(2))"
    } _: {
      try $0.put(Data("x".utf8), at: $1)
    },
    Wrong("a foreign file in the log", .note) { fixture, _ in
      "\(fixture.layout.log(epoch: 1))/0000000000000007.json.sync-conflict"
    } _: {
      try $0.put(Data("x".utf8), at: $1)
    },
    Wrong("a FIFO in place of a commit", .warning) { fixture, _ in
      "\(fixture.commit(7))"
    } _: {
      #expect(mkfifo($0.url($1).path, 0o644) == 0)
      try $0.device.save("later", "1")
    },
    Wrong("a file that everybody may write", .warning) { fixture, _ in
      "\(fixture.commit(6))"
    } _: {
      #expect(chmod($0.url($1).path, 0o666) == 0)
    },
    Wrong("a setuid file", .warning, at: { fixture, _ in "\(fixture.commit(6))" }) {
      #expect(chmod($0.url($1).path, 0o4444) == 0)
    },
    Wrong("an asset that is missing", .damage, at: assetPath) {
      try FileManager.default.removeItem(at: $0.url($1))
    },
    Wrong("an asset of other bytes", .damage, at: assetPath) {
      try $0.put(Data("b picture".utf8), at: $1)
    },
    Wrong("an asset that is cut", .damage, at: assetPath) {
      try $0.put(Data("a pict".utf8), at: $1)
    },
    Wrong("an asset of 1 GiB", .damage, at: assetPath) {
      try $0.put(Data(), at: $1)
      #expect(truncate($0.url($1).path, 1 << 30) == 0)
    },
    Wrong("an epoch of the future", .warning, at: { fixture, _ in "\(fixture.layout.zone)/e9" }) {
      try FileManager.default.createDirectory(at: $0.url($1), withIntermediateDirectories: false)
    },
    Wrong("an old file in the stage", .note) { fixture, _ in
      "\(fixture.layout.stage)/01234567-89ab-cdef-0123-456789abcdef"
    } _: {
      try $0.put(Data(), at: $1)
      try $0.age($1)
    },
    Wrong("an old asset of nobody", .note) { fixture, _ in
      "\(fixture.layout.assets(epoch: 1))/\(ContentHash(of: [1]))-01234567"
    } _: {
      try $0.put(Data([1]), at: $1)
      try $0.age($1)
    },
    Wrong("an old part of nobody", .note) { fixture, _ in
      "\(fixture.layout.checkpoints(epoch: 1))/0000000000000001-0123456789ab-0001.jsonl"
    } _: {
      try $0.put(Data(), at: $1)
      try $0.age($1)
    },
  ]

  @Test(.timeLimit(.minutes(10)), arguments: wrongs)
  func whatIsWrongIsSaidOfItsPath(wrong: Wrong) throws {
    let asset = try fixture.fill()
    let path = wrong.path(fixture, asset)
    try wrong.make(fixture, path)
    let findings = try fixture.check().findings(at: path)
    #expect(Set(findings.map(\.severity)) == [wrong.severity])
    #expect(findings.allSatisfy { !$0.problem.isEmpty && !$0.advice.isEmpty })
  }

  @Test func aLinkIsNotBlamedForItsPermissions() throws {
    _ = try fixture.fill()
    try FileManager.default.createSymbolicLink(
      atPath: fixture.url(fixture.commit(7)).path, withDestinationPath: "/etc/passwd")
    let problems = try fixture.check().findings(at: fixture.commit(7)).map(\.problem)
    #expect(problems.contains("It is a symbolic link."))
    #expect(!problems.contains { $0.contains("may write") })
  }

  @Test func aMillionForeignFilesHideNoDamage() throws {
    _ = try fixture.fill()
    for number in 0..<(CloudLimits.findings + 5) {
      try fixture.put(Data(), at: "accounts/@ann/\(number)")
    }
    try fixture.remove(fixture.commit(4))
    let report = try fixture.check()
    #expect(report.omitted == 0)
    #expect(
      report.findings(at: "accounts/@ann").map(\.problem) == [
        "\(CloudLimits.findings + 5 - 20) more are not the cloud's."
      ])
    #expect(!report.findings(at: fixture.commit(4)).isEmpty)
  }

  @Test func thousandsOfFindingsOfOneKindHideNoOthers() {
    let notes = CheckNotes()
    for number in 0..<(CloudLimits.findings + 5) { notes.add(.note, "\(number)", "x", "y") }
    notes.add(.damage, "log", "It is lost.", "y")
    #expect(notes.report.omitted == 5)
    #expect(notes.report.worst == .damage)
  }

  @Test(.enabled(if: geteuid() != 0, "root may read everything"))
  func anotherAccountThatCannotBeReadIsANote() throws {
    let path = "accounts/@bob"
    try FileManager.default.createDirectory(
      at: fixture.url(path), withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o000])
    defer { chmod(fixture.url(path).path, 0o700) }
    #expect(try fixture.check().summary == ["note \(path)"])
  }
}
