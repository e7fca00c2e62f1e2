/// `18:00`, `9am`, `9:30pm`.
enum ClockTime {
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
