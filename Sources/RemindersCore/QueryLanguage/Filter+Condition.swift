import Foundation
import GRDB

extension Filter {
  /// Which rows of `reminders` meet it.
  ///
  /// - Parameter word: Which rows have a word.
  /// - Throws: `AppError` for a list or a tag that does not exist.
  func condition(
    _ db: Database, in time: LocalTime, word: (String) throws -> Condition
  ) throws -> Condition {
    switch self {
    case .word(let text): try word(text)
    case .hashtag(let name): try FieldTest.tag(name).condition(db, in: time)
    case .field(let test): try test.condition(db, in: time)
    case .not(let part):
      try part.condition(db, in: time, word: word).mapped { "NOT coalesce((\($0)), 0)" }
    case .all(let parts):
      Condition.joined(
        try parts.map { try $0.condition(db, in: time, word: word) }, by: "AND", empty: "TRUE")
    case .any(let parts):
      Condition.joined(
        try parts.map { try $0.condition(db, in: time, word: word) }, by: "OR", empty: "FALSE")
    }
  }
}

extension Condition {
  /// Conditions that are all met, or one of them.
  static func joined(_ parts: [Condition], by word: String, empty: String) -> Condition {
    guard let first = parts.first else { return Condition(empty) }
    guard parts.count > 1 else { return first }
    let isAll = word == "AND"
    let common = parts.dropFirst().reduce(first.common) {
      isAll ? $0.union($1.common) : $0.intersection($1.common)
    }
    return Condition(
      parts.map { "(\($0.sql))" }.joined(separator: " \(word) "),
      parts.reduce(StatementArguments()) { $0 + $1.arguments }, common: common,
      isNarrow: isAll ? parts.contains(where: \.isNarrow) : parts.allSatisfy(\.isNarrow))
  }

  /// Another condition about the same values, of which nothing is known.
  fileprivate func mapped(_ body: (String) -> String) -> Condition {
    Condition(body(sql), arguments)
  }
}

extension FieldTest {
  fileprivate func condition(_ db: Database, in time: LocalTime) throws -> Condition {
    switch self {
    case .list(let name):
      let list = try RemindersList.named(name, in: ListsQuery().fetch(db))
      return try ReminderListQuery.Kind.list(list.id).condition(in: time, db)
    case .tag(let name):
      return try ReminderListQuery.Kind.tags([Tag.named(name, db)]).condition(in: time, db)
    case .time(.due, let comparison, let due): return comparison.condition(due: due, in: time)
    case .time(let column, let comparison, let due):
      return comparison.condition(column, due, in: time, try db.schemaVersion)
    case .priority(let comparison, let number):
      return Condition("coalesce(priority, 0) \(comparison.sql) ?", [number])
    case .has(let part): return Condition(try part.sql(in: db.schemaVersion))
    case .lacks(let part): return Condition("NOT (\(try part.sql(in: db.schemaVersion)))")
    case .flagged: return try ReminderListQuery.Kind.flagged.condition(in: time, db)
    case .completed: return Condition("\(SQL.isCompleted) = 1")
    case .open: return Condition("\(SQL.isCompleted) = 0")
    case .today: return try ReminderListQuery.Kind.today.condition(in: time, db)
    case .overdue: return .overdue(in: time)
    }
  }
}

extension FieldTest.Part {
  /// What an earlier schema has no place for, no reminder has.
  fileprivate func sql(in schema: SchemaVersion) -> String {
    let (field, sql): (ReminderField, String?) =
      switch self {
      case .field(let field): (field, field.presenceSQL)
      case .subtasks: (.parent, "id IN (SELECT parentID FROM reminders WHERE parentID NOTNULL)")
      }
    return field.since <= schema ? sql ?? "TRUE" : "FALSE"
  }
}

extension FieldTest.Comparison {
  fileprivate var sql: String { self == .like ? "=" : rawValue }

  /// Due before, on or after a day or a moment.
  ///
  /// A day without a time is before all moments of it.
  fileprivate func condition(due: DueDate, in time: LocalTime) -> Condition {
    switch (self, due) {
    case (.like, .day(let day)), (.equal, .day(let day)):
      return .joined(
        [
          Self.atLeast.condition(due: due, in: time),
          Self.less.condition(due: .day(day.adding(days: 1)), in: time),
        ], by: "AND", empty: "TRUE")
    case (.greater, .day(let day)):
      return Self.atLeast.condition(due: .day(day.adding(days: 1)), in: time)
    case (.atMost, .day(let day)):
      return Self.less.condition(due: .day(day.adding(days: 1)), in: time)
    case (_, .day(let day)):
      return Self.texts(sql, day.description, time.start(of: day).iso8601UTC)
    case (_, .moment(let moment)):
      let day = time.wallClock(at: moment).day.description
      let daySQL = [.less, .atMost].contains(self) ? "<=" : self == .greater ? ">" : sql
      return Self.texts(sql, day, moment.iso8601UTC, daySQL: daySQL)
    }
  }

  private static func texts(
    _ sql: String, _ day: String, _ moment: String, daySQL: String? = nil
  ) -> Condition {
    Condition(
      """
      (dueDate IS NULL) = 0 AND CASE length(dueDate) WHEN 10 THEN dueDate \(daySQL ?? sql) ?
        ELSE dueDate \(sql) ? END
      """, [day, moment], common: [.dueDate])
  }

  /// Made, changed or completed before, on or after a day or a moment.
  fileprivate func condition(
    _ column: FieldTest.TimeColumn, _ due: DueDate, in time: LocalTime, _ schema: SchemaVersion
  ) -> Condition {
    let expression =
      switch column {
      case .created: "createdAt"
      case .completed: SQL.completion(of: Reminder.databaseTableName, in: schema)
      case .changed, .due: "coalesce(updatedAt, createdAt)"
      }
    let isDone = column == .completed ? "\(SQL.isCompleted) = 1 AND " : ""
    func compared(_ comparison: Self, _ moment: Date) -> Condition {
      Condition("\(isDone)\(expression) \(comparison.sql) ?", [moment.milliseconds])
    }
    guard case .day(let day) = due else {
      return compared(self, time.moment(of: due))
    }
    let (start, end) = (time.start(of: day), time.start(of: day.adding(days: 1)))
    return switch self {
    case .less, .atLeast: compared(self, start)
    case .greater: compared(.atLeast, end)
    case .atMost: compared(.less, end)
    case .equal, .like:
      .joined([compared(.atLeast, start), compared(.less, end)], by: "AND", empty: "TRUE")
    }
  }
}

extension LocalTime {
  /// When something is due at the earliest.
  fileprivate func moment(of due: DueDate) -> Date {
    switch due {
    case .day(let day): start(of: day)
    case .moment(let moment): moment
    }
  }
}

/// Finds reminders of several lists, tags and smart lists at once that meet a filter.
public struct FilterQuery: Hashable, Sendable {
  /// What all must be in, or have.
  public var kinds: [ReminderListQuery.Kind]
  /// What they must meet.
  public var filter: Filter
  /// In which order.
  public var sort: ReminderListQuery.Sort
  /// Whether completed ones are shown.
  public var showsCompleted: Bool
  /// Whether Today alone shows what the next morning brings when nothing is due.
  public var previewsTomorrow = false
  /// Decides which day "today" is.
  public var time: LocalTime

  /// The query for whoever looks at this time.
  public init(
    _ kinds: [ReminderListQuery.Kind], filter: Filter = .all([]),
    sort: ReminderListQuery.Sort = .due,
    showsCompleted: Bool = false, time: LocalTime
  ) {
    self.kinds = kinds
    self.filter = filter
    self.sort = sort
    self.showsCompleted = showsCompleted
    self.time = time
  }

  /// Which reminders are shown and in which order.
  func shown(_ db: Database) throws -> (condition: Condition, order: RowOrder) {
    let parts = try kinds.map { try $0.condition(in: time, db) }
    let filter = try filter.condition(in: time, db)
    let all = Condition.joined(
      self.filter == .all([]) ? parts : parts + [filter], by: "AND", empty: "TRUE")
    let isAboutCompletion =
      try self.filter.isAboutCompletion
      || kinds.contains { try $0.isAboutCompletion(in: time, db) }
    let showsAll = showsCompleted || kinds.contains(.completed) || isAboutCompletion
    let order = try sort.order(in: time, db)
    if previewsTomorrow, self.filter == .all([]), let today { return (try today.shown(db), order) }
    return (showsAll ? all : all.open, order)
  }

  /// The list Today, where that is all that is asked for.
  private var today: ReminderListQuery? {
    guard kinds == [.today] else { return nil }
    return ReminderListQuery(.today, sort: sort, showsCompleted: showsCompleted, time: time)
  }

  /// Whether a reminder that was found is shown before its day, because nothing is due today.
  public func isPreview(_ row: ReminderRow) -> Bool {
    previewsTomorrow && today?.isPreview(row) == true
  }
}
