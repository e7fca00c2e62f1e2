import GRDB

extension SyncHistory {
  /// A row of a synchronized table.
  public struct RowReference: Hashable, Sendable {
    /// The table.
    public let table: String
    /// The primary key; in lower case where it compares without case.
    public let key: String

    /// A row by its table and key.
    public init(table: String, key: String) {
      self.table = table
      self.key = key
    }
  }

  /// What came of restoring something.
  public struct Restored: Hashable, Sendable {
    /// The rows that were inserted, parents first; none when a value was restored whose row has all
    /// its parents.
    public var rows: [RowReference] = []
    /// Rows of the same deletion that are not back, because another parent of theirs is gone for
    /// good.
    public var leftOut: [RowReference] = []
    /// The keys of rows that came back under another one, by what they were: see `restore`.
    public var newKeys: [RowReference: String] = [:]
  }

  /// Brings back a value, or a row with all that depended on it.
  ///
  /// A row comes back with the rows below it that the same deletion took, and with its parents, if
  /// they are gone too. One that is there again gets back the values that it had when it was
  /// deleted. Of a value that is the present one nothing is changed. It is an edit by the app: it
  /// is captured, gets a clock of its own and is sent.
  ///
  /// A row that is out of reach may live on where this account cannot see it, and no two rows share
  /// a key: it comes back under another one, a UUID, and so do those that went with it. So it is
  /// where somebody else's was deleted to leave it, also before they are told. To restore it once
  /// more changes nothing. Where it was below a row that may only be read, it comes back below a
  /// copy of that one, which is this account's own; whatever was lost there comes back below the
  /// same copy.
  ///
  /// - Throws: `SyncError` with `nothingToRestore`, when it is not kept any more, or when a parent
  ///   is gone for good, and with `constraintViolated`, when a constraint of a table refuses it;
  ///   `DatabaseError`, when a trigger does. Nothing is restored then.
  @discardableResult
  public static func restore(_ id: Entry.ID, in db: Database) throws -> Restored {
    guard let entry = try entry(id, db) else {
      throw SyncError(
        .nothingToRestore, "This is not in the history any more.",
        hint: "What lost is kept for 30 days.")
    }
    // Rows of one table may refer to each other in a circle: none of them is the first.
    try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
    var restoration = Restoration(db: db, tables: try TableOrder.stored(in: db))
    try db.inSavepoint {
      do {
        try restoration.restore(entry)
      } catch let error as DatabaseError
        where error.resultCode == .SQLITE_CONSTRAINT
        && error.extendedResultCode != .SQLITE_CONSTRAINT_TRIGGER
      {
        throw SyncError(
          .constraintViolated, table: entry.table,
          "What is restored breaks a rule of the tables: \(error.message ?? "\(error)").",
          hint: "Change or delete the row that is in its way, then restore it.")
      }
      return .commit
    }
    return restoration.restored
  }
}

extension SyncHistory {
  /// Brings back rows that went with the deletion of a row which is here again.
  ///
  /// Without those that depend on something else that is gone by now, or that a constraint refuses:
  /// they stay in the history.
  static func restoreRows(
    takenAlongWith entry: Entry, in db: Database, where isIncluded: (RowReference) throws -> Bool
  ) throws {
    var restoration = Restoration(db: db, tables: try TableOrder.stored(in: db))
    restoration.isTakenAlong = true
    try restoration.restoreRowsBelow(entry, where: isIncluded)
  }
}

/// One restoring, in the caller's transaction.
private struct Restoration {
  let db: Database
  let tables: TableOrder
  var restored = SyncHistory.Restored()
  /// Whether only rows of this account's own come back, which went with a row that is here again:
  /// under their keys, and where nothing else that they refer to is gone.
  var isTakenAlong = false

  /// The rows of the deletion that is taken back, by what they depend on.
  private var rowsBelow: [Parent: [SyncHistory.Entry]] = [:]
  private var visited: Set<SyncHistory.RowReference> = []
  /// Whether zones are being left: see `isOutOfReach`.
  private var departing: [Int64: Bool] = [:]

  /// What a row refers to by one of its columns.
  private struct Parent: Hashable {
    let childTable: String
    let column: String
    let key: String
  }

  init(db: Database, tables: TableOrder) {
    self.db = db
    self.tables = tables
  }

  mutating func restore(_ entry: SyncHistory.Entry) throws {
    switch entry.loss {
    case .value(let column, let lost, _):
      try restore(lost, in: column, of: entry)
    case .row:
      try collectRowsBelow(entry) { _ in true }
      guard try restoreValues(of: entry) || insert(entry) else { return }
      try restoreRowsBelow(entry)
    }
  }

  mutating func restoreRowsBelow(
    _ entry: SyncHistory.Entry, where isIncluded: (SyncHistory.RowReference) throws -> Bool
  ) throws {
    try collectRowsBelow(entry, where: isIncluded)
    try restoreRowsBelow(entry)
  }

  // MARK: - A value

  private mutating func restore(
    _ value: DatabaseValue, in column: String, of entry: SyncHistory.Entry
  ) throws {
    let table = try table(of: entry)
    guard table.columnsByName[column] != nil else {
      throw SyncError(
        .nothingToRestore, table: table.name, column: column, "There is no such column any more.")
    }
    let rows = RowStore(db: db, table: table)
    guard try rows.exists(key: entry.key) else {
      throw SyncError(
        .nothingToRestore, table: table.name, "The row of this value has been deleted.",
        hint: "Restore the row first.")
    }
    try restoreParents(of: table, [column: value])
    try rows.update(key: entry.key, [column: value])
  }

  /// Brings back the values of a row that was deleted and is here again; false when it is not.
  private mutating func restoreValues(of entry: SyncHistory.Entry) throws -> Bool {
    let table = try table(of: entry)
    let rows = RowStore(db: db, table: table)
    guard case .row(let image) = entry.loss, !entry.isOutOfReach,
      let present = try rows.values(ofKey: entry.key)
    else { return false }
    let lost = image.filter { column, value in
      table.columnsByName[column] != nil && column != table.key && present[column] != value
    }
    guard !lost.isEmpty else { return true }
    try restoreParents(of: table, lost)
    try rows.update(key: entry.key, lost)
    return true
  }

  // MARK: - A row

  private mutating func restoreRow(_ entry: SyncHistory.Entry) throws {
    guard try insert(entry) else { return }
    try restoreRowsBelow(entry)
  }

  private mutating func restoreRowsBelow(_ entry: SyncHistory.Entry) throws {
    for (child, foreignKey) in tables.references(to: entry.table) {
      let parent = Parent(childTable: child.name, column: foreignKey.column, key: entry.key)
      for below in rowsBelow[parent] ?? [] {
        do {
          try restoreRow(below)
        } catch let error as SyncError where error.reason == .nothingToRestore {
          restored.leftOut.append(.init(table: below.table, key: below.key))
        } catch let error as DatabaseError
          where isTakenAlong && error.resultCode == .SQLITE_CONSTRAINT
        {
          restored.leftOut.append(.init(table: below.table, key: below.key))
        }
      }
    }
  }

  /// Inserts a row after its parents; false when it is there.
  private mutating func insert(_ entry: SyncHistory.Entry) throws -> Bool {
    let row = SyncHistory.RowReference(table: entry.table, key: entry.key)
    guard case .row(let image) = entry.loss, visited.insert(row).inserted else { return false }
    let table = try table(of: entry)
    let rows = RowStore(db: db, table: table)
    guard try !rows.exists(key: entry.key) else { return false }
    let columns = table.columnsByName
    var values = image.filter { columns[$0.key] != nil }
    if !table.isKeyFolded { values[table.key] = entry.key.databaseValue }
    let isOutOfReach = try !isTakenAlong && isOutOfReach(entry, in: table)
    if isOutOfReach, !table.foreignKeys.contains(where: { $0.column == table.key }) {
      restored.newKeys[row] = DerivedKey.key(restoring: entry)
      values[table.key] = restored.newKeys[row]?.databaseValue
    }
    do {
      if isOutOfReach { try copyReadOnlyParent(of: table, values) }
      try restoreParents(of: table, values)
    } catch {
      visited.remove(row)
      restored.newKeys[row] = nil
      throw error
    }
    return try insert(values.merging(newReferences(of: table, values)) { $1 }, of: row, in: rows)
  }

  /// Whether a row may live on where this account cannot see it, or is about to: to delete what
  /// somebody else shares is to leave it, and its owner has it still.
  private mutating func isOutOfReach(
    _ entry: SyncHistory.Entry, in table: TableSchema
  ) throws -> Bool {
    guard !entry.isOutOfReach, entry.winner.isHere,
      let zone = try MetadataStore(db: db).record(tableID: table.id, key: entry.key)?.zoneID
    else { return entry.isOutOfReach }
    let isDeparting = try departing[zone] ?? Following.isDeparting(from: zone, in: db)
    departing[zone] = isDeparting
    return isDeparting
  }

  /// Inserts a row unless one was restored before under its new key.
  private mutating func insert(
    _ values: [String: DatabaseValue], of row: SyncHistory.RowReference, in rows: RowStore
  ) throws -> Bool {
    let table = rows.table
    // What depends on a row by its own key has that one's.
    let key = values[table.key].flatMap(String.fromDatabaseValue).map(table.foldedKey) ?? row.key
    if key != row.key { restored.newKeys[row] = key }
    guard try !rows.exists(key: key) else { return false }
    try rows.insert(key: key, values)
    restored.rows.append(.init(table: table.name, key: key))
    return true
  }

  /// Copies the row below which a row cannot come back, because it may only be read, with those
  /// below which that one is.
  private mutating func copyReadOnlyParent(
    of table: TableSchema, _ values: [String: DatabaseValue]
  ) throws {
    guard let foreignKey = table.parentKey,
      let (parent, row) = reference(by: foreignKey, among: values),
      restored.newKeys[row] == nil,
      try MetadataStore(db: db).isReadOnly(tableID: parent.id, key: row.key),
      var copy = try RowStore(db: db, table: parent).values(ofKey: row.key)
    else { return }
    let new = DerivedKey.key(copying: row, for: try DeviceState(db: db).account())
    restored.newKeys[row] = new
    copy[parent.key] = new.databaseValue
    try copyReadOnlyParent(of: parent, copy)
    _ = try insert(
      copy.merging(newReferences(of: parent, copy)) { $1 }, of: row,
      in: RowStore(db: db, table: parent))
  }

  /// The foreign keys among these values that refer to rows which have another key now.
  private func newReferences(
    of table: TableSchema, _ values: [String: DatabaseValue]
  ) -> [String: DatabaseValue] {
    var references: [String: DatabaseValue] = [:]
    for foreignKey in table.foreignKeys {
      guard let (_, row) = reference(by: foreignKey, among: values),
        let new = restored.newKeys[row]
      else { continue }
      references[foreignKey.column] = new.databaseValue
    }
    return references
  }

  /// The row to which a foreign key among these values refers, and its table.
  private func reference(
    by foreignKey: TableSchema.ForeignKey, among values: [String: DatabaseValue]
  ) -> (table: TableSchema, row: SyncHistory.RowReference)? {
    guard let parent = tables[foreignKey.table],
      let key = values[foreignKey.column].flatMap(String.fromDatabaseValue)
    else { return nil }
    return (parent, .init(table: parent.name, key: parent.foldedKey(key)))
  }

  /// Brings back what the foreign keys among these values refer to, by itself.
  private mutating func restoreParents(
    of table: TableSchema, _ values: [String: DatabaseValue]
  ) throws {
    for foreignKey in table.foreignKeys {
      guard let (parent, row) = reference(by: foreignKey, among: values) else { continue }
      // Itself, or a row that is on its way because this one depends on it.
      guard try !visited.contains(row) && !RowStore(db: db, table: parent).exists(key: row.key)
      else { continue }
      guard !isTakenAlong, let entry = try latestDeletion(of: parent, key: row.key),
        try insert(entry) || restored.newKeys[row] != nil
      else {
        throw SyncError(
          .nothingToRestore, table: table.name, column: foreignKey.column,
          "The row of \(parent.name) that it refers to is gone for good.",
          hint: "Recreate it, then try again.")
      }
    }
  }

  private func latestDeletion(of table: TableSchema, key: String) throws -> SyncHistory.Entry? {
    try SyncHistory.entries(
      db, where: ["h.field IS NULL", "t.name = ?", "h.primaryKey = ?"],
      [table.name, table.foldedKey(key)], limit: 1
    ).first
  }

  private mutating func collectRowsBelow(
    _ entry: SyncHistory.Entry, where isIncluded: (SyncHistory.RowReference) throws -> Bool
  ) throws {
    for below in try SyncHistory.rowsDeleted(with: entry, db).reversed()
    where try isIncluded(.init(table: below.table, key: below.key)) {
      guard case .row(let image) = below.loss, let table = tables[below.table] else { continue }
      for foreignKey in table.foreignKeys {
        let value =
          foreignKey.column == table.key ? below.key.databaseValue : image[foreignKey.column]
        guard let parent = tables[foreignKey.table],
          let key = value.flatMap(String.fromDatabaseValue)
        else { continue }
        rowsBelow[
          Parent(
            childTable: table.name, column: foreignKey.column, key: parent.foldedKey(key)),
          default: []
        ].append(below)
      }
    }
  }

  private func table(of entry: SyncHistory.Entry) throws -> TableSchema {
    guard let table = tables[entry.table] else {
      throw SyncError(
        .nothingToRestore, table: entry.table, "This table is not synchronized any more.")
    }
    return table
  }
}

extension TableOrder {
  /// The tables that the last engine synchronized, as they are in the database now.
  fileprivate static func stored(in db: Database) throws -> TableOrder {
    try TableOrder(
      SchemaRegistry.synchronizedTables(in: db).map { id, name in
        let raw = try SchemaInspection.table(name, in: db)
        let key = raw.columns.first { $0.keyPosition > 0 }?.name ?? ""
        return TableSchema(
          id: id, name: raw.name, key: key, isKeyFolded: raw.isKeyFolded,
          columns: raw.columns.filter { raw.isKeyFolded || $0.name != key }.map {
            // The number is of no concern here: nothing is captured.
            TableSchema.Column(
              number: 0, name: $0.name, isNotNull: $0.isNotNull, defaultSQL: $0.defaultSQL)
          }, foreignKeys: raw.foreignKeys, isPrivate: false)
      })
  }
}
