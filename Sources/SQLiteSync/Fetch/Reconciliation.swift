import GRDB
import SQLiteSyncCloud

/// The end of a full fetch: what becomes of records that the cloud had and does not mention.
///
/// After an expired token they were deleted elsewhere, so long ago that no tombstone is left. Their
/// rows go into the history, unless an edit is unsent, or something that stays depends on them,
/// also in a table that is only here: then they are made anew. A rebuilt log has lost them: they
/// are sent again.
extension Applier {
  /// Deals with up to `limit` records, children first.
  ///
  /// Returns whether none is left.
  mutating func reconcile(_ fetch: FullFetch, limit: Int) throws -> Bool {
    try DeviceState(db: db).muted {
      try StaleCopies(db: db).forgetUnmentioned(in: zoneID, pass: pass)
      let ids = try unmentioned(limit: limit)
      for id in ids {
        // It may have gone with its parent meanwhile.
        guard let record = try store.record(id: id), record.tag != nil else { continue }
        try reconcile(record, id: id, fetch)
      }
      return ids.count < limit
    }
  }

  private func unmentioned(limit: Int) throws -> [Int64] {
    var ids: [Int64] = []
    for table in tables.tables.reversed() where ids.count < limit {
      ids += try store.unmentioned(
        inZone: zoneID, table: table.id, pass: pass, limit: limit - ids.count)
    }
    guard ids.count < limit else { return ids }
    // Those of tables that this version does not have. The others are among `ids` already.
    let rest = try store.unmentioned(inZone: zoneID, pass: pass, limit: limit)
    let known = Set(ids)
    return ids + rest.filter { !known.contains($0) }.prefix(limit - ids.count)
  }

  private mutating func reconcile(
    _ record: RecordMetadata, id: Int64, _ fetch: FullFetch
  ) throws {
    let table = tables[id: record.tableID]
    if table == nil, try store.outbox.change(of: id)?.kind == .save,
      let image = try quarantine.version(of: id)
    {
      try makeAnew(record, id: id, image: image, .unknownTable, fetch)
      return
    }
    if let table, try !RowStore(db: db, table: table).exists(key: record.key),
      let kept = try quarantine.setAside(id),
      try fetch == .rebuilt && record.isAlive || store.outbox.change(of: id)?.kind == .save
    {
      try makeAnew(record, id: id, image: kept.image, kept.reason, needs: kept.needs, fetch)
      return
    }
    // The version that waits here is no longer the cloud's.
    try quarantine.remove(id)
    guard let table, try RowStore(db: db, table: table).exists(key: record.key) else {
      try leave(record, id: id, table: table)
      return
    }
    var seen: Set = [RowName(table, record.key)]
    if fetch == .rebuilt, record.isAlive {
      try makeAnew(record, id: id)
      return
    }
    let remains =
      try fetch == .rebuilt || stays(record, table: table, seen: &seen)
      || refusal(of: { try $0.removeWithRowsBelow(record, table: table) }) != nil
    if remains { try makeAnew(revived(record, columns: table.columns.map(\.name)), id: id) }
  }

  /// There is no row: nothing is left to be deleted in the cloud.
  private func leave(_ record: RecordMetadata, id: Int64, table: TableSchema?) throws {
    guard let table else {
      try store.forget(id: id)
      return
    }
    try remember(record, id: id, death: record.deathOrLatest, table: table)
  }

  /// Remembers a record that the cloud does not have as one that was deleted.
  ///
  /// A log may get it again, from a device that has not heard of its deletion, or of its last
  /// edits: these are later all the same.
  private func remember(
    _ record: RecordMetadata, id: Int64, death: FieldClock, table: TableSchema
  ) throws {
    try KnownAssets(db: db).forget(recordID: id)
    try storeDead(unknownToCloud(record), death: death, table: table)
  }

  /// The row stays, and the cloud gets it as a new record.
  private func makeAnew(_ record: RecordMetadata, id: Int64) throws {
    try store.save(unknownToCloud(record))
    try store.outbox.set(
      PendingChange(kind: .save, fields: nil), id: id, tableID: record.tableID, now: now)
  }

  /// What is unsent of a table that was taken out, or lost its row to another: there is an image
  /// instead of a row.
  private func makeAnew(
    _ record: RecordMetadata, id: Int64, image: CloudRecord,
    _ reason: Quarantine.Reason, needs: String? = nil, _ fetch: FullFetch
  ) throws {
    let columns = try SchemaRegistry.columns(ofTable: record.tableID, in: db)
    let anew = fetch == .rebuilt ? record : revived(record, columns: columns)
    var image = image
    image.life = anew.life
    try quarantine.keep(id, image, reason: reason, needs: needs, now: now)
    try makeAnew(anew, id: id)
  }

  /// A record with a life from now on, and fields as old as they are.
  ///
  /// So it stays also where its deletion is remembered, whichever came first.
  private func revived(_ record: RecordMetadata, columns: [String]) -> RecordMetadata {
    // A row that could not be deleted has a record that is dead.
    let latest = max(record.latest, record.death ?? .zero)
    return record.living(since: clock(after: latest), columns: columns)
  }

  private func unknownToCloud(_ record: RecordMetadata) -> RecordMetadata {
    var record = record
    record.tag = nil
    record.isTombstone = false
    record.parentID = nil
    return record
  }

  /// Whether a row has an edit that the cloud does not have, or one below it stays.
  private func stays(
    _ record: RecordMetadata, table: TableSchema, seen: inout Set<RowName>
  ) throws -> Bool {
    // What lives in another zone keeps nothing alive in this one.
    guard record.zoneID == zoneID else { return false }
    guard let id = record.id, record.tag != nil, record.pass != pass,
      try store.outbox.change(of: id) == nil
    else { return true }
    for (child, _, key) in try rowsBelow(table, key: record.key)
    where seen.insert(RowName(child, key)).inserted {
      guard let below = try store.record(tableID: child.id, key: key),
        try !stays(below, table: child, seen: &seen)
      else { return true }
    }
    return false
  }

  /// Nothing below the row stays either, whatever the foreign keys say.
  private mutating func removeWithRowsBelow(
    _ record: RecordMetadata, table: TableSchema
  ) throws {
    guard let id = record.id, let tag = record.tag,
      removal.dying.insert(RowName(table, record.key)).inserted
    else { return }
    let name = table.recordName(of: record.key)
    // When it was deleted nobody knows any more; it was after what this device has seen.
    let copy = try deletion(
      of: record, in: table, at: record.latest, fromZone: zoneID, tag: tag)
    try keepDying(
      table: table, key: record.key, clock: record.latest,
      winner: FieldClock(milliseconds: now, device: 0), by: copy, isWhole: true)
    for (child, _, key) in try rowsBelow(table, key: record.key) {
      guard let below = try store.record(tableID: child.id, key: key) else { continue }
      if below.zoneID == zoneID {
        try removeWithRowsBelow(below, table: child)
      } else {
        let death = clock(after: below.latest)
        try cascade(to: child, key: key, below: id, death: death, by: copy)
      }
    }
    try RowStore(db: db, table: table).delete(key: record.key)
    try release(losersTo: record, of: table)
    try remember(record, id: id, death: record.latest, table: table)
    report.deleted.append(ApplyReport.Item(type: table.name, name: name))
  }
}
