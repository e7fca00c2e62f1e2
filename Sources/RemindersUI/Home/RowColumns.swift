import RemindersCore
import RemindersTerminal

/// The columns of a reminder's row, by the room and the signs there are.
struct RowColumns: Equatable, Sendable {
  private let glyphs: GlyphSet
  private let width: Int
  private let isNarrow: Bool
  private let selection = 1
  /// Where the sign is that says whether it is done.
  let status: Range<Int>
  private let priority: Int
  /// Where titles begin, and what stands below them.
  let title: Int
  /// Where the list is named; empty where it goes without saying.
  private let list: Range<Int>
  private let due: Int
  private let flag: Int
  private let outgoing: Int

  /// From how many columns on a date may be told with its time.
  private static let roomForDates = 52

  /// How wide the name of a list is at most, with its swatch, and what part of the row it takes.
  private static let (widestList, listShare) = (16, 5)
  /// How a date says that it is late.
  static let lateSuffix = " late"

  /// - Parameter showsList: Whether the rows are of several lists.
  init(width: Int, _ glyphs: GlyphSet, _ needs: RowNeeds, showsList: Bool) {
    func columns(_ texts: String...) -> Int { texts.map { TextWidth.columns(of: $0) }.max() ?? 0 }
    self.glyphs = glyphs
    self.width = width
    isNarrow = width < Self.roomForDates
    status = 3..<3 + columns(glyphs.open, glyphs.partial, glyphs.done)
    priority = status.upperBound + 1
    title = priority + 4
    outgoing = width - columns(glyphs.outgoing) - 1
    flag = outgoing - columns(glyphs.flag) - 1
    let alert = columns(glyphs.alert)
    let late = needs.lateDates
    let lateColumns = isNarrow ? late.short : alert > 1 ? late.wordless : late.full
    let dateColumns = max(
      isNarrow ? needs.dates.short : needs.dates.full,
      lateColumns == 0 ? 0 : alert + 1 + lateColumns)
    due = dateColumns == 0 ? flag : flag - dateColumns - 1
    let swatch = columns(glyphs.swatch)
    let named = min(Self.widestList, swatch + 1 + needs.list, width / Self.listShare)
    let listColumns = !showsList ? 0 : isNarrow ? swatch : named
    list = due - listColumns - (listColumns == 0 ? 0 : 1)..<due
  }

  /// Where the title ends.
  private var titleEnd: Int { list.isEmpty ? due : list.lowerBound }

  /// Draws the line with the title.
  func drawTitle(
    _ row: ReminderRow, title runs: [StyledRun], on surface: inout Surface, in rect: Rect,
    _ state: AppState, isSelected: Bool = false
  ) {
    let (sign, signRole): (String, Role) =
      switch row.status {
      case .incomplete: (glyphs.open, .text)
      case .completing: (glyphs.partial, .done)
      case .completed: (glyphs.done, .done)
      }
    if isSelected {
      surface.write("*", at: rect.origin.moved(columns: selection + 1), role: .selected)
    }
    surface.write(sign, at: rect.origin.moved(columns: status.lowerBound), role: signRole)
    let priorityMarks = row.priority?.exclamationMarks ?? ""
    surface.write(priorityMarks, at: rect.origin.moved(columns: priority), role: .priority)
    var runs = row.status == .completed ? runs.map { StyledRun($0.text, .done) } : runs
    if row.isUnderParent { runs.insert(StyledRun("  "), at: 0) }
    if let parts = row.subtasks { runs.append(StyledRun("  \(parts.done)/\(parts.total)", .dim)) }
    drawTitle(runs, by: row.isNotSent ? nil : row.editor, on: &surface, in: rect)
    if !list.isEmpty {
      surface.write(
        row.list.runs(glyphs), at: rect.origin.moved(columns: list.lowerBound),
        width: list.count - 1, ellipsis: glyphs.ellipsis)
    }
    surface.write(
      dueRuns(of: row, in: state.time), at: rect.origin.moved(columns: due),
      width: max(0, flag - due - 1), ellipsis: glyphs.ellipsis)
    if row.isFlagged {
      surface.write(glyphs.flag, at: rect.origin.moved(columns: flag), role: .flag)
    }
    if row.isNotSent {
      surface.write(glyphs.outgoing, at: rect.origin.moved(columns: outgoing), role: .pendingSend)
    }
  }

  /// The title gives way to the name of somebody else who changed the reminder last.
  private func drawTitle(
    _ runs: [StyledRun], by editor: String?, on surface: inout Surface, in rect: Rect
  ) {
    let room = titleEnd - title - 1
    let start = rect.origin.moved(columns: title)
    let mark = editor.map { "&" + TextWidth.truncated($0, to: room / 3, ellipsis: glyphs.ellipsis) }
    let taken = mark.map { TextWidth.columns(of: $0) + 1 } ?? 0
    surface.write(runs, at: start, width: room - taken, ellipsis: glyphs.ellipsis)
    guard let mark else { return }
    surface.write(mark, at: start.moved(columns: room - taken + 1), role: .incoming)
  }

  /// Draws the line below the title: the notes and the tags.
  func drawDetails(
    _ row: ReminderRow, on surface: inout Surface, in rect: Rect, _ state: AppState
  ) {
    // The last column is the scroll bar's.
    var room = width - title - 2
    if row.status == .completing {
      let runs = countdown(of: row, state)
      let columns = runs.reduce(0) { $0 + TextWidth.columns(of: $1.text) }
      let start = max(title, min(due, width - columns - 2))
      surface.write(runs, at: rect.origin.moved(columns: start), width: width - start - 1)
      room = start - title - 2
    }
    let parent =
      row.isUnderParent ? [] : row.parentTitle.map { [StyledRun("in \($0)", .dim)] } ?? []
    let again = (row.recurrence?.text(in: state.time)).map { [StyledRun($0, .label)] } ?? []
    let tags = Array(
      row.tags.map { [StyledRun("#" + $0, .tag)] }.joined(separator: [StyledRun(" ")]))
    let texts = [row.notesPreview] + row.reminder.draft.lines.map(Link.label)
    let notes = texts.filter { !$0.isEmpty }.joined(separator: "   ")
    // Notes give way to all else.
    let others = [parent, again, tags].filter { !$0.isEmpty }
    let taken = others.joined().reduce(3 * others.count) { $0 + TextWidth.columns(of: $1.text) }
    let notesRoom = max(Self.leastNotes, room - taken)
    let shownNotes = TextWidth.truncated(notes, to: notesRoom, ellipsis: glyphs.ellipsis)
    let parts = [parent, again, notes.isEmpty ? [] : [StyledRun(shownNotes, .dim)], tags]
    surface.write(
      Array(parts.filter { !$0.isEmpty }.joined(separator: [StyledRun("   ")])),
      at: rect.origin.moved(columns: title), width: room, ellipsis: glyphs.ellipsis)
  }

  private static let leastNotes = 12

  private func countdown(of row: ReminderRow, _ state: AppState) -> [StyledRun] {
    guard let end = state.graces[row.id] else { return [StyledRun("being completed", .dim)] }
    let seconds = max(0, Int(end.timeIntervalSince(state.time.now).rounded(.up)))
    let hint = isNarrow ? "" : " \(glyphs.separator) \(state.keymap.keyName(of: .toggleDone)) stops"
    return [StyledRun("done in \(seconds) s" + hint, .dim)]
  }

  private func dueRuns(of row: ReminderRow, in time: LocalTime) -> [StyledRun] {
    guard let due = row.due else { return [] }
    guard row.status != .completed else { return [StyledRun(due.dateText(in: time), .done)] }
    let text = isNarrow ? due.shortText(in: time) : due.relativeText(in: time)
    guard due.isOverdue(in: time) else { return [StyledRun(text)] }
    // Where the sign is a word, it says itself that it is late.
    let isWord = TextWidth.columns(of: glyphs.alert) > 1
    let shown = isWord ? text.removingSuffix(Self.lateSuffix) : text
    return [StyledRun("\(glyphs.alert) \(shown)", .overdue)]
  }
}
