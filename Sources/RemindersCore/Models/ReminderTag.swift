import GRDB

/// The tags on reminders, a row for each.
///
/// Two devices that add one tag make two rows; queries show the tag once.
public enum ReminderTag: TableRecord {
  /// The table.
  public static var databaseTableName: String { "reminderTags" }
}
