import Foundation

/// So much time from now on, or before: `+3d`, `-2h`, `3d`, `in 3 days`, `3 days ago`,
/// `2 days late`.
enum DateSpan {
  /// How many words it has, and when it ends.
  static func due(
    _ words: ArraySlice<String>, from time: LocalTime
  ) -> (count: Int, due: DueDate)? {
    for count in [4, 3, 2, 1] where words.count >= count {
      if let (number, unit) = read(Array(words.prefix(count))),
        let due = due(number, unit, from: time)
      {
        return (count, due)
      }
    }
    return nil
  }

  /// How many words at the beginning are a number of weeks, and the number.
  static func weeks(_ words: ArraySlice<String>) -> (count: Int, number: Int)? {
    for count in [4, 3, 2, 1] where words.count >= count {
      if let (number, unit) = read(Array(words.prefix(count))), abs(number) < mostUnits,
        weekUnits.contains(unit)
      {
        return (count, number)
      }
    }
    return nil
  }

  private static let weekUnits: Set = ["w", "wk", "week", "weeks"]
  /// So far ahead that no calendar of ours goes there is a mistake.
  private static let mostUnits = 100_000
  private static let numbers = [
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10,
  ]

  private static func read(_ words: [String]) -> (number: Int, unit: String)? {
    var words = words
    var sign = 0
    if words[0] == "in" {
      words.removeFirst()
      sign = 1
    } else if words.count > 1, let last = words.last, ["ago", "late"].contains(last) {
      words.removeLast()
      sign = -1
    }
    switch words.count {
    case 1:
      var word = words[0][...]
      if let first = word.first, first == "+" || first == "-" {
        guard sign == 0 else { return nil }
        sign = first == "-" ? -1 : 1
        word = word.dropFirst()
      }
      let digits = word.prefix { $0.isASCII && $0.isNumber }
      let unit = word.dropFirst(digits.count)
      // A bare number is not a span, and `+3` is days.
      guard let number = Int(digits: digits), !unit.isEmpty || sign != 0 else { return nil }
      return ((sign < 0 ? -1 : 1) * number, unit.isEmpty ? "d" : String(unit))
    case 2:
      guard sign != 0 else { return nil }
      let number = numbers[words[0]] ?? Int(digits: words[0])
      return number.map { (sign * $0, words[1]) }
    default: return nil
    }
  }

  private static func due(_ count: Int, _ unit: String, from time: LocalTime) -> DueDate? {
    guard abs(count) < mostUnits else { return nil }
    switch unit {
    case "m", "min", "mins", "minute", "minutes": return moment(count * 60, from: time)
    case "h", "hr", "hrs", "hour", "hours": return moment(count * 3600, from: time)
    case "d", "day", "days": return .day(time.today.adding(days: count))
    case _ where weekUnits.contains(unit): return .day(time.today.adding(days: count * 7))
    case "mo", "month", "months": return .day(time.today.adding(months: count))
    case "y", "yr", "year", "years": return .day(time.today.adding(months: count * 12))
    default: return nil
    }
  }

  /// From the moment this minute began.
  private static func moment(_ seconds: Int, from time: LocalTime) -> DueDate {
    let minute = (time.now.timeIntervalSince1970 / 60).rounded(.down) * 60
    return .moment(Date(timeIntervalSince1970: minute + Double(seconds)))
  }
}
