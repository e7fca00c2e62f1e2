import GRDB

/// What found the rows that somebody looks at.
public enum RowSource: Hashable, Sendable {
  /// A list, a smart list or a tag.
  case list(ReminderListQuery)
  /// Words.
  case search(SearchQuery)

  /// The same wherever in the rows somebody looks.
  public var whole: RowSource {
    switch self {
    case .list(var query):
      query.window = nil
      return .list(query)
    case .search(var query):
      query.window = RowWindow(count: 0)
      return .search(query)
    }
  }

  /// Which reminders are shown, in the window and outside, and in which order.
  func shown(_ db: Database) throws -> (condition: Condition, order: RowOrder) {
    switch self {
    case .list(let query): (try query.shown(db), try query.order(db))
    case .search(let query): try query.shown(db)
    }
  }
}
