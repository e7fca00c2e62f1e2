import GRDB
import SQLiteSync

extension SearchIndex {
  /// Compares the index with the reminders.
  static func findings(_ db: Database) throws -> [DatabaseFinding] {
    var problems: [String] = []
    let differs = try db.schemaVersion.searchedFields.map { field in
      "reminderTexts.\(field.column) IS NOT \(folded("reminders.\(field.column)"))"
    }
    let count =
      try Int.fetchOne(
        db,
        sql: """
          SELECT (
            SELECT count(*) FROM reminders LEFT JOIN reminderTexts
              ON reminderTexts.reminderID = reminders.id
            WHERE reminderTexts.id IS NULL
              OR \(differs.joined(separator: " OR "))
              OR reminderTexts.isCompleted IS NOT \(SQL.isCompleted("reminders"))
          ) + (
            SELECT count(*) FROM reminderTexts
            WHERE reminderID NOT IN (SELECT id FROM reminders)
          )
          """) ?? 0
    if count > 0 { problems.append("\(count) reminders are not in the search index as they are.") }
    do {
      try db.execute(
        sql: "INSERT INTO reminderIndex (reminderIndex, rank) VALUES ('integrity-check', 1)")
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
      problems.append("The full-text index is not that of its texts.")
    }
    return problems.map { problem in
      DatabaseFinding(
        .warning, "reminderIndex", problem, advice: "`--repair` rebuilds the search index.",
        isRepairable: true)
    }
  }

  /// Makes the index anew from the reminders.
  ///
  /// First from its texts, because what the triggers take out of it must be in it.
  static func rebuild(_ db: Database) throws {
    let columns = try db.schemaVersion.searchedFields.map(\.column)
    try db.execute(
      sql: """
        INSERT INTO reminderIndex (reminderIndex) VALUES ('rebuild');
        DELETE FROM reminderTexts;
        INSERT INTO reminderTexts (reminderID, \(columns.joined(separator: ", ")), isCompleted)
        SELECT id, \(columns.map(folded).joined(separator: ", ")), \(SQL.isCompleted("reminders"))
        FROM reminders;
        """)
  }
}
