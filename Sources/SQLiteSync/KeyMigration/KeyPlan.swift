import GRDB

/// Which tables a migration of keys makes anew, and what becomes of their columns.
struct KeyPlan {
  /// A column as SQLite describes it.
  struct Column: Equatable {
    let name: String
    let type: String
    let isNotNull: Bool
    let defaultSQL: String?
    let keyPosition: Int
    let isGenerated: Bool
  }

  /// A foreign key as SQLite describes it.
  struct Reference: Hashable {
    let columns: [String]
    let table: String
    /// In the order of `columns`; the key of the table where nothing is written.
    let parentColumns: [String]
    let actions: [String]
  }

  /// A table that is made anew.
  struct Table: NamedInSQL {
    let name: String
    let definition: TableDefinition
    let columns: [Column]
    let references: Set<Reference>
    /// Where the integers of a column come from: a table whose keys they are.
    let origins: [String: String]
    /// The integer key that becomes text.
    let convertedKey: String?
    /// The key that the table gets.
    let addedKey: String?
    /// Whether UNIQUE is dropped.
    let losesUnique: Bool
    /// Whether NULL becomes the default in columns that have one and are NOT NULL.
    let replacesNulls: Bool
    /// A name under which the rowid is found; nil for a table WITHOUT ROWID.
    let rowID: String?

    /// The quoted columns that tell one row from another, the same before and after.
    var identity: [String] {
      rowID.map { [$0] } ?? columns.filter { $0.keyPosition > 0 }.map(\.name.quotedIdentifier)
    }
  }

  /// The tables, in the order of the schema.
  let tables: [Table]
  /// What cannot be migrated; these tables are left out.
  let objections: [SyncError]

  /// Plans the migration of listed tables.
  ///
  /// Changes nothing.
  init(
    _ names: [String], dropUniqueConstraints: Bool, replaceNulls: Bool, in db: Database
  ) throws {
    let schema = try KeySchema(in: db)
    var objections: [SyncError] = []
    let listed = Set(
      try names.compactMap { name in
        try objections.collect {
          let table = try schema.table(name)
          try schema.checkKey(of: table)
          return table.name
        }
      })
    tables = try schema.tables.compactMap { source in
      let isListed = listed.contains(source.name)
      return try objections.collect {
        let origins = try schema.origins(of: source, listed: listed)
        let hasKey = source.columns.contains { $0.keyPosition > 0 }
        let losesUnique = try isListed && dropUniqueConstraints && source.isUnique(in: db)
        let replacesNulls =
          isListed && replaceNulls && source.columns.contains(where: \.isStrict)
        guard !origins.isEmpty || isListed && !hasKey || losesUnique || replacesNulls else {
          return nil
        }
        return try Table(
          source, origins: origins, isListed: isListed, losesUnique: losesUnique,
          replacesNulls: replacesNulls)
      }
    }
    self.objections = objections
  }

  static func columns(of table: String, in db: Database) throws -> [Column] {
    try Row.fetchAll(db, sql: "SELECT * FROM pragma_table_xinfo(?)", arguments: [table]).map {
      try Column(
        name: $0.read("name"), type: $0.read("type"), isNotNull: $0.read("notnull"),
        defaultSQL: $0.read("dflt_value"), keyPosition: $0.read("pk"),
        isGenerated: ($0.read("hidden") as Int) > 1)
    }
  }

  static func references(of table: String, in db: Database) throws -> Set<Reference> {
    let rows = try Row.fetchAll(
      db, sql: "SELECT * FROM pragma_foreign_key_list(?) ORDER BY id, seq", arguments: [table])
    let keys = try Dictionary(grouping: rows) { row in try row.read("id") as Int }
    return try Set(
      keys.values.map { rows in
        let parent: String = try rows[0].read("table")
        let parentKey = try String.fetchAll(
          db, sql: "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk",
          arguments: [parent])
        let written = try rows.compactMap { try $0.read("to") as String? }
        return try Reference(
          columns: rows.map { try $0.read("from") }, table: parent,
          parentColumns: written.isEmpty ? parentKey : written,
          actions: ["on_update", "on_delete", "match"].map { try rows[0].read($0) })
      })
  }
}

extension KeyPlan.Table {
  fileprivate init(
    _ source: KeySchema.Table, origins: [String: String], isListed: Bool, losesUnique: Bool,
    replacesNulls: Bool
  ) throws {
    func refusal(_ message: String, column: String? = nil, hint: String) -> SyncError {
      SyncError(.keysNotMigrated, table: source.name, column: column, message, hint: hint)
    }
    guard let definition = TableDefinition(source.sql),
      definition.columns.map(\.name) == source.columns.map(\.name)
    else {
      throw refusal(
        "Its CREATE statement is not understood.", hint: "Migrate this table by hand.")
    }
    if let column = source.columns.first(where: { $0.isGenerated && origins[$0.name] != nil }) {
      throw refusal(
        "A generated column refers to an integer key.", column: column.name,
        hint: "Migrate this table by hand.")
    }
    let names = Set(source.columns.map(\.name.asciiLowercased))
    let key = source.columns.first { $0.keyPosition > 0 }
    if isListed, key == nil, names.contains("id") {
      throw refusal(
        "The table has no primary key, and a column “id” that is not one.", column: "id",
        hint: "Rename the column, or make it the primary key.")
    }
    let rowID = ["rowid", "_rowid_", "oid"].first { !names.contains($0) }
    guard source.isWithoutRowID || rowID != nil else {
      throw refusal("Its columns hide the rowid.", hint: "Rename the column “oid”.")
    }
    self.init(
      name: source.name, definition: definition, columns: source.columns,
      references: source.references, origins: origins,
      convertedKey: isListed ? key.flatMap { origins[$0.name] == nil ? nil : $0.name } : nil,
      addedKey: isListed && key == nil ? "id" : nil, losesUnique: losesUnique,
      replacesNulls: replacesNulls, rowID: source.isWithoutRowID ? nil : rowID)
  }
}

/// All ordinary tables of a database, as a migration of keys sees them.
private struct KeySchema {
  struct Table: NamedInSQL {
    let name: String
    let sql: String
    let isWithoutRowID: Bool
    let columns: [KeyPlan.Column]
    let references: Set<KeyPlan.Reference>

    func isUnique(in db: Database) throws -> Bool {
      try Bool.fetchOne(
        db,
        sql: """
          SELECT EXISTS (SELECT 1 FROM pragma_index_list(?) WHERE "unique" AND origin <> 'pk')
          """, arguments: [name]) ?? false
    }
  }

  let tables: [Table]

  init(in db: Database) throws {
    tables = try Row.fetchAll(
      db,
      sql: """
        SELECT t.name, list.wr, t.sql FROM sqlite_schema AS t
        JOIN pragma_table_list AS list ON list.schema = 'main' AND list.name = t.name
        WHERE t.type = 'table' AND list.type = 'table'
          AND t.name NOT GLOB 'sqlite_*'
        ORDER BY t.rowid
        """
    ).map { row in
      let name: String = try row.read("name")
      return try Table(
        name: name, sql: row.read("sql"), isWithoutRowID: row.read("wr"),
        columns: KeyPlan.columns(of: name, in: db),
        references: KeyPlan.references(of: name, in: db))
    }
  }

  /// The table with a name, in whatever case.
  func table(_ name: String) throws -> Table {
    guard let table = tables.called(name) else {
      throw SyncError(
        .unknownTable, table: name, "There is no such table.",
        hint: "Views and virtual tables have no keys of their own.")
    }
    return table
  }

  /// Throws when the key of a listed table can neither stay nor become text.
  func checkKey(of table: Table) throws {
    let keys = table.columns.filter { $0.keyPosition > 0 }
    if keys.count > 1 {
      throw SyncError(
        .compoundPrimaryKey, table: table.name,
        "The primary key has several columns: \(keys.map(\.name).joined(separator: ", ")).",
        hint: "Leave it out: its foreign keys follow. Then make it anew with a single TEXT key.")
    }
    guard let key = keys.first, !key.isInteger, !key.isText else { return }
    throw SyncError(
      .keyIsNotText, table: table.name, column: key.name,
      "The primary key is neither an integer nor text.", hint: "Migrate this table by hand.")
  }

  /// The columns of a table that hold integer keys which become text, and of which table.
  func origins(of table: Table, listed: Set<String>) throws -> [String: String] {
    var origins: [String: String] = [:]
    for column in table.columns {
      let found = try self.origins(of: column.name, in: table, listed: listed, visited: [])
      guard found.count < 2 else {
        throw SyncError(
          .keysNotMigrated, table: table.name, column: column.name,
          "It refers to several tables: \(found.sorted().joined(separator: ", ")).",
          hint: "Migrate this table by hand.")
      }
      origins[column.name] = found.first
    }
    for reference in table.references where reference.columns.count > 1 {
      let parent = tables.called(reference.table)
      let changed = try parent.map { try self.origins(of: $0, listed: listed, below: table) } ?? []
      guard reference.columns.allSatisfy({ origins[$0] == nil }),
        !reference.parentColumns.contains(where: { changed.contains($0.asciiLowercased) })
      else {
        throw SyncError(
          .compoundForeignKey, table: table.name,
          "The foreign key to \(reference.table) has several columns, one of them an integer key.",
          hint: "Refer to a single column, or migrate this table by hand.")
      }
    }
    return origins
  }

  /// The columns of a parent that become text, in lower case.
  private func origins(
    of parent: Table, listed: Set<String>, below table: Table
  ) throws -> Set<String> {
    try Set(
      parent.columns.map(\.name)
        .filter { !(try origins(of: $0, in: parent, listed: listed, visited: []).isEmpty) }
        .map(\.asciiLowercased))
  }

  /// Follows foreign keys from a column to the tables whose integer keys it holds.
  private func origins(
    of column: String, in table: Table, listed: Set<String>, visited: Set<[String]>
  ) throws -> Set<String> {
    let place = [table.name, column.asciiLowercased]
    guard !visited.contains(place) else { return [] }
    var found: Set<String> = []
    for reference in table.references
    where reference.columns.count == 1 && reference.columns[0].isSameName(as: column) {
      guard let parent = tables.called(reference.table),
        let parentColumn = reference.parentColumns.first
      else { continue }
      found.formUnion(
        try origins(
          of: parentColumn, in: parent, listed: listed, visited: visited.union([place])))
    }
    guard found.isEmpty, listed.contains(table.name),
      let key = table.columns.first(where: { $0.keyPosition > 0 }), key.isInteger,
      key.name.isSameName(as: column)
    else { return found }
    return [table.name]
  }
}

extension KeyPlan.Column {
  /// Whether NULL may be refused though there is a default.
  fileprivate var isStrict: Bool { isNotNull && defaultSQL != nil && keyPosition == 0 }

  fileprivate var isInteger: Bool { type.uppercased().contains("INT") }

  fileprivate var isText: Bool {
    !isInteger && ["CHAR", "CLOB", "TEXT"].contains(where: type.uppercased().contains)
  }
}

extension [SyncError] {
  /// Does something that may be refused; nil then, and the refusal is one of these.
  mutating func collect<Result>(_ work: () throws -> Result?) throws -> Result? {
    do {
      return try work()
    } catch let error as SyncError {
      append(error)
      return nil
    }
  }
}
