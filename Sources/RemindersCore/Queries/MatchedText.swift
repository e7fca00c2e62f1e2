/// Text in which the parts that a search found are known.
public struct MatchedText: Hashable, Sendable {
  /// A stretch of the text.
  public struct Part: Hashable, Sendable {
    /// The text itself.
    public var text: String
    /// Whether the search found it.
    public var isMatch: Bool

    /// A stretch of text.
    public init(_ text: String, isMatch: Bool) {
      self.text = text
      self.isMatch = isMatch
    }
  }

  /// The stretches in order; together they are the text.
  public var parts: [Part]

  /// Text made of these stretches.
  public init(parts: [Part]) {
    self.parts = parts
  }

  /// The text without them.
  public var text: String { parts.map(\.text).joined() }

  /// Whether anything in it was found.
  public var hasMatch: Bool { parts.contains(where: \.isMatch) }
}

extension MatchedText {
  /// A text with every occurrence of the words, whatever their case and accents.
  ///
  /// - Parameter words: As `SearchFold.comparable` makes them.
  init(_ text: String, matching words: [String]) {
    let characters = Array(text)
    var folded: [Unicode.Scalar] = []
    var origin: [Int] = []
    for (index, character) in characters.enumerated() {
      let scalars = SearchFold.comparable(String(character)).unicodeScalars
      folded += scalars
      origin += Array(repeating: index, count: scalars.count)
    }
    var isMatch = [Bool](repeating: false, count: characters.count)
    for word in words.map({ Array($0.unicodeScalars) }) where !word.isEmpty {
      for start in folded.indices.dropLast(word.count - 1)
      where folded[start..<start + word.count].elementsEqual(word) {
        for index in origin[start]...origin[start + word.count - 1] { isMatch[index] = true }
      }
    }
    parts = []
    for (character, isMatch) in zip(characters, isMatch) {
      if let last = parts.indices.last, parts[last].isMatch == isMatch {
        parts[last].text.append(character)
      } else {
        parts.append(Part(String(character), isMatch: isMatch))
      }
    }
  }

  /// The stretch around the first match, at most so many characters, with "…" where it was cut.
  func excerpt(length: Int) -> MatchedText {
    let before = parts.prefix { !$0.isMatch }.map(\.text.count).reduce(0, +)
    let skipped = max(0, min(before - length / 4, text.count - length))
    var result = MatchedText(parts: skipped > 0 ? [Part("…", isMatch: false)] : [])
    var position = 0
    for part in parts {
      let kept = part.text.dropFirst(max(0, skipped - position))
        .prefix(max(0, skipped + length - max(position, skipped)))
      if !kept.isEmpty { result.parts.append(Part(String(kept), isMatch: part.isMatch)) }
      position += part.text.count
    }
    if skipped + length < position { result.parts.append(Part("…", isMatch: false)) }
    return result
  }
}
