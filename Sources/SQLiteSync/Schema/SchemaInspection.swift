import GRDB

/// Reads tables from SQLite's own description (PRAGMAs).
enum SchemaInspection {
  /// The columns of a table that can be written, as SQLite lists them.
  struct RawTable {
    struct Column: NamedInSQL {
      let name: String
      let type: String
      let isNotNull: Bool
      /// Whether NULL is replaced by the default: `NOT NULL ON CONFLICT REPLACE`.
      let replacesNull: Bool
      let defaultSQL: String?
      /// The place in the primary key from 1; 0 for other columns.
      let keyPosition: Int
      /// Whether it has no affinity: numbers are stored in the storage class that they come in, so
      /// that an integer and a real number can be equal.
      let keepsStorageClass: Bool
    }

    struct UniqueIndex {
      /// What it is over, and how that is compared; an expression has no name.
      let columns: [(name: String?, collation: String)]
      /// The condition of a partial index, as SQL.
      let predicate: String?
      /// What its ON CONFLICT clause says, in upper case; nil when it has none.
      let conflict: String?
    }

    let name: String
    let sql: String
    let columns: [Column]
    let foreignKeys: [TableSchema.ForeignKey]
    /// Foreign keys of several columns, by the table they refer to.
    let compoundForeignKeys: [String]
    /// The UNIQUE constraints and indexes other than the primary key's.
    let uniqueIndexes: [UniqueIndex]
    /// How the primary key is compared, in upper case.
    let keyCollation: String
    /// Columns of which NULL leaves a row out, or ends the transaction: their names, and what their
    /// ON CONFLICT clause says, in upper case.
    let swallowingColumns: [(name: String, conflict: String)]

    var isKeyFolded: Bool { keyCollation == "NOCASE" }
  }

  /// Describes a table.
  ///
  /// Throws `unknownTable` when there is none of that name.
  static func table(_ name: String, in db: Database) throws -> RawTable {
    guard let (name, sql) = try declaration(of: name, in: db) else {
      throw try missing(name, in: db)
    }
    guard let definition = TableDefinition(sql) else {
      throw SyncError(
        .unreadableSchema, table: name, "Its CREATE statement is not understood.",
        hint: "Write it without unusual spellings; see SQLite's documentation of CREATE TABLE.")
    }
    let columns = try columns(of: name, definition, in: db)
    let keys = columns.filter { $0.keyPosition > 0 }
    let foreign = try foreignKeys(of: name, in: db)
    return RawTable(
      name: name, sql: sql, columns: columns, foreignKeys: foreign.single,
      compoundForeignKeys: foreign.compound,
      uniqueIndexes: try uniqueIndexes(of: name, definition, in: db),
      keyCollation: keys.count == 1
        ? try collation(ofKey: keys[0].name, table: name, in: db) ?? "BINARY" : "BINARY",
      swallowingColumns: swallowingColumns(of: definition))
  }

  /// Why there is no table of a name.
  private static func missing(_ name: String, in db: Database) throws -> SyncError {
    let kind = try String.fetchOne(
      db.cachedStatement(
        sql: "SELECT type FROM sqlite_schema WHERE name = ? COLLATE NOCASE"), arguments: [name])
    switch kind {
    case "view":
      return SyncError(
        .unknownTable, table: name, "It is a view, which has no rows of its own.",
        hint: "Synchronize the tables that it shows.")
    case "table":
      return SyncError(
        .unknownTable, table: name, "It is a virtual table, which has no triggers.",
        hint: "Synchronize an ordinary table, and fill this one from it by triggers.")
    default:
      return SyncError(
        .unknownTable, table: name, "There is no such table.",
        hint: "Run the app's migrations before the engine is created.")
    }
  }

  /// A table's name as it was declared, and its CREATE statement; SQLite's names have no case.
  private static func declaration(
    of name: String, in db: Database
  ) throws -> (name: String, sql: String)? {
    try Row.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT name, sql FROM sqlite_schema
          WHERE type = 'table' AND name = ? COLLATE NOCASE AND sql LIKE 'CREATE TABLE%'
          """), arguments: [name]
    ).map { try ($0.read("name"), $0.read("sql")) }
  }

  private static func columns(
    of table: String, _ definition: TableDefinition, in db: Database
  ) throws -> [RawTable.Column] {
    let isStrict = try Bool.fetchOne(
      db.cachedStatement(
        sql: "SELECT strict FROM pragma_table_list(?) WHERE schema = 'main'"),
      arguments: [table])
    // `hidden` is 2 or 3 for generated columns, which can neither be sent nor written.
    return try Row.fetchAll(
      db.cachedStatement(sql: "SELECT * FROM pragma_table_xinfo(?)"), arguments: [table]
    )
    .filter { try ($0.read("hidden") as Int) == 0 }
    .map { row in
      // Of several the last counts.
      let notNull = try definition.column(row.read("name"))?.constraints(.notNull).last
      return try RawTable.Column(
        name: row.read("name"), type: row.read("type"), isNotNull: row.read("notnull"),
        replacesNull: notNull?.conflict == "REPLACE", defaultSQL: row.read("dflt_value"),
        keyPosition: row.read("pk"),
        keepsStorageClass: keepsStorageClass(row.read("type"), isStrict: isStrict ?? false))
    }
  }

  /// Whether a column of a type has no affinity: see “Determination Of Column Affinity” in SQLite's
  /// documentation.
  private static func keepsStorageClass(_ type: String, isStrict: Bool) -> Bool {
    let type = type.uppercased()
    if isStrict { return type == "ANY" }
    guard !type.isEmpty else { return true }
    return type.contains("BLOB") && !["INT", "CHAR", "CLOB", "TEXT"].contains(where: type.contains)
  }

  private static func foreignKeys(
    of table: String, in db: Database
  ) throws -> (single: [TableSchema.ForeignKey], compound: [String]) {
    let rows = try Row.fetchAll(
      db.cachedStatement(sql: "SELECT * FROM pragma_foreign_key_list(?)"), arguments: [table])
    let groups = try Dictionary(grouping: rows) { try $0.read("id") as Int }
      .sorted { $0.key > $1.key }
    var single: [TableSchema.ForeignKey] = []
    var compound: [String] = []
    for (_, rows) in groups {
      let row = rows[0]
      let written: String = try row.read("table")
      let parent = try declaration(of: written, in: db)?.name ?? written
      guard rows.count == 1 else {
        compound.append(parent)
        continue
      }
      let parentColumn = try String.fetchOne(
        db.cachedStatement(
          sql: """
            SELECT name FROM pragma_table_info(?1)
            WHERE iif(?2 IS NULL, pk = 1, name = ?2 COLLATE NOCASE)
            """), arguments: try [parent, row.read("to") as String?])
      try single.append(
        TableSchema.ForeignKey(
          column: row.read("from"), table: parent,
          parentColumn: parentColumn ?? row.read("to") ?? "rowid",
          onDelete: TableSchema.ForeignKey.Action(rawValue: row.read("on_delete")) ?? .noAction))
    }
    return (single, compound)
  }

  private static func uniqueIndexes(
    of table: String, _ definition: TableDefinition, in db: Database
  ) throws -> [RawTable.UniqueIndex] {
    try Row.fetchAll(
      db.cachedStatement(sql: "SELECT * FROM pragma_index_list(?)"), arguments: [table]
    )
    .filter { try ($0.read("unique") as Bool) && ($0.read("origin") as String) != "pk" }
    .map { index in
      let columns = try Row.fetchAll(
        db.cachedStatement(
          sql: "SELECT name, coll FROM pragma_index_xinfo(?) WHERE \"key\" ORDER BY seqno"),
        arguments: try [index.read("name") as String]
      ).map { try (name: $0.read(0) as String?, collation: $0.read(1) as String) }
      return RawTable.UniqueIndex(
        columns: columns, predicate: try predicate(ofIndex: index.read("name"), in: db),
        conflict: definition.conflict(ofUnique: columns.compactMap(\.name)))
    }
  }

  /// What follows WHERE in the statement of an index.
  private static func predicate(ofIndex name: String, in db: Database) throws -> String? {
    let sql = try String.fetchOne(
      db.cachedStatement(sql: "SELECT sql FROM sqlite_schema WHERE type = 'index' AND name = ?"),
      arguments: [name])
    guard let sql, let tokens = SQLTokenizer.tokens(of: sql) else { return nil }
    // Neither a name without quotes nor an expression can hold the word.
    guard let word = tokens.first(where: { $0.isWord("WHERE") }) else { return nil }
    return String(decoding: Array(sql.utf8)[word.range.upperBound...], as: UTF8.self)
  }

  private static func swallowingColumns(
    of definition: TableDefinition
  ) -> [(name: String, conflict: String)] {
    definition.columns.compactMap { column in
      // Of several the last counts.
      let conflict = column.constraints(.notNull).last?.conflict
      guard let conflict, ["IGNORE", "ROLLBACK"].contains(conflict) else { return nil }
      return (column.name, conflict)
    }
  }

  private static func collation(
    ofKey key: String, table: String, in db: Database
  ) throws -> String? {
    guard
      let index = try String.fetchOne(
        db.cachedStatement(sql: "SELECT name FROM pragma_index_list(?) WHERE origin = 'pk'"),
        arguments: [table])
    else { return nil }
    return try String.fetchOne(
      db.cachedStatement(sql: "SELECT coll FROM pragma_index_xinfo(?) WHERE name = ?"),
      arguments: [index, key]
    )?.uppercased()
  }
}
