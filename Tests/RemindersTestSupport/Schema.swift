import GRDB
import Synchronization

/// Tables for tests, and which of them are synchronized.
public struct Schema: Hashable, Sendable {
  /// The CREATE statements.
  public var sql: String
  /// The synchronized tables.
  public var tables: [String]

  /// Those of them that are never shared.
  public var privateTables: [String]

  /// A schema of one's own.
  public init(sql: String, tables: [String], privateTables: [String] = []) {
    self.sql = sql
    self.tables = tables
    self.privateTables = privateTables
  }

  /// A database with these tables, without rows and with a clock, made once: copying it is quicker
  /// than making it.
  public func image() throws -> DatabaseQueue {
    try Self.images.withLock { images in
      if let image = images[sql] { return image }
      let image = try DatabaseQueue()
      try image.write { db in
        try db.execute(sql: sql)
        try db.execute(sql: "CREATE TABLE test_clock (now INTEGER NOT NULL)")
        try db.execute(sql: "INSERT INTO test_clock VALUES (0)")
      }
      images[sql] = image
      return image
    }
  }

  /// The same with the engine's installation, but nobody's yet: to install an engine takes longer
  /// than most tests.
  func installedImage() throws -> DatabaseQueue {
    try Self.installedImages.withLock { images in
      if let image = images[self] { return image }
      let image = try Fleet(schema: self).device(image: image()).database
      try image.write { try $0.execute(sql: "DELETE FROM sync_state; DELETE FROM sync_zones") }
      images[self] = image
      return image
    }
  }

  private static let images = Mutex<[String: DatabaseQueue]>([:])
  private static let installedImages = Mutex<[Schema: DatabaseQueue]>([:])

  /// Lists with reminders and covers, tags with a natural key, and a table of every foreign key
  /// action.
  public static let reminders = Schema(
    sql: """
      CREATE TABLE lists (
        id TEXT PRIMARY KEY NOT NULL,
        title TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
        color INTEGER NOT NULL ON CONFLICT REPLACE DEFAULT 255
      ) STRICT;
      CREATE TABLE covers (
        listID TEXT PRIMARY KEY NOT NULL REFERENCES lists (id) ON DELETE CASCADE,
        image BLOB
      ) STRICT;
      CREATE TABLE reminders (
        id TEXT PRIMARY KEY NOT NULL,
        title TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
        notes TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
        dueDate INTEGER,
        priority INTEGER,
        listID TEXT REFERENCES lists (id) ON DELETE CASCADE
      ) STRICT;
      CREATE TABLE tags (
        title TEXT COLLATE NOCASE PRIMARY KEY NOT NULL
      ) STRICT;
      CREATE TABLE reminderTags (
        id TEXT PRIMARY KEY NOT NULL,
        reminderID TEXT REFERENCES reminders (id) ON DELETE CASCADE,
        tagID TEXT COLLATE NOCASE
          REFERENCES tags (title) ON DELETE CASCADE ON UPDATE CASCADE
      ) STRICT;
      CREATE TABLE orphans (
        id TEXT PRIMARY KEY NOT NULL,
        title TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
        listID TEXT REFERENCES lists (id) ON DELETE SET NULL
      ) STRICT;
      CREATE TABLE fosters (
        id TEXT PRIMARY KEY NOT NULL,
        title TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
        listID TEXT DEFAULT 'inbox' REFERENCES lists (id) ON DELETE SET DEFAULT
      ) STRICT;
      CREATE TABLE nodes (
        id TEXT PRIMARY KEY NOT NULL,
        title TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
        parentID TEXT REFERENCES nodes (id) ON DELETE CASCADE
      ) STRICT;
      """,
    tables: [
      "reminderTags", "covers", "reminders", "lists", "tags", "orphans", "fosters", "nodes",
    ])
}
