/// Several lines of text that are being edited, wrapped to the width that they are shown in.
public struct TextArea: Hashable, Sendable {
  private var buffer: TextBuffer
  /// The column that moves up and down try to keep, while nothing else is done.
  private var goalColumn: Int?

  /// An area with the caret behind `text`.
  public init(_ text: String = "") {
    buffer = TextBuffer(text)
  }

  /// What is in it; setting it puts the caret at the end.
  public var text: String {
    get { buffer.text }
    set { self = TextArea(newValue) }
  }

  /// How long the text is.
  public var byteCount: Int { buffer.byteCount }

  /// Edits the text or moves the caret; `columns` is the width that the text is shown in.
  ///
  /// - Returns: Whether the key has a meaning here. Up on the first line and down on the last have
  ///   none, so that they can lead to the neighbouring fields.
  @discardableResult
  public mutating func handle(_ key: Key, columns: Int) -> Bool {
    switch key {
    case .up, .control("p"): return moveCaret(rows: -1, columns: columns)
    case .down, .control("n"): return moveCaret(rows: 1, columns: columns)
    case .enter: buffer.insert("\n")
    default: if !buffer.handle(key) { return false }
    }
    goalColumn = nil
    return true
  }

  /// Inserts text at the caret.
  public mutating func paste(_ text: String) {
    buffer.insert(text)
    goalColumn = nil
  }

  /// Draws the part of the text around the caret.
  ///
  /// - Returns: Where the caret stands.
  @discardableResult
  public func draw(
    on surface: inout Surface, in rect: Rect, style: Style = Style(.field),
    placeholder: String = "", ellipsis: String = ""
  ) -> Point {
    let layout = Layout(buffer, columns: rect.size.columns)
    let top = windowStart(showing: layout.caret.row, length: max(1, rect.size.rows))
    var area = Surface(size: rect.size, style: style)
    if text.isEmpty {
      area.write(
        placeholder, at: .zero, role: .placeholder, width: rect.size.columns, ellipsis: ellipsis)
    }
    for (row, line) in layout.lines.dropFirst(top).prefix(rect.size.rows).enumerated() {
      area.write(String(layout.text[line]), at: Point(column: 0, row: row), style: style)
    }
    surface.draw(area, at: rect.origin)
    return rect.origin.moved(columns: layout.caret.column, rows: layout.caret.row - top)
  }

  /// Puts the caret at a point of the area as `draw` shows it in a size.
  public mutating func moveCaret(to point: Point, in size: Size) {
    let layout = Layout(buffer, columns: size.columns)
    let top = windowStart(showing: layout.caret.row, length: max(1, size.rows))
    let row = min(top + point.row, layout.lines.count - 1)
    goalColumn = nil
    buffer.moveCaret(to: layout.index(row: row, column: point.column))
  }

  private mutating func moveCaret(rows: Int, columns: Int) -> Bool {
    let layout = Layout(buffer, columns: columns)
    let row = layout.caret.row + rows
    guard layout.lines.indices.contains(row) else { return false }
    let column = goalColumn ?? layout.caret.column
    goalColumn = column
    buffer.moveCaret(to: layout.index(row: row, column: column))
    return true
  }
}

extension TextArea {
  /// The lines of the text at one width, and where the caret is among them.
  private struct Layout {
    let text: String
    let lines: [Range<String.Index>]
    let caret: Point

    init(_ buffer: TextBuffer, columns: Int) {
      text = buffer.text
      // The last column is kept free for a caret behind a full line.
      lines = TextWidth.wrappedRanges(of: text, to: columns - 1)
      let position = buffer.caret
      let row = lines.lastIndex { $0.lowerBound <= position } ?? 0
      let column = TextWidth.columns(of: text[lines[row].lowerBound..<position])
      caret = Point(column: min(column, max(0, columns - 1)), row: row)
    }

    /// The character in `row` that is nearest to `column` from the left.
    func index(row: Int, column: Int) -> String.Index {
      let line = lines[row]
      let isSoftlyBroken = row + 1 < lines.count && lines[row + 1].lowerBound == line.upperBound
      // The end of a line that only wraps is the beginning of the next one.
      let last = isSoftlyBroken ? text.index(before: line.upperBound) : line.upperBound
      return RemindersTerminal.index(atColumn: column, of: line.lowerBound..<last, in: text)
    }
  }
}
