extension Alarm {
  /// Reads plain language: `10m before`, `the day before 20:00`, `8am`, `tomorrow 9:00`.
  ///
  /// A time alone is one of the day on which the reminder is due; without a due date it is the next
  /// such time. A span alone, `10m`, is before it is due; without a due date it counts from now.
  ///
  /// `isDue`: whether the reminder has a due date.
  ///
  /// - Throws: `AppError` when the text is not understood, with examples.
  public static func parse(
    _ text: String, isDue: Bool, in time: LocalTime
  ) throws -> Alarm {
    switch Alarm(stored: text) {
    // A time alone, which is another where nothing is due.
    case .clock(daysBefore: 0, _)?, nil: break
    case let alarm?: return alarm
    }
    let words = text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
    if let alarm = byDueDate(words, isDue: isDue, in: time) { return alarm }
    // What is not a date either has an error of its own.
    guard let due = (try? DueDate.parse(text, in: time)).flatMap({ $0 }) else {
      throw AppError(
        .invalidInput, "“\(text.oneLine)” is not an alarm that can be understood.",
        hint: "For example: \(examples.flatMap(\.phrases).prefix(6).joined(separator: ", ")), none."
      )
    }
    switch due {
    case .moment(let moment): return .at(moment)
    case .day(let day): return .at(time.moment(day, minutes: AlarmRules.usualDayMinutes))
    }
  }

  /// Reads several, with commas or "and" between them; `none` and no text are none.
  ///
  /// - Throws: `AppError` when one of them is not understood.
  public static func parseList(
    _ text: String, isDue: Bool, in time: LocalTime
  ) throws -> [Alarm] {
    let words = text.replacing(",", with: " and ").split(whereSeparator: \.isWhitespace)
    if ["", "none", "no"].contains(words.joined(separator: " ").lowercased()) { return [] }
    // In "1d and 1h before" the last word is also that of what stands before.
    var common: String?
    return try words.split { $0.lowercased() == "and" }.reversed().map { part in
      var part = part.map(String.init)
      let words = part.map { $0.lowercased() }
      if let direction = words.last, directions.contains(direction) {
        common = direction
      } else if let common, span(words[...]) != nil {
        part.append(common)
      }
      return try parse(part.joined(separator: " "), isDue: isDue, in: time)
    }.reversed()
  }

  private static let directions: Set = ["before", "after", "early"]

  /// What goes by the due date.
  private static func byDueDate(
    _ words: [String], isDue: Bool, in time: LocalTime
  ) -> Alarm? {
    if dueTime.contains(words) { return .whenDue }
    if silence.contains(words) { return .never }
    // A span before now would be over: who writes `-10m` means before it is due.
    if let first = words.first, first.hasPrefix("-"),
      let (days, seconds) = span(([String(first.dropFirst())] + words.dropFirst())[...])
    {
      return .offset(days: -days, seconds: -seconds)
    }
    if isDue, let minutes = DateReader.minutes(words, in: time), minutes < 24 * 60 {
      return .clock(minutes: minutes)
    }
    // Whoever is told of something that is due wants to hear it before: `remind 10m`.
    let beginning = words.first.flatMap { DateSpan.numbersAndUnits($0).first }
    if isDue, let beginning, beginning.first?.isNumber == true || DateSpan.number(beginning) != nil,
      let (days, seconds) = span(words[...])
    {
      return .offset(days: -days, seconds: -seconds)
    }
    if let opening = sameDay.first(where: words.starts(with:)) {
      return DateReader.minutes(Array(words.dropFirst(opening.count)), in: time).flatMap {
        $0 < 24 * 60 ? .clock(minutes: $0) : nil
      }
    }
    guard let index = words.firstIndex(where: directions.contains),
      let (days, seconds) = span(words[..<index])
    else { return nil }
    let sign = words[index] == "after" ? 1 : -1
    let rest = Array(words[(index + 1)...])
    guard !rest.isEmpty else { return .offset(days: sign * days, seconds: sign * seconds) }
    guard sign < 0, seconds == 0, let minutes = DateReader.minutes(rest, in: time),
      minutes < 24 * 60
    else { return nil }
    return .clock(daysBefore: days, minutes: minutes)
  }

  private static let silence = [["never"], ["mute"], ["silent"]]
  private static let dueTime = [
    ["at", "the", "due", "time"], ["at", "due", "time"], ["when", "due"], ["on", "time"],
  ]
  private static let sameDay = [["on", "the", "day"], ["the", "same", "day"], ["that", "day"]]

  /// `10m`, `1h 30m`, `2 days`, `the day`, `an hour`: days and seconds.
  private static func span(_ words: ArraySlice<String>) -> (days: Int, seconds: Int)? {
    var rest = words.flatMap(DateSpan.numbersAndUnits)[...]
    var (days, seconds) = (0, 0)
    while let word = rest.popFirst() {
      let isDay = word == "day"
      guard let unit = isDay ? word : rest.popFirst(),
        let span = DateSpan.span(isDay || word == "the" ? "1" : word, unit), span.number <= 36_600
      else { return nil }
      if let minutes = DateSpan.minutes[span.unit] {
        seconds += span.number * minutes * 60
      } else if let ofUnit = DateSpan.days[span.unit] {
        days += span.number * ofUnit
      } else {
        return nil
      }
    }
    return words.isEmpty || days > 36_600 ? nil : (days, seconds)
  }
}

// MARK: - Text

extension Alarm {
  /// In words, which can be typed: `10m before`, `the day before 20:00`, `Thu 26 Nov 09:30`.
  public func text(in time: LocalTime) -> String {
    switch self {
    case .at(let moment): return DueDate.moment(moment).dateText(in: time)
    case .never: return "never"
    case .clock(let days, let minutes):
      let day = days == 0 ? "on the day" : days == 1 ? "the day before" : "\(days) days before"
      return "\(day) \(time.localeFormat.text(ofClock: minutes))"
    case .offset(let days, let seconds):
      guard self != .whenDue else { return "at the due time" }
      let (count, minutes) = (abs(days), (abs(seconds) + 59) / 60)
      let isWeeks = count % 7 == 0
      let parts = [
        (isWeeks ? count / 7 : count, isWeeks ? "w" : "d"), (minutes / 60, "h"),
        (minutes % 60, "m"),
      ]
      let text = parts.filter { $0.0 > 0 }.map { "\($0)\($1)" }.joined(separator: " ")
      return text + (days < 0 || seconds < 0 ? " before" : " after")
    }
  }

  /// In words that mean just the same wherever and whenever they are read: for files.
  ///
  /// A moment has its year and its zone, and what words would round stays as it is stored.
  func exactText(in time: LocalTime) -> String {
    if case .at = self { return iso8601(in: time) }
    let text = text(in: time)
    // Not understood is not the same either.
    return (try? Alarm.parse(text, isDue: true, in: time)) == self ? text : stored
  }

  /// Several in words.
  public static func text(_ alarms: [Alarm], in time: LocalTime) -> String {
    alarms.map { $0.text(in: time) }.joined(separator: ", ")
  }

  /// What can be typed, and what is stored of it for a reminder that is due, on Saturday 21
  /// November 2026 at 14:32: the table of the README and of the tests.
  public static let examples: [(phrases: [String], meaning: String, stored: String)] = [
    (
      ["10m before", "10 minutes before", "10 min early", "-10m", "10m"],
      "10 minutes before it is due", "-PT10M"
    ),
    (["an hour before", "1h before", "1h"], "an hour before", "-PT1H"),
    (
      ["1d before", "the day before", "1d"], "a day before, at the time when it is due", "-P1D"
    ),
    (["the day before 20:00", "1d before 8pm"], "at 20:00 of the day before", "-P1D 20:00"),
    (["8am", "on the day 08:00", "at 8"], "at 8:00 of the day on which it is due", "08:00"),
    (["at the due time", "on time"], "when it is due", "PT0S"),
    (["15m after"], "15 minutes later", "PT15M"),
    (["never", "mute", "silent"], "not at all, though it is due", "never"),
    (
      ["tomorrow 9am", "22 nov 9:00"], "2026-11-22 09:00, whenever it is due",
      "2026-11-22T09:00:00Z"
    ),
    (["in 2 hours", "+2h"], "2026-11-21 16:32", "2026-11-21T16:32:00Z"),
  ]

  /// The table in Markdown.
  public static func markdown() -> String {
    let rows = examples.map { phrases, meaning, _ in
      "| " + phrases.map { "`\($0)`" }.joined(separator: " ") + " | \(meaning) |\n"
    }
    let head = "| `remind …` or `alarm …` | on Saturday 2026-11-21 at 14:32 |\n|---|---|\n"
    return head + rows.joined()
  }
}
