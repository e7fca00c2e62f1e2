import GRDB
import SQLiteSyncCloud

/// A fetched version in which fields with a merge policy are merged with their unsent edits.
struct MergedVersion {
  /// The version as it was fetched.
  let fetched: CloudRecord
  /// The version with the merged values, which are later than both.
  let copy: ServerCopy
  let image: CloudRecord
  /// The merged fields: the cloud does not have these values yet.
  let fields: Set<String>

  init(_ fetched: CloudRecord, of copy: ServerCopy, merging values: [String: CloudField]) {
    self.fetched = fetched
    image = fetched.with(values)
    self.copy = ServerCopy(
      content: .record(image), tag: copy.tag, author: copy.author, device: copy.device,
      isAuthentic: copy.isAuthentic)
    fields = Set(values.keys)
  }

  /// The version in which only some of them are merged.
  func merging(only fields: [String]) -> MergedVersion {
    MergedVersion(
      fetched, of: copy, merging: image.fields.filter { fields.contains($0.key) })
  }
}

extension CloudRecord {
  /// The record with other values.
  fileprivate func with(_ values: [String: CloudField]) -> CloudRecord {
    var record = self
    record.fields.merge(values) { $1 }
    return record
  }
}

/// Merges by column: before a version is decided about, so that all that follows sees one version
/// with later fields.
extension Applier {
  /// A version with the merged values; nil when nothing is to be merged.
  func merged(
    _ record: CloudRecord, of copy: ServerCopy, known: KnownRecord
  ) throws -> MergedVersion? {
    guard let table = known.table, !table.mergePolicies.isEmpty, known.hasRow,
      known.elsewhere == nil, known.belonging == .here, let pending = known.pending,
      pending.kind == .save,
      let row = try RowStore(db: db, table: table).exactValues(ofKey: known.metadata.key)
    else { return nil }
    let edits = try MergeBases(db: db).unsentEdits(
      of: known.metadata, in: table, pending: pending, row: row)
    var values: [String: CloudField] = [:]
    for (column, edit) in edits {
      guard let field = record.fields[column],
        let value = merge(edit, with: field, of: column, in: record, known, table)
      else { continue }
      values[column] = CloudField(value.cloudValue, clock(after: max(edit.clock, field.clock)))
    }
    return values.isEmpty ? nil : MergedVersion(record, of: copy, merging: values)
  }

  /// The value that a field gets; nil when the later edit wins.
  private func merge(
    _ edit: UnsentEdit, with field: CloudField, of column: String, in record: CloudRecord,
    _ known: KnownRecord, _ table: TableSchema
  ) -> DatabaseValue? {
    let name = MergeNote.field(of: column)
    let note = MergeNote(record.fields[name])
    let standing = note ?? MergeNote(known.metadata.unknown?.fields[name])
    guard let own = table.mergePolicies[column],
      let policy = own.named(standing?.policy ?? own.name)
    else { return nil }
    switch edit.outcome(meeting: field, with: note?.edits ?? SeenEdits(), by: policy) {
    case .lastEdit: return nil
    case .stands: return edit.clock > field.clock ? nil : edit.mine
    case .merged(let value):
      let isTheirs = value.isSameBytes(as: DatabaseValue(field.value))
      return isTheirs && field.clock > edit.clock ? nil : value
    }
  }

  /// Takes a version with those merged values that its row takes, each by itself if not all
  /// together: of the other columns the later edit wins.
  ///
  /// Returns whether it took any, and did something.
  mutating func apply(
    _ merged: MergedVersion, name: RecordName, known: KnownRecord
  ) throws -> Bool {
    if try take(merged, name: name, known: known) { return true }
    let columns = merged.fields.sorted()
    guard columns.count > 1 else { return false }
    // What a column alone can do to a row, another one may allow: in the order of their names.
    let before = self
    var taken: [String] = []
    for column in columns {
      try db.inSavepoint {
        if try take(merged.merging(only: taken + [column]), name: name, known: known) {
          taken.append(column)
        }
        return .rollback
      }
      self = before
    }
    guard !taken.isEmpty else { return false }
    return try take(merged.merging(only: taken), name: name, known: known)
  }

  /// Takes a version with merged values, if its row takes them; else does nothing.
  ///
  /// What is kept aside is a version as the cloud has it: merged values would be merged again.
  private mutating func take(
    _ merged: MergedVersion, name: RecordName, known: KnownRecord
  ) throws -> Bool {
    guard let id = known.metadata.id else { return false }
    let before = self
    var isDone = false
    try db.inSavepoint {
      let isTaken = try apply(
        merged.image, of: merged.copy, name: name, known: known, wasElsewhere: false,
        mergedFields: merged.fields)
      isDone =
        try isTaken && !rivals.hasDeferred(since: before.rivals)
        && quarantine.entry(of: id) == nil
        && store.record(id: id)?.isAlive == true
      return isDone ? .commit : .rollback
    }
    guard isDone else {
      self = before
      return false
    }
    let pending = try store.outbox.change(of: id)
    let fields = pending.map { $0.fields?.union(merged.fields) } ?? merged.fields
    try store.outbox.set(
      PendingChange(kind: .save, fields: fields), id: id, tableID: known.metadata.tableID, now: now)
    try follow(merged.fetched, known)
    return true
  }

  /// The cloud has a version of a record: what is unsent here is made of that from now on.
  func follow(_ version: CloudRecord, _ known: KnownRecord) throws {
    guard let table = known.table, !table.mergePolicies.isEmpty else { return }
    let pending = try known.metadata.id.flatMap { try store.outbox.change(of: $0) }
    try MergeBases(db: db).follow(
      version, of: known.metadata, in: table, hadRow: known.hasRow, pending: pending)
  }
}

extension RowStore {
  /// The values of a row by column; nil when there is no row, or a text in it is other bytes in the
  /// file.
  fileprivate func exactValues(ofKey key: String) throws -> [String: DatabaseValue]? {
    let columns = table.columns.map(\.name.quotedIdentifier).joined(separator: ", ")
    let statement = try db.cachedStatement(
      sql: """
        SELECT \(columns) FROM \(table.name.quotedIdentifier)
        WHERE \(table.key.quotedIdentifier) = ?
        """)
    guard let row = try Row.fetchOne(statement, arguments: [key]) else { return nil }
    let (values, garbled) = try exactValues(in: row, from: 0)
    guard garbled == nil else { return nil }
    return Dictionary(uniqueKeysWithValues: zip(table.columns.map(\.name), values))
  }
}
