import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Synchronization

@testable import SQLiteSync

/// Two versions of one app, with triggers of its own: a search index, and an account of what the
/// engine takes away.
enum SimulatedSchema {
  enum Version: CaseIterable {
    case old
    case new
  }

  static func schema(_ version: Version) -> Schema {
    var schema = Schema.reminders
    schema.sql += index
    if version == .new {
      schema.sql += upgrade
      schema.tables = tables(.new)
    }
    return schema
  }

  static func tables(_ version: Version) -> [String] {
    Schema.reminders.tables + (version == .new ? ["links"] : [])
  }

  /// A database with the tables, the engine's installation and the audit, but nobody's yet.
  ///
  /// Made once, because installing an engine takes longer than a simulated day.
  static func image(_ version: Version) throws -> DatabaseQueue {
    try images.withLock { images in
      if let image = images[version] { return image }
      let device = try Fleet(schema: schema(version)).device()
      try device.database.write { db in
        try audit(device.synchronizer.tables.tables, in: db)
        try db.execute(sql: "DELETE FROM sync_state; DELETE FROM sync_zones")
      }
      images[version] = device.database
      return device.database
    }
  }

  private static let images = Mutex<[Version: DatabaseQueue]>([:])

  /// What the new version's migration does.
  static let upgrade = """
    ALTER TABLE reminders ADD COLUMN isFlagged INTEGER NOT NULL ON CONFLICT REPLACE DEFAULT 0;
    ALTER TABLE reminders ADD COLUMN url TEXT;
    ALTER TABLE lists ADD COLUMN icon BLOB;
    CREATE TABLE links (
      id TEXT PRIMARY KEY NOT NULL,
      title TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
      reminderID TEXT REFERENCES reminders (id) ON DELETE CASCADE
    ) STRICT;
    """

  /// The columns that only the new version has, of tables that both have.
  static let newColumns: Set = ["isFlagged", "url", "icon"]

  /// REPLACE fires no delete trigger, so an insert removes what was there before.
  private static let index = """
    CREATE VIRTUAL TABLE search USING fts5 (id UNINDEXED, title, notes);
    CREATE TRIGGER search_insert AFTER INSERT ON reminders BEGIN
      DELETE FROM search WHERE id = NEW.id;
      INSERT INTO search VALUES (NEW.id, NEW.title, NEW.notes);
    END;
    CREATE TRIGGER search_update AFTER UPDATE OF id, title, notes ON reminders BEGIN
      DELETE FROM search WHERE id = OLD.id;
      INSERT INTO search VALUES (NEW.id, NEW.title, NEW.notes);
    END;
    CREATE TRIGGER search_delete AFTER DELETE ON reminders BEGIN
      DELETE FROM search WHERE id = OLD.id;
    END;
    CREATE TABLE losses (tableName TEXT, key TEXT, field TEXT, value);
    CREATE TABLE gaps (tableName TEXT, key TEXT, field TEXT);
    """

  /// Has the app note every value and row that the engine overwrites or deletes.
  ///
  /// A NULL that the engine put there itself, in place of bytes that are not here yet, is nobody's
  /// value.
  static func audit(_ tables: [TableSchema], in db: Database) throws {
    for table in tables {
      let name = table.name.quotedIdentifier
      let key = "\(table.name.quotedLiteral), \(table.keyExpression(of: "OLD"))"
      let newKey = "\(table.name.quotedLiteral), \(table.keyExpression(of: "NEW"))"
      let engineWrites = "WHEN \(SyncEngine.isSynchronizingChanges)"
      try db.execute(
        sql: """
          DROP TRIGGER IF EXISTS audit_update_\(table.name);
          DROP TRIGGER IF EXISTS audit_delete_\(table.name);
          DROP TRIGGER IF EXISTS audit_insert_\(table.name);
          CREATE TRIGGER audit_insert_\(table.name) AFTER INSERT ON \(name)
          BEGIN
            DELETE FROM gaps WHERE (tableName, key) = (\(newKey));
            INSERT INTO gaps SELECT \(newKey), field FROM (\(values(of: ["NEW"], in: table)))
            WHERE new IS NULL AND \(SyncEngine.isSynchronizingChanges);
          END;
          CREATE TRIGGER audit_update_\(table.name) AFTER UPDATE ON \(name) \(engineWrites)
          BEGIN
            INSERT INTO losses SELECT \(key), field, old
            FROM (\(values(of: ["OLD", "NEW"], in: table))) AS changes
            WHERE old IS NOT new COLLATE BINARY AND NOT (
              old IS NULL AND (\(key), field) IN (SELECT * FROM gaps)
              AND \(isFieldMissing(key: table.keyExpression(of: "OLD"), of: table)));
          END;
          CREATE TRIGGER audit_delete_\(table.name) AFTER DELETE ON \(name) \(engineWrites)
          BEGIN INSERT INTO losses SELECT \(key), NULL, NULL; END;
          """)
    }
  }

  /// A row for each field of a row: one statement for all is compiled quicker than one for each.
  private static func values(of rows: [String], in table: TableSchema) -> String {
    table.columns.map { column in
      let values = rows.map { "\($0).\(column.name.quotedIdentifier) AS \($0.lowercased())" }
      return "SELECT \(column.name.quotedLiteral) AS field, \(values.joined(separator: ", "))"
    }.joined(separator: " UNION ALL ")
  }

  private static func isFieldMissing(key: String, of table: TableSchema) -> String {
    """
    EXISTS (
      SELECT 1 FROM sync_assets a JOIN sync_records r ON r.id = a.recordID
      WHERE r.tableID = \(table.id) AND r.primaryKey = \(key)
        AND a.field = changes.field AND a.isMissing)
    """
  }

  /// What the engine took away without an entry in the history.
  static let lostWithoutTrace = """
    SELECT l.tableName, l.key, l.field, l.value FROM losses l WHERE NOT EXISTS (
      SELECT 1 FROM sync_history h JOIN sync_tables t ON t.id = h.tableID
      WHERE t.name = l.tableName AND h.primaryKey = l.key AND h.field IS l.field
        AND (l.field IS NULL OR h.value IS l.value))
    """

  /// Rows that the index has and the table has not, and the other way round.
  static let indexErrors = """
    SELECT * FROM (SELECT id, title, notes FROM reminders EXCEPT SELECT * FROM search)
    UNION ALL
    SELECT * FROM (SELECT * FROM search EXCEPT SELECT id, title, notes FROM reminders)
    """
}
