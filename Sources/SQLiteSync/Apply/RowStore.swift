import Foundation
import GRDB
import SQLiteSyncCloud

/// Reads and writes the rows of one synchronized table, by the keys of their records.
///
/// A key that no record of the table can have finds no row.
struct RowStore {
  let db: Database
  let table: TableSchema

  /// The values of a row by column, or nil when there is no such row.
  func values(ofKey key: String) throws -> [String: DatabaseValue]? {
    let columns = table.columns.map(\.name.quotedIdentifier)
    let list = columns.isEmpty ? "1" : columns.joined(separator: ", ")
    let statement = try db.cachedStatement(
      sql: "SELECT \(list) FROM \(quotedName) WHERE \(quotedKey) = ?")
    guard table.isRecordKey(key), let row = try Row.fetchOne(statement, arguments: [key]) else {
      return nil
    }
    guard !columns.isEmpty else { return [:] }
    return Dictionary(
      uniqueKeysWithValues: zip(table.columns.map(\.name), row.databaseValues))
  }

  /// The values of a row that was read, in the order of the table's columns, and the first column
  /// whose text is other bytes in the file than this: what follows a NUL is missing here, and what
  /// is not UTF-8 was replaced.
  ///
  /// - Parameter start: Where in the row the columns begin.
  func exactValues(
    in row: Row, from start: Int
  ) throws -> (values: [DatabaseValue], garbled: String?) {
    var garbled: String?
    let values = try table.columns.indices.map { index -> DatabaseValue in
      let value: DatabaseValue = row[start + index]
      if garbled == nil, case .string(let text) = value.storage,
        try !row.withUnsafeData(atIndex: start + index, { text.isExactly($0 ?? Data()) })
      {
        garbled = table.columns[index].name
      }
      return value
    }
    return (values, garbled)
  }

  /// Whether the row is there.
  func exists(key: String) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: "SELECT EXISTS (SELECT 1 FROM \(quotedName) WHERE \(quotedKey) = ?)")
    return try table.isRecordKey(key) && Bool.fetchOne(statement, arguments: [key]) ?? false
  }

  /// The columns of a row that have another value than the default.
  func columnsFilled(ofKey key: String) throws -> Set<String> {
    let list = table.columns.map { "(\($0.isFilled))" }.joined(separator: ", ")
    let statement = try db.cachedStatement(
      sql: "SELECT \(list) FROM \(quotedName) WHERE \(quotedKey) = ?")
    guard table.isRecordKey(key), let row = try Row.fetchOne(statement, arguments: [key]) else {
      return []
    }
    return Set(
      zip(table.columns, row.databaseValues).filter { $1 == true.databaseValue }.map(\.0.name))
  }

  /// Refuses, as SQLite does where there is no default, a row without a value that it must have.
  ///
  /// The default would be another one on each device.
  func requireAwaited(_ values: [String: DatabaseValue]) throws {
    guard let column = table.columns.first(where: { $0.awaitsValue && values[$0.name] == nil })
    else { return }
    throw DatabaseError(
      resultCode: .SQLITE_CONSTRAINT_NOTNULL,
      message: "NOT NULL constraint failed: \(table.name).\(column.name)")
  }

  /// Inserts a row with these columns; the others take their defaults.
  func insert(key: String, _ values: [String: DatabaseValue]) throws {
    var columns = values.keys.sorted()
    var arguments = columns.map { values[$0] ?? .null }
    if !columns.contains(table.key) {
      columns.append(table.key)
      arguments.append(key.databaseValue)
    }
    let names = columns.map(\.quotedIdentifier).joined(separator: ", ")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    try write("INSERT INTO \(quotedName) (\(names)) VALUES (\(marks))", arguments)
  }

  /// Updates these columns of a row.
  func update(key: String, _ values: [String: DatabaseValue]) throws {
    guard !values.isEmpty, table.isRecordKey(key) else { return }
    let columns = values.keys.sorted()
    let assignments = columns.map { "\($0.quotedIdentifier) = ?" }.joined(separator: ", ")
    let arguments = columns.map { values[$0] ?? .null } + [key.databaseValue]
    try write("UPDATE \(quotedName) SET \(assignments) WHERE \(quotedKey) = ?", arguments)
  }

  /// Deletes a row, if it is there.
  func delete(key: String) throws {
    guard table.isRecordKey(key) else { return }
    try write("DELETE FROM \(quotedName) WHERE \(quotedKey) = ?", [key.databaseValue])
  }

  private func write(_ sql: String, _ arguments: [DatabaseValue]) throws {
    do {
      try db.cachedStatement(sql: sql).execute(arguments: StatementArguments(arguments))
    } catch let error as DatabaseError where error.isOfBrokenTrigger {
      throw DatabaseError(
        resultCode: .SQLITE_CONSTRAINT_TRIGGER, message: error.message, sql: sql)
    }
  }

  /// The keys of the rows that refer to a parent by one of this table's foreign keys.
  func keys(referringTo parent: DatabaseValue, by key: TableSchema.ForeignKey) throws -> [String] {
    let statement = try db.cachedStatement(
      sql: """
        SELECT \(quotedKey) FROM \(quotedName)
        WHERE \(key.column.quotedIdentifier) = ? AND typeof(\(quotedKey)) = 'text'
        ORDER BY \(quotedKey)
        """)
    return try String.fetchAll(statement, arguments: [parent])
  }

  private var quotedName: String { table.name.quotedIdentifier }
  private var quotedKey: String { table.key.quotedIdentifier }
}

extension DatabaseError {
  /// Whether a write to a table of the app failed because one of its triggers does: it names what
  /// is not there, or computes what cannot be computed.
  ///
  /// SQLite has taken the statement back, as when a constraint refuses the row, and it is the row
  /// that is refused. What the engine's own tables lack is another matter.
  var isOfBrokenTrigger: Bool {
    resultCode == .SQLITE_ERROR && message?.contains("sync_") != true
  }
}

extension String {
  /// Whether these bytes are the text, as SQLite has it.
  func isExactly(_ bytes: Data) -> Bool {
    guard bytes.count == utf8.count else { return false }
    // What cannot be read has come out as this character.
    return !unicodeScalars.contains("\u{FFFD}") || utf8.elementsEqual(bytes)
  }
}

extension DatabaseValue {
  /// Whether SQLite has the same bytes for both.
  ///
  /// `==` overlooks that texts that look alike can have others, and finds an integer and a real
  /// number equal.
  func isSameBytes(as other: DatabaseValue) -> Bool {
    switch (storage, other.storage) {
    case (.string(let one), .string(let two)): one.utf8.elementsEqual(two.utf8)
    case (.double(let one), .double(let two)): one.bitPattern == two.bitPattern
    case (.int64, .double), (.double, .int64): false
    default: self == other
    }
  }

  /// The value of a field that lies in the commit itself.
  init(_ value: CloudValue) {
    switch value {
    case .null, .asset: self = .null
    case .integer(let integer): self = integer.databaseValue
    case .real(let real): self = real.databaseValue
    case .text(let text): self = text.databaseValue
    case .bytes(let bytes): self = bytes.databaseValue
    }
  }

  /// The field's value; bytes too many for a commit must be published as an asset first.
  var cloudValue: CloudValue {
    switch storage {
    case .null: .null
    case .int64(let integer): .integer(integer)
    case .double(let real): .real(real)
    case .string(let text): .text(text)
    case .blob(let bytes): .bytes(bytes)
    }
  }
}
