import GRDB

/// The stored triggers that note every edit in the transaction that makes it.
///
/// Pure SQL without custom functions, so that a write by any program is captured: a second process,
/// the `sqlite3` shell, a script. They only append: to the edit log, which `EditLog` folds, and
/// what is overwritten or deleted to the history.
struct CaptureTriggers {
  /// What an entry of the edit log says.
  enum Kind: Int {
    /// A row was inserted (all its fields).
    case insert = 0
    /// The fields of the mask were changed.
    case update = 1
    /// The row was deleted.
    case delete = 2
    /// An insert is about to replace a row whose fields in the mask differ. It counts only when the
    /// insert follows: an upsert or INSERT OR IGNORE comes here too.
    case replace = 3

    static let count = 4
  }

  /// Fields per entry: a mask is a signed 64-bit integer.
  ///
  /// Wider tables write several entries.
  static let fieldsPerMask = 60

  /// The kinds of entries about any chunk of columns.
  static let kinds = 0..<(SchemaRegistry.numbers.upperBound / fieldsPerMask + 1) * Kind.count

  /// The mask where it says nothing: of an insert, and of a deletion that the history has.
  static let noMask: Int64 = -1

  /// The mask of a deletion whose row got another key: the next entry has it.
  static let newKeyMask = -2

  /// The mask of an update of a row that REPLACE takes away, if the statement says so: see
  /// `EditEntries.noteReplacedRows`.
  static let replaceableMask = -3

  /// Milliseconds since 1970 in SQL.
  ///
  /// `unixepoch('subsec')` needs SQLite 3.42.
  static let wallClock = "CAST((julianday('now') - 2440587.5) * 86400000.0 + 0.5 AS INTEGER)"

  private static let prefix = "sync_capture_"

  /// The time of an edit as an SQL expression.
  ///
  /// Tests give a clock of their own.
  var timeSQL = wallClock

  /// Replaces the triggers of tables by what they should be.
  ///
  /// Those of all go first, and those of tables that are not synchronized with them: a table that
  /// was renamed still has triggers with the name that another one has got.
  ///
  /// - Parameter outdated: The ones among all synchronized tables whose triggers are other ones.
  func install(on outdated: [TableSchema], of tables: TableOrder, in db: Database) throws {
    guard !outdated.isEmpty else { return }
    let current = Set(tables.tables.map(\.name)).subtracting(outdated.map(\.name))
    let owners = try String.fetchSet(
      db,
      sql: """
        SELECT tbl_name FROM sqlite_schema WHERE type = 'trigger' AND name GLOB '\(Self.prefix)*'
        """)
    for table in owners.subtracting(current) { try remove(from: table, in: db) }
    for statement in outdated.flatMap(statements) { try db.execute(sql: statement) }
  }

  /// Whether the triggers of a table are what they should be.
  func areCurrent(on table: TableSchema, in db: Database) throws -> Bool {
    let present = try Set(
      String.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT sql FROM sqlite_schema
            WHERE type = 'trigger' AND tbl_name = ? AND name GLOB '\(Self.prefix)*'
            """), arguments: [table.name]))
    return present == Set(statements(for: table))
  }

  /// Whether a table has none.
  static func areMissing(from table: String, in db: Database) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT NOT EXISTS (
            SELECT 1 FROM sqlite_schema
            WHERE type = 'trigger' AND tbl_name = ? AND name GLOB '\(prefix)*')
          """), arguments: [table]) ?? true
  }

  /// What the triggers of a table take it and its columns for: `ALTER TABLE` has given them the
  /// names that these have now.
  ///
  /// - Returns: The number of the table, and the columns by theirs, as far as these triggers are
  ///   understood, which another version may have made; nil where there are none.
  static func captured(
    from table: String, in db: Database
  ) throws -> (tableID: Int64, columns: [Int: String])? {
    let triggers = try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT name, sql FROM sqlite_schema
          WHERE type = 'trigger' AND tbl_name = ?
            AND (name GLOB '\(prefix)delete_*' OR name GLOB '\(prefix)update[0-9]*')
          """), arguments: [table])
    var (number, columns): (Int64?, [Int: String]) = (nil, [:])
    for row in triggers {
      let (name, tokens) = try (row.read(0) as String, SQLTokenizer.tokens(of: row.read(1)) ?? [])
      let values = tokens.firstIndex { $0.isWord("VALUES") } ?? tokens.endIndex
      if let id = tokens.dropFirst(values + 2).first { number = Int64(id.text) }
      let digits = name.dropFirst((prefix + "update").count).prefix { $0.isASCII && $0.isNumber }
      guard let chunk = Int(digits) else { continue }
      // (… NEW.column COLLATE BINARY) << bit
      for end in tokens.indices.dropFirst(6) where tokens[end - 1].isSymbol("<") {
        guard tokens[end - 2].isSymbol("<"), tokens[end - 5].isWord("COLLATE"),
          let bit = Int(tokens[end].text), let column = tokens[end - 6].name
        else { continue }
        columns[chunk * fieldsPerMask + bit] = column
      }
    }
    return number.map { ($0, columns) }
  }

  /// Drops the triggers of a table.
  func remove(from table: String, in db: Database) throws {
    let names = try String.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT name FROM sqlite_schema
          WHERE type = 'trigger' AND tbl_name = ? AND name GLOB '\(Self.prefix)*'
          """), arguments: [table])
    for name in names {
      try db.execute(sql: "DROP TRIGGER main.\(name.quotedIdentifier)")
    }
  }

  /// The CREATE TRIGGER statements of a table.
  func statements(for table: TableSchema) -> [String] {
    [insert(table), delete(table), keyChange(table)] + replacements(table) + updates(table)
      + rivals(table) + bases(table)
  }

  private var isCapturing: String { "\(DeviceState.isApplying) = 0" }

  private func create(
    _ name: String, _ event: String, on table: TableSchema, when condition: String? = nil,
    _ body: String
  ) -> String {
    """
    CREATE TRIGGER \((Self.prefix + name + "_" + table.name).quotedIdentifier)
    \(event) ON \(table.name.quotedIdentifier)
    WHEN \(condition.map { "\($0) AND " } ?? "")\(isCapturing)
    BEGIN
    \(body)
    END
    """
  }

  private func append(_ table: TableSchema, key: String, kind: Int, mask: String) -> String {
    """
      \(EditEntries.insertion)
      VALUES (\(table.id), \(key), \(kind), \(mask), \(timeSQL));
    """
  }

  /// Ends the statement when the key of the new row cannot be part of a record's name.
  private func refuse(_ table: TableSchema) -> String {
    // Not of the folded key: `lower` makes a text of bytes, too.
    let isText = "typeof(NEW.\(table.key.quotedIdentifier)) = 'text'"
    let key = table.keyExpression(of: "NEW")
    return """
        SELECT CASE WHEN \(isText)
          THEN RAISE(ABORT, \(SyncEngine.invalidRecordNameError.quotedLiteral))
          ELSE RAISE(ABORT, \(SyncEngine.keyIsNotTextError.quotedLiteral)) END
        WHERE NOT \(isText) OR \(RecordName.objectionSQL(key: key, table: table.name));
      """
  }

  private func insert(_ table: TableSchema) -> String {
    create(
      "insert", "AFTER INSERT", on: table,
      refuse(table) + "\n"
        + append(
          table, key: table.keyExpression(of: "NEW"), kind: Kind.insert.rawValue, mask: "-1"))
  }

  private func delete(_ table: TableSchema) -> String {
    create(
      "delete", "AFTER DELETE", on: table,
      append(
        table, key: table.keyExpression(of: "OLD"), kind: Kind.delete.rawValue, mask: "-1")
        + (table.isEngines
          ? "" : "\n" + History.keep(deletedRowOf: table, atSQL: timeSQL)))
  }

  /// A changed key is another record: the old one is deleted and a new one made.
  private func keyChange(_ table: TableSchema) -> String {
    create(
      "key", "AFTER UPDATE OF \(table.key.quotedIdentifier)", on: table,
      when: hasKeyChanged(table),
      refuse(table) + "\n"
        + append(
          table, key: table.keyExpression(of: "OLD"), kind: Kind.delete.rawValue,
          mask: "\(Self.newKeyMask)")
        + "\n"
        + append(
          table, key: table.keyExpression(of: "NEW"), kind: Kind.insert.rawValue, mask: "-1"))
  }

  private func hasKeyChanged(_ table: TableSchema) -> String {
    "\(table.keyExpression(of: "OLD")) IS NOT \(table.keyExpression(of: "NEW")) COLLATE BINARY"
  }

  /// REPLACE deletes the old row without delete triggers; only a BEFORE trigger still sees it.
  private func replacements(_ table: TableSchema) -> [String] {
    let chunks = chunks(of: table)
    // Of a row that is only a key nothing can differ, but it must not look like a new one.
    return (chunks.isEmpty ? [(0, [])] : chunks).map { chunk, columns in
      let name = table.name.quotedIdentifier
      let kind = Kind.replace.rawValue + chunk * Kind.count
      return create(
        "replace\(chunk)", "BEFORE INSERT", on: table,
        when:
          // By another name: a table may be called "new" itself.
          "EXISTS (SELECT 1 FROM \(name) AS old WHERE old.\(table.key.quotedIdentifier) ="
          + " NEW.\(table.key.quotedIdentifier))",
        """
          \(EditEntries.insertion)
          SELECT \(table.id), \(table.keyExpression(of: "NEW")), \(kind),
            \(mask(columns) { $0.differs("old.\($0.name.quotedIdentifier)", inserted($0)) }),
            \(timeSQL)
          FROM \(name) AS old
          WHERE old.\(table.key.quotedIdentifier) = NEW.\(table.key.quotedIdentifier);
        """)
    }
  }

  /// REPLACE also deletes rows with the same values in a UNIQUE index, without delete triggers.
  private func rivals(_ table: TableSchema) -> [String] {
    table.uniqueIndexes.enumerated().flatMap { number, index in
      let names = index.columns.map(\.name.quotedIdentifier)
      func rivals(_ value: (String) -> String, besides row: String) -> String {
        let same = index.columns.map { column in
          "other.\(column.name.quotedIdentifier) = \(value(column.name))"
            + " COLLATE \(column.collation.quotedIdentifier)"
        }
        return """
            \(EditEntries.insertion)
            SELECT \(table.id), \(table.keyExpression(of: "other")), \(Kind.update.rawValue),
              \(Self.replaceableMask), \(timeSQL)
            FROM \(table.name.quotedIdentifier) AS other
            WHERE \(same.joined(separator: " AND "))
              AND other.\(table.key.quotedIdentifier) IS NOT \(row).\(table.key.quotedIdentifier);
          """
      }
      let columns = table.columnsByName
      return [
        create(
          "insertRival\(number)", "BEFORE INSERT", on: table,
          rivals({ name in columns[name].map(inserted) ?? "NULL" }, besides: "NEW")),
        create(
          "updateRival\(number)", "BEFORE UPDATE OF \(names.joined(separator: ", "))", on: table,
          rivals({ "NEW.\($0.quotedIdentifier)" }, besides: "OLD")),
      ]
    }
  }

  /// The value that an insert will store: before it, a NOT NULL default is not filled in yet.
  private func inserted(_ column: TableSchema.Column) -> String {
    let value = "NEW.\(column.name.quotedIdentifier)"
    guard column.isNotNull, let defaultSQL = column.defaultSQL else { return value }
    return "ifnull(\(value), (\(defaultSQL)))"
  }

  /// What columns with a merge policy held before an edit: of a row that is made, nothing.
  private func bases(_ table: TableSchema) -> [String] {
    let columns = table.mergePolicies.keys.sorted()
    guard !columns.isEmpty else { return [] }
    let (name, key) = (table.name.quotedIdentifier, table.key.quotedIdentifier)
    let byName = table.columnsByName
    func isChanged(_ column: String) -> String {
      let (old, new) = ("OLD.\(column.quotedIdentifier)", "NEW.\(column.quotedIdentifier)")
      return byName[column]?.differs(old, new) ?? "false"
    }
    return [
      create(
        "base",
        "AFTER UPDATE OF \(columns.map(\.quotedIdentifier).joined(separator: ", "))", on: table,
        MergeBases.capture(
          columns, of: table, key: table.keyExpression(of: "NEW"), isChanged: isChanged)),
      create(
        "insertedBase", "AFTER INSERT", on: table,
        MergeBases.capture(
          columns, of: table, key: table.keyExpression(of: "NEW"), value: { _ in "NULL" })),
      create(
        "replacedBase", "BEFORE INSERT", on: table,
        MergeBases.capture(
          columns, of: table, key: table.keyExpression(of: "NEW"),
          source: "FROM \(name) AS OLD", isChanged: { _ in "OLD.\(key) = NEW.\(key)" })),
    ]
  }

  private func updates(_ table: TableSchema) -> [String] {
    chunks(of: table).map { chunk, columns in
      let names = columns.map(\.name.quotedIdentifier).joined(separator: ", ")
      return create(
        "update\(chunk)", "AFTER UPDATE OF \(names)", on: table,
        append(
          table, key: table.keyExpression(of: "NEW"),
          kind: Kind.update.rawValue + chunk * Kind.count,
          mask: mask(columns) {
            $0.differs("OLD.\($0.name.quotedIdentifier)", "NEW.\($0.name.quotedIdentifier)")
          })
          + (table.isEngines
            ? "" : "\n" + History.keep(overwrittenIn: columns, of: table, atSQL: timeSQL)))
    }
  }

  /// One bit for each column that differs.
  private func mask(
    _ columns: [TableSchema.Column], differs: (TableSchema.Column) -> String
  ) -> String {
    guard !columns.isEmpty else { return "0" }
    // SQLite gives << and | the same precedence.
    return columns.map { "((\(differs($0))) << \($0.number % Self.fieldsPerMask))" }
      .joined(separator: " | ")
  }

  /// The columns by the mask that they are in.
  ///
  /// A mask whose columns were all dropped is left out.
  private func chunks(of table: TableSchema) -> [(Int, [TableSchema.Column])] {
    Dictionary(grouping: table.columns) { $0.number / Self.fieldsPerMask }
      .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
