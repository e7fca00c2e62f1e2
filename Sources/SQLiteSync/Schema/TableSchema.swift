import SQLiteSyncCloud

/// A synchronized table as SQLite describes it.
struct TableSchema: Hashable, Sendable {
  /// A column that travels: not generated, and not the primary key (unless that is also a field).
  struct Column: Hashable, Sendable {
    /// The column's number in the registry: stable over migrations, the bit in an edit's mask.
    let number: Int
    let name: String
    let isNotNull: Bool
    /// The default as an SQL expression.
    let defaultSQL: String?
    /// Whether a record that lacks the value waits, although the column has a default.
    var awaitsValue = false
    /// Whether an integer and a real number that are equal are two values.
    var keepsStorageClass = false

    /// True where two values differ, byte for byte whatever the column's collation, as SQL.
    ///
    /// `CaptureTriggers.captured` reads the column between `COLLATE` and what is before it.
    func differs(_ old: String, _ new: String) -> String {
      let isOther = "\(old) IS NOT \(new) COLLATE BINARY"
      // IS finds 3 and 3.0 equal.
      return keepsStorageClass ? "typeof(\(old)) <> typeof(\(new)) OR \(isOther)" : isOther
    }

    /// True where a row has another value than the default, as SQL.
    var isFilled: String { differs(name.quotedIdentifier, "(\(defaultSQL ?? "NULL"))") }
  }

  /// A foreign key of one column.
  struct ForeignKey: Hashable, Sendable {
    enum Action: String, Sendable {
      case cascade = "CASCADE"
      case setNull = "SET NULL"
      case setDefault = "SET DEFAULT"
      case restrict = "RESTRICT"
      case noAction = "NO ACTION"
    }

    let column: String
    let table: String
    let parentColumn: String
    let onDelete: Action
  }

  /// A UNIQUE constraint or index beside the primary key, over columns.
  struct UniqueIndex: Hashable, Sendable {
    struct Column: Hashable, Sendable {
      let name: String
      /// The collation by which the index compares it.
      let collation: String
    }

    let columns: [Column]
    /// The condition of a partial index, as SQL.
    let predicate: String?

    /// What SQLite says of a row that has the same values as another.
    func message(in table: String) -> String {
      "UNIQUE constraint failed: "
        + columns.map { "\(table).\($0.name)" }.joined(separator: ", ")
    }
  }

  /// The table's number in the registry.
  let id: Int64
  let name: String
  /// The column of the primary key.
  let key: String
  /// Whether the key compares without case (`COLLATE NOCASE`): then record names carry it in lower
  /// case, and its spelling travels as a field like any other.
  let isKeyFolded: Bool
  let columns: [Column]
  let foreignKeys: [ForeignKey]
  /// Private tables are synchronized and never shared: their records have no parent.
  let isPrivate: Bool
  /// What of a row no other row may have.
  var uniqueIndexes: [UniqueIndex] = []
  /// How columns are merged of which not the later edit wins.
  var mergePolicies: [String: MergePolicy] = [:]

  /// Whether rows can be in each other's way.
  var isUnique: Bool { !uniqueIndexes.isEmpty }

  /// Whether the table is one of the engine's own, and no app's.
  var isEngines: Bool { name.hasPrefix("sync_") }

  /// The one foreign key whose parent the record depends on; joins of two tables depend on neither.
  var parentKey: ForeignKey? {
    isPrivate || foreignKeys.count != 1 ? nil : foreignKeys[0]
  }

  /// An expression for the record's key, given a row's name (`NEW`, `OLD`, a table).
  func keyExpression(of row: String) -> String {
    let column = "\(row).\(key.quotedIdentifier)"
    return isKeyFolded ? "lower(\(column))" : column
  }

  /// The key of a row as the record's name carries it.
  func foldedKey(_ key: String) -> String {
    isKeyFolded ? key.asciiLowercased : key
  }

  /// Whether a record of the table can have this key: one in capitals would be found as another
  /// record's row where keys compare without case.
  func isRecordKey(_ key: String) -> Bool {
    !isKeyFolded || key.utf8.elementsEqual(foldedKey(key).utf8)
  }

  /// The name of the record of a row.
  func recordName(of key: String) -> String {
    RecordName(key: foldedKey(key), table: name).description
  }

  /// The column that an app calls by a name, as SQLite would find it: without case.
  func column(called name: String) -> Column? {
    columns.called(name)
  }

  /// The columns by name.
  var columnsByName: [String: Column] {
    Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0) })
  }
}

/// A table, view or column.
protocol NamedInSQL {
  var name: String { get }
}

extension TableSchema: NamedInSQL {}
extension TableSchema.Column: NamedInSQL {}

extension Sequence where Element: NamedInSQL {
  /// The one that an app calls by a name, as SQLite would find it: without case.
  func called(_ name: String) -> Element? { first { $0.name.isSameName(as: name) } }
}

extension String {
  /// As SQLite's `lower()` and `NOCASE` do: the 26 letters of ASCII only.
  var asciiLowercased: String {
    let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
    return String(decoding: utf8.map { letters.contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
  }

  /// Whether SQLite takes both for the name of the same table or column.
  func isSameName(as other: String) -> Bool { asciiLowercased == other.asciiLowercased }

  /// As an identifier in SQL.
  var quotedIdentifier: String { quoted(UInt8(ascii: "\"")) }

  /// As a string literal in SQL.
  var quotedLiteral: String { quoted(UInt8(ascii: "'")) }

  /// Between quotes, with those inside doubled.
  ///
  /// By bytes, as SQLite reads them: a quote before a combining accent is another `Character`.
  private func quoted(_ quote: UInt8) -> String {
    var bytes = [quote]
    bytes.reserveCapacity(utf8.count + 2)
    for byte in utf8 {
      if byte == quote { bytes.append(quote) }
      bytes.append(byte)
    }
    bytes.append(quote)
    return String(decoding: bytes, as: UTF8.self)
  }
}
