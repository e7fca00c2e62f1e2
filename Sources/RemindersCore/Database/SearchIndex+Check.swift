import GRDB
import SQLiteSync

extension SearchIndex {
  /// Compares the index with the reminders.
  static func findings(_ db: Database) throws -> [DatabaseFinding] {
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
    return count > 0
      ? [finding("\(count) reminders are not in the search index as they are.")] : []
  }

  /// Has FTS5 compare the index with its texts, when it has all of them.
  ///
  /// It does so in an INSERT, after which everything is as before, and has to wait for others who
  /// write: not as long as a command does that has something to write.
  static func ownFindings(_ writer: some DatabaseWriter) throws -> [DatabaseFinding] {
    do {
      try writer.writeWithoutTransaction { db in
        let patience = try Int.fetchOne(db, sql: "PRAGMA busy_timeout") ?? 0
        try db.execute(sql: "PRAGMA busy_timeout = \(min(patience, Self.patience))")
        // It sets a number of the connection, which cannot fail.
        defer { try? db.execute(sql: "PRAGMA busy_timeout = \(patience)") }
        try db.inTransaction(.immediate) {
          try indexWaiting(db)
          try db.execute(
            sql: "INSERT INTO reminderIndex (reminderIndex, rank) VALUES ('integrity-check', 1)")
          return .rollback
        }
      }
      return []
    } catch let error as DatabaseError
      where [.SQLITE_CORRUPT, .SQLITE_ERROR].contains(error.resultCode)
    {
      // An error is a table of its that is not there.
      return [finding("The full-text index is not that of its texts.")]
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      return [
        uncompared("another program is writing", advice: "Check again when it has finished.")
      ]
    } catch let error as DatabaseError
      where error.isOfFullDisk || error.resultCode == .SQLITE_READONLY
    {
      return [
        uncompared(
          "nothing can be written, which that takes", advice: "Check again when it can.")
      ]
    }
  }

  private static func uncompared(_ reason: String, advice: String) -> DatabaseFinding {
    DatabaseFinding(
      .note, "reminderIndex", "It could not be compared with its texts: \(reason).",
      advice: advice)
  }

  /// In milliseconds.
  private static let patience = 2_000

  private static func finding(_ problem: String) -> DatabaseFinding {
    DatabaseFinding(
      .warning, "reminderIndex", problem, advice: "`--repair` rebuilds the search index.",
      isRepairable: true)
  }

  /// Makes the index anew from the reminders.
  static func rebuild(_ db: Database) throws {
    try remake(db, of: db.schemaVersion.searchedFields.map(\.column))
  }
}
