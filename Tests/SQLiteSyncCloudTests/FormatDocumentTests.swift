import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSyncCloud

/// The examples of the format document are what the code writes, and the code reads them.
@Suite struct FormatDocumentTests {
  /// `UPDATE_FORMAT=1` writes the examples anew.
  private static let isUpdating = ProcessInfo.processInfo.environment["UPDATE_FORMAT"] != nil

  private static let url = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources/SQLiteSyncCloud/SQLiteSyncCloud.docc/CommitLogFormat.md")
    .standardizedFileURL

  @Test func theExamplesAreWhatTheCodeWrites() throws {
    let written = try ExampleCloud().files()
    var document = try FormatDocument(Self.url)
    if Self.isUpdating {
      document.replace(with: written)
      try Data(document.text.utf8).write(to: Self.url)
    }
    #expect(document.files.keys.sorted() == written.keys.sorted())
    for (path, text) in document.files { #expect(written[path] == text, "\(path)") }
  }

  @Test func theCodeReadsTheExamples() throws {
    let directory = try TemporaryDirectory()
    for (path, text) in try FormatDocument(Self.url).files {
      let url = directory.url.appending(path: path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
    let cloud = try CloudFixture(
      over: DirectoryStore(directory: directory.url), zone: ExampleCloud.zone)
    try cloud.device.fetch()
    let written = try ExampleCloud()
    #expect(cloud.device.voided == 0)
    #expect(cloud.device.token == written.cloud.device.token)
    #expect(cloud.device.copies == written.cloud.device.copies)
    #expect(Set(cloud.device.records.keys) == ["l:lists"])
    #expect(try CloudCheck(cloud.container).run().summary == [])
    #expect(try cloud.container.zones().map(\.name) == [ExampleCloud.zone])
    #expect(try cloud.container.messages().map(\.message.title) == ["Party"])
  }
}

/// The cloud of the examples.
struct ExampleCloud {
  static let zone = "groceries"
  let cloud: CloudFixture
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    let store = DirectoryStore(directory: directory.url)
    cloud = try CloudFixture(over: store, zone: Self.zone)
    try cloud.log.create()
    try fill()
    try makeOldZone()
    let ben = CloudContainer(
      store: store, account: ownAccount("ben"), device: UUID(2), app: "test 1",
      environment: .deterministic(seed: 2, clock: cloud.clock))
    try ben.open(expecting: cloud.container.open())
    try ben.send(
      ShareMessage(
        .invitation, sender: ben.account, zone: ZoneID(name: "party", owner: ben.account),
        title: "Party"),
      to: CloudFixture.ann)
    try FileManager.default.removeItem(at: directory.url.appending(path: "accounts/@ben"))
  }

  private func fill() throws {
    let clock = FieldClock(milliseconds: TestTime.beginning, device: 7)
    let cover = try cloud.log.publishAsset(Data("These bytes are a picture.\n".utf8))
    let list = CloudRecord(
      name: "l:lists", type: "lists", life: clock,
      fields: [
        "title": CloudField(.text("Groceries"), clock), "color": CloudField(.integer(255), clock),
        "cover": CloudField(.asset(cover), clock),
      ])
    let reminder = CloudRecord(
      name: "r:reminders", type: "reminders", parent: "l:lists", life: clock,
      fields: [
        "title": CloudField(.text("\"Æpfel\"\n"), clock), "dueDate": CloudField(.null, clock),
        "amount": CloudField(.real(2.5), clock), "key": CloudField(.bytes(Data([0, 255])), clock),
        "limit": CloudField(.real(.infinity), clock),
      ])
    let device = cloud.device
    try device.modify([.save(list, base: nil), .save(reminder, base: nil)])
    cloud.clock.advance(hours: 1)
    let later = FieldClock(milliseconds: cloud.clock.now, device: 7)
    var renamed = list
    renamed.fields["title"] = CloudField(.text("Food"), later)
    let tombstone = Tombstone(name: reminder.name, type: reminder.type, clock: later)
    try device.modify([
      .delete(tombstone, base: device.tag(reminder.name)),
      .save(renamed, base: device.tag(list.name)),
    ])
    // The time in the directory is today's, years after the example's.
    var policy = MaintenanceTests.eager
    policy.tombstoneAge = MaintenancePolicy.days(100_000)
    policy.keptCommitAge = policy.tombstoneAge
    _ = try cloud.log.maintain(policy)
  }

  /// A zone with every other kind of entry.
  private func makeOldZone() throws {
    let log = cloud.container.zone(ZoneID(name: "old", owner: CloudFixture.ann))
    try log.create()
    try log.reset(reason: "an example")
    try log.publishMeta { manifest in
      guard let manifest, manifest.number < 3 else { return nil }
      return (manifest.epoch, .upgrade(needs: .init(write: ["colours"])))
    }
    try log.delete(reason: "an example")
  }

  /// Every file with its text.
  func files() throws -> [String: String] {
    var files: [String: String] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: directory.url.path) {
      let url = directory.url.appending(path: path)
      guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
        continue
      }
      files[path] = try String(contentsOf: url, encoding: .utf8)
    }
    return files
  }
}

/// The examples in a document: after a line with nothing but a path in bold, a block of code.
struct FormatDocument {
  private(set) var text: String
  private(set) var files: [String: String] = [:]

  init(_ url: URL) throws {
    text = try String(contentsOf: url, encoding: .utf8)
    for block in blocks { files[block.path] = String(text[block.range]) }
  }

  private var blocks: [(path: String, range: Range<String.Index>)] {
    text.matches(of: #/(?m)^\*\*`([^`]+)`\*\*\n\n```[a-z]+\n((?:(?!```).*\n)*)```$/#).map { match in
      (String(match.output.1), match.output.2.startIndex..<match.output.2.endIndex)
    }
  }

  /// Puts these files into the blocks of their paths.
  mutating func replace(with files: [String: String]) {
    for block in blocks.reversed() {
      guard let file = files[block.path] else { continue }
      text.replaceSubrange(block.range, with: file)
      self.files[block.path] = file
    }
  }
}
