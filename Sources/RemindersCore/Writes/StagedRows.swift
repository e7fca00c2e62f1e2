import GRDB

/// Rows on their way into a table, in a temporary one from which one statement takes them.
///
/// A statement with the values of as many rows takes longer to read than the rows to write.
struct StagedRows {
  /// How many are staged at most, and how many at least: below, to make the temporary table, after
  /// which SQLite prepares every statement anew, takes longer than it saves.
  static let sizes = 200...2000

  let db: Database
  /// How many values a row has.
  let width: Int

  private var name: String { "staged_rows_\(width)" }
  private var columns: String { (0..<width).map { "v\($0)" }.joined(separator: ", ") }

  /// Inserts rows into a table, in their order.
  ///
  /// - Parameters:
  ///   - rows: The values of each.
  ///   - table: The table's name.
  ///   - names: The columns that have them.
  func insert(_ rows: [[DatabaseValue]], into table: String, columns names: [String]) throws {
    try db.execute(
      sql: "CREATE TEMP TABLE IF NOT EXISTS \(name) (place INTEGER PRIMARY KEY, \(columns))")
    let staging = try db.cachedStatement(
      sql: "INSERT INTO temp.\(name) (\(columns)) VALUES (\(databaseQuestionMarks(count: width)))")
    for row in rows {
      staging.setUncheckedArguments(StatementArguments(row))
      try staging.execute()
    }
    try db.cachedStatement(
      sql: """
        INSERT INTO \(table) (\(names.joined(separator: ", ")))
        SELECT \(columns) FROM temp.\(name) ORDER BY place
        """
    ).execute()
    try db.cachedStatement(sql: "DELETE FROM temp.\(name)").execute()
  }
}
