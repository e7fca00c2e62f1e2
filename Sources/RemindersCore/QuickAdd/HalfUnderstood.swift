import Foundation

/// Tells where only a part of what the end of a line says would be understood.
///
/// A date is then taken out of the middle of something, and the title would end with its beginning.
enum HalfUnderstood {
  /// Whether a title ends with a word that goes on with what was taken, or with the beginning of a
  /// repeat: `Meet friday 9am to`, `Ring every hour`.
  static func isEnd(of title: [String]) -> Bool {
    let words = title.map { $0.lowercased() }
    guard let last = words.last else { return false }
    if connectives.contains(last) || isDateOrTime(last) { return true }
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

  /// Whether a title hardly ends with a word, other than with `sun`: `9am`, `mondays`, `mon-wed`,
  /// `tue,`.
  private static func isDateOrTime(_ word: String) -> Bool {
    let bare = word.trimmingCharacters(in: [",", "."])
    return ClockTime.minutes(word) != nil || RecurrenceGrammar.isDays(bare)
      || bare != word && DateNames.weekday(bare) != nil
  }

  private static let dashes: Set = ["-", "–", "—"]
  private static let connectives: Set = [
    "to", "through", "thru", "until", "till", "til", "from", "since", "between",
    "before", "after", "and", "&", "or", "of", "for", "the", "every", "each",
  ]
}
