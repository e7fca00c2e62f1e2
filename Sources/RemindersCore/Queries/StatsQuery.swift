import Foundation
import GRDB

/// What was done, and what became late: the numbers of looking back.
public struct Stats: Equatable, Sendable {
  /// Some days, the last included, and how many reminders were completed on them.
  public struct Period: Equatable, Sendable {
    /// Its first day.
    public let first: CalendarDay
    /// Its last day.
    public let last: CalendarDay
    /// How many reminders were completed.
    public let done: Int
  }

  /// The reminders of a list, or with a tag.
  public struct Group: Identifiable, Equatable, Sendable {
    /// The id of the list, or the tag.
    public let id: String
    /// What it is called.
    public let title: String
    /// How many are not completed.
    public let open: Int
    /// How many of those were due before today.
    public let overdue: Int
    /// How many were completed in the last four weeks.
    public let done: Int
  }

  /// A day, and how many reminders were overdue at its end; today, so far.
  public struct Late: Equatable, Sendable {
    /// The day.
    public let day: CalendarDay
    /// How many reminders.
    public let count: Int
  }

  /// The last two weeks by day, today last.
  public internal(set) var days: [Period] = []
  /// The last twelve weeks, this one last.
  public internal(set) var weeks: [Period] = []
  /// The lists in manual order.
  public internal(set) var lists: [Group] = []
  /// The tags by title, as people look one up: `Ärzte` before `Zoo`.
  public internal(set) var tags: [Group] = []
  /// The last two weeks.
  public internal(set) var overdue: [Late] = []

  /// Numbers of nothing.
  public init() {}

  /// The weeks as the first day to the last, each date as wide as the widest:
  /// `26 Oct to  1 Nov`.
  public func weekNames(in time: LocalTime) -> [String] {
    let dates = weeks.map { [$0.first, $0.last].map(time.localeFormat.dateText(of:)) }
    let widest = dates.joined().map(\.count).max() ?? 0
    return dates.map { dates in
      dates.map { String(repeating: " ", count: widest - $0.count) + $0 }
        .joined(separator: " to ")
    }
  }

  /// How many cells of a bar a number fills; one at least, unless it is none.
  public static func cells(_ number: Int, of most: Int, in columns: Int) -> Int {
    guard number > 0, most > 0, columns > 0 else { return 0 }
    return max(1, Int((Double(number) / Double(most) * Double(columns)).rounded()))
  }
}

/// Counts what was done and what became late, by indexes.
///
/// An earlier schema does not know when reminders were completed: there, it is when they were last
/// changed.
public struct StatsQuery: Query {
  /// Decides which day "today" is.
  public var time: LocalTime

  static let (dayCount, weekCount) = (14, 12)
  /// The lists and tags say what was done in so many days.
  static let recentDays = 28

  /// The query for whoever looks at this time.
  public init(time: LocalTime) {
    self.time = time
  }

  /// Finds it, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> Stats {
    let today = time.today
    let completion = SQL.completion(of: Reminder.databaseTableName, in: try db.schemaVersion)
    let recent = Condition(
      "\(SQL.isCompleted) = 1 AND \(completion) >= ?",
      [time.start(of: today.adding(days: 1 - Self.recentDays)).milliseconds])
    let late = Condition.overdue(in: time)
    var stats = Stats()
    stats.days = try (0..<Self.dayCount).reversed().map { age in
      let day = today.adding(days: -age)
      return try period(day, day, completion, db)
    }
    let weekday = today.days(since: time.localeFormat.firstWeekday)
    stats.weeks = try (0..<Self.weekCount).reversed().map { age in
      let first = today.adding(days: -weekday - 7 * age)
      return try period(first, first.adding(days: 6), completion, db)
    }
    stats.lists = try lists(recent, late, db)
    stats.tags = try tags(recent, late, db)
    stats.overdue = try lateCounts(on: stats.days.map(\.first), completion, db)
    return stats
  }

  private func period(
    _ first: CalendarDay, _ last: CalendarDay, _ completion: String, _ db: Database
  ) throws -> Stats.Period {
    let done = Condition(
      "\(SQL.isCompleted) = 1 AND \(completion) >= ? AND \(completion) < ?",
      [time.start(of: first).milliseconds, time.start(of: last.adding(days: 1)).milliseconds])
    return Stats.Period(first: first, last: last, done: try done.count(db))
  }

  /// How many reminders were overdue at the end of each day, as far as their dates of today tell.
  ///
  /// Those that are overdue now, and those that were completed since, are read once for all days.
  private func lateCounts(
    on days: [CalendarDay], _ completion: String, _ db: Database
  ) throws -> [Stats.Late] {
    guard let first = days.first, let last = days.last else { return [] }
    func end(_ day: CalendarDay) -> Int64 { time.start(of: day.adding(days: 1)).milliseconds }
    func counts(
      _ candidates: Condition, _ isLate: (Condition, CalendarDay) -> Condition
    ) throws -> [Int] {
      let late = days.map { day in
        let due = Condition.due(by: day.adding(days: -1), in: time)
        return isLate(
          Condition("(\(due.sql)) AND createdAt <= ?", due.arguments + [end(day)]), day)
      }
      let row = try Row.fetchOne(
        db,
        sql: """
          SELECT \(late.map { "count(*) FILTER (WHERE \($0.sql))" }.joined(separator: ", "))
          FROM reminders WHERE \(candidates.sql)
          """,
        arguments: late.reduce(StatementArguments()) { $0 + $1.arguments } + candidates.arguments)
      return days.indices.map { row?[$0] ?? 0 }
    }
    let open = try counts(.due(by: last.adding(days: -1), in: time).open) { due, _ in due }
    let completedSince = Condition(
      "\(SQL.isCompleted) = 1 AND \(completion) > ?", [end(first)])
    let done = try counts(completedSince) { due, day in
      Condition("\(due.sql) AND \(completion) > ?", due.arguments + [end(day)])
    }
    return days.indices.map { Stats.Late(day: days[$0], count: open[$0] + done[$0]) }
  }

  private func lists(
    _ recent: Condition, _ late: Condition, _ db: Database
  ) throws -> [Stats.Group] {
    func counts(_ condition: Condition) throws -> [String: Int] {
      try numbers(
        """
        SELECT remindersListID, count(*) FROM reminders WHERE \(condition.sql)
        GROUP BY remindersListID
        """, condition.arguments, db)
    }
    let (done, overdue) = (try counts(recent), try counts(late))
    let open = try numbers(
      "SELECT remindersListID, total FROM reminderCounts WHERE isCompleted = 0", [], db)
    return try ListsQuery().fetch(db).map { list in
      Stats.Group(
        id: list.id, title: list.title, open: open[list.id] ?? 0, overdue: overdue[list.id] ?? 0,
        done: done[list.id] ?? 0)
    }
  }

  private func tags(
    _ recent: Condition, _ late: Condition, _ db: Database
  ) throws -> [Stats.Group] {
    func counts(_ condition: Condition) throws -> [String: Int] {
      try numbers(
        """
        SELECT lower(tagTitle), count(DISTINCT reminderID) FROM (
          SELECT id FROM reminders WHERE \(condition.sql)
        ) AS found CROSS JOIN reminderTags ON reminderID = found.id GROUP BY tagTitle
        """, condition.arguments, db)
    }
    let (done, overdue) = (try counts(recent), try counts(late))
    return try Row.fetchAll(
      db,
      sql: """
        SELECT title, coalesce(total, 0) FROM tags LEFT JOIN openTagCounts ON tagTitle = title
        """
    ).map { row in
      let title: String = try row.read(0)
      let key = title.lowercasedASCII
      return try Stats.Group(
        id: title, title: title, open: row.read(1), overdue: overdue[key] ?? 0,
        done: done[key] ?? 0)
    }
    .sorted { SearchFold.comparable($0.title) }
  }

  private func numbers(
    _ sql: String, _ arguments: StatementArguments, _ db: Database
  ) throws -> [String: Int] {
    try Row.fetchAll(db, sql: sql, arguments: arguments).reduce(into: [:]) { numbers, row in
      let key: String = try row.read(0)
      numbers[key, default: 0] += try row.read(1)
    }
  }
}
