import GRDB

@testable import RemindersUI

extension Driver {
  /// All rows, without when they were changed; being completed counts as completed. How a list is
  /// shown is no change of anything; its place is.
  func contents() throws -> [String] {
    try database.writer.read { db in
      try (database.schema.synchronizedTables + database.schema.privateTables).flatMap { type in
        let table = type.databaseTableName
        let rows =
          table == "listViews"
          ? "SELECT listID, position FROM listViews WHERE position NOTNULL ORDER BY 1"
          : "SELECT * FROM \(table) ORDER BY 1"
        return try Row.fetchAll(db, sql: rows).map { row in
          let columns = row.filter { $0.0 != "updatedAt" }.map { column, value in
            "\(column)=\(column == "status" && value == 1.databaseValue ? "2" : "\(value)")"
          }
          return "\(table): " + columns.joined(separator: ", ")
        }
      }
    }
  }
}
