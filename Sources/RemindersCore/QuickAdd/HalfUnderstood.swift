import Foundation

/// Tells where only a part of what the end of a line says would be understood.
///
/// A date is then taken out of the middle of something, and the title would end with its beginning.
enum HalfUnderstood {
  /// Whether a title ends with a word that goes on with what was taken, or with the beginning of a
  /// repeat: `Meet friday 9am to`, `Ring every hour`; or with the beginning of a date.
  ///
  /// - Parameters:
  ///   - title: The words of the title.
  ///   - taken: The words after it, which were understood.
  static func isEnd(of title: [String], before taken: [String]) -> Bool {
    let (words, taken) = (title.map { $0.lowercased() }, taken.map { $0.lowercased() })
    guard let last = words.last else { return false }
    if isBeginningOfDate(words, last, taken[...]) { return true }
    if connectives.contains(last) || isDateOrTime(last) || isSpokenTime(words)
      || isHourOrWeek(words)
      || isHourOfPartOfDay(words) || isDayOfPeriod(words, last, taken)
    {
      return true
    }
    // `Gym mon - fri`; in `Dentist - fri` it only sets the date off.
    if dashes.contains(last), let before = words.dropLast().last {
      return RecurrenceGrammar.isPart(before) || ClockTime.minutes(before) != nil
    }
    // `Pay every day except sunday`.
    let pairs = zip(words, words.dropFirst())
    if pairs.contains(where: { ["every", "each"].contains($0) && RecurrenceGrammar.isDay($1) }) {
      return true
    }
    let rest = words.reversed().prefix { !RecurrenceGrammar.isOpening($0) }
    return rest.count < words.count && rest.allSatisfy(RecurrenceGrammar.isPart)
  }

  /// Whether the end of a title and what was taken are one date that has no meaning here: the `25`
  /// of `25 dec 26`, the `first` of `first monday`, `25.12.26` before `9am`, or `in` before `-3d`.
  private static func isBeginningOfDate(
    _ words: [String], _ last: String, _ taken: ArraySlice<String>
  ) -> Bool {
    TypedDate.endsWithShortYear(words) || TypedDate.goesOn(taken, after: last)
      || ["in", "on", "at", "by"].contains(last) && ["+", "-"].contains(taken.first?.first)
      || isOneOfSeveralDays(last, taken)
      || RecurrenceGrammar.endsWithDayOfMonth(words)
      || RecurrenceGrammar.isOrdinal(last) && taken.first.flatMap(DateNames.weekday) != nil
  }

  /// Whether a title hardly ends with a word, other than with `sun`: `9am`, `mondays`, `mon-wed`,
  /// `tue,`.
  private static func isDateOrTime(_ word: String) -> Bool {
    let bare = word.trimmingCharacters(in: [",", "."])
    return ClockTime.minutes(word) != nil || RecurrenceGrammar.isDays(bare)
      || bare != word && DateNames.weekday(bare) != nil
  }

  /// Whether a title ends with a time in words, or its beginning: `half past 9`, `half past`.
  private static func isSpokenTime(_ words: [String]) -> Bool {
    DatePhrases.partsOfHours.contains { words.suffix($0.words.count) == $0.words[...] }
      || (2...5).contains { ClockTime.spoken(words.suffix($0))?.count == $0 }
  }

  /// Whether a weekday goes on with another day: `Gym mon wed fri`, and `mon 1 dec` of a year in
  /// which that is a Tuesday.
  private static func isOneOfSeveralDays(_ last: String, _ taken: ArraySlice<String>) -> Bool {
    guard DateNames.weekday(last) != nil, let first = taken.first else { return false }
    return DateNames.weekday(first) != nil || first.first?.isNumber == true
      || DateNames.month(first) != nil
  }

  /// Whether a title ends with an hour, `Call at 9` before `tomorrow evening`, or a number of
  /// weeks, `a week` before `on tuesday`.
  private static func isHourOrWeek(_ words: [String]) -> Bool {
    guard let last = words.last, let before = words.dropLast().last else { return false }
    if before == "at" { return last.utf8.count <= 2 && Int(digits: last) != nil }
    return ["week", "weeks", "fortnight"].contains(last)
      && (["a", "one"].contains(before) || DateNames.count(before) != nil)
  }

  /// Whether a title ends with the hour of a part of the day: `at 8 in the evening`, `9 at night`.
  private static func isHourOfPartOfDay(_ words: [String]) -> Bool {
    let rest = words.dropLast(words.suffix(2) == ["at", "night"] ? 2 : 3)
    guard rest.count == words.count - 2 || words.suffix(3).starts(with: ["in", "the"]),
      let hour = rest.last, let part = words.last
    else { return false }
    return ["morning", "afternoon", "evening", "night"].contains(part)
      && (hour.utf8.count <= 2 && Int(digits: hour) != nil || isSpokenTime(Array(rest)))
  }

  /// Whether what was taken says in which week, month or year the day is that a title ends with,
  /// `mon` before `at 9 next week`; or which day of it, `this month` before `on friday`.
  private static func isDayOfPeriod(_ words: [String], _ last: String, _ taken: [String]) -> Bool {
    let periods: Set = ["week", "month", "year"]
    if periods.contains(last), let which = words.dropLast().last,
      ["this", "next", "last"].contains(which), taken.first == "on"
    {
      return true
    }
    let isPeriod = zip(taken, taken.dropFirst()).contains {
      ["this", "next"].contains($0) && periods.contains($1)
    }
    guard isPeriod else { return false }
    let bare = last.trimmingCharacters(in: [",", "."])
    return DateNames.weekday(bare) != nil || DateNames.month(bare) != nil
      || RecurrenceGrammar.isOrdinal(bare)
  }

  private static let dashes: Set = ["-", "–", "—"]
  private static let connectives: Set = [
    "to", "through", "thru", "until", "till", "til", "from", "since", "between",
    "before", "after", "and", "&", "or", "of", "for", "the", "every", "each", "/", "next", "except",
    "excluding", "not", "but",
  ]
}
