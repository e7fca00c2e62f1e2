import Reminders
import Terminal

/// The home screen: the lists on the left, the reminders of the current one beside them.
struct HomeState: Equatable, Sendable {
  enum Pane: Equatable, Sendable {
    case lists
    case reminders
  }

  /// Reminders together with the query that found them.
  ///
  /// While the cursor moves on to another list, the old reminders stay until the new ones are
  /// there, so both belong together.
  struct Shown: Equatable, Sendable {
    var query: DetailQuery
    var detail: Detail
  }

  /// What decides on the lines of the reminders and on how many are seen.
  private struct Arrangement: Equatable, Sendable {
    var shown: Shown
    var today: CalendarDay
    var height: Int
  }

  /// Which pane has the keys.
  var focus = Pane.reminders
  /// The lists, once they are known.
  var sidebar: Sidebar?
  /// The cursor among the lists.
  var lists = ListState<SidebarItem>()
  /// The reminders, once they are known.
  private(set) var shown: Shown?
  /// The cursor among the reminders.
  var reminders = ListState<Reminder.ID>()
  /// The lines of the reminders: kept, because a list may have a hundred thousand.
  private(set) var reminderLines: [ReminderLine] = []
  /// Where each reminder is among the rows; kept for the same reason.
  private var rowIndexes: [Reminder.ID: Int] = [:]
  /// What the lines were laid out for.
  private var arrangement: Arrangement?
  /// Whether the cursor goes to the last reminder as soon as all are read.
  private var wantsLast = false
  /// Where the cursor was in other lists.
  private var otherCursors: [DetailQuery.Kind: ListState<Reminder.ID>] = [:]
  /// How lists are shown.
  var options = RememberedOptions()
  /// How many reminders of a list are read at most, where it is more than at first.
  private var limits: [DetailQuery.Kind: Int] = [:]
  /// The reminders that are marked for a command on several.
  var marks: Set<Reminder.ID> = []
  /// All about the reminder under the cursor.
  var current: ReminderDetails?
  /// The cover of the list under the cursor.
  var cover: CoverHeader?

  private static let initialLimit = 500
}

// MARK: - What is shown

extension HomeState {
  /// The reminders that are shown.
  var rows: [DetailRow] { shown?.detail.rows ?? [] }

  /// The reminder under the cursor.
  var currentRow: DetailRow? {
    reminders.selected.flatMap { rowIndexes[$0] }.map { rows[$0] }
  }

  /// Whether there is nothing at all.
  var isEmpty: Bool { sidebar?.isEmpty == true && shown?.detail.rows.isEmpty != false }

  /// The list, smart list or tag that the cursor is on.
  var kind: DetailQuery.Kind? { lists.selected?.kind }

  /// The list under the cursor, when it is one.
  var currentList: RemindersList? {
    guard case .list(let id) = lists.selected else { return nil }
    return sidebar?.lists.first { $0.id == id }?.list
  }

  /// How the current list is shown.
  var currentOptions: ListOptions {
    get { lists.selected.map { options[$0] } ?? ListOptions() }
    set { if let item = lists.selected { options[item] = newValue } }
  }

  func query(in day: LocalTime) -> DetailQuery? {
    guard let kind else { return nil }
    let options = currentOptions
    return DetailQuery(
      kind, sort: options.sort, showsCompleted: options.showsCompleted, time: day,
      limit: limits[kind] ?? Self.initialLimit)
  }
}

// MARK: - When something changes

extension HomeState {
  /// Takes over what was found; another list gets its own cursor back.
  mutating func show(_ detail: Detail, of query: DetailQuery) {
    if let old = shown?.query.kind, old != query.kind {
      otherCursors[old] = reminders
      reminders = otherCursors.removeValue(forKey: query.kind) ?? ListState()
      marks = []
    }
    shown = Shown(query: query, detail: detail)
    rowIndexes = Dictionary(
      detail.rows.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    if !marks.isEmpty { marks.formIntersection(detail.rows.map(\.id)) }
  }

  /// Moves the cursor to a new row, if it is shown.
  mutating func select(_ added: Written.Added) {
    switch added {
    case .reminder(let id): reminders.select(id)
    case .list(let id): lists.select(.list(id))
    }
  }

  /// Lays out both panes anew: their lines, and how many of them there is room for.
  mutating func arrange(_ layout: Layout, in time: LocalTime) {
    if let sidebar {
      let hadLists = lists.lines.contains { if case .list = $0 { true } else { false } }
      lists.update(lines: SidebarLine.lines(of: sidebar).map(\.item), height: layout.listsHeight)
      if !hadLists, let first = sidebar.lists.first { lists.select(.list(first.id)) }
    }
    arrangeReminders(layout, in: time)
    growLimit()
  }

  /// Does nothing when nothing changed, so that a key costs the same in lists of any length.
  private mutating func arrangeReminders(_ layout: Layout, in time: LocalTime) {
    guard let shown else { return }
    let wanted = Arrangement(shown: shown, today: time.today, height: layout.remindersHeight)
    guard wanted != arrangement else { return }
    arrangement = wanted
    reminderLines = ReminderLine.lines(of: shown, in: time)
    reminders.update(lines: reminderLines.map(\.id), height: layout.remindersHeight)
    if wantsLast, isAllRead {
      reminders.move(.last)
      wantsLast = false
    }
  }

  /// Whether the list has no more reminders than were read.
  private var isAllRead: Bool {
    guard let shown, let limit = shown.query.limit else { return true }
    return shown.detail.rows.count < limit
  }

  mutating func moveCursor(_ move: ListState<Reminder.ID>.Move) {
    wantsLast = move == .last && !isAllRead
    if wantsLast, let kind = shown?.query.kind { limits[kind] = .max }
    reminders.move(move)
  }

  /// Reads further when the view comes near the end of what was read.
  private mutating func growLimit() {
    guard let shown, let limit = shown.query.limit, !isAllRead, !wantsLast else { return }
    if reminders.visibleLines.upperBound * 4 >= reminders.lines.count * 3 {
      limits[shown.query.kind] = limit * 4
    }
  }
}

// MARK: - What commands act on

extension AppState {
  /// The reminders that a command acts on: the marked ones, else the one under the cursor.
  var targets: [DetailRow] {
    if case .search(let search) = screens.last { return search.currentRow.map { [$0] } ?? [] }
    if !home.marks.isEmpty { return home.rows.filter { home.marks.contains($0.id) } }
    return home.currentRow.map { [$0] } ?? []
  }

  /// Where a new reminder goes: the current list, else the first one that can be written.
  var listForNewReminder: RemindersList? {
    let lists = home.sidebar?.lists.map(\.list) ?? []
    return home.currentList ?? lists.first { readOnlyReason(of: [$0.id]) == nil } ?? lists.first
  }
}

extension HomeState {
  /// Where keys are listened to, the most particular place first.
  var contexts: [Context] {
    [focus == .lists ? .lists : .reminders, .home, .moving, .anywhere, .always]
  }
}
