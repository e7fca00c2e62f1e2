import GRDB

/// The file of a database, as SQLite has found it: absolute, and without symbolic links.
enum DatabaseFile {
  /// The path; nil for a database in memory.
  ///
  /// Throws errors of the database.
  static func path(_ db: Database) throws -> String? {
    let path = try String.fetchOne(
      db, sql: "SELECT file FROM pragma_database_list WHERE name = 'main'")
    return path.flatMap { $0.hasPrefix("/") ? $0 : nil }
  }
}
