import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSyncCloud

/// Nothing that lies in the directory makes a device trap, hang, or see something else than
/// another device sees.
@Suite struct HostileTests {
  let cloud: CloudFixture

  init() throws {
    cloud = try CloudFixture()
    try cloud.log.create()
  }

  private func place(_ number: Int64, after previous: ContentHash) -> HostileFile.Place {
    HostileFile.Place(
      kind: "commit", number: number, previous: previous, zone: cloud.log.id.name,
      header: [
        "app": #""x""#, "at": #""2026-11-21T01:23:45.678Z""#, "author": #""@ann""#,
        "device": #""d""#, "epoch": "1", "f": #""commit""#, "id": #""i""#,
        "prev": #""\#(previous)""#, "seq": "\(number)", "v": "1",
        "zone": #""\#(cloud.log.id.name)""#,
      ], lines: [#"{"base":null,"fields":{},"name":"h","op":"save","t":7,"type":"t"}"#])
  }

  /// Puts a file between two commits; returns what three devices make of it: one that was there,
  /// one that comes later, and one that comes after everything was folded.
  private func read(_ file: HostileFile) throws -> (Device, late: Device, folded: Device) {
    try cloud.device.save("a", "before")
    let token = try #require(cloud.device.token)
    let key = cloud.log.layout.commit(2, epoch: 1)
    try cloud.put(file.bytes(place(2, after: token.hash)), at: key)
    let result = try cloud.device.save("b", "after")
    #expect(result.failures.isEmpty)
    let late = try cloud.other()
    try late.device.fetch()
    _ = try cloud.log.maintain(MaintenanceTests.eager)
    let folded = try cloud.other(3)
    try folded.device.fetch()
    return (cloud.device, late.device, folded.device)
  }

  private func check() throws -> [CheckFinding] {
    try CloudCheck(cloud.container).run()
      .findings(at: cloud.log.layout.commit(2, epoch: 1))
  }

  @Test(.timeLimit(.minutes(10)), arguments: HostileFile.commits)
  func aHostileCommitIsVoidForEverybody(file: HostileFile) throws {
    let (device, late, folded) = try read(file)
    #expect(device.voided == 1)
    #expect(late.voided == 1)
    for other in [late, folded] {
      #expect(other.copies == device.copies)
      #expect(other.token == device.token)
    }
    #expect(Set(device.records.keys) == ["a", "b"])
    let findings = try check()
    #expect(findings.count == 1)
    #expect(findings.allSatisfy { $0.severity >= .warning })
  }

  @Test(.timeLimit(.minutes(10)), arguments: HostileFile.strange)
  func aStrangeCommitIsTheSameForEverybody(file: HostileFile) throws {
    let (device, late, folded) = try read(file)
    #expect(device.voided == 0)
    #expect(late.copies == device.copies)
    // Old tombstones are not folded in.
    #expect(folded.records == device.records)
    for other in [late, folded] { #expect(other.token == device.token) }
    #expect(device.records.keys.contains("a") && device.records.keys.contains("b"))
    #expect(try CloudCheck(cloud.container).run().summary == [])
  }

  @Test func aCommitCutAnywhereIsVoid() throws {
    try cloud.device.save("a", "before")
    let token = try #require(cloud.device.token)
    let file = place(2, after: token.hash).sealed()
    for count in file.indices {
      var cursor = LogCursor(zone: cloud.log.id, from: token, view: cloud.device.view)
      try cursor.append(CommitFile(bytes: Array(file.prefix(count)), owner: nil))
      #expect(cursor.voids.count == 1)
    }
  }

  // MARK: meta

  static let metaEntries: [HostileFile] =
    HostileFile.bytes + HostileFile.headers + [
      HostileFile(header: "kind", nil), HostileFile(header: "kind", #""explode""#),
      HostileFile(header: "kind", "1"), HostileFile(header: "kind", #""zoneCreated""#),
      HostileFile(header: "seq", "1"), HostileFile(header: "seq", "3"),
      HostileFile(header: "epoch", "1"), HostileFile(header: "epoch", "3"),
      HostileFile("a body line") { $0.sealed(lines: ["1"], count: 0) },
    ] + checkpoints.map(checkpoint) + ["null", "{}", "[1]", #""x""#, "[[]]"].map(upgrade)

  private static let checkpoints: [String] = [
    #"{"floor":2,"hash":"H","parts":[],"seq":1}"#, #"{"floor":-1,"hash":"H","parts":[],"seq":1}"#,
    #"{"floor":0,"hash":"H","parts":[],"seq":0}"#, #"{"floor":0,"hash":"x","parts":[],"seq":1}"#,
    #"{"floor":0,"hash":"H","parts":{},"seq":1}"#, #"{"floor":0,"hash":"H","seq":1}"#, "null",
    #"{"floor":0,"hash":"H","parts":[],"seq":10000000000000000}"#,
    #"{"floor":0,"hash":"H","parts":[],"seq":9223372036854775807}"#,
    part(count: 1, length: 1, name: "../../../x"),
    part(count: 1, length: .max), part(count: .max, length: 1), part(count: -1, length: 1),
    part(count: 1, length: 1, name: "0000000000000001-0123456789a\u{301}b-0001.jsonl"),
    part(count: 1, length: 1, name: "000000000000000１-0123456789ab-0001.jsonl"),
  ]

  private static func checkpoint(_ text: String) -> HostileFile {
    let text = text.replacing(#""H""#, with: "\"\(ContentHash(of: [1]))\"")
    return HostileFile("checkpoint \(text)") {
      $0.sealed(["kind": #""checkpoint""#, "epoch": "1", "checkpoint": text])
    }
  }

  private static func upgrade(_ needs: String) -> HostileFile {
    HostileFile("needs \(needs)") {
      $0.sealed(["kind": #""upgrade""#, "epoch": "1", "needRead": needs])
    }
  }

  private static func part(
    count: Int64, length: Int64, name: String = "0000000000000001-0123456789ab-0001.jsonl"
  ) -> String {
    #"{"floor":0,"hash":"H","parts":[{"count":\#(count),"len":\#(length),"name":"\#(name)","#
      + #""sha256":"H"}],"seq":1}"#
  }

  @Test(.timeLimit(.minutes(10)), arguments: metaEntries)
  func aHostileMetaEntryChangesNothing(file: HostileFile) throws {
    try cloud.device.save("a", "before")
    let manifest = try cloud.log.manifest()
    let place = HostileFile.Place(
      kind: "meta", number: 2, previous: manifest.hash, zone: cloud.log.id.name,
      header: [
        "app": #""x""#, "at": #""2026-11-21T01:23:45.678Z""#, "author": #""@ann""#,
        "device": #""d""#, "epoch": "2", "f": #""meta""#, "id": #""i""#, "kind": #""reset""#,
        "prev": #""\#(manifest.hash)""#, "reason": #""r""#, "seq": "2", "v": "1",
      ], lines: [])
    let key = cloud.log.layout.metaEntry(2)
    try cloud.put(file.bytes(place), at: key)
    try cloud.device.save("b", "after")
    let late = try cloud.other()
    try late.device.fetch()
    #expect(late.device.copies == cloud.device.copies)
    #expect(late.device.token == cloud.device.token)
    let seen = try cloud.log.manifest()
    #expect(seen.voids.keys.sorted() == [2])
    #expect(seen.epoch == 1 && seen.checkpoint == nil && seen.needs == manifest.needs)
    #expect(
      try CloudCheck(cloud.container).run().findings(at: key).map(\.severity) == [.warning])
    try cloud.log.delete(reason: "the log of the zone goes on")
    #expect(try late.log.exists() == false)
  }

  // MARK: Parts of checkpoints

  static let parts: [(String, [String])] = [
    ("no author", [#"{"device":"d","op":\#(operation),"tag":"1.1.0"}"#]),
    ("no operation", [#"{"author":"@ann","device":"d","tag":"1.1.0"}"#]),
    ("another tag", [#"{"author":"@ann","device":"d","op":\#(operation),"tag":"1.1"}"#]),
    ("another author", [#"{"author":"../x","device":"d","op":\#(operation),"tag":"1.1.0"}"#]),
    ("not an object", ["[]"]), ("not JSON", ["x"]), ("an empty line", [""]),
    ("deep", [String(repeating: "[", count: 1 << 20)]),
  ]

  private static let operation =
    #"{"base":null,"fields":{},"name":"h","op":"save","t":7,"type":"t"}"#

  @Test(.timeLimit(.minutes(10)), arguments: parts)
  func aHostilePartIsReportedAndNotRead(name: String, lines: [String]) throws {
    try cloud.device.save("a", "1")
    let token = try #require(cloud.device.token)
    let header = #"{"epoch":1,"f":"cp","k":1,"seq":1,"v":1}"# + "\n"
    let bytes = HostileFile.Place.seal(
      header + lines.map { $0 + "\n" }.joined(), count: lines.count)
    let hash = ContentHash(of: bytes)
    let part = Checkpoint.Part(
      name: Checkpoint.Part.name(sequence: 1, hash: hash, number: 1), hash: hash,
      byteCount: Int64(bytes.count), recordCount: 1)
    try cloud.put(bytes, at: cloud.log.layout.part(part, epoch: 1))
    let checkpoint = Checkpoint(sequence: 1, hash: token.hash, parts: [part], floor: 0)
    try cloud.log.publishMeta { _ in (1, .checkpoint(checkpoint)) }
    try cloud.device.save("b", "who was there goes on")
    let late = try cloud.other()
    let error = #expect(throws: CloudError.self) { try late.device.fetch() }
    #expect(error?.hint?.contains("heck of the cloud") == true)
    #expect(late.device.copies.isEmpty)
    let report = try CloudCheck(cloud.container).run()
    #expect(
      report.findings(at: cloud.log.layout.part(part, epoch: 1)).first?.severity == .damage)
  }

  // MARK: Directories

  @Test func aZoneThatCannotBeReadHidesNoOther() throws {
    let fixture = try CheckFixture()
    try fixture.put(Data("x".utf8), at: "accounts/@ann/zones/file-0123456789abcdef")
    try FileManager.default.createSymbolicLink(
      atPath: fixture.url("accounts/@ann/zones/link-0123456789abcdef").path,
      withDestinationPath: "/etc")
    try fixture.put(Data("x".utf8), at: "accounts/@ann/zones/meta-0123456789abcdef/meta")
    for number in 0..<CloudLimits.zonesPerAccount {
      try fixture.put(Data(), at: "accounts/@ann/zones/p\(number)")
    }
    #expect(try fixture.cloud.container.zones() == [fixture.cloud.log.id])
    #expect(
      !(try fixture.check().findings(at: "accounts/@ann/zones/file-0123456789abcdef")).isEmpty)
    #expect(
      !(try fixture.check().findings(at: "accounts/@ann/zones/link-0123456789abcdef")).isEmpty)
  }

  @Test(arguments: [Int64.min, -1, 1 << 40, 1 << 60, .max])
  func aFileOfAnyTimeIsListed(seconds: Int64) throws {
    let fixture = try CheckFixture()
    let path = "\(fixture.layout.stage)/01234567-89ab-cdef-0123-456789abcdef"
    try fixture.put(Data(), at: path)
    let times = [timespec(tv_sec: 0, tv_nsec: 0), timespec(tv_sec: Int(seconds), tv_nsec: 0)]
    // File systems differ in which times they keep; whichever it is, it is listed.
    utimensat(AT_FDCWD, fixture.url(path).path, times, 0)
    _ = try fixture.check()
    _ = try fixture.cloud.log.maintain(forgettingDeletionsUpTo: nil)
  }

  @Test(arguments: [
    "@", "@\u{E9}", "@a\u{301}", "@ａ", "@a/b", "@..", "@.a", "@A", "u", "u-1", "u+1", "u01",
    "u4294967296", "u１", "..", "", "ann", "@\(String(repeating: "a", count: 33))",
  ])
  func noAccountHasAnotherName(name: String) {
    #expect(AccountID(rawValue: name) == nil)
  }

  @Test(arguments: [
    "a-0123456789ABCDEF", "\u{E9}-0123456789abcdef", "a\u{301}-0123456789abcdef",
    "../x-0123456789abcdef", "-0123456789abcdef", "a-0123456789abcde", "a-0123456789abcdef0",
    "a-０123456789abcdef", "\(String(repeating: "a", count: 41))-0123456789abcdef",
  ])
  func noZoneHasAnotherDirectory(name: String) {
    let entry = StoreEntry(name: name, byteCount: 0, modified: 0, kind: .directory)
    #expect(ZoneLayout(owner: CloudFixture.ann, listed: entry) == nil)
  }
}
