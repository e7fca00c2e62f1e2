import Foundation
import GRDB
import SQLiteSync

extension AppDatabase {
  /// Verifies the file: SQLite's own structures, foreign keys, the search index, the counts of
  /// lists and tags, and that synchronization knows every row.
  ///
  /// All of that is read at one moment, whoever writes meanwhile.
  ///
  /// - Throws: `AppError` when the file cannot be read at all.
  public func check() throws -> [DatabaseFinding] {
    do {
      let findings = try writer.read { db in
        try FileCheck.findings(db) + SearchIndex.findings(db) + OpenTags.findings(db)
          + ReminderCounts.findings(db) + UnreadableDates.findings(db) + SyncEngine.check(db)
      }
      return try findings + SearchIndex.ownFindings(writer)
    } catch let error as DatabaseError {
      throw AppError(error)
    }
  }

  /// Makes anew what can be derived, and takes in the rows that synchronization does not know.
  ///
  /// Nothing that anybody entered is changed or removed.
  public func repair() throws {
    let milliseconds = Int64(now().timeIntervalSince1970 * 1_000)
    do {
      try writer.write { db in
        try SearchIndex.rebuild(db)
        try OpenTags.rebuild(db)
        try ReminderCounts.rebuild(db)
        try SyncEngine.adoptUnknownRows(db, now: milliseconds)
      }
    } catch let error as DatabaseError {
      throw AppError(error)
    }
  }
}

/// Due dates that another program wrote and nobody can read: such a reminder counts as having none.
private enum UnreadableDates {
  static func findings(_ db: Database) throws -> [DatabaseFinding] {
    var (count, example) = (0, "")
    let rows = try Row.fetchCursor(
      db, sql: "SELECT id, CAST(dueDate AS TEXT) FROM reminders WHERE dueDate IS NOT NULL")
    while let row = try rows.next() {
      guard try DueDate(stored: row.read(1)) == nil else { continue }
      if count == 0 {
        let (id, date): (String, String) = try (row.read(0), row.read(1))
        example = "“\(date.oneLine.prefix(40))” of \(id)"
      }
      count += 1
    }
    guard count > 0 else { return [] }
    return [
      DatabaseFinding(
        .warning, "reminders", "\(counted(count, "due date")) cannot be read, such as \(example).",
        advice: "Another program wrote it. `reminders edit ID --due DATE` gives it a date.")
    ]
  }
}

/// What SQLite says of its own file.
private enum FileCheck {
  static func findings(_ db: Database) throws -> [DatabaseFinding] {
    let damages = try String.fetchAll(db, sql: "PRAGMA integrity_check(20)").filter { $0 != "ok" }
    let orphans = try Row.fetchAll(
      db, sql: "SELECT \"table\", parent, count(*) AS n FROM pragma_foreign_key_check GROUP BY 1, 2"
    )
    return try damages.map { damage in
      DatabaseFinding(
        .damage, AppDatabase.fileName, "SQLite finds: \(damage).",
        advice: "Copy the file away first; then `sqlite3 reminders.sqlite .recover` saves what "
          + "can be read, and a new data directory fetches from the cloud what was sent.")
    }
      + orphans.map { row in
        let (table, parent): (String, String) = try (row.read(0), row.read(1))
        let count: Int = row["n"]
        return DatabaseFinding(
          .damage, table,
          "\(count == 1 ? "1 row belongs to a row" : "\(count) rows belong to rows") of \(parent) "
            + "that \(count == 1 ? "is" : "are") not there.",
          advice: "Show and edit \(count == 1 ? "it" : "them") with sqlite3, or delete "
            + "\(count == 1 ? "it" : "them") there.")
      }
  }
}
