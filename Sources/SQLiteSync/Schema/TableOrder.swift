import GRDB

/// Tables with parents before children, by their foreign keys.
struct TableOrder: Sendable {
  /// The tables, parents first.
  ///
  /// Tables without foreign keys keep the order in which they were given.
  let tables: [TableSchema]
  private let positions: [String: Int]

  /// Sorts the tables topologically (Kahn, "Topological sorting of large networks", 1962).
  ///
  /// A table may refer to itself; a cycle of several tables is refused with the columns named.
  init(_ tables: [TableSchema]) throws(SyncError) {
    var sorted: [TableSchema] = []
    var remaining = tables
    var placed: Set<String> = []
    while !remaining.isEmpty {
      let ready = remaining.filter { table in
        table.foreignKeys.allSatisfy { $0.table == table.name || placed.contains($0.table) }
      }
      guard !ready.isEmpty else { throw Self.cycle(in: remaining) }
      sorted += ready
      placed.formUnion(ready.map(\.name))
      remaining.removeAll { placed.contains($0.name) }
    }
    self.tables = sorted
    self.positions = Dictionary(
      uniqueKeysWithValues: sorted.enumerated().map { ($1.name, $0) })
  }

  /// The place of a table, parents first; tables that are not synchronized come last.
  func position(of table: String) -> Int {
    positions[table] ?? tables.count
  }

  /// The table with this name, if it is synchronized.
  subscript(name: String) -> TableSchema? {
    positions[name].map { tables[$0] }
  }

  /// The table that an app calls by a name, as SQLite would find it: without case.
  subscript(called name: String) -> TableSchema? {
    self[name] ?? tables.called(name)
  }

  /// The table with this number in the registry, if it is synchronized.
  subscript(id id: Int64) -> TableSchema? {
    tables.first { $0.id == id }
  }

  /// The foreign keys that refer to a table, each with its own table.
  func references(to name: String) -> [(table: TableSchema, key: TableSchema.ForeignKey)] {
    tables.flatMap { table in
      table.foreignKeys.filter { $0.table == name }.map { (table, $0) }
    }
  }

  /// The name of the record that a row depends on; nil when that is none.
  ///
  /// - Parameter value: The row's values by column.
  func parent(
    of key: String, in table: TableSchema, _ value: (String) -> DatabaseValue?
  ) -> String? {
    guard let foreignKey = table.parentKey, let parent = self[foreignKey.table] else { return nil }
    let reference =
      foreignKey.column == table.key ? key.databaseValue : value(foreignKey.column) ?? .null
    return String.fromDatabaseValue(reference).map(parent.recordName(of:))
  }

  private static func cycle(in unsorted: [TableSchema]) -> SyncError {
    // Tables that only depend on the cycle are not at fault.
    var tables = unsorted
    while case let rest = tables.filter({ table in
      tables.contains {
        $0.name != table.name && $0.foreignKeys.contains { $0.table == table.name }
      }
    }), rest.count < tables.count {
      tables = rest
    }
    let names = Set(tables.map(\.name))
    let columns = tables.flatMap { table in
      table.foreignKeys.filter { names.contains($0.table) && $0.table != table.name }
        .map { "\(table.name).\($0.column) → \($0.table)" }
    }
    return SyncError(
      .foreignKeyCycle, table: tables.first?.name,
      "Foreign keys form a cycle: \(columns.joined(separator: ", ")).",
      hint: "Leave one of these tables out, or drop one of these foreign keys.")
  }
}

extension TableOrder {
  /// What a foreign key becomes when its parent is deleted; nil when the row is deleted too.
  ///
  /// A default that names no row, or the row that is deleted, cannot take its place: NULL then.
  func value(
    of foreignKey: TableSchema.ForeignKey, in table: TableSchema, losing parentKey: String,
    in db: Database
  ) throws -> DatabaseValue? {
    guard foreignKey.onDelete != .cascade, let column = table.columnsByName[foreignKey.column]
    else { return nil }
    if foreignKey.onDelete == .setDefault, let sql = column.defaultSQL,
      let value = try DatabaseValue.fetchOne(db, sql: "SELECT \(sql)"),
      let parent = self[foreignKey.table],
      let key = String.fromDatabaseValue(value).map(parent.foldedKey), key != parentKey,
      try RowStore(db: db, table: parent).exists(key: key)
    {
      return value
    }
    return column.isNotNull ? nil : .null
  }
}
