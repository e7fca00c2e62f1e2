import RemindersCore
import RemindersTerminal

extension Reminder.Priority {
  /// One to three exclamation marks.
  var exclamationMarks: String { String(repeating: "!", count: rawValue) }
}

extension GlyphSet {
  func quoted(_ text: String) -> String { quoteLeft + text + quoteRight }

  /// Text of other modules in these signs: their quotes, dots and rules are Unicode's.
  func adapted(_ text: String) -> String {
    guard self != .unicode else { return text }
    return text.map { Self.replacements[$0] ?? String($0) }.joined()
  }

  private static let replacements: [Character: String] = [
    "“": "\"", "”": "\"", "’": "'", "·": "-", "…": "...", "✔": "*", "✘": "!", "⌫": "x",
    "↑": "Up", "↓": "Down", "←": "Left", "→": "Right", "×": "x", "━": "-", "─": "-", "┃": "|",
    "│": "|",
    "┏": "+",
    "┳": "+", "┓": "+", "┡": "+", "╇": "+", "┩": "+", "└": "+", "┴": "+", "┘": "+",
  ]
}
