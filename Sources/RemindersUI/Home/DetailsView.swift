import Reminders
import Terminal

extension HomeState {
  /// All about a reminder, as soon as it is known.
  func current(_ id: Reminder.ID?) -> ReminderStrip? {
    current.flatMap { $0.details.id == id ? $0 : nil }
  }
}

extension AppState {
  /// Draws all about a reminder beside a list, from the top down.
  ///
  /// - Parameter matches: Where a search found its words in it.
  func drawDetails(
    of id: Reminder.ID?, matches: [[StyledRun]] = [], on surface: inout Surface, in rect: Rect
  ) {
    surface.verticalRule(at: rect.origin, rows: rect.size.rows, glyphs: appearance.glyphs)
    guard let current = home.current(id) else { return }
    let area = rect.splitLeft(1).rest.inset(columns: 1)
    let width = area.size.columns
    func plain(_ text: String, _ role: Role = .text) -> [[StyledRun]] {
      TextWidth.wrapped(text, to: width).map { [StyledRun($0, role)] }
    }
    let details = current.details
    let parts = [
      plain(details.title, .heading) + plain(facts(of: details), .dim)
        + place(of: details),
      plain(details.notes),
      matches.isEmpty ? [] : [[StyledRun("Matched in", .label)]] + matches,
      authors(of: current.edits).map { [$0] },
    ]
    let lines = parts.filter { !$0.isEmpty }.joined(separator: [[]])
    for (row, line) in lines.prefix(area.size.rows).enumerated() {
      surface.write(
        line, at: area.origin.moved(rows: row), width: width, ellipsis: appearance.glyphs.ellipsis)
    }
  }

  /// The list and the tags in a line, then the link and its like.
  private func place(of details: ReminderDetails) -> [[StyledRun]] {
    let list = [
      StyledRun(appearance.glyphs.swatch, details.list.swatchStyle),
      StyledRun(" \(details.list.title)", .dim),
    ]
    let tags = details.tags.map { [StyledRun("#\($0)", .tag)] }
    return [
      list + (tags.isEmpty ? [] : [StyledRun("   ")] + tags.joined(separator: [StyledRun(" ")]))
    ] + details.reminder.draft.lines.map { [StyledRun($0, .dim)] }
  }
}
