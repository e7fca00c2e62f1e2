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
  private let details: ReminderRow
  private let time: LocalTime
  private let style: TextStyle

  init(_ details: ReminderRow, in time: LocalTime, style: TextStyle) {
    self.details = details
    self.time = time
    self.style = style
  }

  /// `1f0c9a2e  [ ] !!! Dentist · 2 days late · flagged · #health · Personal`.
  var line: String {
    let marks = [checkbox, priority].filter { !$0.isEmpty }.joined(separator: " ")
    let flag = details.isFlagged ? "flagged" : ""
    let indent = details.isUnderParent ? "    " : ""
    let parent = details.isUnderParent ? nil : details.parentTitle.map { "in \($0.printable)" }
    let parts = details.subtasks.map { "\($0.done)/\($0.total)" }
    let facts = [
      parts ?? "", parent ?? "", due, recurrence, completion, flag, tags, style.dim(list),
    ]
    return style.dim(String(details.id.prefix(8)).printable) + "  " + indent + marks + " "
      + ([details.title.printable] + facts).filter { !$0.isEmpty }.joined(separator: " · ")
  }

  /// A line for each field that says something.
  var lines: [String] {
    let fields = ReminderField.all.filter { $0 != .title && $0 != .notes }
    let facts =
      [("id", details.id.printable)] + fields.map { ($0.option, text(of: $0)) }
      + [("status", status)]
    let notes = details.notes.split(separator: "\n", omittingEmptySubsequences: false)
    return [details.title.printable]
      + facts.filter { !$0.1.isEmpty }.map { name, value in
        style.dim(name.padding(toLength: 10, withPad: " ", startingAt: 0)) + value
      } + (details.notes.isEmpty ? [] : [""] + notes.map { String($0).printable })
  }

  private func text(of field: ReminderField) -> String {
    let draft = details.reminder.draft
    return switch field.kind {
    case .title(let path), .notes(let path): draft[keyPath: path].printable
    case .line(let path): (draft[keyPath: path] ?? "").printable
    case .due(let path):
      draft[keyPath: path].map { "\($0.fullText(in: time)) (\($0.distanceText(in: time)))" } ?? ""
    case .recurrence(let path): draft[keyPath: path]?.text(in: time) ?? ""
    case .priority(let path): draft[keyPath: path]?.name ?? ""
    case .flag(let path): draft[keyPath: path] ? "flagged" : ""
    case .list: list
    case .parent: details.parentTitle?.printable ?? ""
    case .tags: tags
    }
  }

  private var checkbox: String {
    switch details.status {
    case .incomplete: "[ ]"
    case .completing: "[~]"
    case .completed: "[x]"
    }
  }

  private var priority: String {
    String(repeating: "!", count: details.priority?.rawValue ?? 0)
  }

  private var due: String {
    guard let due = details.due else { return "" }
    guard details.status == .incomplete else { return due.dateText(in: time) }
    let text = due.relativeText(in: time)
    return due.isLate(in: time) ? style.alarm(text) : text
  }

  private var recurrence: String { details.recurrence?.text(in: time) ?? "" }

  private var completion: String {
    guard details.status == .completed else { return "" }
    return "done " + DueDate.moment(details.reminder.completion).relativeDayText(in: time)
  }

  private var status: String {
    guard details.status == .completed else { return details.status.name }
    return "completed \(DueDate.moment(details.reminder.completion).fullText(in: time))"
  }

  private var tags: String { details.tags.map { "#\($0)".printable }.joined(separator: " ") }
  private var list: String { details.list.title.printable }
}
