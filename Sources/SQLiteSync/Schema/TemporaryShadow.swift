import GRDB

/// Temporary tables and views that would take what is meant for a table of the database.
///
/// SQLite looks for a name without a schema among the temporary ones of the connection first
/// (https://sqlite.org/lang_naming.html), so the engine does nothing on such a connection. Attached
/// databases come last, and are in nobody's way.
enum TemporaryShadow {
  /// Throws `hiddenTable` when a table that is synchronized, or one of the engine's, is hidden.
  static func refuse(in db: Database, tables: some Sequence<String>) throws {
    let temporary = try String.fetchAll(
      db.cachedStatement(
        sql: "SELECT name FROM sqlite_temp_master WHERE type IN ('table', 'view')"))
    guard !temporary.isEmpty else { return }
    let names = Set(tables.map(\.asciiLowercased))
    guard
      let hidden = temporary.first(where: { name in
        let name = name.asciiLowercased
        return name.hasPrefix("sync_") || names.contains(name)
      })
    else { return }
    throw SyncError(
      .hiddenTable, table: hidden, "A temporary table or view of this connection hides it.",
      hint: "Give it another name, or drop it.")
  }
}
