import GRDB

/// Tables and columns that were synchronized last time but no longer exist.
///
/// Other versions of the app still write them, so an engine does not silently go on without: a
/// migration has to say that it means it.
enum MissingFromSchema {
  typealias RawTable = SchemaInspection.RawTable

  /// A renaming and a dropping look alike from here.
  private static let hint =
    "Keep it. A migration that renames it calls SyncEngine.rename; one that drops it calls "
    + "SyncEngine.forget first."

  /// All that is missing.
  static func objections(to tables: [RawTable], in db: Database) throws -> [SyncError] {
    guard try SchemaRegistry.isInstalled(in: db) else { return [] }
    let removed = try removedTables(in: db).map { name in
      SyncError(
        .removedTable, table: name,
        "The table was synchronized last time but no longer exists.", hint: hint)
    }
    return try removed
      + tables.flatMap { table in
        try removedColumns(of: table, in: db).map { name in
          SyncError(
            .removedColumn, table: table.name, column: name,
            "The column was synchronized last time but no longer exists.", hint: hint)
        }
      }
  }

  private static func removedTables(in db: Database) throws -> [String] {
    try SchemaRegistry.synchronizedTables(in: db).map(\.name).filter { try !db.hasTable($0) }
  }

  private static func removedColumns(of table: RawTable, in db: Database) throws -> [String] {
    guard let id = try SchemaRegistry.knownTableID(table.name, in: db) else { return [] }
    let columns = Set(table.columns.map(\.name))
    return try SchemaRegistry.columns(ofTable: id, in: db).filter { !columns.contains($0) }
  }
}
