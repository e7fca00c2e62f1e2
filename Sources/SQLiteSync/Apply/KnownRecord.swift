import GRDB
import SQLiteSyncCloud

/// What is known here of a record of which a version was fetched: all that `Decision` and
/// `Deletion` ask.
struct KnownRecord {
  /// Its table; nil for one that this version of the app does not have.
  let table: TableSchema?
  /// What was known before; new when that is nothing.
  var metadata: RecordMetadata
  /// Whether there is a row of its key.
  var isRowThere = false
  /// What of it is unsent.
  var pending: PendingChange?
  /// The full fetch of the version's zone that is under way, or the last one.
  var pass: Int64 = 0
  /// Whether the version belongs in its zone.
  var belonging = Belonging.here
  /// The number of the record that the version depends on.
  var parentID: Int64?
  /// Whether this device made the version.
  var isOwn = false
  /// Set when the record lives in another zone than the version.
  var elsewhere: Elsewhere?
  /// Whether it is on its way from another zone to the version's, in which the cloud may have an
  /// older one.
  var isArriving = false
  /// The latest edit of the rows below its row, for a deletion.
  var latestBelow = FieldClock.zero
  /// The columns of a table that this version does not have.
  var columns: [String] = []
  /// The version of a record without a row that is kept with unsent edits in it: of such a table,
  /// or of a row that was set aside.
  var kept: CloudRecord?

  /// Whether there is a row of the record.
  var hasRow: Bool { metadata.id != nil && isRowThere }

  /// Whether it was set aside with an edit that the cloud lacks.
  var isSetAsideUnsent: Bool { table != nil && kept != nil && pending?.kind == .save && !hasRow }

  /// A fetched version with the later edits of a row that was set aside, and those of them that the
  /// cloud lacks still.
  func addingSetAside(
    to record: CloudRecord, of copy: ServerCopy
  ) -> (record: CloudRecord, copy: ServerCopy, unsent: PendingChange?) {
    guard isSetAsideUnsent, let kept else { return (record, copy, nil) }
    let later = kept.fields.filter { $1.clock > record.fields[$0]?.clock ?? .zero }
    var merged = record
    merged.life = max(record.life, kept.life)
    merged.fields.merge(later) { $1 }
    guard merged != record else { return (record, copy, nil) }
    return (
      merged,
      ServerCopy(
        content: .record(merged), tag: copy.tag, author: copy.author, device: copy.device,
        isAuthentic: copy.isAuthentic),
      PendingChange(kind: .save, fields: Set(later.keys))
    )
  }
}

/// What is known of the zones of a record that lives in another one than a fetched version.
struct Elsewhere {
  /// What the version's zone has of the record.
  var version: StaleCopies.Version?
  /// The version's zone.
  var zone: ZoneShare?
  /// The zone in which the cloud has it: another one while it is on its way.
  var home: ZoneShare?
  /// Whether the version depends on one that is held.
  var isParentHeld = false
  /// Whether the version depends on one that was left behind by the record on which this one
  /// depends where it lives.
  var isParentLeft = false
  /// Whether the record was deleted here with the one on which the version depends, which lives
  /// again: somebody edited or moved that later.
  var isParentBack = false
  /// Whether the record is on its way from the version's zone, and the cloud has it nowhere else as
  /// far as this device knows.
  var isLeaving = false
  /// Whether this device put the version there: the record came by on its way, and that was not
  /// known here because the answer was lost.
  var isOwn = false
  /// See `Applier.takesMovedAway`.
  var takesMovedAway = false

  /// Whether another device of this account has a record in a zone of its own that is known here in
  /// one that can only be read: they met while it was decided who may do what there.
  ///
  /// The account's devices agree on their own zone.
  func isReclaimed(by copy: ServerCopy) -> Bool {
    copy.isAuthentic && home?.access == .read && zone?.access == .owner
      && copy.author == zone?.zone.owner
  }

  /// Whether another device of this account has made a record in a zone of its own, and what is
  /// known here in a zone that others write to has nothing of it but the name.
  ///
  /// A person who knows or guesses the name of a row can put one of that name into a zone of his
  /// own before all of the account's devices have heard of the row. Not one edit of the two is the
  /// same: where a row moved, it has the clock of its life, or of a field that was not edited
  /// since.
  func isNamesake(_ record: RecordMetadata, _ copy: ServerCopy) -> Bool {
    guard record.isAlive, copy.isAuthentic, version?.isHeld != false,
      zone?.access == .owner, copy.author == zone?.zone.owner,
      home?.zone != zone?.zone, home?.zoneID != SyncZone.defaultID,
      case .record(let image) = copy.content
    else { return false }
    return record.life != image.life
      && !image.fields.contains { $0.value.clock == record.clock(of: $0.key) }
  }

  /// Whether a record was deleted in this account's own zones, and the version is in one of others
  /// that it did not come from.
  ///
  /// As when somebody has brought back a row of others as one's own: the deletion says nothing of
  /// theirs.
  func isOnlyNamesake(of record: RecordMetadata) -> Bool {
    record.isTombstone && !record.isAlive && version?.isHeld != false
      && home?.access == .owner && zone?.access != .owner
  }

  /// Whether the author of a copy has a say about a record that lives in another zone.
  ///
  /// A person who merely knows the name of a record can put one of that name into a zone of his
  /// own. That does not move it: only accounts that may write where it lives, or where it lived
  /// until it left, can move it, and only in commits that are authentic. What came from the copy's
  /// zone may have been edited by those who have not heard of the move, and so may what depends on
  /// it there.
  func mayTake(_ record: RecordMetadata, _ copy: ServerCopy) -> Bool {
    if let version, !version.isHeld { return true }
    guard copy.isAuthentic else { return home == nil }
    if record.isNowhere, takesMovedAway { return true }
    if isParentLeft || isOwn { return true }
    guard let home else { return true }
    return copy.author == home.zone.owner
      || home.lastShare?.permission(of: copy.author) == .write
  }
}

extension Applier {
  /// What is known of a record, given a version that is not a deletion.
  func known(
    _ record: CloudRecord, of copy: ServerCopy, name: RecordName, table: TableSchema?,
    belonging: Belonging
  ) throws -> KnownRecord {
    let tableID = try table?.id ?? SchemaRegistry.tableID(name.table, in: db)
    // First, because a record may be its own parent.
    let parentID = try parentID(of: record)
    var known = try known(name, tableID: tableID, table: table, of: copy)
    known.belonging = belonging
    known.parentID = parentID
    known.elsewhere?.isParentHeld = try isHeld(parentID)
    known.elsewhere?.isParentLeft = try parentID == known.metadata.parentID && isLeft(parentID)
    known.elsewhere?.isParentBack = try isBack(parentID, with: known.metadata)
    if let table, known.metadata.id != nil || belonging.objection != nil {
      known.isRowThere = try RowStore(db: db, table: table).exists(key: name.key)
    }
    known.kept = try known.kept ?? setAside(known)
    if table == nil { known.columns = try SchemaRegistry.columns(ofTable: tableID, in: db) }
    return known
  }

  private func isBack(_ parentID: Int64?, with record: RecordMetadata) throws -> Bool {
    guard !record.isAlive, let death = record.death,
      let parent = try parentID.flatMap(store.record), parent.isAlive, let before = parent.death
    else { return false }
    return death == before || death.isOrphans && death < before
  }

  /// What is known of a record, given its deletion.
  func known(
    _ tombstone: Tombstone, of copy: ServerCopy, name: RecordName, table: TableSchema?
  ) throws -> KnownRecord {
    let tableID = try table?.id ?? SchemaRegistry.tableID(name.table, in: db)
    var known = try known(name, tableID: tableID, table: table, of: copy)
    guard let table else { return known }
    if known.elsewhere?.version == nil, known.metadata.isMention {
      // Where it was thought to be says nothing.
      known.elsewhere = nil
      known.metadata.zoneID = zoneID
    }
    if known.elsewhere == nil, known.metadata.tag == nil, try !canBelong(tombstone, in: table) {
      known.belonging = .never(reason: "nothing of its kind is in this zone")
      return known
    }
    guard let id = known.metadata.id else { return known }
    known.isRowThere = try RowStore(db: db, table: table).exists(key: name.key)
    known.isArriving =
      try known.elsewhere == nil && known.pending?.kind == .save
      && !StaleCopies(db: db).versions(ofRecord: id).isEmpty
    // Where it may only be read, whoever may write brings the row back.
    if known.isRowThere, try !isReadOnly(known.metadata) {
      known.latestBelow = try latestBelow(table: table, key: name.key)
    }
    known.kept = try setAside(known)
    return known
  }

  /// What is kept of a row that was set aside with unsent edits.
  private func setAside(_ known: KnownRecord) throws -> CloudRecord? {
    guard let id = known.metadata.id, !known.isRowThere, known.pending?.kind == .save else {
      return nil
    }
    return try quarantine.setAside(id)?.image
  }

  private func known(
    _ name: RecordName, tableID: Int64, table: TableSchema?, of copy: ServerCopy
  ) throws -> KnownRecord {
    let metadata =
      try store.record(tableID: tableID, key: name.key)
      ?? RecordMetadata(tableID: tableID, key: name.key, zoneID: zoneID, life: .zero)
    var known = KnownRecord(table: table, metadata: metadata, pass: pass, isOwn: isOwn(copy))
    guard let id = metadata.id else { return known }
    known.pending = try store.outbox.change(of: id)
    if table == nil, known.pending != nil { known.kept = try quarantine.version(of: id) }
    guard metadata.zoneID != zoneID else { return known }
    let staleCopies = StaleCopies(db: db)
    // On its way it is still where the cloud has it.
    let former = try metadata.tag == nil ? staleCopies.versions(ofRecord: id).map(\.zoneID) : []
    known.elsewhere = Elsewhere(
      version: try staleCopies.version(ofRecord: id, in: zoneID),
      zone: try ZoneShare(of: zoneID, in: db),
      home: try ZoneShare(of: former.first ?? metadata.lastZoneID, in: db),
      isLeaving: former == [zoneID],
      isOwn: known.isOwn, takesMovedAway: takesMovedAway)
    return known
  }
}
