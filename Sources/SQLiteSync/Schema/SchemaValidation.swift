import Cloud

/// What a table must be to be synchronized: each rule a function that returns its own error.
///
/// The rules follow from rows that meet over several devices and versions: keys made on two devices
/// must not collide, a row must be writable when some of its columns are unknown to the sender, and
/// no constraint may tie a row to others that are not here yet.
enum SchemaValidation {
  typealias RawTable = SchemaInspection.RawTable

  /// Every rule, in the order in which a person would mend them.
  static let rules: [@Sendable (RawTable, Set<String>) -> SyncError?] = [
    tableName, primaryKey, keyType, keyAffinity, keyNotNull, columnDefaults, columnNames,
    columnCount, uniqueness, foreignTables, foreignActions,
  ]

  /// Throws the first rule that a table breaks.
  ///
  /// Touches nothing.
  static func validate(_ table: RawTable, synchronized: Set<String>) throws {
    for rule in rules {
      if let error = rule(table, synchronized) { throw error }
    }
  }

  private static let tableName: @Sendable (RawTable, Set<String>) -> SyncError? = { table, _ in
    guard table.name.contains(":") || table.name.hasPrefix("sync_") || !table.name.allAscii else {
      return nil
    }
    return SyncError(
      .invalidTableName, table: table.name,
      "A table's name is part of its records' names: ASCII, without ':' and the prefix 'sync_'.",
      hint: "Rename the table.")
  }

  private static let primaryKey: @Sendable (RawTable, Set<String>) -> SyncError? = { table, _ in
    let keys = table.columns.filter { $0.keyPosition > 0 }
    switch keys.count {
    case 1: return nil
    case 0:
      return SyncError(
        .missingPrimaryKey, table: table.name, "The table has no primary key.",
        hint: "Add a TEXT primary key, or use SyncEngine.migratePrimaryKeys.")
    default:
      return SyncError(
        .compoundPrimaryKey, table: table.name,
        "The primary key has several columns: \(keys.map(\.name).joined(separator: ", ")).",
        hint: "Add a single TEXT primary key; a join table gets a key of its own.")
    }
  }

  private static let keyType: @Sendable (RawTable, Set<String>) -> SyncError? = { table, _ in
    guard let key = table.columns.first(where: { $0.keyPosition > 0 }),
      key.type.uppercased().contains("INT")
    else { return nil }
    return SyncError(
      .integerPrimaryKey, table: table.name, column: key.name,
      "Integer keys are given out by each device anew and collide.",
      hint: "Use a TEXT key with a UUID; SyncEngine.migratePrimaryKeys rewrites a database.")
  }

  /// By SQLite's rules of affinity: other keys may hold bytes or numbers, but a record's name is
  /// text.
  private static let keyAffinity: @Sendable (RawTable, Set<String>) -> SyncError? = { table, _ in
    guard let key = table.columns.first(where: { $0.keyPosition > 0 }),
      !["CHAR", "CLOB", "TEXT"].contains(where: key.type.uppercased().contains)
    else { return nil }
    return SyncError(
      .keyIsNotText, table: table.name, column: key.name,
      "The primary key is part of the record's name and must be text.",
      hint: "Declare it TEXT; a UUID is stored as its 36 characters.")
  }

  private static let keyNotNull: @Sendable (RawTable, Set<String>) -> SyncError? = { table, _ in
    guard let key = table.columns.first(where: { $0.keyPosition > 0 }), !key.isNotNull else {
      return nil
    }
    return SyncError(
      .nullablePrimaryKey, table: table.name, column: key.name,
      "SQLite lets a primary key be NULL unless it is declared NOT NULL.",
      hint: "Declare it TEXT PRIMARY KEY NOT NULL.")
  }

  private static let columnDefaults: @Sendable (RawTable, Set<String>) -> SyncError? = {
    table, _ in
    guard
      let column = table.columns.first(where: {
        $0.keyPosition == 0 && $0.isNotNull && $0.defaultSQL == nil
      })
    else { return nil }
    return SyncError(
      .missingDefault, table: table.name, column: column.name,
      "A NOT NULL column needs a default: an older version of the app does not send it.",
      hint: "Declare it NOT NULL ON CONFLICT REPLACE DEFAULT …, or let it be NULL.")
  }

  private static let columnNames: @Sendable (RawTable, Set<String>) -> SyncError? = { table, _ in
    guard let column = table.columns.first(where: { $0.name.utf8.count > 255 || $0.name.isEmpty })
    else { return nil }
    return SyncError(
      .reservedColumnName, table: table.name, column: column.name,
      "A field's name has 1 to 255 bytes.", hint: "Rename the column.")
  }

  private static let columnCount: @Sendable (RawTable, Set<String>) -> SyncError? = { table, _ in
    let count = table.columns.count - (table.isKeyFolded ? 0 : 1)
    guard count > CloudLimits.fieldsPerRecord else { return nil }
    return SyncError(
      .tooManyColumns, table: table.name,
      "It has \(count) columns beside its key: a record has at most"
        + " \(CloudLimits.fieldsPerRecord) fields.",
      hint: "Move some columns to a table of their own.")
  }

  private static let uniqueness: @Sendable (RawTable, Set<String>) -> SyncError? = { table, _ in
    guard let columns = table.uniqueColumns.first else { return nil }
    return SyncError(
      .uniqueConstraint, table: table.name, column: columns.joined(separator: ", "),
      "Two devices can each write a row that is unique there and not together.",
      hint: "Drop the UNIQUE constraint, or make the column the primary key.")
  }

  private static let foreignTables: @Sendable (RawTable, Set<String>) -> SyncError? = {
    table, synchronized in
    if let parent = table.compoundForeignKeys.first {
      return SyncError(
        .unsupportedForeignKeyAction, table: table.name,
        "The foreign key to \(parent) has several columns.", hint: "Refer to a single column.")
    }
    guard let key = table.foreignKeys.first(where: { !synchronized.contains($0.table) }) else {
      return nil
    }
    return SyncError(
      .foreignKeyToUnsynchronizedTable, table: table.name, column: key.column,
      "It refers to \(key.table), which is not synchronized.",
      hint: "Synchronize \(key.table) too, or drop the foreign key.")
  }

  private static let foreignActions: @Sendable (RawTable, Set<String>) -> SyncError? = {
    table, _ in
    guard
      let key = table.foreignKeys.first(where: {
        $0.onDelete == .restrict || $0.onDelete == .noAction
      })
    else { return nil }
    return SyncError(
      .unsupportedForeignKeyAction, table: table.name, column: key.column,
      "ON DELETE \(key.onDelete.rawValue) cannot be kept when the parent is deleted elsewhere.",
      hint: "Use ON DELETE CASCADE, SET NULL or SET DEFAULT.")
  }
}

extension String {
  /// Whether every scalar is ASCII.
  var allAscii: Bool { utf8.allSatisfy { $0 < 128 } }
}
