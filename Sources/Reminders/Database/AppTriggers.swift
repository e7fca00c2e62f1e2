import GRDB
import SQLiteSync

/// The app's stored triggers that write synchronized columns.
///
/// They are pure SQL, so they hold for every program that writes the file, and silent while the
/// sync engine writes, so that devices do not answer each other's changes.
enum AppTriggers {
  static func create(_ db: Database) throws {
    for table in [RemindersList.databaseTableName, Reminder.databaseTableName] {
      try db.execute(
        sql: """
          CREATE TRIGGER \(table)AtTheEnd AFTER INSERT ON \(table)
          WHEN NEW.position IS NULL AND NOT \(SyncEngine.isSynchronizingChanges)
          BEGIN
            UPDATE \(table) SET position = 1 + coalesce((SELECT max(position) FROM \(table)), 0)
            WHERE id = NEW.id;
          END;
          """)
    }
  }
}
