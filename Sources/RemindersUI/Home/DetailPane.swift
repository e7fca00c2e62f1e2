import RemindersCore
import RemindersTerminal

extension HomeState {
  /// All about a reminder, as soon as it is known.
  func current(_ id: Reminder.ID?) -> ReminderDetail? {
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
      // Notes of megabytes must not be wrapped to their end with every frame.
      TextWidth.wrapped(text, to: width, atMost: area.size.rows).map { [StyledRun($0, role)] }
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
  private func place(of details: ReminderRow) -> [[StyledRun]] {
    let list = details.list.runs(appearance.glyphs)
    let tags = details.tags.map { [StyledRun("#\($0)", .tag)] }
    return [
      list + (tags.isEmpty ? [] : [StyledRun("   ")] + tags.joined(separator: [StyledRun(" ")]))
    ] + details.reminder.draft.lines.map { [StyledRun($0, .dim)] }
  }
}

extension AppState {
  /// Draws all about the reminder under the cursor, below or beside the list.
  func drawDetailPane(on surface: inout Surface, in rect: Rect, _ layout: Layout) {
    guard !layout.isDetailPaneBeside else {
      return drawDetails(of: home.reminders.current, on: &surface, in: rect)
    }
    let glyphs = appearance.glyphs
    surface.horizontalRule(
      at: rect.origin.moved(columns: 1), columns: rect.size.columns - 2, glyphs: glyphs)
    guard let current = home.current(home.reminders.current) else { return }
    let area = rect.splitTop(1).rest.inset(columns: 1)
    let (top, rest) = area.splitTop(needsTwoLines(current.details, in: area) ? 2 : 1)
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
    let lines = TextWidth.wrapped(text, to: rect.size.columns, atMost: rect.size.rows + 1)
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
    let groups = changed.reduce(into: [(edit: EditStamp, fields: [String])]()) { groups, field in
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
      let when = isToday ? time.localeFormat.text(ofClock: minutes) : edit.when(in: time)
      return StyledRun(
        "\(fields.joined(separator: ", ")): \(edit.who) \(when)",
        edit.isHere ? .dim : .incoming)
    }
  }

  /// `due Thu 19 Nov 09:30 · priority high · flagged`.
  func facts(of reminder: ReminderRow) -> String {
    [
      reminder.due.map { "due \($0.dateText(in: time))" },
      reminder.recurrence?.text(in: time),
      reminder.alarms.isEmpty ? nil : "alarm \(Alarm.text(reminder.alarms, in: time))",
      snoozedUntil(reminder.id).map {
        "snoozed until \(DueDate.moment($0).relativeText(in: time))"
      },
      reminder.priority.map { "priority \($0.name)" },
      reminder.isFlagged ? "flagged" : nil,
    ].compactMap { $0 }.joined(separator: " \(appearance.glyphs.separator) ")
  }

  /// Whether the facts would leave the title less than it needs, and less than half of the line.
  private func needsTwoLines(_ details: ReminderRow, in area: Rect) -> Bool {
    let (width, facts) = (area.size.columns, TextWidth.columns(of: facts(of: details)))
    let title = min(TextWidth.columns(of: details.title), width / 2)
    return area.size.rows > 3 && title + 2 + facts > width
  }

  /// Draws the title and the facts, beside it or below.
  private func drawTitle(of details: ReminderRow, on surface: inout Surface, in rect: Rect) {
    let (width, ellipsis) = (rect.size.columns, appearance.glyphs.ellipsis)
    let facts = facts(of: details)
    guard rect.size.rows == 1 else {
      surface.write(
        details.title, at: rect.origin, role: .heading, width: width, ellipsis: ellipsis)
      surface.write(
        facts, at: rect.origin.moved(rows: 1), role: .dim, width: width, ellipsis: ellipsis)
      return
    }
    let columns = TextWidth.columns(of: facts)
    surface.write(
      details.title, at: rect.origin, role: .heading, width: width - columns - 2,
      ellipsis: ellipsis)
    surface.write(facts, at: rect.origin.moved(columns: width - columns), role: .dim)
  }

  private func drawFoot(of details: ReminderRow, on surface: inout Surface, in rect: Rect) {
    let glyphs = appearance.glyphs
    let runs =
      details.list.runs(glyphs) + details.tags.map { StyledRun("  #\($0)", .tag) }
      + details.reminder.draft.lines.map { StyledRun("  \($0)", .dim) }
    let isNotSent = home.currentRow?.isNotSent == true
    let state =
      isNotSent ? [StyledRun("\(glyphs.outgoing) not in the cloud yet", .pendingSend)] : []
    let columns = state.reduce(0) { $0 + TextWidth.columns(of: $1.text) }
    surface.write(
      runs, at: rect.origin, width: rect.size.columns - columns - 2, ellipsis: glyphs.ellipsis)
    surface.write(state, at: rect.origin.moved(columns: rect.size.columns - columns))
  }
}
