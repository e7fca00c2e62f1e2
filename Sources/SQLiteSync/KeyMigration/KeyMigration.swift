import Foundation
import GRDB

extension SyncEngine {
  /// Turns integer primary keys into UUIDs, and gives tables without a key one, in an app's
  /// migration.
  ///
  /// Each table is made anew from its own CREATE statement, in which only the key and the foreign
  /// keys change: rowids, other columns, constraints, comments, indexes, triggers and views stay.
  /// Tables that are not listed and refer to a listed one are made anew too, with their foreign
  /// keys. A key that is text already stays as it is. New keys are derived from the table and the
  /// integer; a table without a key gets the column `id`. Full-text indexes follow where their
  /// declaration says what they hold.
  ///
  /// What is not understood, triggers and views that put a key beside an integer that stays one,
  /// checks, generated columns and indexes that compute with a key, and what an engine would refuse
  /// afterwards, are refused, all at once, and nothing is changed then. Other
  /// integers that the schema does not declare as foreign keys are not found, such as those in
  /// JSON. See <doc:MigratingKeys>.
  ///
  /// - Parameters:
  ///   - db: The database of the migration, with foreign keys not enforced (GRDB's default there).
  ///   - tables: The tables that will be synchronized.
  ///   - uuid: Makes the identifier that all new keys of this database are derived from. Two
  ///     databases must not have the same, or rows of theirs will be taken for one.
  ///   - uuidFunction: An SQL function without arguments that makes the keys of rows to come, as
  ///     text; nil for `randomUUID`, which needs none. Every connection must have it, and other
  ///     programs cannot insert rows without it.
  ///   - dropUniqueConstraints: Whether UNIQUE is taken from these tables; unique indexes become
  ///     ordinary ones. An engine refuses only those that have an `ON CONFLICT` clause, or are over
  ///     expressions.
  ///   - replaceNulls: Whether `NOT NULL` columns with a default get `ON CONFLICT REPLACE`. An
  ///     engine accepts tables that lack it: see `SyncEngine.warnings(_:)`.
  ///   - validates: Whether an engine has to accept the tables afterwards; false for tables that
  ///     something else is done to before one is created.
  /// - Throws: `SyncError` with the table and what to do; errors of the database.
  public static func migratePrimaryKeys(
    _ db: Database, tables: [any TableRecord.Type], uuid: () -> UUID = { UUID() },
    uuidFunction: DatabaseFunction? = nil, dropUniqueConstraints: Bool = false,
    replaceNulls: Bool = false, validates: Bool = true
  ) throws {
    try migratePrimaryKeys(
      db, tableNames: tables.map { $0.databaseTableName }, uuid: uuid, uuidFunction: uuidFunction,
      dropUniqueConstraints: dropUniqueConstraints, replaceNulls: replaceNulls,
      validates: validates)
  }

  /// Turns integer primary keys of tables given by name into UUIDs.
  ///
  /// See the other method.
  public static func migratePrimaryKeys(
    _ db: Database, tableNames: [String], uuid: () -> UUID = { UUID() },
    uuidFunction: DatabaseFunction? = nil, dropUniqueConstraints: Bool = false,
    replaceNulls: Bool = false, validates: Bool = true
  ) throws {
    guard try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == false else {
      throw SyncError(
        .keysNotMigrated,
        "Foreign keys are enforced: to drop a table would delete what refers to it.",
        hint: "Call it in a migration whose foreign key checks are deferred, as is the default.")
    }
    try TemporaryShadow.refuse(in: db, tables: tableNames)
    let plan = try KeyPlan(
      tableNames, dropUniqueConstraints: dropUniqueConstraints, replaceNulls: replaceNulls, in: db)
    let keys = DerivedKey(namespace: uuid())
    let keyDefault = try uuidFunction.map { try KeyMigration.call($0, in: db) } ?? randomUUID
    try keys.withFunction(in: db) {
      try db.inSavepoint {
        let migration = KeyMigration(db: db, plan: plan, keys: keys, keyDefault: keyDefault)
        var objections = plan.objections
        let refusals = try objections.collect { try migration.run() }
        objections += refusals ?? []
        if validates, let refusals {
          // All at once, although what was not migrated has the key that it had.
          let left = Set(plan.objections.compactMap(\.table)).union(
            refusals.isEmpty ? [] : plan.tables.map(\.name))
          objections += try InspectedTables(tableNames, private: [], in: db).objections
            .filter { !$0.isAboutKey || !left.contains($0.table ?? "") }
        }
        if let error = SyncError(objections) { throw error }
        return .commit
      }
    }
  }
}

/// Makes the tables of a plan anew, by SQLite's procedure for changes that ALTER TABLE cannot make
/// (lang_altertable.html, 7).
///
/// The rows wait in a temporary table meanwhile. So the new table is created under its own name,
/// and no renaming touches the references of other tables, triggers and views.
struct KeyMigration {
  let db: Database
  let plan: KeyPlan
  let keys: DerivedKey
  /// What makes the key of a new row, in SQL.
  let keyDefault: String

  /// A call of an SQL function that makes keys.
  ///
  /// Throws when it is not there, or makes no text.
  static func call(_ function: DatabaseFunction, in db: Database) throws -> String {
    let call = "\(function.name.quotedIdentifier)()"
    let type: String?
    do {
      type = try String.fetchOne(db, sql: "SELECT typeof(\(call))")
    } catch let error as DatabaseError {
      throw SyncError(
        .keysNotMigrated, "The function \(function.name) fails: \(error.message ?? "\(error)").",
        hint: "Add it to every connection, in Configuration.prepareDatabase.")
    }
    guard type == "text" else {
      throw SyncError(
        .keysNotMigrated, "The function \(function.name) makes keys that are not text.",
        hint: "Let it return a UUID as its 36 characters.")
    }
    return call
  }

  /// Does everything, and checks that nothing else changed.
  ///
  /// - Returns: What keeps it from being done.
  /// - Throws: `SyncError` for what has ended it in the middle.
  func run() throws -> [SyncError] {
    let sources = try KeySources(plan, in: db)
    let indexes = try SearchIndexes(plan, sources, in: db)
    var objections =
      try indexes.objections + TriggerKeys(plan, sources, in: db).objections
      + sources.objectionsToViews + plan.objectionsToExpressions(in: db)
    let statements = try plan.tables.compactMap { table in
      try objections.collect {
        (table, try TableRewriting(table: table, keys: keys, keyDefault: keyDefault).sql())
      }
    }
    guard objections.isEmpty else { return objections }
    let compiled = try SchemaProbe.compiling(in: db)
    let objects = try plan.tables.flatMap { try self.objects(of: $0, indexes) }
    let temporary = try temporaryTriggers()
    for (table, sql) in statements { try rebuild(table, sql) }
    for (table, sql) in objects { try perform(sql, for: table) }
    for (name, sql) in try temporary.filter({ try temporaryTriggers()[$0.key] == nil }) {
      try perform(Self.temporaryTrigger(sql), for: name)
    }
    try indexes.migrate()
    for table in plan.tables { _ = try objections.collect { try checkForeignKeys(of: table) } }
    objections += try compiled.subtracting(SchemaProbe.compiling(in: db)).sorted().map { broken in
      SyncError(
        .keysNotMigrated, table: broken.table,
        "After the migration \(broken.what) would not work any more.",
        hint: "Name the columns in the triggers and views that use it, or drop them before.")
    }
    return objections
  }

  /// The indexes and triggers that go with a table, as they are to be created again.
  private func objects(
    of table: KeyPlan.Table, _ indexes: SearchIndexes
  ) throws -> [(table: String, sql: String)] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT type, sql, name FROM sqlite_schema
        WHERE type IN ('index', 'trigger') AND tbl_name = ? COLLATE NOCASE AND sql IS NOT NULL
        ORDER BY rowid
        """, arguments: [table.name]
    ).map { row in
      let sql = try indexes.rewrittenTriggers[row.read("name")] ?? row.read("sql")
      let isRelaxed = try row.read("type") == "index" && table.losesUnique
      return (table.name, isRelaxed ? TableRewriting.withoutUnique(index: sql) : sql)
    }
  }

  /// Triggers of this connection alone, by name; they go with their table too.
  private func temporaryTriggers() throws -> [String: String] {
    let rows = try Row.fetchAll(
      db, sql: "SELECT name, sql FROM sqlite_temp_schema WHERE type = 'trigger'")
    return try rows.reduce(into: [:]) { try $0[$1.read("name")] = $1.read("sql") }
  }

  /// SQLite keeps the statement without the word TEMP.
  private static func temporaryTrigger(_ sql: String) -> String {
    let tokens = SQLTokenizer.tokens(of: sql) ?? []
    let isQualified = tokens.count > 3 && tokens[3].isSymbol(".")
    guard !isQualified else { return sql }
    return sql.replacing("CREATE TRIGGER", with: "CREATE TEMP TRIGGER", maxReplacements: 1)
  }

  // MARK: - One table

  private static let copy = "temp.sync_key_migration"

  // By names that no column has: the copy is compared with the table.
  private static let copiedRowID = "sync_rowid"
  private static func copied(_ column: Int) -> String { "sync_column\(column)" }

  private func rebuild(_ table: KeyPlan.Table, _ sql: String) throws {
    let name = "main." + table.name.quotedIdentifier
    let copied = table.columns.indices.map(Self.copied)
    let declared = zip(copied, table.columns).map { copy, column in
      // As a foreign key compares them: the text '1' refers to the row 1.
      table.origins[column.name] == nil ? copy : copy + " INTEGER"
    }
    let hasRowID = table.rowID != nil
    let sources = (hasRowID ? [table.rowID ?? ""] : []) + table.columns.map(\.name.quotedIdentifier)
    let columns = (hasRowID ? [Self.copiedRowID] : []) + declared
    try perform(
      "CREATE TABLE \(Self.copy) (\(columns.joined(separator: ", ")))", for: table.name)
    try perform(
      "INSERT INTO \(Self.copy) SELECT \(sources.joined(separator: ", ")) FROM \(name)",
      for: table.name)
    try perform("DROP TABLE \(name)", for: table.name)
    try perform(sql, for: table.name)
    try checkColumns(of: table)
    let values = try self.values(of: table)
    try perform(
      """
      INSERT INTO \(name) (\(values.map(\.column).joined(separator: ", ")))
      SELECT \(values.map(\.value).joined(separator: ", ")) FROM \(Self.copy) ORDER BY rowid
      """, for: table.name)
    try checkRows(of: table, values)
    try perform("DROP TABLE \(Self.copy)", for: table.name)
  }

  /// What is written to the columns of the new table, as expressions over the copy.
  private func values(of table: KeyPlan.Table) throws -> [(column: String, value: String)] {
    var values: [(column: String, value: String)] = []
    if let rowID = table.rowID { values.append((rowID, Self.copiedRowID)) }
    if let key = table.addedKey {
      values.append(
        (
          key.quotedIdentifier,
          DerivedKey.sql(table: table.name, origin: .rowid, of: Self.copiedRowID)
        ))
    }
    for (index, column) in table.columns.enumerated() where !column.isGenerated {
      var value = Self.copied(index)
      if let origin = table.origins[column.name] {
        value = DerivedKey.sql(table: origin, of: value)
        if column.name == table.convertedKey, table.rowID != nil {
          // A key that is not the rowid itself may be NULL.
          let other = DerivedKey.sql(table: table.name, origin: .rowid, of: Self.copiedRowID)
          value = "ifnull(\(value), \(other))"
        }
      }
      values.append((column.name.quotedIdentifier, value))
    }
    return values
  }

  // MARK: - Checks

  /// The new table has the columns of the old one, but for what was to change.
  private func checkColumns(of table: KeyPlan.Table) throws {
    let new = try KeyPlan.columns(of: table.name, in: db).filter { $0.name != table.addedKey }
    let isSame = new.elementsEqual(table.columns) { new, old in
      table.origins[old.name] == nil ? new == old : new.name == old.name && new.type == "TEXT"
    }
    let references = try KeyPlan.references(of: table.name, in: db)
    guard isSame, references == table.references else {
      throw SyncError(
        .keysNotMigrated, table: table.name, "Its CREATE statement is not understood.",
        hint: "Migrate this table by hand.")
    }
  }

  private func checkRows(
    of table: KeyPlan.Table, _ values: [(column: String, value: String)]
  ) throws {
    let name = "main." + table.name.quotedIdentifier
    let isComplete = try Bool.fetchOne(
      db, sql: "SELECT (SELECT count(*) FROM \(name)) = (SELECT count(*) FROM \(Self.copy))")
    let generated = table.columns.enumerated().filter(\.element.isGenerated)
      .map { "new.\($0.element.name.quotedIdentifier) IS NOT \(Self.copied($0.offset))" }
    var isChanged: Bool? = false
    if !generated.isEmpty {
      let same = values.filter { table.identity.contains($0.column) }
        .map { "new.\($0.column) IS \($0.value)" }.joined(separator: " AND ")
      isChanged = try Bool.fetchOne(
        db,
        sql: """
          SELECT EXISTS (SELECT 1 FROM \(Self.copy) JOIN \(name) AS new ON \(same)
          WHERE \(generated.joined(separator: " OR ")))
          """)
    }
    guard isComplete == true, isChanged == false else {
      throw SyncError(
        .keysNotMigrated, table: table.name,
        isComplete == true
          ? "A generated column is made of an integer key." : "Some rows do not fit the new table.",
        hint: "Migrate this table by hand.")
    }
  }

  private func checkForeignKeys(of table: KeyPlan.Table) throws {
    let violation: Row?
    do {
      violation = try Row.fetchOne(
        db, sql: "PRAGMA main.foreign_key_check(\(table.name.quotedIdentifier))")
    } catch let error as DatabaseError {
      throw Self.refusal(error, table.name)
    }
    guard let violation else { return }
    let parent: String = try violation.read("parent")
    throw SyncError(
      .keysNotMigrated, table: table.name,
      "A row refers to a row of \(parent) that is not there.",
      hint: "Mend or delete the rows that PRAGMA foreign_key_check names, or list \(parent) too.")
  }

  /// Runs a statement; what SQLite refuses is an error about the table.
  private func perform(_ sql: String, for table: String) throws {
    do {
      try db.execute(sql: sql)
    } catch let error as DatabaseError {
      throw Self.refusal(error, table)
    }
  }

  private static func refusal(_ error: DatabaseError, _ table: String) -> SyncError {
    SyncError(
      .keysNotMigrated, table: table, "SQLite refuses: \(error.message ?? "\(error.resultCode)").",
      hint: "Mend the table before, or migrate it by hand.")
  }
}

extension SyncError {
  /// Whether a migration that was refused would have mended it.
  fileprivate var isAboutKey: Bool {
    let reasons: Set<Reason> = [
      .unknownTable, .missingPrimaryKey, .compoundPrimaryKey, .integerPrimaryKey, .keyIsNotText,
      .nullablePrimaryKey,
    ]
    return reasons.contains(reason)
  }
}
