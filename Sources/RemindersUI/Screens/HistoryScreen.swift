import RemindersCore
import RemindersTerminal

/// Shows a reminder field by field: who set it, and below that what lost, to bring it back.
struct HistoryScreen: ListScreen, HistoryEntryScreen {
  /// One line: a field as it is, or what lost.
  enum Line: Equatable, Sendable {
    case field(FieldEdit)
    case entry(HistoryEntry)

    var id: HistoryEntry.ID? {
      if case .entry(let entry) = self { entry.id } else { nil }
    }
  }

  private(set) var query: HistoryQuery
  let title: String
  private(set) var history = HistoryQuery.Value()
  private(set) var lines: [Line] = []
  var list = ListState<HistoryEntry.ID>()

  init(of id: Reminder.ID, title: String) {
    query = HistoryQuery(of: id)
    query.readsWholeNotes = false
    self.title = title
  }

  var place: String? { "History" }
  var currentEntry: HistoryEntry.ID? { list.current }

  func subscriptions(in state: AppState) -> [any Subscription] { [query] }

  fileprivate mutating func receive(_ history: HistoryQuery.Value) {
    self.history = history
    lines = []
    for field in history.fields {
      lines.append(.field(field))
      lines += history.entries.filter { $0.column == field.column }.map { .entry($0) }
    }
    lines += history.entries.filter { $0.column == nil }.map { .entry($0) }
  }

  mutating func arrange(in state: AppState) {
    // One line for the title, one for the titles of the columns.
    list.update(lines: lines.map(\.id), height: state.layout.body.size.rows - 2)
  }
}

extension HistoryQuery: ShownQuery {
  func show(_ history: Value, in state: inout AppState) {
    state.screens.update(HistoryScreen.self) { if $0.query == self { $0.receive(history) } }
  }
}

extension AppState {
  mutating func openHistory() -> [Effect] {
    guard let row = targets.row ?? currentRow else { return [] }
    return open(HistoryScreen(of: row.id, title: row.title))
  }
}

extension HistoryScreen {
  private static let table = TextTable([
    .fixed("field", 10), .flexible("value", atLeast: 20), .fixed("when", 16), .fixed("by", 16),
  ])

  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    surface.fill(rect)
    let glyphs = state.appearance.glyphs
    let note =
      history.entries.isEmpty ? "nothing of it lost" : "\(history.entries.count) kept"
    surface.write(
      [StyledRun(title, .heading), StyledRun(" \(glyphs.separator) \(note)", .dim)],
      at: rect.origin.moved(columns: 1), width: rect.size.columns - 2, ellipsis: glyphs.ellipsis)
    let width = min(rect.size.columns - 4, Layout.widestTable)
    Self.table.drawTitles(
      on: &surface, at: rect.origin.moved(columns: 3, rows: 1), width: width, glyphs: glyphs)
    let area = rect.splitTop(2).rest
    return list.draw(on: &surface, in: area, glyphs: glyphs) { surface, index, line in
      Self.table.draw(
        cells(lines[index], state), on: &surface, at: line.origin.moved(columns: 3), width: width,
        glyphs: glyphs)
    }
  }

  private func cells(_ line: Line, _ state: AppState) -> [StyledRun] {
    switch line {
    case .field(let field):
      let value = field.value.beginning.words(
        of: field.column, in: state.time, lists: history.lists)
      return [StyledRun(FieldName.word(for: field.column), .label), StyledRun(value)]
        + stampRuns(field.edit, state)
    case .entry(let entry):
      let sign = entry.isConflict ? state.appearance.glyphs.conflict + " " : ""
      switch entry.content {
      case .value(let column, let lost, _):
        let value = lost.beginning.words(of: column, in: state.time, lists: history.lists)
        // The author of the lost value; the one of the kept value is in the line above, or in the
        // conflicts.
        return [StyledRun("  \(sign)lost"), StyledRun(value, .dim)]
          + stampRuns(entry.loser ?? entry.winner, state)
      case .tag(let tag):
        return [StyledRun("tags", .label), StyledRun("#\(tag) taken off", .dim)]
          + stampRuns(entry.winner, state)
      case .deletion, .completionUndone:
        let event = entry.content == .deletion ? "deleted" : "completion undone"
        return [StyledRun("all", .label), StyledRun(event, .dim)] + stampRuns(entry.winner, state)
      }
    }
  }

  private func stampRuns(_ stamp: EditStamp, _ state: AppState) -> [StyledRun] {
    [
      StyledRun(stamp.when(in: state.time), .dim),
      StyledRun(stamp.who, stamp.isHere ? .dim : .incoming),
    ]
  }
}
