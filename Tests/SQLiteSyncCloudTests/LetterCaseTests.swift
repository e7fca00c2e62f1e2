import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSyncCloud

/// Names that differ only in the case of letters are different names, and a name of the cloud in
/// another case is none of the cloud's.
@Suite struct LetterCaseTests {
  let fixture: CheckFixture

  init() throws {
    fixture = try CheckFixture()
  }

  /// Copies every file and directory beside itself, with the last part of its path in upper case;
  /// returns the paths of the copies.
  private func copyInUpperCase() throws -> [String] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: fixture.directory.url.path)
    // The deepest first: what was copied is not copied again.
    let pairs = paths.sorted { $0.count > $1.count }.map { path in
      var parts = path.split(separator: "/").map(String.init)
      parts[parts.count - 1] = parts[parts.count - 1].uppercased()
      return (path, parts.joined(separator: "/"))
    }.filter { $0 != $1 }
    for (path, copy) in pairs {
      try FileManager.default.copyItem(at: fixture.url(path), to: fixture.url(copy))
    }
    return pairs.map(\.1)
  }

  @Test func namesOfTheCloudInUpperCaseAreNobodysAndSaidToBe() throws {
    _ = try fixture.fill()
    let copies = try copyInUpperCase()
    #expect(copies.contains("ACCOUNTS") && copies.contains { $0.hasSuffix(".JSON") })
    // One that would be the next commit, if it were one.
    let next = "\(fixture.layout.log(epoch: 1))/\(ZoneLayout.fileName(7).uppercased())"
    try fixture.put(try fixture.read(fixture.commit(6)), at: next)

    let findings = try fixture.check().findings
    #expect(Set(findings.map(\.path)).symmetricDifference(copies + [next]) == [])
    #expect(findings.allSatisfy { $0.severity == .note })

    #expect(try fixture.cloud.container.zones() == [fixture.cloud.log.id])
    let late = try fixture.cloud.other()
    try late.device.fetch()
    #expect(late.device.copies == fixture.device.copies)
    #expect(try late.device.save("e", "after").failures.isEmpty)
    #expect(late.device.tag("e")?.sequence == 7)

    _ = try fixture.cloud.log.maintain(MaintenanceTests.eager)
    for path in copies + [next] {
      #expect(FileManager.default.fileExists(atPath: fixture.url(path).path), "\(path)")
    }
    let folded = try fixture.cloud.other(3)
    try folded.device.fetch()
    #expect(folded.device.records == late.device.records)
  }

  @Test func anAssetInUpperCaseIsNotTheOneThatWasNamedAndCanBePutBack() throws {
    let asset = try fixture.fill()
    let key = try #require(fixture.layout.asset(asset, epoch: 1))
    try FileManager.default.moveItem(
      at: fixture.url(key),
      to: fixture.url("\(fixture.layout.assets(epoch: 1))/\(asset.name.uppercased())"))
    #expect(throws: CloudError.self) { try fixture.cloud.log.readAsset(asset) }
    let report = try fixture.check()
    #expect(report.findings(at: key).map(\.severity) == [.damage])
    try fixture.repair(report)
    #expect(try fixture.cloud.log.readAsset(asset) == Data("a picture".utf8))
  }

  @Test func recordsWhoseNamesDifferOnlyInCaseAreTwo() throws {
    let names = ["note", "Note", "NOTE", "é", "É"]
    for name in names { try fixture.device.save(name, "of \(name)") }
    try fixture.device.save("child", "", parent: "Note")
    try fixture.device.delete("note")
    _ = try fixture.cloud.log.maintain(MaintenanceTests.eager)
    let late = try fixture.cloud.other()
    try late.device.fetch()
    #expect(late.device.records == fixture.device.records)
    #expect(Set(late.device.records.keys) == ["Note", "NOTE", "é", "É", "child"])
    #expect(late.device.records["Note"] == .test("Note", "of Note"))
    #expect(try fixture.check().summary == [])
  }

  @Test func zonesWhoseNamesDifferOnlyInCaseAreTwo() throws {
    let zones = ["Trips", "trips", "TRIPS"].map { ZoneID(name: $0, owner: CloudFixture.ann) }
    for zone in zones {
      let log = fixture.cloud.container.zone(zone)
      try log.create()
      try Device(log).save("a", "of \(zone.name)")
    }
    for zone in zones {
      let device = Device(fixture.cloud.container.zone(zone))
      try device.fetch()
      #expect(device.records["a"] == .test("a", "of \(zone.name)"))
    }
    #expect(Set(try fixture.cloud.container.zones()) == Set(zones + [fixture.cloud.log.id]))
    #expect(try fixture.check().summary == [])
  }
}
