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
  public func fetch(_ db: Database) throws -> ReminderRow? { try fetch(db, notes: nil) }

  /// - Parameter notes: How much of the notes is wanted: see `RowRequest`.
  func fetch(_ db: Database, notes: Int?) throws -> ReminderRow? {
    try RowRequest(condition: Condition("id = ?", [id]), order: .manual, notes: notes).all(db)
      .first
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
    let edits = try FieldEdit.all(of: id, db, notes: "substr(notes, 1, \(Self.notes))")
    return try ReminderQuery(id).fetch(db, notes: Self.notes).map {
      ReminderDetail(details: $0, edits: edits)
    }
  }

  /// More than any screen shows: notes of megabytes are not to be read anew with every change.
  private static let notes = 1 << 16
}

/// Everything about one reminder, and who made it so.
public struct ReminderDetail: Hashable, Sendable {
  /// The reminder, with as much of its notes as a screen shows.
  public var details: ReminderRow
  /// The latest edit of each column, the newest first; none where nothing is synchronized.
  public var edits: [FieldEdit]
}
