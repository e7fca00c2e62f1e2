import Cloud
import GRDB

/// Copies of records that are known in another zone: they moved, or are on their way.
///
/// Where a record lives does not depend on which zone is read first: its fields are merged from
/// both, and the row of its parent says which of the two it belongs to. What the other one has is a
/// stale copy.
extension Applier {
  private var staleCopies: StaleCopies { StaleCopies(db: db) }
  private var placement: Placement { Placement(db: db, tables: tables, now: now) }

  /// Lets a record that is known elsewhere live in the zone that a copy came from, to be merged
  /// with it.
  ///
  /// Nil when the copy is known, or is held because it does not belong here or its author has no
  /// say about the record.
  mutating func adopt(
    _ local: RecordMetadata, of copy: ServerCopy, parentID: Int64?, objection: String?
  ) throws -> RecordMetadata? {
    if let objection {
      try hold(local, of: copy, parentID: parentID, reason: objection)
      return nil
    }
    guard let id = local.id else { return local }
    guard local.zoneID != zoneID else {
      // What was held of this zone while the record was forgotten is taken with it.
      if local.tag == nil { try staleCopies.forget(recordID: id, in: zoneID) }
      return local
    }
    let known = try staleCopies.version(ofRecord: id, in: zoneID)
    let isReclaimed = try local.isAlive && known?.isHeld != false && isReclaimed(local, by: copy)
    let isTaken =
      try (!local.isAlive || isReclaimed || mayTake(local, known: known, copy))
      && !(local.isAlive && isHeld(parentID))
    guard isTaken else {
      try hold(local, of: copy, parentID: parentID, reason: "it lives elsewhere")
      return nil
    }
    if var known, !known.isHeld, known.tag == copy.tag {
      known.pass = pass
      try staleCopies.save(known, ofRecord: id)
      report.known.insert(copy.name)
      return nil
    }
    // Who never had it alive has no say about when it died.
    let isUnconfirmed = !local.isAlive && local.life == .zero
    try placement.move(
      isUnconfirmed || isReclaimed ? local.withoutClocks : local, id: id, to: zoneID)
    try holdWhatIsLeft(ofRecord: id, in: local.zoneID)
    return try store.record(id: id) ?? local
  }

  /// Whether another device of this account has a record in a zone of its own that is known here in
  /// one that can only be read: they met while it was decided who may do what there.
  ///
  /// The account's devices agree on their own zone.
  private func isReclaimed(_ local: RecordMetadata, by copy: ServerCopy) throws -> Bool {
    guard copy.isAuthentic, try ZoneShare(of: local.zoneID, in: db)?.access == .read else {
      return false
    }
    let zone = try ZoneShare(of: zoneID, in: db)
    return zone?.access == .owner && copy.author == zone?.zone.owner
  }

  /// A version in a zone that can only be read is nothing to delete, nor to go back to: somebody
  /// else moved the record.
  private func holdWhatIsLeft(ofRecord id: Int64, in zoneID: Int64) throws {
    guard try ZoneShare(of: zoneID, in: db)?.access == .read,
      var left = try staleCopies.version(ofRecord: id, in: zoneID)
    else { return }
    left.isHeld = true
    try staleCopies.save(left, ofRecord: id)
  }

  /// Whether the author of a copy has a say about a record that lives in another zone.
  ///
  /// Who merely knows the name of a record can put one of that name into a zone of his. It is not
  /// pulled there: that can only who may write where it lives, or where it lived until it left, and
  /// not who says to be somebody who may. What came from the copy's zone may have been edited by
  /// those who have not heard of the move.
  private func mayTake(
    _ local: RecordMetadata, known: StaleCopies.Version?, _ copy: ServerCopy
  ) throws -> Bool {
    if let known, !known.isHeld { return true }
    // On its way it is still where the cloud has it.
    let place =
      try local.tag == nil ? local.id.flatMap(staleCopies.anyVersion(ofRecord:))?.zoneID : nil
    let home = try ZoneShare(of: place ?? local.lastZoneID, in: db)
    guard copy.isAuthentic else { return home == nil }
    if local.isNowhere, takesMovedAway { return true }
    guard let home else { return true }
    return copy.author == home.zone.owner
      || home.shareInCloud?.permission(of: copy.author) == .write
  }

  /// Whether the zone has a version of a record that is held: what hangs on it is not taken along
  /// before it.
  func isHeld(_ recordID: Int64?) throws -> Bool {
    try recordID.flatMap { try staleCopies.version(ofRecord: $0, in: zoneID) }?.isHeld ?? false
  }

  /// Moves a record to where its row belongs, once it is merged.
  ///
  /// What others put into a zone of theirs without a parent is not taken away from them.
  func rehome(_ change: RowChange, id: Int64, written: Set<String>) throws {
    guard try Placement.isNeeded(in: db), let record = try store.record(id: id),
      change.wasElsewhere || change.pending != nil || record.parentID != nil,
      try !isHeld(record.parentID),
      let home = try placement.home(of: record, table: change.table), home != record.zoneID,
      try placement.mayMove(from: record.zoneID, to: home)
    else { return }
    let there = try staleCopies.version(ofRecord: id, in: home)
    guard try placement.place(record, id: id, table: change.table) else { return }
    // Its home has all of it already.
    if there != nil, written.isEmpty, change.pending == nil, record.hasImage(of: change.local) {
      try store.outbox.set(nil, id: id, tableID: change.table.id, now: now)
    }
  }

  /// Applies the deletion of a version of a record that lives in another zone.
  ///
  /// A later deletion by somebody who did not know of the move deletes the record.
  mutating func applyElsewhere(
    _ tombstone: Tombstone, of copy: ServerCopy, to local: RecordMetadata, table: TableSchema
  ) throws {
    guard let id = local.id else { return }
    let known = try staleCopies.version(ofRecord: id, in: zoneID)
    try staleCopies.forget(recordID: id, in: zoneID)
    guard tombstone.clock > StaleCopies.clock,
      try mayTake(local, known: known, copy)
    else { return }
    var record = local
    record.death = max(record.death ?? .zero, tombstone.clock)
    guard let death = record.death, !record.isAlive,
      try RowStore(db: db, table: table).exists(key: record.key)
    else {
      try store.save(record)
      return
    }
    try bury(record, id: id, death: death, table: table, by: copy)
  }

  /// The record moved away from this zone, and it is not known yet where to.
  func noteMovedAway(_ local: RecordMetadata) throws {
    var record = local
    if let id = local.id { try staleCopies.forget(recordID: id, in: local.zoneID) }
    record.move(to: SyncZone.nowhere(from: zoneID), over: nil)
    try store.save(record)
  }
}
