import Foundation
import GRDB

/// The kinds of files that can be written for other programs.
package enum ExportFormat: String, CaseIterable, Sendable {
  /// Everything, for `import` to read.
  case json
  case csv, ics, todotxt, taskwarrior
}

extension AppDatabase {
  /// Writes all reminders in a format of other programs, one after the other as they are read.
  ///
  /// - Returns: What the format has no place for, and so is missing: `3 notes`, `2 alarms`.
  @discardableResult
  package func export(
    as format: ExportFormat, in time: LocalTime, to output: OutputBuffer
  ) throws -> [String] {
    guard format != .json else {
      try export(in: time, to: output)
      return []
    }
    var output = output
    var missing = format.missing.map { (part: $0, count: 0) }
    var isFirst = true
    output.append(format.start)
    try read { db in
      let series = format == .ics ? try ExportedSeries.all(db) : [:]
      var homes: Set<TimeZone> = []
      let all = RowRequest(condition: Condition("TRUE"), order: .manual)
      try db.readingOnce {
        try ReminderRow.forEach(db, all) { details, _ in
          switch format {
          case .json: break
          case .csv: output.append(CSV.line(details, in: time))
          case .ics:
            let series = series[details.id]
            output.append(ICalendarText.todo(details, series, in: time))
            if details.recurrence != nil, let home = series?.home(of: details.due) {
              homes.insert(home)
            }
          case .todotxt: output.append(TodoTextFile.line(details, in: time))
          case .taskwarrior:
            output.append(isFirst ? "\n" : ",\n")
            output.append(try TaskwarriorText.task(details, in: time))
          }
          isFirst = false
          for index in missing.indices {
            missing[index].count += missing[index].part.count(details, time)
          }
          try output.flushIfLong()
        }
      }
      for home in homes.sorted(by: { $0.identifier < $1.identifier }) {
        output.append(ICalendarText.zone(home, around: time.now))
      }
    }
    output.append(format.end)
    try output.flush()
    return missing.filter { $0.count > 0 }.map { part, count in
      "\(count) \(count == 1 ? part.noun : part.nouns)"
    }
  }
}

extension AppDatabase {
  /// How many reminders and lists have a text with NUL in it, which only another program can write:
  /// what comes after it is not read, and so not exported.
  package func countOfCutTexts() throws -> Int {
    try read { db in
      try Int.fetchOne(
        db,
        sql: """
          SELECT (SELECT count(*) FROM reminders
              WHERE instr(title, char(0)) > 0 OR instr(notes, char(0)) > 0)
            + (SELECT count(*) FROM remindersLists WHERE instr(title, char(0)) > 0)
          """) ?? 0
    }
  }
}

/// Something of a reminder that not every format has a place for.
private struct PartOfReminder {
  let noun: String
  let nouns: String
  /// How much of it a reminder has.
  let count: @Sendable (ReminderRow, LocalTime) -> Int

  init(
    _ noun: String, _ nouns: String, count: @escaping @Sendable (ReminderRow, LocalTime) -> Int
  ) {
    (self.noun, self.nouns, self.count) = (noun, nouns, count)
  }

  init(_ field: ReminderField) {
    let (noun, nouns) =
      switch field.kind {
      case .notes: ("note", field.plural)
      case .recurrence: ("repetition", "repetitions")
      case .parent: ("place below a reminder", "places below reminders")
      default: (field.word, field.plural)
      }
    self.init(noun, nouns) { details, _ in
      let draft = details.reminder.draft
      if case .alarms(let path) = field.kind { return draft[keyPath: path].count }
      return field.isEqual(draft, Self.nothing) ? 0 : 1
    }
  }

  private static let nothing = ReminderDraft()

  static let priorityOfDone = Self(
    "priority of a completed reminder", "priorities of completed reminders"
  ) { details, _ in
    details.status == .incomplete || details.reminder.draft.priority == nil ? 0 : 1
  }

  static let snooze = Self("snooze", "snoozes") { $0.snooze(in: $1) == nil ? 0 : 1 }
}

extension ExportFormat {
  /// What it has no place for.
  fileprivate var missing: [PartOfReminder] {
    ReminderField.all.filter { !has($0) }.map { PartOfReminder($0) }
      + (self == .todotxt ? [.priorityOfDone] : []) + (self == .csv ? [] : [.snooze])
  }

  private func has(_ field: ReminderField) -> Bool {
    switch (self, field.kind) {
    case (.json, _), (.csv, _): true
    case (.ics, .line): field.iCalendar != nil
    case (.ics, _): true
    case (.taskwarrior, .notes): true
    case (.todotxt, _), (.taskwarrior, _):
      [.title, .list, .due, .priority, .tags].contains(field)
    }
  }
}

extension ExportFormat {
  fileprivate var start: String {
    switch self {
    case .json, .todotxt: ""
    case .csv: CSV.head
    case .ics: "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//reminders//reminders//EN\r\n"
    case .taskwarrior: "["
    }
  }

  fileprivate var end: String {
    switch self {
    case .json, .csv, .todotxt: ""
    case .ics: "END:VCALENDAR\r\n"
    case .taskwarrior: "\n]\n"
    }
  }
}

/// Comma-separated values (RFC 4180).
private enum CSV {
  private typealias Column = (key: String, text: @Sendable (ReminderRow, LocalTime) -> String)

  /// The order of the columns, which stays; what is not here comes behind.
  private static let order = [
    "id", "title", "notes", "dueDate", "priority", "isFlagged", "status", "list", "tags", "url",
    "createdAt", "updatedAt", "alarms", "completedAt", "recurrence", "parentID",
  ]

  private static let columns: [Column] = {
    let fields = ReminderField.all.map { field -> Column in
      (field.key, { text(of: field, $0, in: $1) })
    }
    let others: [Column] = [
      ("id", { row, _ in row.reminder.id }),
      ("status", { row, _ in row.reminder.status.name }),
      ("createdAt", { row, time in text(row.reminder.createdAt, in: time) }),
      ("updatedAt", { row, time in row.reminder.updatedAt.map { text($0, in: time) } ?? "" }),
      ("completedAt", { completion(of: $0.reminder, in: $1) }),
      ("snoozedUntil", { row, time in row.snooze(in: time).map { text($0, in: time) } ?? "" }),
    ]
    let all = fields + others
    return order.compactMap { key in all.first { $0.key == key } }
      + all.filter { !order.contains($0.key) }
  }()

  static let head = columns.map(\.key).joined(separator: ",") + "\r\n"

  static func line(_ details: ReminderRow, in time: LocalTime) -> String {
    columns.map { quoted($0.text(details, time)) }.joined(separator: ",") + "\r\n"
  }

  private static func text(
    of field: ReminderField, _ details: ReminderRow, in time: LocalTime
  ) -> String {
    let draft = details.reminder.draft
    return switch field.kind {
    case .title(let path), .notes(let path): draft[keyPath: path]
    case .line(let path), .parent(let path): draft[keyPath: path] ?? ""
    case .due(let path): draft[keyPath: path]?.iso8601(in: time) ?? ""
    case .recurrence(let path): draft[keyPath: path]?.stored ?? ""
    case .priority(let path): draft[keyPath: path]?.name ?? ""
    case .flag(let path): draft[keyPath: path] ? "true" : "false"
    case .list: details.list.title
    case .tags(let path): draft[keyPath: path].joined(separator: " ")
    case .alarms(let path):
      draft[keyPath: path].map { $0.exactText(in: time) }.joined(separator: ", ")
    }
  }

  private static func completion(of reminder: Reminder, in time: LocalTime) -> String {
    reminder.status == .incomplete ? "" : text(reminder.completion, in: time)
  }

  private static func text(_ moment: Date, in time: LocalTime) -> String {
    moment.iso8601(offset: time.offset(at: moment))
  }

  private static func quoted(_ text: String) -> String {
    let writable = text.writableLines
    // A spreadsheet takes what begins so for a formula.
    let isFormula = writable.first.map { "=+-@\t".contains($0) } ?? false
    let safe = isFormula ? "'" + writable : writable
    return safe.contains { "\",\n\r".contains($0) }
      ? "\"" + safe.replacing("\"", with: "\"\"") + "\"" : safe
  }
}

/// iCalendar (RFC 5545).
enum ICalendarText {
  /// The fields that are a line here too, and nothing else, with its name.
  static let lines = ReminderField.all.compactMap { field -> Line? in
    guard let name = field.iCalendar, case .line(let path) = field.kind else { return nil }
    return (name, path, field.isLink)
  }

  typealias Line = (name: String, path: ReminderField.Path<String?>, isLink: Bool)

  static func todo(
    _ details: ReminderRow, _ series: ExportedSeries?, in time: LocalTime
  ) -> String {
    let reminder = details.reminder
    let draft = reminder.draft
    var lines = ["BEGIN:VTODO", "UID:" + escaped(reminder.id)]
    let stamp = CompactDate.text(reminder.updatedAt ?? reminder.createdAt)
    lines += [
      "DTSTAMP:" + stamp, "CREATED:" + CompactDate.text(reminder.createdAt),
      "LAST-MODIFIED:" + stamp, "SUMMARY:" + escaped(draft.title),
    ]
    if !draft.notes.isEmpty { lines.append("DESCRIPTION:" + escaped(draft.notes)) }
    if let due = draft.due {
      lines += ICalendarRule.lines(draft.recurrence, due, of: series, in: time)
    }
    if let priority = draft.priority {
      lines.append("PRIORITY:\(priority == .high ? 1 : priority == .medium ? 5 : 9)")
    }
    if reminder.status == .incomplete {
      lines.append("STATUS:NEEDS-ACTION")
    } else {
      lines += ["STATUS:COMPLETED", "COMPLETED:" + CompactDate.text(reminder.completion)]
    }
    if !draft.tags.isEmpty {
      lines.append("CATEGORIES:" + draft.tags.map(escaped).joined(separator: ","))
    }
    for (name, path, isLink) in Self.lines {
      guard let text = draft[keyPath: path] else { continue }
      // Of a link only the backslash is escaped, which none has by rights: not every program that
      // is read knows that (RFC 5545, 3.3.13).
      let link = text.writable.replacing("\\", with: "\\\\")
      lines.append("\(name):" + (isLink ? link : escaped(text)))
    }
    // What is part of something in another list is an ordinary reminder.
    if details.parentTitle != nil, let parent = draft.parentID {
      lines.append("RELATED-TO;RELTYPE=PARENT:" + escaped(parent))
    }
    lines.append("X-REMINDERS-LIST:" + escaped(details.list.title))
    if draft.isFlagged { lines.append("X-REMINDERS-FLAGGED:TRUE") }
    // iCalendar cannot say that nothing is to ring. Other programs do not ring without a VALARM.
    if draft.alarms.contains(.never) {
      lines.append("\(ICalendarAlarm.ownProperty):\(Alarm.never.stored)")
    }
    lines += draft.alarms.flatMap { ICalendarAlarm.lines($0, of: draft, in: time) }
    lines.append("END:VTODO")
    return lines.map(folded).joined()
  }

  /// The component that defines a zone: a calendar has one for each that it names (RFC 5545,
  /// 3.6.5).
  static func zone(_ zone: TimeZone, around now: Date) -> String {
    ICalendarZone.lines(of: zone, around: now).map(folded).joined()
  }

  static func escaped(_ text: String) -> String {
    text.writableLines.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
      .replacing(",", with: "\\,").replacing(";", with: "\\;")
  }

  /// Lines of at most 75 bytes.
  private static func folded(_ line: String) -> String {
    var result = ""
    var count = 0
    for character in line {
      let size = character.utf8.count
      if count + size > 75 {
        result += "\r\n "
        count = 1
      }
      result.append(character)
      count += size
    }
    return result + "\r\n"
  }
}

/// The JSON that `task import` reads.
private enum TaskwarriorText {
  private struct Task: Encodable {
    struct Annotation: Encodable {
      let entry: String
      let description: String
    }

    let uuid: String
    let description: String
    let status: String
    let entry: String
    let modified: String?
    let end: String?
    let due: String?
    let priority: String?
    let project: String
    let tags: [String]?
    let annotations: [Annotation]?
  }

  static func task(_ details: ReminderRow, in time: LocalTime) throws -> String {
    let reminder = details.reminder
    let draft = reminder.draft
    let isDone = reminder.status != .incomplete
    let due: String? =
      switch draft.due {
      case nil: nil
      // It knows only moments: midnight, as it makes of a day itself.
      case .day(let day): CompactDate.text(time.start(of: day))
      case .moment(let moment): CompactDate.text(moment)
      }
    let entry = CompactDate.text(reminder.createdAt)
    let modified = reminder.updatedAt.map { CompactDate.text($0) }
    let task = Task(
      uuid: reminder.id, description: draft.title, status: isDone ? "completed" : "pending",
      entry: entry, modified: modified,
      end: isDone ? CompactDate.text(reminder.completion) : nil, due: due,
      priority: draft.priority.map { String($0.name.prefix(1)).uppercased() },
      project: details.list.title, tags: draft.tags.isEmpty ? nil : draft.tags,
      annotations: draft.notes.isEmpty
        ? nil : [Task.Annotation(entry: entry, description: draft.notes)])
    return try JSONText.text(task)
  }
}
