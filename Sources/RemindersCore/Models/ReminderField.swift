import Foundation
import GRDB

/// A field of a reminder that people fill in, and all that the app knows of it.
///
/// Reading and writing rows, files of other programs, the history, search, forms and details go
/// through this table. A new field is a member of `ReminderDraft`, a line here, a step of the
/// schema (with `SearchIndex.remake` where words are looked for in it), and an option of the
/// command line; the README and the tests of JSON name it, too. A new kind of value is a case of
/// each `switch` over kinds.
public struct ReminderField: Hashable, Sendable {
  /// Where values of a type are in a draft.
  public typealias Path<Value> = WritableKeyPath<ReminderDraft, Value> & Sendable

  /// What kind of value it has, and where that is: how it is typed, shown and stored goes by this.
  public enum Kind: Sendable {
    /// One line, always something.
    case title(Path<String>)
    /// Any number of lines.
    case notes(Path<String>)
    /// One line, such as a link, or nothing.
    case line(Path<String?>)
    case due(Path<DueDate?>)
    case recurrence(Path<Recurrence?>)
    case priority(Path<Reminder.Priority?>)
    case flag(Path<Bool>)
    case list(Path<RemindersList.ID?>)
    /// Where it belongs; no form has it.
    case parent(Path<Reminder.ID?>)
    /// Rows of their own, not a column.
    case tags(Path<[Tag.ID]>)
    /// Rows of their own, not a column.
    case alarms(Path<[Alarm]>)
  }

  /// The column.
  public let column: String
  /// What kind of value.
  public let kind: Kind
  /// What people call it: `link`.
  public let word: String
  /// What the command line calls it.
  public let option: String
  /// What can be typed, for instance.
  public let example: String
  /// The first version of the schema that has it.
  public let since: SchemaVersion
  /// Whether words are looked for in it.
  let isSearched: Bool
  /// Whether its line has to be a link.
  let isLink: Bool
  /// What iCalendar calls it, where it is its line and nothing else there.
  let iCalendar: String?
  let path: PartialKeyPath<ReminderDraft> & Sendable
  private let assign: @Sendable (ReminderDraft, inout ReminderDraft) -> Void
  private let equals: @Sendable (ReminderDraft, ReminderDraft) -> Bool

  private init<Value: Equatable & Sendable>(
    _ column: String, _ path: Path<Value>, _ kind: (Path<Value>) -> Kind, word: String? = nil,
    option: String? = nil, example: String = "", since: SchemaVersion = .lists,
    isSearched: Bool = false, isLink: Bool = false, iCalendar: String? = nil
  ) {
    self.column = column
    self.kind = kind(path)
    self.word = word ?? column
    self.option = option ?? self.word
    self.example = example
    self.since = since
    self.isSearched = isSearched
    self.isLink = isLink
    self.iCalendar = iCalendar
    self.path = path
    assign = { $1[keyPath: path] = $0[keyPath: path] }
    equals = { $0[keyPath: path] == $1[keyPath: path] }
  }

  /// What is to be done.
  public static let title = Self(
    "title", \.title, Kind.title, example: "what is to be done", isSearched: true)
  /// More about it.
  public static let notes = Self(
    "notes", \.notes, Kind.notes, example: "any number of lines", isSearched: true)
  /// The list it is in.
  public static let list = Self("remindersListID", \.listID, Kind.list, word: "list")
  /// When it is due.
  public static let due = Self(
    "dueDate", \.due, Kind.due, word: "due", example: "fri 9am, +3d, next week, 25 dec")
  /// When it is announced.
  public static let alarms = Self(
    "alarms", \.alarms, Kind.alarms, word: "alarm",
    example: "10m before, the day before 20:00, 8am", since: .everyDay)
  /// How it comes again.
  public static let recurrence = Self(
    "recurrence", \.recurrence, Kind.recurrence, word: "repeat",
    example: "every mon and thu, monthly on the last fri, every! 3 days", since: .everyDay)
  /// How much it matters.
  public static let priority = Self("priority", \.priority, Kind.priority)
  /// Flagged by hand.
  public static let flag = Self("isFlagged", \.isFlagged, Kind.flag, word: "flag")
  /// Its tags.
  public static let tags = Self("tags", \.tags, Kind.tags, example: "#errand #home")
  /// A link that belongs to it.
  public static let url = Self(
    "url", \.url, Kind.line, word: "link", option: "url", example: "https://example.org",
    since: .linksAndCovers, isLink: true, iCalendar: "URL")

  /// The reminder that it is a part of.
  public static let parent = Self(
    "parentID", \.parentID, Kind.parent, word: "parent", since: .everyDay)

  /// All of them, in the order of the form.
  public static let all = [
    title, notes, list, due, alarms, recurrence, priority, flag, tags, url, parent,
  ]

  /// The field with a column; nil for a column that people do not fill in.
  static func named(_ column: String) -> ReminderField? { all.first { $0.column == column } }

  /// Fields are told apart by their columns.
  public static func == (one: ReminderField, other: ReminderField) -> Bool {
    one.column == other.column
  }

  /// Fields are told apart by their columns.
  public func hash(into hasher: inout Hasher) { hasher.combine(column) }
}

extension ReminderField {
  /// What other programs call it, in JSON and CSV.
  var key: String { self == .list ? "list" : column }

  /// What people call it in several reminders: `links`.
  var plural: String { word.hasSuffix("s") ? word : word + "s" }

  /// Where words are looked for: `titles, notes and tags`.
  public static let searchedWords =
    all.filter(\.isSearched).map(\.plural).joined(separator: ", ") + " and tags"
}

extension ReminderField.Kind {
  /// Reads it from its place in a row into a draft that is new.
  func read(_ row: Row, at index: Int, into draft: inout ReminderDraft) throws {
    // As most fields of most reminders, and as it is in the draft.
    guard !row.hasNull(atIndex: index) else { return }
    switch self {
    case .title(let path), .notes(let path): draft[keyPath: path] = try row.read(index)
    case .line(let path), .list(let path), .parent(let path):
      draft[keyPath: path] = try row.read(index)
    case .due(let path): draft[keyPath: path] = try DueDate(stored: row.read(index))
    case .recurrence(let path): draft[keyPath: path] = try Recurrence(stored: row.read(index))
    case .priority(let path):
      draft[keyPath: path] = try Reminder.Priority(stored: row.read(index))
    case .flag(let path): draft[keyPath: path] = try row.read(index)
    case .tags, .alarms: break
    }
  }
}

extension ReminderField {
  /// Makes the field of a draft that of another.
  public func copy(from one: ReminderDraft, to other: inout ReminderDraft) { assign(one, &other) }

  /// Whether two drafts say the same in the field.
  public func isEqual(_ one: ReminderDraft, _ other: ReminderDraft) -> Bool { equals(one, other) }

  /// What the column holds; nil for tags and alarms, which have none.
  func stored(in draft: ReminderDraft) -> DatabaseValue? {
    switch kind {
    case .title(let path), .notes(let path): draft[keyPath: path].databaseValue
    case .line(let path), .list(let path), .parent(let path): draft[keyPath: path].databaseValue
    case .due(let path): (draft[keyPath: path]?.stored).databaseValue
    case .recurrence(let path): (draft[keyPath: path]?.stored).databaseValue
    case .priority(let path): (draft[keyPath: path]?.rawValue).databaseValue
    case .flag(let path): draft[keyPath: path].databaseValue
    case .tags, .alarms: nil
    }
  }

  /// Makes of what was typed what a row may hold.
  ///
  /// - Throws: `AppError` when the title or a tag is empty, a text is too long to be sent, what is
  ///   to be a link is none, or a date is beyond the calendar.
  func clean(_ draft: inout ReminderDraft) throws {
    switch kind {
    case .title(let path):
      draft[keyPath: path] = try validTitle(draft[keyPath: path], of: "reminder")
    case .line(let path):
      if !isLink { draft[keyPath: path] = draft[keyPath: path]?.oneLine }
      if draft[keyPath: path]?.isEmpty == true { draft[keyPath: path] = nil }
      try draft[keyPath: path]?.requireLineThatFits(word)
      if isLink, let link = draft[keyPath: path] { try Link.validate(link) }
    case .tags(let path): draft[keyPath: path] = try draft[keyPath: path].map(Tag.title(from:))
    case .alarms(let path): draft[keyPath: path] = draft[keyPath: path].inOrder
    case .due(let path):
      // A text of five digits for the year would be before all others.
      guard let due = draft[keyPath: path], !due.isStorable else { break }
      throw DueDate.isBeyondTheCalendar(due.stored)
    case .notes(let path): try draft[keyPath: path].requireNotesThatFit()
    case .list, .parent, .recurrence, .priority, .flag: break
    }
  }

  /// SQL: whether a row says something in it; nil where every row does, and of the parent.
  var presenceSQL: String? {
    switch kind {
    case .title, .list, .parent: nil
    case .notes: "\(column) <> ''"
    case .line: "coalesce(\(column), '') <> ''"
    case .due: "(\(column) IS NULL) = 0"
    case .recurrence, .priority: "\(column) NOTNULL"
    case .flag: "\(column) = 1"
    case .tags: "id IN (SELECT reminderID FROM reminderTags)"
    case .alarms: "id IN (SELECT reminderID FROM reminderAlarms)"
    }
  }

  /// A stored value in words; nil for one that the field does not have.
  ///
  /// - Parameter lists: The titles of lists, by id.
  func words(
    _ value: StoredValue, in time: LocalTime, lists: [RemindersList.ID: String]
  ) -> String? {
    switch (kind, value) {
    case (.due, .text(let text)): DueDate(stored: text)?.dateText(in: time)
    case (.recurrence, .text(let text)): Recurrence(stored: text)?.text(in: time)
    case (.flag, .integer(let flag)): flag == 0 ? "not flagged" : "flagged"
    case (.priority, .integer(let number)):
      Reminder.Priority(stored: Int(clamping: number))?.name ?? "none"
    case (.list, .text(let id)): lists[id] ?? "a list that is gone"
    case (.parent, .text): "another reminder"
    default: nil
    }
  }
}

extension ReminderDraft {
  /// What stands in the fields of one line, such as the link.
  public var lines: [String] { lines { _, text in text } }

  /// The same as a row shows it, of a link the host.
  public var lineLabels: [String] { lines { $0.isLink ? Link.label(of: $1) : $1 } }

  private func lines(_ shown: (ReminderField, String) -> String) -> [String] {
    ReminderField.all.compactMap { field in
      guard case .line(let path) = field.kind, let text = self[keyPath: path], !text.isEmpty else {
        return nil
      }
      return shown(field, text)
    }
  }
}
