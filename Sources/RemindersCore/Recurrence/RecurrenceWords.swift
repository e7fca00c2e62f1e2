/// The words for weekdays and numbers.
extension RecurrenceGrammar {
  /// `mon`, `mondays`, `mon to fri`, `mon-fri`.
  static func weekdays(
    _ words: ArraySlice<String>
  ) -> (count: Int, item: [Recurrence.Weekday])? {
    guard let word = words.first else { return nil }
    let sides = word.split { dashes.contains(String($0)) }.map(String.init)
    if sides.count == 2, let range = weekdays(from: sides[0], to: sides[1]) { return (1, range) }
    let rest = words.dropFirst()
    if let joint = rest.first, dashes.union(["to", "through", "thru"]).contains(joint),
      let last = rest.dropFirst().first, let range = weekdays(from: word, to: last)
    {
      return (3, range)
    }
    return weekday(word).map { (1, [Recurrence.Weekday($0)]) }
  }

  private static func weekdays(from first: String, to last: String) -> [Recurrence.Weekday]? {
    guard let first = weekday(first), let last = weekday(last) else { return nil }
    return (0...CalendarDay.days(from: first, to: last)).map {
      Recurrence.Weekday((first + $0) % 7)
    }
  }

  private static let dashes: Set = ["-", "–"]

  static func weekday(_ word: String) -> Int? {
    DateNames.weekday(word) ?? (word.hasSuffix("s") ? DateNames.weekday("\(word.dropLast())") : nil)
  }

  /// `25`, `25th`, or `two`.
  static func number(_ word: String) -> Int? { DateNames.count(word) ?? ordinal(word) }

  static func ordinal(_ word: String) -> Int? {
    let named = ["first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1]
    if let number = named[word] { return number }
    guard ["st", "nd", "rd", "th"].contains(String(word.suffix(2))) else { return nil }
    return Int(digits: word.dropLast(2)).flatMap { (1...31).contains($0) ? $0 : nil }
  }
}
