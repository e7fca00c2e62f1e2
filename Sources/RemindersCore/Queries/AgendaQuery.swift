import Foundation
import GRDB

/// What is due day by day, what is overdue, and what comes again.
public struct Agenda: Equatable, Sendable {
  /// A reminder on a day.
  public struct Entry: Identifiable, Equatable, Sendable {
    /// Tells entries of one reminder apart.
    public enum ID: Hashable, Sendable {
      /// The reminder itself.
      case reminder(Reminder.ID)
      /// An occurrence of it that is still to come.
      case projection(Reminder.ID, CalendarDay)
    }

    /// The reminder.
    public let row: ReminderRow
    /// When this occurrence of it is due.
    public let due: DueDate
    /// Which entry.
    public let id: ID

    /// Whether it is still to come, once the reminder has been completed.
    public var isProjected: Bool { if case .projection = id { true } else { false } }
  }

  /// A day with what is due on it.
  public struct Day: Equatable, Sendable {
    /// The day.
    public let day: CalendarDay
    /// The first of its reminders, in the order of time.
    public let entries: [Entry]
    /// Whether there are more of them.
    public let hasMore: Bool
  }

  /// The first of the reminders that were due before today; none where today is not among the days.
  public internal(set) var overdue: [Entry] = []
  /// How many there are in all.
  public internal(set) var overdueCount = 0
  /// The days on which something is due.
  public internal(set) var days: [Day] = []
  /// Whether there are more reminders that come again than were looked at.
  public internal(set) var isIncomplete = false

  /// An agenda with nothing in it.
  public init() {}

  /// A day, if something is due on it.
  public subscript(day: CalendarDay) -> Day? { days.first { $0.day == day } }
}

/// Finds what is due on some days.
///
/// It takes time by the number of days, whatever there is: of each day, of what is overdue and of
/// what comes again it looks at the first ones.
public struct AgendaQuery: Query {
  /// The days.
  public var days: ClosedRange<CalendarDay>
  /// Decides which day "today" is.
  public var time: LocalTime
  /// Whether all of each text is read, and not only as much as a screen shows.
  public var readsWholeTexts: Bool

  /// How many reminders of a day are found.
  static let mostPerDay = 50
  /// How many reminders that come again, and how many of their occurrences, are looked at.
  static let (mostSeries, mostSteps) = (200, 4000)

  /// The query for whoever looks at this time.
  public init(
    _ days: ClosedRange<CalendarDay>, time: LocalTime, readsWholeTexts: Bool = false
  ) {
    self.days = days
    self.time = time
    self.readsWholeTexts = readsWholeTexts
  }

  /// Finds it, with one snapshot of the database.
  ///
  /// What is due is found along an index by ids alone, day by day; then the rows are read at once,
  /// because what is looked up beside them, such as unsent edits, costs by the statement.
  public func fetch(_ db: Database) throws -> Agenda {
    var agenda = Agenda()
    let overdue = Condition.overdue(in: time)
    var overdueIDs: [Reminder.ID] = []
    if days.contains(time.today) {
      agenda.overdueCount = try overdue.count(db)
      overdueIDs = Array(try ids(overdue, db).prefix(Self.mostPerDay))
    }
    let due = try days.numbers.map { number in
      let day = CalendarDay(number: number)
      return (day, try ids(.due(on: day, in: time).open, db))
    }
    let series = try series(db, &agenda)
    let rows = try rows(of: overdueIDs + due.flatMap(\.1) + series.keys, db)
    agenda.overdue = overdueIDs.compactMap { rows[$0]?.entry }.sorted { $0.order(in: time) }
    let projected = projections(series, rows)
    for (day, ids) in due {
      let all = ids.compactMap { rows[$0]?.entry } + (projected[day] ?? [])
      let entries = all.sorted { $0.order(in: time) }
      guard !entries.isEmpty else { continue }
      agenda.days.append(
        Agenda.Day(
          day: day, entries: Array(entries.prefix(Self.mostPerDay)),
          hasMore: entries.count > Self.mostPerDay))
    }
    return agenda
  }

  /// Which reminders meet a condition, one more than are shown.
  func ids(_ condition: Condition, _ db: Database) throws -> [Reminder.ID] {
    let request = RowRequest(
      condition: condition, order: try ReminderListQuery.Sort.due.order(in: time, db))
    return try request.ids(in: RowWindow(count: Self.mostPerDay + 1), db)
  }

  private func rows(of ids: [Reminder.ID], _ db: Database) throws -> [Reminder.ID: ReminderRow] {
    let request = try RowRequest(
      of: ids, notes: readsWholeTexts ? nil : ReminderRow.shownNotes)
    return try ReminderRow.fetch(db, request).reduce(into: [:]) { $0[$1.id] = $1 }
  }

  // MARK: - What comes again

  /// The days on which reminders come again, and when they are due then.
  private func series(
    _ db: Database, _ agenda: inout Agenda
  ) throws -> [Reminder.ID: [Projection.Entry]] {
    guard try db.schemaVersion.fields.contains(.recurrence) else { return [:] }
    let rows = try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT id, dueDate, recurrence, occurrence, seriesTime FROM reminders
          WHERE \(SQL.isOpenSeries) LIMIT ?
          """), arguments: [Self.mostSeries + 1])
    var steps = Self.mostSteps
    var found: [Reminder.ID: [Projection.Entry]] = [:]
    var counts: [CalendarDay: Int] = [:]
    for row in rows.prefix(Self.mostSeries) {
      guard
        let projection = try Projection(
          id: row.read(0), due: DueDate(stored: row.read(1)),
          recurrence: Recurrence(stored: row.read(2)), occurrence: row.read(3),
          seriesTime: row.read(4), time)
      else { continue }
      // No day shows more than so many of them.
      let entries = projection.entries(in: days, steps: &steps)
        .filter { counts[$0.day, default: 0] <= Self.mostPerDay }
      for entry in entries { counts[entry.day, default: 0] += 1 }
      if !entries.isEmpty { try found[row.read(0)] = entries }
    }
    agenda.isIncomplete = rows.count > Self.mostSeries || steps == 0
    return found
  }

  private func projections(
    _ series: [Reminder.ID: [Projection.Entry]], _ rows: [Reminder.ID: ReminderRow]
  ) -> [CalendarDay: [Agenda.Entry]] {
    var entries: [CalendarDay: [Agenda.Entry]] = [:]
    for (id, projected) in series {
      guard let row = rows[id] else { continue }
      for entry in projected {
        entries[entry.day, default: []].append(
          Agenda.Entry(row: row, due: entry.due, id: .projection(id, entry.ruleDay)))
      }
    }
    return entries
  }
}

extension ReminderRow {
  /// The reminder on its own day.
  fileprivate var entry: Agenda.Entry? {
    self.due.map { Agenda.Entry(row: self, due: $0, id: .reminder(id)) }
  }
}

extension ClosedRange<CalendarDay> {
  /// The numbers of its days.
  fileprivate var numbers: ClosedRange<Int> { lowerBound.number...upperBound.number }
}

extension Agenda.Entry {
  /// What it is sorted by: what has no time comes first on its day.
  fileprivate func order(in time: LocalTime) -> DueOrder {
    DueOrder(.incomplete, due, row.reminder.position, row.id, in: time)
  }
}
