import Foundation
import Glibc
import Reminders

/// Colours and brightness of plain output: none unless it goes to a terminal, or was asked for.
struct TextStyle {
  private let isColored: Bool

  init(_ choice: ColorChoice, environment: [String: String] = ProcessInfo.processInfo.environment) {
    switch choice {
    case .always: isColored = true
    case .never: isColored = false
    case .auto:
      isColored =
        isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR", default: ""].isEmpty
        && environment["TERM"] != "dumb"
    }
  }

  func dim(_ text: String) -> String { styled(text, "2") }
  func alarm(_ text: String) -> String { styled(text, "31") }

  private func styled(_ text: String, _ code: String) -> String {
    isColored && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

/// A reminder in words, for people and pipes.
struct ReminderText {
  private let reminder: Reminder
  private let details: ReminderDetails
  private let time: LocalTime
  private let style: TextStyle

  init(_ details: ReminderDetails, in time: LocalTime, style: TextStyle) {
    self.reminder = details.reminder
    self.details = details
    self.time = time
    self.style = style
  }

  /// `1f0c9a2e  [ ] !!! Dentist · 2 days late · flagged · #health · Personal`.
  var line: String {
    let marks = [checkbox, priority].filter { !$0.isEmpty }.joined(separator: " ")
    let facts = [due, reminder.isFlagged ? "flagged" : "", tags, style.dim(list)]
    return style.dim(String(reminder.id.prefix(8)).printable) + "  " + marks + " "
      + ([reminder.title.printable] + facts).filter { !$0.isEmpty }.joined(separator: " · ")
  }

  /// A line for each field that says something.
  var lines: [String] {
    let fields: [(String, String)] = [
      ("id", reminder.id.printable), ("list", list),
      ("due", reminder.due.map { "\($0.fullText(in: time)) (\($0.distanceText(in: time)))" } ?? ""),
      ("priority", reminder.priority?.name ?? ""),
      ("flag", reminder.isFlagged ? "flagged" : ""), ("tags", tags),
      ("url", (reminder.url ?? "").printable), ("status", reminder.status.name),
    ]
    let notes = reminder.notes.split(separator: "\n", omittingEmptySubsequences: false)
    return [reminder.title.printable]
      + fields.filter { !$0.1.isEmpty }.map { name, value in
        style.dim(name.padding(toLength: 10, withPad: " ", startingAt: 0)) + value
      } + (reminder.notes.isEmpty ? [] : [""] + notes.map { String($0).printable })
  }

  private var checkbox: String {
    switch reminder.status {
    case .incomplete: "[ ]"
    case .completing: "[~]"
    case .completed: "[x]"
    }
  }

  private var priority: String {
    String(repeating: "!", count: reminder.priority?.rawValue ?? 0)
  }

  private var due: String {
    guard let due = reminder.due else { return "" }
    guard reminder.status == .incomplete else { return due.dateText(in: time) }
    let text = due.relativeText(in: time)
    return due.isLate(in: time) ? style.alarm(text) : text
  }

  private var tags: String { details.tags.map { "#\($0)".printable }.joined(separator: " ") }
  private var list: String { details.list.title.printable }
}
