import Foundation
import GRDB
import SQLiteSyncHashing

/// The alarms of reminders, a row for each.
///
/// The id is made of the reminder and the alarm, so that two devices that add the same one make one
/// row.
public enum ReminderAlarm: TableRecord {
  /// The table.
  public static var databaseTableName: String { "reminderAlarms" }

  /// The id of an alarm of a reminder.
  static func id(of alarm: Alarm, _ reminder: Reminder.ID) -> String {
    UUID(name: "alarm \(reminder) \(alarm.stored)").lowercaseString
  }
}

/// What was announced and snoozed, for one person on all devices.
public enum ReminderNotice: TableRecord {
  /// The table.
  public static var databaseTableName: String { "reminderNotices" }
}

extension Migrations {
  /// Makes the tables of alarms, and of what was announced.
  static func addAlarms(_ db: Database) throws {
    let id = "TEXT PRIMARY KEY NOT NULL ON CONFLICT REPLACE DEFAULT (\(SQL.uuid))"
    let reminder = """
      TEXT NOT NULL ON CONFLICT REPLACE DEFAULT ''
        REFERENCES reminders (id) ON DELETE CASCADE ON UPDATE CASCADE
      """
    try db.execute(
      sql: """
        CREATE TABLE reminderAlarms (
          id \(id), reminderID \(reminder),
          alarm TEXT NOT NULL ON CONFLICT REPLACE DEFAULT ''
        ) STRICT;
        CREATE INDEX reminderAlarmsOfReminder ON reminderAlarms (reminderID, alarm);
        CREATE TABLE reminderNotices (
          id \(id), reminderID \(reminder), announcedAt INTEGER, snoozedUntil INTEGER
        ) STRICT;
        CREATE INDEX reminderNoticesOfReminder ON reminderNotices (reminderID);
        CREATE INDEX reminderNoticesSnoozed ON reminderNotices (reminderID)
          WHERE snoozedUntil NOTNULL;
        """)
    for table in [AppTable.reminderAlarms, .reminderNotices] {
      try AppTriggers.createKeyRule(db, on: table)
    }
  }
}
