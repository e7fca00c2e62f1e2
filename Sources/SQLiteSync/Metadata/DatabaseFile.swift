import GRDB

/// The file of a database, as SQLite has found it: absolute, and without symbolic links.
enum DatabaseFile {
  /// The path; nil for a database in memory.
  ///
  /// Throws errors of the database.
  static func path(_ db: Database) throws -> String? {
    let databases = try Row.fetchAll(db, sql: "PRAGMA database_list")
    let main = databases.first { $0["name"] == "main" }
    return (main?["file"] as String?).flatMap { $0.hasPrefix("/") ? $0 : nil }
  }
}
