import GRDB
import SQLiteSyncCloud

/// Deletions that a constraint of this device alone refuses: a reference from a table that is not
/// synchronized, or a trigger of the app. And those of a row below which there still is one that
/// has left for another zone, until that was read.
///
/// The row stays, with what depends on it, and its record is dead: whoever edits the row, or makes
/// something below it, brings it back everywhere. Until then its deletion is quarantined, and tried
/// again with whatever is applied.
extension Applier {
  /// Does what deletes rows, or nothing of it when a constraint refuses: then returns its message.
  ///
  /// - Parameters:
  ///   - canWait: Whether what has left for another zone can be waited for.
  ///   - deletion: What deletes rows.
  mutating func refusal(
    canWait: Bool = true, of deletion: (inout Applier) throws -> Void
  ) throws -> String? {
    let before = removal
    removal.canWait = canWait
    defer { removal.canWait = before.canWait }
    do {
      try reporting { applier in
        let db = applier.db
        try db.inSavepoint {
          try db.closingReferences { try deletion(&applier) }
          return .commit
        }
        return ((), isKept: true)
      }
      return nil
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      removal = before
      return error.message ?? "\(error)"
    }
  }

  /// Deletes the row of a record that is dead, unless what is below is later than the deletion:
  /// then it is revived.
  mutating func bury(_ record: RecordMetadata, table: TableSchema, by copy: ServerCopy) throws {
    guard let id = record.id, let death = record.death else { return }
    let below = try latestBelow(table: table, key: record.key)
    if case .revive(let record) = Deletion.burial(of: record, in: table, latestBelow: below) {
      try revive(record, name: table.recordName(of: record.key), type: table.name)
      try quarantine.remove(id)
      return
    }
    let refusal = try refusal { applier in
      try applier.removeRow(table: table, key: record.key, local: record, death: death, by: copy)
      try applier.storeDead(record, death: death, table: table)
    }
    if let refusal {
      try keepUndeletable(record, table: table, error: refusal)
    } else {
      try quarantine.remove(id)
    }
  }

  /// Stores a record that lives again, to be sent whole.
  mutating func revive(_ record: RecordMetadata, name: String, type: String) throws {
    try store.outbox.set(
      PendingChange(kind: .save, fields: nil), id: store.save(record), tableID: record.tableID,
      now: now)
    report.revived.append(ApplyReport.Item(type: type, name: name))
  }

  /// Stores a dead record whose row cannot go; it is said when it is new.
  mutating func keepUndeletable(
    _ record: RecordMetadata, table: TableSchema, error: String
  ) throws {
    let id = try store.save(record)
    try store.outbox.set(nil, id: id, tableID: table.id, now: now)
    guard try quarantine.errorOfDeletion(of: id) != error else { return }
    try quarantine.keep(id, nil, reason: .undeletable, error: error, now: now)
    report.quarantined.append((table.recordName(of: record.key), error))
  }

  /// Tries a deletion once more.
  mutating func retryDeletion(of record: RecordMetadata, id: Int64) throws {
    guard let table = tables[id: record.tableID] else { return }
    guard !record.isAlive, let death = record.death,
      try RowStore(db: db, table: table).exists(key: record.key)
    else {
      // It was edited, or it went.
      try quarantine.remove(id)
      return
    }
    try bury(
      record, table: table,
      by: deletion(
        of: record, in: table, at: death, fromZone: record.zoneID, tag: record.tag ?? .ofNoCommit))
  }
}
