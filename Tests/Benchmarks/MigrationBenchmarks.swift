import Foundation
import GRDB
import SQLiteSync

/// What it costs to bring a database of before synchronization to keys that can be synchronized.
struct MigrationBenchmarks {
  let rounds: Int
  private let count = 100_000
  private let tables = ["lists", "reminders", "tags", "reminderTags"]

  func run(into report: inout Report) throws {
    var (whole, quarter, copies): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<rounds {
      quarter.append(try migrate(count / 4))
      let database = try database(of: count)
      copies.append(try Stopwatch.processor { try database.vacuum() })
      whole.append(try migrate(database))
    }
    let (seconds, vacuum) = (Measurement(rounds: whole), Measurement(rounds: copies))
    report.add(
      "keys: integers to UUIDs in 100,000 rows and as many of a join table (processor time)",
      seconds, as: "\(seconds.text), \(seconds.ratio(to: vacuum).text)",
      against: "SQLite's VACUUM of the same file \(vacuum.text)")
    report.add(
      "keys: the same over a quarter of the rows",
      seconds.ratio(to: Measurement(rounds: quarter)), against: "4 × is linear")
  }

  private func migrate(_ count: Int) throws -> Double {
    try migrate(database(of: count))
  }

  private func migrate(_ database: DatabaseQueue) throws -> Double {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("keys") { db in
      try SyncEngine.migratePrimaryKeys(
        db, tableNames: tables, dropUniqueConstraints: true, replaceNulls: true)
    }
    return try Stopwatch.processor { try migrator.migrate(database) }
  }

  /// Integer keys, a join table without one, indexes, a full-text index and its triggers.
  private func database(of count: Int) throws -> DatabaseQueue {
    let place = try Place()
    var configuration = Configuration()
    // The database holds its directory until it is closed.
    configuration.prepareDatabase { _ in _ = place }
    let database = try DatabaseQueue(
      path: place.url.appending(path: "legacy.sqlite").path, configuration: configuration)
    try database.write { db in
      try db.execute(sql: Self.schema)
      try db.execute(sql: Self.rows, arguments: ["count": count])
    }
    return database
  }

  private static let schema = """
    CREATE TABLE lists (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL);
    CREATE TABLE reminders (
      id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, notes TEXT NOT NULL DEFAULT '',
      position INTEGER NOT NULL DEFAULT 0,
      listID INTEGER NOT NULL REFERENCES lists (id) ON DELETE CASCADE
    ) STRICT;
    CREATE TABLE tags (id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE);
    CREATE TABLE reminderTags (
      reminderID INTEGER NOT NULL REFERENCES reminders (id) ON DELETE CASCADE,
      tagID INTEGER NOT NULL REFERENCES tags (id) ON DELETE CASCADE
    );
    CREATE INDEX remindersOfList ON reminders (listID, position);
    CREATE INDEX tagsOfReminder ON reminderTags (reminderID);
    CREATE VIRTUAL TABLE texts
      USING fts5 (title, notes, content='reminders', content_rowid='rowid');
    CREATE TRIGGER textAdded AFTER INSERT ON reminders BEGIN
      INSERT INTO texts (rowid, title, notes) VALUES (NEW.rowid, NEW.title, NEW.notes);
    END;
    CREATE TRIGGER textTaken AFTER DELETE ON reminders BEGIN
      INSERT INTO texts (texts, rowid, title, notes)
      VALUES ('delete', OLD.rowid, OLD.title, OLD.notes);
    END;
    INSERT INTO lists (title) VALUES ('Personal'), ('Family'), ('Business');
    INSERT INTO tags (title) VALUES ('car'), ('health'), ('shop');
    """

  private static let rows = """
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
    INSERT INTO reminders (title, notes, position, listID)
    SELECT 'Buy ' || i || ' litres of milk', 'From the shop at the corner.', i, 1 + i % 3 FROM n;
    INSERT INTO reminderTags SELECT id, 1 + id % 3 FROM reminders;
    """
}
