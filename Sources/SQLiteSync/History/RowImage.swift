import Foundation
import GRDB

/// A whole row as one text: JSON that SQL itself writes and reads, so that a stored trigger can
/// keep a row that is being deleted, and SQL can look into it.
///
/// Exact for every value: text, integers and NULL are JSON's own, a real is written as SQLite's
/// `quote` does (and reads back bit for bit), bytes are an object with their hexadecimal digits.
enum RowImage {
  /// An SQL expression for the image of a row, given the row's name (`OLD`, a table).
  ///
  /// The key is not in it, unless its spelling is a field of its own.
  static func expression(of table: TableSchema, row: String) -> String {
    let fields = table.columns.map { column in
      let value = "\(row).\(column.name.quotedIdentifier)"
      return """
        (json_quote(\(column.name.quotedLiteral)) || ':' || CASE typeof(\(value)) \
        WHEN 'real' THEN replace(quote(\(value)), 'Inf', '9e999') \
        WHEN 'blob' THEN '{"hex":"' || hex(\(value)) || '"}' \
        ELSE json_quote(\(value)) END)
        """
    }
    let separated = fields.flatMap { ["','", $0] }.dropFirst()
    return concatenation(["'{'"] + separated + ["'}'"])
  }

  /// A balanced tree: SQLite bounds the depth of an expression, and a chain is as deep as it is
  /// long.
  private static func concatenation(_ parts: [String]) -> String {
    guard parts.count > 8 else { return "(\(parts.joined(separator: " || ")))" }
    let middle = parts.count / 2
    let halves = [Array(parts[..<middle]), Array(parts[middle...])]
    return "(\(halves.map(concatenation).joined(separator: " || ")))"
  }

  /// The values of a row by column.
  static func values(in image: String, _ db: Database) throws -> [String: DatabaseValue] {
    let rows = try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT key, type, CASE type WHEN 'object' THEN json_extract(value, '$.hex') ELSE value END
          FROM json_each(?)
          """), arguments: [image])
    var values: [String: DatabaseValue] = [:]
    for row in rows {
      let isBytes = row[1] == "object"
      values[row[0]] = isBytes ? bytes(hexadecimal: row[2]).databaseValue : row[2]
    }
    return values
  }

  private static func bytes(hexadecimal digits: String) -> Data {
    let values = digits.utf8.map { UInt8($0 > 57 ? $0 - 55 : $0 - 48) }
    return Data(
      stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] })
  }
}
