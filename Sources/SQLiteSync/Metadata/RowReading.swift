import Foundation
import GRDB
import SQLiteSyncCloud

extension Row {
  /// The value in a column, or an error where something else is stored there.
  ///
  /// GRDB's subscript ends the process then, and SQLite keeps in a column whatever anybody writes
  /// there: its type is a wish, unless the table is `STRICT`, and then a disk can fail.
  @inlinable
  package func read<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ column: String
  ) throws -> Value {
    try decode(forColumn: column)
  }

  /// The value in a column by its place, or an error where something else is stored there.
  @inlinable
  package func read<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ index: Int
  ) throws -> Value {
    try decode(atIndex: index)
  }

  /// The number in a column, or an error where it is none that this engine writes there: it is
  /// counted with.
  func read(_ column: String, of table: String, in range: Range<Int>) throws -> Int {
    let number: Int = try read(column)
    guard range.contains(number) else {
      throw SyncError.damage("\(table).\(column)", holds: "\(number)")
    }
    return number
  }
}

extension CloudRecord {
  /// Decodes what the engine has stored in a column of its own, or says that the column holds
  /// something else: that is no damage of the cloud's.
  init(stored bytes: Data, in column: String) throws {
    do {
      try self.init(encoded: bytes)
    } catch {
      throw SyncError.damage(column, holds: "no record")
    }
  }
}

extension DatabaseError {
  /// Whether the file is damaged, or no database at all.
  var isOfDamage: Bool { [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(resultCode) }

  /// Whether a statement, or a trigger, names what is not there.
  ///
  /// A row is refused because of such a trigger: see `isOfBrokenTrigger`.
  var isOfLack: Bool {
    [.SQLITE_ERROR, .SQLITE_CONSTRAINT].contains(resultCode)
      && message?.hasPrefix("no such ") == true
  }

  /// Whether a table or column of the engine's is not there.
  var isOfMetadata: Bool {
    resultCode == .SQLITE_ERROR
      && message?.contains(/no such (table|column): (main\.)?sync_/) == true
  }
}

extension SyncError {
  /// What to do about a database that is damaged.
  static let damageHint =
    "A check (SyncEngine.check) says where; restore a backup, or begin a new database: "
    + "what was sent is in the cloud."

  /// Says what is wrong with a database.
  static func damage(_ what: String) -> SyncError {
    SyncError(.damagedDatabase, "The database is damaged: \(what).", hint: damageHint)
  }

  /// Something of the engine's that is not there.
  static func damage(lacking error: DatabaseError) -> SyncError {
    damage(error.message ?? error.resultCode.description)
  }

  /// A column that holds what does not belong there.
  static func damage(_ column: String, holds value: String) -> SyncError {
    damage("the column \(column) holds \(value.prefix(60))")
  }

  /// What a value in a database means that could not be read.
  package init(_ error: RowDecodingError) {
    // GRDB says it in words alone, with the whole row, which is nobody else's affair.
    let words = "\(error)"
    let parts = words.firstMatch(of: /from database value (.*?) - column: "(.*?)", column index/)
    self =
      parts.map { .damage("\($0.2)", holds: "\($0.1)") } ?? .damage("\(words.prefix(60))")
  }
}
