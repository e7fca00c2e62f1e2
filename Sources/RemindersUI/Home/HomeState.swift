import RemindersCore
import RemindersTerminal

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
    var query: ReminderListQuery
    var detail: ReminderListQuery.Value
  }

  /// What decides on the lines of the reminders and on how many are seen.
  private struct Arrangement: Equatable, Sendable {
    var shown: Shown
    var today: CalendarDay
    /// What is still snoozed at this moment.
    var snoozed: [Reminder.ID]
    var height: Int
    var isCompact: Bool
  }

  /// Which pane has the keys.
  var focus = Pane.reminders
  /// The lists, once they are known.
  var sidebar: Sidebar?
  /// How many reminders each saved search finds, or why it cannot be asked.
  var savedCounts: [SavedSearch.ID: Result<Int, AppError>] = [:]
  /// The cursor among the lists.
  var lists = ListState<SidebarItem>()
  /// The reminders, once they are known.
  private(set) var shown: Shown?
  /// The cursor among the reminders.
  var reminders = ListState<Reminder.ID>()
  /// The lines of the reminders: kept, so that a key does not lay them out again.
  private(set) var reminderLines: [ReminderLine] = []
  /// How wide the dates and lists of the reminders are.
  private(set) var rowNeeds = RowNeeds()
  /// Where the reminders that were read are among all.
  private(set) var read: ReadRows?
  /// What the lines were laid out for.
  private var arrangement: Arrangement?
  /// Where the cursor was in other lists.
  private var otherCursors: [ReminderListQuery.Kind: ListState<Reminder.ID>] = [:]
  /// How lists are shown.
  var options = RememberedOptions()
  /// Which reminders of each list are read.
  private var readings: [ReminderListQuery.Kind: RowReading] = [:]
  /// The selected reminders, which the next command acts on, also those that were not read.
  var selection = Selection()
  /// All about the reminder under the cursor.
  var current: ReminderDetail?
  /// The cover of the list under the cursor.
  var cover: CoverHeader?
}

// MARK: - What is shown

extension HomeState {
  /// The reminders that were read, those in view among them.
  var rows: [ReminderRow] { shown?.detail.rows ?? [] }

  /// A reminder that was read.
  func row(_ id: Reminder.ID) -> ReminderRow? { read?.indexes[id].map { rows[$0] } }

  /// The reminder under the cursor.
  var currentRow: ReminderRow? { reminders.current.flatMap(row) }

  /// Whether there is nothing at all.
  var isEmpty: Bool { sidebar?.isEmpty == true && shown?.detail.rows.isEmpty != false }

  /// The list, smart list or tag that the cursor is on.
  var kind: ReminderListQuery.Kind? { lists.current?.kind }

  /// The list under the cursor, when it is one.
  var currentList: RemindersList? {
    guard case .list(let id) = lists.current else { return nil }
    return sidebar?.lists.first { $0.id == id }?.list
  }

  /// How the current list is shown.
  var currentOptions: ListOptions {
    get { lists.current.map { options[$0] } ?? ListOptions() }
    set { if let item = lists.current { options[item] = newValue } }
  }

  func query(in day: LocalTime) -> ReminderListQuery? {
    guard let kind else { return nil }
    let options = currentOptions
    return ReminderListQuery(
      kind, sort: options.sort, showsCompleted: options.showsCompleted, time: day,
      window: readings[kind, default: RowReading()].window)
  }

  /// What to know of the selected reminders.
  var selectionQuery: SelectionQuery? {
    selection.query(in: shown.map { .list($0.query) })
  }
}

// MARK: - When something changes

extension HomeState {
  /// Takes over what was found; another list gets its own cursor back.
  mutating func show(_ detail: ReminderListQuery.Value, of query: ReminderListQuery) {
    let isOther = shown.map { $0.query.kind != query.kind } ?? false
    let list = isOther ? otherCursors[query.kind] ?? ListState() : reminders
    let found = ReadRows(
      detail.rows.lazy.map(\.id), query.window ?? RowWindow(count: detail.rows.count),
      start: detail.start, total: query.count(of: detail))
    guard readings[query.kind, default: RowReading()].accepts(found, list) else { return }
    if isOther, let old = shown?.query.kind {
      otherCursors[old] = reminders
      otherCursors[query.kind] = nil
      reminders = list
      selection.ids = []
    }
    shown = Shown(query: query, detail: detail)
    read = found
  }

  /// Moves the cursor to a new row, if it is shown.
  mutating func select(_ added: Written.Added) {
    switch added {
    case .reminder(let id):
      guard let read, let kind = shown?.query.kind else { return }
      readings[kind, default: RowReading()].select(id, &reminders, in: read)
    case .list(let id): lists.moveCursor(to: .list(id))
    }
  }

  /// Lays out both panes anew: their lines, and how many of them there is room for.
  mutating func arrange(_ layout: Layout, isCompact: Bool, in time: LocalTime) {
    if let sidebar {
      let hadLists = lists.lines.contains { if case .list = $0 { true } else { false } }
      lists.update(lines: SidebarLine.lines(of: sidebar).map(\.item), height: layout.listsHeight)
      if !hadLists, let first = sidebar.lists.first { lists.moveCursor(to: .list(first.id)) }
    }
    arrangeReminders(layout, isCompact: isCompact, in: time)
    guard let read, let kind = shown?.query.kind else { return }
    readings[kind, default: RowReading()].follow(&reminders, in: read)
  }

  /// Does nothing when nothing changed, so that a key costs the same in lists of any length.
  private mutating func arrangeReminders(
    _ layout: Layout, isCompact: Bool, in time: LocalTime
  ) {
    guard let shown else { return }
    let wanted = Arrangement(
      shown: shown, today: time.today,
      snoozed: shown.detail.rows.filter { $0.snooze(in: time) != nil }.map(\.id),
      height: layout.remindersHeight, isCompact: isCompact)
    guard wanted != arrangement else { return }
    arrangement = wanted
    reminderLines = ReminderLine.lines(of: shown, isCompact: isCompact, in: time)
    rowNeeds = RowNeeds(shown.detail.rows, in: time)
    reminders.update(lines: reminderLines.map(\.id), height: layout.remindersHeight)
    guard let read else { return }
    readings[shown.query.kind, default: RowReading()].arrive(&reminders, in: read)
  }

  mutating func moveCursor(_ move: ListState<Reminder.ID>.Move) {
    guard let read, let kind = shown?.query.kind else { return }
    readings[kind, default: RowReading()].move(&reminders, move, in: read)
  }
}

// MARK: - Commands

extension AppState {
  /// Where a new reminder goes: the current list, else the first one of this account's own; nil
  /// where that is still to be made.
  var listForNewReminder: RemindersList? {
    let lists = home.sidebar?.lists.map(\.list) ?? []
    return home.currentList ?? lists.first { share(of: $0.id)?.isOwn ?? true }
  }
}

extension HomeState {
  /// Where keys are listened to, the most particular place first.
  var contexts: [Context] {
    [focus == .lists ? .lists : .reminders, .home, .moving, .anywhere, .always]
  }
}
