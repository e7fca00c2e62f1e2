import RemindersCore
import RemindersTerminal

extension ListForm {
  private static let labelColumns = 10

  /// Where the parts are: the box, the fields, and the picture of the cover.
  func parts(of state: AppState) -> (box: Rect, fields: Rect, preview: Rect?) {
    let body = state.layout.body
    let rows = sheetRows(state) + 4
    guard fields.contains(.cover) else {
      let box = body.centered(Size(columns: 60, rows: rows))
      return (box, box.inset(columns: 2, rows: 2), nil)
    }
    let hasRoom = state.appearance.showsPictures && body.size.columns >= 78
    let columns = hasRoom ? min(92, body.size.columns - 2) : 60
    let box = body.centered(Size(columns: columns, rows: rows))
    let inside = box.inset(columns: 2, rows: 2)
    guard hasRoom else { return (box, inside, nil) }
    let (fields, preview) = inside.splitRight(inside.size.columns * 2 / 5)
    return (box, fields, preview)
  }

  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    let parts = parts(of: state)
    surface.box(
      parts.box, title: place ?? "", glyphs: state.appearance.glyphs)
    let fields = parts.fields
    let sheet = drawSheet(columns: fields.size.columns, state)
    let top = firstRow(of: fields)
    surface.draw(
      sheet.surface[
        Rect(column: 0, row: top, columns: fields.size.columns, rows: fields.size.rows)],
      at: fields.origin)
    if let preview = parts.preview, let image = resultingCover(in: state) {
      cover.image.draw(image, on: &surface, in: preview)
    }
    return fields.origin.moved(columns: sheet.caret.column, rows: sheet.caret.row - top)
  }

  /// The first row that is shown: a form that is taller than the screen shows the part that ends
  /// with the focus.
  private func firstRow(of area: Rect) -> Int { max(0, Self.row(of: focus) + 1 - area.size.rows) }

  private static func row(of field: Field) -> Int {
    switch field {
    case .title: 0
    case .color: 2
    case .cover: 5
    }
  }

  /// The field in the row of a point, and which column of how many that is.
  func field(at point: Point, in state: AppState) -> (Field, column: Int, of: Int)? {
    let area = parts(of: state).fields
    let row = point.row - area.origin.row + firstRow(of: area)
    guard area.contains(point), let field = fields.first(where: { Self.row(of: $0) == row })
    else { return nil }
    let column = point.column - area.origin.column - Self.labelColumns
    return (field, column, of: area.size.columns - Self.labelColumns - 1)
  }

  /// The rows of the fields, without those about sharing.
  private var fieldRows: Int { fields.contains(.cover) ? 11 : 4 }

  private func sheetRows(_ state: AppState) -> Int {
    let sharing = sharingLines(state).count
    return fieldRows + (sharing == 0 ? 0 : sharing + (fields.contains(.cover) ? 0 : 1))
  }

  /// Draws all fields below each other, as if there were room for them.
  private func drawSheet(
    columns: Int, _ state: AppState
  ) -> (surface: Surface, caret: Point) {
    let glyphs = state.appearance.glyphs
    var surface = Surface(size: Size(columns: columns, rows: sheetRows(state)))
    let width = columns - Self.labelColumns - 1
    func line(_ field: Field) -> Rect {
      Rect(column: Self.labelColumns, row: Self.row(of: field), columns: width, rows: 1)
    }
    let colorStart = line(.color).origin
    surface.write("Name", at: .zero, role: .label)
    let titleCaret = title.draw(
      on: &surface, in: line(.title), style: Style(focus == .title ? .fieldFocused : .field),
      placeholder: "Errands", ellipsis: glyphs.ellipsis)
    surface.write("Colour", at: Point(column: 0, row: colorStart.row), role: .label)
    surface.write(colorRuns(glyphs), at: colorStart, width: width)
    let hint = focus == .color ? "← → another, or type six digits " + digits : ""
    surface.write(
      glyphs.adapted(hint), at: colorStart.moved(rows: 1), role: .dim, width: width,
      ellipsis: glyphs.ellipsis)
    drawSharing(on: &surface, state)
    let pathCaret =
      fields.contains(.cover) ? drawCover(on: &surface, at: line(.cover), state) : .zero
    let caret =
      switch focus {
      case .title: titleCaret
      case .color: colorStart
      case .cover: pathCaret
      }
    return (surface, caret)
  }

  private func drawSharing(on surface: inout Surface, _ state: AppState) {
    let lines = sharingLines(state)
    guard !lines.isEmpty else { return }
    let first = surface.size.rows - lines.count
    surface.write("Sharing", at: Point(column: 0, row: first), role: .label)
    for (row, line) in lines.enumerated() {
      surface.write(
        line, at: Point(column: Self.labelColumns, row: first + row),
        width: surface.size.columns - Self.labelColumns - 1,
        ellipsis: state.appearance.glyphs.ellipsis)
    }
  }

  /// Whom the list is shared with; nothing while it is new, or nobody is signed in.
  private func sharingLines(_ state: AppState) -> [[StyledRun]] {
    guard let list, state.sync?.account != nil else { return [] }
    let key = state.keymap.keyName(of: .peopleOfForm)
    let people = [StyledRun(key, .hintKey), StyledRun(" people", .dim)]
    guard let share = state.share(of: list.id) else {
      return [[StyledRun("with nobody   ", .dim)] + people]
    }
    guard share.isOwn else { return [[StyledRun(share.summary)], people] }
    let shown = share.participants.prefix(Self.mostPeople)
    let width = shown.map { TextWidth.columns(of: $0.account) }.max() ?? 0
    let lines = shown.map { participant in
      [
        StyledRun(TextWidth.padded(participant.account, to: width + 2)),
        StyledRun("may " + participant.permission.words, .dim),
      ]
    }
    let rest = share.participants.count - shown.count
    return (lines.isEmpty ? [[StyledRun(share.summary)]] : lines)
      + (rest > 0 ? [[StyledRun("and \(rest) more", .dim)]] : []) + [people]
  }

  private static let mostPeople = 3

  /// Draws the path of the cover, and the facts about it below.
  ///
  /// - Returns: Where its caret stands.
  private func drawCover(on surface: inout Surface, at line: Rect, _ state: AppState) -> Point {
    let glyphs = state.appearance.glyphs
    surface.write("Cover", at: Point(column: 0, row: line.origin.row), role: .label)
    let caret = cover.path.draw(
      on: &surface, in: line, style: Style(focus == .cover ? .fieldFocused : .field),
      placeholder: coverPlaceholder(state), ellipsis: glyphs.ellipsis)
    let (lines, role) = coverLines(state)
    for (row, text) in lines.prefix(4).enumerated() {
      surface.write(
        glyphs.adapted(text), at: line.origin.moved(rows: 1 + row), role: role,
        width: line.size.columns, ellipsis: glyphs.ellipsis)
    }
    return caret
  }

  private func coverPlaceholder(_ state: AppState) -> String {
    if cover.isRemoved { return "taken away when saved" }
    guard let facts = resultingCover(in: state)?.facts else { return "none" }
    return facts.origin?.name ?? "as it is"
  }

  /// The lines below the path: its completions, or the facts about the image.
  private func coverLines(_ state: AppState) -> ([String], Role) {
    if focus == .cover, !cover.namesAnImage, !cover.candidates.isEmpty {
      let names = cover.candidates.map { entry in
        entry.name + (entry.isDirectory ? "/" : entry.size.map { "   \($0.text)" } ?? "")
      }
      let rest = names.count - 3
      return (names.prefix(3) + (rest > 0 ? ["and \(rest) more"] : []), .dim)
    }
    switch cover.outcome {
    case .failed(let problem): return (wrapped(problem, state), .error)
    case .reading: return ([cover.namesAnImage || isSaving ? "reading …" : ""], .dim)
    case .unchanged, .changed:
      let keys = focus == .cover ? state.keymap.keyName(of: .chooseImage) + " choose a file" : ""
      return ((resultingCover(in: state)?.facts?.imageParts ?? []) + [keys], .dim)
    }
  }

  private func wrapped(_ problem: Problem, _ state: AppState) -> [String] {
    let columns = parts(of: state).fields.size.columns - Self.labelColumns - 1
    return TextWidth.wrapped(problem.description, to: columns)
  }

  /// A colour between two signs that lead to others, and its digits.
  func colorRuns(_ glyphs: GlyphSet) -> [StyledRun] {
    let known = ListColor(rgb: color)
    let list = RemindersList(id: "", title: "", color: color, position: 0)
    return [
      StyledRun(glyphs.choiceLeft + " ", .dim), StyledRun(glyphs.swatch, list.swatchStyle),
      StyledRun(" " + (known.name ?? "other"), focus == .color ? .fieldFocused : .field),
      StyledRun(" " + glyphs.choiceRight, .dim), StyledRun("   " + known.digits, .dim),
    ]
  }
}
