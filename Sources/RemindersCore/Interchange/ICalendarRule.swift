import Foundation

/// Due dates and recurrence rules of iCalendar (RFC 5545, 3.8.5.3).
enum ICalendarRule {
  /// Says from where a rule goes on when an occurrence is completed; none for the usual way.
  static let continuation = "X-REMINDERS-REPEAT"

  /// The lines of a due date, and of the rule by which it comes again.
  ///
  /// A rule is about the days of whoever lives by it, so that a time beside it is that of the clock
  /// on the wall, where the series is at home: in UTC it may be on another weekday. Without a home
  /// it is that of wherever it is read. The RFC wants a DTSTART with each rule, and counts from
  /// that: what is over is not among so many times.
  ///
  /// - Parameters:
  ///   - rule: The rule; nil for what does not come again.
  ///   - due: When it is due.
  ///   - series: Which occurrence it is that is due, and where.
  ///   - time: Where it is written.
  static func lines(
    _ rule: Recurrence?, _ due: DueDate, of series: ExportedSeries?, in time: LocalTime
  ) -> [String] {
    guard let rule else {
      return switch due {
      case .day(let day): ["DUE;VALUE=DATE:" + CompactDate.text(day)]
      case .moment(let moment): ["DUE:" + CompactDate.text(moment)]
      }
    }
    let home = series?.home(of: due)
    let time = home.map(time.moved) ?? time
    let day = CompactDate.text(due.day(in: time))
    let place = home.map { ";TZID=\($0.identifier)" } ?? ""
    let date =
      due.minutes(in: time).map {
        "\(place):\(day)T\(($0 / 60).padded(to: 2))\(($0 % 60).padded(to: 2))00"
      } ?? ";VALUE=DATE:\(day)"
    let number = series?.occurrence?.counted ?? 1
    var text = Self.text(rule.remaining(from: number))
    // It must be of the same kind as the date that it is about; beside a place it is in UTC.
    if case .until(let last) = rule.end, due.minutes(in: time) != nil {
      let until = CompactDate.text(last)
      let end =
        home == nil
        ? "\(until)T235959"
        : CompactDate.text(time.start(of: last.adding(days: 1)).addingTimeInterval(-1))
      text = text.replacing("UNTIL=\(until)", with: "UNTIL=\(end)")
    }
    let way =
      rule.continuation == .nextInFuture
      ? [] : ["\(continuation):\(rule.continuation.rawValue)"]
    return ["DTSTART" + date, "DUE" + date, "RRULE:" + text] + way
  }

  /// The rule as all programs read it.
  ///
  /// What is on the last day of a month that lacks its day is the last one of those up to it:
  /// `BYMONTHDAY=28,29,30,31;BYSETPOS=-1`, with its earlier days counted from the first. Where that
  /// cannot be said, RFC 7529 has a word for it, which few programs know.
  private static func text(_ rule: Recurrence) -> String {
    var rule = rule
    let isMoved = rule.lacksDays && !rule.omitsMissingDays
    rule.omitsMissingDays = false
    guard isMoved else { return rule.rule }
    let (early, late) = (rule.monthDays.filter(certain.contains), rule.monthDays.filter { $0 > 28 })
    // A year of several months has several last days; every year, each month has its own.
    let isOfMonths = rule.frequency == .yearly && rule.months.count > 1
    guard let last = late.first, early.count + 1 == rule.monthDays.count,
      !isOfMonths || rule.interval == 1
    else { return rule.rule + ";RSCALE=GREGORIAN;SKIP=BACKWARD" }
    if isOfMonths { rule.frequency = .monthly }
    rule.monthDays = Set(early).union(28...last).sorted()
    let positions = early.indices.map { $0 + 1 } + [-1]
    return rule.rule + ";BYSETPOS=" + positions.map { "\($0)" }.joined(separator: ",")
  }

  /// Days that every month has.
  private static let certain = 1...28

  /// The days of the months of which the last one of a month is meant; nil for other positions.
  private static func days(_ days: [Int], at positions: [Int]) -> [Int]? {
    let days = Set(days)
    guard let last = days.max(), last > 28, days.isSubset(of: 1...31),
      positions.sorted() == [-1] + Array(1..<max(1, positions.count))
    else { return nil }
    let early = days.sorted().prefix(positions.count - 1)
    guard early.allSatisfy(certain.contains), Set(early).union(28...last) == days else {
      return nil
    }
    return Array(early) + [last]
  }

  /// What an RRULE means; nil when it says what this program does not have.
  ///
  /// A month that does not have its day is left out.
  ///
  /// - Parameters:
  ///   - text: Its value.
  ///   - date: When it starts.
  ///   - isItsDay: Whether it is due on that day, too.
  ///   - continuation: From where it goes on when an occurrence is completed.
  ///   - time: Where it is at home.
  static func rule(
    _ text: String, from date: DueDate, isItsDay: Bool,
    _ continuation: Recurrence.Continuation, in time: LocalTime
  ) -> Recurrence? {
    var parts = text.uppercased().split(separator: ";").map(String.init)
    func take(_ name: String) -> Substring? {
      guard let index = parts.firstIndex(where: { $0.hasPrefix(name + "=") }) else { return nil }
      return parts.remove(at: index).dropFirst(name.count + 1)
    }
    guard take("RSCALE") ?? "GREGORIAN" == "GREGORIAN" else { return nil }
    let isMoved: Bool
    if let positions = take("BYSETPOS") {
      func numbers(_ text: Substring?) -> [Int] {
        text?.split(separator: ",").map { Int($0) ?? 0 } ?? []
      }
      let named = numbers(take("BYMONTHDAY"))
      guard let days = Self.days(named, at: numbers(positions)) else { return nil }
      parts.append("BYMONTHDAY=" + days.map { "\($0)" }.joined(separator: ","))
      isMoved = true
    } else {
      isMoved = parts.contains("SKIP=BACKWARD")
      if !parts.contains(where: { $0.hasPrefix("SKIP=") }) { parts.append("SKIP=OMIT") }
    }
    if let until = take("UNTIL") {
      guard let last = Self.last(until, from: date, in: time) else { return nil }
      parts.append("UNTIL=\(CompactDate.text(last))")
    }
    let rule = Recurrence(rule: parts.joined(separator: ";"), continuation: continuation)
    return isMoved || !isItsDay ? rule : rule?.omittingMissing(of: date.day(in: time))
  }

  /// The last day of a rule: UNTIL is the last moment that may be one, or the last day.
  private static func last(
    _ until: Substring, from date: DueDate, in time: LocalTime
  ) -> CalendarDay? {
    if let day = CompactDate.day(until) { return day }
    let clock = CompactDate.moment(String(until)).map { time.wallClock(at: $0) }
    let wall = CompactDate.wall(until).map { (day: $0.day, minutes: $0.seconds / 60) }
    guard let end = clock ?? wall else { return nil }
    let isBefore = date.minutes(in: time).map { $0 > end.minutes } ?? false
    // The first one always counts.
    return max(end.day.adding(days: isBefore ? -1 : 0), date.day(in: time))
  }
}

extension Recurrence {
  /// The rule where what it leaves to its first day is left out of months that do not have it.
  ///
  /// What goes on from the day of completion has no such day.
  fileprivate func omittingMissing(of day: CalendarDay) -> Recurrence {
    guard day.components.day > 28, [.monthly, .yearly].contains(frequency),
      weekdays.isEmpty, monthDays.isEmpty, continuation != .fromCompletion
    else { return self }
    var rule = anchored(to: day)
    rule.omitsMissingDays = rule.lacksDays
    return rule
  }
}

extension ImportBatch.Item {
  /// Makes it come again by a rule.
  ///
  /// - Returns: What has no place here. What is done comes no more.
  mutating func take(
    start: ICalendarFile.Line?, rule: ICalendarFile.Line?,
    _ continuation: Recurrence.Continuation?, in time: LocalTime
  ) -> [String] {
    var kept: [String] = []
    // Its days are those of where it is at home.
    home = home ?? start?.home
    let time = home.map(time.moved) ?? time
    let date = start?.due(in: time)
    // A rule is about the days on which something starts, and here about those on which it is due.
    let (starts, ends) = (date?.day(in: time), draft.due?.day(in: time))
    let days = starts.flatMap { first in ends.map { $0.number - first.number } } ?? 0
    var known: Recurrence?
    // It counts from a date (RFC 5545, 3.8.5.3), and none is made up here.
    if let rule, let first = date ?? draft.due, !isDone {
      known = ICalendarRule.rule(
        rule.value, from: first, isItsDay: days == 0, continuation ?? .nextInFuture, in: time)
    }
    draft.recurrence = days == 0 ? known : known?.moved(byDays: days)
    if let rule, known == nil { kept.append("RRULE: \(rule.value)") }
    if draft.due == nil, draft.recurrence != nil { draft.due = date }
    if let start, date == nil || date != draft.due {
      let place = start.parameters["TZID"].map { " in the zone \($0)" } ?? ""
      kept.append("DTSTART\(place): \(start.value)")
    }
    if let rule, known != nil, draft.recurrence == nil { kept.append("RRULE: \(rule.value)") }
    return kept
  }
}
