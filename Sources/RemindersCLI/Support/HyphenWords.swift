import ArgumentParser

/// A command whose words may be moments such as `-1h`.
protocol TakesMoments: ParsableCommand {}

/// Words that begin with a hyphen and a digit, as a moment can.
///
/// The parser would take `-1h` for the options `-1` and `-h`, and answer with its help. A blank
/// before it keeps the parser from looking into it.
enum HyphenWords {
  /// The arguments with a blank before each such word.
  ///
  /// Not after an option, whose value it may be, nor after `--`.
  static func keep(_ arguments: [String]) -> [String] {
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    return arguments.indices.map { index in
      let word = arguments[index]
      guard index > 0, index < end, isHyphenated(word[...]) else { return word }
      let before = arguments[index - 1][...]
      return before.first != "-" || isHyphenated(before) ? " " + word : word
    }
  }

  /// The words as they were typed.
  static func read(_ words: [String]) -> [String] {
    words.map { $0.first == " " && isHyphenated($0.dropFirst()) ? String($0.dropFirst()) : $0 }
  }

  private static func isHyphenated(_ word: Substring) -> Bool {
    word.first == "-" && word.dropFirst().first?.isWholeNumber == true
  }
}
