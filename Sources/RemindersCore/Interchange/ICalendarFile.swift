import Foundation

/// iCalendar (RFC 5545): each VTODO is a reminder.
///
/// What has no place here is kept in the notes.
enum ICalendarFile {
  static func read(
    _ data: Data, _ name: String, in time: LocalTime, _ progress: ImportFormat.Progress
  ) throws -> ImportBatch {
    var batch = ImportBatch()
    let texts = try lines(of: data, name, &batch.problems)
    let before = batch.problems
    var content = Content()
    content.read(texts, isWhole: true, &batch)
    if content.isUnfinished {
      // Something was cut: what is begun in a VTODO may come after it.
      (content, batch.problems) = (Content(), before)
      content.read(texts, isWhole: false, &batch)
    }
    batch.isCut = content.isOpen
    // A zone may stand behind what is due in it.
    for (index, lines) in content.todos.enumerated() {
      batch.add(lines.map { $0.resolved(content.zones) }, content.title, in: time)
      progress(index + 1, content.todos.count)
    }
    batch.letSeriesGoOn(in: time)
    batch.nest("ics")
    guard content.hasCalendar else {
      throw AppError(.cannotRead, "\(name) is not an iCalendar file: it has no BEGIN:VCALENDAR.")
    }
    return batch
  }

  /// Whether a line is only about the copy of the calendar that it is in, or has the value that
  /// counts without it.
  fileprivate static func saysNothing(_ name: String, _ value: String) -> Bool {
    bookkeeping.contains(name) || usual[name]?.contains(value.uppercased()) == true
      || bookkeepingOfMozilla.contains { name == $0 || name.hasPrefix("\($0)-") }
  }

  private static let bookkeeping: Set = ["DTSTAMP", "SEQUENCE"]
  /// How often Thunderbird has stored it, and which of its own alarms were seen or put off: that of
  /// an occurrence has its moment behind the name.
  private static let bookkeepingOfMozilla = [
    "X-MOZ-GENERATION", "X-MOZ-LASTACK", "X-MOZ-SNOOZE-TIME", "X-MOZ-FAKED-MASTER",
  ]
  private static let usual: [String: Set] = [
    "CLASS": ["PUBLIC"], "PERCENT-COMPLETE": ["0", "100"],
  ]

  /// What a task has once (RFC 5545, 3.6.2), so that another one would take the place of the first.
  fileprivate static let once = Set(
    [
      "UID", "SUMMARY", "DUE", "PRIORITY", "STATUS", "COMPLETED", "CREATED", "LAST-MODIFIED",
      "RECURRENCE-ID", ICalendarRule.continuation, "X-REMINDERS-LIST", "X-REMINDERS-FLAGGED",
    ] + ICalendarText.lines.map(\.name))

  /// `\n`, `\,`, `\;` and `\\` as the characters that they stand for.
  static func unescaped(_ text: String) -> String {
    var result = ""
    var isEscaped = false
    for character in text {
      if isEscaped {
        result.append(character == "n" || character == "N" ? "\n" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        result.append(character)
      }
    }
    return result
  }

  /// The parts between commas that are not escaped.
  fileprivate static func parts(_ text: String) -> [String] {
    var parts = [""]
    var isEscaped = false
    for character in text {
      if character == ",", !isEscaped {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
      isEscaped = character == "\\" && !isEscaped
    }
    return parts.map(unescaped).filter { !$0.isEmpty }
  }
}

extension ICalendarFile.Line {
  fileprivate var saysWhetherDone: Bool { name == "STATUS" || name == "COMPLETED" }
}

extension ImportBatch {
  fileprivate mutating func add(
    _ lines: [ICalendarFile.Line], _ title: String?, in time: LocalTime
  ) {
    var item = Item(id: "", draft: ReminderDraft(), listTitle: title)
    var notes: [String] = []
    var uid: String?
    var (start, rule, duration): (ICalendarFile.Line?, ICalendarFile.Line?, ICalendarFile.Line?)
    var continuation: Recurrence.Continuation?
    let (all, alarms) = Self.takeApart(lines)
    let (lines, others) = Self.firstOfEach(all)
    var kept = others.map { "\($0.head): \(ICalendarFile.unescaped($0.value))" }
    for line in lines {
      let text = ICalendarFile.unescaped(line.value)
      switch line.name {
      case "UID": uid = text
      case "SUMMARY": item.draft.title = text.inOneLine
      case "DESCRIPTION": notes.append(text)
      case "DUE": kept += item.take(due: line, in: time)
      case "PRIORITY": kept += item.take(priority: line.value)
      case "STATUS": kept += item.take(status: text)
      case "PERCENT-COMPLETE" where !lines.contains(where: \.saysWhetherDone) && text == "100":
        item.isDone = true
      case "RELATED-TO" where item.parentSource == nil && line.isAboutParent:
        item.parentSource = text
      case "COMPLETED":
        item.isDone = true
        kept += item.take(line, as: \.completedAt, in: time)
      case "DTSTART" where start == nil: start = line
      case "RRULE" where rule == nil: rule = line
      case "DURATION" where duration == nil: duration = line
      case "RECURRENCE-ID":
        item.replaced = line.due(in: time)
        kept += item.take(text, of: line)
      case ICalendarRule.continuation:
        continuation = Recurrence.Continuation(rawValue: line.value)
      case "CATEGORIES":
        // A category without letters is none.
        item.draft.tags += ICalendarFile.parts(line.value).compactMap { try? Tag.title(from: $0) }
      case "CREATED": kept += item.take(line, as: \.createdAt, in: time)
      case "LAST-MODIFIED": kept += item.take(line, as: \.updatedAt, in: time)
      case "X-REMINDERS-LIST": item.listTitle = text
      case "X-REMINDERS-FLAGGED": item.draft.isFlagged = text.uppercased() == "TRUE"
      case ICalendarAlarm.ownProperty where Alarm(stored: text) == .never:
        item.draft.alarms.append(.never)
      case _ where ICalendarFile.saysNothing(line.name, line.value): break
      default: kept += item.take(text, of: line)
      }
    }
    kept += item.take(duration: duration, start: start, in: time)
    kept += item.take(start: start, rule: rule, continuation, in: time)
    kept += item.take(alarms, start: start?.due(in: time), in: time)
    item.draft.notes = (notes + kept).joined(separator: "\n")
    if item.draft.title.isEmpty { item.draft.title = notes.first?.inOneLine ?? "" }
    let unread = lines.flatMap(\.unreadParameters).map { "without \($0)" }
    let inNotes = kept.isEmpty ? [] : ["in its notes: \(kept.joined(separator: "; "))"]
    add(item, uid: uid, problems: inNotes + unread)
  }

  /// Adds what was read of a task, with what is to be told of it.
  private mutating func add(_ item: Item, uid: String?, problems found: [String]) {
    let title = item.draft.title
    guard !title.isEmpty else {
      problems.append("a VTODO without SUMMARY was left out: \(uid ?? "without UID")")
      return
    }
    problems += found.map { "“\(title.prefix(60))”: \($0)" }
    var item = item
    item.source = uid
    item.id = id(ofNext: uid ?? title)
    items.append(item)
  }

  /// The id of an item that another program calls so, also of a second one.
  private mutating func id(ofNext source: String) -> String {
    let number = sources[source, default: 0] + 1
    sources[source] = number
    return Self.id("ics", number == 1 ? source : "\(source)\n\(number)")
  }

  /// The lines that count, and those that say otherwise what a line before them says.
  private static func firstOfEach(
    _ lines: [ICalendarFile.Line]
  ) -> (first: [ICalendarFile.Line], others: [ICalendarFile.Line]) {
    var (first, others): ([ICalendarFile.Line], [ICalendarFile.Line]) = ([], [])
    var known: [String: ICalendarFile.Line] = [:]
    for line in lines {
      guard let before = known[line.name] else {
        if ICalendarFile.once.contains(line.name) { known[line.name] = line }
        first.append(line)
        continue
      }
      if (before.head, before.value) != (line.head, line.value) { others.append(line) }
    }
    return (first, others)
  }

  /// The lines of a VTODO itself, and those of each of its alarms.
  private static func takeApart(
    _ lines: [ICalendarFile.Line]
  ) -> (own: [ICalendarFile.Line], alarms: [[ICalendarFile.Line]]) {
    var own: [ICalendarFile.Line] = []
    var alarms: [[ICalendarFile.Line]] = []
    var open: [String] = []
    for line in lines {
      switch line.name {
      case "BEGIN":
        if open.isEmpty, line.value.uppercased() == "VALARM" { alarms.append([]) }
        open.append(line.value.uppercased())
      case "END": _ = open.popLast()
      default:
        if open.isEmpty { own.append(line) }
        if open == ["VALARM"] { alarms[alarms.count - 1].append(line) }
      }
    }
    return (own, alarms)
  }
}

extension ImportBatch.Item {
  /// Takes over a line that is a field and nothing else; returns what is kept as text instead.
  fileprivate mutating func take(_ text: String, of line: ICalendarFile.Line) -> [String] {
    guard let field = ICalendarText.lines.first(where: { $0.name == line.name }) else {
      return ["\(line.head): \(text)"]
    }
    draft[keyPath: field.path] = text
    return []
  }

  /// Takes over when something happened; returns what is kept as text instead.
  ///
  /// That should be in UTC, and not every program knows it.
  fileprivate mutating func take(
    _ line: ICalendarFile.Line, as path: WritableKeyPath<Self, Date?>, in time: LocalTime
  ) -> [String] {
    switch line.due(in: time) {
    case nil: return ["\(line.head): \(line.value)"]
    case .moment(let moment): self[keyPath: path] = moment
    case .day(let day): self[keyPath: path] = time.moment(day, minutes: 12 * 60)
    }
    return []
  }

  /// Takes over whether it is done: what nobody will do is not to come up again.
  ///
  /// - Returns: What is kept as text, because there is no such status here.
  fileprivate mutating func take(status text: String) -> [String] {
    let status = text.uppercased()
    isDone = ["COMPLETED", "CANCELLED"].contains(status)
    return ["COMPLETED", "NEEDS-ACTION"].contains(status) ? [] : ["STATUS: \(text)"]
  }

  /// Takes over how much it matters, of nine the highest is 1 (RFC 5545, 3.8.1.9).
  ///
  /// - Returns: What is kept as text instead.
  fileprivate mutating func take(priority text: String) -> [String] {
    switch Int(text) ?? -1 {
    case 0: break
    case 1...4: draft.priority = .high
    case 5: draft.priority = .medium
    case 6...9: draft.priority = .low
    default: return ["PRIORITY: \(text)"]
    }
    return []
  }

  /// Takes over when it is due; returns what is kept as text instead.
  fileprivate mutating func take(due line: ICalendarFile.Line, in time: LocalTime) -> [String] {
    draft.due = line.due(in: time)
    home = line.home
    let kept = draft.due == nil ? ["DUE: \(line.value)"] : []
    return kept + (line.unknownZone.map { ["DUE in the zone \($0): \(line.value)"] } ?? [])
  }

  /// Takes over how long it takes: what has no due date is due when that is over (RFC 5545, 3.6.2).
  ///
  /// - Returns: What is kept as text instead.
  fileprivate mutating func take(
    duration line: ICalendarFile.Line?, start: ICalendarFile.Line?, in time: LocalTime
  ) -> [String] {
    guard let line else { return [] }
    guard draft.due == nil, let length = CalendarDuration(line.value),
      case let due? = start?.due(in: time)?.moved(by: length, in: time), due.isStorable
    else { return ["DURATION: \(line.value)"] }
    draft.due = due
    return []
  }
}

extension ICalendarFile.Line {
  /// What its parameters say that is neither read nor kept with it: `ALTREP of DESCRIPTION`.
  ///
  /// In which language something is written makes no difference here.
  fileprivate var unreadParameters: [String] {
    guard Self.read.contains(name) else { return [] }
    return Set(parameters.keys).subtracting(["TZID", "VALUE", "RELTYPE", "LANGUAGE"]).sorted()
      .map { "\($0) of \(name)" }
  }

  private static let read: Set = [
    "SUMMARY", "DESCRIPTION", "DUE", "DTSTART", "PRIORITY", "STATUS", "COMPLETED", "CATEGORIES",
    "RRULE", "URL",
  ]

  /// Whether it says what something is part of (RFC 5545, 3.2.15).
  fileprivate var isAboutParent: Bool {
    (parameters["RELTYPE"] ?? "PARENT").uppercased() == "PARENT"
  }

  /// The zone of its clock, where that is none that this machine knows: it is taken for this one's.
  fileprivate var unknownZone: String? {
    parameters["TZID"].flatMap { TimeZone(identifier: $0) == nil ? $0 : nil }
  }

  /// Where the clock is on which it says a time, where it names a place that this machine knows.
  var home: TimeZone? {
    CompactDate.wall(value) == nil
      ? nil : parameters["TZID"].flatMap { TimeZone(identifier: $0) }
  }

  /// A day, a moment, or a time on the clock of some zone.
  func due(in time: LocalTime) -> DueDate? {
    date(in: time).flatMap { $0.isStorable ? $0 : nil }
  }

  private func date(in time: LocalTime) -> DueDate? {
    if let day = CompactDate.day(value) { return .day(day) }
    if let moment = CompactDate.moment(value) { return .moment(moment) }
    guard let (day, seconds) = CompactDate.wall(value) else { return nil }
    var zoned = time
    if let name = parameters["TZID"], let zone = TimeZone(identifier: name) {
      zoned.timeZone = zone
    }
    return .at(day, minutes: seconds / 60, in: zoned)
  }
}
