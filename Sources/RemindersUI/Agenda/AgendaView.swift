import RemindersCore
import RemindersTerminal

/// Where the parts of the agenda are.
struct AgendaParts {
  let heading: Rect
  /// The days and what is due on them.
  let lines: Rect
  /// The month; nil where there is no room beside the days.
  let month: Rect?
  /// All about the reminder under the cursor, below the month; nil where there is no room for it.
  let details: Rect?
  /// The line between the days and the month.
  let rule: Rect?

  /// From how many columns on a month stands beside the days, and all about a reminder below it.
  private static let (roomForMonth, roomForDetails) = (70, 100)

  init(_ layout: Layout) {
    let body = layout.body
    let columns = body.size.columns
    guard columns >= Self.roomForMonth, body.size.rows > MonthGrid.rows else {
      (heading, lines) = body.splitTop(1)
      (month, details, rule) = (nil, nil, nil)
      return
    }
    let hasDetails = columns >= Self.roomForDetails && body.size.rows >= MonthGrid.rows + 8
    let side = MonthGrid.columns + 3
    let (left, right) = body.splitRight(hasDetails ? max(side, columns * 2 / 5) : side)
    (heading, lines) = left.splitTop(1)
    rule = right.splitLeft(1).left
    let (top, below) = right.splitTop(MonthGrid.rows + 1)
    month = top.splitLeft(2).rest.splitLeft(MonthGrid.columns).left.splitTop(MonthGrid.rows).top
    details = hasDetails ? below : nil
  }
}

extension AgendaScreen {
  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    surface.fill(rect)
    let (glyphs, parts) = (state.appearance.glyphs, AgendaParts(state.layout))
    guard let shown else { return rect.origin.moved(columns: 1) }
    surface.write(
      heading(shown.query, shown.agenda, state), at: parts.heading.origin.moved(columns: 1),
      role: .dim, width: parts.heading.size.columns - 2, ellipsis: glyphs.ellipsis)
    if let rule = parts.rule {
      surface.verticalRule(at: rule.origin, rows: rule.size.rows, glyphs: glyphs)
    }
    if let month = parts.month {
      let day = currentDay(in: state.day)
      MonthGrid(of: day, in: state.time).draw(
        marks(of: shown.agenda), current: day, on: &surface, in: month, glyphs)
    }
    if let details = parts.details {
      state.drawDetails(of: currentRow?.id, on: &surface, in: details)
    }
    if lines.isEmpty {
      surface.write("Nothing is due.", at: parts.lines.origin.moved(columns: 3), role: .dim)
    }
    return list.draw(on: &surface, in: parts.lines, glyphs: glyphs) { surface, index, line in
      draw(lines[index], on: &surface, in: line, state)
    }
  }

  /// `November 2026 · more comes again than is shown`.
  private func heading(_ query: AgendaQuery, _ agenda: Agenda, _ state: AppState) -> String {
    let format = state.time.localeFormat
    let (first, last) = (query.days.lowerBound, query.days.upperBound)
    let span =
      shown?.month == nil
      ? "\(format.text(of: first)) to \(format.text(of: last))" : format.text(ofMonth: first)
    guard agenda.isIncomplete else { return span }
    return span + state.headingSeparator + "more comes again than is shown"
  }

  private func marks(of agenda: Agenda) -> [CalendarDay: MonthGrid.Mark] {
    Dictionary(
      uniqueKeysWithValues: agenda.days.map { day in
        (day.day, day.entries.allSatisfy(\.isProjected) ? .projected : .due)
      })
  }

  // MARK: - Lines

  private func draw(_ line: Line, on surface: inout Surface, in rect: Rect, _ state: AppState) {
    let (time, glyphs) = (state.time, state.appearance.glyphs)
    func write(_ text: String, at column: Int, _ role: Role) {
      surface.write(
        text, at: rect.origin.moved(columns: column), role: role,
        width: rect.size.columns - column - 1, ellipsis: glyphs.ellipsis)
    }
    switch line {
    case .gap: return
    case .overdue(let count): write("OVERDUE \(glyphs.separator) \(count)", at: 1, .overdue)
    case .day(let day): write(Self.title(of: day, in: time, glyphs), at: 1, .heading)
    case .nothing: write("Nothing is due.", at: 3, .dim)
    case .more(let count): write(count.map { "and \($0) more" } ?? "and more", at: 3, .dim)
    case .entry(let entry): draw(entry, on: &surface, in: rect, state)
    }
  }

  /// `TODAY · Sat 21 Nov`.
  private static func title(of day: CalendarDay, in time: LocalTime, _ glyphs: GlyphSet) -> String {
    let date = DueDate.day(day).dateText(in: time)
    let words = DueDate.day(day).relativeDayText(in: time)
    return words == date ? date : "\(words.uppercased()) \(glyphs.separator) \(date)"
  }

  private func draw(
    _ entry: Agenda.Entry, on surface: inout Surface, in rect: Rect, _ state: AppState
  ) {
    let (glyphs, row) = (state.appearance.glyphs, entry.row)
    let (sign, role): (String, Role) =
      entry.isProjected
      ? (glyphs.again, .dim)
      : row.status == .completing ? (glyphs.partial, .done) : (glyphs.open, .text)
    let signs = [glyphs.open, glyphs.partial, glyphs.again].map { TextWidth.columns(of: $0) }
    let clock = 4 + (signs.max() ?? 1)
    surface.write(sign, at: rect.origin.moved(columns: 3), role: role)
    let (time, timeRole) = when(entry, state)
    surface.write(time, at: rect.origin.moved(columns: clock), role: timeRole)
    let title = clock + Self.clockColumns + TextWidth.columns(of: glyphs.alert)
    var runs = row.priority.map { [StyledRun($0.exclamationMarks + " ", .priority)] } ?? []
    runs.append(StyledRun(row.title, entry.isProjected ? .dim : .text))
    if row.isFlagged { runs.append(StyledRun(" " + glyphs.flag, .flag)) }
    if row.isNotSent, !entry.isProjected {
      runs.append(StyledRun(" " + glyphs.outgoing, .pendingSend))
    }
    let list = listColumns(of: row, rect.size.columns, glyphs)
    surface.write(
      runs, at: rect.origin.moved(columns: title),
      width: rect.size.columns - title - list - 2, ellipsis: glyphs.ellipsis)
    surface.write(
      row.list.runs(glyphs), at: rect.origin.moved(columns: rect.size.columns - list - 1),
      width: list, ellipsis: glyphs.ellipsis)
  }

  /// As wide as the clock and the days of what is late: `10:30pm`, `120 d`.
  private static let clockColumns = 7
  /// The name of a list takes so much of a row at most.
  private static let (widestList, listShare) = (18, 4)

  private func listColumns(of row: ReminderRow, _ columns: Int, _ glyphs: GlyphSet) -> Int {
    let named = TextWidth.columns(of: glyphs.swatch + " " + row.list.title)
    let room = min(Self.widestList, columns / Self.listShare)
    return room < 8 ? TextWidth.columns(of: glyphs.swatch) : min(named, room)
  }

  /// The time of day, and how late it is.
  private func when(_ entry: Agenda.Entry, _ state: AppState) -> (String, Role) {
    let (time, glyphs) = (state.time, state.appearance.glyphs)
    guard !entry.isProjected, entry.due.isOverdue(in: time) else {
      return (entry.due.minutes(in: time).map { time.localeFormat.text(ofClock: $0) } ?? "", .dim)
    }
    let days = time.today.number - entry.due.day(in: time).number
    return ("\(glyphs.alert) \(days) d", .overdue)
  }
}
