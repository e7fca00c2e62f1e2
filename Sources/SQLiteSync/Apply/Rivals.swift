import GRDB
import SQLiteSyncCloud

/// Rows that have the same values where a UNIQUE index lets only one row have them.
///
/// The cloud has all of them. Which are here follows from the records alone, so that it is the same
/// on every device, whoever fetches or sends first: in the order of their ranks, each row is here
/// if its parents are, and if no row before it has its values. The others wait in the quarantine,
/// whole and with what is unsent of them, and what depends on them waits for them.
extension Applier {
  /// What decides which of two rows is here.
  private struct Rank: Comparable {
    /// What the account has itself is before what others share with it: nobody else takes it away.
    let isOfOthers: Bool
    /// Then the row that was made first; no row before one that it depends on in its own table.
    let life: FieldClock
    let ancestors: Int
    let name: String

    static func < (one: Rank, other: Rank) -> Bool {
      guard one.isOfOthers == other.isOfOthers else { return other.isOfOthers }
      return (one.life, one.ancestors, one.name) < (other.life, other.ancestors, other.name)
    }
  }

  /// What came of a row's contest with those that have its values.
  private enum Contest {
    case won(written: [String: DatabaseValue])
    case lost(to: String)
  }

  /// Writes the fields that win, and sets aside what they are in the way of; or sets the row itself
  /// aside, or has it wait: then returns nil.
  mutating func writeAgainstRivals(_ change: RowChange) throws -> [String: DatabaseValue]? {
    do {
      return try put(change)
    } catch let error as DatabaseError
      where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE && change.table.isUnique
    {
      guard rivals.mode != .deferring || change.wasElsewhere else {
        rivals.versions.append((change.record, change.copy))
        return nil
      }
      // A row that cannot be here is in nobody's way.
      guard try !lacksParent(change) else {
        try resolveMissingParent(change, error: error)
        return nil
      }
      if rivals.mode == .ordering, let holder = try waitingHolder(of: change, after: error) {
        rivals.holder = holder
        return nil
      }
      switch try contend(change, after: error) {
      case .won(let written): return written
      case .lost(let winner):
        try lose(change, to: winner)
        return nil
      }
    }
  }

  /// Tries those again that lost to rows which are gone or have changed.
  mutating func settleRivals() throws {
    var ids = try quarantine.contenders()
    guard !ids.isEmpty else { return }
    let known = try Set(ids.compactMap(store.name(ofRecord:)))
    // Each round places at least the first of those that are left, for good.
    for _ in 0...ids.count where !ids.isEmpty {
      try DeviceState(db: db).muted { for id in ids { try retryQuarantined(id) } }
      ids = try quarantine.contenders()
    }
    report.quarantined.removeAll { known.contains($0.name) }
  }

  private func lacksParent(_ change: RowChange) throws -> Bool {
    try missingParents(of: change).contains {
      !change.hasRow || change.merge.written.contains($0.column)
    }
  }

  // MARK: - The contest

  /// Sets aside every row that is in the way and comes later in rank, or none of them if one comes
  /// earlier.
  private mutating func contend(
    _ change: RowChange, after error: DatabaseError
  ) throws -> Contest {
    let row = try intended(change)
    let rank = try rank(of: change.merge.record, in: change.table, row: row)
    return try reporting { applier in
      let db = applier.db
      var contest: Contest?
      var error = error
      try db.inSavepoint {
        while contest == nil {
          guard let rival = try applier.rival(of: change, row: row, after: error)?.record else {
            throw error
          }
          let rivalRow = try RowStore(db: db, table: change.table).values(ofKey: rival.key) ?? [:]
          let rivalRank = try applier.rank(of: rival, in: change.table, row: rivalRow)
          // Its latest version may wait for a row that is not here, perhaps for this one.
          let isWaiting = try rival.id.flatMap(applier.quarantine.missingParent) != nil
          guard isWaiting || rank < rivalRank else {
            contest = .lost(to: rivalRank.name)
            return .rollback
          }
          try applier.setAside(
            rival, of: change.table, for: isWaiting ? .missingParent : .duplicate,
            needs: rank.name)
          do {
            contest = .won(written: try applier.put(change))
          } catch let next as DatabaseError
            where next.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE
          {
            error = next
          }
        }
        return .commit
      }
      guard let contest else { throw error }
      if case .lost = contest { return (contest, isKept: false) }
      return (contest, isKept: true)
    }
  }

  /// A row as it would be.
  func intended(_ change: RowChange) throws -> [String: DatabaseValue] {
    let rows = RowStore(db: db, table: change.table)
    let old = change.hasRow ? try rows.values(ofKey: change.key) : nil
    var row = try values(of: change).merging(old ?? [:]) { new, _ in new }
    for column in change.table.columns where row[column.name] ?? .null == .null {
      guard let sql = column.defaultSQL, row[column.name] == nil || column.isNotNull else {
        continue
      }
      row[column.name] = try DatabaseValue.fetchOne(db, sql: "SELECT \(sql)")
    }
    return row
  }

  /// The living record of the row that has the values on which SQLite refused another; nil when
  /// that row is not synchronized.
  ///
  /// With the index in question.
  func rival(
    of change: RowChange, row: [String: DatabaseValue], after error: DatabaseError
  ) throws -> (record: RecordMetadata, index: TableSchema.UniqueIndex)? {
    let table = change.table
    for index in table.uniqueIndexes where error.message == index.message(in: table.name) {
      let conditions =
        index.columns.map { column in
          "\(column.name.quotedIdentifier) = ? COLLATE \(column.collation.quotedIdentifier)"
        } + ["\(table.key.quotedIdentifier) <> ?"] + (index.predicate.map { ["(\($0))"] } ?? [])
      let key = try String.fetchOne(
        db,
        sql: """
          SELECT \(table.key.quotedIdentifier) FROM \(table.name.quotedIdentifier)
          WHERE \(conditions.joined(separator: " AND "))
          """,
        arguments: StatementArguments(
          index.columns.map { row[$0.name] ?? .null } + [change.key.databaseValue]))
      guard let key else { continue }
      let record = try store.record(tableID: table.id, key: table.foldedKey(key))
      return record.flatMap { $0.isAlive ? ($0, index) : nil }
    }
    return nil
  }

  private func rank(
    of record: RecordMetadata, in table: TableSchema, row: [String: DatabaseValue]
  ) throws -> Rank {
    let columns = table.foreignKeys.filter { $0.table == table.name }.map(\.column)
    func parents(_ row: [String: DatabaseValue]) -> [String] {
      columns.compactMap { row[$0].flatMap(String.fromDatabaseValue) }.map(table.foldedKey)
    }
    var (life, isOfOthers) = (record.life, try self.isOfOthers(record))
    var seen: Set = [record.key]
    var next = parents(row)
    while let key = next.popLast() {
      guard seen.insert(key).inserted else { continue }
      if let above = try store.record(tableID: table.id, key: key) {
        life = max(life, above.life)
        isOfOthers = try isOfOthers || self.isOfOthers(above)
      }
      next += parents(try RowStore(db: db, table: table).values(ofKey: key) ?? [:])
    }
    return Rank(
      isOfOthers: isOfOthers, life: life, ancestors: seen.count - 1,
      name: table.recordName(of: record.key))
  }

  private func isOfOthers(_ record: RecordMetadata) throws -> Bool {
    guard record.lastZoneID != SyncZone.defaultID else { return false }
    return try Zones(db: db).access(to: record.lastZoneID).map { $0 != .owner } ?? false
  }

  // MARK: - What is set aside

  /// Keeps a version aside that lost to a row; its own row, which is of an earlier version, goes.
  private mutating func lose(_ change: RowChange, to winner: String) throws {
    var image = change.record
    try db.inSavepoint {
      if change.hasRow {
        let row = try RowStore(db: db, table: change.table).values(ofKey: change.key) ?? [:]
        let written = try values(of: change).filter { row[$0]?.isSameBytes(as: $1) != true }
        try noteOverwrittenValues(of: change, old: row, written: written)
        noteConflict(change, written: Set(written.keys))
        image = try self.image(of: change.local, in: change.table, row: row)
        image.life = change.merge.record.life
        for field in change.merge.written { image.fields[field] = change.record.fields[field] }
        image.fields.merge(change.merge.record.unknown?.fields ?? [:]) { $1 }
        try removeAside(change.local, of: change.table)
      }
      image.parent = try parent(of: image, in: change.table, change.merge.record)
      let id = try store.save(change.merge.record)
      try store.outbox.set(change.merge.pending, id: id, tableID: change.table.id, now: now)
      try quarantine.keep(id, image, reason: .duplicate, needs: winner, now: now)
      return .commit
    }
    noteLost(change.record.name, to: winner)
  }

  private mutating func noteLost(_ name: String, to winner: String?) {
    report.quarantined.append(
      (name, "\(winner ?? "Another row") has the same values and was made first."))
  }

  /// Sets a row aside that lives on with another value in its foreign key, and cannot be beside a
  /// row that is there already.
  mutating func setAside(
    _ record: RecordMetadata, of table: TableSchema, with field: CloudField, in column: String
  ) throws {
    try setAside(record, of: table, for: .duplicate, needs: nil)
    guard let id = record.id, var image = try quarantine.setAside(id)?.image else { return }
    image.fields[column] = field
    image.parent = try parent(of: image, in: table, record)
    try quarantine.keepSetAside(id, image, reason: .duplicate, needs: nil, now: now)
  }

  /// Takes a row out of its table, with those that refer to it; the quarantine keeps them whole.
  mutating func setAside(
    _ record: RecordMetadata, of table: TableSchema, for reason: Quarantine.Reason,
    needs: String?
  ) throws {
    guard let id = record.id,
      let row = try RowStore(db: db, table: table).values(ofKey: record.key)
    else { return }
    var image = try self.image(of: record, in: table, row: row)
    // A version that waits already is newer where its clocks are.
    if let version = try quarantine.version(of: id) {
      image.life = max(image.life, version.life)
      image.fields.merge(version.fields) { $1.clock > $0.clock ? $1 : $0 }
    }
    image.parent = try parent(of: image, in: table, record)
    // By that it may depend on another row than the one that goes.
    let waited = try reason == .missingParent ? quarantine.missingParent(of: id) : nil
    let needs = waited?.description ?? needs
    try quarantine.keepSetAside(id, image, reason: reason, needs: needs, now: now)
    let name = table.recordName(of: record.key)
    if reason == .missingParent {
      report.waiting.append((name, needs ?? ""))
    } else {
      noteLost(name, to: needs)
    }
    try removeAside(record, of: table)
  }

  private func parent(
    of image: CloudRecord, in table: TableSchema, _ record: RecordMetadata
  ) throws -> String? {
    try EarlierParent(db: db, tables: tables).inLog(of: record, in: table) { column in
      image.fields[column].map { DatabaseValue($0.value) }
    }
  }

  /// Deletes a row that is kept, after those that refer to it.
  private mutating func removeAside(_ record: RecordMetadata, of table: TableSchema) throws {
    // None when it is below itself.
    guard removal.dying.insert(RowName(table, record.key)).inserted else { return }
    defer { removal.dying.remove(RowName(table, record.key)) }
    let name = table.recordName(of: record.key)
    for (child, _, key) in try rowsBelow(table, key: record.key) {
      guard let below = try store.record(tableID: child.id, key: key), below.isAlive else {
        continue
      }
      try setAside(below, of: child, for: .missingParent, needs: name)
    }
    try RowStore(db: db, table: table).delete(key: record.key)
    try release(losersTo: record, of: table)
  }

  /// Has those try again that lost to a row which is gone or has other values now.
  func release(losersTo record: RecordMetadata, of table: TableSchema) throws {
    guard table.isUnique else { return }
    try quarantine.release(losersTo: table.recordName(of: record.key))
  }

  /// A row as the cloud would have it; the bytes of its assets are kept.
  private func image(
    of record: RecordMetadata, in table: TableSchema, row: [String: DatabaseValue]
  ) throws -> CloudRecord {
    var image = CloudRecord(
      name: table.recordName(of: record.key), type: table.name,
      parent: tables.parent(of: record.key, in: table) { row[$0] }, life: record.life,
      fields: record.unknown?.fields ?? [:])
    for (column, value) in row {
      let clock = record.clock(of: column)
      guard clock > .zero, let id = record.id else { continue }
      image.fields[column] = CloudField(
        try Forgetting.value(value, of: column, recordID: id, clock: clock, in: db), clock)
    }
    return image
  }
}
