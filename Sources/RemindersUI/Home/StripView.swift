import Reminders
import Terminal

extension AppState {
  /// Draws all about the reminder under the cursor, below or beside the list.
  func drawStrip(on surface: inout Surface, in rect: Rect, _ layout: Layout) {
    let glyphs = appearance.glyphs
    let area: Rect
    if layout.isStripBeside {
      surface.verticalRule(at: rect.origin, rows: rect.size.rows, glyphs: glyphs)
      area = rect.splitLeft(1).rest.inset(columns: 1)
    } else {
      surface.horizontalRule(
        at: rect.origin.moved(columns: 1), columns: rect.size.columns - 2, glyphs: glyphs)
      area = rect.splitTop(1).rest.inset(columns: 1)
    }
    guard let details = home.current, details.reminder.id == home.reminders.selected else { return }
    let (top, rest) = area.splitTop(layout.isStripBeside ? 3 : 1)
    drawTitle(of: details, on: &surface, in: top)
    let (notes, bottom) = rest.splitBottom(1)
    let lines = TextWidth.wrapped(details.reminder.notes, to: notes.size.columns)
    for (row, line) in lines.prefix(notes.size.rows).enumerated() {
      let isCut = row == notes.size.rows - 1 && lines.count > notes.size.rows
      surface.write(
        isCut ? line + " " + glyphs.ellipsis : line, at: notes.origin.moved(rows: row),
        width: notes.size.columns, ellipsis: glyphs.ellipsis)
    }
    drawFoot(of: details, on: &surface, in: bottom)
  }

  private func drawTitle(of details: ReminderDetails, on surface: inout Surface, in rect: Rect) {
    let reminder = details.reminder
    let glyphs = appearance.glyphs
    let facts = [
      reminder.due.map { "due \($0.dateText(in: time))" },
      reminder.priority.map { "priority \($0.name)" },
      reminder.isFlagged ? "flagged" : nil,
    ].compactMap { $0 }.joined(separator: " \(glyphs.separator) ")
    let columns = TextWidth.columns(of: facts)
    let isStacked = rect.size.rows > 1
    surface.write(
      reminder.title, at: rect.origin, role: .heading,
      width: rect.size.columns - (isStacked ? 0 : columns + 2), ellipsis: glyphs.ellipsis)
    surface.write(
      facts,
      at: isStacked
        ? rect.origin.moved(rows: 1) : rect.origin.moved(columns: rect.size.columns - columns),
      role: .dim)
  }

  private func drawFoot(of details: ReminderDetails, on surface: inout Surface, in rect: Rect) {
    let glyphs = appearance.glyphs
    var runs = [
      StyledRun(glyphs.swatch, details.list.swatchStyle), StyledRun(" \(details.list.title)", .dim),
    ]
    for tag in details.tags { runs += [StyledRun("  #\(tag)", .tag)] }
    if let url = details.reminder.url { runs.append(StyledRun("  \(url)", .dim)) }
    let isNotSent = home.currentRow?.isNotSent == true
    let state = isNotSent ? [StyledRun("\(glyphs.outgoing) not sent yet", .pendingSend)] : []
    let columns = state.reduce(0) { $0 + TextWidth.columns(of: $1.text) }
    surface.write(
      runs, at: rect.origin, width: rect.size.columns - columns - 2, ellipsis: glyphs.ellipsis)
    surface.write(state, at: rect.origin.moved(columns: rect.size.columns - columns))
  }
}
