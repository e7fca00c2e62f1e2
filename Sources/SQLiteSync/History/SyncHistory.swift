import GRDB
import SQLiteSyncCloud

/// What lost, kept for 30 days: look at it, and bring it back.
///
/// "The last edit wins" decides what is shown; nothing is gone because of it. Kept are
/// - every value of a row that an UPDATE of this device, by whichever program, or an edit from
///   elsewhere overwrote, and every value from elsewhere that an unsent edit of this device
///   overruled;
/// - every row that was deleted, here or elsewhere, by whichever program, with all its values.
///
/// Not kept is the row that an `INSERT OR REPLACE` or a changed primary key replaces: SQLite tells
/// no trigger of it. Bringing something back is an edit like any other, with a clock of its own, so
/// it reaches all devices and can lose again.
///
/// ```swift
/// let gone = try database.read { try SyncHistory.deletedRows($0, of: "reminders") }
/// try database.write { try SyncHistory.restore(gone[0].id, in: $0) }
/// ```
public enum SyncHistory {
  /// Milliseconds that something is kept at least: 30 days.
  ///
  /// A day counts when the device synchronizes on it, so that a clock which is wrong for an hour
  /// throws nothing away. A device that is seldom in use keeps it for longer.
  public static let lifetime: Int64 = 30 * 24 * 60 * 60 * 1000

  /// A value that lost, or a row that was deleted.
  public struct Entry: Identifiable, Hashable, Sendable {
    /// A number that is greater for what was kept later.
    public let id: Int64
    /// The table.
    public let table: String
    /// The primary key of the row; in lower case where it compares without case.
    public let key: String
    /// What lost.
    public let loss: Loss
    /// The edit that lost; nil for a deleted row whose last edit is not known.
    public let loser: SyncEdit?
    /// The edit or the deletion that won.
    public let winner: SyncEdit
    /// Whether both were made without knowing of each other.
    public let isConflict: Bool
    /// Whether what won was merged of both, by the column's merge policy.
    public let isMerged: Bool
    /// Whether it is a row that may live on under its key where this account cannot see it: it is
    /// not shared any more, or was moved away.
    public let isOutOfReach: Bool
  }

  /// What lost.
  public enum Loss: Hashable, Sendable {
    /// A value of a column, and the one that took its place then.
    case value(column: String, lost: DatabaseValue, kept: DatabaseValue)
    /// A whole row, by column.
    case row([String: DatabaseValue])
  }

  /// What lost, the newest first.
  ///
  /// - Parameters:
  ///   - db: The database.
  ///   - table: Only of this table.
  ///   - key: Only of the row with this primary key; in lower case where it compares without case.
  ///   - column: Only values of this column.
  ///   - onlyConflicts: Only what was edited on two devices that did not know of each other.
  ///   - limit: At most so many.
  public static func entries(
    _ db: Database, of table: String? = nil, key: String? = nil, column: String? = nil,
    onlyConflicts: Bool = false, limit: Int = .max
  ) throws -> [Entry] {
    let table = try table.map { try SchemaRegistry.table(called: $0, in: db)?.name ?? $0 }
    let conditions: [(sql: String, argument: (any DatabaseValueConvertible)?)] = [
      ("t.name = ?", table), ("h.primaryKey = ?", key), ("h.field = ? COLLATE NOCASE", column),
    ].filter { $0.1 != nil }
    // As the index says it: SQLite knows no argument when it chooses one.
    let conflicts = onlyConflicts ? ["h.isConflict > 0"] : []
    return try entries(
      db, where: conditions.map(\.sql) + conflicts,
      StatementArguments(conditions.map(\.argument)), limit: limit)
  }

  /// The entry with a number, while it is kept.
  public static func entry(_ id: Entry.ID, _ db: Database) throws -> Entry? {
    try entries(db, where: ["h.id = ?"], [id], limit: 1).first
  }

  /// The latest deletion of each row of a table that is not there now, the newest first.
  ///
  /// - Parameters:
  ///   - db: The database.
  ///   - table: The name of a synchronized table.
  ///   - match: Only rows whose column had this value.
  ///   - limit: At most so many.
  public static func deletedRows(
    _ db: Database, of table: String, where match: (column: String, value: String)? = nil,
    limit: Int = .max
  ) throws -> [Entry] {
    guard let key = try db.primaryKey(table).columns.first else { return [] }
    let table = try SchemaRegistry.table(called: table, in: db)?.name ?? table
    let condition = """
      h.id IN (
        SELECT max(d.id) FROM sync_history d \(SchemaRegistry.join("dt", of: "d.tableID"))
        WHERE dt.name = ? AND d.field IS NULL GROUP BY d.primaryKey)
      AND NOT EXISTS (
        SELECT 1 FROM \(table.quotedIdentifier) r
        WHERE r.\(key.quotedIdentifier) = h.primaryKey)
      """
    guard let match else { return try entries(db, where: [condition], [table], limit: limit) }
    guard let number = try SchemaRegistry.number(ofColumn: match.column, table: table, in: db)
    else { return [] }
    return try entries(
      db, where: [condition, "h.\(RowImage.column(number)) = ?"], [table, match.value],
      limit: limit)
  }

  /// The rows that went with the same deletion as a row, itself not among them.
  ///
  /// A cascade deletes at one moment; so do programs that delete several rows in one statement.
  public static func rowsDeleted(with entry: Entry, _ db: Database) throws -> [Entry] {
    let (own, other) = (History.winnerClock(of: "h"), History.winnerClock(of: "d"))
    let condition = """
      h.field IS NULL AND h.id <> :id AND EXISTS (
        SELECT 1 FROM sync_history d WHERE d.id = :id AND (
          \(own) = \(other)
          -- A deletion is later than the row's last edit, even if that has a clock of the future.
          OR \(own) > \(other) AND (\(own) & 65535) = (\(other) & 65535)
            AND (\(own) >> 16) = (h.clock >> 16) + 1))
      """
    return try entries(db, where: [condition], ["id": entry.id], limit: .max)
  }

  /// Where an entry of a deleted row comes from, and what it is about: one statement for all.
  static func entries(
    _ db: Database, where conditions: [String], _ arguments: StatementArguments, limit: Int
  ) throws -> [Entry] {
    guard try db.hasTable("sync_history") else { return [] }
    let filter = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
    let rows = try Row.fetchAll(
      // Not prepared for good: the table gets more columns.
      db,
      sql: """
        SELECT h.*, t.name AS tableName, \(History.winnerClock(of: "h")) AS won
        FROM sync_history h \(SchemaRegistry.join(of: "h.tableID"))
        \(filter) ORDER BY h.id DESC LIMIT \(limit)
        """, arguments: arguments)
    let authors = try Authors(db)
    let names = try SchemaRegistry.columnNames(in: db)
    return try rows.compactMap { row -> Entry? in
      // A key that is not text was never synchronized.
      guard let key = String.fromDatabaseValue(row["primaryKey"]) else { return nil }
      let account = try (row.read("winner") as String?).flatMap(AccountID.init(rawValue:))
      let bits: Int64 = try row.read("winnerClock") == 0 ? Int64(authors.ownBits) : 0
      let won = try FieldClock(rawValue: (row.read("won") as Int64) | bits)
      // A deletion has a clock always; without one there would be nothing that won.
      guard let winner = authors.edit(won, account: account) else { return nil }
      return try Entry(
        id: row.read("id"), table: row.read("tableName"), key: key,
        loss: loss(row, names: names),
        loser: authors.edit(FieldClock(rawValue: row.read("clock"))), winner: winner,
        isConflict: row.read("isConflict"), isMerged: row.read("isConflict") as Int == 2,
        // Nobody else's deletion has a clock of this device.
        isOutOfReach: row.read("field") as String? == nil && account != nil && winner.isHere)
    }
  }

  private static func loss(_ row: Row, names: [Int64: [Int: String]]) throws -> Loss {
    guard let column = try row.read("field") as String? else {
      return try .row(RowImage.values(in: row, names: names[row.read("tableID")] ?? [:]))
    }
    return .value(column: column, lost: row["value"], kept: row["winnerValue"])
  }
}
