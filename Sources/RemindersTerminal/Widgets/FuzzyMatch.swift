import Foundation

/// How well a text answers a few typed letters.
public struct FuzzyMatch: Hashable, Sendable {
  /// Greater is better.
  public let score: Int
  /// Which characters of the text were matched, counted from 0, in order.
  public let positions: [Int]

  /// Finds the letters of `query` in `text` in order, ignoring case, accents and spaces.
  ///
  /// Letters at the beginnings of words and letters that stand together count more. The search is
  /// greedy from every possible start, which is enough for texts of one line.
  ///
  /// - Returns: Nil when some letter is missing.
  public init?(_ query: String, in text: String) {
    let wanted = query.filter { !$0.isWhitespace }.map(\.folded)
    let letters = Array(text)
    let folded = letters.map(\.folded)
    if wanted.isEmpty {
      self.init(score: 0, positions: [])
      return
    }
    let candidates = folded.indices.filter { folded[$0] == wanted[0] }
      .compactMap { FuzzyMatch.positions(of: wanted, in: folded, from: $0) }
      .map { FuzzyMatch(score: FuzzyMatch.score($0, in: letters), positions: $0) }
    guard let best = candidates.max(by: { $0.score < $1.score }) else { return nil }
    self = best
  }

  private init(score: Int, positions: [Int]) {
    self.score = score
    self.positions = positions
  }

  private static func positions(
    of wanted: [String], in folded: [String], from start: Int
  ) -> [Int]? {
    var positions: [Int] = []
    var next = start
    for letter in wanted {
      guard let found = folded[next...].firstIndex(of: letter) else { return nil }
      positions.append(found)
      next = found + 1
    }
    return positions
  }

  private static func score(_ positions: [Int], in letters: [Character]) -> Int {
    positions.indices.reduce(-letters.count) { sum, index in
      let position = positions[index]
      let isWordStart = position == 0 || !letters[position - 1].isLetter
      let isTogether = index > 0 && positions[index - 1] == position - 1
      return sum + (isWordStart ? 16 : 0) + (isTogether ? 12 : 0)
    }
  }
}

extension Character {
  /// Without case and accents, so that “e” finds “É”.
  fileprivate var folded: String {
    let base = String(self).decomposedStringWithCanonicalMapping.unicodeScalars.first
    return base.map { String($0).lowercased() } ?? String(self)
  }
}
