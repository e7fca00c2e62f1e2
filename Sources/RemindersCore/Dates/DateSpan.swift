import Foundation

/// So much time from now on, or before: `+3d`, `-2h`, `1h30m`, `in 3 days`, `in half an hour`,
/// `in 1.5 hours`, `in an hour and a half`, `a week from now`, `3 days ago`, `2 days late`.
enum DateSpan {
  /// How many words it has, and when it ends.
  static func due(
    _ words: ArraySlice<String>, from time: LocalTime
  ) -> (count: Int, due: DueDate)? {
    beginnings(words).lazy.compactMap { count, span in
      due(span.number, span.unit, from: time).map { (count, $0) }
    }.first
  }

  /// When it ends, where the words are nothing else: then they need not say `in`.
  static func due(all words: [String], from time: LocalTime) -> DueDate? {
    read(isAmount(words[...]) ? ["in"] + words : words[...]).flatMap {
      due($0.number, $0.unit, from: time)
    }
  }

  /// Whether the words say how much, but not from when: `3 days`, `1.5h`.
  static func isAmount(_ words: ArraySlice<String>) -> Bool {
    guard let first = words.first, canBegin(first) else { return false }
    // In one word it needs no `in`; with a sign it is from now.
    guard words.count > 1 else { return first.beginsWithDigit && read(words) != nil }
    return read(words) == nil && read(["in"] + words) != nil
  }

  /// Whether a span may begin with a word: most words end the search for one here.
  private static func canBegin(_ word: String) -> Bool {
    word.beginsWithDigit || word.hasPrefix("+") || word.hasPrefix("-")
      || ["in", "half"].contains(word) || number(word) != nil
  }

  /// How many words at the beginning are a number of weeks, and the number.
  static func weeks(_ words: ArraySlice<String>) -> (count: Int, number: Int)? {
    beginnings(words).lazy.compactMap { count, span in
      guard abs(span.number) < mostUnits, let days = days[span.unit], days >= 7 else { return nil }
      return (count, span.number * days / 7)
    }.first
  }

  /// How many words at the beginning are so much time, `two weeks`, with `from` and a day after it,
  /// and that much after a day; nil for hours, which do not count from a day.
  static func afterDay(
    _ words: ArraySlice<String>
  ) -> (count: Int, end: (CalendarDay) -> CalendarDay)? {
    let skipped = words.first == "in" ? 1 : 0
    let rest = words.dropFirst(skipped)
    guard let place = rest.prefix(mostWords).firstIndex(of: "from"),
      let span = amount(rest[..<place]), span.number < mostUnits
    else { return nil }
    let count = skipped + place - rest.startIndex + 1
    if let days = days[span.unit] { return (count, { $0.adding(days: span.number * days) }) }
    return months[span.unit].map { months in
      (count, { $0.adding(months: span.number * months) })
    }
  }

  /// Whether a word is a unit that is shorter than a day.
  static func isClockUnit(_ word: String) -> Bool { minutes[word] != nil }

  /// So many of a unit.
  typealias Span = (number: Int, unit: String)

  /// The beginnings of the words that are a span, the longest first.
  private static func beginnings(
    _ words: ArraySlice<String>
  ) -> [(count: Int, span: Span)] {
    guard let first = words.first, canBegin(first) else { return [] }
    return stride(from: min(mostWords, words.count), to: 0, by: -1).compactMap { count in
      read(words.prefix(count)).map { (count, $0) }
    }
  }

  /// `in an hour and a half`.
  private static let mostWords = 6
  static let minutes = [
    "m": 1, "min": 1, "mins": 1, "minute": 1, "minutes": 1, "h": 60, "hr": 60, "hrs": 60,
    "hour": 60, "hours": 60,
  ]
  static let days = [
    "d": 1, "day": 1, "days": 1, "w": 7, "wk": 7, "week": 7, "weeks": 7, "fortnight": 14,
    "fortnights": 14,
  ]
  private static let months = [
    "mo": 1, "month": 1, "months": 1, "y": 12, "yr": 12, "year": 12, "years": 12,
  ]
  /// So far ahead that no calendar of ours goes there is a mistake.
  private static let mostUnits = 100_000

  /// `3`, `three`, `a`.
  static func number(_ word: String) -> Int? {
    ["a", "an"].contains(word) ? 1 : DateNames.count(word)
  }

  private static func read(_ words: ArraySlice<String>) -> Span? {
    guard let first = words.first, canBegin(first) else { return nil }
    var words = words
    var sign = 0
    if first == "in" {
      words.removeFirst()
      sign = 1
    } else if words.count > 1, let last = words.last, ["ago", "late"].contains(last) {
      words.removeLast()
      sign = -1
    } else if [["from", "now"], ["from", "today"]].contains(Array(words.suffix(2))) {
      words.removeLast(2)
      sign = 1
    } else if first.utf8.count > 1, first.hasPrefix("+") || first.hasPrefix("-") {
      words[words.startIndex].removeFirst()
      sign = first.hasPrefix("-") ? -1 : 1
    }
    // Written in one word, it needs nothing before it.
    guard sign != 0 || words.count == 1, let span = amount(words, isBareNumber: sign != 0) else {
      return nil
    }
    return (sign < 0 ? -span.number : span.number, span.unit)
  }

  /// `3d`, `two weeks`, `1 hour 30 minutes`, `half an hour`, `one and a half hours`.
  ///
  /// - Parameter isBareNumber: Whether a number alone is one of days, as in `+3`.
  private static func amount(_ words: ArraySlice<String>, isBareNumber: Bool = false) -> Span? {
    if let start = halfOpenings.first(where: words.starts(with:)) {
      return words.count == start.count + 1 ? words.last.flatMap(half) : nil
    }
    if isBareNumber, words.count == 1, let number = words.first.flatMap({ Int(digits: $0) }) {
      return (number, "d")
    }
    if words.contains("half") {
      guard let place = words.firstRange(of: ["and", "a", "half"]),
        let whole = amount(words[..<place.lowerBound] + words[place.upperBound...]),
        let half = half(of: whole.unit), whole.number < mostUnits
      else { return nil }
      return ((2 * whole.number + 1) * half.number, half.unit)
    }
    let parts = words.flatMap(numbersAndUnits)
    guard parts.count.isMultiple(of: 2) else { return nil }
    var spans: [Span] = []
    for index in stride(from: 0, to: parts.count, by: 2) {
      guard let span = span(parts[index], parts[index + 1]) else { return nil }
      spans.append(span)
    }
    guard spans.count > 1 else { return spans.first }
    let sum = spans.reduce(0 as Int?) { sum, span in
      guard let sum, let minutes = minutes[span.unit], span.number < mostUnits else { return nil }
      return sum + span.number * minutes
    }
    return sum.map { ($0, "m") }
  }

  private static let halfOpenings = [["half", "a"], ["half", "an"], ["a", "half"], ["half"]]

  /// Half of a unit in whole ones of a smaller unit; nil where there is none.
  private static func half(of unit: String) -> Span? {
    minutes[unit] == 60
      ? (30, "m") : days[unit] == 1 ? (12, "h") : months[unit] == 12 ? (6, "mo") : nil
  }

  /// So many of a unit, with a fraction only where it is whole in a smaller unit: `1.5` of `hours`.
  static func span(_ typed: String, _ unit: String) -> Span? {
    guard [minutes, days, months].contains(where: { $0[unit] != nil }) else { return nil }
    if let number = number(typed) { return (number, unit) }
    let sides = typed.split(separator: ".", omittingEmptySubsequences: false)
    guard sides.count == 2, let whole = Int(digits: sides[0]), whole < mostUnits,
      let digits = Int(digits: sides[1]), sides[1].utf8.count <= 2
    else { return nil }
    let percent = sides[1].utf8.count == 1 ? digits * 10 : digits
    if let minutes = minutes[unit], percent * minutes % 100 == 0 {
      return (whole * minutes + percent * minutes / 100, "m")
    }
    guard percent == 50, let half = half(of: unit) else { return nil }
    return ((2 * whole + 1) * half.number, half.unit)
  }

  /// `1h30m` as `1`, `h`, `30`, `m`.
  static func numbersAndUnits(_ word: String) -> [String] {
    var parts: [String] = []
    var rest = word[...]
    while let first = rest.first {
      let isNumber = first.isNumber
      let part = rest.prefix { $0.isNumber == isNumber || isNumber && $0 == "." }
      parts.append(String(part))
      rest = rest.dropFirst(part.count)
    }
    return parts
  }

  private static func due(_ count: Int, _ unit: String, from time: LocalTime) -> DueDate? {
    guard abs(count) < mostUnits else { return nil }
    if let minutes = minutes[unit] { return moment(count * minutes * 60, from: time) }
    if let days = days[unit] { return .day(time.today.adding(days: count * days)) }
    return months[unit].map { .day(time.today.adding(months: count * $0)) }
  }

  /// From the moment this minute began.
  private static func moment(_ seconds: Int, from time: LocalTime) -> DueDate {
    let minute = (time.now.timeIntervalSince1970 / 60).rounded(.down) * 60
    return .moment(Date(timeIntervalSince1970: minute + Double(seconds)))
  }
}
