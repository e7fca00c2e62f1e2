import GRDB

/// Gives tables and columns their stable numbers, and says what changed since the last run.
enum SchemaRegistry {
  static let table = "sync_tables"

  /// What a version of the app knows that the one before it did not.
  struct Change: Equatable {
    /// Tables synchronized for the first time on this device.
    var newTables: Set<String> = []
    /// Those of them that were not listed for a while, and were here all the time.
    var returningTables: Set<String> = []
    /// Columns that a known table did not have, by table.
    var newColumns: [String: [String]] = [:]
  }

  /// Validates and numbers the tables.
  ///
  /// Throws every rule that is broken, and changes nothing then.
  static func register(
    _ names: [String], private privateNames: [String],
    mergePolicies: [String: [String: MergePolicy]] = [:], in db: Database
  ) throws -> (tables: TableOrder, change: Change) {
    let inspected = try InspectedTables(
      names, private: privateNames, mergePolicies: mergePolicies, in: db)
    if let error = SyncError(inspected.objections) { throw error }
    var change = Change()
    let numbered = try inspected.tables.map { table in
      var numbered = try number(
        table, isPrivate: inspected.privateNames.contains(table.name), change: &change, in: db)
      numbered.mergePolicies = (mergePolicies[table.name] ?? [:]).filter { $1 != .lastEdit }
      return numbered
    }
    // Last, so that the app's tables keep their numbers.
    let own = try [SharedZones.table, DeviceNames.table].map {
      try number(SchemaInspection.table($0, in: db), isPrivate: true, change: &change, in: db)
    }
    return (try TableOrder(numbered + own), change)
  }

  private static func number(
    _ raw: SchemaInspection.RawTable, isPrivate: Bool, change: inout Change, in db: Database
  ) throws -> TableSchema {
    let wasSynchronized =
      try Bool.fetchOne(
        db.cachedStatement(sql: "SELECT isSynchronized FROM sync_tables WHERE name = ?"),
        arguments: [raw.name])
      ?? false
    if !wasSynchronized { change.newTables.insert(raw.name) }
    let id = try tableID(raw.name, isSynchronized: true, in: db)
    // The rules left exactly one.
    let key = raw.columns.filter { $0.keyPosition > 0 }[0].name
    try note(key: key, collation: raw.keyCollation, ofTable: id, in: db)
    let fields = raw.columns.filter { raw.isKeyFolded || $0.name != key }
    let known = try columns(ofTable: id, in: db)
    if !wasSynchronized, !known.isEmpty { change.returningTables.insert(raw.name) }
    let added = try note(fields.map(\.name), ofTable: id, in: db)
    // Also of a table that was not listed for a while: its records have no value for them.
    if wasSynchronized || !known.isEmpty, !added.isEmpty { change.newColumns[raw.name] = added }
    let numbers = try columnNames(ofTable: id, in: db)
      .reduce(into: [:]) { $0[$1.value] = $1.key }
    return TableSchema(
      id: id, name: raw.name, key: key, isKeyFolded: raw.isKeyFolded,
      columns: fields.map {
        TableSchema.Column(
          number: numbers[$0.name] ?? 0, name: $0.name, isNotNull: $0.isNotNull,
          defaultSQL: $0.defaultSQL, awaitsValue: $0.awaitsValue,
          keepsStorageClass: $0.keepsStorageClass)
      },
      foreignKeys: raw.foreignKeys, isPrivate: isPrivate,
      uniqueIndexes: raw.uniqueIndexes.compactMap { index in
        let columns = index.columns.compactMap { column in
          column.name.map { TableSchema.UniqueIndex.Column(name: $0, collation: column.collation) }
        }
        // With the key in it, it says no more than the key.
        guard !columns.contains(where: { $0.name == key }) else { return nil }
        return TableSchema.UniqueIndex(columns: columns, predicate: index.predicate)
      })
  }

  /// The number of a table, known to the app or only to the cloud.
  static func tableID(
    _ name: String, isSynchronized: Bool = false, in db: Database
  ) throws -> Int64 {
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO sync_tables (name, isSynchronized) VALUES (?1, ?2)
        ON CONFLICT (name) DO UPDATE SET isSynchronized = max(isSynchronized, ?2)
        RETURNING id
        """)
    return try Int64.fetchOne(statement, arguments: [name, isSynchronized]) ?? 0
  }

  /// Gives new columns their numbers; one that comes back has the number it had.
  private static func note(
    _ names: [String], ofTable id: Int64, in db: Database
  ) throws -> [String] {
    let known = try columns(ofTable: id, in: db)
    let added = names.filter { !known.contains($0) }
    for name in added {
      try db.execute(
        sql: """
          INSERT INTO sync_columns (tableID, number, name)
          SELECT ?1, (SELECT coalesce(max(number), -1) + 1 FROM sync_columns WHERE tableID = ?1), ?2
          WHERE true ON CONFLICT (tableID, name) DO UPDATE SET isDropped = 0
          """, arguments: [id, name])
    }
    return added
  }

  private static func note(
    key: String, collation: String, ofTable id: Int64, in db: Database
  ) throws {
    try db.cachedStatement(
      sql: """
        UPDATE sync_tables SET keyColumn = ?1, keyCollation = ?2
        WHERE id = ?3 AND (keyColumn IS NOT ?1 OR keyCollation IS NOT ?2)
        """
    ).execute(arguments: [key, collation, id])
  }

  /// The primary key with which a table was synchronized last; nil when that is not known.
  static func key(
    ofTable name: String, in db: Database
  ) throws -> (column: String, collation: String)? {
    // Nobody has looked yet in a database of a version that does not keep it.
    let isKept = try Bool.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT EXISTS (SELECT 1 FROM pragma_table_info('sync_tables') WHERE name = 'keyColumn')
          """))
    guard isKept == true else { return nil }
    return try Row.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT keyColumn, keyCollation FROM sync_tables WHERE name = ? AND keyColumn NOTNULL
          """), arguments: [name]
    ).map { try ($0.read(0), $0.read(1)) }
  }

  /// The number of a table that is known already.
  static func knownTableID(_ name: String, in db: Database) throws -> Int64? {
    try Int64.fetchOne(
      db.cachedStatement(sql: "SELECT id FROM sync_tables WHERE name = ?"), arguments: [name])
  }

  /// A table that an app calls by a name, as SQLite would find it: its number, and its name as it
  /// was declared.
  static func table(
    called name: String, in db: Database
  ) throws -> (id: Int64, name: String)? {
    if let id = try knownTableID(name, in: db) { return (id, name) }
    return try synchronizedTables(in: db).first { $0.name.isSameName(as: name) }
  }

  /// The name of a table as it was declared; as it is given where no such table is synchronized.
  static func name(ofTableCalled name: String, in db: Database) throws -> String {
    try isInstalled(in: db) ? table(called: name, in: db)?.name ?? name : name
  }

  /// Whether an engine, or `SyncEngine.prepare`, has ever seen the database.
  static func isInstalled(in db: Database) throws -> Bool {
    try db.hasTable("sync_tables")
  }

  /// Whether no table has a number.
  static func isEmpty(in db: Database) throws -> Bool {
    try Bool.fetchOne(db.cachedStatement(sql: "SELECT NOT EXISTS (SELECT 1 FROM sync_tables)"))
      ?? true
  }

  /// The tables that are synchronized, in the order of their numbers.
  static func synchronizedTables(in db: Database) throws -> [(id: Int64, name: String)] {
    guard try isInstalled(in: db) else { return [] }
    return try Row.fetchAll(
      db.cachedStatement(
        sql: "SELECT id, name FROM sync_tables WHERE isSynchronized ORDER BY id")
    ).map { try ($0.read(0), $0.read(1)) }
  }

  /// The tables of which records came, and that are called here as others are but for the case.
  static func otherSpellings(of names: [String], in db: Database) throws -> [(String, String)] {
    guard try isInstalled(in: db) else { return [] }
    let here = Dictionary(names.map { ($0.asciiLowercased, $0) }) { first, _ in first }
    return try String.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT name FROM sync_tables t WHERE NOT isSynchronized
            AND EXISTS (\(MetadataStore.ids(where: "tableID", is: "t.id"))) ORDER BY name
          """)
    ).compactMap { other in here[other.asciiLowercased].map { (other, $0) } }
      .filter { $0.0 != $0.1 }
  }

  /// The tables that are synchronized, with their columns: what an engine goes by.
  static func contents(in db: Database) throws -> [String] {
    try String.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT t.id || ' ' || quote(t.name) || ' ' || ifnull(c.number || ' ' || quote(c.name), '')
          FROM sync_tables t
          LEFT JOIN (SELECT * FROM sync_columns WHERE NOT isDropped) c ON c.tableID = t.id
          WHERE t.isSynchronized ORDER BY t.id, c.number
          """))
  }

  /// The numbers of the tables that are not synchronized, and of which changes are unsent.
  static func takenOutWithChanges(in db: Database) throws -> [Int64] {
    try Int64.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT id FROM sync_tables WHERE NOT isSynchronized
            AND \(Outbox.isPending(anyOfTable: "sync_tables.id")) ORDER BY id
          """))
  }

  /// Takes a table out of synchronization; it keeps its number.
  static func takeOut(_ id: Int64, in db: Database) throws {
    try db.execute(sql: "UPDATE sync_tables SET isSynchronized = 0 WHERE id = ?", arguments: [id])
  }

  /// The numbers of the tables whose rows are to be compared with the cloud's records.
  static func rebuilt(in db: Database) throws -> Set<Int64> {
    try Int64.fetchSet(db.cachedStatement(sql: "SELECT id FROM sync_tables WHERE isRebuilt"))
  }

  /// Notes tables as such; without any, none is.
  static func setRebuilt(_ ids: [Int64], in db: Database) throws {
    let isOne = ids.isEmpty ? "true" : "id IN (\(databaseQuestionMarks(count: ids.count)))"
    try db.execute(
      sql: "UPDATE sync_tables SET isRebuilt = \(!ids.isEmpty) WHERE \(isOne)",
      arguments: StatementArguments(ids))
  }

  /// The names of tables, given a subquery for their numbers.
  static func names(in numbers: String, _ db: Database) throws -> [String] {
    try String.fetchAll(
      db.cachedStatement(sql: "SELECT name FROM sync_tables WHERE id IN (\(numbers)) ORDER BY name")
    )
  }

  /// Beside a row `r` that is about a table, that of the table.
  static func join(_ table: String = "t", of tableID: String = "r.tableID") -> String {
    "JOIN sync_tables \(table) ON \(table).id = \(tableID)"
  }

  /// The number of a table that an app calls by a name, as an SQL expression: see
  /// `table(called:in:)`.
  static func number(ofTableCalled name: String) -> String {
    let name = name.quotedLiteral
    return """
      (SELECT id FROM sync_tables WHERE name = \(name) COLLATE NOCASE
        AND (isSynchronized OR name = \(name)) ORDER BY name <> \(name) LIMIT 1)
      """
  }

  /// The number of a table, as an SQL expression.
  static func number(ofTable name: String) -> String {
    "(SELECT id FROM sync_tables WHERE name = \(name.quotedLiteral))"
  }

  /// Lets two tables have each other's names.
  static func exchange(table one: String, with other: String, in db: Database) throws {
    try db.exchange(one, other, in: "name", of: "sync_tables", where: "true")
  }

  // MARK: - Columns

  /// Lets two columns of a table have each other's names.
  static func exchange(
    column one: String, with other: String, ofTable id: Int64, in db: Database
  ) throws {
    try db.exchange(one, other, in: "name", of: "sync_columns", where: "tableID = ?", [id])
    try db.exchange(one, other, in: "keyColumn", of: "sync_tables", where: "id = ?", [id])
  }

  /// The names of a table's columns that are synchronized, or were when it was taken out, in the
  /// order in which they came.
  static func columns(ofTable id: Int64, in db: Database) throws -> [String] {
    try String.fetchAll(
      db.cachedStatement(
        sql: "SELECT name FROM sync_columns WHERE tableID = ? AND NOT isDropped ORDER BY number"),
      arguments: [id])
  }

  /// The names of all columns by table and number, those included that are not there any more.
  static func columnNames(in db: Database) throws -> [Int64: [Int: String]] {
    try Row.fetchAll(
      db.cachedStatement(sql: "SELECT tableID, number, name FROM sync_columns")
    ).reduce(into: [:]) { names, row in
      try names[row.read(0), default: [:]][number(in: row)] = row.read(2)
    }
  }

  /// The names of a table's columns by number, those included that are not there any more.
  static func columnNames(ofTable id: Int64, in db: Database) throws -> [Int: String] {
    try Row.fetchAll(
      db.cachedStatement(sql: "SELECT number, name FROM sync_columns WHERE tableID = ?"),
      arguments: [id]
    ).reduce(into: [:]) { names, row in try names[number(in: row)] = row.read(1) }
  }

  /// The number of a column, given the name of its table.
  static func number(ofColumn name: String, table: String, in db: Database) throws -> Int? {
    try knownTableID(table, in: db).flatMap { id in
      let names = try columnNames(ofTable: id, in: db)
      let exact = names.first { $0.value == name }
      return (exact ?? names.first { $0.value.isSameName(as: name) })?.key
    }
  }

  /// The name of a column, or of the key, of a table as it was declared; as it is given where there
  /// is no such column.
  static func name(
    ofColumnCalled name: String, ofTable table: String, in db: Database
  ) throws -> String {
    guard let id = try knownTableID(table, in: db) else { return name }
    let names = try Array(columnNames(ofTable: id, in: db).values)
    let known = try names + [key(ofTable: table, in: db)?.column].compactMap { $0 }
    return known.contains(name) ? name : known.sorted().first { $0.isSameName(as: name) } ?? name
  }

  /// The greatest number that any column has.
  static func greatestColumnNumber(in db: Database) throws -> Int {
    try columnNames(in: db).values.flatMap(\.keys).max() ?? 0
  }

  /// The numbers that a column can have: the history has a column for each, and no table of SQLite
  /// has more.
  static let numbers = 0..<32_767

  private static func number(in row: Row) throws -> Int {
    try row.read("number", of: "sync_columns", in: numbers)
  }

  /// Takes a column out, or with nil all columns; they keep their numbers.
  ///
  /// One that was never synchronized is known afterwards: it may have been renamed before.
  static func drop(_ column: String?, ofTable id: Int64, in db: Database) throws {
    if let column { _ = try note([column], ofTable: id, in: db) }
    try db.execute(
      sql: "UPDATE sync_columns SET isDropped = 1 WHERE tableID = ? AND name = ifnull(?, name)",
      arguments: [id, column])
  }

  /// Forgets that any table was ever synchronized; tables keep their numbers.
  static func forgetTables(in db: Database) throws {
    try db.execute(
      sql: """
        UPDATE sync_tables SET isSynchronized = 0, keyColumn = NULL, keyCollation = NULL;
        UPDATE sync_columns SET isDropped = 1
        """)
  }

  /// Takes out the columns of tables that are neither synchronized nor there, and their keys.
  static func dropColumnsOfGoneTables(in db: Database) throws {
    let isGone = """
      NOT isSynchronized AND name NOT IN (SELECT name FROM sqlite_schema WHERE type = 'table')
      """
    try db.execute(
      sql: """
        UPDATE sync_columns SET isDropped = 1 WHERE NOT isDropped
          AND tableID IN (SELECT id FROM sync_tables WHERE \(isGone));
        UPDATE sync_tables SET keyColumn = NULL, keyCollation = NULL
        WHERE keyColumn NOTNULL AND \(isGone)
        """)
  }
}
