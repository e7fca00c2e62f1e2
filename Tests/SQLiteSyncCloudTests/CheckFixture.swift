import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSyncCloud

/// A cloud in a directory, for tests that damage its files and let it be checked.
struct CheckFixture {
  let directory: TemporaryDirectory
  let cloud: CloudFixture

  init() throws {
    directory = try TemporaryDirectory()
    cloud = try CloudFixture(over: DirectoryStore(directory: directory.url))
    try cloud.log.create()
  }

  var device: Device { cloud.device }
  var layout: ZoneLayout { cloud.log.layout }

  /// Makes the cloud one with six commits, two checkpoints, a deletion and an asset; the first two
  /// commits are gone.
  ///
  /// Copied, because making it waits for the disk many times.
  func fill() throws -> AssetReference {
    let (template, asset) = try Self.template.get()
    try FileManager.default.removeItem(at: url("accounts"))
    for name in ["CLOUD.json", "accounts"] {
      let source = template.url.appending(path: name)
      if FileManager.default.fileExists(atPath: url(name).path) {
        try FileManager.default.removeItem(at: url(name))
      }
      try FileManager.default.copyItem(at: source, to: url(name))
    }
    try cloud.container.open()
    try device.fetch()
    return asset
  }

  private static let template = Result { () throws -> (TemporaryDirectory, AssetReference) in
    let fixture = try CheckFixture()
    let (cloud, device) = (fixture.cloud, fixture.device)
    let asset = try cloud.log.publishAsset(Data("a picture".utf8))
    var record = CloudRecord.test("a", "1")
    record.fields["cover"] = CloudField(.asset(asset), FieldClock(rawValue: 7))
    try device.modify([.save(record, base: nil)])
    try device.save("b", "child", parent: "a")
    try device.save("c", "1")
    // The files' times are those of the disk, and the clock is the test's.
    var policy = MaintenanceTests.eager
    policy.keptCommitAge = .min / 2
    _ = try cloud.log.maintain(policy)
    try device.delete("c")
    try device.save("b", "again", parent: "a")
    policy.announcement = .min / 2
    _ = try cloud.log.maintain(policy)
    try device.save("d", "after")
    return (fixture.directory, asset)
  }

  func check(
    _ device: CloudCheck.DeviceState? = nil,
    bytes: @escaping CloudCheck.HeldBytes = { _ in nil }
  ) throws -> CheckReport {
    try CloudCheck(cloud.container, holding: [device].compactMap { $0 }, bytes: bytes).run()
  }

  /// What the device holds, as its database tells.
  var state: CloudCheck.DeviceState? {
    device.token.map { CloudCheck.DeviceState(zone: cloud.log.id, token: $0) }
  }

  /// Repairs everything that can be.
  func repair(
    _ report: CheckReport, bytes: @escaping CloudCheck.HeldBytes = { _ in nil }
  ) throws {
    let repair = CloudRepair(cloud.container, bytes: bytes)
    for finding in report.findings { try repair.repair(finding) }
  }

  // MARK: Files

  func url(_ key: some CustomStringConvertible) -> URL {
    directory.url.appending(path: "\(key)")
  }

  func commit(_ number: Int64) -> StoreKey { layout.commit(number, epoch: 1) }

  func read(_ key: StoreKey) throws -> Data { try Data(contentsOf: url(key)) }

  func remove(_ key: StoreKey) throws { try FileManager.default.removeItem(at: url(key)) }

  /// Puts a file in the place of another, or where there is none.
  func put(_ bytes: Data, at path: some CustomStringConvertible) throws {
    let url = url(path)
    if FileManager.default.fileExists(atPath: url.path) {
      try FileManager.default.removeItem(at: url)
    }
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try bytes.write(to: url)
  }

  /// Changes one byte in the middle of a file.
  func alter(_ key: StoreKey) throws {
    var bytes = try read(key)
    bytes[bytes.count / 2] ^= 1
    try put(bytes, at: key)
  }

  /// Gives a file a time long ago.
  func age(_ path: some CustomStringConvertible) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: url(path).path)
  }

  /// Every file with its bytes.
  func contents() throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: directory.url.path) {
      // Directories have no bytes.
      contents[name] = (try? Data(contentsOf: url(name))) ?? Data()
    }
    return contents
  }
}

extension CheckReport {
  /// `damage path`, for comparison.
  var summary: [String] { findings.map { "\($0.severity.rawValue) \($0.path)" } }

  /// The findings about a path.
  func findings(at path: some CustomStringConvertible) -> [CheckFinding] {
    findings.filter { $0.path == "\(path)" }
  }
}
