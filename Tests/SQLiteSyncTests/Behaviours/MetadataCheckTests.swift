import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// Whether the metadata and the rows are of one mind.
struct MetadataCheckTests {
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
    try ann.execute(
      """
      INSERT INTO lists (id) VALUES ('l'), ('m');
      INSERT INTO reminders (id, listID) VALUES ('r', 'l'), ('s', 'l');
      INSERT INTO tags VALUES ('Car');
      """)
    try fleet.settle()
  }

  private func findings(_ device: Device) throws -> [String] {
    try device.database.read { db in
      try SyncEngine.check(db).map { "\($0.severity.rawValue) \($0.place): \($0.problem)" }
    }
  }

  /// Writes without being noted.
  private func mute(_ device: Device, _ sql: String) throws {
    try device.database.write { db in
      try DeviceState(db: db).muted { try db.execute(sql: sql) }
    }
  }

  @Test func devicesInStepHaveNoFindings() throws {
    try ann.execute("DELETE FROM lists WHERE id = 'l'; UPDATE tags SET title = 'CAR'")
    #expect(try findings(ann) == [])
    try fleet.settle()
    #expect(try findings(ann) == [])
    #expect(try findings(ben) == [])
  }

  @Test func aDatabaseThatNoEngineHasOpenedHasNoFindings() throws {
    let database = try DatabaseQueue()
    #expect(try database.read { try SyncEngine.check($0) } == [])
  }

  /// Before anything is sent, which would say it too.
  @Test func rowsThatCannotBeSentAreFound() throws {
    try ann.execute("UPDATE lists SET title = 'a' || char(0) || 'b' WHERE id = 'l'")
    #expect(
      try findings(ann) == [
        "damage lists: The row l cannot be sent: the text in title holds NUL, or is not UTF-8."
      ])
    try ann.execute("UPDATE lists SET title = CAST(x'FF' AS TEXT)")
    #expect(try findings(ann).first?.hasPrefix("damage lists: 2 rows cannot be sent") == true)
    try ann.execute("UPDATE lists SET title = replace(hex(zeroblob(600000)), '00', 'Ä')")
    #expect(
      try findings(ann).first?.contains("1200001 bytes, and at most 1048576 can be sent") == true)
    try ann.execute("UPDATE lists SET title = 'fine'")
    #expect(try findings(ann) == [])
  }

  /// It does not travel.
  @Test func whatIsGeneratedCanBeAnyText() throws {
    let fleet = try Fleet(
      schema: Schema(
        sql: """
          CREATE TABLE pages (
            id TEXT PRIMARY KEY NOT NULL, title TEXT, row AS (title || char(0) || id) STORED)
          """, tables: ["pages"]))
    let ann = try fleet.device()
    try ann.execute("INSERT INTO pages VALUES ('p', 'a')")
    #expect(try findings(ann) == [])
    try fleet.settle()
    #expect(try findings(ann) == [])
  }

  @Test func aRowThatNobodyNotedIsFoundAndTakenIn() throws {
    try mute(ann, "INSERT INTO lists (id, title) VALUES ('x', 'unseen')")
    #expect(
      try findings(ann) == [
        "damage lists: 1 rows are not known to synchronization, of which one is x."
      ])
    try ann.database.write { try SyncEngine.adoptUnknownRows($0, now: fleet.clock.now) }
    #expect(try findings(ann) == [])
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM lists WHERE id = 'x'") == ["unseen"])
  }

  @Test func aRecordWithoutARowIsFound() throws {
    try mute(ann, "DELETE FROM reminders WHERE id = 's'")
    #expect(
      try findings(ann) == [
        "damage reminders: 1 records have no row on this device, of which one is s."
      ])
  }

  @Test func missingTriggersAreFound() throws {
    try ann.database.write { try CaptureTriggers().remove(from: "tags", in: $0) }
    #expect(
      try findings(ann) == [
        "damage tags: Edits of this table are not noted: its triggers are missing."
      ])
  }

  @Test func whatWaitsForItsParentIsNotMissing() throws {
    try mute(ben, "DELETE FROM lists WHERE id = 'm'")
    try ann.execute("UPDATE reminders SET listID = 'm' WHERE id = 's'")
    try fleet.settle()
    #expect(try findings(ben).allSatisfy { $0.contains("of which one is m.") })
  }

  @Test func aDeviceHoldsAllOfTheCloudOnlyWhenNothingWaits() throws {
    let states = try ann.database.read { try SyncEngine.cloudStates(of: $0) }
    #expect(states.count == 1)
    #expect(try ben.database.read { try SyncEngine.cloudStates(of: $0) } == states)
    let fresh = try fleet.device()
    #expect(try fresh.database.read { try SyncEngine.cloudStates(of: $0) } == [])
    try ann.database.write { db in
      try db.execute(
        sql: "INSERT INTO sync_parked VALUES (1, 'waiting', NULL, NULL, x'00', 0, 0)")
    }
    #expect(try ann.database.read { try SyncEngine.cloudStates(of: $0) } == [])
  }

  /// It would begin the log anew, and whoever wrote what comes after the gap may be gone.
  @Test func aNewDeviceThatAGapStopsDoesNotHoldAllOfTheCloud() throws {
    for title in ["a", "b", "c"] {
      try ann.execute("UPDATE lists SET title = ? WHERE id = 'l'", [title])
      try ann.sync()
    }
    let end = try #require(ann.database.read { try SyncEngine.cloudStates(of: $0) }.first)
    let last = try #require(end.token).sequence
    let lost = ZoneLayout(end.zone).commit(last - 1, epoch: 1)
    try fleet.store.delete(lost)
    let fresh = try fleet.device()
    #expect(throws: CloudError.self) { try fresh.sync() }
    #expect(try !fresh.rows("SELECT id FROM lists").isEmpty)
    for (device, isProven) in [(fresh, false), (ann, true)] {
      let states = try device.database.read { try SyncEngine.cloudStates(of: $0) }
      let findings = try CloudCheck(device.container, holding: states).run().findings
      #expect(findings.contains { $0.severity == .damage })
      #expect(findings.contains(where: \.isRepairable) == isProven)
    }
  }
}
