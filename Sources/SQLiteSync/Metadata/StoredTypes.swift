import GRDB

/// Whether the columns of the engine's tables hold what they are declared to: SQLite itself says it
/// of `STRICT` tables only, and these are none.
enum StoredTypes {
  static func findings(in db: Database) throws -> [DatabaseFinding] {
    let tables = try String.fetchAll(
      db,
      sql: """
        SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'sync_*' ORDER BY name
        """)
    return try tables.flatMap { try findings(of: $0, in: db) }
  }

  private static func findings(of table: String, in db: Database) throws -> [DatabaseFinding] {
    let columns = try Row.fetchAll(
      db, sql: "SELECT name, lower(type) FROM pragma_table_info(?)", arguments: [table]
    ).map { try ($0.read(0), $0.read(1)) as (name: String, type: String) }
      .filter { !isFree($0.name, type: $0.type) }
    // All columns at once: a table can be long.
    let others = columns.map { name, type in
      "max(typeof(\(name.quotedIdentifier))) "
        + "FILTER (WHERE typeof(\(name.quotedIdentifier)) NOT IN ('\(type)', 'null'))"
    }
    guard !others.isEmpty else { return [] }
    let row = try Row.fetchOne(
      db, sql: "SELECT \(others.joined(separator: ", ")) FROM \(table.quotedIdentifier)")
    return try columns.indices.compactMap { index in
      try (row?.read(index) as String?).map { other in
        DatabaseFinding(
          .damage, table, "The column \(columns[index].name) holds \(other) that should be "
            + "\(columns[index].type).",
          advice: "Restore a backup, or begin a new database: what was sent is in the cloud.")
      }
    }
  }

  /// Whether any value may be there: a value of a row, or the key of one that cannot be sent.
  private static func isFree(_ column: String, type: String) -> Bool {
    !["integer", "text", "blob"].contains(type)
      || ["value", "winnerValue", "primaryKey"].contains(column)
  }
}
