import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// Full-text indexes over tables whose keys become text.
struct SearchIndexMigrationTests {
  private static let reminders = """
    CREATE TABLE reminders (id INTEGER PRIMARY KEY, title TEXT NOT NULL DEFAULT '');
    CREATE TABLE tags (
      id INTEGER PRIMARY KEY, name TEXT,
      reminderID INTEGER REFERENCES reminders (id) ON DELETE CASCADE);
    INSERT INTO reminders VALUES (3, 'Milk'), (7, 'Eggs');

    """
  private static let tables = ["reminders", "tags"]

  @Test func indexWhoseContentGoesByTheKeyGoesByTheRowIDAfterwards() throws {
    let legacy = try LegacyDatabase(
      Self.reminders + """
        CREATE VIRTUAL TABLE words USING fts5(
          title, content='reminders', content_rowid='id', tokenize='trigram');
        CREATE TRIGGER indexed AFTER INSERT ON reminders BEGIN
          INSERT INTO words (rowid, title) VALUES (NEW.rowid, NEW.title);
        END;
        INSERT INTO words (words) VALUES ('rebuild');
        """)
    try legacy.migrate(Self.tables)
    try legacy.execute("INSERT INTO reminders (title) VALUES ('Mildew')")
    #expect(
      try legacy.rows(
        """
        SELECT reminders.title FROM words JOIN reminders ON reminders.rowid = words.rowid
        WHERE words MATCH 'mil' ORDER BY 1
        """) == ["Mildew", "Milk"])
    #expect(try legacy.rows("SELECT title FROM words('mil') ORDER BY 1") == ["Mildew", "Milk"])
    try legacy.execute("INSERT INTO words (words, rank) VALUES ('integrity-check', 1)")
  }

  @Test func columnNamedAsForeignKeysFollowsThem() throws {
    let legacy = try LegacyDatabase(
      Self.reminders + """
        CREATE VIRTUAL TABLE words USING fts5(reminderID UNINDEXED, title);
        CREATE TRIGGER indexed AFTER INSERT ON reminders BEGIN
          INSERT INTO words (reminderID, title) VALUES (NEW.id, NEW.title);
        END;
        INSERT INTO words SELECT id, title FROM reminders;
        """)
    try legacy.migrate(Self.tables)
    try legacy.execute("INSERT INTO reminders (title) VALUES ('Salt')")
    #expect(
      try legacy.rows(
        """
        SELECT reminders.title FROM words JOIN reminders ON reminders.id = reminderID ORDER BY 1
        """) == ["Eggs", "Milk", "Salt"])
  }

  @Test func triggerThatComparesKeysWithKeysStays() throws {
    let legacy = try LegacyDatabase(
      Self.reminders + """
        CREATE VIRTUAL TABLE words USING fts5(title, tags);
        CREATE TRIGGER tagged AFTER INSERT ON tags BEGIN
          UPDATE words SET tags = NEW.name
          WHERE rowid = (SELECT rowid FROM reminders WHERE reminders.id = NEW.reminderID);
        END;
        INSERT INTO words (rowid, title) SELECT id, title FROM reminders;
        """)
    try legacy.migrate(Self.tables)
    try legacy.execute(
      "INSERT INTO tags (name, reminderID) SELECT 'car', id FROM reminders WHERE title = 'Milk'")
    #expect(try legacy.rows("SELECT * FROM words ORDER BY 1") == ["Eggs|NULL", "Milk|car"])
  }

  /// An app cannot write GRDB's triggers otherwise.
  @Test(arguments: [true, false])
  func indexThatGRDBKeepsInStepIsKeptInStepAfterwards(isFTS5: Bool) throws {
    let legacy = try LegacyDatabase(Self.reminders + "DELETE FROM tags")
    try legacy.queue.write { db in
      if isFTS5 {
        try db.create(virtualTable: "words", using: FTS5()) { table in
          table.synchronize(withTable: "reminders")
          table.column("title")
        }
        // One with a key in it, which follows.
        try db.create(virtualTable: "tag words", using: FTS5()) { table in
          table.synchronize(withTable: "tags")
          table.column("name")
          table.column("reminderID").notIndexed()
        }
      } else {
        try db.create(virtualTable: "words", using: FTS4()) { table in
          table.synchronize(withTable: "reminders")
          table.column("title")
        }
      }
    }
    try legacy.migrate(Self.tables)
    try legacy.execute(
      """
      INSERT INTO reminders (title) VALUES ('Salt'), ('Tea');
      UPDATE reminders SET title = 'Bread' WHERE title = 'Eggs';
      DELETE FROM reminders WHERE title = 'Tea';
      INSERT INTO tags (name, reminderID) SELECT 'car', id FROM reminders WHERE title = 'Milk';
      UPDATE tags SET name = 'bus';
      """)
    func found(_ word: String) throws -> [String] {
      try legacy.rows(
        """
        SELECT r.title FROM words JOIN reminders r ON r.rowid = words.rowid
        WHERE words MATCH '\(word)'
        """)
    }
    for word in ["Milk", "Salt", "Bread"] { #expect(try found(word) == [word]) }
    for word in ["Eggs", "Tea"] { #expect(try found(word) == []) }
    try legacy.execute("INSERT INTO words (words) VALUES ('integrity-check')")
    if isFTS5 {
      try legacy.execute(
        #"INSERT INTO "tag words" ("tag words", rank) VALUES ('integrity-check', 1)"#)
    }
    // They are GRDB's still.
    try legacy.queue.write { db in
      isFTS5
        ? try db.dropFTS5SynchronizationTriggers(forTable: "words")
        : try db.dropFTS4SynchronizationTriggers(forTable: "words")
    }
    #expect(
      try legacy.rows(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'reminders'") == [])
  }

  @Test func triggerThatIsNotAsGRDBMakesItIsNamedOnce() throws {
    let legacy = try LegacyDatabase(
      Self.reminders + """
        CREATE VIRTUAL TABLE words USING fts5(title, content='reminders', content_rowid='id');
        CREATE TRIGGER __words_au AFTER UPDATE ON reminders BEGIN
          INSERT INTO words(words, rowid, title) VALUES('delete', old.id, old.title);
          INSERT INTO words(rowid, title) VALUES (new.id, lower(new.title));
        END;
        """)
    let error = #expect(throws: SyncError.self) { try legacy.migrate(Self.tables) }
    #expect(error?.reason == .keysNotMigrated && error?.others == [])
  }

  static let refused = [
    """
    CREATE VIRTUAL TABLE words USING fts5(title, content='reminders', content_rowid='id');
    CREATE TRIGGER indexed AFTER INSERT ON reminders BEGIN
      INSERT INTO words (rowid, title) VALUES (NEW.id, NEW.title);
    END;
    """,
    """
    CREATE VIRTUAL TABLE words USING fts5(title);
    CREATE TRIGGER gone AFTER DELETE ON reminders BEGIN
      DELETE FROM words WHERE rowid = OLD.id;
    END;
    """,
    """
    CREATE VIRTUAL TABLE words USING fts4(title);
    CREATE TRIGGER tagged AFTER INSERT ON tags BEGIN
      UPDATE words SET title = NEW.name WHERE docid = NEW.reminderID;
    END;
    """,
    """
    CREATE VIRTUAL TABLE words USING fts5(title);
    CREATE TEMP TRIGGER indexed AFTER UPDATE ON reminders BEGIN
      INSERT OR REPLACE INTO words (rowid, title) SELECT id, title FROM reminders;
    END;
    """,
    "CREATE VIRTUAL TABLE words USING fts5(id UNINDEXED, title)",
  ]

  @Test(arguments: refused)
  func indexThatWouldBeWrongAfterwardsIsRefused(_ sql: String) throws {
    let legacy = try LegacyDatabase(Self.reminders + sql)
    let before = try legacy.bytes()
    let error = #expect(throws: SyncError.self) { try legacy.migrate(Self.tables) }
    #expect(error?.reason == .keysNotMigrated)
    #expect(error?.hint?.isEmpty == false)
    #expect(try legacy.bytes() == before)
  }

  @Test func everythingThatIsRefusedIsToldAtOnce() throws {
    let legacy = try LegacyDatabase(Self.reminders + Self.refused[1])
    try legacy.execute(
      "CREATE TABLE pairs (a, b, PRIMARY KEY (a, b)); CREATE TABLE blobs (id BLOB PRIMARY KEY)")
    let error = #expect(throws: SyncError.self) {
      try legacy.migrate(["missing", "pairs", "reminders", "blobs"])
    }
    #expect(
      ([error?.reason] + (error?.others ?? []).map(\.reason))
        == [.unknownTable, .compoundPrimaryKey, .keyIsNotText, .keysNotMigrated])
  }

  @Test func resultThatNoEngineWouldAcceptIsRefused() throws {
    let legacy = try LegacyDatabase(
      """
      CREATE TABLE lists (id INTEGER PRIMARY KEY, etag TEXT);
      CREATE TABLE reminders (id INTEGER PRIMARY KEY, listID INTEGER REFERENCES lists (id));
      """)
    let before = try legacy.rows("SELECT sql FROM sqlite_schema")
    let error = try legacy.queue.write { db in
      #expect(throws: SyncError.self) {
        try SyncEngine.migratePrimaryKeys(db, tableNames: ["lists", "reminders"])
      }
    }
    #expect(
      ([error?.reason] + (error?.others ?? []).map(\.reason))
        == [.reservedColumnName, .unsupportedForeignKeyAction])
    #expect(try legacy.rows("SELECT sql FROM sqlite_schema") == before)
  }

  @Test func keysOfRowsToComeAreMadeByTheFunctionOfTheApp() throws {
    let legacy = try LegacyDatabase("CREATE TABLE lists (id INTEGER PRIMARY KEY, title TEXT)")
    let function = DatabaseFunction("newKey", argumentCount: 0) { _ in "made here" }
    let missing = try legacy.queue.write { db in
      #expect(throws: SyncError.self) {
        try SyncEngine.migratePrimaryKeys(db, tableNames: ["lists"], uuidFunction: function)
      }
    }
    #expect(missing?.reason == .keysNotMigrated)
    try legacy.queue.write { db in
      db.add(function: function)
      try SyncEngine.migratePrimaryKeys(db, tableNames: ["lists"], uuidFunction: function)
      try db.execute(sql: "INSERT INTO lists (title) VALUES ('Home')")
    }
    #expect(try legacy.rows("SELECT id FROM lists") == ["made here"])
  }

  @Test func triggerMayKeepTheRowIDAndAKeyInItsColumn() throws {
    let legacy = try LegacyDatabase(
      Self.reminders + """
        CREATE VIRTUAL TABLE words USING fts5(reminderID UNINDEXED, title);
        CREATE TRIGGER indexed AFTER INSERT ON reminders BEGIN
          INSERT INTO words (rowid, reminderID, title) VALUES (NEW.rowid, NEW.id, NEW.title);
        END;
        INSERT INTO words (rowid, reminderID, title) SELECT id, id, title FROM reminders;
        """)
    try legacy.migrate(Self.tables)
    try legacy.execute("INSERT INTO reminders (title) VALUES ('Salt')")
    #expect(
      try legacy.rows(
        """
        SELECT r.title FROM words JOIN reminders r ON r.id = reminderID AND r.rowid = words.rowid
        ORDER BY 1
        """) == ["Eggs", "Milk", "Salt"])
  }

  @Test func triggerThatWritesAKeyToTheRowIDBesideAColumnIsRefused() throws {
    let legacy = try LegacyDatabase(
      Self.reminders + """
        CREATE VIRTUAL TABLE words USING fts5(reminderID UNINDEXED, title);
        CREATE TRIGGER indexed AFTER INSERT ON reminders BEGIN
          INSERT INTO words (rowid, reminderID, title) VALUES (NEW.id, NEW.id, NEW.title);
        END;
        """)
    let error = #expect(throws: SyncError.self) { try legacy.migrate(Self.tables) }
    #expect(error?.reason == .keysNotMigrated)
  }
}
