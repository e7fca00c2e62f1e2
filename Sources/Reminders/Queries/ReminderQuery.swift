import GRDB

/// Finds everything about one reminder, for the detail pane below the list and for the form.
public struct ReminderQuery: Query {
  /// Which reminder.
  public var id: Reminder.ID

  /// The query for a reminder, whether or not it exists.
  public init(_ id: Reminder.ID) {
    self.id = id
  }

  /// Finds it, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> ReminderRow? {
    try RowRequest(condition: Condition("id = ?", [id]), order: .manual).all(db).first
  }
}

/// Finds everything about one reminder, and who made it so, for the detail pane beside its list.
public struct DetailPaneQuery: Query {
  /// Which reminder.
  public var id: Reminder.ID

  /// The query for a reminder, whether or not it exists.
  public init(_ id: Reminder.ID) {
    self.id = id
  }

  /// Finds it, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> ReminderDetail? {
    let edits = try FieldEdit.all(of: id, db)
    return try ReminderQuery(id).fetch(db).map { ReminderDetail(details: $0, edits: edits) }
  }
}

/// Everything about one reminder, and who made it so.
public struct ReminderDetail: Hashable, Sendable {
  /// The reminder.
  public var details: ReminderRow
  /// The latest edit of each column, the newest first; none where nothing is synchronized.
  public var edits: [FieldEdit]
}

/// Finds the same reminders as another query, in its window and outside, each with everything about
/// it; not list by list.
public struct WholeRemindersQuery: Query {
  private let source: RowSource

  /// The reminders that a list or a search shows.
  public init(_ source: RowSource) {
    self.source = source
  }

  /// Finds it, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> [ReminderRow] {
    let shown = try source.shown(db)
    let rows = try RowRequest(condition: shown.condition, order: shown.order.withinList).all(db)
    if case .list(let query) = source, case .list = query.kind { return rows.underParents() }
    return rows
  }
}
