import GRDB

/// Finds reminders whose title, notes or tags contain all the words of a text.
///
/// Every character of the text is just text; case and accents make no difference. A word that
/// begins with `#` is looked for among the tags only.
public struct SearchQuery: Query {
  /// What the person typed.
  public var text: String
  /// Whether completed ones are shown.
  public var showsCompleted: Bool
  /// At most so many rows.
  public var limit: Int

  /// A search.
  public init(_ text: String, showsCompleted: Bool = false, limit: Int = 200) {
    self.text = text
    self.showsCompleted = showsCompleted
    self.limit = limit
  }

  public func fetch(_ db: Database) throws -> SearchResult {
    SearchResult()
  }
}

/// What a search found.
public struct SearchResult: Equatable, Sendable {
  /// A reminder and where the words were found in it.
  public struct Hit: Identifiable, Equatable, Sendable {
    /// The reminder.
    public var row: DetailRow
    /// Its title.
    public var title: MarkedText
    /// The stretch of its notes around the first match, in one line; nil when nothing matched there.
    public var notes: MarkedText?
    /// Its tags, each with its marks.
    public var tags: [MarkedText]
    /// The reminder's id.
    public var id: Reminder.ID { row.id }
  }

  /// The reminders by due date, those that are not completed first.
  public var hits: [Hit] = []
  /// How many that are not completed match.
  public var openCount = 0
  /// How many completed ones match, shown or not.
  public var completedCount = 0

  /// A result with nothing found.
  public init() {}
}
