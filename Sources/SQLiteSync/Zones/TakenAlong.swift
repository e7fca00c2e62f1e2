import GRDB
import SQLiteSyncCloud

/// Rows of this account's own that went with a row of a shared zone: they come back with it.
///
/// What depends on a row by more than one foreign key, and what is private, lives in the account's
/// own zone. Others know nothing of it, so whoever deletes the row and takes that back, or moves it
/// away and back, brings back only what they see. The rest is in this device's history.
extension Applier {
  /// Brings back what went with the rows that are here again, as edits by the app.
  mutating func bringBackTakenAlong() throws {
    defer { arrived = [] }
    for (table, key) in arrived {
      let deletion = try History(db: db, now: now).deletionFromElsewhere(
        of: table, key: key, besides: account, on: device)
      guard let deletion,
        let entry = try SyncHistory.entry(deletion, db),
        let record = try store.record(tableID: table.id, key: key),
        record.isAlive, record.zoneID != SyncZone.defaultID
      else { continue }
      try SyncHistory.restoreRows(takenAlongWith: entry, in: db, where: wasTakenAlong)
    }
  }

  private func wasTakenAlong(_ row: SyncHistory.RowReference) throws -> Bool {
    guard let table = tables[row.table] else { return false }
    let record = try store.record(tableID: table.id, key: row.key)
    return record.map { !$0.isAlive && $0.zoneID == SyncZone.defaultID } ?? false
  }
}
