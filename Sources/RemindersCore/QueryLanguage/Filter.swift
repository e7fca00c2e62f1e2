import Foundation

/// Which reminders somebody wants, as typed: `milk or bread -list:Work due<+7d tag:town overdue`.
///
/// Words are looked for in `ReminderField.searchedWords`. Parts beside each other must all be true;
/// `or` separates what suffices; `-` before a part is its opposite; brackets make one part of
/// several: `list:Work (overdue or flagged)`. What is in quotation marks is text, with its white
/// space; there `\"` stands for a quotation mark, and `\\` for a backslash.
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
    var parts = text.utf8.count > Self.maximumBytes ? [] : QueryToken.tokens(of: text)[...]
    guard text.utf8.count <= Self.maximumBytes, parts.count <= Self.maximumParts,
      QueryToken.depth(of: parts) <= Self.maximumDepth
    else {
      throw AppError(
        .invalidInput, "The search is too long.",
        hint: "It may have \(Self.maximumParts) parts, \(Self.maximumBytes) bytes, and "
          + "\(Self.maximumDepth) brackets in each other.")
    }
    self = try Self.read(&parts, in: time)
  }

  /// Reads up to the bracket that closes, or to the end.
  private static func read(
    _ tokens: inout ArraySlice<QueryToken>, in time: LocalTime
  ) throws -> Filter {
    var alternatives: [[Filter]] = [[]]
    var or: QueryToken?
    while let token = tokens.popFirst(), token.kind != .closing {
      switch token.kind {
      case .or:
        or = or ?? token
        alternatives.append([])
      case .opening:
        let group = try read(&tokens, in: time)
        alternatives[alternatives.count - 1].append(token.isNegated ? group.negated : group)
      case .part, .closing:
        alternatives[alternatives.count - 1].append(try read(token, in: time))
      }
    }
    // An `or` with nothing beside it is a word at the edge of what is being typed, and alone it is
    // what is looked for.
    alternatives = alternatives.filter { !$0.isEmpty }
    if alternatives.isEmpty, let or { alternatives = [[.word(or.text)]] }
    let parts = alternatives.map { $0.count == 1 ? $0[0] : joined($0) }
    return parts.count == 1 ? parts[0] : parts.isEmpty ? .all([]) : .any(parts)
  }

  /// The opposite: of words and fields alone, so that SQL has few brackets in each other.
  private var negated: Filter {
    switch self {
    case .word, .hashtag, .field: .not(self)
    case .not(let part): part
    case .all(let parts): .any(parts.map(\.negated))
    case .any(let parts): Self.joined(parts.map(\.negated))
    }
  }

  /// All of them, those of brackets that change nothing among the others.
  private static func joined(_ parts: [Filter]) -> Filter {
    .all(parts.flatMap { if case .all(let inner) = $0 { inner } else { [$0] } })
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

  /// The words and the tags, with their `#`, that what is found can have.
  var mentions: [String] {
    switch self {
    case .word(let word): [word]
    case .hashtag(let name): ["#" + name]
    case .all(let parts), .any(let parts): parts.flatMap(\.mentions)
    case .field, .not: []
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

  /// SQLite's parser has a hundred places for what is not finished; each level takes several.
  private static let maximumDepth = 8

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
    for token in QueryToken.tokens(of: text).reversed() where token.kind == .part {
      // What cannot be read names nothing.
      guard let part = try? read(token.positive, in: time), let old = part.name(of: field),
        isMeant(old)
      else { continue }
      let isPlain = name.allSatisfy { $0.isLetter || $0.isNumber || "#-_".contains($0) }
      let escaped = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      let value = isPlain ? name : "\"\(escaped)\""
      var named = "\(field.rawValue):\(value)"
      if case .hashtag = part, isHashtag(value) { named = "#\(value)" }
      result.replaceSubrange(token.range, with: (token.isNegated ? "-" : "") + named)
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

  private static func read(_ token: QueryToken, in time: LocalTime) throws -> Filter {
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
    return token.isNegated ? part.negated : part
  }

  /// Whether it is the name of a tag after a `#`: `#12` is the number of something, and `#` a sign.
  private static func isHashtag(_ name: some StringProtocol) -> Bool {
    !name.isEmpty && !name.allSatisfy(\.isNumber) && !name.contains("#") && !name.contains("\"")
  }
}
