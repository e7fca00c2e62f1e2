import GRDB
import SQLiteSyncCloud

/// What was edited in a row before it was deleted, when a later edit brings it back.
///
/// Whoever brings it back sends it as they knew it. Of the fields that others had edited in between
/// they may never hear: the cloud has nothing but the deletion. So each device that had the row
/// takes the later fields from its history, and sends them.
extension Applier {
  /// Takes up the fields that are later in a row as it was deleted here than in the version that
  /// brought it back; a value that a constraint refuses stays in the history.
  ///
  /// - Parameters:
  ///   - dead: What was known of the record before.
  ///   - record: The version.
  mutating func takeUpFormerEdits(of dead: RecordMetadata, in record: CloudRecord) throws {
    guard let id = dead.id, let table = tables[id: dead.tableID], dead.death != nil, !dead.isAlive,
      let living = try store.record(id: id), living.isAlive, living.zoneID == dead.zoneID,
      case let later = Self.fields(of: table, laterIn: dead, than: record), !later.isEmpty,
      try !isReadOnly(living)
    else { return }
    let rows = RowStore(db: db, table: table)
    guard let former = try History(db: db, now: now).lastImage(of: table, in: dead),
      try rows.exists(key: dead.key)
    else { return }
    let values = try rows.values(ofKey: dead.key) ?? [:]
    var taken: [String: FieldClock] = [:]
    for column in later {
      guard let value = former.values[column], try stays(value, in: column, of: table, dead.zoneID),
        try writes(value, in: column, of: rows, key: dead.key)
      else { continue }
      taken[column] = dead.clock(of: column)
      guard let lost = values[column], !lost.isSameBytes(as: value) else { continue }
      try History(db: db, now: now).add(
        .init(
          field: column, value: lost, clock: living.clock(of: column), winner: value,
          winnerClock: dead.clock(of: column)),
        tableID: table.id, key: dead.key, winner: nil)
    }
    try send(taken, of: id)
  }

  /// The columns with a later clock in a record than in a version.
  ///
  /// Not those that are merged otherwise, nor those that the version does not name: who made the
  /// row anew without knowing a column has nothing in it.
  private static func fields(
    of table: TableSchema, laterIn record: RecordMetadata, than version: CloudRecord
  ) -> [String] {
    table.columns.map(\.name).filter { name in
      guard name != table.key, table.mergePolicies[name] == nil,
        let theirs = version.fields[name]
      else { return false }
      return record.clock(of: name) > theirs.clock
    }
  }

  /// Whether a value leaves its row in a zone.
  private func stays(
    _ value: DatabaseValue, in column: String, of table: TableSchema, _ zoneID: Int64
  ) throws -> Bool {
    guard let foreignKey = table.foreignKeys.first(where: { $0.column == column }),
      let parent = tables[foreignKey.table], let key = String.fromDatabaseValue(value)
    else { return true }
    return try store.record(tableID: parent.id, key: parent.foldedKey(key))?.zoneID == zoneID
  }

  /// Writes a value; returns whether no constraint refuses it.
  private func writes(
    _ value: DatabaseValue, in column: String, of rows: RowStore, key: String
  ) throws -> Bool {
    do {
      try db.inSavepoint {
        try db.closingReferences { try rows.update(key: key, [column: value]) }
        return .commit
      }
      return true
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      return false
    }
  }

  private func send(_ fields: [String: FieldClock], of id: Int64) throws {
    guard !fields.isEmpty, var record = try store.record(id: id) else { return }
    for (name, clock) in fields { record.setClock(clock, of: name) }
    try store.save(record)
    try store.outbox.add(Set(fields.keys), of: id, tableID: record.tableID, now: now)
  }

  /// Keeps what a version says that comes too late, with the row as it was deleted here: if that is
  /// brought back, it has this, too.
  func keepLate(_ change: RowChange) throws {
    let isLater = change.record.fields.contains { name, field in
      change.merge.written.contains(name) && field.clock > change.local.clock(of: name)
    }
    let history = History(db: db, now: now)
    guard isLater, let former = try history.lastImage(of: change.table, in: change.local)
    else { return }
    try history.amend(
      former.id, of: change.table, values(of: change), clock: change.merge.record.latest)
  }
}
