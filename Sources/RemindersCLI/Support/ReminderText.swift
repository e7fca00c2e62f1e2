import Foundation
import Glibc
import RemindersCore

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

/// Reminders in words, for people and pipes.
struct ReminderText {
  private let time: LocalTime
  private let style: TextStyle

  init(in time: LocalTime, style: TextStyle) {
    self.time = time
    self.style = style
  }

  /// `1f0c9a2e  [ ] !!! Dentist · 2 days late · flagged · #health · Personal`.
  ///
  /// `isProjected`: whether it is an occurrence that is still to come.
  func line(_ details: ReminderRow, isProjected: Bool = false) -> String {
    // Not by way of the members of the details: to make a key path of two takes longer than all
    // the rest.
    let reminder = details.reminder
    let draft = reminder.draft
    var line = style.dim(String(reminder.id.prefix(8)).printable)
    line += details.isUnderParent ? "      " : "  "
    line += isProjected ? "[>]" : checkbox(reminder.status)
    if let priority = draft.priority {
      line += " "
      line += marks(priority)
    }
    line += " "
    line += short(draft.title)
    if let subtasks = details.subtasks { line += " · \(subtasks.done)/\(subtasks.total)" }
    if !details.isUnderParent, let parent = details.parentTitle {
      line += " · in "
      line += short(parent)
    }
    if let due = draft.due {
      line += " · "
      line += text(due, reminder.status)
    }
    if let rule = draft.recurrence {
      line += " · "
      line += rule.text(in: time)
    }
    if !draft.alarms.isEmpty {
      line += " · alarm "
      line += Alarm.text(draft.alarms, in: time)
    }
    if let until = details.snooze(in: time) {
      line += " · snoozed until "
      line += DueDate.moment(until).relativeText(in: time)
    }
    if reminder.status == .completed {
      line += " · done "
      line += DueDate.moment(reminder.completion).relativeDayText(in: time)
    }
    if draft.isFlagged { line += " · flagged" }
    if !draft.tags.isEmpty {
      line += " · "
      line += tags(draft)
    }
    line += " · "
    line += style.dim(short(details.list.title))
    return line
  }

  /// As much of a title as a line has: other people may have written a megabyte.
  private func short(_ title: String) -> String { title.shortened(to: 1000).printable }

  /// A line for each field that says something.
  func lines(_ details: ReminderRow) -> [String] {
    let fields = ReminderField.all.filter { $0 != .title && $0 != .notes }
    let facts =
      [("id", details.id.printable)] + fields.map { ($0.option, text(of: $0, details)) }
      + [
        ("snoozed", details.snooze(in: time).map { "until \(fullText(.moment($0)))" } ?? ""),
        ("status", status(details.reminder)),
      ]
    let notes = details.notes.split(separator: "\n", omittingEmptySubsequences: false)
    return [details.title.printable]
      + facts.filter { !$0.1.isEmpty }.map { name, value in
        style.dim(name.padding(toLength: 10, withPad: " ", startingAt: 0)) + value
      } + (details.notes.isEmpty ? [] : [""] + notes.map { String($0).printable })
  }

  private func text(of field: ReminderField, _ details: ReminderRow) -> String {
    let draft = details.reminder.draft
    return switch field.kind {
    case .title(let path), .notes(let path): draft[keyPath: path].printable
    case .line(let path): (draft[keyPath: path] ?? "").printable
    case .due(let path):
      draft[keyPath: path].map(fullText) ?? ""
    case .recurrence(let path): draft[keyPath: path]?.text(in: time) ?? ""
    case .priority(let path): draft[keyPath: path]?.name ?? ""
    case .flag(let path): draft[keyPath: path] ? "flagged" : ""
    case .list: details.list.title.printable
    case .parent: details.parentTitle?.printable ?? ""
    case .tags: tags(draft)
    case .alarms(let path): Alarm.text(draft[keyPath: path], in: time)
    }
  }

  private func fullText(_ date: DueDate) -> String {
    "\(date.fullText(in: time)) (\(date.distanceText(in: time)))"
  }

  private func checkbox(_ status: Reminder.Status) -> String {
    switch status {
    case .incomplete: "[ ]"
    case .completing: "[~]"
    case .completed: "[x]"
    }
  }

  private func marks(_ priority: Reminder.Priority) -> String {
    String(repeating: "!", count: priority.rawValue)
  }

  private func text(_ due: DueDate, _ status: Reminder.Status) -> String {
    guard status == .incomplete else { return due.dateText(in: time) }
    let text = due.relativeText(in: time)
    guard due.isOverdue(in: time) else { return text }
    // Without colours a date alone would not say that it is late.
    let isDate = text == due.dateText(in: time)
    return style.alarm(isDate ? "\(text), \(due.distanceText(in: time))" : text)
  }

  private func status(_ reminder: Reminder) -> String {
    guard reminder.status == .completed else { return reminder.status.name }
    return "completed \(DueDate.moment(reminder.completion).fullText(in: time))"
  }

  private func tags(_ draft: ReminderDraft) -> String {
    draft.tags.map { "#\($0)".printable }.joined(separator: " ")
  }
}
