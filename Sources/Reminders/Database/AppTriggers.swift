import GRDB

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
          WHEN NEW.position IS NULL AND NOT \(isSynchronizing)
          BEGIN
            UPDATE \(table) SET position = 1 + coalesce((SELECT max(position) FROM \(table)), 0)
            WHERE id = NEW.id;
          END;
          """)
    }
  }

  /// True while the sync engine writes.
  static let isSynchronizing = "(SELECT isApplying FROM sync_state)"

  /// The engine's table that says so, for a database that no engine has been started on.
  static func createEngineFlag(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS sync_state (isApplying INTEGER NOT NULL DEFAULT 0);
        INSERT INTO sync_state (isApplying) SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM sync_state);
        """)
  }
}
