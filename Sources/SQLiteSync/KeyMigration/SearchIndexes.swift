import GRDB

/// The full-text indexes of a database whose keys are migrated, and the triggers that fill them.
///
/// A virtual table declares no foreign keys, and stores whatever it is given: what it holds of
/// integer keys would be wrong afterwards, and nothing would say so. What can be told from its
/// declaration is done with the tables; the rest is refused.
struct SearchIndexes {
  /// A full-text index that has to change.
  private struct Index {
    let name: String
    let sql: String
    /// Columns that hold keys, and the tables whose keys they are.
    var origins: [String: String] = [:]
    /// The statement by which it is made anew, as its content goes by a key that is not a rowid
    /// then.
    var newSQL: String?
    /// Whether its content has columns that change.
    var isStale = false
  }

  let db: Database
  let plan: KeyPlan
  let sources: KeySources
  private var indexes: [Index] = []
  /// The names of all full-text indexes, as SQLite compares them.
  private var names: Set<String> = []
  /// What cannot be migrated.
  private(set) var objections: [SyncError] = []
  /// Triggers that are to be made again as other ones: statements by name.
  private(set) var rewrittenTriggers: [String: String] = [:]

  /// Looks for them; changes nothing.
  init(_ plan: KeyPlan, _ sources: KeySources, in db: Database) throws {
    (self.db, self.plan, self.sources) = (db, plan, sources)
    for row in try Row.fetchAll(
      db,
      sql: """
        SELECT name, sql FROM sqlite_schema
        WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%' ORDER BY rowid
        """)
    {
      guard let declaration = try VirtualTable(name: row.read("name"), sql: row.read("sql")),
        declaration.isSearchIndex
      else { continue }
      names.insert(declaration.name.asciiLowercased)
      try note(declaration)
    }
    try refuseTriggers()
  }

  // MARK: - Indexes

  private mutating func note(_ declaration: VirtualTable) throws {
    var index = Index(name: declaration.name, sql: declaration.sql)
    let content = declaration.option("content")
    if let content, let table = plan.tables.called(content) {
      if let key = declaration.option("content_rowid"),
        table.origins.keys.contains(where: { $0.isSameName(as: key) })
      {
        guard let rowID = table.rowID, table.convertedKey?.isSameName(as: key) == true else {
          refuse(declaration, "Its rows go by \(content).\(key), which will be text.")
          return
        }
        index.newSQL = declaration.replacing(option: "content_rowid", with: rowID)
      }
      index.isStale = declaration.columns.contains { column in
        table.origins.keys.contains { $0.isSameName(as: column) }
      }
      rewrittenTriggers.merge(try GRDBTriggers.rewritten(of: declaration, on: table, in: db)) { $1 }
    } else if content == nil {
      for column in declaration.columns {
        guard let origin = keyOrigin(of: column, in: declaration) else { continue }
        index.origins[column] = origin
      }
    }
    indexes.append(index)
  }

  /// The table whose keys a column holds: the one to which all foreign keys of that name refer.
  private mutating func keyOrigin(of column: String, in declaration: VirtualTable) -> String? {
    let found = plan.tables.flatMap { table in
      table.origins.filter { $0.key.isSameName(as: column) && $0.key != table.convertedKey }
    }
    let isKey = plan.tables.contains { $0.convertedKey?.isSameName(as: column) == true }
    let origins = Set(found.map(\.value))
    guard origins.count < 2, !isKey || origins.count == 1 else {
      refuse(declaration, "Of which table “\(column)” holds the keys cannot be told.")
      return nil
    }
    return origins.first
  }

  private mutating func refuse(_ declaration: VirtualTable, _ message: String) {
    objections.append(
      SyncError(
        .keysNotMigrated, table: declaration.name, message,
        hint: "Drop the index before the migration, and build it anew after it."))
  }

  /// Brings the indexes up to the migrated tables.
  func migrate() throws {
    for index in indexes {
      let name = "main." + index.name.quotedIdentifier
      if let newSQL = index.newSQL {
        try db.execute(sql: "DROP TABLE \(name)")
        try db.execute(sql: newSQL)
      }
      if index.newSQL != nil || index.isStale {
        let column = index.name.quotedIdentifier
        try db.execute(sql: "INSERT INTO \(name) (\(column)) VALUES ('rebuild')")
      }
      for (column, origin) in index.origins.sorted(by: { $0.key < $1.key }) {
        let quoted = column.quotedIdentifier
        let integer = "CAST(\(quoted) AS INTEGER)"
        try db.execute(
          sql: """
            UPDATE \(name) SET \(quoted) = \(DerivedKey.sql(table: origin, of: integer))
            WHERE CAST(\(quoted) AS TEXT) = CAST(\(integer) AS TEXT)
            """)
      }
    }
  }

  // MARK: - Triggers

  private mutating func refuseTriggers() throws {
    guard !names.isEmpty else { return }
    for (name, table, trigger) in try TriggerBody.all(in: db) where rewrittenTriggers[name] == nil {
      for statement in trigger.statements {
        guard let target = statement.target, names.contains(target.asciiLowercased),
          let column = firstKey(in: statement, ofTriggerOn: table)
        else { continue }
        let error = SyncError(
          .keysNotMigrated, table: table, column: column,
          "The trigger \(name) finds rows of the index \(target) by an integer key.",
          hint: "Let it go by the rowid before the migration, which is the same then and "
            + "stays: NEW.rowid in place of NEW.\(column).")
        if !objections.contains(error) { objections.append(error) }
      }
    }
  }

  /// The key that is to become text and by which a statement finds rows of an index; nil where the
  /// index keeps it in a column that is migrated too.
  private func firstKey(
    in statement: TriggerBody.Statement, ofTriggerOn table: String
  ) -> String? {
    let index = indexes.first { index in
      statement.target.map { index.name.isSameName(as: $0) } ?? false
    }
    if let index, !index.origins.isEmpty, !statement.mentions(["rowid", "docid", "_rowid_", "oid"])
    {
      return nil
    }
    let statement = index.map { statement.withoutValues(of: $0.origins.keys) } ?? statement
    let own = sources.named(table)?.origins.keys.sorted() ?? []
    let keys = plan.tables.compactMap(\.convertedKey)
    return statement.firstMention(
      ofRowColumns: own, orOf: keys, besides: plan.tables.flatMap(\.origins.keys))
  }
}
