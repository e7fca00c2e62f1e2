/// Tells where only a part of what the end of a line says would be understood.
///
/// A date is then taken out of the middle of something, and the title would end with its beginning.
enum HalfUnderstood {
  /// Whether a title ends with a word that goes on with what was taken, or with the beginning of a
  /// repeat: `Meet friday 9am to`, `Ring every hour`.
  static func isEnd(of title: [String]) -> Bool {
    let words = title.map { $0.lowercased() }
    guard let last = words.last else { return false }
    if connectives.contains(last) { return true }
    // `Gym mon - fri`; in `Dentist - fri` it only sets the date off.
    if dashes.contains(last) { return words.dropLast().last.map(RecurrenceGrammar.isPart) ?? false }
    let rest = words.reversed().prefix { !RecurrenceGrammar.isOpening($0) }
    return rest.count < words.count && rest.allSatisfy(RecurrenceGrammar.isPart)
  }

  private static let dashes: Set = ["-", "–", "—"]
  private static let connectives: Set = [
    "to", "through", "thru", "until", "till", "til", "from", "since", "between",
    "before", "after", "and", "&", "or", "of", "for", "the", "every", "each",
  ]
}
