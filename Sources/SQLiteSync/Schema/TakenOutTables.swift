import GRDB
import SQLiteSyncCloud

// What is unsent of tables that were taken out of synchronization: their records are quarantined
// whole, as those of any table that this version does not know, and go on being sent.

extension BatchBuilder {
  /// The numbers of such tables.
  func takenOut() throws -> [Int64] { try SchemaRegistry.takenOutWithChanges(in: db) }

  /// The edit of a record.
  ///
  /// Nil when there is nothing to send any more.
  func quarantinedSave(_ id: Int64) throws -> OutgoingBatch.Item? {
    guard let metadata = try store.record(id: id),
      var record = try Quarantine(db: db).version(of: id)
    else { return nil }
    // What its foreign key does when the parent is gone only a version that has it knows.
    let parent = try record.parent.flatMap { name in
      try store.record(named: RecordName.parsing(name), in: tables)
    }
    if parent?.isAlive != true || parent?.zoneID != metadata.zoneID { record.parent = nil }
    var item = OutgoingBatch.Item(
      recordID: id, type: record.type, change: .save(record, base: metadata.tag))
    try takeUnpublished(from: &record, into: &item)
    item.change = .save(record, base: metadata.tag)
    return item
  }

  /// The deletion of a record.
  func quarantinedDeletion(_ id: Int64, tableID: Int64) throws -> OutgoingBatch.Item? {
    guard let metadata = try store.record(id: id), let death = metadata.death,
      let name = try store.name(ofRecord: id)
    else {
      try store.outbox.set(nil, id: id, tableID: tableID, now: now)
      return nil
    }
    let type = RecordName.parsing(name).table
    return OutgoingBatch.Item(
      recordID: id, type: type,
      change: .delete(Tombstone(name: name, type: type, clock: death), base: metadata.tag))
  }
}
