import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// Rows that are folded by one statement end as if they had been folded one by one.
struct BulkFoldTests {
  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func bulkFoldLeavesWhatOthersLeave(seed: UInt64) throws {
    let (bulk, single) = (try device(bulk: 1), try device(bulk: .max))
    var random = SplitMix64(seed: seed)
    for _ in 0..<40 {
      let edits = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        RandomEdit(version: .old, using: &random)
      }
      let folds = Int.random(in: 0..<6, using: &random) == 0
      for device in [bulk, single] {
        try edit(device, edits)
        if folds { try device.synchronizer.foldEdits() }
      }
    }
    for device in [bulk, single] { try device.synchronizer.foldEdits() }
    #expect(try contents(of: bulk) == contents(of: single))
  }

  @Test func rowThatTriggersFillInIsFoldedInBulk() throws {
    let device = try device(bulk: 1) { db in
      try db.execute(
        sql: """
          CREATE TRIGGER notesAtOnce AFTER INSERT ON reminders WHEN NEW.notes = ''
          BEGIN UPDATE reminders SET notes = 'None.' WHERE id = NEW.id; END
          """)
    }
    try device.execute("INSERT INTO reminders (id, title) VALUES ('r', 'Milk')")
    #expect(try device.rows("SELECT count(*) FROM sync_edits") == ["2"])
    let count = try device.database.read { try Row.fetchAll($0, sql: EditEntries.inserts).count }
    #expect(count == 1)
    try device.synchronizer.foldEdits()
    #expect(try device.outbox() == ["save r:reminders: all"])
  }

  private func device(
    bulk: Int, prepare: ((Database) throws -> Void)? = nil
  ) throws -> Device {
    try Fleet(clock: TestClock(seed: 1)) { $0.bulkOfEdits = bulk }.device(prepare: prepare)
  }

  private func edit(_ device: Device, _ edits: [RandomEdit]) throws {
    do {
      try device.write { db in for edit in edits { try edit.execute(in: db) } }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      // Neither device takes it.
    }
  }

  /// Without the numbers of records, which go by the order of folding.
  private func contents(of device: Device) throws -> [[String]] {
    try [
      """
      SELECT tableID, primaryKey, zoneID, life, latest, death, clocks, unknown, tag, isTombstone,
        pass FROM sync_records ORDER BY 1, 2
      """,
      """
      SELECT r.tableID, r.primaryKey, p.tableID, p.kind, p.fields, p.since, p.attempts,
        p.nextAttempt, p.error, p.isHeld
      FROM sync_pending p JOIN sync_records r ON r.id = p.recordID ORDER BY 1, 2
      """, "SELECT * FROM sync_edits", "SELECT * FROM sync_refusals ORDER BY 1, 2",
    ].map { try device.rows($0) }
  }
}
