import RemindersCore
import RemindersTerminal

extension ReminderForm {
  /// What the form is called.
  var heading: String {
    if isNew { return "New reminder" }
    return readOnlyReason == nil ? "Edit reminder" : "Reminder"
  }

  /// The same, of a subtask with what it is part of.
  private func title(_ glyphs: GlyphSet) -> String {
    guard let parentTitle else { return heading }
    let parent = TextWidth.truncated(parentTitle, to: 34, ellipsis: glyphs.ellipsis)
    return "Subtask of \(glyphs.quoted(parent))"
  }

  /// Draws the form in a box over what lies below.
  ///
  /// - Returns: Where the caret stands.
  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    let glyphs = state.appearance.glyphs
    let place = place(in: rect, state)
    let changes = changedFields(in: state.time).count
    let note =
      readOnlyReason != nil
      ? "read only"
      : isNew ? "new" : changes == 0 ? "unchanged" : "\(counted(changes, "field")) changed"
    surface.box(place.box, title: title(glyphs), note: note, glyphs: glyphs)
    surface.draw(place.sheet.surface[place.shown], at: place.inside.origin)
    let caret = place.sheet.caret
    return place.inside.origin.moved(
      columns: caret.column, rows: caret.row - place.shown.origin.row)
  }

  /// All fields below each other, however much room there is.
  private struct Sheet {
    var surface: Surface
    var caret = Point.zero
    /// Where each field is.
    var areas: [(field: ReminderField, area: Rect)] = []
  }

  /// Where the form is on the screen.
  private struct Place {
    let box: Rect
    let inside: Rect
    let sheet: Sheet
    /// The part of the sheet that is shown: where it is taller, that around the caret.
    let shown: Rect
  }

  private func place(in rect: Rect, _ state: AppState) -> Place {
    let isRoomy = rect.size.rows >= 24
    let box = rect.centered(
      Size(columns: Self.boxColumns, rows: min(rect.size.rows, isRoomy ? 24 : 18)))
    let inside = box.inset(columns: 2, rows: 1)
    let sheet = drawSheet(
      columns: inside.size.columns, fieldColumns: Self.fieldColumns(in: rect.size.columns),
      isRoomy: isRoomy, state)
    let top = min(
      max(0, sheet.caret.row - inside.size.rows + 3),
      max(0, sheet.surface.size.rows - inside.size.rows))
    let shown = Rect(column: 0, row: top, columns: inside.size.columns, rows: inside.size.rows)
    return Place(box: box, inside: inside, sheet: sheet, shown: shown)
  }

  /// The field in the row of a point, and where that is in the field's area.
  func field(at point: Point, in state: AppState) -> (ReminderField, Point, of: Rect)? {
    let place = place(in: state.layout.body, state)
    guard place.inside.contains(point) else { return nil }
    let inSheet = point.moved(
      columns: -place.inside.origin.column,
      rows: place.shown.origin.row - place.inside.origin.row)
    return place.sheet.areas.first { $0.area.rowRange.contains(inSheet.row) }.map { field, area in
      (field, inSheet.moved(columns: -area.origin.column, rows: -area.origin.row), area)
    }
  }

  private static let boxColumns = 74
  private static let labelColumns = 12

  /// How wide fields are on a screen of so many columns.
  ///
  /// Beside them are the box's lines, a column within each of these, the labels, and one column
  /// behind the field. The caret of notes moves in the same width in which they are drawn.
  static func fieldColumns(in columns: Int) -> Int {
    max(1, min(boxColumns, columns) - 4 - labelColumns - 1)
  }

  private func drawSheet(
    columns: Int, fieldColumns: Int, isRoomy: Bool, _ state: AppState
  ) -> Sheet {
    var sheet = Sheet(surface: Surface(size: Size(columns: columns, rows: 40)))
    var row = isRoomy ? 1 : 0
    for field in fields {
      let area = Rect(
        column: Self.labelColumns, row: row, columns: fieldColumns,
        rows: field == .notes ? (isRoomy ? 4 : 3) : 1)
      let isFocused = field == focus
      let mark = !isNew && isChanged(field, in: state.time) ? "*" : " "
      sheet.surface.write(
        mark + field.word.capitalized, at: Point(column: 0, row: row), role: .label)
      let end = self[field].draw(
        on: &sheet.surface, in: area, style: Style(isFocused ? .fieldFocused : .field),
        example: readOnlyReason == nil ? field.example : "", state)
      if isFocused { sheet.caret = end }
      sheet.areas.append((field, area))
      row += area.size.rows
      let below = drawBelow(
        field, on: &sheet.surface, at: row, width: fieldColumns, atMost: isRoomy ? 2 : 1, state)
      // What is said of a date has two rows where there is room, and the others stay in place.
      row += isRoomy && field == .due ? 2 : below
      if isRoomy, [.notes, .tags].contains(field) { row += 1 }
    }
    row += drawNotices(on: &sheet.surface, at: row, columns: columns, state)
    sheet.surface = sheet.surface[Rect(column: 0, row: 0, columns: columns, rows: row)]
    return sheet
  }

  /// What stands under a field: how a date is understood, what a repeat leaves of it, which tags
  /// fit.
  ///
  /// - Returns: How many rows that took.
  private func drawBelow(
    _ field: ReminderField, on surface: inout Surface, at row: Int, width: Int,
    atMost limit: Int, _ state: AppState
  ) -> Int {
    let start = Point(column: Self.labelColumns, row: row)
    switch field.kind {
    case .due:
      guard case .due(let due) = self[field] else { return 0 }
      let runs = due.explanation(in: state.time, state.appearance.glyphs)
      let ellipsis = state.appearance.glyphs.ellipsis
      let rows = TextWidth.wrapped(runs, to: width, atMost: limit, ellipsis: ellipsis)
      for (index, runs) in rows.enumerated() {
        surface.write(runs, at: start.moved(rows: index), width: width, ellipsis: ellipsis)
      }
      return rows.count
    case .tags:
      let rows = suggestions(of: state.home.sidebar).prefix(3)
      for (index, suggestion) in rows.enumerated() {
        let pointer = index == 0 ? state.appearance.glyphs.pointer + " " : "  "
        surface.write(
          [
            StyledRun(pointer), StyledRun("#" + suggestion.title, .tag),
            StyledRun("   \(suggestion.openCount) open", .dim),
          ], at: start.moved(rows: index), width: width)
      }
      return rows.count
    case .recurrence:
      guard let note = noteOnRepeat(in: state.time) else { return 0 }
      surface.write(
        [StyledRun(note, .warning)], at: start, width: width,
        ellipsis: state.appearance.glyphs.ellipsis)
      return 1
    default: return 0
    }
  }

  /// What others made of the fields that were touched here.
  ///
  /// - Returns: How many rows that took.
  private func drawNotices(
    on surface: inout Surface, at row: Int, columns: Int, _ state: AppState
  ) -> Int {
    let glyphs = state.appearance.glyphs
    var lines: [[StyledRun]] = []
    if isGone {
      lines += [
        [StyledRun("\(glyphs.incoming) This reminder was deleted elsewhere.", .warning)],
        [StyledRun("  Saving brings it back, with what is here.", .dim)],
      ]
    }
    for field in fields {
      guard let latest = theirs[field] else { continue }
      let value = Self.shown(field, of: latest, state)
      lines.append([
        StyledRun("\(glyphs.incoming) \(field.word.capitalized) became ", .incoming),
        StyledRun(value),
        StyledRun(" elsewhere.", .incoming),
      ])
    }
    if !theirs.isEmpty {
      lines.append(
        [StyledRun("  Yours is kept when you save.   ", .dim)] + state.hintText([.takeTheirs]))
    }
    for (index, line) in lines.enumerated() {
      surface.write(
        line, at: Point(column: 1, row: row + index), width: columns - 2,
        ellipsis: glyphs.ellipsis)
    }
    return lines.count
  }

  private static func shown(
    _ field: ReminderField, of draft: ReminderDraft, _ state: AppState
  ) -> String {
    let glyphs = state.appearance.glyphs
    return switch field.kind {
    case .title(let path), .notes(let path):
      // Of notes of megabytes no more than there is room for.
      glyphs.quoted(String(draft[keyPath: path].prefix(boxColumns).prefix { !$0.isNewline }))
    case .line(let path), .parent(let path): draft[keyPath: path] ?? "none"
    case .list(let path):
      state.home.sidebar?.lists.first { $0.id == draft[keyPath: path] }?.list.title ?? "another"
    case .due(let path):
      draft[keyPath: path].map { glyphs.adapted($0.fullText(in: state.time)) } ?? "none"
    case .recurrence(let path): draft[keyPath: path]?.text(in: state.time) ?? "none"
    case .alarms(let path):
      draft[keyPath: path].isEmpty ? "none" : Alarm.text(draft[keyPath: path], in: state.time)
    case .priority(let path): draft[keyPath: path]?.name ?? "none"
    case .flag(let path): draft[keyPath: path] ? "flagged" : "not flagged"
    case .tags(let path):
      draft[keyPath: path].isEmpty ? "none" : FieldEditor.text(of: draft[keyPath: path])
    }
  }
}

extension RemindersList {
  /// Text in the colour of the list.
  var swatchStyle: Style { Style(foreground: RGB(UInt32(truncatingIfNeeded: color))) }
}
