import Foundation
import GRDB
import SQLiteSyncCloud

/// Whether the columns of the engine's tables hold what they are declared to: SQLite itself says it
/// of `STRICT` tables only, and these are none.
enum StoredTypes {
  static func findings(in db: Database) throws -> [DatabaseFinding] {
    let tables = try String.fetchAll(
      db,
      sql: """
        SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'sync_*' ORDER BY name
        """)
    return try tables.flatMap { try findings(of: $0, in: db) }
  }

  private static func findings(of table: String, in db: Database) throws -> [DatabaseFinding] {
    let columns = try Row.fetchAll(
      db, sql: "SELECT name, lower(type) FROM pragma_table_info(?)", arguments: [table]
    ).map { try ($0.read(0), $0.read(1)) as (name: String, type: String) }
      .filter { !isFree($0.name, type: $0.type) }
    // All columns at once: a table can be long.
    let others = columns.map { other(than: $0.type, in: $0.name, of: table) }
    guard !others.isEmpty else { return [] }
    let row = try Row.fetchOne(
      db, sql: "SELECT \(others.joined(separator: ", ")) FROM \(table.quotedIdentifier)")
    let found = try columns.indices.compactMap { index in
      try (row?.read(index) as String?).map { finding(columns[index].name, of: table, holds: $0) }
    }
    guard found.isEmpty else { return found }
    return try (records[table] ?? []).filter(columns.map(\.name).contains).compactMap { column in
      try isRecord(everyOf: column, of: table, in: db)
        ? nil : finding(column, of: table, holds: "no record")
    }
  }

  private static func finding(
    _ column: String, of table: String, holds other: String
  ) -> DatabaseFinding {
    DatabaseFinding(
      .damage, table, "The column \(column) holds \(other), which does not belong there.",
      advice: "Restore a backup, or begin a new database: what was sent is in the cloud.")
  }

  /// The columns that hold records.
  private static let records = [
    "sync_parked": ["image"], "sync_records": ["unknown"],
    "sync_zones": ["share", "shareEdit", "trustedShare"],
  ]

  /// Whether all of a column can be read as records; where there is none, there are no bytes.
  private static func isRecord(
    everyOf column: String, of table: String, in db: Database
  ) throws -> Bool {
    let values = try Data.fetchCursor(
      db, sql: "SELECT \(column) FROM \(table) WHERE length(\(column)) > 0")
    while let bytes = try values.next() {
      do {
        _ = try CloudRecord(encoded: bytes)
      } catch {
        return false
      }
    }
    return true
  }

  /// What a column holds that does not belong there, in SQL; NULL when there is nothing.
  private static func other(than type: String, in column: String, of table: String) -> String {
    let name = column.quotedIdentifier
    let range = ranges["\(table).\(column)"].map {
      "WHEN \(name) NOT BETWEEN \($0.lowerBound) AND \($0.upperBound - 1) THEN quote(\(name))"
    }
    return """
      max(CASE WHEN typeof(\(name)) NOT IN ('\(type)', 'null') THEN typeof(\(name))
        \(range ?? "") END)
      """
  }

  /// The numbers that are counted with.
  private static let ranges = [
    "sync_assets.byteCount": KnownAssets.sizes,
    "sync_columns.number": SchemaRegistry.numbers,
    "sync_edits.kind": CaptureTriggers.kinds,
  ]

  /// Whether any value may be there: a value of a row, or the key of one that cannot be sent.
  private static func isFree(_ column: String, type: String) -> Bool {
    !["integer", "text", "blob"].contains(type)
      || ["value", "winnerValue", "primaryKey"].contains(column)
  }
}
