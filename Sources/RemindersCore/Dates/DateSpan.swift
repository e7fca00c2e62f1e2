import Foundation

/// So much time from now on, or before: `+3d`, `-2h`, `1h30m`, `in 3 days`, `in half an hour`,
/// `a week from now`, `3 days ago`, `2 days late`.
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
    read(isAmount(words) ? ["in"] + words : words).flatMap {
      due($0.number, $0.unit, from: time)
    }
  }

  /// Whether the words say how much, but not from when: `3 days`.
  static func isAmount(_ words: [String]) -> Bool {
    words.count > 1 && read(words) == nil && read(["in"] + words) != nil
  }

  /// How many words at the beginning are a number of weeks, and the number.
  static func weeks(_ words: ArraySlice<String>) -> (count: Int, number: Int)? {
    beginnings(words).first { abs($1.number) < mostUnits && days[$1.unit] == 7 }
      .map { ($0.count, $0.span.number) }
  }

  /// How many words at the beginning are so much time, `two weeks`, with `from` and a day after it,
  /// and that much after a day; nil for hours, which do not count from a day.
  static func afterDay(
    _ words: ArraySlice<String>
  ) -> (count: Int, end: (CalendarDay) -> CalendarDay)? {
    let skipped = words.first == "in" ? 1 : 0
    let rest = words.dropFirst(skipped)
    guard let place = rest.prefix(mostWords).firstIndex(of: "from"),
      let span = amount(rest[..<place], isBareNumber: false), span.number < mostUnits
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
  private typealias Span = (number: Int, unit: String)

  /// The beginnings of the words that are a span, the longest first.
  private static func beginnings(
    _ words: ArraySlice<String>
  ) -> [(count: Int, span: Span)] {
    stride(from: min(mostWords, words.count), to: 0, by: -1).compactMap { count in
      read(Array(words.prefix(count))).map { (count, $0) }
    }
  }

  /// `in 1 hour 30 minutes`.
  private static let mostWords = 5
  private static let minutes = [
    "m": 1, "min": 1, "mins": 1, "minute": 1, "minutes": 1, "h": 60, "hr": 60, "hrs": 60,
    "hour": 60, "hours": 60,
  ]
  private static let days = [
    "d": 1, "day": 1, "days": 1, "w": 7, "wk": 7, "week": 7, "weeks": 7,
  ]
  private static let months = [
    "mo": 1, "month": 1, "months": 1, "y": 12, "yr": 12, "year": 12, "years": 12,
  ]
  private static let halves: [String: Span] = [
    "hour": (30, "m"), "day": (12, "h"), "year": (6, "mo"),
  ]
  /// So far ahead that no calendar of ours goes there is a mistake.
  private static let mostUnits = 100_000

  /// `3`, `three`, `a`.
  static func number(_ word: String) -> Int? {
    ["a", "an"].contains(word) ? 1 : DateNames.count(word)
  }

  private static func read(_ words: [String]) -> Span? {
    var words = words[...]
    var sign = 0
    if words.first == "in" {
      words.removeFirst()
      sign = 1
    } else if words.count > 1, let last = words.last, ["ago", "late"].contains(last) {
      words.removeLast()
      sign = -1
    } else if [["from", "now"], ["from", "today"]].contains(Array(words.suffix(2))) {
      words.removeLast(2)
      sign = 1
    } else if let word = words.first, word.count > 1, let first = word.first, "+-".contains(first) {
      words[words.startIndex].removeFirst()
      sign = first == "-" ? -1 : 1
    }
    // Written in one word, it needs nothing before it.
    guard sign != 0 || words.count == 1, let span = amount(words, isBareNumber: sign != 0) else {
      return nil
    }
    return (sign < 0 ? -span.number : span.number, span.unit)
  }

  /// `3d`, `two weeks`, `1 hour 30 minutes`, `half an hour`.
  ///
  /// - Parameter isBareNumber: Whether a number alone is one of days, as in `+3`.
  private static func amount(_ words: ArraySlice<String>, isBareNumber: Bool) -> Span? {
    if words.count == 3, words.first == "half", let unit = words.last,
      ["a", "an"].contains(words[words.startIndex + 1])
    {
      return halves[unit]
    }
    if isBareNumber, words.count == 1, let number = words.first.flatMap({ Int(digits: $0) }) {
      return (number, "d")
    }
    let parts = words.flatMap(numbersAndUnits)
    guard parts.count.isMultiple(of: 2) else { return nil }
    var spans: [Span] = []
    for index in stride(from: 0, to: parts.count, by: 2) {
      let unit = parts[index + 1]
      guard let number = number(parts[index]),
        [minutes, days, months].contains(where: { $0[unit] != nil })
      else { return nil }
      spans.append((number, unit))
    }
    guard spans.count > 1 else { return spans.first }
    let sum = spans.reduce(0 as Int?) { sum, span in
      guard let sum, let minutes = minutes[span.unit], span.number < mostUnits else { return nil }
      return sum + span.number * minutes
    }
    return sum.map { ($0, "m") }
  }

  /// `1h30m` as `1`, `h`, `30`, `m`.
  static func numbersAndUnits(_ word: String) -> [String] {
    var parts: [String] = []
    var rest = word[...]
    while let first = rest.first {
      let part = rest.prefix { $0.isNumber == first.isNumber }
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
