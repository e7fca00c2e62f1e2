import Foundation

/// Which reminders somebody wants, as typed: `milk or bread -list:Work due<+7d tag:town overdue`.
///
/// Words are looked for in `ReminderField.searchedWords`. Parts beside each other must all be true;
/// `or` separates what suffices; `-` before a part is its opposite. What is in quotation marks is
/// text, with its white space; there `\"` stands for a quotation mark, and `\\` for a backslash.
public indirect enum Filter: Hashable, Sendable {
  /// Has this in its texts or tags.
  case word(String)
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
    case .word: false
    case .field, .not, .any: true
    case .all(let parts): parts.contains(where: \.hasFields)
    }
  }

  /// The words that must all be there.
  var words: [String] {
    switch self {
    case .word(let word): [word]
    case .all(let parts): parts.flatMap(\.words)
    case .field, .not, .any: []
    }
  }

  /// All parts that are not just words.
  var withoutWords: Filter {
    switch self {
    case .word: .all([])
    case .all(let parts): .all(parts.filter { if case .word = $0 { false } else { true } })
    case .field, .not, .any: self
    }
  }

  /// Whether it says itself if completed ones are wanted.
  public var isAboutCompletion: Bool {
    switch self {
    case .word: false
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
      guard case .field(let test) = try? read(token.positive, in: time),
        let old = test.name(of: field), isMeant(old)
      else { continue }
      let isPlain = name.allSatisfy { $0.isLetter || $0.isNumber || "#-_".contains($0) }
      let escaped = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      let value = isPlain ? name : "\"\(escaped)\""
      result.replaceSubrange(
        range, with: (token.isNegated ? "-" : "") + "\(field.rawValue):\(value)")
    }
    return result
  }

  /// What a query asks for by a name that people give.
  enum NamedField: String {
    case list, tag
  }

  private static func read(_ token: Token, in time: LocalTime) throws -> Filter {
    let head = token.head
    let test = try FieldTest(String(head), value: token.text.dropFirst(head.count), in: time)
    let part: Filter = test.map { .field($0) } ?? .word(token.text)
    return token.isNegated ? .not(part) : part
  }
}

/// A question about one field of a reminder: `due<+7d`, `list:Work`, `has:notes`, `overdue`.
public enum FieldTest: Hashable, Sendable {
  /// How a value is compared.
  public enum Comparison: String, CaseIterable, Sendable {
    case atMost = "<="
    case atLeast = ">="
    case less = "<"
    case greater = ">"
    case equal = "="
    case like = ":"
  }

  /// The times that are compared.
  public enum TimeColumn: String, CaseIterable, Sendable {
    case due, created, changed, completed
  }

  /// What a reminder can have.
  public enum Part: Hashable, Sendable {
    case field(ReminderField)
    case subtasks

    private static let all =
      ReminderField.all.filter { $0.presenceSQL != nil }.map(Part.field) + [.subtasks]
    /// What help calls them: `notes`, `link`.
    public static let names = all.map(\.spellings[0])

    /// How it can be typed, the usual word first.
    private var spellings: [String] {
      switch self {
      case .field(.alarms): [ReminderField.alarms.column, ReminderField.alarms.word]
      case .field(let field): [field.word, field.option]
      case .subtasks: ["subtasks"]
      }
    }

    init?(_ name: String) {
      guard let part = Self.all.first(where: { $0.spellings.contains(name) }) else { return nil }
      self = part
    }
  }

  case list(String)
  case tag(String)
  case time(TimeColumn, Comparison, DueDate)
  case priority(Comparison, Int)
  case has(Part)
  case lacks(Part)
  case overdue
  case flagged
  case completed
  case open
  case today

  /// The list or the tag that it asks for.
  fileprivate func name(of field: Filter.NamedField) -> String? {
    switch (self, field) {
    case (.list(let name), .list), (.tag(let name), .tag): name
    default: nil
    }
  }

  /// Whether it says if completed ones are wanted.
  var isAboutCompletion: Bool {
    switch self {
    case .completed, .open, .time(.completed, _, _): true
    default: false
    }
  }

  /// Reads a part; nil when it is just a word.
  ///
  /// - Parameters:
  ///   - head: Up to a quotation mark.
  ///   - value: What is in the quotation marks.
  init?(_ head: String, value: Substring, in time: LocalTime) throws {
    if value.isEmpty, let word = Self.words[head.lowercased()] {
      self = word
      return
    }
    guard let (name, comparison, rest) = Self.split(head) else { return nil }
    let value = rest + String(value)
    guard !value.isEmpty else { return nil }
    switch (name, comparison) {
    case ("list", .like), ("list", .equal): self = .list(value)
    case ("tag", .like), ("tag", .equal): self = .tag(value)
    case ("has", .like):
      guard let part = Part(value.lowercased()) else {
        throw Self.unknown(value, "can be had", Part.names)
      }
      self = .has(part)
    case ("is", .like):
      guard let word = Self.states[value.lowercased()] else {
        throw Self.unknown(value, "can be asked for with is:", Self.states.keys.sorted())
      }
      self = word
    case ("priority", _): self = .priority(comparison, try Self.priority(value))
    default:
      guard let column = TimeColumn(rawValue: name) else { return nil }
      guard let date = try DueDate.parse(value, in: time) else {
        self = try Self.without(column, comparison)
        return
      }
      self = .time(column, comparison, date)
    }
  }

  /// Whether a part that ends without a value, `due` or `due<`, goes on with a word.
  static func isCompared(_ part: String, with word: Substring) -> Bool {
    let name = part.prefix { !"<>=".contains($0) }
    guard TimeColumn(rawValue: name.lowercased()) != nil || name.lowercased() == "priority" else {
      return false
    }
    let sign = part[name.endIndex...]
    return sign.isEmpty ? word.first.map("<>=".contains) ?? false : sign.allSatisfy("<>=".contains)
  }

  /// Words that are tests by themselves; in quotation marks they are text.
  private static let words: [String: FieldTest] = ["overdue": .overdue, "flagged": .flagged]
  private static let states: [String: FieldTest] = [
    "overdue": .overdue, "flagged": .flagged, "completed": .completed, "done": .completed,
    "open": .open, "today": .today,
  ]

  /// `due:none`; every reminder was created and changed at some time.
  private static func without(
    _ column: TimeColumn, _ comparison: Comparison
  ) throws -> FieldTest {
    switch (column, comparison) {
    case (.due, .like), (.due, .equal): return .lacks(.field(.due))
    case (.completed, .like), (.completed, .equal): return .open
    default:
      throw AppError(
        .invalidInput, "“none” is no date that “\(column.rawValue)” can be compared with.",
        hint: "Use due:none or -has:due for what is not due, is:open for what is not completed.")
    }
  }

  private static func split(
    _ text: String
  ) -> (name: String, comparison: Comparison, value: String)? {
    guard let start = text.firstIndex(where: { "<>=:".contains($0) }) else { return nil }
    let rest = text[start...]
    guard let comparison = Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
      return nil
    }
    return (
      text[..<start].lowercased(), comparison, String(rest.dropFirst(comparison.rawValue.count))
    )
  }

  private static func unknown(_ value: String, _ verb: String, _ known: [String]) -> AppError {
    AppError(
      .invalidInput, "“\(value)” is nothing that \(verb).",
      hint: "Use \(known.joined(separator: ", ")); or quotation marks around what is text.")
  }

  private static func priority(_ value: String) throws -> Int {
    if value.lowercased() == "none" { return 0 }
    guard let priority = Reminder.Priority(name: value.lowercased()) else {
      throw AppError(
        .invalidInput, "“\(value)” is not a priority.", hint: "Use none, low, medium or high.")
    }
    return priority.rawValue
  }
}
