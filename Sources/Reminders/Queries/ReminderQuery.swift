import GRDB

/// Finds everything about one reminder, for the strip below the list and for the form.
public struct ReminderQuery: Query {
  /// Which reminder.
  public var id: Reminder.ID

  /// The query for a reminder, whether or not it exists.
  public init(_ id: Reminder.ID) {
    self.id = id
  }

  /// Finds it, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> ReminderDetails? {
    try RowRequest(condition: Condition("id = ?", [id]), order: .manual).all(db).first
  }
}

/// Finds everything about one reminder, and who made it so, for the strip beside its list.
public struct StripQuery: Query {
  /// Which reminder.
  public var id: Reminder.ID

  /// The query for a reminder, whether or not it exists.
  public init(_ id: Reminder.ID) {
    self.id = id
  }

  /// Finds it, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> ReminderStrip? {
    let edits = try FieldEdit.all(of: id, db)
    return try ReminderQuery(id).fetch(db).map { ReminderStrip(details: $0, edits: edits) }
  }
}

/// Everything about one reminder, and who made it so.
public struct ReminderStrip: Hashable, Sendable {
  /// The reminder.
  public var details: ReminderDetails
  /// The latest edit of each column, the newest first; none where nothing is synchronized.
  public var edits: [FieldEdit]
}
