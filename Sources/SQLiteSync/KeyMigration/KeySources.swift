import GRDB

/// What statements read and write: tables and views, and which of their columns hold keys that
/// become text.
struct KeySources {
  /// One of them.
  struct Source: NamedInSQL {
    let name: String
    /// Those to which an INSERT gives values.
    let columns: [String]
    /// Where the integers of a column come from: a table whose keys they are.
    let origins: [String: String]
    /// The statement of a view; nil for a table.
    var viewSQL: String?

    /// The table whose keys a column holds, in whatever case its name is written.
    func origin(of column: String) -> String? {
      origins.first { $0.key.isSameName(as: column) }?.value
    }

    func has(_ column: String) -> Bool { columns.contains { $0.isSameName(as: column) } }
  }

  /// All but full-text indexes.
  private let sources: [Source]

  /// Looks for them; changes nothing.
  init(_ plan: KeyPlan, in db: Database) throws {
    let tables = try Self.tables(in: db).map { name in
      let columns = try KeyPlan.columns(of: name, in: db).filter { !$0.isGenerated }
      return Source(
        name: name, columns: columns.map(\.name),
        origins: plan.tables.first { $0.name == name }?.origins ?? [:])
    }
    sources = try tables + Self.views(over: plan.tables.filter { !$0.origins.isEmpty }, in: db)
  }

  private static func tables(in db: Database) throws -> [String] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT list.name, list.type, statement.sql FROM pragma_table_list list
        JOIN sqlite_schema statement ON statement.name = list.name
        WHERE list.schema = 'main' AND list.type IN ('table', 'virtual')
        """
    ).filter { row in
      try row.read(1) == "table"
        || VirtualTable(name: row.read(0), sql: row.read(2))?.isSearchIndex == false
    }.map { try $0.read(0) }
  }

  /// The table or view with a name, in whatever case.
  func named(_ name: String) -> Source? { sources.called(name) }

  /// Those that a statement may read or write.
  func mentioned(in statement: TriggerBody.Statement) -> [Source] {
    let names = statement.tableNames
    return sources.filter { source in names.contains { source.name.isSameName(as: $0.name) } }
  }

  // MARK: - Views

  /// Which columns of the views are keys.
  ///
  /// SQLite says it: to the compiler of a view, a column has the type that it has in its table,
  /// through other views, queries and names for it. So the tables are replaced with empty ones
  /// whose types say which column it is, and that is undone.
  private static func views(over tables: [KeyPlan.Table], in db: Database) throws -> [Source] {
    let views = try Row.fetchAll(db, sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'view'")
    guard !views.isEmpty else { return [] }
    var found: [Source] = []
    try renamingAlone(in: db) {
      try db.inSavepoint {
        for table in tables { try replace(table, among: tables, in: db) }
        found = try views.map { view in
          let columns = try columns(ofView: view.read("name"), in: db)
          let keys = columns.compactMap { name, type in
            tables.indices.first { type == keyType($0) }.map { (name, tables[$0].name) }
          }
          return Source(
            name: try view.read("name"), columns: columns.map(\.name),
            origins: Dictionary(keys) { first, _ in first }, viewSQL: try view.read("sql"))
        }
        return .rollback
      }
    }
    return found
  }

  /// Does something while to rename a table changes nothing that refers to it.
  private static func renamingAlone(in db: Database, _ work: () throws -> Void) throws {
    let isLegacy = try Bool.fetchOne(db, sql: "PRAGMA legacy_alter_table") ?? false
    try db.execute(sql: "PRAGMA legacy_alter_table = ON")
    let result = Result { try work() }
    try db.execute(sql: "PRAGMA legacy_alter_table = \(isLegacy)")
    try result.get()
  }

  private static func replace(
    _ table: KeyPlan.Table, among tables: [KeyPlan.Table], in db: Database
  ) throws {
    let name = "main." + table.name.quotedIdentifier
    let columns = table.columns.map { column in
      let number = tables.firstIndex { $0.name == table.origins[column.name] }
      return column.name.quotedIdentifier + (number.map { " " + keyType($0) } ?? "")
    }
    let aside = "sync_migrated_\(table.name)".quotedIdentifier
    try db.execute(
      sql: """
        ALTER TABLE \(name) RENAME TO \(aside);
        CREATE TABLE \(name) (\(columns.joined(separator: ", ")));
        """)
  }

  private static func keyType(_ number: Int) -> String { "sync_key_\(number)" }

  private static func columns(
    ofView name: String, in db: Database
  ) throws -> [(name: String, type: String)] {
    guard SchemaProbe.compiles("SELECT * FROM main.\(name.quotedIdentifier)", in: db) else {
      return []
    }
    return try Row.fetchAll(
      db, sql: "SELECT name, type FROM pragma_table_xinfo(?)", arguments: [name]
    ).map { try ($0.read("name"), $0.read("type")) }
  }

  /// The views that put a key beside an integer that stays one.
  var objectionsToViews: [SyncError] {
    sources.flatMap { view in
      view.viewSQL.map { objections(to: view.name, $0) } ?? []
    }
  }

  private func objections(to view: String, _ sql: String) -> [SyncError] {
    guard let tokens = SQLTokenizer.tokens(of: sql) else { return [] }
    let query = tokens.drop { !["SELECT", "WITH", "VALUES"].contains(where: $0.isWord) }
    let statement = TriggerBody.Statement(tokens: Array(query))
    var found: [SyncError] = []
    for (column, qualifier, place) in statement.otherColumns {
      let owners = owners(of: column, qualifier, in: statement)
      guard let owner = owners.first, owners.allSatisfy({ $0.origin(of: column) != nil }) else {
        continue
      }
      for partner in statement.partners(of: place) {
        guard
          let error = objection(
            to: partner, column, of: owner, in: statement, "The view \(view)", table: view),
          !found.contains(error)
        else { continue }
        found.append(error)
      }
    }
    return found
  }

  // MARK: - Columns

  /// What is wrong with a key that stands beside something; nil where nothing is, or that cannot be
  /// told.
  func objection(
    to partner: TriggerBody.Statement.Partner, _ key: String, of source: Source,
    in statement: TriggerBody.Statement, _ what: String, table: String
  ) -> SyncError? {
    var hint = "Drop it before the migration, and create one after it that is right."
    let other: String
    switch partner {
    case .number(let number): other = "\(number), which stays an integer"
    case .column(let column, let qualifier):
      guard let owner = owner(of: column, qualifier, in: statement, on: source) else { return nil }
      other = "\(owner.name).\(column), which stays as it is"
      if Self.isRowID(column) {
        hint = "Let it go by the rowid before the migration: that stays."
      } else if owner.viewSQL == nil {
        hint =
          "Declare that column with REFERENCES \(source.origin(of: key) ?? source.name) before the "
          + "migration. Or drop the first, and create one after the migration that is right."
      }
    }
    return SyncError(
      .keysNotMigrated, table: table, column: key,
      "\(what) puts \(key), which becomes text, beside \(other).", hint: hint)
  }

  /// The table or view whose column is meant and stays as it is; nil where it is migrated too, or
  /// where that cannot be told.
  private func owner(
    of column: String, _ qualifier: String?, in statement: TriggerBody.Statement, on source: Source
  ) -> Source? {
    let isOfRow = ["new", "old"].contains(qualifier?.asciiLowercased)
    let named = isOfRow ? source.name : qualifier
    let owners = owners(of: column, named, in: statement)
    guard let first = owners.first else {
      return Self.isRowID(column) ? candidates(named, in: statement).first : nil
    }
    return owners.contains { $0.origin(of: column) != nil } ? nil : first
  }

  /// Those that have a column, of the ones that a statement may mean.
  private func owners(
    of column: String, _ qualifier: String?, in statement: TriggerBody.Statement
  ) -> [Source] {
    candidates(qualifier, in: statement).filter { $0.has(column) }
  }

  private func candidates(
    _ qualifier: String?, in statement: TriggerBody.Statement
  ) -> [Source] {
    guard let qualifier else { return mentioned(in: statement) }
    let names = statement.tableNames.filter { $0.alias.isSameName(as: qualifier) }.map(\.name)
    return sources.filter { source in
      source.name.isSameName(as: qualifier) || names.contains { source.name.isSameName(as: $0) }
    }
  }

  /// Whether a column is a rowid, unless it is declared.
  static func isRowID(_ column: String) -> Bool {
    ["rowid", "oid", "_rowid_"].contains(column.asciiLowercased)
  }
}
