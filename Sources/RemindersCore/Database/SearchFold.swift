import Foundation

/// How texts and searches are made comparable: without accents and without case.
enum SearchFold {
  /// The letters of the Latin, Greek and Cyrillic alphabets that have accents or are capitals, and
  /// what they are compared as; the accents that stand alone, and nothing.
  ///
  /// A table, because the stored triggers look letters up in SQL, and because text that is stored
  /// folded must be folded alike by every version of the app.
  static let letters: [(letter: Unicode.Scalar, folded: String)] =
    blocks.joined().compactMap(Unicode.Scalar.init).compactMap { letter in
      let folded = fold(letter)
      return folded == String(letter) ? nil : (letter, folded)
    }

  /// What SQLite's GLOB finds in a text that may have such letters.
  static let pattern =
    "*["
    + blocks.flatMap { [$0.lowerBound, $0.upperBound] }.compactMap(Unicode.Scalar.init).enumerated()
    .map { $0.isMultiple(of: 2) ? "\($1)-" : "\($1)" }.joined() + "]*"

  private static let blocks: [ClosedRange<UInt32>] = [
    0x00C0...0x024F, 0x0300...0x036F, 0x0370...0x04FF, 0x1E00...0x1FFF,
  ]

  /// A letter in lower case and without its accents.
  private static func fold(_ letter: Unicode.Scalar) -> String {
    let lower = letter.properties.lowercaseMapping
    if let spelled = spelledOut[lower] { return spelled }
    let parts = lower.decomposedStringWithCanonicalMapping.unicodeScalars.filter {
      $0.properties.generalCategory != .nonspacingMark
    }
    return String(String.UnicodeScalarView(parts))
  }

  /// Letters that Unicode does not take apart, though people type them so.
  private static let spelledOut = [
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ı": "i", "ς": "σ",
  ]

  private static let folds = Dictionary(
    uniqueKeysWithValues: letters.map { ($0.letter, $0.folded) })

  /// A text as it is compared: as the index holds it, in lower case.
  static func comparable(_ text: some StringProtocol) -> String {
    // A text in ASCII does not need the table, which takes 2 ms to make.
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text.lowercased() }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      result += folds[scalar] ?? scalar.properties.lowercaseMapping
    }
  }
}

extension Sequence<String> {
  /// In the order of the alphabet, whatever the case and the accents: `Ärzte` before `Zoo`.
  package var inAlphabeticalOrder: [String] {
    map { (SearchFold.comparable($0), $0) }.sorted { $0 < $1 }.map(\.1)
  }
}
