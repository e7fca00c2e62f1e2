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
          SELECT (\(Self.unsent(Reminder.self, where: "remindersListID")))
            + (\(Self.unsent(RemindersList.self, where: "id")))
          """), arguments: ["list": list]) ?? 0
  }

  private static func unsent(_ table: any TableRecord.Type, where column: String) -> String {
    let name = table.databaseTableName
    let rows = "FROM \(name) WHERE \(column) = :list"
    let isUnsent = SyncEngine.hasPendingChange(
      table: name, key: "\(name).id", among: "SELECT id \(rows)")
    return "SELECT count(*) \(rows) AND \(isUnsent)"
  }
}
