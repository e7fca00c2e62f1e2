import GRDB

extension Database {
  /// Whether there is a table of a name, written as it was declared.
  ///
  /// GRDB's own question reads and keeps the whole schema, on each connection: for a screen that
  /// opens, that is a good part of the wait.
  package func hasTable(_ name: String) throws -> Bool {
    try Bool.fetchOne(
      cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?)"),
      arguments: [name]) ?? false
  }
}
