import Reminders
import Terminal

extension Reminder.Priority {
  /// One to three exclamation marks.
  var marks: String { String(repeating: "!", count: rawValue) }
}

extension GlyphSet {
  func quoted(_ text: String) -> String { quoteLeft + text + quoteRight }
}

/// A number with its noun: `1 reminder`, `2 reminders`.
func counted(_ count: Int, _ noun: String) -> String {
  "\(count) \(noun)\(count == 1 ? "" : "s")"
}
