import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// Rows that are folded by one statement, and in parts, end as if all had been folded one by one.
struct BulkFoldTests {
  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func bulkFoldLeavesWhatOthersLeave(seed: UInt64) throws {
    let devices = try [device(bulk: .max), device(bulk: 1), device(bulk: 1, part: 3)]
    var random = SplitMix64(seed: seed)
    for _ in 0..<40 {
      let edits = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        RandomEdit(version: .old, using: &random)
      }
      let folds = Int.random(in: 0..<6, using: &random) == 0
      for device in devices {
        try edit(device, edits)
        if folds { try device.synchronizer.foldEdits() }
      }
    }
    for device in devices { try device.synchronizer.foldEdits() }
    let contents = try devices.map(contents)
    #expect(contents[1] == contents[0])
    #expect(contents[2] == contents[0])
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
    let count = try device.database.read {
      try Row.fetchAll(
        $0, sql: EditEntries.inserts, arguments: EditEntries.Part.all.arguments
      ).count
    }
    #expect(count == 1)
    try device.synchronizer.foldEdits()
    #expect(try device.outbox() == ["save r:reminders: all"])
  }

  @Test func partsAreOfTheSizeThatIsAskedForAndHaveEachRecordOnce() throws {
    let device = try device(bulk: 1)
    for number in 0..<50 {
      // Two tables take turns.
      try device.execute("INSERT INTO lists (id, title) VALUES ('l\(number)', 'List')")
      try device.execute("INSERT INTO reminders (id, title) VALUES ('r\(number)', 'Milk')")
    }
    let sizes = try device.database.read { db in
      let entries = EditEntries(db: db)
      return try entries.parts(of: 20).map { part in
        let rows = try entries.foldable(part)
        var count = 0
        while try rows.next() != nil { count += 1 }
        return count
      }
    }
    #expect(sizes == [19, 20, 20, 20, 20, 1])
  }

  private func device(
    bulk: Int, part: Int = .max / 2, prepare: ((Database) throws -> Void)? = nil
  ) throws -> Device {
    try Fleet(clock: TestClock(seed: 1)) {
      $0.bulkOfEdits = bulk
      $0.partOfEdits = part
    }.device(prepare: prepare)
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
