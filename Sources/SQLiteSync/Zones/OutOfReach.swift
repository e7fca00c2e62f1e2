import GRDB
import SQLiteSyncCloud

/// Rows that this account cannot see any more: of a zone that is not shared with it any more, or
/// moved to a place that is not. They go into the history; nothing is deleted in the cloud.
extension Applier {
  /// Removes the rows that moved away and have not turned up in any other zone.
  mutating func removeMovedAway() throws {
    for zoneID in try store.nowheres() {
      let ids = try store.ids(inZone: zoneID)
      try removeRows(ofZone: zoneID)
      // Where a version of it is that does not belong there, another version of the app knows why.
      for id in ids { try StaleCopies(db: db).wait(recordID: id, since: now) }
    }
  }

  /// Removes the rows of a zone, which is done with.
  mutating func removeRows(ofZone zoneID: Int64) throws {
    try DeviceState(db: db).muted {
      try StaleCopies(db: db).forgetAll(in: zoneID)
      for table in tables.tables.reversed() {
        var seen: Set<RowName> = []
        for id in try store.ids(inZone: zoneID, table: table.id) {
          guard let record = try store.record(id: id) else { continue }
          try letGo(record, id: id, table: table, seen: &seen)
        }
      }
      // Those of tables that this version does not have.
      for id in try store.ids(inZone: zoneID) { try store.forget(id: id) }
    }
  }

  /// Removes a row with what depends on it.
  ///
  /// One that a constraint of this device refuses to let go stays until it can go; whoever edits it
  /// makes it a row of this account's own.
  mutating func letGo(
    _ record: RecordMetadata, id: Int64, table: TableSchema, seen: inout Set<RowName>
  ) throws {
    var gone = seen
    let refusal = try refusal(canWait: false) { applier in
      try applier.removeOutOfReach(record, id: id, table: table, seen: &gone)
    }
    guard let refusal else {
      seen = gone
      return
    }
    var rest = record.withoutClocks
    rest.move(to: SyncZone.defaultID, over: nil)
    try keepUndeletable(rest, table: table, error: refusal)
  }

  /// What depends on the row in the same zone goes with it.
  private mutating func removeOutOfReach(
    _ record: RecordMetadata, id: Int64, table: TableSchema, seen: inout Set<RowName>
  ) throws {
    guard seen.insert(RowName(table, record.key)).inserted else { return }
    guard try RowStore(db: db, table: table).exists(key: record.key) else {
      try forget(record, id: id, death: record.deathOrLatest, table: table)
      return
    }
    for (child, _, key) in try rowsBelow(table, key: record.key) {
      guard let below = try store.record(tableID: child.id, key: key), let id = below.id,
        below.zoneID == record.zoneID || below.isNowhere && record.isNowhere
      else { continue }
      try removeOutOfReach(below, id: id, table: child, seen: &seen)
    }
    try noteWithdrawn(record, id: id, table: table)
    let death = try removeRowAlone(record, table: table)
    try forget(record, id: id, death: death, table: table)
  }

  /// Notes that nobody takes the unsent edits of a row any more, if it has any.
  mutating func noteWithdrawn(_ record: RecordMetadata, id: Int64, table: TableSchema) throws {
    guard try store.outbox.change(of: id)?.kind == .save, !table.isEngines else { return }
    report.withdrawn.append(
      ApplyReport.Item(type: table.name, name: table.recordName(of: record.key)))
  }

  /// Forgets a record that the cloud does not have where it lived.
  ///
  /// If it had not left its place before, it is deleted there.
  func forget(
    _ record: RecordMetadata, id: Int64, death: FieldClock, table: TableSchema
  ) throws {
    guard let rest = try StaleCopies(db: db).movedBack(record) else {
      try store.forget(id: id)
      return
    }
    try storeDead(rest, death: death, table: table)
  }

  /// Removes a row; to what depends on it in other zones happens what the foreign keys say.
  @discardableResult
  mutating func removeRowAlone(
    _ record: RecordMetadata, table: TableSchema
  ) throws -> FieldClock {
    let latest = max(record.latest, try latestBelow(table: table, key: record.key))
    let death = clock(after: latest)
    let copy = try deletion(of: record, in: table, at: death, fromZone: record.zoneID)
    try removeRow(table: table, key: record.key, local: record, death: death, by: copy)
    return death
  }
}

extension RecordMetadata {
  /// When a record that has no row any more died: nobody may know when, but it was after what is
  /// known of it.
  var deathOrLatest: FieldClock { max(latest, death ?? .zero) }
}
