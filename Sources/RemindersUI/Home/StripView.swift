import Reminders
import Terminal

extension AppState {
  /// Draws all about the reminder under the cursor, below or beside the list.
  func drawStrip(on surface: inout Surface, in rect: Rect, _ layout: Layout) {
    guard !layout.isStripBeside else {
      return drawDetails(of: home.reminders.selected, on: &surface, in: rect)
    }
    let glyphs = appearance.glyphs
    surface.horizontalRule(
      at: rect.origin.moved(columns: 1), columns: rect.size.columns - 2, glyphs: glyphs)
    guard let current = home.current(home.reminders.selected) else { return }
    let (top, rest) = rect.splitTop(1).rest.inset(columns: 1).splitTop(1)
    drawTitle(of: current.details, on: &surface, in: top)
    let authors = authors(of: current.edits)
    let (upper, bottom) = rest.splitBottom(1)
    let (notes, line) = upper.splitBottom(authors.isEmpty ? 0 : 1)
    let separator = StyledRun(" \(glyphs.separator) ", .dim)
    surface.write(
      Array(authors.map { [$0] }.joined(separator: [separator])), at: line.origin,
      width: line.size.columns, ellipsis: glyphs.ellipsis)
    drawNotes(current.details.notes, on: &surface, in: notes)
    drawFoot(of: current.details, on: &surface, in: bottom)
  }

  private func drawNotes(_ text: String, on surface: inout Surface, in rect: Rect) {
    let ellipsis = appearance.glyphs.ellipsis
    let lines = TextWidth.wrapped(text, to: rect.size.columns)
    for (row, line) in lines.prefix(rect.size.rows).enumerated() {
      let isCut = row == rect.size.rows - 1 && lines.count > rect.size.rows
      surface.write(
        isCut ? line + " " + ellipsis : line, at: rect.origin.moved(rows: row),
        width: rect.size.columns, ellipsis: ellipsis)
    }
  }

  /// Who changed what, in words, the latest first: `title: you 14:31`.
  ///
  /// What one person changed at once is one item; what is as it was made goes without saying.
  func authors(of edits: [FieldEdit]) -> [StyledRun] {
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
    return (groups + (made.map { [($0, ["created"])] } ?? [])).map { edit, fields in
      let (day, minutes) = time.wallClock(at: edit.moment)
      let isToday = day == time.today
      let when = isToday ? time.customs.text(ofClock: minutes) : edit.when(in: time)
      return StyledRun(
        "\(fields.joined(separator: ", ")): \(edit.who) \(when)",
        edit.isHere ? .dim : .incoming)
    }
  }

  /// `due Thu 19 Nov 09:30 · priority high · flagged`.
  func facts(of reminder: ReminderDetails) -> String {
    [
      reminder.due.map { "due \($0.dateText(in: time))" },
      reminder.recurrence?.text(in: time),
      reminder.priority.map { "priority \($0.name)" },
      reminder.isFlagged ? "flagged" : nil,
    ].compactMap { $0 }.joined(separator: " \(appearance.glyphs.separator) ")
  }

  private func drawTitle(of details: ReminderDetails, on surface: inout Surface, in rect: Rect) {
    let glyphs = appearance.glyphs
    let facts = facts(of: details)
    let columns = TextWidth.columns(of: facts)
    surface.write(
      details.title, at: rect.origin, role: .heading, width: rect.size.columns - columns - 2,
      ellipsis: glyphs.ellipsis)
    surface.write(
      facts, at: rect.origin.moved(columns: rect.size.columns - columns), role: .dim)
  }

  private func drawFoot(of details: ReminderDetails, on surface: inout Surface, in rect: Rect) {
    let glyphs = appearance.glyphs
    var runs = [
      StyledRun(glyphs.swatch, details.list.swatchStyle), StyledRun(" \(details.list.title)", .dim),
    ]
    for tag in details.tags { runs += [StyledRun("  #\(tag)", .tag)] }
    for line in details.reminder.draft.lines { runs.append(StyledRun("  \(line)", .dim)) }
    let isNotSent = home.currentRow?.isNotSent == true
    let state =
      isNotSent ? [StyledRun("\(glyphs.outgoing) not in the cloud yet", .pendingSend)] : []
    let columns = state.reduce(0) { $0 + TextWidth.columns(of: $1.text) }
    surface.write(
      runs, at: rect.origin, width: rect.size.columns - columns - 2, ellipsis: glyphs.ellipsis)
    surface.write(state, at: rect.origin.moved(columns: rect.size.columns - columns))
  }
}
