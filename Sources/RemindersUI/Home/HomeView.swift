import RemindersCore
import RemindersTerminal

extension AppState {
  /// Draws the home screen.
  ///
  /// - Returns: Where the focus is.
  func drawHome(on surface: inout Surface, _ layout: Layout) -> Point? {
    var cursor: Point?
    if let rect = layout.lists {
      let row = surface.within(rect) { drawLists(on: &$0, in: rect) }
      if home.focus == .lists { cursor = row }
      if layout.reminders != nil {
        let rule = Point(column: rect.columnRange.upperBound, row: rect.origin.row)
        surface.verticalRule(at: rule, rows: rect.size.rows, glyphs: appearance.glyphs)
      }
    }
    if let rect = layout.reminders {
      let row = surface.within(rect) { drawReminders(on: &$0, in: rect) }
      if home.focus == .reminders { cursor = row }
    }
    if let rect = layout.detailPane {
      surface.within(rect) { drawDetailPane(on: &$0, in: rect, layout) }
    }
    return cursor
  }

  /// What a list, smart list or tag is called.
  func title(of kind: ReminderListQuery.Kind) -> String {
    switch kind {
    case .list(let id): home.sidebar?.lists.first { $0.id == id }?.list.title ?? ""
    case .today: SmartList.today.title
    case .scheduled: SmartList.scheduled.title
    case .all: SmartList.all.title
    case .flagged: SmartList.flagged.title
    case .completed: SmartList.completed.title
    case .saved(let id): home.sidebar?.searches.first { $0.id == id }?.title ?? ""
    case .tags(let titles): titles.inAlphabeticalOrder.map { "#\($0)" }.joined(separator: " ")
    }
  }

  // MARK: - Lists

  private func drawLists(on surface: inout Surface, in rect: Rect) -> Point? {
    guard let sidebar = home.sidebar else { return nil }
    let (lines, hasFocus) = (SidebarLine.lines(of: sidebar), home.focus == .lists)
    return home.lists.draw(
      on: &surface, in: rect, glyphs: appearance.glyphs,
      pointer: hasFocus ? nil : appearance.glyphs.bar, light: hasFocus ? .cursor : nil
    ) { surface, index, line in
      draw(lines[index], on: &surface, in: line)
    }
  }

  private func draw(_ line: SidebarLine, on surface: inout Surface, in rect: Rect) {
    let glyphs = appearance.glyphs
    switch line {
    case .gap: return
    case .heading(let title):
      surface.write(title, at: rect.origin.moved(columns: 1), role: .heading)
    case .smart(let list, let count, let late):
      drawItem(
        [StyledRun(list.title)], count,
        note: late == 0 ? nil : StyledRun("\(late) late", .overdue), on: &surface, in: rect)
    case .saved(let search):
      let (count, note) = savedCount(of: search)
      drawItem([StyledRun(search.title)], count, note: note, on: &surface, in: rect)
    case .list(let row):
      drawItem(
        [StyledRun(glyphs.swatch, row.list.swatchStyle), StyledRun(" " + row.list.title)],
        row.openCount, note: (share(of: row.id)?.badge).map { StyledRun($0, .dim) },
        on: &surface, in: rect)
    case .tag(let row):
      drawItem([StyledRun("#" + row.title, .tag)], row.openCount, on: &surface, in: rect)
    }
  }

  private func savedCount(of search: SavedSearch) -> (Int, note: StyledRun?) {
    switch home.savedCounts[search.id] {
    case .success(let count): (count, nil)
    case .failure: (0, StyledRun(appearance.glyphs.cross, .error))
    case nil: (0, nil)
    }
  }

  private func drawItem(
    _ runs: [StyledRun], _ count: Int, note: StyledRun? = nil, on surface: inout Surface,
    in rect: Rect
  ) {
    let number = count == 0 ? "" : "\(count)"
    var width = rect.size.columns - number.count - 5
    if let note {
      let columns = min(TextWidth.columns(of: note.text), width / 2)
      width -= columns + 1
      surface.write(
        [note], at: rect.origin.moved(columns: width + 4), width: columns,
        ellipsis: appearance.glyphs.ellipsis)
    }
    surface.write(
      runs, at: rect.origin.moved(columns: 3), width: width, ellipsis: appearance.glyphs.ellipsis)
    surface.write(
      number, at: rect.origin.moved(columns: rect.size.columns - number.count - 1), role: .dim)
  }

  // MARK: - Reminders

  private func drawReminders(on surface: inout Surface, in rect: Rect) -> Point? {
    guard let shown = home.shown else { return nil }
    if home.isEmpty {
      return drawWelcome(on: &surface, in: rect)
    }
    let area = layout.lines
    drawHeading(of: shown, on: &surface, in: rect.splitTop(1).top)
    drawCover(on: &surface, layout)
    let lines = home.reminderLines
    if lines.isEmpty { drawNothingHere(shown, on: &surface, in: area) }
    let columns = rowColumns(of: shown, in: area)
    let cursor = home.reminders.draw(
      on: &surface, in: area, glyphs: appearance.glyphs,
      light: home.focus == .reminders ? .cursor : .cursorElsewhere, lightsWholeItem: false
    ) { surface, index, line in
      draw(lines[index], of: shown, on: &surface, in: line, columns)
    }
    if let read = home.read, let seen = read.inView(of: home.reminders) {
      ScrollBar(seen: seen, of: read.total, rows: area.size.rows)?
        .draw(on: &surface, in: area, glyphs: appearance.glyphs)
    }
    return cursor
  }

  /// Where the columns of the rows are.
  func rowColumns(of shown: HomeState.Shown, in area: Rect) -> RowColumns {
    RowColumns(
      width: area.size.columns, appearance.glyphs, home.rowNeeds,
      showsList: !shown.query.kind.isOneList)
  }

  private func drawHeading(of shown: HomeState.Shown, on surface: inout Surface, in rect: Rect) {
    let start = headingStart(of: shown, in: rect)
    surface.write(
      headingText(of: shown, columns: rect.size.columns),
      at: Point(column: start, row: rect.origin.row), role: .dim,
      width: rect.columnRange.upperBound - start - 1, ellipsis: appearance.glyphs.ellipsis)
    guard !layout.isNarrow else { return }
    surface.write(
      title(of: shown.query.kind), at: rect.origin.moved(columns: 1), role: .heading,
      width: start - rect.origin.column - 3, ellipsis: appearance.glyphs.ellipsis)
  }

  /// The column in which the facts beside the name of the list begin.
  func headingStart(of shown: HomeState.Shown, in rect: Rect) -> Int {
    guard !layout.isNarrow else { return rect.origin.column + 1 }
    let text = headingText(of: shown, columns: rect.size.columns)
    return rect.columnRange.upperBound - TextWidth.columns(of: text) - 1
  }

  private func headingText(of shown: HomeState.Shown, columns: Int) -> String {
    headingFacts(of: shown, columns: columns).map(\.text).joined(separator: headingSeparator)
  }

  /// What stands between the facts.
  var headingSeparator: String { " \(appearance.glyphs.separator) " }

  /// From how many columns on a heading says in words whom a list is shared with.
  private static let roomForNames = 70
  /// How much of a list's name the words leave, at least, and how much the facts.
  private static let (roomForTitle, leastTitle) = (16, 8)

  /// `6 open · by due date ▾ · 2 completed hidden`.
  func headingFacts(of shown: HomeState.Shown, columns: Int) -> [ClickableText] {
    let title = layout.isNarrow ? 0 : TextWidth.columns(of: title(of: shown.query.kind))
    func fit(_ facts: [ClickableText], besides least: Int) -> Bool {
      let text = facts.map(\.text).joined(separator: headingSeparator)
      return TextWidth.columns(of: text) + min(title, least) + 4 <= columns
    }
    let facts = headingFacts(of: shown, sharing: \.summary)
    if columns >= Self.roomForNames, fit(facts, besides: Self.roomForTitle) { return facts }
    // What there is no room for is left out, the least first.
    var short = headingFacts(of: shown, sharing: \.badge)
    while short.count > 1, !fit(short, besides: Self.leastTitle) { short.removeLast() }
    return short
  }

  private func headingFacts(
    of shown: HomeState.Shown, sharing: KeyPath<ListShare, String>
  ) -> [ClickableText] {
    let (detail, query) = (shown.detail, shown.query)
    var facts: [ClickableText] = []
    if !home.selection.isEmpty {
      facts.append(ClickableText("\(home.selection.count) selected", .deselectAll))
    }
    if case .list(let id) = query.kind, let share = share(of: id) {
      facts.append(ClickableText(share[keyPath: sharing]))
    }
    if query.kind != .completed { facts.append(ClickableText("\(detail.openCount) open")) }
    let order = "\(query.sort.title) \(appearance.glyphs.menu)"
    facts.append(ClickableText(order, .chooseOrder))
    if query.kind == .completed {
      facts.append(ClickableText("\(detail.completedCount) completed"))
    } else if detail.isAboutCompletion {
      facts.append(ClickableText("\(detail.completedCount) completed"))
    } else if detail.completedCount > 0 {
      let hidden = query.showsCompleted ? "completed" : "completed hidden"
      facts.append(ClickableText("\(detail.completedCount) \(hidden)", .toggleCompleted))
    }
    return facts
  }

  private func draw(
    _ line: ReminderLine, of shown: HomeState.Shown, on surface: inout Surface, in rect: Rect,
    _ columns: RowColumns
  ) {
    switch line {
    case .heading(let title):
      surface.write(
        title, at: rect.origin.moved(columns: 1),
        role: title == Urgency.overdue.heading ? .overdue : .heading)
    case .title(let row):
      let isSelected = home.selection.contains(row.id)
      let role: Role = isSelected ? .selected : shown.query.isPreview(row) ? .dim : .text
      columns.drawTitle(
        row, title: [StyledRun(row.title, role)], on: &surface, in: rect, self,
        isSelected: isSelected)
    case .details(let row):
      columns.drawDetails(row, on: &surface, in: rect, self)
    }
  }

  // MARK: - Nothing

  /// What to do in a list without reminders.
  private func drawNothingHere(
    _ shown: HomeState.Shown, on surface: inout Surface, in rect: Rect
  ) {
    let start = rect.origin.moved(columns: 3, rows: 1)
    if let problem = shown.detail.problem {
      let text = appearance.glyphs.adapted("\(appearance.glyphs.cross) \(problem)")
      let lines = TextWidth.wrapped(
        text, to: rect.size.columns - 4, atMost: rect.size.rows)
      for (row, line) in lines.enumerated() {
        surface.write(line, at: start.moved(rows: row), role: .error)
      }
      return
    }
    surface.write("Nothing here.", at: start, role: .dim)
    let hidden = shown.detail.completedCount > 0 && !shown.query.showsCompleted
    surface.write(
      hintText([.addReminder] + (hidden ? [.toggleCompleted] : [])), at: start.moved(rows: 2),
      width: rect.size.columns - 4)
  }

  /// What to do in an app without anything.
  ///
  /// - Returns: Where the first of the ways is.
  private func drawWelcome(on surface: inout Surface, in rect: Rect) -> Point {
    let start = rect.origin.moved(columns: 3, rows: 2)
    surface.write("Nothing to remember yet.", at: start, role: .heading)
    let ways: [(Command.ID, String)] = [
      (.addReminder, "write down your first reminder"),
      (.addList, "make a list"),
      (.addSampleData, "look around with sample data"),
      (.help, "see what all the keys do"),
    ]
    for (row, way) in ways.enumerated() {
      let key = TextWidth.padded(keymap.keyName(of: way.0), to: 4)
      surface.write(
        [StyledRun(key, .hintKey), StyledRun(way.1)], at: start.moved(rows: 2 + row),
        width: rect.size.columns - 4)
    }
    return start.moved(rows: min(2, rect.size.rows - 3))
  }
}
