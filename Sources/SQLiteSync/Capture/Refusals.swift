import Foundation
import GRDB

/// The rows that cannot be records, because of their keys: kept here, never sent, and counted.
struct Refusals {
  let db: Database

  /// The kinds of keys that no record's name can hold.
  enum Reason: String {
    case notText
    case invalidName

    /// The reason in a sentence.
    var sentence: String {
      switch self {
      case .notText: "The primary key is not text."
      case .invalidName: SyncEngine.invalidRecordNameError
      }
    }
  }

  /// An SQL condition, true for keys that can be part of a name.
  ///
  /// Whoever adopts a row has asked whether its key is one, and capture asks of every new one.
  static func permits(tableID: String, key: String) -> String {
    """
    typeof(\(key)) = 'text' AND NOT EXISTS (
      SELECT 1 FROM sync_refusals WHERE sync_refusals.tableID = \(tableID)
        AND sync_refusals.primaryKey = \(key))
    """
  }

  /// A row of no table: nobody has looked the tables through yet.
  static let beginning = "INSERT INTO sync_refusals VALUES (0, '', '', 0)"

  /// Whether the tables were never looked through.
  func isIncomplete() throws -> Bool {
    try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM sync_refusals WHERE tableID = 0)") ?? true
  }

  /// Writes down that all tables were looked through.
  func complete() throws {
    try db.execute(sql: "DELETE FROM sync_refusals WHERE tableID = 0")
  }

  /// Notes the rows of a table that cannot be records.
  func noteRows(of table: TableSchema, now: Int64) throws {
    let name = table.name.quotedIdentifier
    let column = "\(name).\(table.key.quotedIdentifier)"
    // Folded only where it is text: of other values `lower` makes a text.
    let key = "iif(typeof(\(column)) = 'text', \(table.keyExpression(of: name)), \(column))"
    try db.execute(
      sql: """
        INSERT OR IGNORE INTO sync_refusals
        SELECT ?1, key, iif(typeof(key) = 'text', ?2, ?3), ?4
        FROM (SELECT \(key) AS key FROM \(name))
        WHERE typeof(key) <> 'text' OR \(RecordName.objectionSQL(key: "key", table: table.name))
        """,
      arguments: [table.id, Reason.invalidName.rawValue, Reason.notText.rawValue, now])
  }

  /// Brings the list up to the edit log: rows that came with such keys, and rows that went.
  ///
  /// Returns the tables in which rows without a text for a key were edited and are there.
  func update(now: Int64) throws -> [String] {
    try db.cachedStatement(
      sql: """
        INSERT OR IGNORE INTO sync_refusals
        SELECT tableID, primaryKey, '\(Reason.notText.rawValue)', ?
        FROM (\(EditEntries.records)) WHERE typeof(primaryKey) <> 'text'
        """
    ).execute(arguments: [now])
    guard try !isEmpty() else { return [] }
    try db.cachedStatement(
      sql: "DELETE FROM sync_refusals WHERE (tableID, primaryKey) IN (\(EditEntries.lastDeleted))"
    ).execute()
    return try SchemaRegistry.names(
      in: """
        SELECT tableID FROM sync_refusals
        WHERE reason = '\(Reason.notText.rawValue)'
          AND (tableID, primaryKey) IN (\(EditEntries.records))
        """, db)
  }

  /// Whether the database is of a version that notes them.
  func isInstalled() throws -> Bool {
    try db.hasTable("sync_refusals")
  }

  /// Whether there is none.
  func isEmpty() throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(sql: "SELECT NOT EXISTS (SELECT 1 FROM sync_refusals)")) ?? true
  }

  /// Forgets the rows of a table that went without being captured, with those they depend on.
  func forgetGoneRows(of table: TableSchema) throws {
    let name = table.name.quotedIdentifier
    try db.cachedStatement(
      sql: """
        DELETE FROM sync_refusals WHERE tableID = ? AND NOT EXISTS (
          SELECT 1 FROM \(name)
          WHERE \(name).\(table.key.quotedIdentifier) = sync_refusals.primaryKey)
        """
    ).execute(arguments: [table.id])
  }
}

/// A row that cannot be synchronized, or an edit that the cloud refuses for good.
public struct SyncRefusal: Hashable, Sendable {
  /// The table.
  public let table: String
  /// The primary key; in hexadecimal digits when it is not text.
  public let key: String
  /// Why, in a sentence.
  public let reason: String

  /// What stays on this device until somebody changes it, in the order of the tables' names.
  public static func all(_ db: Database, limit: Int = .max) throws -> [SyncRefusal] {
    guard try db.hasTable("sync_refusals") else { return [] }
    return try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT t.name AS name, \(shownKey), f.reason
          FROM sync_refusals f \(SchemaRegistry.join(of: "f.tableID"))
          UNION ALL \(Outbox.held)
          ORDER BY name LIMIT \(limit)
          """)
    ).map { row in
      // An edit is refused for what the cloud says, in its words.
      let reason = try (row.read(2) as String?).map {
        Refusals.Reason(rawValue: $0)?.sentence ?? $0
      }
      return try SyncRefusal(table: row.read(0), key: row.read(1), reason: reason ?? "")
    }
  }

  /// The rows that cannot be records, as changes that were never tried.
  static func rows(_ db: Database) throws -> [SyncPendingChange] {
    guard try db.hasTable("sync_refusals") else { return [] }
    return try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT t.name, \(shownKey), f.reason, f.since
          FROM sync_refusals f \(SchemaRegistry.join(of: "f.tableID")) ORDER BY f.since
          """)
    ).map { row in
      try SyncPendingChange(
        table: row.read(0), key: row.read(1), isDeletion: false, columns: nil,
        since: Date(millisecondsSince1970: row.read(3)), attempts: 0, nextAttempt: nil,
        error: Refusals.Reason(rawValue: row.read(2))?.sentence)
    }
  }

  private static let shownKey = """
    iif(typeof(f.primaryKey) = 'blob', hex(f.primaryKey), CAST(f.primaryKey AS TEXT))
    """

  /// How many rows there are, and how many edits.
  static func count(_ db: Database) throws -> (rows: Int, edits: Int) {
    guard try db.hasTable("sync_refusals") else { return (0, 0) }
    let rows = try Int.fetchOne(
      db.cachedStatement(sql: "SELECT count(*) FROM sync_refusals WHERE tableID <> 0"))
    return (rows ?? 0, try Outbox(db: db).heldCount())
  }
}
