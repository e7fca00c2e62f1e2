import GRDB
import SQLiteSyncCloud

/// Copies of records that are known in another zone: they moved, or are on their way.
///
/// Where a record lives does not depend on which zone is read first: its fields are merged from
/// both, and the row of its parent says which of the two it belongs to. What the other one has is a
/// stale copy.
extension Applier {
  private var staleCopies: StaleCopies { StaleCopies(db: db) }
  private var placement: Placement { Placement(db: db, tables: tables, now: now) }

  /// Lets a record that is known elsewhere live in the zone that a copy came from.
  ///
  /// - Parameter holdingRest: Whether what other zones have of it is none of its versions.
  mutating func adopt(
    _ record: RecordMetadata, in table: TableSchema?, withoutClocks: Bool, by copy: ServerCopy,
    holdingRest: Bool = false
  ) throws {
    guard let id = record.id else { return }
    try placement.move(withoutClocks ? record.withoutClocks : record, id: id, to: zoneID)
    for left in try staleCopies.versions(ofRecord: id).map(\.zoneID) {
      let isReadOnly = try Zones(db: db).isReadOnly(left)
      if isReadOnly || holdingRest { try holdWhatIsLeft(ofRecord: id, in: left) }
      guard let table else { continue }
      for (child, foreignKey, key) in try rowsBelow(table, key: record.key)
      where child.parentKey == foreignKey {
        guard let below = try store.record(tableID: child.id, key: key), below.zoneID == left,
          let belowID = below.id
        else { continue }
        if isReadOnly {
          try holdRow(below, of: child, below: id, by: copy)
        } else if try holdingRest && store.outbox.change(of: belowID) == nil {
          heldZone = left
          defer { heldZone = nil }
          try holdRow(below, of: child, below: id, by: copy)
        } else if below.parentID == nil, try placement.mayMove(from: left, to: zoneID) {
          // It has let go of its parent in the log, so whoever moved that may not know of it.
          try placement.place(below, id: belowID, table: child)
        }
      }
    }
  }

  /// A version in a zone that can only be read is nothing to delete, nor to go back to: somebody
  /// else moved the record.
  private func holdWhatIsLeft(ofRecord id: Int64, in zoneID: Int64) throws {
    guard var left = try staleCopies.version(ofRecord: id, in: zoneID) else { return }
    left.isHeld = true
    try staleCopies.save(left, ofRecord: id)
  }

  /// What depends on the record there depends on the version that is held: it cannot follow.
  private mutating func holdRow(
    _ below: RecordMetadata, of table: TableSchema, below parentID: Int64, by copy: ServerCopy
  ) throws {
    guard try isToBeHeld(below) else { return }
    let death = clock(after: max(below.latest, try latestBelow(table: table, key: below.key)))
    try cascade(to: table, key: below.key, below: parentID, death: death, by: copy)
  }

  /// Whether the zone has a version of a record that is held: what depends on it is not taken along
  /// before it.
  func isHeld(_ recordID: Int64?) throws -> Bool {
    try recordID.flatMap { try staleCopies.version(ofRecord: $0, in: zoneID) }?.isHeld ?? false
  }

  /// Whether the zone has a version of a record that moved elsewhere and is to be deleted.
  func isLeft(_ recordID: Int64?) throws -> Bool {
    try recordID.flatMap { try staleCopies.version(ofRecord: $0, in: zoneID) }?.isHeld == false
  }

  /// Moves a record to where its row belongs, once it is merged.
  ///
  /// What others put into a zone of theirs without a parent is not taken away from them; a row that
  /// was here and depends on its parent still, though not in the log any more, goes where that is.
  func rehome(_ change: RowChange, id: Int64, written: Set<String>) throws {
    guard try Placement.isNeeded(in: db), let record = try store.record(id: id),
      change.wasElsewhere || change.pending != nil || record.parentID != nil
        || change.hasRow && change.hangsOnARow,
      try !isHeld(record.parentID),
      let home = try placement.home(of: record, table: change.table), home != record.zoneID,
      try placement.mayMove(from: record.zoneID, to: home)
    else { return }
    let there = try staleCopies.version(ofRecord: id, in: home)
    guard try placement.place(record, id: id, table: change.table) else { return }
    // Its home has all of it already, unless a version of the app that does not know on what it
    // depends takes it away from there.
    let isTakenAway = change.record.parent == nil && change.hangsOnARow
    if !isTakenAway, there != nil, written.isEmpty, change.pending == nil,
      record.hasImage(of: change.local)
    {
      try store.outbox.set(nil, id: id, tableID: change.table.id, now: now)
    }
  }

  /// The record moved away from this zone, and it is not known yet where to.
  func noteMovedAway(_ local: RecordMetadata) throws {
    var record = local
    if let id = local.id { try staleCopies.forget(recordID: id, in: local.zoneID) }
    record.move(to: SyncZone.nowhere(from: zoneID), over: nil)
    try store.save(record)
  }

  /// Whether a record left its zone for another one that has not been read yet, and nothing of it
  /// is unsent.
  func isOnItsWay(_ record: RecordMetadata) throws -> Bool {
    guard record.isNowhere, let id = record.id else { return false }
    return try store.outbox.change(of: id) == nil
  }

  /// Removes a row whose record has left for another zone, from which it comes again: it was below
  /// the deleted row no longer when that was deleted, and is not deleted with it.
  ///
  /// - Throws: `DatabaseError` where the deletion can wait until the row is elsewhere: what hangs
  ///   on it in this zone, such as a person's own tags, stays with it then.
  mutating func removeOnItsWay(
    _ record: RecordMetadata, table: TableSchema, death: FieldClock, by copy: ServerCopy
  ) throws {
    guard !removal.canWait else {
      throw DatabaseError(
        resultCode: .SQLITE_CONSTRAINT, message: "a row below it is on its way to another zone")
    }
    try removeRow(table: table, key: record.key, local: record, death: death, by: copy)
    if let id = record.id {
      try noteWithdrawn(record, id: id, table: table)
      try store.outbox.remove(id)
    }
    // As if nothing had been known of it, so that whatever comes is newer.
    try store.save(record.withoutClocks)
  }
}

extension RowChange {
  /// Whether its foreign key names the row that decides where it lives.
  fileprivate var hangsOnARow: Bool {
    guard let column = table.parentKey?.column else { return false }
    return column == table.key || record.fields[column]?.value.text != nil
  }
}
