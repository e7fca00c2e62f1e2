import Foundation

extension DueDate {
  /// Reads plain language: `fri 9am`, `+3d`, `next week`, `25 dec`, `2026-12-25 18:00`.
  ///
  /// A weekday is the next one after today, `next fri` the one of the week after this, which began
  /// on Monday or as the locale has it. A time without a day is today's, or tomorrow's when it is
  /// over.
  ///
  /// - Returns: Nil for `none` and for no text: not due.
  /// - Throws: `AppError` when the text is not understood, with examples.
  public static func parse(_ text: String, in time: LocalTime) throws -> DueDate? {
    let due = try read(text, in: time)
    guard due?.isStorable ?? true else {
      throw AppError(
        .invalidInput, "“\(text.oneLine)” is beyond the calendar.",
        hint: "Its last year is 9999.")
    }
    return due
  }

  private static func read(_ text: String, in time: LocalTime) throws -> DueDate? {
    if let moment = Date(iso8601: text) { return .moment(moment) }
    var words = DateWords(text)
    if ["", "none", "no date", "never"].contains(words.text) { return nil }
    if let due = words.takeSpan(in: time), words.isEmpty { return due }

    words = DateWords(text)
    let minutes = words.takeTime()
    let day = words.takeDay(from: time.today, weeksFrom: time.localeFormat.firstWeekday)
    guard words.isEmpty, day != nil || minutes != nil else {
      throw AppError(
        .invalidInput, "“\(text.oneLine)” is not a date that can be understood.",
        hint: "For example: today, fri 9am, +3d, next week, 25 dec, 2026-12-25 18:00, none.")
    }
    guard let minutes else { return day.map(DueDate.day) }
    if let day { return .at(day, minutes: minutes, in: time) }
    let isOver = time.moment(time.today, minutes: minutes) <= time.now
    return .at(time.today.adding(days: isOver ? 1 : 0), minutes: minutes, in: time)
  }
}

/// The words of a typed date; each `take` removes those that it understands.
private struct DateWords {
  private var words: [String]

  init(_ text: String) {
    words = text.lowercased().split { $0.isWhitespace || $0 == "," }.map(String.init)
    // `2026-12-25T18:00` is a day and a time of whoever types.
    if words.count == 1, let parts = words.first?.split(separator: "t"), parts.count == 2,
      CalendarDay(String(parts[0])) != nil
    {
      words = parts.map(String.init)
    }
  }

  var text: String { words.joined(separator: " ") }
  var isEmpty: Bool { words.isEmpty }

  /// `+3d`, `+2h`, `in 3 days`, `in an hour`.
  mutating func takeSpan(in time: LocalTime) -> DueDate? {
    let taken: Int
    var count: Int?
    var unit: String
    if words.count >= 3, words[0] == "in" {
      taken = 3
      count = ["a", "an"].contains(words[1]) ? 1 : Int(digits: words[1])
      unit = words[2]
    } else if let word = words.first, word.hasPrefix("+") {
      let digits = word.dropFirst().prefix { $0.isNumber }
      taken = 1
      count = Int(digits: digits)
      unit = String(word.dropFirst(1 + digits.count))
    } else {
      return nil
    }
    if unit.count > 1, unit.hasSuffix("s") { unit.removeLast() }
    // So far ahead that no calendar of ours goes there is a mistake.
    guard let count, count < 100_000, let due = Self.span(count, unit, from: time) else {
      return nil
    }
    words.removeFirst(taken)
    return due
  }

  private static func span(_ count: Int, _ unit: String, from time: LocalTime) -> DueDate? {
    switch unit {
    case "min", "minute":
      .moment(time.now.wholeMinute.addingTimeInterval(Double(count * 60)))
    case "h", "hour":
      .moment(time.now.wholeMinute.addingTimeInterval(Double(count * 3600)))
    case "", "d", "day": .day(time.today.adding(days: count))
    case "w", "week": .day(time.today.adding(days: count * 7))
    case "m", "month": .day(time.today.adding(months: count))
    case "y", "year": .day(time.today.adding(months: count * 12))
    default: nil
    }
  }

  /// `18:00`, `9am`, `9:30 pm`, `at 9`, `noon`: minutes since midnight.
  mutating func takeTime() -> Int? {
    if let index = words.firstIndex(of: "at"), words.indices.contains(index + 1) {
      words.remove(at: index)
      let hour = Int(digits: words[index])
      if let hour, hour < 24, !words[(index + 1)...].contains(where: Self.isHalf) {
        words.remove(at: index)
        return hour * 60
      }
    }
    for index in words.indices {
      if index + 1 < words.count, Self.isHalf(words[index + 1]),
        let minutes = Self.minutes(words[index] + words[index + 1])
      {
        words.removeSubrange(index...index + 1)
        return minutes
      }
      if let minutes = Self.minutes(words[index]) {
        words.remove(at: index)
        return minutes
      }
    }
    return nil
  }

  private static func isHalf(_ word: String) -> Bool { ["am", "pm"].contains(word) }

  private static func minutes(_ word: String) -> Int? {
    if word == "noon" { return 12 * 60 }
    let half = ["am", "pm"].first(where: word.hasSuffix)
    let parts = word.dropLast(half?.count ?? 0).split(
      separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 || (parts.count == 1 && half != nil), let hour = Int(digits: parts[0]),
      let minute = parts.count == 2 ? Int(digits: parts[1]) : 0,
      parts.count == 1 || parts[1].count == 2, minute < 60
    else { return nil }
    guard let half else { return hour < 24 ? hour * 60 + minute : nil }
    guard (1...12).contains(hour) else { return nil }
    return (hour % 12 + (half == "pm" ? 12 : 0)) * 60 + minute
  }

  /// A day: by name, by weekday, by date, or so many days on.
  mutating func takeDay(from today: CalendarDay, weeksFrom weekday: Int) -> CalendarDay? {
    if let day = takeSpan(in: LocalTime(startOf: today))?.wholeDay { return day }
    let readings: [(count: Int, read: (ArraySlice<String>, CalendarDay) -> CalendarDay?)] = [
      (1, Self.named), (2, { Self.next($0, from: $1, weeksFrom: weekday) }), (3, Self.dated),
      (2, Self.dated),
    ]
    for (count, read) in readings where words.count >= count {
      guard let day = read(words.prefix(count), today) else { continue }
      words.removeFirst(count)
      return day
    }
    return nil
  }

  private static func named(_ words: ArraySlice<String>, from today: CalendarDay) -> CalendarDay? {
    switch words[0] {
    case "today", "tod": return today
    case "tomorrow", "tom", "tmr": return today.adding(days: 1)
    case "yesterday": return today.adding(days: -1)
    default:
      if let weekday = DateNames.weekday(words[0]) {
        let days = (weekday - today.weekday).quotientAndRemainderFlooring(by: 7).remainder
        return today.adding(days: days == 0 ? 7 : days)
      }
      return CalendarDay(words[0])
    }
  }

  private static func next(
    _ words: ArraySlice<String>, from today: CalendarDay, weeksFrom first: Int
  ) -> CalendarDay? {
    guard words[0] == "next" else { return nil }
    switch words[1] {
    case "week": return today.adding(days: 7)
    case "month": return today.adding(months: 1)
    case "year": return today.adding(months: 12)
    default:
      guard let weekday = DateNames.weekday(words[1]) else { return nil }
      let places = [today.weekday, weekday].map { ($0 - first + 7) % 7 }
      return today.adding(days: 7 - places[0] + places[1])
    }
  }

  /// `25 dec`, `dec 25`, `25 december 2027`; without a year the next such day.
  private static func dated(_ words: ArraySlice<String>, from today: CalendarDay) -> CalendarDay? {
    guard
      let (day, month) = dayAndMonth(words[0], words[1]) ?? dayAndMonth(words[1], words[0])
    else { return nil }
    if words.count == 3 {
      guard words[2].count == 4, let year = Int(digits: words[2]) else { return nil }
      return CalendarDay(year: year, month: month, day: day)
    }
    // 29 February may be eight years off.
    let year = today.components.year
    return (year...year + 8).lazy.compactMap { CalendarDay(year: $0, month: month, day: day) }
      .first { $0 >= today }
  }

  private static func dayAndMonth(_ day: String, _ month: String) -> (day: Int, month: Int)? {
    guard let day = Int(digits: day), let month = DateNames.month(month) else { return nil }
    return (day, month)
  }
}

/// The names of weekdays and months, as typed and as shown.
enum DateNames {
  static let weekdays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]
  static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]

  /// The weekday that a word of three letters or more begins; Monday is 0.
  static func weekday(_ word: String) -> Int? { index(of: word, in: weekdays) }

  /// The month that a word of three letters or more begins; January is 1.
  static func month(_ word: String) -> Int? { index(of: word, in: months).map { $0 + 1 } }

  private static func index(of word: String, in names: [String]) -> Int? {
    word.count < 3 ? nil : names.firstIndex { $0.lowercased().hasPrefix(word) }
  }
}

extension LocalTime {
  /// Midnight, in a zone in which it is midnight: for what depends on the day alone.
  fileprivate init(startOf day: CalendarDay) {
    self.init(now: Date(timeIntervalSince1970: Double(day.number) * 86_400), timeZone: .gmt)
  }
}

extension DueDate {
  fileprivate var wholeDay: CalendarDay? {
    if case .day(let day) = self { day } else { nil }
  }
}

extension Date {
  /// The moment its minute began.
  fileprivate var wholeMinute: Date {
    Date(timeIntervalSince1970: (timeIntervalSince1970 / 60).rounded(.down) * 60)
  }
}
