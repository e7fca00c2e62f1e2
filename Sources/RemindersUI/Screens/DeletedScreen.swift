import RemindersCore
import RemindersTerminal

/// Lists what was deleted, here or elsewhere, to bring it back.
struct DeletedScreen: ListScreen, HistoryEntryScreen {
  /// What was found; nil until then.
  fileprivate(set) var items: [DeletedItem]?
  var list = ListState<HistoryEntry.ID>()

  /// Without the reminders that come back with their list.
  var shown: [DeletedItem] { (items ?? []).filter { $0.withList == nil } }

  var place: String? { "Recently deleted" }
  var currentEntry: HistoryEntry.ID? { list.current }

  func subscriptions(in state: AppState) -> [any Subscription] { [DeletedQuery()] }

  mutating func arrange(in state: AppState) {
    // One line for the count, one for the titles of the columns.
    list.update(lines: shown.map(\.id), height: state.layout.body.size.rows - 2)
  }

  /// How many reminders a list took with it.
  fileprivate func count(with list: DeletedItem) -> Int {
    items?.count { $0.withList == list.id } ?? 0
  }
}

extension DeletedQuery: ShownQuery {
  func show(_ items: [DeletedItem], in state: inout AppState) {
    state.screens.update(DeletedScreen.self) { $0.items = items }
  }
}

extension DeletedScreen {
  private static let table = TextTable([
    .flexible("deleted", atLeast: 20), .fixed("from", 18), .fixed("when", 16),
    .fixed("by", 16),
  ])

  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    surface.fill(rect)
    guard items != nil else { return nil }
    let glyphs = state.appearance.glyphs
    let shown = shown
    guard !shown.isEmpty else {
      surface.write(
        "Nothing was deleted in the last 30 days.", at: rect.origin.moved(columns: 1, rows: 1),
        role: .dim, width: rect.size.columns - 2, ellipsis: glyphs.ellipsis)
      return rect.origin.moved(columns: 1, rows: 1)
    }
    surface.write(
      "\(counted(shown.count, "thing")) deleted; each is kept for 30 days.",
      at: rect.origin.moved(columns: 1), role: .dim, width: rect.size.columns - 2,
      ellipsis: glyphs.ellipsis)
    let start = rect.origin.moved(columns: 3, rows: 1)
    let width = min(rect.size.columns - 4, Layout.widestTable)
    Self.table.drawTitles(on: &surface, at: start, width: width, glyphs: glyphs)
    let area = rect.splitTop(2).rest
    return list.draw(on: &surface, in: area, glyphs: glyphs) { surface, index, line in
      Self.table.draw(
        cells(shown[index], state), on: &surface, at: line.origin.moved(columns: 3), width: width,
        glyphs: glyphs)
    }
  }

  private func cells(_ item: DeletedItem, _ state: AppState) -> [StyledRun] {
    let deletion = item.deletion
    let (sign, place): (String, String) =
      switch item.subject.kind {
      case .reminder: (state.appearance.glyphs.open + " ", item.listTitle ?? "")
      case .list:
        (
          state.appearance.glyphs.swatch + " ",
          count(with: item) == 0
            ? "list" : "list, \(counted(count(with: item), "reminder"))"
        )
      case .tag: ("#", "tag")
      }
    return [
      StyledRun(sign + item.subject.title), StyledRun(place, .dim),
      StyledRun(deletion.when(in: state.time)),
      StyledRun(deletion.who, deletion.isHere ? .dim : .incoming),
    ]
  }
}

extension EditStamp {
  /// `Sat 21 Nov 14:31`.
  func when(in time: LocalTime) -> String {
    DueDate.moment(moment).dateText(in: time)
  }
}
