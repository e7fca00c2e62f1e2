/// `18:00`, `9am`, `9:30pm`, `half past 9`.
enum ClockTime {
  /// `half past 9`, `a quarter to 6 pm`, `5 o'clock` at the beginning of words: how many words, and
  /// minutes since midnight.
  static func spoken(_ words: ArraySlice<String>) -> (count: Int, minutes: Int)? {
    let part = DatePhrases.partsOfHours.first { words.starts(with: $0.words) }
    let rest = words.dropFirst(part?.words.count ?? 0)
    let next = rest.dropFirst().first ?? ""
    let isOClock = ["o'clock", "o’clock", "oclock"].contains(next)
    guard part != nil || isOClock, let word = rest.first else { return nil }
    let number = DateNames.count(word).flatMap { (0..<24).contains($0) ? $0 : nil }
    let isHalfDay = number != nil && ["am", "pm"].contains(next)
    // An hour with minutes of its own has none before it.
    let hour =
      number.flatMap { isHalfDay ? minutes("\($0)\(next)") : $0 * 60 }
      ?? (word.contains(":") ? nil : minutes(word))
    guard let hour, case let sum = hour + (part?.minutes ?? 0), sum >= 0 else { return nil }
    return (words.count - rest.count + (isOClock || isHalfDay ? 2 : 1), sum)
  }

  /// Minutes since midnight of `18.30` or `9.30pm`, which are times only where they cannot be a
  /// date or a price.
  static func dottedMinutes(_ word: String) -> Int? {
    word.contains(".") && !word.contains(":") ? minutes(word.replacing(".", with: ":")) : nil
  }

  /// Minutes since midnight.
  static func minutes(_ word: String) -> Int? {
    let half = ["am", "pm"].first(where: word.hasSuffix)
    let parts = word.dropLast(half?.count ?? 0).split(
      separator: ":", omittingEmptySubsequences: false)
    guard let first = parts.first, first.utf8.count <= 2, let hour = Int(digits: first),
      parts.count <= 2, parts.count == 2 || half != nil
    else { return nil }
    var minute = 0
    if parts.count == 2 {
      guard parts[1].utf8.count == 2, let read = Int(digits: parts[1]), read < 60 else {
        return nil
      }
      minute = read
    }
    guard let half else { return hour < 24 ? hour * 60 + minute : nil }
    guard (1...12).contains(hour) else { return nil }
    return (hour % 12 + (half == "pm" ? 12 : 0)) * 60 + minute
  }
}
