import Foundation
import Glibc
import RemindersTestSupport
import Testing

@testable import SQLiteSyncCloud

/// `CLOUD.json` says which cloud a directory is: nobody begins another one in its place.
struct BeginningTests {
  private let fixture: CheckFixture

  init() throws {
    fixture = try CheckFixture()
    _ = try fixture.fill()
  }

  private func check(knowing id: String?) throws -> CheckReport {
    try CloudCheck(fixture.cloud.container, of: id).run()
  }

  private func loseCloudFile() throws {
    try FileManager.default.removeItem(at: fixture.url("CLOUD.json"))
  }

  /// A device that has never used the cloud.
  private var newcomer: CloudContainer {
    CloudContainer(
      store: fixture.cloud.store, account: CloudFixture.ann, device: UUID(9), app: "test",
      environment: .deterministic(seed: 9, clock: fixture.cloud.clock))
  }

  @Test func noCloudBeginsWhereOneWas() throws {
    try loseCloudFile()
    let error = #expect(throws: CloudError.self) { try newcomer.open() }
    #expect(error?.code == .accountTemporarilyUnavailable)
    #expect(error?.hint?.contains("CloudRepair") == true)
    #expect(
      try !fixture.cloud.store.list(CloudLayout.root, after: nil, limit: 9)
        .contains { $0.name == "CLOUD.json" })
  }

  @Test func deviceThatKnowsTheCloudPutsItsFileBack() throws {
    let id = try fixture.cloud.container.open()
    try loseCloudFile()
    let report = try check(knowing: id)
    #expect(report.worst == .damage)
    for finding in report.findings { try CloudRepair(fixture.cloud.container).repair(finding) }
    #expect(try newcomer.open() == id)
    #expect(try check(knowing: id).findings.isEmpty)
  }

  @Test func deviceThatKnowsTheCloudSaysWhatIsMissing() throws {
    let id = try fixture.cloud.container.open()
    try loseCloudFile()
    let error = #expect(throws: CloudError.self) {
      try fixture.cloud.container.open(expecting: id)
    }
    #expect(error?.hint?.contains("CloudRepair") == true)
    try FileManager.default.removeItem(at: fixture.url("accounts"))
    let unmounted = #expect(throws: CloudError.self) {
      try fixture.cloud.container.open(expecting: id)
    }
    #expect(unmounted?.hint?.contains("mounted") == true)
  }

  /// What a machine that lost its power leaves, and what is no file at all.
  @Test(arguments: ["", "junk", "{}\n", "link", "fifo", "directory", "full directory"])
  func deviceThatKnowsTheCloudPutsItsFileInThePlaceOfJunk(_ junk: String) throws {
    let id = try fixture.cloud.container.open()
    try loseCloudFile()
    let path = fixture.url("CLOUD.json").path
    switch junk {
    case "link":
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "nowhere")
    case "fifo": #expect(mkfifo(path, 0o666) == 0)
    case "directory", "full directory":
      let inside = path + (junk == "directory" ? "" : "/inside")
      try FileManager.default.createDirectory(
        atPath: inside, withIntermediateDirectories: true)
    default: try Data(junk.utf8).write(to: fixture.url("CLOUD.json"))
    }
    #expect(throws: CloudError.self) { try newcomer.open() }
    #expect(try check(knowing: nil).worst == .damage)
    for finding in try check(knowing: id).findings {
      try CloudRepair(fixture.cloud.container).repair(finding)
    }
    #expect(try newcomer.open() == id)
    // What was in a directory stays, beside the file.
    let rest = try check(knowing: id).findings
    #expect(rest.allSatisfy { $0.severity == .note && $0.path.hasPrefix("CLOUD.json.aside-") })
    #expect(rest.count == (junk == "full directory" ? 1 : 0))
  }

  /// Nobody takes a file away that only a later program understands.
  @Test func fileOfALaterFormatStaysWhereItIs() throws {
    let id = try fixture.cloud.container.open()
    let url = fixture.url("CLOUD.json")
    try FileManager.default.removeItem(at: url)
    var file = CloudFile(id: id)
    file.version = 2
    try file.encoded.write(to: url)
    for finding in try check(knowing: id).findings {
      #expect(!finding.isRepairable)
      try CloudRepair(fixture.cloud.container).repair(finding)
    }
    #expect(try Data(contentsOf: url) == file.encoded)
  }

  @Test func checkTellsThatItIsAnotherCloud() throws {
    let findings = try check(knowing: "another").findings
    #expect(findings.map(\.path) == ["CLOUD.json"])
    #expect(findings.map(\.severity) == [.damage])
  }

  @Test(arguments: [true, false], [Int64(2), 90])
  func junkAfterTheEndIsToldAndPutAside(isInLog: Bool, distance: Int64) throws {
    let layout = fixture.layout
    let end =
      isInLog
      ? try #require(fixture.device.token?.sequence) : try fixture.cloud.log.manifest().number
    let key =
      isInLog ? layout.commit(end + distance, epoch: 1) : layout.metaEntry(end + distance)
    try Data("junk".utf8).write(to: fixture.url(key))
    let report = try fixture.check(fixture.state)
    #expect(report.findings.map(\.path) == ["\(key)"])
    #expect(report.worst == .warning)
    try fixture.repair(report)
    #expect(!FileManager.default.fileExists(atPath: fixture.url(key).path))
    #expect(try fixture.check(fixture.state).findings.isEmpty)
  }

  /// Nobody counts on from there.
  @Test func numberBeyondAllNumbersIsAForeignFile() throws {
    for key in [fixture.layout.commit(.max, epoch: 1), fixture.layout.metaEntry(.max)] {
      try Data("junk".utf8).write(to: fixture.url(key))
    }
    #expect(try fixture.check(fixture.state).findings.map(\.severity) == [.note, .note])
    try fixture.device.save("e", "1")
    let late = try fixture.cloud.other().device
    try late.fetch()
    #expect(late.records["e"] != nil)
  }

  /// A commit that follows one which never was: nobody can tell it from a lost one.
  @Test func forgedGapIsHealedByWhoeverHasReadWhatIsBeforeIt() throws {
    let end = try #require(fixture.device.token?.sequence)
    try fixture.cloud.forge(
      at: end + 2, previous: ContentHash(of: [1]), [.save(.test("x"), base: nil)])
    #expect(throws: CloudError.self) { try fixture.device.fetch() }
    let report = try fixture.check(fixture.state)
    #expect(report.worst == .damage)
    let repairable = report.findings.filter(\.isRepairable)
    #expect(repairable.count == 1)
    #expect(repairable.allSatisfy { $0.advice.contains("everything up to there") })
    try fixture.repair(report)
    #expect {
      try fixture.device.fetch()
    } throws: { error in
      (error as? CloudError)?.code == .zoneNotFound
    }
    #expect(try fixture.check(fixture.state).worst != .damage)
  }

  /// Whatever somebody puts at numbers that are still to come is in nobody's way.
  @Test(arguments: ["", "junk", "{}\n", "{\"f\":\"commit\",\"v\":1}\n"])
  func junkAfterTheEndStopsNobody(bytes: String) throws {
    let device = fixture.device
    let end = try #require(device.token?.sequence)
    for number in [end + 2, end + 3] {
      let url = fixture.url(fixture.layout.commit(number, epoch: 1))
      try Data(bytes.utf8).write(to: url)
    }
    try device.fetch()
    try device.save("e", "1")
    try device.save("f", "2")
    let late = try fixture.cloud.other().device
    try late.fetch()
    #expect(Set(late.records.keys).isSuperset(of: ["e", "f"]))
    #expect(late.voided == 2)
  }
}
