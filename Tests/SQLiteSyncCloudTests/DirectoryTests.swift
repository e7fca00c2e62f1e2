import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSyncCloud

/// A cloud in a directory that is not as it should be.
@Suite struct DirectoryTests {
  let directory: TemporaryDirectory
  let cloud: CloudFixture

  init() throws {
    directory = try TemporaryDirectory()
    cloud = try CloudFixture(over: DirectoryStore(directory: directory.url))
    try cloud.log.create()
  }

  private func path(_ key: some CustomStringConvertible) -> String {
    directory.url.appending(path: "\(key)").path
  }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  private func commit(_ number: Int64) -> String { path(cloud.log.layout.commit(number, epoch: 1)) }

  @Test func twoDevicesShareADirectory() throws {
    try cloud.device.save("a", "1")
    let other = try CloudFixture(over: DirectoryStore(directory: directory.url), seed: 2)
    try other.device.save("b", "2")
    try cloud.device.fetch()
    #expect(cloud.device.records == other.device.records)
    #expect(other.device.records.count == 2)
    #expect(try other.container.zones() == [cloud.log.id])
  }

  @Test func filesAreReadOnlyAndDirectoriesAreTheirOwners() throws {
    try cloud.device.save("a", "1")
    #expect(try mode(commit(1)) == 0o444)
    #expect(try mode(path(cloud.log.layout.log(epoch: 1))) == 0o700)
    #expect(try mode(path(cloud.log.layout.stage)) == 0o1700)
    #expect(try mode(path("accounts/@ann")) == 0o711)
    #expect(try mode(path("accounts")) == mode(directory.url.path))
  }

  @Test func nothingIsLeftInTheStage() throws {
    try cloud.device.save("a", "1")
    #expect(try FileManager.default.contentsOfDirectory(atPath: path(cloud.log.layout.stage)) == [])
  }

  // MARK: The directory itself

  @Test func aDirectoryThatIsNotThereIsUnavailableForNow() throws {
    try FileManager.default.moveItem(
      at: directory.url, to: directory.url.appendingPathExtension("away"))
    defer {
      try? FileManager.default.removeItem(at: directory.url.appendingPathExtension("away"))
      try? FileManager.default.createDirectory(
        at: directory.url, withIntermediateDirectories: false)
    }
    for action: () throws -> Void in [
      { try cloud.container.open() }, { try cloud.device.fetch() },
      { try cloud.device.save("a", "1") }, { _ = try cloud.container.zones() },
      { _ = try cloud.log.exists() },
    ] {
      let error = #expect(throws: CloudError.self) { try action() }
      #expect(error?.code == .accountTemporarilyUnavailable)
      #expect(error?.hint?.contains("mounted") == true)
    }
  }

  @Test func anEmptyDirectoryWhereACloudIsExpectedIsNotMadeOne() throws {
    let id = try cloud.container.open()
    let empty = try TemporaryDirectory()
    let moved = CloudContainer(
      directory: empty.url, account: CloudFixture.ann, device: UUID(1), app: "test")
    let error = #expect(throws: CloudError.self) { try moved.open(expecting: id) }
    #expect(error?.code == .accountTemporarilyUnavailable)
    #expect(try FileManager.default.contentsOfDirectory(atPath: empty.url.path) == [])
    #expect(try moved.open() != id)
  }

  @Test func aCloudThatIsReplacedByAnotherIsNoticed() throws {
    for name in ["CLOUD.json", "accounts"] {
      try FileManager.default.removeItem(atPath: path(name))
    }
    let other = try CloudFixture(over: DirectoryStore(directory: directory.url), seed: 9)
    let error = #expect(throws: CloudError.self) { try cloud.device.fetch() }
    #expect(error?.code == .accountTemporarilyUnavailable)
    #expect(try cloud.container.open(expecting: "the old one") == other.container.open())
  }

  static let formats: [(String, CloudError.Code)] = [
    ("", .accountTemporarilyUnavailable), ("{}", .accountTemporarilyUnavailable),
    (#"{"f":"cloud","id":"","v":1}"#, .accountTemporarilyUnavailable),
    (#"{"f":"cloud","id":"x","v":"1"}"#, .accountTemporarilyUnavailable),
    (#"{"f":"cloud","id":"x","v":0}"#, .accountTemporarilyUnavailable),
    (#"{"f":"cloud","id":"x","v":999}"#, .incompatibleVersion),
    (#"{"f":"cloud","id":"x","needRead":["new"],"v":1}"#, .incompatibleVersion),
  ]

  @Test(arguments: formats)
  func anotherFormatIsRefusedAndNothingIsWritten(text: String, code: CloudError.Code) throws {
    let empty = try TemporaryDirectory()
    try Data("\(text)\n".utf8).write(to: empty.url.appending(path: "CLOUD.json"))
    let container = CloudContainer(
      directory: empty.url, account: CloudFixture.ann, device: UUID(1), app: "test")
    let error = #expect(throws: CloudError.self) { try container.open() }
    #expect(error?.code == code)
    #expect(error?.hint != nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: empty.url.path) == ["CLOUD.json"])
  }

  @Test func aCloudThatMayOnlyBeReadIsRead() throws {
    try cloud.device.save("a", "1")
    try FileManager.default.removeItem(atPath: path("CLOUD.json"))
    let text = #"{"f":"cloud","id":"x","needRead":[],"needWrite":["new"],"v":1}"# + "\n"
    try Data(text.utf8).write(to: directory.url.appending(path: "CLOUD.json"))
    let reader = try CloudFixture(over: DirectoryStore(directory: directory.url), seed: 2)
    try reader.device.fetch()
    #expect(reader.device.records.count == 1)
    let error = #expect(throws: CloudError.self) { try reader.device.save("b", "1") }
    #expect(error?.code == .incompatibleVersion)
    #expect(try CloudCheck(reader.container).run().worst == .damage, "a sync fails")
  }

  // MARK: Permissions

  @Test func theAccountOfAnotherUserIsRefused() throws {
    let other = AccountID(userID: geteuid() + 1)
    let container = CloudContainer(
      directory: directory.url, account: other, device: UUID(1), app: "test")
    let error = #expect(throws: CloudError.self) { try container.open() }
    #expect(error?.code == .permissionFailure)
    #expect(!FileManager.default.fileExists(atPath: path("accounts/\(other.rawValue)")))
    try FileManager.default.createDirectory(
      atPath: path("accounts/\(other.rawValue)"), withIntermediateDirectories: false)
    #expect(throws: CloudError.self) { try container.open() }
  }

  @Test func theOwnAccountIsOpened() throws {
    let own = AccountID(userID: geteuid())
    let container = CloudContainer(
      directory: directory.url, account: own, device: UUID(1), app: "test")
    try container.open()
    try container.zone(ZoneID(name: "z", owner: own)).create()
    #expect(try container.zones().map(\.name) == ["z"])
  }

  @Test(.enabled(if: geteuid() != 0, "root may read and write everything"))
  func aDirectoryThatCannotBeReadOrWrittenSaysSo() throws {
    try cloud.device.save("a", "1")
    let log = path(cloud.log.layout.log(epoch: 1))
    for mode in [0o500, 0o000] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: log)
      let error = #expect(throws: CloudError.self) { try cloud.device.save("b", "1") }
      #expect(error?.code == .permissionFailure)
      #expect(error?.reason.contains("Permission denied") == true)
      #expect(error?.hint != nil)
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: log)
    try cloud.device.save("b", "1")
    #expect(cloud.device.records.count == 2)
  }

  // MARK: Something else in the place of a file

  enum Impostor: CaseIterable, Sendable {
    case fifo, directory, link, linkToItself, device, empty
  }

  @Test(.timeLimit(.minutes(10)), arguments: Impostor.allCases)
  func whatIsInThePlaceOfACommitIsVoidAndTheLogGoesOn(impostor: Impostor) throws {
    try cloud.device.save("a", "1")
    let secret = try TemporaryDirectory()
    let target = secret.url.appending(path: "secret").path
    try Data("secret".utf8).write(to: URL(filePath: target))
    switch impostor {
    case .fifo: #expect(mkfifo(commit(2), 0o644) == 0)
    case .directory:
      try FileManager.default.createDirectory(
        atPath: commit(2), withIntermediateDirectories: false)
    case .link: #expect(symlink(target, commit(2)) == 0)
    case .linkToItself: #expect(symlink(commit(2), commit(2)) == 0)
    case .device: #expect(symlink("/dev/zero", commit(2)) == 0)
    case .empty: try Data().write(to: URL(filePath: commit(2)))
    }
    try cloud.device.save("b", "1")
    #expect(cloud.device.voided == 1)
    #expect(cloud.device.tag("b")?.sequence == 3)
    let fresh = try cloud.other()
    try fresh.device.fetch()
    #expect(Set(fresh.device.records.keys) == ["a", "b"])
    #expect(fresh.device.token == cloud.device.token)
  }

  @Test func anOversizedCommitIsVoidWithoutReadingItWhole() throws {
    try cloud.device.save("a", "1")
    #expect(FileManager.default.createFile(atPath: commit(2), contents: nil))
    #expect(truncate(commit(2), 1 << 30) == 0)
    try cloud.device.save("b", "1")
    #expect(cloud.device.voided == 1)
    #expect(cloud.device.records.count == 2)
  }

  @Test func aLinkInThePlaceOfADirectoryIsNotFollowed() throws {
    let outside = try TemporaryDirectory()
    try FileManager.default.removeItem(atPath: path("accounts/@ann"))
    #expect(symlink(outside.url.path, path("accounts/@ann")) == 0)
    let error = #expect(throws: CloudError.self) { try cloud.container.open() }
    #expect(error?.code == .internalError)
    #expect(throws: CloudError.self) { try cloud.log.create() }
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside.url.path) == [])
  }

  @Test func foreignFilesAreIgnored() throws {
    let zones = path(CloudLayout.zones(of: CloudFixture.ann))
    let log = path(cloud.log.layout.log(epoch: 1))
    try cloud.device.save("a", "1")
    for name in [
      "README", ".hidden", "0000000000000002.json.tmp", "2.json", "0000000000000000.json",
      "00000000000000002.json", "0000000000000002.JSON", ".sync-conflict",
    ] {
      try Data("x".utf8).write(to: URL(filePath: zones + "/" + name))
      try Data("x".utf8).write(to: URL(filePath: log + "/" + name))
    }
    try FileManager.default.createDirectory(
      atPath: zones + "/../zones/other-0123456789abcdef", withIntermediateDirectories: false)
    #expect(try cloud.container.zones() == [cloud.log.id])
    try cloud.device.save("b", "1")
    let fresh = try cloud.other()
    #expect(try fresh.device.fetch().voids == [])
    #expect(fresh.device.records.count == 2)
  }

  @Test(arguments: [
    "../../../x", "/etc/passwd", ".", "..", "CON", "trailing.", "a/b", "\u{202E}rtl", "e\u{301}",
    "UPPER", "upper", " ", "%2e%2e", "\u{1F600}", String(repeating: "z", count: 255),
  ])
  func noNameBecomesAPath(name: String) throws {
    let zone = cloud.container.zone(ZoneID(name: name, owner: CloudFixture.ann))
    try zone.create()
    let device = Device(zone)
    #expect(try device.save(name, name).failures.isEmpty)
    #expect(try cloud.container.zones().contains { Array($0.name.utf8) == Array(name.utf8) })
    let key = try #require(zone.layout.directory.last)
    #expect(key.wholeMatch(of: /[a-z0-9_]{1,40}-[0-9a-f]{16}/) != nil)
    #expect(FileManager.default.fileExists(atPath: path(zone.layout.metaEntry(1))))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted()
        == ["CLOUD.json", "accounts"])
  }
}
