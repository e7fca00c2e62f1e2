import GRDB
import SQLiteSyncCloud

/// What was edited in a row before it was deleted, when a later edit brings it back.
///
/// Whoever brings it back sends it as they knew it. Of the fields that others had edited in between
/// they may never hear: the cloud has nothing but the deletion. So each device that had the row
/// takes the later fields from its history, and sends them.
extension Applier {
  /// A value that a row had, and when it was written.
  private typealias Former = (value: DatabaseValue, clock: FieldClock)

  /// Takes up the fields that are later in a row as it was deleted here than in the version that
  /// brought it back; a value that a constraint refuses stays in the history, a reference until
  /// what it is to is here again.
  ///
  /// Where the version is no row yet, because it waits for another one, the history keeps them for
  /// when it is.
  ///
  /// - Parameters:
  ///   - known: What was known of the record before.
  ///   - record: The version.
  mutating func takeUpFormerEdits(of known: RecordMetadata, in record: CloudRecord) throws {
    guard let id = known.id, known.latest > .zero, let table = tables[id: known.tableID],
      var present = try store.record(id: id), present.zoneID == known.zoneID
    else { return }
    let unknown = present.takeUpUnknown(of: known, in: record, besides: table)
    let later = try formerEdits(of: table, in: known) { column in
      max(present.clock(of: column), record.clock(of: column))
    }
    guard !later.isEmpty || !unknown.isEmpty, try !isReadOnly(present) else { return }
    try store.save(present)
    let rows = RowStore(db: db, table: table)
    guard let values = try rows.values(ofKey: known.key) else {
      return try keep(later, than: record, of: table, known: known, present: present)
    }
    guard present.isAlive else { return }
    var taken: [String: FieldClock] = [:]
    for (column, former) in later.sorted(by: { $0.key < $1.key }) {
      guard try stays(former.value, in: column, of: table, known.zoneID) else { continue }
      let loss = History.Loss(
        field: column, value: values[column] ?? .null, clock: present.clock(of: column),
        winner: former.value, winnerClock: former.clock)
      if try take(loss, of: rows, key: known.key) {
        taken[column] = former.clock
      } else if table.foreignKeys.contains(where: { $0.column == column }) {
        try keep([column: former], than: record, of: table, known: known, present: present)
      }
    }
    try send(taken, and: unknown, of: present)
  }

  /// Takes up that rows were put below one that is here again: while it was not, the constraint
  /// refused that.
  func takeUpReferences(to change: RowChange) throws {
    guard !change.hasRow, change.local.latest > .zero else { return }
    let history = History(db: db, now: now)
    for (table, foreignKey) in tables.references(to: change.table.name) {
      let column = foreignKey.column
      let rows = RowStore(db: db, table: table)
      for key in try history.keysOfLaterLosses(in: column, tableID: table.id) {
        guard let record = try store.record(tableID: table.id, key: key), record.isAlive,
          let former = try history.laterLosses(of: record).first(where: { $0.field == column }),
          String.fromDatabaseValue(former.value).map(change.table.foldedKey) == change.key,
          try stays(former.value, in: column, of: table, record.zoneID),
          try !isReadOnly(record), let value = try rows.values(ofKey: key)?[column]
        else { continue }
        let loss = History.Loss(
          field: column, value: value, clock: record.clock(of: column), winner: former.value,
          winnerClock: former.clock)
        guard try take(loss, of: rows, key: key) else { continue }
        try send([column: former.clock], and: [], of: record)
      }
    }
  }

  /// What is left of the later edits of a row that was not there: of the row as it was deleted, and
  /// of what was kept when a version of it could not be one.
  ///
  /// Not of columns that are merged otherwise.
  private func formerEdits(
    of table: TableSchema, in record: RecordMetadata, laterThan clock: (String) -> FieldClock
  ) throws -> [String: Former] {
    let columns = table.columns.map(\.name).filter {
      $0 != table.key && table.mergePolicies[$0] == nil
    }
    let history = History(db: db, now: now)
    var edits: [String: Former] = [:]
    let later = columns.filter { record.clock(of: $0) > clock($0) }
    if record.death != nil, !record.isAlive, !later.isEmpty,
      let image = try history.lastImage(of: table, in: record)
    {
      for column in later {
        edits[column] = image.values[column].map { ($0, record.clock(of: column)) }
      }
    }
    for loss in try history.laterLosses(of: record)
    where columns.contains(loss.field) && loss.clock > edits[loss.field]?.clock ?? clock(loss.field)
    {
      edits[loss.field] = (loss.value, loss.clock)
    }
    return edits
  }

  /// Keeps what is later than the version of a row that is not there.
  private func keep(
    _ later: [String: Former], than version: CloudRecord, of table: TableSchema,
    known: RecordMetadata, present: RecordMetadata
  ) throws {
    let history = History(db: db, now: now)
    // From now on other clocks are known of the record than its image has.
    if let image = try history.lastImage(of: table, in: known) {
      try history.amend(image.id, of: table, [:], clock: known.latest)
    }
    let kept = try history.laterLosses(of: present)
    for (column, former) in later
    where !kept.contains(where: { $0.field == column && $0.clock >= former.clock }) {
      try history.add(
        .init(
          field: column, value: former.value, clock: former.clock,
          winner: version.fields[column].map { DatabaseValue($0.value) } ?? .null,
          winnerClock: present.clock(of: column)),
        tableID: table.id, key: known.key, winner: nil)
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

  /// Writes the value that wins, and keeps the other; returns whether no constraint refuses it.
  private func take(_ loss: History.Loss, of rows: RowStore, key: String) throws -> Bool {
    do {
      try db.inSavepoint {
        try db.closingReferences { try rows.update(key: key, [loss.field: loss.winner]) }
        return .commit
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      return false
    }
    if !loss.value.isSameBytes(as: loss.winner) {
      try History(db: db, now: now).add(loss, tableID: rows.table.id, key: key, winner: nil)
    }
    return true
  }

  private func send(
    _ fields: [String: FieldClock], and unknown: Set<String>, of record: RecordMetadata
  ) throws {
    guard !fields.isEmpty || !unknown.isEmpty else { return }
    var record = record
    for (name, clock) in fields { record.setClock(clock, of: name) }
    try store.outbox.add(
      unknown.union(fields.keys), of: store.save(record), tableID: record.tableID, now: now)
  }

  /// Keeps what a version says that comes too late, with the row as it was deleted here: if that is
  /// brought back, it has this, too.
  func keepLate(_ change: RowChange) throws {
    let isLater = change.record.fields.contains { name, field in
      change.merge.written.contains(name) && field.clock > change.local.clock(of: name)
    }
    if isLater { try amendImage(of: change) }
  }

  /// Puts what a version says into the image of the row as it was deleted here.
  func amendImage(of change: RowChange) throws {
    let history = History(db: db, now: now)
    guard let former = try history.lastImage(of: change.table, in: change.local) else { return }
    try history.amend(
      former.id, of: change.table, values(of: change), clock: change.merge.record.latest)
  }
}

extension CloudRecord {
  /// The clock of a field in a version that may bring a row back.
  ///
  /// Who made the row anew without knowing a field has nothing in it. That was no later than any
  /// edit that the version names.
  func clock(of field: String) -> FieldClock { fields[field]?.clock ?? earliestClock }

  /// The earliest edit that the version names.
  var earliestClock: FieldClock { fields.values.reduce(life) { min($0, $1.clock) } }
}

extension RecordMetadata {
  /// Takes up fields without a column of the row as it was deleted here, which are later than those
  /// of the version that brought it back; returns their names.
  ///
  /// Not those that are merged otherwise, nor assets: their bytes went with the row.
  fileprivate mutating func takeUpUnknown(
    of known: RecordMetadata, in version: CloudRecord, besides table: TableSchema
  ) -> Set<String> {
    let fields = known.unknown?.fields ?? [:]
    let later = fields.filter { name, field in
      if case .asset = field.value { return false }
      return !MergeNote.isField(name) && fields[MergeNote.field(of: name)] == nil
        && field.clock > unknown?.fields[name]?.clock ?? version.clock(of: name)
    }
    guard !later.isEmpty else { return [] }
    var record =
      unknown
      ?? CloudRecord(name: version.name, type: version.type, life: .zero, fields: [:])
    record.fields.merge(later) { $1 }
    record.fields = RecordMerge.latest(
      record.fields, besides: Set(table.columns.map(\.name)))
    unknown = record
    return Set(later.keys).intersection(record.fields.keys)
  }
}
