import GRDB

/// A whole row in `sync_history`: in the columns `v0`, `v1` …, each the one with that number of the
/// row's table.
///
/// They have no type, so every value is kept as it is; and a trigger that copies values costs a
/// fifth of one that writes them down as text. `value` has the numbers of the columns that the
/// table had.
enum RowImage {
  /// The column for the values of the column with a number.
  static func column(_ number: Int) -> String { "v\(number)" }

  /// The columns of `sync_history` that have the image of a table's row.
  static func columns(of table: TableSchema) -> String {
    (["value"] + table.columns.map { column($0.number) }).joined(separator: ", ")
  }

  /// What is in these columns, as SQL expressions, given the row's name (`OLD`, a table).
  ///
  /// The key is not in it, unless its spelling is a field of its own.
  static func values(of table: TableSchema, row: String) -> String {
    let numbers = table.columns.map { "\($0.number)" }.joined(separator: ",")
    return (["'\(numbers)'"] + table.columns.map { "\(row).\($0.name.quotedIdentifier)" })
      .joined(separator: ", ")
  }

  /// Adds columns for all numbers that there are.
  static func makeRoom(in db: Database) throws {
    let greatest = try SchemaRegistry.greatestColumnNumber(in: db)
    // Not by GRDB, which for a new connection reads the whole schema first.
    let present = try String.fetchSet(
      db.cachedStatement(sql: "SELECT name FROM pragma_table_info('sync_history')"))
    let missing = (0...greatest).map(column).filter { !present.contains($0) }
    guard !missing.isEmpty else { return }
    // With each ALTER TABLE SQLite reads the whole schema again.
    let isEmpty = try Bool.fetchOne(db, sql: "SELECT NOT EXISTS (SELECT 1 FROM sync_history)")
    if isEmpty == true { return try remake(with: missing, in: db) }
    for column in missing {
      try db.execute(sql: "ALTER TABLE sync_history ADD COLUMN \(column)")
    }
  }

  /// Makes the empty table anew, with more columns.
  private static func remake(with columns: [String], in db: Database) throws {
    let table = try String.fetchAll(
      db,
      sql: """
        SELECT sql FROM sqlite_schema WHERE tbl_name = 'sync_history' AND sql NOTNULL
          AND type IN ('table', 'index') ORDER BY type DESC
        """)
    try db.execute(sql: "DROP TABLE sync_history")
    // As ALTER TABLE does: after what is before the last parenthesis.
    try db.execute(sql: "\(table[0].dropLast()), \(columns.joined(separator: ", ")))")
    for index in table.dropFirst() { try db.execute(sql: index) }
  }

  /// The values of a row by column, given the names of its table's columns.
  static func values(in row: Row, names: [Int: String]) -> [String: DatabaseValue] {
    let numbers = String.fromDatabaseValue(row["value"])?.split(separator: ",") ?? []
    return numbers.compactMap { Int($0) }.reduce(into: [:]) { values, number in
      if let name = names[number] { values[name] = row[column(number)] }
    }
  }
}
