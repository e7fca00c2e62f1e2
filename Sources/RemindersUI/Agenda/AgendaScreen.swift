import RemindersCore
import RemindersTerminal

/// What is due day by day: a month of it, or the time from today on, with what is overdue on top.
struct AgendaScreen: ListScreen, ReminderScreen {
  /// One line of the list.
  enum Line: Equatable, Sendable {
    case gap
    case overdue(count: Int)
    case day(CalendarDay)
    /// Nothing is due on the day above.
    case nothing
    case entry(Agenda.Entry)
    /// So many more than are shown; nil where they were not counted.
    case more(Int?)

    /// The entry that the line belongs to.
    fileprivate var id: Agenda.Entry.ID? {
      if case .entry(let entry) = self { entry.id } else { nil }
    }
  }

  /// What was found, with the query that found it.
  struct Shown: Equatable, Sendable {
    let month: CalendarDay?
    let query: AgendaQuery
    let agenda: Agenda
  }

  /// The first day of the month that is shown; nil for the time from today on.
  private(set) var month: CalendarDay?
  private(set) var shown: Shown?
  private(set) var lines: [Line] = []
  var list = ListState<Agenda.Entry.ID>()

  let contexts: [Context] = [.agenda, .reminders, .moving, .anywhere, .always]
  let hints: [Command.ID] = [
    .openEntry, .toggleDone, .laterDay, .earlierDay, .setDue, .laterMonth, .earlierMonth,
    .thisMonth, .leaveAgenda, .help,
  ]
  var place: String? { "Agenda" }

  // MARK: - What is shown

  /// What to look for.
  func query(in day: LocalTime) -> AgendaQuery { AgendaQuery(days(in: day), time: day) }

  func subscriptions(in state: AppState) -> [any Subscription] {
    let described = AgendaParts(state.layout).details == nil ? nil : currentRow?.id
    let details: [any Subscription] = described.map { [DetailPaneQuery($0)] } ?? []
    return [query(in: state.day)] + details
  }

  private func days(in time: LocalTime) -> ClosedRange<CalendarDay> {
    guard let month else {
      // At the end of a month, the next one too.
      return time.today...max(time.today.endOfMonth, time.today.adding(days: 13).endOfMonth)
    }
    return month...month.endOfMonth
  }

  fileprivate mutating func receive(_ agenda: Agenda, of query: AgendaQuery) {
    guard query == self.query(in: query.time) else { return }
    // Another month begins at its top.
    if let shown, shown.month != month { list = ListState() }
    shown = Shown(month: month, query: query, agenda: agenda)
    lines = Self.lines(of: agenda, from: query)
  }

  private static func lines(of agenda: Agenda, from query: AgendaQuery) -> [Line] {
    var lines: [Line] = []
    func section(_ heading: Line, _ entries: [Line]) {
      if !lines.isEmpty { lines.append(.gap) }
      lines += [heading] + entries
    }
    if !agenda.overdue.isEmpty {
      let rest = agenda.overdueCount - agenda.overdue.count
      section(
        .overdue(count: agenda.overdueCount),
        agenda.overdue.map { .entry($0) } + (rest > 0 ? [.more(rest)] : []))
    }
    let today = query.time.today
    if query.days.contains(today), agenda[today] == nil { section(.day(today), [.nothing]) }
    for day in agenda.days {
      section(.day(day.day), day.entries.map { .entry($0) } + (day.hasMore ? [.more(nil)] : []))
    }
    return lines
  }

  // MARK: - The cursor

  /// The entry under the cursor.
  var current: Agenda.Entry? {
    guard let id = list.current else { return nil }
    return lines.lazy.compactMap { line -> Agenda.Entry? in
      if case .entry(let entry) = line, entry.id == id { entry } else { nil }
    }.first
  }

  /// The reminder that commands are about: none on what is still to come.
  var currentRow: ReminderRow? { current.flatMap { $0.isProjected ? nil : $0.row } }

  var selectionProblem: String? { "Nothing can be selected in the agenda." }

  func rowProblem(in state: AppState) -> String? {
    guard current?.isProjected == true else { return nil }
    return "It comes again on this day: \(state.keymap.keyName(of: .openEntry)) opens its reminder."
  }

  /// The day under the cursor, else the first one that is shown.
  func currentDay(in time: LocalTime) -> CalendarDay {
    let first = days(in: time).lowerBound
    return max(current?.due.day(in: time) ?? first, first)
  }

  mutating func showMonth(by step: Int, in time: LocalTime) {
    let shown = month ?? time.today.startOfMonth
    let years = 1...9999
    let next = shown.adding(months: step)
    guard years.contains(next.components.year),
      years.contains(next.adding(months: 1).components.year)
    else { return }
    month = next == time.today.startOfMonth ? nil : next
  }

  mutating func showToday() {
    month = nil
    if shown?.month == nil { list.move(.first) }
  }

  mutating func arrange(in state: AppState) {
    list.update(lines: lines.map(\.id), height: AgendaParts(state.layout).lines.size.rows)
  }

  mutating func click(_ point: Point, in state: AppState) -> Bool? {
    let parts = AgendaParts(state.layout)
    if let month = parts.month, month.contains(point) {
      let grid = MonthGrid(of: currentDay(in: state.day), in: state.time)
      if let day = grid.day(at: point, in: month) { moveCursor(to: day, in: state.time) }
      return nil
    }
    guard parts.lines.contains(point) else { return nil }
    return list.click(row: point.row - parts.lines.origin.row)
  }

  /// Moves to the first that is due on a day or after it.
  private mutating func moveCursor(to day: CalendarDay, in time: LocalTime) {
    let days = shown?.agenda.days ?? []
    if let entry = days.first(where: { $0.day >= day })?.entries.first {
      list.moveCursor(to: entry.id)
    }
  }
}

extension AgendaQuery: ShownQuery {
  func show(_ agenda: Agenda, in state: inout AppState) {
    state.screens.update(AgendaScreen.self) { $0.receive(agenda, of: self) }
  }
}

extension AppState {
  /// The agenda, while it has the keys.
  var agendaScreen: AgendaScreen? {
    get { screens[top: AgendaScreen.self] }
    set { screens[top: AgendaScreen.self] = newValue }
  }
}

extension Context {
  /// In the agenda.
  static let agenda = Context("Agenda")
}
