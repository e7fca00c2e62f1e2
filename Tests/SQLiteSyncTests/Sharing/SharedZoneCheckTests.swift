import Foundation
import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// The check of a cloud in which something is shared, and its repair.
struct SharedZoneCheckTests {
  private let family: Family
  private var ann: Device { family.ann }
  private var ben: Device { family.ben }

  init() throws {
    family = try Family()
    try family.share([Family.benID: .write])
  }

  private func check(_ device: Device) throws -> CheckReport {
    let states = try device.database.readSnapshot { try SyncEngine.cloudStates(of: $0) }
    return try CloudCheck(device.container, holding: states).run()
  }

  private func damage(commit number: Int64) throws {
    let zone = try #require(ann.database.readSnapshot(SyncShare.all).first?.zone)
    try family.fleet.store.delete(ZoneLayout(zone).commit(number, epoch: 1))
  }

  @Test func whatIsInOrderIsFoundInOrder() throws {
    // As many commits in each of the zones, so that their positions have the same numbers.
    for title in ["a", "b", "c", "d", "e", "f"] {
      try ann.execute("UPDATE lists SET title = ? WHERE id = 'work'", [title])
      try ann.sync()
      try ben.execute("UPDATE reminders SET title = ? WHERE id = 'milk'", [title])
      try family.settle()
      for device in [ann, ben, family.cat] {
        #expect(try check(device).findings.filter { $0.severity == .damage } == [])
      }
    }
  }

  @Test func aBrokenLogIsBegunAnewByItsOwnerAndNobodyElse() throws {
    try damage(commit: 1)
    let bens = try check(ben).findings
    #expect(bens.contains { $0.severity == .damage } && !bens.contains(where: \.isRepairable))
    let findings = try check(ann).findings.filter(\.isRepairable)
    #expect(findings.count == 1)
    for finding in findings { try CloudRepair(ann.container).repair(finding) }
    try family.settle()
    #expect(try check(ann).findings.filter { $0.severity == .damage } == [])
    for device in [family.ann, family.annToo] {
      #expect(try device.tree() == Family.home + Family.work)
    }
    for device in [ben, family.benToo] { #expect(try device.tree() == Family.home + Family.own) }
    try ben.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try family.settle()
    #expect(try ann.tree().contains("Home > Oat milk"))
    // Its bytes were left behind with the old log.
    try family.fleet.expectExhausted(
      after: [.refused(.assetFileNotFound), .refused(.batchRequestFailed)])
  }

  /// Who may write leaves a gap, and puts after it what is no commit, and what was written after
  /// that, twice.
  @Test func logWithForgedCommitsAfterAGapIsBegunAnew() throws {
    let link = try #require(ann.database.readSnapshot(SyncShare.all).first?.zone)
    let layout = ZoneLayout(link)
    let bens = ben.container.zone(link)
    let last = try #require(
      family.fleet.store.list(layout.log(epoch: 1), after: nil, limit: .max)
        .compactMap { ZoneLayout.number(inFileName: $0.name) }.max())
    func put(_ number: Int64, _ bytes: [UInt8]) throws {
      let key = layout.commit(last + number, epoch: 1)
      guard case .created = family.fleet.store.createIfAbsent(key, Data(bytes)) else {
        throw CloudError.damaged("\(key) is there.")
      }
    }
    let junk = Array(#"{"f":"commit"}\#n"#.utf8)
    let forged = Commit(
      origin: bens.origin(), zone: link.name, epoch: 1, sequence: last + 4,
      previous: SealedFile(junk).hash,
      operations: [
        .delete(Tombstone(name: "milk:reminders", type: "reminders", clock: .limit), base: nil)
      ])
    try put(1, [])
    try put(3, junk)
    try put(4, Array(forged.encoded))
    try put(5, Array(forged.encoded))
    try ann.execute("UPDATE lists SET title = 'Our home' WHERE id = 'home'")
    #expect(throws: CloudError.self) { try ann.sync() }
    try ann.repairCloud()
    try family.settle()
    for device in [ann, ben] {
      #expect(try device.tree().contains("Our home > Milk > 3.5 %"))
    }
  }
}
