import GRDB
import SQLiteSync

/// Counts what the cloud does not have of a list yet: itself, and the reminders in it.
public struct UnsentQuery: Query {
  private let list: RemindersList.ID

  /// A query about a list.
  public init(_ list: RemindersList.ID) { self.list = list }

  /// Counts them, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> Int {
    try Int.fetchOne(
      db.cachedStatement(
        sql: """
          WITH found AS (SELECT id FROM reminders WHERE remindersListID = :list)
          SELECT (SELECT count(*) FROM found WHERE \(Self.isUnsent(Reminder.self, "found")))
            + (SELECT count(*) FROM remindersLists
               WHERE id = :list AND \(Self.isUnsent(RemindersList.self, "remindersLists")))
          """), arguments: ["list": list]) ?? 0
  }

  private static func isUnsent(_ table: any TableRecord.Type, _ rows: String) -> String {
    SyncEngine.hasPendingChange(table: table.databaseTableName, key: "\(rows).id")
  }
}
