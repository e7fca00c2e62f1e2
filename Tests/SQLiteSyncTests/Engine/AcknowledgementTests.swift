import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Synchronization
import Testing

@testable import SQLiteSync

/// What was sent and comes back unchanged is acknowledged, and ends as if it had been merged.
struct AcknowledgementTests {
  /// Sends new rows and then edits of them, and returns what the engine knows afterwards and how
  /// many records were merged.
  ///
  /// - Parameter isMerging: Whether anything may be elsewhere: then what was sent is merged.
  private func sent(isMerging: Bool) throws -> (metadata: [[String]], mergeCount: Int) {
    let fleet = try Fleet()
    let ann = try fleet.device()
    if isMerging {
      try ann.database.write { db in
        try StaleCopies(db: db).save(
          StaleCopies.Version(
            zoneID: SyncZone.defaultID, tag: ChangeTag(epoch: 1, sequence: 1, index: 0), pass: 0),
          ofRecord: 999)
      }
    }
    let merges = Mutex(0)
    ann.database.writeWithoutTransaction { db in
      db.trace { event in
        guard case .statement(let statement) = event,
          statement.sql.hasPrefix("UPDATE sync_records SET zoneID")
        else { return }
        merges.withLock { $0 += 1 }
      }
    }
    try ann.execute(
      """
      INSERT INTO lists (id, title) VALUES ('l', 'Personal');
      INSERT INTO reminders (id, title, listID) VALUES ('r1', 'Milk', 'l'), ('r2', 'Tea', NULL);
      INSERT INTO tags VALUES ('Home');
      INSERT INTO reminderTags VALUES ('rt', 'r1', 'home');
      INSERT INTO nodes (id, parentID) VALUES ('n', 'n'), ('o', 'n');
      """)
    try ann.sync()
    let mergeCount = merges.withLock { $0 }
    try ann.execute(
      "UPDATE reminders SET title = 'Oat milk' WHERE id = 'r1'; UPDATE nodes SET parentID = NULL")
    try ann.sync()
    let tables = ["records", "pending", "assets", "history", "parked", "zones", "devices"]
    return (try tables.map { try ann.rows("SELECT * FROM sync_\($0) ORDER BY 1") }, mergeCount)
  }

  @Test func acknowledgementLeavesWhatMergeLeaves() throws {
    let (merged, mergeCount) = try sent(isMerging: true)
    let (acknowledged, none) = try sent(isMerging: false)
    #expect(acknowledged == merged)
    #expect(mergeCount > none)
    #expect(merged[1] == [])
  }

  @Test func editDuringSendIsStillPending() throws {
    let ann = try Fleet().device()
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal'), ('m', 'Family')")
    let listener = ann.synchronizer.emit
    var isDone = false
    ann.synchronizer.emit = { event in
      listener(event)
      guard case .nextRecordZoneChangeBatch = event, !isDone else { return }
      isDone = true
      do {
        try ann.execute("UPDATE lists SET title = 'Ours' WHERE id = 'm'")
        ann.synchronizer.shouldStop = { true }
      } catch {
        Issue.record("\(error)")
      }
    }
    try ann.sync()
    #expect(try ann.outbox() == ["save m:lists: title"])
  }
}
