import GRDB

/// Gives tables and columns their stable numbers, and says what changed since the last run.
enum SchemaRegistry {
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
  /// Throws the first rule that is broken, and changes nothing then.
  static func register(
    _ names: [String], private privateNames: [String], in db: Database
  ) throws -> (tables: TableOrder, change: Change) {
    let privateTables = try tables(privateNames, besides: [], in: db)
    let shared = try tables(names, besides: privateTables, in: db)
    let all = shared + privateTables
    try SchemaValidation.validate(all)
    try SchemaRemovals.validate(all, in: db)
    var change = Change()
    let numbered = try all.map { table in
      let isPrivate = privateTables.contains { $0.name == table.name }
      return try number(table, isPrivate: isPrivate, change: &change, in: db)
    }
    // Last, so that the app's tables keep their numbers.
    let own = try SchemaInspection.table("sync_shares", in: db)
    let shares = try number(own, isPrivate: true, change: &change, in: db)
    return (try TableOrder(numbered + [shares]), change)
  }

  /// The tables with these names, each once.
  private static func tables(
    _ names: [String], besides others: [SchemaInspection.RawTable], in db: Database
  ) throws -> [SchemaInspection.RawTable] {
    var known = Set(others.map(\.name))
    return try names.map { try SchemaInspection.table($0, in: db) }
      .filter { known.insert($0.name).inserted }
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
    let fields = raw.columns.filter { raw.isKeyFolded || $0.name != key }
    let known = try columns(ofTable: id, in: db)
    if !wasSynchronized, !known.isEmpty { change.returningTables.insert(raw.name) }
    let added = try note(fields.map(\.name), ofTable: id, in: db)
    if wasSynchronized, !added.isEmpty { change.newColumns[raw.name] = added }
    let numbers = try numbers(ofTable: id, in: db)
    return TableSchema(
      id: id, name: raw.name, key: key, isKeyFolded: raw.isKeyFolded,
      columns: fields.map {
        TableSchema.Column(
          number: numbers[$0.name] ?? 0, name: $0.name, isNotNull: $0.isNotNull,
          defaultSQL: $0.defaultSQL)
      },
      foreignKeys: raw.foreignKeys, isPrivate: isPrivate)
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

  /// The names of a table's columns that are synchronized, or were when it was taken out.
  static func columns(ofTable id: Int64, in db: Database) throws -> [String] {
    try String.fetchAll(
      db.cachedStatement(sql: "SELECT name FROM sync_columns WHERE tableID = ? AND NOT isDropped"),
      arguments: [id])
  }

  /// The names of all columns by table and number, those included that are not there any more.
  static func columnNames(in db: Database) throws -> [Int64: [Int: String]] {
    let rows = try Row.fetchAll(
      db.cachedStatement(sql: "SELECT tableID, number, name FROM sync_columns"))
    return Dictionary(grouping: rows) { $0["tableID"] as Int64 }
      .mapValues { Dictionary(uniqueKeysWithValues: $0.map { ($0["number"], $0["name"]) }) }
  }

  private static func numbers(ofTable id: Int64, in db: Database) throws -> [String: Int] {
    let rows = try Row.fetchAll(
      db.cachedStatement(sql: "SELECT name, number FROM sync_columns WHERE tableID = ?"),
      arguments: [id])
    return Dictionary(uniqueKeysWithValues: rows.map { ($0["name"], $0["number"]) })
  }
}
