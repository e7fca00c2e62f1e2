import GRDB

/// A condition on rows of `reminders`, with the values it compares to.
struct Condition {
  var sql: String
  var arguments: StatementArguments

  init(_ sql: String, _ arguments: StatementArguments = []) {
    self.sql = sql
    self.arguments = arguments
  }

  static let open = Condition("\(SQL.isCompleted) = 0")
  static let completed = Condition("\(SQL.isCompleted) = 1")

  /// How many reminders meet it.
  func count(_ db: Database) throws -> Int {
    try Int.fetchOne(
      db, sql: "SELECT count(*) FROM reminders WHERE \(sql)", arguments: arguments) ?? 0
  }

  static func && (one: Condition, other: Condition) -> Condition {
    Condition("(\(one.sql)) AND (\(other.sql))", one.arguments + other.arguments)
  }
}

extension DetailQuery.Kind {
  /// Which reminders belong to it, completed or not.
  func condition(in time: LocalTime) -> Condition {
    switch self {
    case .list(let id): Condition("remindersListID = ?", [id])
    case .today: .due(on: time.today, in: time)
    case .scheduled: Condition("(dueDate IS NULL) = 0")
    case .all: Condition("TRUE")
    case .flagged: Condition("isFlagged = 1")
    case .completed: .completed
    case .tags(let titles):
      Condition(
        """
        id IN (SELECT reminderID FROM reminderTags WHERE tagTitle IN (\(
          databaseQuestionMarks(count: titles.count))))
        """, StatementArguments(titles.sorted()))
    }
  }
}

extension Condition {
  /// Due on a day: on the day as such, or at a moment of the day as whoever looks lives it.
  fileprivate static func due(on day: CalendarDay, in time: LocalTime) -> Condition {
    Condition(
      """
      (dueDate IS NULL) = 0
      AND (dueDate = ? OR (dueDate >= ? AND dueDate < ? AND length(dueDate) > 10))
      """,
      [
        day.description, time.start(of: day).iso8601UTC,
        time.start(of: day.adding(days: 1)).iso8601UTC,
      ])
  }
}
