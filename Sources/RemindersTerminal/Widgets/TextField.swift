/// One line of text that is being edited, with readline's keys.
public struct TextField: Hashable, Sendable {
  private var buffer: TextBuffer

  /// A field with the caret behind `text`.
  public init(_ text: String = "") {
    buffer = TextBuffer(TextField.oneLine(text))
  }

  /// What is in it; setting it puts the caret at the end.
  public var text: String {
    get { buffer.text }
    set { buffer = TextBuffer(TextField.oneLine(newValue)) }
  }

  /// What stands before the caret, for completion.
  public var textBeforeCaret: String { buffer.before }

  /// Edits the text or moves the caret.
  ///
  /// - Returns: Whether the key has a meaning here.
  @discardableResult
  public mutating func handle(_ key: Key) -> Bool {
    buffer.handle(key)
  }

  /// Inserts text at the caret; line ends become spaces.
  public mutating func paste(_ text: String) {
    buffer.insert(TextField.oneLine(text))
  }

  /// Draws the field on the first row of `rect`.
  ///
  /// Text that is wider than `rect` is shown in the part around the caret.
  ///
  /// - Returns: Where the caret stands.
  @discardableResult
  public func draw(
    on surface: inout Surface, in rect: Rect, style: Style = Style(.field),
    placeholder: String = "", ellipsis: String = ""
  ) -> Point {
    var line = Surface(size: Size(columns: rect.size.columns, rows: 1), style: style)
    let (caret, start) = window(columns: rect.size.columns)
    if text.isEmpty {
      line.write(
        placeholder, at: .zero, role: .placeholder, width: rect.size.columns, ellipsis: ellipsis)
    } else {
      line.write(text, at: Point(column: -start, row: 0), style: style)
    }
    surface.draw(line, at: rect.origin)
    return rect.origin.moved(columns: caret - start)
  }

  /// Puts the caret at a column of the field as `draw` shows it in so many.
  public mutating func moveCaret(toColumn column: Int, of columns: Int) {
    let text = text
    let start = window(columns: columns).start
    buffer.moveCaret(
      to: index(atColumn: start + column, of: text.startIndex..<text.endIndex, in: text))
  }

  /// The column of the caret, and the first one that is shown of so many.
  private func window(columns: Int) -> (caret: Int, start: Int) {
    let caret = TextWidth.columns(of: buffer.before, upTo: .max)
    return (caret, windowStart(showing: caret, length: max(1, columns)))
  }

  private static func oneLine(_ text: String) -> String {
    String(text.map { $0.isNewline ? " " : $0 })
  }
}
