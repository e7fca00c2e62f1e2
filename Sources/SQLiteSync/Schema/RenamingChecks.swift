import GRDB

/// Renamings that do not fit the tables: what is captured would be sent under another name than its
/// own.
///
/// `SyncEngine.rename` is called before or after `ALTER TABLE`, so only some mistakes can be told
/// at once. The rest is found when an engine is created, before it captures by other names.
enum RenamingChecks {
  typealias RawTable = SchemaInspection.RawTable

  // MARK: - When it is called

  /// Throws where a table would get the name of one of the engine's, or one of these another.
  static func refuseEngines(table: String, to name: String) throws {
    let isEngines = [table, name].contains { $0.asciiLowercased.hasPrefix("sync_") }
    guard isEngines else { return }
    throw SyncError(
      .wrongRenaming, table: table, "Names that begin with “sync_” are the engine's.",
      hint: "Give the table another name.")
  }

  /// Throws when something that is synchronized would get the name of something that never was.
  static func refuse(table: String, to name: String, in db: Database) throws {
    let known = try SchemaRegistry.synchronizedTables(in: db).map(\.name)
    guard known.contains(name), try SchemaRegistry.knownTableID(table, in: db) == nil,
      try !db.hasTable(table)
    else { return }
    throw SyncError(
      .wrongRenaming, table: table, "There is no table “\(table)” that could become “\(name)”.",
      hint: callHint)
  }

  /// Throws when a column that is synchronized would get the name of one that never was.
  static func refuse(
    column: String, to name: String, of table: String, in db: Database
  ) throws {
    guard let id = try SchemaRegistry.knownTableID(table, in: db) else { return }
    let key = try SchemaRegistry.key(ofTable: table, in: db)?.column
    let known = try SchemaRegistry.columns(ofTable: id, in: db) + [key].compactMap { $0 }
    let former = try SchemaRegistry.columnNames(ofTable: id, in: db).values
    guard known.contains(name), !known.contains(column), !former.contains(column),
      try !columns(of: table, in: db).contains(column)
    else { return }
    throw SyncError(
      .wrongRenaming, table: table, column: column,
      "There is no column “\(column)” that could become “\(name)”.", hint: callHint)
  }

  private static let callHint =
    "Give SyncEngine.rename the name of before, and the new one, as ALTER TABLE has them."

  private static func columns(of table: String, in db: Database) throws -> [String] {
    try String.fetchAll(
      db.cachedStatement(sql: "SELECT name FROM pragma_table_xinfo(?)"), arguments: [table])
  }

  // MARK: - When an engine is created

  /// All that does not fit.
  static func objections(to tables: [RawTable], in db: Database) throws -> [SyncError] {
    let names = try CloudNames(in: db)
    guard !names.isEmpty else { return [] }
    return try unknownTables(names, in: db) + unknownColumns(names, in: db)
      + tables.flatMap { try unaltered($0, names, in: db) }
  }

  private static func unknownTables(_ names: CloudNames, in db: Database) throws -> [SyncError] {
    try names.exchangedTables.filter { try !$0.contains { try isKnown($0, in: db) } }
      .map { unknown($0, table: $0.sorted()[0]) }
  }

  private static func unknownColumns(_ names: CloudNames, in db: Database) throws -> [SyncError] {
    try names.exchangedColumns.sorted { $0.key < $1.key }.flatMap { table, exchanged in
      guard try isKnown(table, in: db) else {
        let columns = exchanged.reduce(into: Set()) { $0.formUnion($1) }
        return [unknown(columns, table: table)]
      }
      let id = try SchemaRegistry.knownTableID(table, in: db)
      let former = try id.map { try SchemaRegistry.columnNames(ofTable: $0, in: db) } ?? [:]
      let known = try Set(columns(of: table, in: db)).union(former.values)
      // Of a table that is gone nothing is known any more.
      return known.isEmpty
        ? []
        : exchanged.filter { known.isDisjoint(with: $0) }.map {
          unknown($0, table: table, column: $0.sorted()[0])
        }
    }
  }

  /// Whether a table is there, or was.
  private static func isKnown(_ table: String, in db: Database) throws -> Bool {
    try db.hasTable(table) || SchemaRegistry.knownTableID(table, in: db) != nil
  }

  private static func unknown(
    _ names: Set<String>, table: String, column: String? = nil
  ) -> SyncError {
    SyncError(
      .wrongRenaming, table: table, column: column,
      "SyncEngine.rename was called for \(names.sorted().joined(separator: ", ")): nothing here "
        + "has, or ever had, one of these names.",
      hint:
        "Call it again with the names exchanged, which takes it back; then with those that ALTER "
        + "TABLE has. Before what was renamed is dropped, call SyncEngine.forget.")
  }

  private static let alterHint =
    "Rename it by ALTER TABLE too, or take the call back: call it again with the names exchanged."

  /// What an app's table still has under the name of before.
  ///
  /// `ALTER TABLE` renames what triggers speak of: those that capture edits know which column had
  /// which number, whatever it is called now.
  private static func unaltered(
    _ table: RawTable, _ names: CloudNames, in db: Database
  ) throws -> [SyncError] {
    guard let id = try SchemaRegistry.knownTableID(table.name, in: db),
      let captured = try CaptureTriggers.captured(from: table.name, in: db)
    else { return [] }
    guard captured.tableID == id else {
      guard names.exchangedTables.contains(where: { $0.contains(table.name) }) else { return [] }
      return [
        SyncError(
          .wrongRenaming, table: table.name,
          "SyncEngine.rename was called for this table, and another one has its name still.",
          hint: alterHint)
      ]
    }
    let exchanged = (names.exchangedColumns[table.name] ?? []).reduce(into: Set()) {
      $0.formUnion($1)
    }
    let known = try SchemaRegistry.columnNames(ofTable: id, in: db)
    return captured.columns.sorted { $0.key < $1.key }.compactMap { number, column in
      guard let name = known[number], name != column,
        exchanged.contains(name) || exchanged.contains(column)
      else { return nil }
      return SyncError(
        .wrongRenaming, table: table.name, column: column,
        "SyncEngine.rename says that this column is “\(name)” now, and the table has it as "
          + "“\(column)” still.", hint: alterHint)
    }
  }
}
