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
    guard let current = home.current, current.details.reminder.id == home.reminders.selected
    else { return }
    let details = current.details
    let (top, rest) = area.splitTop(layout.isStripBeside ? 3 : 1)
    drawTitle(of: details, on: &surface, in: top)
    let authors = authors(of: current.edits)
    let authorRows = min(authors.count, layout.isStripBeside ? 8 : 1)
    let (upper, bottom) = rest.splitBottom(1)
    let (notes, authorRect) = upper.splitBottom(authorRows)
    drawAuthors(authors, on: &surface, in: authorRect)
    let lines = TextWidth.wrapped(details.reminder.notes, to: notes.size.columns)
    for (row, line) in lines.prefix(notes.size.rows).enumerated() {
      let isCut = row == notes.size.rows - 1 && lines.count > notes.size.rows
      surface.write(
        isCut ? line + " " + glyphs.ellipsis : line, at: notes.origin.moved(rows: row),
        width: notes.size.columns, ellipsis: glyphs.ellipsis)
    }
    drawFoot(of: details, on: &surface, in: bottom)
  }

  /// Who changed what, in words, the latest first: `title: you 14:31`.
  ///
  /// What one person changed at once is one item; what nobody changed since it was made is not
  /// worth a word.
  private func authors(of edits: [FieldEdit]) -> [StyledRun] {
    let clock = LocalTimeOfDay(timeZone: time.timeZone)
    let made = edits.last?.edit
    let changed = edits.filter { $0.edit.moment != made?.moment }
    let groups = changed.reduce(into: [(edit: EditMark, fields: [String])]()) { groups, field in
      let word = FieldName.word(for: field.column)
      if groups.last?.edit == field.edit {
        groups[groups.count - 1].fields.append(word)
      } else {
        groups.append((field.edit, [word]))
      }
    }
    return (groups + (made.map { [($0, ["made"])] } ?? [])).map { edit, fields in
      let isToday = time.wallClock(at: edit.moment).day == time.today
      let when = isToday ? String(clock.text(edit.moment).prefix(5)) : edit.when(in: time)
      return StyledRun(
        "\(fields.joined(separator: ", ")): \(edit.who) \(when)",
        edit.isHere ? .dim : .incoming)
    }
  }

  /// As many as there is room for: side by side in one line, else below each other.
  private func drawAuthors(_ authors: [StyledRun], on surface: inout Surface, in rect: Rect) {
    guard rect.size.rows == 1 else {
      for (row, run) in authors.prefix(rect.size.rows).enumerated() {
        surface.write(
          [run], at: rect.origin.moved(rows: row), width: rect.size.columns,
          ellipsis: appearance.glyphs.ellipsis)
      }
      return
    }
    let separator = StyledRun(" \(appearance.glyphs.separator) ", .dim)
    surface.write(
      Array(authors.map { [$0] }.joined(separator: [separator])), at: rect.origin,
      width: rect.size.columns, ellipsis: appearance.glyphs.ellipsis)
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
