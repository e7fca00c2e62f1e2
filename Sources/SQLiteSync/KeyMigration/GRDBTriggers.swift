import GRDB

/// The triggers that GRDB makes for a full-text index, where an app says
/// `synchronize(withTable:)`: their names, and what they find rows by, are GRDB's.
enum GRDBTriggers {
  /// The triggers of an index that are there as GRDB makes them, by a key that is the rowid; and
  /// what they are to be, by the rowid itself.
  ///
  /// - Parameter table: The table that the index is about.
  /// - Returns: CREATE statements by the names of the triggers.
  static func rewritten(
    of index: VirtualTable, on table: KeyPlan.Table, in db: Database
  ) throws -> [String: String] {
    guard let rowID = table.rowID else { return [:] }
    let found = try Row.fetchAll(
      db,
      sql: """
        SELECT name, sql FROM sqlite_schema
        WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE
        """, arguments: [table.name])
    let stored: [String: String] = try found.reduce(into: [:]) { stored, row in
      try stored[row.read("name")] = row.read("sql")
    }
    let key = try table.convertedKey.flatMap { try isRowID(of: table.name, in: db) ? $0 : nil }
    let new = statements(for: index, on: table.name, by: rowID)
    return [key, rowID].compactMap { $0 }.reduce(into: [:]) { rewritten, column in
      for (name, sql) in statements(for: index, on: table.name, by: column) {
        if let there = stored[name], isSame(there, sql) { rewritten[name] = new[name] }
      }
    }
  }

  /// Whether the key of a table is its rowid: then it needs no index.
  private static func isRowID(of table: String, in db: Database) throws -> Bool {
    try Bool.fetchOne(
      db, sql: "SELECT NOT EXISTS (SELECT 1 FROM pragma_index_list(?) WHERE origin = 'pk')",
      arguments: [table]) ?? false
  }

  private static func isSame(_ one: String, _ other: String) -> Bool {
    func words(_ sql: String) -> [String]? {
      SQLTokenizer.tokens(of: sql)?.map { ($0.name ?? $0.text).asciiLowercased }
    }
    return words(one) == words(other)
  }

  private static func statements(
    for index: VirtualTable, on table: String, by rowID: String
  ) -> [String: String] {
    let isFTS5 = index.module == "fts5"
    let name = index.name.quotedIdentifier
    func list(_ first: String, _ row: String = "") -> String {
      ([first] + index.columns).map { row + $0.quotedIdentifier }.joined(separator: ", ")
    }
    let columns = list(isFTS5 ? "rowid" : "docid")
    let insertion = "INSERT INTO \(name)(\(columns)) VALUES (\(list(rowID, "new.")));"
    let deletion =
      isFTS5
      ? "INSERT INTO \(name)(\(name), \(columns)) VALUES('delete', \(list(rowID, "old.")));"
      : "DELETE FROM \(name) WHERE docid=old.\(rowID.quotedIdentifier);"
    let triggers =
      isFTS5
      ? [
        ("ai", "AFTER INSERT", insertion), ("ad", "AFTER DELETE", deletion),
        ("au", "AFTER UPDATE", deletion + "\n" + insertion),
      ]
      : [
        ("bu", "BEFORE UPDATE", deletion), ("bd", "BEFORE DELETE", deletion),
        ("au", "AFTER UPDATE", insertion), ("ai", "AFTER INSERT", insertion),
      ]
    return Dictionary(
      uniqueKeysWithValues: triggers.map { suffix, event, body in
        let trigger = "__\(index.name)_\(suffix)"
        return (
          trigger,
          """
          CREATE TRIGGER \(trigger.quotedIdentifier) \(event) ON \(table.quotedIdentifier) BEGIN
          \(body)
          END
          """
        )
      })
  }
}
