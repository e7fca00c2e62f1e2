import Foundation

/// A date as typed, with or without month and year: `25 dec 2027`, `Nov 23`, `25.12.`, `12/25`,
/// `25th`, `2026-12-25`.
struct TypedDate {
  private var year: Int?
  private var month: Int?
  private var date: Int

  /// How many words it has, and the date; nil when the words begin with none.
  static func read(
    _ words: ArraySlice<String>, _ localeFormat: LocaleFormat
  ) -> (count: Int, date: TypedDate)? {
    guard let word = words.first,
      word.beginsWithDigit || word == "the" || DateNames.month(word) != nil
    else { return nil }
    if let day = CalendarDay(word) {
      let date = day.components
      return (1, TypedDate(year: date.year, month: date.month, date: date.day))
    }
    if word == "the", let next = words.dropFirst().first, ordinal(next) != nil {
      return read(words.dropFirst(), localeFormat).map { ($0.count + 1, $0.date) }
    }
    if let date = dotted(word) ?? yearFirst(word) ?? slashed(word, localeFormat) {
      return (1, date)
    }
    // `13th of december`, too.
    let isOf = words.dropFirst().first == "of" && ordinal(word) != nil
    let rest = words.dropFirst(isOf ? 2 : 1)
    if let next = rest.first, var date = named(word, next) {
      let count = isOf ? 3 : 2
      guard let last = rest.dropFirst().first, let year = year(last) else { return (count, date) }
      date.year = year
      return (count + 1, date)
    }
    // With an ending: a bare number is more often an amount or an hour.
    return ordinal(word).map { (1, TypedDate(date: $0)) }
  }

  /// Whether a date is among the words but for its year, which has not four digits.
  static func hasShortYear(_ words: [String]) -> Bool {
    words.indices.contains { index in
      let parts = words[index].split { ".-/".contains($0) }
      return isShortYear(words[index], after: words[..<index])
        || parts.count == 3 && parts.allSatisfy { Int(digits: $0) != nil && $0.utf8.count != 4 }
    }
  }

  /// Whether the words end with a date and two digits of a year: `25.12.26`, `25 dec 26`.
  ///
  /// `1.2.3` is a version.
  static func endsWithShortYear(_ words: [String]) -> Bool {
    let words = words.suffix(3).map { $0.trimmingCharacters(in: [",", "'"]) }
    guard let last = words.last else { return false }
    let parts = last.split { ".-/".contains($0) }
    guard parts.count == 3, parts[2].utf8.count == 2 else {
      return last.utf8.count == 2 && isShortYear(last, after: words.dropLast())
    }
    let numbers = parts.compactMap(number)
    return numbers.count == 3 && numbers[..<2].allSatisfy((1...31).contains)
      && numbers[..<2].contains { $0 <= 12 }
  }

  /// Whether the words go on with a date whose day is before them: `25` before `dec 26`.
  static func goesOn(_ words: ArraySlice<String>, after last: String) -> Bool {
    guard let month = words.first, let year = words.dropFirst().first else { return false }
    return named(last, month) != nil && DateNames.month(month) != nil && number(year[...]) != nil
  }

  private static func isShortYear(_ word: String, after words: ArraySlice<String>) -> Bool {
    let date = words.suffix(2)
    guard date.count == 2, let first = date.first, let second = date.last else { return false }
    return named(first, second) != nil && Int(digits: word) != nil && word.utf8.count != 4
  }

  /// A word that is the day of each year: `24.12.`, `12/24`; nil where it says a year, or less.
  static func dayOfYear(
    _ word: String, _ localeFormat: LocaleFormat
  ) -> (month: Int, day: Int)? {
    // Any leap year has all of them.
    guard let typed = dotted(word) ?? slashed(word, localeFormat), typed.year == nil,
      let month = typed.month, CalendarDay(year: 2024, month: month, day: typed.date) != nil
    else { return nil }
    return (month, typed.date)
  }

  /// Whether it says no month.
  var isDayOfMonth: Bool { month == nil }

  /// Whether it says a month and a day, and no year.
  var isOfAnyYear: Bool { month != nil && year == nil }

  /// The day: where something is left open, the next such day, or with its weekday the one of this
  /// year; nil where neither is such a weekday.
  func day(in time: LocalTime, weekday: Int?) -> CalendarDay? {
    let today = time.today
    func fits(_ day: CalendarDay) -> Bool { weekday.map { $0 == day.weekday } ?? true }
    guard let month else {
      // A 13th may be a Friday for the next time more than a year from now.
      return (0...(weekday == nil ? 12 : 60)).lazy.compactMap { dayOfMonth($0, from: today) }.first(
        where: fits)
    }
    if let year {
      return CalendarDay(year: year, month: month, day: date).flatMap { fits($0) ? $0 : nil }
    }
    // 29 February may be eight years off.
    let year = today.components.year
    let days = (year...year + 8).compactMap { CalendarDay(year: $0, month: month, day: date) }
    let next = days.first { $0 >= today }
    guard weekday != nil else { return next }
    // What is shown without its year is of this one, be it over.
    return [days.first { $0.components.year == year }, next].compactMap { $0 }.first(where: fits)
  }

  /// A month or a year, by how many it is after the present one.
  enum Period {
    case months(Int)
    case years(Int)
  }

  /// The day of a month or a year that is said; nil where it is not what was left open, or such a
  /// day is not in it.
  func day(ofPeriodAfter today: CalendarDay, _ period: Period) -> CalendarDay? {
    switch (period, month, year) {
    case (.months(let number), nil, nil):
      let first = today.startOfMonth.adding(months: number).components
      return CalendarDay(year: first.year, month: first.month, day: date)
    case (.years(let number), let month?, nil):
      return CalendarDay(year: today.components.year + number, month: month, day: date)
    default: return nil
    }
  }

  private func dayOfMonth(_ months: Int, from today: CalendarDay) -> CalendarDay? {
    let now = today.components
    let (years, month) = (now.month - 1 + months).quotientAndRemainder(dividingBy: 12)
    let day = CalendarDay(year: now.year + years, month: month + 1, day: date)
    return day.flatMap { $0 >= today ? $0 : nil }
  }

  // MARK: - Forms

  /// `25.12.`, `25.12.2027`, or `25.12`, which within a line is a number.
  private static func dotted(_ word: String) -> TypedDate? {
    let parts = word.split(separator: ".", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), let date = number(parts[0]), let month = number(parts[1])
    else { return nil }
    if parts.count == 2 || parts[2].isEmpty { return TypedDate(month: month, date: date) }
    return year(String(parts[2])).map { TypedDate(year: $0, month: month, date: date) }
  }

  /// `2026/12/25`, `2026-1-5`.
  private static func yearFirst(_ word: String) -> TypedDate? {
    let parts = word.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "-" }
    guard parts.count == 3, let year = year(String(parts[0])), let month = number(parts[1]),
      let date = number(parts[2])
    else { return nil }
    return TypedDate(year: year, month: month, date: date)
  }

  /// `12/25`, or `25/12` where the day comes first; the other way round where only that is a date.
  ///
  /// Also `25-12-2026`; without the year it could be all of 25 to 12.
  private static func slashed(_ word: String, _ localeFormat: LocaleFormat) -> TypedDate? {
    let separator: Character = word.contains("/") ? "/" : "-"
    let parts = word.split(separator: separator, omittingEmptySubsequences: false)
    guard (separator == "/" ? 2...3 : 3...3).contains(parts.count), let first = number(parts[0]),
      let second = number(parts[1])
    else { return nil }
    var year: Int?
    if parts.count == 3 {
      year = Self.year(String(parts[2]))
      guard year != nil else { return nil }
    }
    let isMonthFirst = localeFormat.isMonthFirst ? first <= 12 : second > 12
    return isMonthFirst
      ? TypedDate(year: year, month: first, date: second)
      : TypedDate(year: year, month: second, date: first)
  }

  /// `25 dec`, `dec 25`, `25th december`.
  private static func named(_ one: String, _ other: String) -> TypedDate? {
    for (date, month) in [(one, other), (other, one)] {
      guard let month = DateNames.month(month), let date = number(date[...]) ?? ordinal(date)
      else { continue }
      return TypedDate(month: month, date: date)
    }
    return nil
  }

  /// `25th`, `1st`.
  private static func ordinal(_ word: String) -> Int? {
    guard ["st", "nd", "rd", "th"].contains(where: word.hasSuffix) else { return nil }
    return number(word.dropLast(2))
  }

  private static func number(_ text: Substring) -> Int? {
    text.utf8.count <= 2 ? Int(digits: text) : nil
  }

  /// Four digits: two could be a day.
  private static func year(_ text: String) -> Int? {
    text.utf8.count == 4 ? Int(digits: text) : nil
  }
}
