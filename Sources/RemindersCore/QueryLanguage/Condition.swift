import GRDB

/// A condition on rows of `reminders`, with the values it compares to.
struct Condition {
  /// What all rows that meet a condition may have in common, of what rows are ordered by.
  enum Common: Hashable {
    /// All are completed, or none is.
    case completion
    /// All have a due date.
    case dueDate
  }

  let sql: String
  let arguments: StatementArguments
  let common: Set<Common>
  /// Whether SQLite should find the rows by this condition, rather than by whether they are open.
  let isNarrow: Bool

  init(
    _ sql: String, _ arguments: StatementArguments = [], common: Set<Common> = [],
    isNarrow: Bool = false
  ) {
    self.sql = sql
    self.arguments = arguments
    self.common = common
    self.isNarrow = isNarrow
  }

  /// Those that meet it and are not completed.
  var open: Condition { completion(false) }

  /// Those that meet it and are completed.
  var completed: Condition { completion(true) }

  // A `+` keeps SQLite from using an index for what follows it.
  func completion(_ isCompleted: Bool) -> Condition {
    Condition(
      "(\(sql)) AND \(isNarrow ? "+" : "")\(SQL.isCompleted) = \(isCompleted ? 1 : 0)", arguments,
      common: common.union([.completion]), isNarrow: isNarrow)
  }

  /// Those that meet it and whose due date is in a range, as text.
  func `in`(_ texts: ClosedRange<String>) -> Condition {
    Condition(
      "(\(sql)) AND \(isNarrow ? "+" : "")(dueDate IS NULL) = 0 AND dueDate BETWEEN ? AND ?",
      arguments + [texts.lowerBound, texts.upperBound], common: common.union([.dueDate]),
      isNarrow: isNarrow)
  }

  /// Those that meet it and are in a list.
  func of(listID: RemindersList.ID) -> Condition {
    Condition(
      "(\(sql)) AND \(isNarrow ? "+" : "")remindersListID = ?", arguments + [listID],
      common: common, isNarrow: isNarrow)
  }

  /// Those that meet it, or another.
  func or(_ other: Condition) -> Condition {
    Condition(
      "((\(sql)) OR (\(other.sql)))", arguments + other.arguments,
      common: common.intersection(other.common), isNarrow: isNarrow)
  }

  /// How many reminders meet it.
  func count(_ db: Database) throws -> Int {
    try Int.fetchOne(
      db, sql: "SELECT count(*) FROM reminders WHERE \(sql)", arguments: arguments) ?? 0
  }
}

extension ReminderListQuery.Kind {
  /// Which reminders belong to it, completed or not.
  ///
  /// - Throws: `AppError` when a saved search cannot be asked.
  func condition(in time: LocalTime, _ db: Database) throws -> Condition {
    switch self {
    case .saved(let id): try SavedSearch.filter(id, in: time, db).condition(in: time, db)
    case .list(let id): Condition("remindersListID = ?", [id])
    case .today: .today(in: time)
    case .scheduled: Condition("(dueDate IS NULL) = 0", common: [.dueDate])
    case .all: Condition("TRUE")
    case .flagged: Condition("isFlagged = 1")
    case .completed: Condition("TRUE").completed
    case .tags(let titles):
      Condition(
        """
        id IN (SELECT reminderID FROM reminderTags WHERE tagTitle IN (\(
          databaseQuestionMarks(count: titles.count))))
        """, StatementArguments(titles.sorted()), isNarrow: true)
    }
  }
}

extension ReminderListQuery.Kind {
  /// Whether a saved search says itself if completed ones are wanted.
  func isAboutCompletion(in time: LocalTime, _ db: Database) throws -> Bool {
    guard case .saved(let id) = self else { return false }
    return try SavedSearch.filter(id, in: time, db).isAboutCompletion
  }

  /// How many reminders belong to it.
  func count(isCompleted: Bool, in time: LocalTime, _ db: Database) throws -> Int {
    switch self {
    case .list(let id): try ReminderCounts.sum(.total, isCompleted: isCompleted, of: id, db)
    case .all: try ReminderCounts.sum(.total, isCompleted: isCompleted, db)
    case .scheduled: try ReminderCounts.sum(.scheduled, isCompleted: isCompleted, db)
    case .flagged: try ReminderCounts.sum(.flagged, isCompleted: isCompleted, db)
    case .completed where !isCompleted: 0
    case .completed: try ReminderCounts.sum(.total, isCompleted: true, db)
    case .today where isCompleted:
      try Condition.due(on: time.today, in: time).completed.count(db)
    case .today, .tags, .saved:
      try condition(in: time, db).completion(isCompleted).count(db)
    }
  }
}

extension Condition {
  /// Due on a day, or earlier on it than so many minutes since midnight: on the day as such, or at
  /// a moment of the day as whoever looks lives it.
  static func due(
    on day: CalendarDay, until minutes: Int = 24 * 60, in time: LocalTime
  ) -> Condition {
    let start = time.start(of: day).iso8601UTC
    let end = time.moment(day, minutes: minutes).iso8601UTC
    // The first line is for the index: both kinds of text lie in this range.
    return Condition(
      """
      (dueDate IS NULL) = 0 AND dueDate BETWEEN ? AND ?
      AND (dueDate = ? OR (dueDate >= ? AND dueDate < ? AND length(dueDate) > 10))
      """,
      [
        min(day.description, start), max(day.description, end), day.description, start, end,
      ], common: [.dueDate])
  }

  /// Due today or before; of the completed ones those that were due today.
  fileprivate static func today(in time: LocalTime) -> Condition {
    let due = due(by: time.today, in: time)
    return Condition(
      """
      \(due.sql) AND (
        \(SQL.isCompleted) = 0
          OR CASE WHEN length(dueDate) > 10 THEN dueDate >= ? ELSE dueDate >= ? END
      )
      """, due.arguments + [time.start(of: time.today).iso8601UTC, time.today.description],
      common: due.common)
  }

  /// Open, and due on a day that is over; of one, `DueDate.isOverdue(in:)`.
  static func overdue(in time: LocalTime) -> Condition {
    due(by: time.today.adding(days: -1), in: time).open
  }

  /// Due on a day or before, as whoever looks lives it.
  ///
  /// What another program wrote and this one cannot read as a date, such as the year 11026, is not
  /// before one.
  static func due(by day: CalendarDay, in time: LocalTime) -> Condition {
    let end = time.start(of: day.adding(days: 1)).iso8601UTC
    return Condition(
      """
      (dueDate IS NULL) = 0 AND dueDate <= ? AND substr(dueDate, 5, 1) = '-'
      AND CASE WHEN length(dueDate) > 10 THEN dueDate < ? ELSE dueDate <= ? END
      """, [max(day.description, end), end, day.description], common: [.dueDate])
  }
}
