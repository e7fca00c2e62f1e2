import Foundation
import GRDB

/// A whole row as one JSON object that SQL itself writes and reads, so that a stored trigger can
/// keep a row that is being deleted, and SQL can look into it.
///
/// Exact for every value: text, integers and NULL are JSON's own; a real is an array with the text
/// that SQLite's `quote` makes of it (it reads back bit for bit, and JSON's own number does not);
/// bytes are an object with their hexadecimal digits.
enum RowImage {
  /// SQLite's functions have at most 100 arguments in some builds, and a column needs two.
  private static let columnsPerCall = 50

  /// An SQL expression for the image of a row, given the row's name (`OLD`, a table).
  ///
  /// The key is not in it, unless its spelling is a field of its own.
  static func expression(of table: TableSchema, row: String) -> String {
    let fields = table.columns.map { column in
      let value = "\(row).\(column.name.quotedIdentifier)"
      // Comparisons tell the classes apart for a third of what `typeof` costs: numbers come before
      // all text, and bytes after it.
      return """
        \(column.name.quotedLiteral), CASE \
        WHEN \(value) >= x'' THEN json_object('hex', hex(\(value))) \
        WHEN \(value) < '' AND typeof(\(value)) = 'real' THEN json_array(quote(\(value))) \
        ELSE \(value) END
        """
    }
    let objects = stride(from: 0, to: fields.count, by: columnsPerCall).map { start in
      let end = min(start + columnsPerCall, fields.count)
      return "json_object(\(fields[start..<end].joined(separator: ", ")))"
    }
    guard objects.count > 1 else { return objects.first ?? "'{}'" }
    let members = objects.map { "substr(\($0), 2, length(\($0)) - 2)" }
    return "('{' || \(members.joined(separator: " || ',' || ")) || '}')"
  }

  /// The values of a row by column.
  static func values(in image: String, _ db: Database) throws -> [String: DatabaseValue] {
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
      values[row[0]] =
        switch row[1] as String {
        case "object": bytes(hexadecimal: row[2]).databaseValue
        case "array": Double(row[2] as String)?.databaseValue ?? value
        default: value
        }
    }
    return values
  }

  private static func bytes(hexadecimal digits: String) -> Data {
    let values = digits.utf8.map { UInt8($0 > 57 ? $0 - 55 : $0 - 48) }
    return Data(
      stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] })
  }
}
