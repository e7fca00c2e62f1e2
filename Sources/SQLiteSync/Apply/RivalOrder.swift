import Foundation
import GRDB
import SQLiteSyncCloud

/// The versions of a page that a UNIQUE index refuses while other rows have their former values.
struct DeferredRivals {
  enum Mode {
    /// Rows that are in each other's way contend at once.
    case contending
    /// They may be in each other's way only until the rest of the page is there.
    case deferring
    /// Each version comes after those whose rows have its values.
    case ordering
  }

  /// A row with values that another one is to get.
  struct Holder {
    let table: TableSchema
    let record: RecordMetadata
    let index: TableSchema.UniqueIndex

    var name: ExactString { ExactString(table.recordName(of: record.key)) }
  }

  var mode = Mode.contending
  /// The versions that were deferred.
  var versions: [(record: CloudRecord, copy: ServerCopy)] = []
  /// Those that are still to be applied, by name.
  fileprivate var waiting: [ExactString: (record: CloudRecord, copy: ServerCopy)] = [:]
  /// The row that was in the way of the last version, and whose own is still to be applied.
  var holder: Holder?
  /// What rows had in columns that have a free value until their own versions are applied.
  fileprivate var displaced: [RowName: [String: DatabaseValue]] = [:]

  /// Whether a version was put off.
  func hasDeferred(since before: DeferredRivals) -> Bool {
    versions.count != before.versions.count || holder != nil
  }

  /// Notes that a version was written: its row has no free values any more.
  mutating func noteWritten(_ values: [String: DatabaseValue], of row: RowName) {
    guard let former = displaced[row], former.keys.allSatisfy({ values[$0] != nil }) else { return }
    displaced[row] = nil
  }
}

/// Rows of one page that swap their values, or pass them on, are updated in an order in which they
/// can be: to delete one and make it again would take along the rows of other tables that refer to
/// it.
extension Applier {
  /// Applies the versions that were deferred, now that the rest of the page is there.
  mutating func applyDeferredRivals() throws {
    let versions = rivals.versions
    rivals.versions = []
    for version in versions { rivals.waiting[ExactString(version.record.name)] = version }
    for version in versions {
      let name = ExactString(version.record.name)
      guard rivals.waiting[name] != nil else { continue }
      let before = self
      var tried: [ExactString] = []
      var isDone = false
      try db.inSavepoint {
        isDone = try applyInOrder(from: name, &tried)
        return isDone ? .commit : .rollback
      }
      guard !isDone else { continue }
      // Nothing is free for one of them, or its version leaves it what it has.
      self = before
      rivals.mode = .contending
      for name in tried {
        guard let version = rivals.waiting.removeValue(forKey: name) else { continue }
        try apply(version.record, of: version.copy)
      }
    }
    rivals.mode = .contending
  }

  /// Applies a version after those whose rows are in its way; returns whether every row has its own
  /// values in the end.
  private mutating func applyInOrder(
    from first: ExactString, _ tried: inout [ExactString]
  ) throws -> Bool {
    var chain = [first]
    var seen: Set = [first]
    tried = chain
    while let name = chain.last, let version = rivals.waiting[name] {
      rivals.mode = .ordering
      rivals.holder = nil
      try apply(version.record, of: version.copy)
      guard let holder = rivals.holder else {
        rivals.waiting[name] = nil
        chain.removeLast()
        continue
      }
      if seen.insert(holder.name).inserted {
        chain.append(holder.name)
        tried.append(holder.name)
      } else if try !displace(holder) {
        return false
      }
    }
    rivals.holder = nil
    return rivals.displaced.isEmpty
  }

  /// The row that has the values on which SQLite refused another one, if its own version is still
  /// to be applied.
  func waitingHolder(
    of change: RowChange, after error: DatabaseError
  ) throws -> DeferredRivals.Holder? {
    guard let rival = try rival(of: change, row: intended(change), after: error) else { return nil }
    let holder = DeferredRivals.Holder(
      table: change.table, record: rival.record, index: rival.index)
    return rivals.waiting[holder.name] == nil ? nil : holder
  }

  /// A row as it was before it got free values.
  func former(_ row: [String: DatabaseValue], of change: RowChange) -> [String: DatabaseValue] {
    guard !rivals.displaced.isEmpty,
      let former = rivals.displaced[RowName(change.table, change.key)]
    else { return row }
    return row.merging(former) { $1 }
  }

  // MARK: - Free values

  /// Gives a row of a circle a value that no row has, until its version is applied; returns false
  /// when there is none that its table takes.
  private mutating func displace(_ holder: DeferredRivals.Holder) throws -> Bool {
    let name = RowName(holder.table, holder.record.key)
    let rows = RowStore(db: db, table: holder.table)
    guard let row = try rows.values(ofKey: holder.record.key) else { return false }
    for (column, value) in freeValues(for: holder, row: row)
    where rivals.displaced[name]?[column] == nil {
      do {
        try db.inSavepoint {
          try displacing(column, of: holder.table) {
            try rows.update(key: holder.record.key, [column: value])
          }
          return .commit
        }
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
        continue
      }
      rivals.displaced[name, default: [:]][column] = row[column]
      return true
    }
    return false
  }

  /// Values to try in columns that the row's own version changes.
  ///
  /// NULL is in nobody's way, and the parent of a reference is looked for last.
  private func freeValues(
    for holder: DeferredRivals.Holder, row: [String: DatabaseValue]
  ) -> [(column: String, value: DatabaseValue)] {
    let references = Set(holder.table.foreignKeys.map(\.column))
    let known = holder.table.columnsByName
    let version = rivals.waiting[holder.name]?.record
    let columns = holder.index.columns.compactMap { known[$0.name] }.filter { column in
      guard let field = version?.fields[column.name], let value = row[column.name] else {
        return false
      }
      return column.name != holder.table.key && !value.isSameBytes(as: DatabaseValue(field.value))
    }
    let own = columns.filter { !references.contains($0.name) }
    // A reference that is looked at only in the end would hide others that stay open.
    let ofOthers = defersReferences ? [] : columns.filter { references.contains($0.name) }
    return columns.filter { !$0.isNotNull }.map { ($0.name, .null) }
      + (own + ofOthers).flatMap { column in
        (row[column.name] ?? .null).unusual(rivals.displaced.count).map { (column.name, $0) }
      }
  }

  /// Does a write after which a column may refer to no row.
  private func displacing(
    _ column: String, of table: TableSchema, _ write: () throws -> Void
  ) throws {
    guard table.foreignKeys.contains(where: { $0.column == column }) else { return try write() }
    try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
    let written = Result { try write() }
    // Off again it forgets what it has counted: the version that comes is looked at by itself.
    try db.execute(sql: "PRAGMA defer_foreign_keys = OFF")
    try written.get()
  }
}

extension DatabaseValue {
  /// Values of the same type that hardly any row has.
  fileprivate func unusual(_ number: Int) -> [DatabaseValue] {
    switch storage {
    case .null: []
    case .int64:
      [Int64.max - Int64(number), Int64.min + Int64(number)].map(\.databaseValue)
    case .double:
      [Double.greatestFiniteMagnitude, -Double.greatestFiniteMagnitude]
        .map { ($0 / Double(number + 1)).databaseValue }
    case .string: ["\u{10FFFD}\(number)".databaseValue]
    case .blob: [Data("\u{10FFFD}\(number)".utf8).databaseValue]
    }
  }
}
