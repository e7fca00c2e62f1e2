import RemindersCore
import RemindersTerminal
import SQLiteSync

extension SyncLogPane {
  /// Where the parts of the pane are.
  private struct Areas {
    /// The words that are looked for; nil while there are none.
    let field: Rect?
    /// The names of the columns; nil where there is little room.
    let heading: Rect?
    let lines: Rect
    /// All about the line under the cursor; nil where there is little room.
    let details: Rect?

    init(_ area: Rect, hasField: Bool) {
      let (field, rest) = area.splitTop(hasField ? 1 : 0)
      let isRoomy = rest.size.rows >= 10
      let (heading, below) = rest.splitTop(isRoomy ? 1 : 0)
      let (lines, details) = below.splitBottom(isRoomy ? 5 : 0)
      self.field = hasField ? field : nil
      self.heading = isRoomy ? heading : nil
      self.lines = lines
      self.details = isRoomy ? details : nil
    }
  }

  private var hasField: Bool { isTyping || !field.text.isEmpty }

  /// The rows of lines that there are in a space.
  func lineArea(in area: Rect) -> Rect { Areas(area, hasField: hasField).lines }

  /// - Returns: Where the focus is.
  func draw(on surface: inout Surface, in area: Rect, _ state: AppState) -> Point? {
    let (area, engine) = Self.split(area)
    if let engine { drawEngineLog(on: &surface, in: engine, state.appearance.glyphs) }
    let areas = Areas(area, hasField: hasField)
    let caret = areas.field.flatMap { drawField(on: &surface, in: $0, state.appearance.glyphs) }
    let columns = SyncLogColumns(width: area.size.columns)
    if let heading = areas.heading { columns.drawHeading(on: &surface, in: heading) }
    if lines.isEmpty { drawNothing(on: &surface, in: areas.lines, state) }
    let glyphs = state.appearance.glyphs
    let cursor = list.draw(on: &surface, in: areas.lines, glyphs: glyphs) { surface, index, rect in
      let line = lines[index]
      columns.draw(
        line, at: state.time.clockText(of: line.moment), title: line.fact.record.map(title),
        on: &surface, in: rect, glyphs)
    }
    if let details = areas.details { drawDetails(on: &surface, in: details, state) }
    return caret ?? cursor
  }

  /// - Returns: Where the caret is, while words are typed.
  private func drawField(
    on surface: inout Surface, in rect: Rect, _ glyphs: GlyphSet
  ) -> Point? {
    surface.write("/", at: rect.origin.moved(columns: 1), role: .hintKey)
    let line = rect.splitLeft(3).rest
    guard isTyping else {
      surface.write(field.text, at: line.origin, width: line.size.columns)
      return nil
    }
    return field.draw(
      on: &surface, in: line, placeholder: "words of the lines to show",
      ellipsis: glyphs.ellipsis)
  }

  private func drawNothing(on surface: inout Surface, in area: Rect, _ state: AppState) {
    surface.write(
      isFiltered ? "No line of the log matches." : "Nothing happened yet.",
      at: area.origin.moved(columns: 3), role: .dim)
  }

  /// What there is no room for in the line under the cursor.
  private func drawDetails(on surface: inout Surface, in rect: Rect, _ state: AppState) {
    let glyphs = state.appearance.glyphs
    surface.horizontalRule(at: rect.origin, columns: rect.size.columns, glyphs: glyphs)
    guard let current else { return }
    let words = current.fact.words(glyphs)
    let width = rect.size.columns - 2
    func wrapped(_ text: String, _ role: Role) -> [[StyledRun]] {
      TextWidth.wrapped(glyphs.adapted(text), to: width).map { [StyledRun($0, role)] }
    }
    var text: [[StyledRun]] = []
    if let record = current.fact.record {
      text.append([
        StyledRun(title(of: record), .heading),
        StyledRun(" \(glyphs.separator) \(record.name)", .dim),
      ])
    }
    let day = state.time.wallClock(at: current.moment).day
    let outcome = day == state.time.today ? [] : [state.time.secondText(of: current.moment)]
    text += wrapped((outcome + [words.outcome]).joined(separator: "  "), words.role)
    text += wrapped(words.hint ?? "", .dim)
    for (row, runs) in text.prefix(rect.size.rows - 1).enumerated() {
      surface.write(
        runs, at: rect.origin.moved(columns: 1, rows: row + 1), width: width,
        ellipsis: glyphs.ellipsis)
    }
  }

  /// Which lines are shown, and whether there are newer ones: for the rule above.
  ///
  /// - Parameter columns: How much room there is.
  func note(columns: Int) -> String {
    let place = isFollowing || distance <= 0 ? "following" : "\(counted(distance, "line")) below"
    let all = SyncLogFilter.allCases.map { $0 == filter ? "[\($0.name)]" : $0.name }
    let candidates = [all.joined(separator: " ") + "  " + place, "[\(filter.name)] \(place)"]
    return candidates.first { TextWidth.columns(of: $0) <= columns } ?? place
  }
}

/// Where the columns of the log are, by the room there is.
struct SyncLogColumns: Equatable, Sendable {
  private let time = 3
  private let what = 13
  /// Nil where there is little room.
  private let type: Int?
  private let record: Int
  private let outcome: Int
  private let end: Int

  init(width: Int) {
    end = width - 1
    type = width >= 72 ? 23 : nil
    record = width >= 72 ? 34 : 23
    outcome = record + max(9, (width - record) * 2 / 5)
  }

  func drawHeading(on surface: inout Surface, in rect: Rect) {
    let names = [(time, "time"), (what, "what"), (record, "record"), (outcome, "outcome")]
    for (column, name) in names + (type.map { [($0, "type")] } ?? []) {
      surface.write(name, at: rect.origin.moved(columns: column), role: .label)
    }
  }

  func draw(
    _ line: SyncState.LogLine, at time: String, title: String?, on surface: inout Surface,
    in rect: Rect, _ glyphs: GlyphSet
  ) {
    let words = line.fact.words(glyphs)
    func write(_ text: String, _ start: Int, _ next: Int, _ role: Role) {
      surface.write(
        text, at: rect.origin.moved(columns: start), role: role, width: next - start - 1,
        ellipsis: glyphs.ellipsis)
    }
    write(time, self.time, what, .dim)
    write(words.what, what, type ?? record, .text)
    // What is about no record has its place.
    guard let title, let record = line.fact.record else {
      return write(glyphs.adapted(words.outcome), type ?? self.record, end, words.role)
    }
    if let type { write(FieldName.word(forRowOf: record.type), type, self.record, .dim) }
    write(title, self.record, outcome, .text)
    write(glyphs.adapted(words.outcome), outcome, end, words.role)
  }
}
