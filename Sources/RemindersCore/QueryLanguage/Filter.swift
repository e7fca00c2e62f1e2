import Foundation

/// Which reminders somebody wants, as typed: `milk or bread -list:Work due<+7d tag:town overdue`.
///
/// Words are looked for in `ReminderField.searchedWords`. Parts beside each other must all be true;
/// `or` separates what suffices; `-` before a part is its opposite. What is in quotation marks is
/// text, with its white space; there `\"` stands for a quotation mark, and `\\` for a backslash.
public indirect enum Filter: Hashable, Sendable {
  /// Has this in its texts or tags.
  case word(String)
  /// Has a tag, typed with its `#`; while it is typed, one that begins so.
  case hashtag(String)
  /// Has a field of some kind.
  case field(FieldTest)
  /// Does not meet a filter.
  case not(Filter)
  /// Meets all.
  case all([Filter])
  /// Meets one of them.
  case any([Filter])

  /// Reads what was typed; any text has a meaning.
  ///
  /// - Throws: `AppError` when a date or a priority after an operator is none, `has:` or `is:` asks
  ///   for what there is not, or it is longer than anybody's question.
  public init(_ text: String, in time: LocalTime) throws {
    let tokens = text.utf8.count > Self.maximumBytes ? [] : Self.tokens(of: text)
    guard text.utf8.count <= Self.maximumBytes, tokens.count <= Self.maximumParts else {
      throw AppError(
        .invalidInput, "The search is too long.",
        hint: "It may have \(Self.maximumParts) parts and \(Self.maximumBytes) bytes.")
    }
    var alternatives: [[Filter]] = [[]]
    for (token, _) in tokens {
      if token.isOr {
        alternatives.append([])
      } else {
        alternatives[alternatives.count - 1].append(try Self.read(token, in: time))
      }
    }
    // An `or` with nothing beside it is a word at the edge of what is being typed, and alone it is
    // what is looked for.
    alternatives = alternatives.filter { !$0.isEmpty }
    if alternatives.isEmpty, let word = tokens.first?.token { alternatives = [[.word(word.text)]] }
    let parts = alternatives.map { $0.count == 1 ? $0[0] : Filter.all($0) }
    self = parts.count == 1 ? parts[0] : parts.isEmpty ? .all([]) : .any(parts)
  }

  /// Whether it asks for more than words.
  var hasFields: Bool {
    switch self {
    case .word, .hashtag: false
    case .field, .not, .any: true
    case .all(let parts): parts.contains(where: \.hasFields)
    }
  }

  /// The words that must all be there.
  var words: [String] {
    switch self {
    case .word(let word): [word]
    case .all(let parts): parts.flatMap(\.words)
    case .hashtag, .field, .not, .any: []
    }
  }

  /// The tags, typed with a `#`, that must all be there.
  var hashtags: [String] {
    switch self {
    case .hashtag(let name): [name]
    case .all(let parts): parts.flatMap(\.hashtags)
    case .word, .field, .not, .any: []
    }
  }

  /// All parts that ask for more than words.
  var withoutWords: Filter {
    switch self {
    case .word, .hashtag: .all([])
    case .all(let parts): .all(parts.filter(\.hasFields))
    case .field, .not, .any: self
    }
  }

  /// Whether it says itself if completed ones are wanted.
  public var isAboutCompletion: Bool {
    switch self {
    case .word, .hashtag: false
    case .field(let test): test.isAboutCompletion
    case .not(let part): part.isAboutCompletion
    case .all(let parts), .any(let parts): parts.contains(where: \.isAboutCompletion)
    }
  }

  // MARK: - Reading

  /// What SQLite joins without running out of depth (1,000).
  private static let maximumParts = 500
  private static let maximumBytes = 16_000

  private struct Token {
    var text: String
    /// Whether it began with a minus sign.
    var isNegated = false
    /// Where its quotation marks began: text from there on has no operators.
    var quote: String.Index?

    /// What stands before its quotation marks.
    var head: Substring { quote.map { text[..<$0] } ?? text[...] }

    /// Whether it stands between alternatives.
    var isOr: Bool { text.lowercased() == "or" && !isNegated && quote == nil }

    /// The same without a minus sign.
    var positive: Token { Token(text: text, quote: quote) }
  }

  /// The parts of a query; white space around the sign of a comparison does not part them.
  private static func tokens(of text: String) -> [(token: Token, range: Range<String.Index>)] {
    var parts: [(token: Token, range: Range<String.Index>)] = []
    for (token, range) in words(of: text) {
      guard let (last, start) = parts.last.map({ ($0.token, $0.range.lowerBound) }),
        last.quote == nil, FieldTest.isCompared(last.text, with: token.head)
      else {
        parts.append((token, range))
        continue
      }
      // A minus sign here is one of the value: `created > -1w`.
      var joined = last
      joined.text += (token.isNegated ? "-" : "") + token.head
      joined.quote = token.quote.map { _ in joined.text.endIndex }
      joined.text += token.text.dropFirst(token.head.count)
      parts[parts.count - 1] = (joined, start..<range.upperBound)
    }
    return parts
  }

  /// The words between white space, that in quotation marks left as it is.
  private static func words(of text: String) -> [(token: Token, range: Range<String.Index>)] {
    var tokens: [(Token, Range<String.Index>)] = []
    var rest = text.drop(while: \.isWhitespace)
    while let first = rest.first {
      var token = Token(text: "")
      let start = rest.startIndex
      if first == "-", let next = rest.dropFirst().first,
        next.isLetter || next.isNumber || "\"#".contains(next)
      {
        token.isNegated = true
        rest = rest.dropFirst()
      }
      while let character = rest.first, !character.isWhitespace {
        rest = rest.dropFirst()
        if character == "\"", let quoted = quoted(rest) {
          if token.quote == nil { token.quote = token.text.endIndex }
          token.text += quoted.text
          rest = rest[quoted.end...]
        } else {
          token.text.append(character)
        }
      }
      if !token.text.isEmpty { tokens.append((token, start..<rest.startIndex)) }
      rest = rest.drop(while: \.isWhitespace)
    }
    return tokens
  }

  /// What stands before the next quotation mark that has no backslash before it, and where the text
  /// goes on after that; nil where there is none.
  private static func quoted(_ text: Substring) -> (text: String, end: String.Index)? {
    var quoted = ""
    var rest = text
    while let character = rest.popFirst() {
      switch character {
      case "\"": return (quoted, rest.startIndex)
      case "\\" where rest.first == "\"" || rest.first == "\\":
        quoted.append(rest.removeFirst())
      default: quoted.append(character)
      }
    }
    // A backslash before the last one, as at the end of a path, is one.
    return text.firstIndex(of: "\"").map { (String(text[..<$0]), text.index(after: $0)) }
  }

  /// The text of a query that names a list or a tag by another name, all else as it was typed.
  ///
  /// - Parameters:
  ///   - field: Whether it is a list or a tag.
  ///   - isMeant: Whether a name that is asked for is its.
  ///   - name: What names it from now on.
  static func text(
    _ text: String, naming field: NamedField, _ name: String, in time: LocalTime,
    where isMeant: (String) -> Bool
  ) -> String {
    var result = text
    for (token, range) in tokens(of: text).reversed() {
      // What cannot be read names nothing.
      guard let part = try? read(token.positive, in: time), let old = part.name(of: field),
        isMeant(old)
      else { continue }
      let isPlain = name.allSatisfy { $0.isLetter || $0.isNumber || "#-_".contains($0) }
      let escaped = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      let value = isPlain ? name : "\"\(escaped)\""
      var named = "\(field.rawValue):\(value)"
      if case .hashtag = part, isHashtag(value) { named = "#\(value)" }
      result.replaceSubrange(range, with: (token.isNegated ? "-" : "") + named)
    }
    return result
  }

  /// What a query asks for by a name that people give.
  enum NamedField: String {
    case list, tag
  }

  /// The list or the tag that it asks for.
  private func name(of field: NamedField) -> String? {
    switch self {
    case .hashtag(let name): field == .tag ? name : nil
    case .field(let test): test.name(of: field)
    case .word, .not, .all, .any: nil
    }
  }

  private static func read(_ token: Token, in time: LocalTime) throws -> Filter {
    let head = token.head
    let test = try FieldTest(String(head), value: token.text.dropFirst(head.count), in: time)
    let part: Filter =
      if let test {
        .field(test)
      } else if token.quote == nil, token.text.hasPrefix("#"), isHashtag(token.text.dropFirst()) {
        .hashtag(String(token.text.dropFirst()))
      } else {
        .word(token.text)
      }
    return token.isNegated ? .not(part) : part
  }

  /// Whether it is the name of a tag after a `#`: `#12` is the number of something, and `#` a sign.
  private static func isHashtag(_ name: some StringProtocol) -> Bool {
    !name.isEmpty && !name.allSatisfy(\.isNumber) && !name.contains("#") && !name.contains("\"")
  }
}
