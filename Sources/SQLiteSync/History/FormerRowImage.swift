import Foundation
import GRDB

/// Deleted rows as the versions before the sixth of the metadata kept them: in `value`, as a JSON
/// object.
///
/// A real is an array with the text that SQLite's `quote` makes of it; bytes are an object with
/// their hexadecimal digits.
enum FormerRowImage {
  /// Brings those that are still kept into the columns of a `RowImage`.
  static func convertAll(in db: Database) throws {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT id, tableID, value FROM sync_history WHERE field IS NULL AND value GLOB '{*'
        """)
    let names = try SchemaRegistry.columnNames(in: db)
    for row in rows {
      let image = try values(in: row.read("value"), db)
      let columns = try (names[row.read("tableID")] ?? [:]).filter { image[$0.value] != nil }
        .sorted { $0.key < $1.key }
      let assignments = ["value"] + columns.map { RowImage.column($0.key) }
      let numbers = columns.map { "\($0.key)" }.joined(separator: ",")
      try db.execute(
        sql: """
          UPDATE sync_history SET \(assignments.map { "\($0) = ?" }.joined(separator: ", "))
          WHERE id = ?
          """,
        arguments: try StatementArguments(
          [numbers.databaseValue] + columns.compactMap { image[$0.value] }
            + [(row.read("id") as Int64).databaseValue]))
    }
  }

  private static func values(in image: String, _ db: Database) throws -> [String: DatabaseValue] {
    let rows = try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT key, type, CASE type
            WHEN 'object' THEN json_extract(value, '$.hex')
            WHEN 'array' THEN json_extract(value, '$[0]')
            ELSE value END
          FROM json_each(?)
          """), arguments: [image])
    var values: [String: DatabaseValue] = [:]
    for row in rows {
      let value: DatabaseValue = row[2]
      values[try row.read(0)] =
        switch try row.read(1) as String {
        case "object": try bytes(hexadecimal: row.read(2)).databaseValue
        case "array": try Double(row.read(2) as String)?.databaseValue ?? value
        default: value
        }
    }
    return values
  }

  private static func bytes(hexadecimal digits: String) -> Data {
    let values = digits.compactMap(\.hexDigitValue).map { UInt8($0) }
    return Data(
      stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] })
  }
}
