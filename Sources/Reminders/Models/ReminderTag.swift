import GRDB

/// One tag on one reminder.
public struct ReminderTag: Identifiable, Hashable, Sendable {
  /// A lower-case UUID.
  public typealias ID = String

  /// The primary key.
  ///
  /// Two devices that add one tag make two rows; queries show the tag once.
  public var id: ID
  /// The reminder that carries the tag.
  public var reminderID: Reminder.ID
  /// The tag.
  public var tagTitle: Tag.ID

  /// A join as it stands in its row.
  public init(id: ID, reminderID: Reminder.ID, tagTitle: Tag.ID) {
    self.id = id
    self.reminderID = reminderID
    self.tagTitle = tagTitle
  }
}

extension ReminderTag: TableRecord, FetchableRecord {
  /// The table.
  public static var databaseTableName: String { "reminderTags" }

  /// Reads a row of the table.
  public init(row: Row) {
    self.init(id: row["id"], reminderID: row["reminderID"], tagTitle: row["tagTitle"])
  }
}
