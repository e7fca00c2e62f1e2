import RemindersCore
import RemindersTerminal

/// Draws the two lines of a reminder in the columns of its row.
extension RowColumns {
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
      let mark = row.list.runs(glyphs)
      // Where there is room for its colour alone, nothing is left out.
      let isNarrow = list.count - 1 <= TextWidth.columns(of: glyphs.swatch)
      surface.write(
        isNarrow ? Array(mark.prefix(1)) : mark, at: rect.origin.moved(columns: list.lowerBound),
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
    let snooze = row.snooze(in: state.time).map {
      [StyledRun("snoozed until \(DueDate.moment($0).relativeText(in: state.time))", .label)]
    }
    let tags = Array(
      row.tags.map { [StyledRun("#" + $0, .tag)] }.joined(separator: [StyledRun(" ")]))
    let texts = [row.notesPreview] + row.reminder.draft.lineLabels
    let notes = texts.filter { !$0.isEmpty }.joined(separator: "   ")
    // Notes give way to all else.
    let others = [parent, again, snooze ?? [], tags].filter { !$0.isEmpty }
    let taken = others.joined().reduce(3 * others.count) {
      $0 + TextWidth.columns(of: $1.text, upTo: room)
    }
    let notesRoom = max(Self.leastNotes, room - taken)
    let shownNotes = TextWidth.truncated(notes, to: notesRoom, ellipsis: glyphs.ellipsis)
    let parts = [
      parent, again, snooze ?? [], notes.isEmpty ? [] : [StyledRun(shownNotes, .dim)], tags,
    ]
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
    let isLate = due.isOverdue(in: time)
    let text =
      isNarrow
      ? due.shortText(in: time)
      : isLate && !showsLateTimes ? due.lateText(in: time) : due.relativeText(in: time)
    guard isLate else { return [StyledRun(text)] }
    // Where the sign is a word, it says itself that it is late.
    let isWord = TextWidth.columns(of: glyphs.alert) > 1
    let shown = isWord ? text.removingSuffix(Self.lateSuffix) : text
    return [StyledRun("\(glyphs.alert) \(shown)", .overdue)]
  }
}
