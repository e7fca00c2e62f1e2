import GRDB

/// Finds everything about one reminder, for the strip below the list and for the form.
public struct ReminderQuery: Query {
  /// Which reminder.
  public var id: Reminder.ID

  /// The query for a reminder, whether or not it exists.
  public init(_ id: Reminder.ID) {
    self.id = id
  }

  public func fetch(_ db: Database) throws -> ReminderDetails? {
    let tags = try String.fetchAll(
      db,
      sql: "SELECT DISTINCT tagTitle FROM reminderTags WHERE reminderID = ? ORDER BY tagTitle",
      arguments: [id])
    let reminder = try Reminder.fetchOne(
      db, sql: "SELECT * FROM reminders WHERE id = ?", arguments: [id])
    let list = try RemindersList.fetchOne(
      db,
      sql: """
        SELECT * FROM remindersLists
        WHERE id = (SELECT remindersListID FROM reminders WHERE id = ?)
        """, arguments: [id])
    guard let reminder, let list else { return nil }
    return ReminderDetails(reminder: reminder, list: list, tags: tags)
  }
}

/// A reminder with its list and tags.
public struct ReminderDetails: Hashable, Sendable {
  /// The reminder.
  public var reminder: Reminder
  /// The list it is in.
  public var list: RemindersList
  /// Its tags by title.
  public var tags: [Tag.ID]

  /// A reminder with what belongs to it.
  public init(reminder: Reminder, list: RemindersList, tags: [Tag.ID]) {
    self.reminder = reminder
    self.list = list
    self.tags = tags
  }
}
