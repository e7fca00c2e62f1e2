import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// What somebody is told who asks for a sync: of each record once.
struct ResultTests {
  private func sync(_ device: Device) throws -> (result: SyncResult, events: [SyncEvent]) {
    let before = device.events.count
    try device.sync()
    let events = Array(device.events[before...])
    var tally = SyncTally()
    for event in events { tally.count(event) }
    return (tally.result, events)
  }

  @Test func aMergedRowThatAConstraintRefusesIsKeptAsideOnce() throws {
    let fleet = try Fleet(
      schema: Schema(
        sql: """
          CREATE TABLE ranges (
            id TEXT PRIMARY KEY NOT NULL, low INTEGER NOT NULL, high INTEGER NOT NULL,
            CHECK (low <= high))
          """, tables: ["ranges"]))
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO ranges VALUES ('r', 0, 10)")
    try fleet.settle()
    try ann.execute("UPDATE ranges SET low = 8")
    try ann.sync()
    try ben.execute("UPDATE ranges SET high = 3")
    let (result, events) = try sync(ben)
    #expect(result.keptAside == 1)
    let said = events.filter { if case .quarantined = $0 { true } else { false } }
    #expect(said.count == 1, "\(said)")
  }

  @Test func aRowWithoutItsParentIsRefusedOnceAndNamed() throws {
    let fleet = try Fleet()
    let (ann, ben) = try fleet.pair()
    try ann.database.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = OFF;
          INSERT INTO reminders (id, listID) VALUES ('r', 'nowhere');
          PRAGMA foreign_keys = ON;
          """)
    }
    try ann.execute("INSERT INTO lists (id) VALUES ('l')")
    #expect(try sync(ann).result.refused == 1)
    #expect(try ann.counts().notSynchronized == 1)
    #expect(try ann.counts().pending == 1)
    let refusals = try ann.database.read { try SyncRefusal.all($0) }
    #expect(refusals.map(\.key) == ["r"])
    #expect(refusals.first?.reason.contains("nowhere") == true)
    // It travels when what it hangs on is there.
    try ann.execute("INSERT INTO lists (id) VALUES ('nowhere')")
    fleet.clock.advance(milliseconds: 86_400_000)
    try fleet.settle()
    #expect(try ben.rows("SELECT id, listID FROM reminders") == ["r|nowhere"])
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test func whatIsRefusedAndTakenInTheEndIsNotRefused() {
    let record = SyncEvent.Record(type: "lists", name: "l:lists")
    let failure = SyncEvent.Failure(
      record: record, isDeletion: false, error: CloudError(.referenceViolation, "no"))
    var tally = SyncTally()
    for _ in 0..<2 {
      tally.count(.sentRecordZoneChanges(saved: [], deleted: [], failed: [failure]))
    }
    #expect(tally.result.refused == 1)
    tally.count(.sentRecordZoneChanges(saved: [record], deleted: [], failed: []))
    #expect(tally.result.refused == 0)
    #expect(tally.result.sent == 1)
  }
}
