import GRDB

@testable import RemindersUI

extension Driver {
  /// All rows, without when they were changed; being completed counts as completed.
  func contents() throws -> [String] {
    try database.writer.read { db in
      try (database.schema.synchronizedTables + database.schema.privateTables).flatMap { type in
        let table = type.databaseTableName
        return try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY 1").map { row in
          let columns = row.filter { $0.0 != "updatedAt" }.map { column, value in
            "\(column)=\(column == "status" && value == 1.databaseValue ? "2" : "\(value)")"
          }
          return "\(table): " + columns.joined(separator: ", ")
        }
      }
    }
  }
}
