import RemindersCore
import RemindersTerminal

/// Something to pick or to answer, which Enter accepts.
protocol Prompt: Screen {
  /// What Enter is called in the footer.
  var acceptHint: String { get }
  /// Takes what is typed or chosen; the prompt has the keys.
  func accept(in state: inout AppState) -> [Effect]
  /// Remembers what is to outlive the prompt, which is left without accepting.
  func cancel(in state: inout AppState)
}

extension Prompt {
  var contexts: [Context] { [.prompt, .always] }
  var hints: [Command.ID] { [.accept, .cancel] }
  var acceptHint: String { "choose" }
  func cancel(in state: inout AppState) {}
}

/// A line that is typed, plain or with a meaning of its own.
protocol TypedLine: Equatable, Sendable {
  var field: TextField { get }
  mutating func type(_ key: Key)
  mutating func paste(_ text: String)
}

extension TextField: TypedLine {
  var field: TextField { self }
  mutating func type(_ key: Key) { handle(key) }
}

/// Asks for one line in a box, and says below how it is understood.
protocol LinePrompt: Prompt {
  associatedtype Line: TypedLine
  var line: Line { get set }
  /// What is around the line.
  func surroundings(in state: AppState) -> LineSurroundings
}

/// The texts around a line that is typed.
struct LineSurroundings {
  /// How wide the box is.
  let columns: Int
  let title: String
  /// What stands at the right of the title.
  var note = ""
  /// What may be typed, while nothing is.
  let placeholder: String
  /// What the line is for, or how it is understood.
  let explanation: [StyledRun]
  /// More of it, part by part, what matters most first, in a row of its own; nil where there is no
  /// such row.
  var details: [[StyledRun]]?
  /// Whether a row is left free above the explanation.
  var isExplainedApart = true
}

extension LinePrompt {
  mutating func type(_ key: Key, in state: AppState) { line.type(key) }
  mutating func paste(_ text: String, in state: AppState) { line.paste(text) }

  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    let (glyphs, around) = (state.appearance.glyphs, surroundings(in: state))
    let row = around.isExplainedApart ? 2 : 1
    let columns = min(around.columns, rect.size.columns)
    // Without the frame, and two columns beside each end of the line.
    let explanation = TextWidth.wrapped(
      around.explanation, to: columns - 6, atMost: 3, ellipsis: glyphs.ellipsis)
    let details = around.details(inBoxOf: columns)
    let texts = explanation + details
    // The box grows downwards, because the line would jump while it is typed.
    let usual = rect.centered(Size(columns: columns, rows: row + 1 + details.count + 2))
    let rows = min(
      usual.size.rows + explanation.count - 1, rect.rowRange.upperBound - usual.origin.row)
    let box = Rect(origin: usual.origin, size: Size(columns: usual.size.columns, rows: rows))
    let inside = surface.box(box, title: around.title, note: around.note, glyphs: glyphs)
      .inset(columns: 2)
    for (index, text) in texts.prefix(max(0, inside.size.rows - row)).enumerated() {
      surface.write(
        text, at: inside.origin.moved(rows: row + index), width: inside.size.columns,
        ellipsis: glyphs.ellipsis)
    }
    return line.field.draw(
      on: &surface, in: inside.splitTop(1).top, style: Style(.fieldFocused),
      placeholder: around.placeholder, ellipsis: glyphs.ellipsis)
  }
}

extension LineSurroundings {
  /// The details in rows: in one; where the box is narrower than it wants to be, in several from
  /// the beginning, because the line would jump while it is typed.
  fileprivate func details(inBoxOf boxColumns: Int) -> [[StyledRun]] {
    guard let details else { return [] }
    let gap = [StyledRun("  ")]
    guard boxColumns < columns else { return [Array(details.joined(separator: gap))] }
    // Without the frame, and two columns beside each end of the line.
    let width = boxColumns - 6
    var rows: [[StyledRun]] = [[]]
    for part in details {
      let row = Array([rows[rows.count - 1], part].filter { !$0.isEmpty }.joined(separator: gap))
      let isTooLong = row.reduce(0) { $0 + TextWidth.columns(of: $1.text) } > width
      if isTooLong, !rows[rows.count - 1].isEmpty, rows.count < Self.mostRows {
        rows.append(part)
      } else {
        rows[rows.count - 1] = row
      }
    }
    return rows + Array(repeating: [], count: Self.mostRows - rows.count)
  }

  private static let mostRows = 3
}
