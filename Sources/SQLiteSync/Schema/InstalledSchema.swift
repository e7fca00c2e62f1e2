import GRDB

/// What an engine has found of the tables when it was created.
///
/// Another one that was created later, over the same database and after a migration, or for other
/// tables, has changed the triggers. The earlier one would take for sent what it knows nothing of.
struct InstalledSchema {
  private let contents: [String]
  /// SQLite's number of the schema when it was looked at last.
  private var version: Int?

  init(in db: Database) throws {
    contents = try SchemaRegistry.contents(in: db)
  }

  /// Throws `outdatedEngine` when another engine goes by other tables or columns.
  mutating func requireCurrent(in db: Database) throws {
    // The triggers change with what an engine goes by.
    let current = try Int.fetchOne(db.cachedStatement(sql: "PRAGMA schema_version"))
    guard current != version else { return }
    guard try SchemaRegistry.contents(in: db) == contents else {
      throw SyncError(
        .outdatedEngine,
        "Another engine was created over this database since, for other tables or columns.",
        hint: "Let this one go, and create one for the tables as they are now.")
    }
    version = current
  }
}
