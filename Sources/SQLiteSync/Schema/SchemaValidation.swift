import Cloud

/// What a table must be to be synchronized: each rule a function that returns its own error.
///
/// The rules follow from rows that meet over several devices and versions: keys made on two devices
/// must not collide, a row must be writable when some of its columns are unknown to the sender, and
/// no constraint may tie a row to others that are not here yet.
enum SchemaValidation {
  typealias RawTable = SchemaInspection.RawTable
  /// A rule, given a table and all synchronized tables by name.
  typealias Rule = @Sendable (RawTable, [String: RawTable]) -> SyncError?

  /// Every rule, in the order in which a person would mend them.
  static let rules: [Rule] = [
    tableName, primaryKey, keyType, keyAffinity, keyNotNull, columnDefaults, columnConflicts,
    columnNames, reservedNames, columnCount, uniqueness, compoundForeignKeys, foreignTables,
    foreignColumns, foreignActions,
  ]

  /// Throws the first rule that one of the tables breaks.
  ///
  /// Touches nothing.
  static func validate(_ tables: [RawTable]) throws {
    let byName = Dictionary(uniqueKeysWithValues: tables.map { ($0.name, $0) })
    for table in tables {
      for rule in rules {
        if let error = rule(table, byName) { throw error }
      }
    }
  }

  // MARK: - Names

  /// Bytes of a table's name: of a record's name they leave enough to the key.
  private static let tableNameBytes = 128

  private static let tableName: Rule = { table, _ in
    let name = table.name
    guard
      name.contains(":") || name.asciiLowercased.hasPrefix("sync_") || !name.isPrintableASCII
        || name.utf8.count > tableNameBytes
    else { return nil }
    return SyncError(
      .invalidTableName, table: name,
      "A table's name is part of its records' names: ASCII, at most \(tableNameBytes) bytes, "
        + "without ':' and the prefix 'sync_'.",
      hint: "Rename the table.")
  }

  private static let columnNames: Rule = { table, _ in
    guard
      let column = table.columns.first(where: { column in
        !(1...CloudLimits.nameBytes).contains(column.name.utf8.count)
          || column.name.unicodeScalars.contains { $0.properties.generalCategory == .control }
      })
    else { return nil }
    return SyncError(
      .invalidColumnName, table: table.name, column: column.name,
      "A field's name has 1 to \(CloudLimits.nameBytes) bytes and no control characters.",
      hint: "Rename the column.")
  }

  /// What a cloud says of every record itself, in CloudKit's words.
  private static let recordFacts: Set<String> = [
    "creationDate", "creatorUserRecordID", "etag", "lastModifiedUserRecordID", "modificationDate",
    "modifiedByDevice", "recordChangeTag", "recordID", "recordType",
  ]

  private static let reservedNames: Rule = { table, _ in
    guard let column = table.columns.first(where: { recordFacts.contains($0.name) }) else {
      return nil
    }
    return SyncError(
      .reservedColumnName, table: table.name, column: column.name,
      "A cloud keeps this name for what it says of the record itself.",
      hint: "Rename the column.")
  }

  private static let columnCount: Rule = { table, _ in
    let count = table.columns.count - (table.isKeyFolded ? 0 : 1)
    guard count > CloudLimits.fieldsPerRecord else { return nil }
    return SyncError(
      .tooManyColumns, table: table.name,
      "It has \(count) columns beside its key: a record has at most"
        + " \(CloudLimits.fieldsPerRecord) fields.",
      hint: "Move some of the columns to a table of their own.")
  }

  // MARK: - The key

  private static let primaryKey: Rule = { table, _ in
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

  private static let keyType: Rule = { table, _ in
    guard let key = table.key, key.hasIntegerAffinity else { return nil }
    return SyncError(
      .integerPrimaryKey, table: table.name, column: key.name,
      "Integer keys are assigned by each device on its own and collide.",
      hint: "Use a TEXT key with a UUID; SyncEngine.migratePrimaryKeys rewrites a database.")
  }

  /// By SQLite's rules of affinity: other keys may hold bytes or numbers, but a record's name is
  /// text.
  private static let keyAffinity: Rule = { table, _ in
    guard let key = table.key, !key.hasTextAffinity else { return nil }
    return SyncError(
      .keyIsNotText, table: table.name, column: key.name,
      "The primary key is part of the record's name and must be text.",
      hint: "Declare it TEXT; a UUID is stored as its 36 characters.")
  }

  private static let keyNotNull: Rule = { table, _ in
    guard let key = table.key, !key.isNotNull else { return nil }
    return SyncError(
      .nullablePrimaryKey, table: table.name, column: key.name,
      "SQLite lets a primary key be NULL unless it is declared NOT NULL.",
      hint: "Declare it TEXT PRIMARY KEY NOT NULL.")
  }

  // MARK: - Other columns

  private static let columnDefaults: Rule = { table, _ in
    guard
      let column = table.columns.first(where: {
        $0.keyPosition == 0 && $0.isNotNull && ($0.defaultSQL ?? "NULL").uppercased() == "NULL"
      })
    else { return nil }
    return SyncError(
      .missingDefault, table: table.name, column: column.name,
      "A NOT NULL column needs a default: an older version of the app does not send it.",
      hint: "Declare it NOT NULL ON CONFLICT REPLACE DEFAULT …, or let it be NULL.")
  }

  private static let columnConflicts: Rule = { table, _ in
    guard
      let column = table.columns.first(where: {
        $0.keyPosition == 0 && $0.isNotNull && !$0.replacesNull
      })
    else { return nil }
    return SyncError(
      .missingConflictClause, table: table.name, column: column.name,
      "A NULL from a version in which the column may be NULL would be refused here.",
      hint: "Declare it NOT NULL ON CONFLICT REPLACE DEFAULT …; the clause stands behind NOT NULL.")
  }

  private static let uniqueness: Rule = { table, _ in
    guard let columns = table.uniqueColumns.first else { return nil }
    return SyncError(
      .uniqueConstraint, table: table.name, column: columns.joined(separator: ", "),
      "Two devices can each write a row that is unique there and not together.",
      hint: "Drop the UNIQUE constraint, or make the column the primary key.")
  }

  // MARK: - Foreign keys

  private static let compoundForeignKeys: Rule = { table, _ in
    guard let parent = table.compoundForeignKeys.first else { return nil }
    return SyncError(
      .compoundForeignKey, table: table.name,
      "The foreign key to \(parent) has several columns.", hint: "Refer to a single column.")
  }

  private static let foreignTables: Rule = { table, tables in
    guard let key = table.foreignKeys.first(where: { tables[$0.table] == nil }) else { return nil }
    return SyncError(
      .foreignKeyToUnsynchronizedTable, table: table.name, column: key.column,
      "It refers to \(key.table), which is not synchronized.",
      hint: "Synchronize \(key.table) too, or drop the foreign key.")
  }

  private static let foreignColumns: Rule = { table, tables in
    guard
      let key = table.foreignKeys.first(where: { $0.parentColumn != tables[$0.table]?.key?.name })
    else { return nil }
    return SyncError(
      .foreignKeyToOtherColumn, table: table.name, column: key.column,
      "It refers to \(key.table).\(key.parentColumn), which is not the primary key.",
      hint: "Refer to the primary key of \(key.table).")
  }

  private static let foreignActions: Rule = { table, _ in
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

extension SchemaInspection.RawTable {
  /// The column of the primary key, if it is one.
  var key: Column? {
    let keys = columns.filter { $0.keyPosition > 0 }
    return keys.count == 1 ? keys[0] : nil
  }
}

// SQLite's rules of affinity (datatype3.html, 3.1), as far as keys need them.
extension SchemaInspection.RawTable.Column {
  var hasIntegerAffinity: Bool { type.uppercased().contains("INT") }

  var hasTextAffinity: Bool {
    !hasIntegerAffinity && ["CHAR", "CLOB", "TEXT"].contains(where: type.uppercased().contains)
  }
}

extension String {
  /// Whether there is nothing but the visible characters of ASCII, and blanks.
  var isPrintableASCII: Bool { utf8.allSatisfy { (0x20...0x7E).contains($0) } }
}
