import Foundation

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
  func name(of field: Filter.NamedField) -> String? {
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
