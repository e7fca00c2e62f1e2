import GRDB
import SQLiteSyncCloud

/// What a table must be to be synchronized: each rule a function that returns its own errors.
///
/// The rules follow from rows that meet over several devices and versions: keys made on two devices
/// must not collide, a record must name the rows that it refers to, and no constraint may tie a row
/// to others that are not here yet.
enum SchemaValidation {
  typealias RawTable = SchemaInspection.RawTable
  /// A rule, given a table and all synchronized tables by name.
  typealias Rule = @Sendable (RawTable, [String: RawTable]) -> [SyncError]

  /// Every rule, in the order in which a person would mend them.
  private static let rules: [Rule] = [
    tableName, primaryKey, keyType, keyAffinity, keyNotNull, keyCollation, columnNames,
    reservedNames, columnCount, nullConflicts, uniqueness, compoundForeignKeys, foreignTables,
    foreignColumns, foreignActions,
  ]

  /// What a schema may have, and what may come of it.
  private static let cautions: [Rule] = [
    columnDefaults, columnConflicts, varyingDefaults, uniqueAssets, clearedReferences,
    namesOfRows,
  ]

  /// Everything that keeps the tables from being synchronized.
  static func objections(to tables: [RawTable]) -> [SyncError] {
    apply(rules, to: tables) + cycles(in: tables)
  }

  /// Everything by which a record may come to wait aside, or be left out.
  static func warnings(about tables: [RawTable]) -> [SyncError] {
    apply(cautions, to: tables)
  }

  private static func apply(_ rules: [Rule], to tables: [RawTable]) -> [SyncError] {
    let byName = Dictionary(uniqueKeysWithValues: tables.map { ($0.name, $0) })
    return tables.flatMap { table in rules.flatMap { $0(table, byName) } }
  }

  private static func cycles(in tables: [RawTable]) -> [SyncError] {
    let names = Set(tables.map(\.name))
    let bare = tables.map { table in
      TableSchema(
        id: 0, name: table.name, key: "", isKeyFolded: false, columns: [],
        foreignKeys: table.foreignKeys.filter { names.contains($0.table) }, isPrivate: false)
    }
    do {
      _ = try TableOrder(bare)
      return []
    } catch {
      return [error]
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
    else { return [] }
    return [
      SyncError(
        .invalidTableName, table: name,
        "A table's name is part of its records' names: ASCII, at most \(tableNameBytes) bytes, "
          + "without ':' and the prefix 'sync_'.",
        hint: "Rename the table.")
    ]
  }

  private static let columnNames: Rule = { table, _ in
    table.columns.filter { column in
      !(1...CloudLimits.nameBytes).contains(column.name.utf8.count)
        || column.name.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }.map { column in
      SyncError(
        .invalidColumnName, table: table.name, column: column.name,
        "A field's name has 1 to \(CloudLimits.nameBytes) bytes and no control characters.",
        hint: "Rename the column.")
    }
  }

  /// What a cloud says of every record itself, in CloudKit's words.
  private static let recordFacts: Set<String> = [
    "creationDate", "creatorUserRecordID", "etag", "lastModifiedUserRecordID", "modificationDate",
    "modifiedByDevice", "recordChangeTag", "recordID", "recordType",
  ]

  private static let reservedNames: Rule = { table, _ in
    table.columns.filter { recordFacts.contains($0.name) }.map { column in
      SyncError(
        .reservedColumnName, table: table.name, column: column.name,
        "A cloud keeps this name for what it says of the record itself.",
        hint: "Rename the column.")
    }
  }

  private static let columnCount: Rule = { table, _ in
    let count = table.columns.count - (table.isKeyFolded ? 0 : 1)
    guard count > CloudLimits.fieldsPerRecord else { return [] }
    return [
      SyncError(
        .tooManyColumns, table: table.name,
        "It has \(count) columns beside its key: a record has at most"
          + " \(CloudLimits.fieldsPerRecord) fields.",
        hint: "Move some of the columns to a table of their own.")
    ]
  }

  // MARK: - The key

  private static let primaryKey: Rule = { table, _ in
    let keys = table.columns.filter { $0.keyPosition > 0 }
    switch keys.count {
    case 1: return []
    case 0:
      return [
        SyncError(
          .missingPrimaryKey, table: table.name, "The table has no primary key.",
          hint: "Add a TEXT primary key, or use SyncEngine.migratePrimaryKeys.")
      ]
    default:
      return [
        SyncError(
          .compoundPrimaryKey, table: table.name,
          "The primary key has several columns: \(keys.map(\.name).joined(separator: ", ")).",
          hint: "Give the table a single TEXT key that is made of these values: then devices that "
            + "make the same row make one record.")
      ]
    }
  }

  private static let keyType: Rule = { table, _ in
    guard let key = table.key, key.hasIntegerAffinity else { return [] }
    return [
      SyncError(
        .integerPrimaryKey, table: table.name, column: key.name,
        "Integer keys are assigned by each device on its own and collide.",
        hint: "Use a TEXT key with a UUID; SyncEngine.migratePrimaryKeys rewrites a database.")
    ]
  }

  /// By SQLite's rules of affinity: other keys may hold bytes or numbers, but a record's name is
  /// text.
  private static let keyAffinity: Rule = { table, _ in
    guard let key = table.key, !key.hasTextAffinity, !key.hasIntegerAffinity else { return [] }
    return [
      SyncError(
        .keyIsNotText, table: table.name, column: key.name,
        "The primary key is part of the record's name and must be text.",
        hint: "Declare it TEXT, and store a UUID as its 36 characters: "
          + "in GRDB, with databaseUUIDEncodingStrategy.")
    ]
  }

  private static let keyNotNull: Rule = { table, _ in
    // Another type is declared anew anyway.
    guard let key = table.key, !key.isNotNull, key.hasTextAffinity else { return [] }
    return [
      SyncError(
        .nullablePrimaryKey, table: table.name, column: key.name,
        "SQLite lets a primary key be NULL unless it is declared NOT NULL.",
        hint: "Declare it TEXT PRIMARY KEY NOT NULL.")
    ]
  }

  private static let keyCollation: Rule = { table, _ in
    guard let key = table.key, !["BINARY", "NOCASE"].contains(table.keyCollation.uppercased())
    else { return [] }
    return [
      SyncError(
        .keyCollation, table: table.name, column: key.name,
        "By \(table.keyCollation) two keys are one that are two records in the cloud.",
        hint: "Declare it TEXT, or TEXT COLLATE NOCASE.")
    ]
  }

  // MARK: - Other columns

  private static let columnDefaults: Rule = { table, _ in
    table.columns.filter { $0.isRequired && !$0.hasDefault || $0.awaitsValue }.map { column in
      SyncError(
        .missingDefault, table: table.name, column: column.name,
        "A record from a version of the app that does not know this column waits in quarantine "
          + "until a version that does has given it a value.",
        hint: "If older versions are in use, declare it NOT NULL ON CONFLICT REPLACE DEFAULT …, "
          + "or let it be NULL.")
    }
  }

  private static let columnConflicts: Rule = { table, _ in
    let columns = table.columns.filter {
      $0.isRequired && $0.hasDefault && !$0.replacesNull && !$0.awaitsValue
    }
    return columns.map { column in
      SyncError(
        .missingConflictClause, table: table.name, column: column.name,
        "A record with NULL, from a version of the app in which this column may be NULL, waits in "
          + "quarantine until it has a value.",
        hint: "If there are such versions, declare it NOT NULL ON CONFLICT REPLACE DEFAULT …; "
          + "the clause stands behind NOT NULL.")
    }
  }

  private static let nullConflicts: Rule = { table, _ in
    table.swallowingColumns.map { column in
      SyncError(
        .conflictClause, table: table.name, column: column.name,
        column.conflict == "IGNORE"
          ? "ON CONFLICT IGNORE would leave out, without a trace, a record that lacks the value."
          : "ON CONFLICT ROLLBACK would end the transaction in which a record arrives that lacks "
            + "the value: nothing that is fetched with the record would arrive.",
        hint: "Declare it NOT NULL ON CONFLICT REPLACE DEFAULT …, or leave the clause out and "
          + "write INSERT OR \(column.conflict) where you mean it.")
    }
  }

  private static let varyingDefaults: Rule = { table, _ in
    let columns = table.columns.filter {
      $0.keyPosition == 0 && $0.hasVaryingDefault && !$0.awaitsValue
    }
    return columns.map { column in
      SyncError(
        .varyingDefault, table: table.name, column: column.name,
        "Its default is not constant: in a record from a version of the app that does not know "
          + "this column, each device has another value, for good.",
        hint: "If older versions are in use, let the default be constant or NULL, and give the "
          + "value where the app makes a row.")
    }
  }

  private static let uniqueAssets: Rule = { table, _ in
    table.uniqueIndexes.flatMap(\.columns).compactMap { indexed in
      table.columns.first { $0.name == indexed.name && $0.type.uppercased().contains("BLOB") }
    }.map { column in
      SyncError(
        .uniqueAsset, table: table.name, column: column.name,
        "Bytes of more than 4 KiB are an asset: a device that has them not yet, or only on demand, "
          + "shows rows that wait on others.",
        hint: "Let UNIQUE be over a hash of the bytes, in a column of its own.")
    }
  }

  private static let uniqueness: Rule = { table, _ in
    let columns = Set(table.columns.map(\.name))
    return table.uniqueIndexes.compactMap { index in
      let names = index.columns.map { $0.name ?? "<expression>" }
      let problem: (message: String, hint: String)
      if !columns.isSuperset(of: names) {
        problem = (
          "Which rows have the same values cannot be told of an expression or generated column.",
          "Make a UNIQUE index over columns that are stored, or one that is not UNIQUE."
        )
      } else if let conflict = index.conflict, conflict != "ABORT" {
        problem = (
          "ON CONFLICT \(conflict) would take rows away, or leave them out, without a trace.",
          "Leave the clause out, and write INSERT OR \(conflict) where you mean it."
        )
      } else {
        return nil
      }
      return SyncError(
        .uniqueConstraint, table: table.name, column: names.joined(separator: ", "),
        problem.message, hint: problem.hint)
    }
  }

  private static let namesOfRows: Rule = { table, _ in
    guard !table.foreignKeys.isEmpty, ["old", "new"].contains(table.name.asciiLowercased) else {
      return []
    }
    return [
      SyncError(
        .invalidTableName, table: table.name,
        "SQLite takes this name for a row where it does what a foreign key says: it deletes or "
          + "changes other rows than those.",
        hint: "Rename the table, or leave its foreign keys out.")
    ]
  }

  // MARK: - Foreign keys

  private static let compoundForeignKeys: Rule = { table, _ in
    table.compoundForeignKeys.map { parent in
      SyncError(
        .compoundForeignKey, table: table.name,
        "The foreign key to \(parent) has several columns.", hint: "Refer to a single column.")
    }
  }

  private static let foreignTables: Rule = { table, tables in
    table.foreignKeys.filter { tables[$0.table] == nil }.map { key in
      SyncError(
        .foreignKeyToUnsynchronizedTable, table: table.name, column: key.column,
        "It refers to \(key.table), which is not synchronized.",
        hint: "Synchronize \(key.table) too, or drop the foreign key.")
    }
  }

  private static let foreignColumns: Rule = { table, tables in
    table.foreignKeys.filter { key in
      tables[key.table].map { key.parentColumn != $0.key?.name } ?? false
    }.map { key in
      SyncError(
        .foreignKeyToOtherColumn, table: table.name, column: key.column,
        "It refers to \(key.table).\(key.parentColumn), which is not the primary key.",
        hint: "Refer to the primary key of \(key.table).")
    }
  }

  private static let foreignActions: Rule = { table, _ in
    table.foreignKeys.filter { $0.onDelete == .restrict || $0.onDelete == .noAction }.map { key in
      SyncError(
        .unsupportedForeignKeyAction, table: table.name, column: key.column,
        "ON DELETE \(key.onDelete.rawValue) cannot be kept when the parent is deleted elsewhere.",
        hint: "Use ON DELETE CASCADE, SET NULL or SET DEFAULT.")
    }
  }

  private static let clearedReferences: Rule = { table, _ in
    table.foreignKeys.filter { key in
      key.onDelete == .setNull
        && table.columns.contains { $0.name == key.column && $0.isNotNull }
    }.map { key in
      SyncError(
        .contradictoryForeignKey, table: table.name, column: key.column,
        "ON DELETE SET NULL contradicts NOT NULL: SQLite refuses to delete a row of \(key.table) "
          + "that this one refers to.",
        hint: "Use ON DELETE CASCADE, or let the column be NULL.")
    }
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
