import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// A commit in the middle of a log is lost, and so is the device that wrote what comes after it.
struct RemainsTests {
  private let fleet: Fleet
  private let ann: Device
  private let layout: ZoneLayout

  init() throws {
    fleet = try Fleet()
    let ben: Device
    (ann, ben) = try fleet.pair()
    layout = ZoneLayout(ZoneID(name: "default", owner: fleet.account))
    try ann.execute("INSERT INTO lists (id, title) VALUES ('a', 'Home'), ('b', 'Old')")
    try ann.sync()
    try ben.sync()
    for (id, title) in [("c", "Lost"), ("d", "Work"), ("e", "Books")] {
      try ben.execute("INSERT INTO lists (id, title) VALUES ('\(id)', '\(title)')")
      try ben.sync()
    }
    try ben.execute("UPDATE lists SET title = 'Family' WHERE id = 'a'")
    try ben.execute("DELETE FROM lists WHERE id = 'b'")
    try ben.execute("INSERT INTO covers VALUES ('e', x'0102')")
    try ben.sync()
  }

  /// What became of the commit that has “Lost”.
  enum Loss: CaseIterable { case missing, cut }

  private func lose(_ loss: Loss) throws {
    let key = layout.commit(2, epoch: 1)
    let bytes = try #require(try fleet.store.read(key, limit: .max))
    try fleet.store.delete(key)
    switch loss {
    case .missing: break
    case .cut: try put(bytes.prefix(100), at: key)
    }
  }

  private func put(_ bytes: Data, at key: StoreKey) throws {
    guard case .created = fleet.store.createIfAbsent(key, bytes) else {
      throw CloudError.damaged("\(key) is there.")
    }
  }

  private func repair() throws -> Bool {
    let (states, zones) = try ann.database.readSnapshot {
      try (SyncEngine.cloudStates(of: $0), SyncEngine.followedZones(of: $0))
    }
    let findings = try CloudCheck(ann.container, holding: states, following: zones).run().findings
    for finding in findings { try CloudRepair(ann.container).repair(finding) }
    return findings.contains(where: \.isRepairable)
  }

  @Test(arguments: Loss.allCases)
  func whatCanBeReadOfItIsTakenBeforeTheLogIsBegunAnew(loss: Loss) throws {
    try lose(loss)
    try ann.execute("INSERT INTO lists (id, title) VALUES ('f', 'Garden')")
    #expect(throws: CloudError.self) { try ann.sync() }
    #expect(try repair())
    try ann.sync()
    let new = try fleet.device()
    for _ in 0..<2 {
      try ann.sync()
      try new.sync()
    }
    for device in [ann, new] {
      #expect(
        try device.rows("SELECT id, title FROM lists ORDER BY id")
          == ["a|Family", "d|Work", "e|Books", "f|Garden"])
      #expect(try device.rows("SELECT listID, image FROM covers") == ["e|2 bytes"])
      #expect(try device.counts() == SyncCounts())
    }
  }

  /// Nothing is read again of a log that somebody has begun anew for another reason.
  @Test func aDeviceInStepFindsNothing() throws {
    try ann.sync()
    try ann.container.zone(ZoneID(name: "default", owner: fleet.account)).reset(reason: "a test")
    let count = ann.events.count
    try ann.sync()
    let fetched = ann.events[count...].filter {
      if case .fetchedRecordZoneChanges = $0 { true } else { false }
    }
    #expect(fetched.isEmpty)
    try fleet.settle()
    try fleet.expectExhausted()
  }
}
