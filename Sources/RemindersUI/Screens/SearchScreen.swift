import Reminders
import Terminal

/// Finds reminders by their words as they are typed.
struct SearchScreen: Equatable, Sendable {
  var field = TextField()
  /// What was made of words before those in the field.
  private(set) var tokens = SearchTokens()
  /// Whether the keys go to the field, and not to what was found.
  var isTyping = true
  var showsCompleted = false
  private(set) var result = SearchResult()
  var list = ListState<Reminder.ID>()
  /// Where the hits that were read are among all.
  private var read = Self.nothing
  private var reading = Self.reading

  /// Fewer rows than of a list: each has its notes to be read, too, at each letter.
  private static let reading = RowReading(leastMargin: 50, firstCount: 200, goal: .first)
  private static let nothing = ReadRows([], RowWindow(count: 0), start: 0, total: 0)

  /// What to look for; nil while nothing is typed.
  func query(in day: LocalTime) -> SearchQuery? {
    isEmpty
      ? nil
      : SearchQuery(
        field.text, tags: tokens.tags, near: tokens.near, showsCompleted: showsCompleted, time: day,
        window: reading.window)
  }

  /// Whether there is nothing to look for.
  var isEmpty: Bool { tokens.isEmpty && field.text.allSatisfy(\.isWhitespace) }

  /// The hits; none while nothing is typed.
  var hits: [SearchResult.Hit] { isEmpty ? [] : result.hits }

  /// The reminder under the cursor.
  var currentRow: DetailRow? {
    isEmpty ? nil : list.selected.flatMap { read.indexes[$0] }.map { result.hits[$0].row }
  }

  /// Takes over what a search found.
  mutating func receive(_ result: SearchResult, of query: SearchQuery) {
    guard self.query(in: query.time) == query else { return }
    let found = ReadRows(
      result.hits.lazy.map(\.id), query.window, start: result.start, total: query.count(of: result))
    guard reading.accepts(found, list) else { return }
    (self.result, read) = (result, found)
  }

  mutating func move(_ move: ListState<Reminder.ID>.Move) {
    reading.move(&list, move, in: read)
  }

  /// Other words begin at the first hit again; what others found is no more to act on.
  private mutating func beginAnew() {
    (list, reading, read) = (ListState(), Self.reading, Self.nothing)
  }

  mutating func type(_ key: Key) {
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
  mutating func takeToken(tagTitles: [Tag.ID]) throws(Problem) {
    field.text = try tokens.take(lastWordOf: field.text, tagTitles: tagTitles)
    beginAnew()
  }

  mutating func paste(_ text: String) {
    isTyping = true
    edit { $0.paste(text) }
  }

  private mutating func edit(_ change: (inout TextField) -> Void) {
    let old = field.text
    change(&field)
    if field.text != old { beginAnew() }
  }

  mutating func arrange(_ layout: Layout) {
    // Two lines for the field, one for the counts.
    list.update(lines: lines.map(\.id), height: layout.body.size.rows - 3)
    reading.arrive(&list, in: read)
    reading.follow(&list, in: read)
  }

  /// The lines of what was found: a reminder, and below it where the words are.
  var lines: [SearchLine] {
    hits.flatMap { [.title($0), .details($0)] }
  }
}

/// One line of what a search found.
enum SearchLine: Equatable, Sendable {
  case title(SearchResult.Hit)
  case details(SearchResult.Hit)

  var id: Reminder.ID {
    switch self {
    case .title(let hit), .details(let hit): hit.id
    }
  }
}

extension AppState {
  /// The search that has the keys.
  var searchScreen: SearchScreen? {
    get {
      if case .search(let search) = screens.last { search } else { nil }
    }
    set {
      if let newValue { screens[screens.count - 1] = .search(newValue) }
    }
  }

  mutating func openSearch() -> [Effect] {
    if searchScreen != nil {
      searchScreen?.isTyping = true
    } else {
      screens.append(.search(SearchScreen()))
    }
    return []
  }

  mutating func showHits() -> [Effect] {
    searchScreen?.isTyping = false
    return []
  }
}

extension SearchScreen {
  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    let glyphs = state.appearance.glyphs
    surface.fill(rect)
    let (top, below) = rect.splitTop(1)
    surface.write("/", at: top.origin.moved(columns: 1), role: .label)
    let runs = tokens.runs(glyphs)
    surface.write(
      runs, at: top.origin.moved(columns: 3), width: top.size.columns - 6,
      ellipsis: glyphs.ellipsis)
    let room = top.inset(columns: 3)
    let taken = min(
      runs.reduce(0) { $0 + TextWidth.columns(of: $1.text) }, max(0, room.size.columns - 12))
    let caret = field.draw(
      on: &surface, in: room.splitLeft(taken).rest,
      style: Style(isTyping ? .fieldFocused : .field),
      placeholder: tokens.isEmpty ? "words in titles and notes, #tags" : "")
    let (rule, found) = below.splitTop(1)
    surface.horizontalRule(at: rule.origin, columns: rule.size.columns, glyphs: glyphs)
    var results = found
    if state.layout.hasRoomForHit {
      let details: Rect
      (results, details) = found.splitRight(found.size.columns * 2 / 5)
      surface.write(
        glyphs.teeDown, at: Point(column: details.origin.column, row: rule.origin.row))
      state.drawDetails(
        of: list.selected, matches: matches(state.appearance), on: &surface, in: details)
    }
    surface.write(
      countText, at: results.origin.moved(columns: 1), role: .dim, width: results.size.columns - 2)
    let area = results.splitTop(1).rest
    let columns = RowColumns(
      width: area.size.columns, glyphs, clockColumns: state.time.customs.clockColumns)
    for (row, index) in list.visibleLines.enumerated() {
      let line = area.splitTop(row).rest.splitTop(1).top
      draw(lines[index], on: &surface, in: line, columns, state)
    }
    if let seen = read.inView(of: list) {
      ScrollBar(seen: seen, of: read.total, rows: area.size.rows)?
        .draw(on: &surface, in: area, glyphs: glyphs)
    }
    guard !isTyping else { return caret }
    return list.selected.flatMap { list.row(of: $0) }
      .map { area.origin.moved(columns: 1, rows: $0) } ?? caret
  }

  /// Where the words are in the reminder under the cursor.
  private func matches(_ appearance: Appearance) -> [[StyledRun]] {
    guard let hit = list.selected.flatMap({ read.indexes[$0] }).map({ result.hits[$0] }) else {
      return []
    }
    func line(_ label: String, _ texts: [MarkedText], _ role: Role = .text) -> [[StyledRun]] {
      let found = texts.filter(\.hasMatch).map { $0.runs(appearance, role: role) }
      guard !found.isEmpty else { return [] }
      return [[StyledRun(label, .label)] + found.joined(separator: [StyledRun(" ")])]
    }
    return line("  title  ", [hit.title]) + line("  notes  ", hit.notes.map { [$0] } ?? [])
      + line("  tags   ", hit.tags, .tag)
  }

  private var countText: String {
    guard !isEmpty else { return "Type what you remember of it." }
    let hidden = showsCompleted ? "" : " hidden"
    let completed =
      result.completedCount == 0 ? "" : ", \(result.completedCount) completed\(hidden)"
    return "\(result.openCount) open\(completed)"
  }

  private func draw(
    _ line: SearchLine, on surface: inout Surface, in rect: Rect, _ columns: RowColumns,
    _ state: AppState
  ) {
    let isCurrent = line.id == list.selected
    switch line {
    case .title(let hit):
      let title = hit.title.runs(state.appearance)
      columns.drawTitle(
        hit.row, title: title, on: &surface, in: rect, state, isCurrent: isCurrent)
      if isCurrent { surface.highlight(rect, isTyping ? .selectionElsewhere : .selection) }
    case .details(let hit):
      var runs = hit.row.list.runs(state.appearance.glyphs)
      if let notes = hit.notes { runs += [StyledRun("  ")] + notes.runs(state.appearance) }
      for tag in hit.tags {
        runs += [StyledRun("  ")] + tag.runs(state.appearance, role: .tag)
      }
      surface.write(
        runs, at: rect.origin.moved(columns: columns.title),
        width: rect.size.columns - columns.title - 1, ellipsis: state.appearance.glyphs.ellipsis)
    }
  }
}

extension MarkedText {
  /// The text with what was found marked: by its look, and by brackets where looks are too alike.
  func runs(_ appearance: Appearance, role: Role = .text) -> [StyledRun] {
    parts.map { part in
      guard part.isMatch else { return StyledRun(part.text, role) }
      return StyledRun(appearance.hasColors ? part.text : "[\(part.text)]", .match)
    }
  }
}

extension ListLabel {
  /// A swatch in the list's colour, and its title.
  func runs(_ glyphs: GlyphSet) -> [StyledRun] {
    let color = Style(foreground: RGB(UInt32(truncatingIfNeeded: self.color)))
    return [StyledRun(glyphs.swatch, color), StyledRun(" " + title, .dim)]
  }
}
