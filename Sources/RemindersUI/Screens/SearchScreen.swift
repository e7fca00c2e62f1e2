import RemindersCore
import RemindersTerminal

/// Finds reminders by their words as they are typed.
struct SearchScreen: ListScreen, ReminderScreen {
  var field = TextField()
  /// What was made of words before those in the field.
  private(set) var tokens = SearchTokens()
  /// Whether the keys go to the field, and not to what was found.
  var isTyping = true
  /// How the hits are shown.
  var options = ListOptions()
  private(set) var result = SearchResult()
  /// How wide the dates and lists of the hits are.
  private(set) var rowNeeds = RowNeeds()
  var list = ListState<Reminder.ID>()
  var selection = Selection()
  /// Where the hits that were read are among all.
  private(set) var read = Self.nothing
  private var reading = Self.reading

  /// Fewer rows than of a list: each has its notes to be read, too, at each letter.
  private static let reading = RowReading(leastMargin: 50, firstCount: 200, goal: .first)
  private static let nothing = ReadRows([], RowWindow(count: 0), start: 0, total: 0)

  var contexts: [Context] {
    isTyping ? [.searchField, .always] : [.hits, .reminders, .moving, .anywhere, .always]
  }

  var hints: [Command.ID] {
    isTyping
      ? [.showHits, .makeToken, .saveTypedSearch, .leaveSearchField, .helpInText]
      : [
        .editReminder, .toggleDone, .showCompletedHits, .orderHits, .saveSearch,
        .clearCompletedHits,
        .search,
        .leaveSearch, .help,
      ]
  }

  var place: String? { "Search" }

  func subscriptions(in state: AppState) -> [any Subscription] {
    let described = state.layout.hasRoomForHit ? list.current : nil
    let wanted: [(any Subscription)?] = [
      query(in: state.day), selectionQuery(in: state.day), described.map { DetailPaneQuery($0) },
    ]
    return wanted.compactMap(\.self)
  }

  /// What to look for; nil while nothing is typed.
  func query(in day: LocalTime) -> SearchQuery? {
    isEmpty
      ? nil
      : SearchQuery(
        field.text, tags: tokens.tags, near: tokens.near, sort: options.sort,
        showsCompleted: options.showsCompleted, time: day, window: reading.window)
  }

  /// What to know of the selected hits.
  private func selectionQuery(in day: LocalTime) -> SelectionQuery? {
    selection.query(in: query(in: day).map { .search($0) })
  }

  /// Whether there is nothing to look for.
  var isEmpty: Bool { tokens.isEmpty && field.text.allSatisfy(\.isWhitespace) }

  /// The hits; none while nothing is typed.
  var hits: [SearchResult.Hit] { isEmpty ? [] : result.hits }

  /// A hit that was read.
  func hit(_ id: Reminder.ID) -> SearchResult.Hit? {
    isEmpty ? nil : read.indexes[id].map { result.hits[$0] }
  }

  /// The hit under the cursor.
  var currentHit: SearchResult.Hit? { list.current.flatMap(hit) }

  /// The reminder under the cursor.
  var currentRow: ReminderRow? { currentHit?.row }

  var selectionProblem: String? { nil }

  // MARK: - What arrives

  /// Takes over what a search found.
  fileprivate mutating func receive(_ result: SearchResult, of query: SearchQuery) {
    guard self.query(in: query.time) == query else { return }
    let found = ReadRows(
      result.hits.lazy.map(\.id), query.window, start: result.start, total: query.count(of: result))
    guard reading.accepts(found, list) else { return }
    (self.result, read) = (result, found)
    rowNeeds = RowNeeds(result.hits.lazy.map(\.row), in: query.time)
  }

  // MARK: - Keys

  mutating func move(_ move: CursorMove) {
    reading.move(&list, move.step(), in: read)
  }

  mutating func click(_ point: Point, in state: AppState) -> Bool? {
    guard let isCurrent = clickList(point, in: state) else { return nil }
    isTyping = false
    return isCurrent
  }

  /// Other words begin at the first hit again; what others found is no more to act on.
  private mutating func beginAnew() {
    (list, reading, read) = (ListState(), Self.reading, Self.nothing)
    selection.ids = []
  }

  mutating func type(_ key: Key, in state: AppState) {
    guard isTyping else { return }
    switch key {
    case .down, .control("n"): move(.down)
    case .up, .control("p"): move(.up)
    case .backspace where field.text.isEmpty:
      tokens.removeLast()
      beginAnew()
    default: edit { $0.handle(key) }
    }
  }

  /// Makes a token of the last word.
  mutating func takeToken(among tags: [Sidebar.TagRow]) throws(Problem) {
    field.text = try tokens.take(lastWordOf: field.text, among: tags)
    beginAnew()
  }

  mutating func paste(_ text: String, in state: AppState) {
    isTyping = true
    edit { $0.paste(text) }
  }

  private mutating func edit(_ change: (inout TextField) -> Void) {
    let old = field.text
    change(&field)
    if field.text != old { beginAnew() }
  }

  // MARK: - Lines

  mutating func arrange(in state: AppState) {
    let height = SearchParts(state.layout).lines.size.rows
    list.update(lines: lines.map(\.id), height: height)
    reading.arrive(&list, in: read)
    reading.follow(&list, in: read)
  }

  /// The lines of what was found: the list, its reminders, and below each where the words are.
  var lines: [SearchLine] {
    var lines: [SearchLine] = []
    var list: RemindersList.ID?
    for hit in hits {
      if result.isByList, hit.row.list.id != list {
        list = hit.row.list.id
        lines.append(.heading(hit.row.list))
      }
      lines.append(.title(hit))
      if !hit.texts.isEmpty || !hit.tags.isEmpty { lines.append(.details(hit)) }
    }
    return lines
  }
}

/// One line of what a search found.
enum SearchLine: Equatable, Sendable {
  case heading(RemindersList)
  case title(SearchResult.Hit)
  case details(SearchResult.Hit)

  /// The reminder that the line belongs to.
  var id: Reminder.ID? {
    switch self {
    case .heading: nil
    case .title(let hit), .details(let hit): hit.id
    }
  }
}

extension AppState {
  /// The search that has the keys.
  var searchScreen: SearchScreen? {
    get { screens[top: SearchScreen.self] }
    set { screens[top: SearchScreen.self] = newValue }
  }

  mutating func openSearch() -> [Effect] {
    guard searchScreen != nil else { return open(SearchScreen()) }
    searchScreen?.isTyping = true
    return []
  }

  mutating func showHits() -> [Effect] {
    searchScreen?.isTyping = false
    return []
  }

  /// One step back: from the selection, then from the search.
  mutating func leaveHits() -> [Effect] {
    guard searchScreen?.selection.isEmpty == false else { return closeScreen() }
    searchScreen?.selection.ids = []
    return []
  }
}

extension SearchQuery: ShownQuery {
  func show(_ result: SearchResult, in state: inout AppState) {
    state.screens.update(SearchScreen.self) { $0.receive(result, of: self) }
  }

  /// Typing goes on while something is looked for.
  func isAwaited(in state: AppState) -> Bool { state.searchScreen?.isTyping == false }
}
