import GRDB

/// What rows cost SQLite itself, where there are many: they are taken out of another database of
/// the same schema, page by page, each table's by one statement a page, with all triggers.
enum PagedCopy {
  private static let page = 2_000
  /// The tables of the app that the benchmarks fill, parents first.
  static let appTables = ["remindersLists", "tags", "reminders", "reminderTags"]

  /// - Parameters:
  ///   - source: The other database.
  ///   - tables: Whose rows, parents first.
  ///   - database: Where they go, in one transaction.
  static func run(
    from source: any DatabaseReader, tables: [String], into database: any DatabaseWriter
  ) throws {
    try database.writeWithoutTransaction { db in
      try db.execute(sql: "ATTACH ? AS source", arguments: [source.path])
      try db.inTransaction {
        for table in tables { try copy(table, db) }
        return .commit
      }
      try db.execute(sql: "DETACH source")
    }
  }

  private static func copy(_ table: String, _ db: Database) throws {
    let last = try Int.fetchOne(db, sql: "SELECT max(rowid) FROM source.\(table)") ?? 0
    for start in stride(from: 0, to: last, by: page) {
      try db.execute(
        sql: """
          INSERT INTO main.\(table)
          SELECT * FROM source.\(table) WHERE rowid > ? AND rowid <= ?
          """, arguments: [start, start + page])
    }
  }
}
