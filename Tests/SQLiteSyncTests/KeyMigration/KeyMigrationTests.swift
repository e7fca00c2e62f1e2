import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Integer keys become UUIDs, and nothing else changes.
struct KeyMigrationTests {
  private static let remindersSQL = """
    CREATE TABLE lists (
      id INTEGER PRIMARY KEY AUTOINCREMENT, -- the old key
      title TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '' COLLATE NOCASE
    ) STRICT;
    CREATE TABLE reminders (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      title TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '' CHECK (length(title) < 100),
      listID INTEGER REFERENCES lists (id) ON DELETE CASCADE,
      loud TEXT AS (upper(title)) STORED
    ) STRICT;
    CREATE TABLE tags (
      id INTEGER PRIMARY KEY, title TEXT
    );
    CREATE TABLE reminderTags (
      reminderID INTEGER REFERENCES reminders (id) ON DELETE CASCADE,
      tagID INTEGER REFERENCES tags (id) ON DELETE CASCADE
    );
    CREATE INDEX remindersOfList ON reminders (listID) WHERE title <> '';
    CREATE TRIGGER shout AFTER INSERT ON lists BEGIN
      UPDATE lists SET title = title || '!' WHERE id = NEW.id;
    END;
    CREATE VIEW overview AS
      SELECT lists.title AS list, reminders.title FROM lists JOIN reminders ON listID = lists.id;
    INSERT INTO lists VALUES (1, 'Home'), (7, 'Work');
    INSERT INTO reminders VALUES (1, 'Milk', 1), (2, 'Eggs', 1), (3, 'Call', NULL);
    INSERT INTO tags VALUES (1, 'car');
    INSERT INTO reminderTags VALUES (1, 1), (2, 1);
    """
  private static let remindersTables = ["lists", "reminders", "tags", "reminderTags"]

  @Test func integersBecomeKeysThatAreUniqueAcrossTables() throws {
    let legacy = try LegacyDatabase(Self.remindersSQL)
    try legacy.migrate(Self.remindersTables)
    let home = LegacyDatabase.key(1, "lists")
    #expect(UUID(uuidString: home) != nil && home != LegacyDatabase.key(1, "reminders"))
    #expect(
      try legacy.rows("SELECT rowid, id, title FROM lists")
        == ["1|\(home)|Home!", "7|\(LegacyDatabase.key(7, "lists"))|Work!"])
    #expect(
      try legacy.rows("SELECT rowid, listID, loud FROM reminders")
        == ["1|\(home)|MILK", "2|\(home)|EGGS", "3|NULL|CALL"])
    #expect(
      try legacy.rows(
        "SELECT list, overview.title FROM overview ORDER BY 2") == ["Home!|Eggs", "Home!|Milk"])
    #expect(
      try legacy.rows(
        """
        SELECT reminders.title, tags.title FROM reminderTags
        JOIN reminders ON reminders.id = reminderID JOIN tags ON tags.id = tagID ORDER BY 1
        """) == ["Eggs|car", "Milk|car"])
    #expect(Set(try legacy.rows("SELECT id FROM reminderTags")).count == 2)
    #expect(try legacy.rows("PRAGMA foreign_key_check") == [])
    #expect(try legacy.rows("PRAGMA integrity_check") == ["ok"])
  }

  @Test func everythingElseIsAsItWasWritten() throws {
    let legacy = try LegacyDatabase(Self.remindersSQL)
    let objects = "SELECT name, sql FROM sqlite_schema WHERE type <> 'table' ORDER BY name"
    let before = try legacy.rows(objects).filter { !$0.hasPrefix("sqlite_") }
    try legacy.migrate(Self.remindersTables)
    #expect(try legacy.rows(objects).filter { !$0.hasPrefix("sqlite_") } == before)
    let clause = "NOT NULL ON CONFLICT REPLACE DEFAULT (\(SyncEngine.randomUUID))"
    #expect(
      try legacy.sql(of: "lists") == """
        CREATE TABLE lists (
          id TEXT PRIMARY KEY \(clause), -- the old key
          title TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '' COLLATE NOCASE
        ) STRICT
        """)
    #expect(
      try legacy.sql(of: "reminderTags") == """
        CREATE TABLE reminderTags ( "id" TEXT PRIMARY KEY \(clause),
          reminderID TEXT REFERENCES reminders (id) ON DELETE CASCADE,
          tagID TEXT REFERENCES tags (id) ON DELETE CASCADE
        )
        """)
    try legacy.execute("INSERT INTO lists (title) VALUES ('New'), ('Newer')")
    #expect(try legacy.rows("SELECT title FROM lists WHERE length(id) = 36").count == 4)
  }

  @Test func anEngineTakesTheDatabaseAfterwards() throws {
    let legacy = try LegacyDatabase(Self.remindersSQL)
    let clock = TestClock()
    func engine() throws -> Synchronizer {
      try Synchronizer(
        database: legacy.queue, tables: Self.remindersTables, privateTables: [],
        container: CloudContainer(
          store: MemoryStore(), account: AccountID(userID: 1), device: clock.makeID(), app: "test",
          environment: clock.environment), configuration: SyncConfiguration())
    }
    let error = #expect(throws: SyncError.self) { _ = try engine() }
    #expect(error?.reason == .integerPrimaryKey)
    try legacy.migrate(Self.remindersTables)
    _ = try engine()
  }

  @Test func aMigratorRunsIt() throws {
    struct Lists: TableRecord { static let databaseTableName = "lists" }
    let queue = try DatabaseQueue()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { db in
      try db.execute(
        sql: "CREATE TABLE lists (id INTEGER PRIMARY KEY); INSERT INTO lists VALUES (5)")
    }
    migrator.registerMigration("2") { db in
      try SyncEngine.migratePrimaryKeys(db, tables: [Lists.self])
    }
    try migrator.migrate(queue)
    let key = try queue.read { try String.fetchOne($0, sql: "SELECT id FROM lists") }
    #expect(key.flatMap(UUID.init(uuidString:)) != nil)
  }

  @Test func twoDatabasesGetDifferentKeys() throws {
    let keys = try (0..<2).map { _ in
      let legacy = try LegacyDatabase(
        "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
      try legacy.queue.write { try SyncEngine.migratePrimaryKeys($0, tableNames: ["t"]) }
      return try legacy.rows("SELECT id FROM t")
    }
    #expect(keys[0] != keys[1])
  }

  // MARK: - Foreign keys

  @Test func aTableThatIsNotListedFollows() throws {
    let legacy = try LegacyDatabase(
      """
      CREATE TABLE lists (id INTEGER PRIMARY KEY);
      CREATE TABLE local (n INTEGER PRIMARY KEY, list INTEGER REFERENCES LISTS);
      CREATE TABLE other (n INTEGER PRIMARY KEY, m INTEGER REFERENCES local);
      INSERT INTO lists VALUES (3); INSERT INTO local VALUES (1, 3);
      INSERT INTO other VALUES (1, 1);
      """)
    let other = try legacy.sql(of: "other")
    try legacy.migrate(["lists"])
    #expect(try legacy.rows("SELECT * FROM local") == ["1|\(LegacyDatabase.key(3, "lists"))"])
    #expect(try legacy.sql(of: "other") == other)
  }

  @Test func aKeyThatIsAForeignKeyIsTheKeyOfItsParent() throws {
    let legacy = try LegacyDatabase(
      """
      CREATE TABLE lists (id INTEGER PRIMARY KEY);
      CREATE TABLE covers (listID INTEGER PRIMARY KEY REFERENCES lists ON DELETE CASCADE, image);
      CREATE TABLE captions (coverID INTEGER REFERENCES covers, text);
      INSERT INTO lists VALUES (3); INSERT INTO covers VALUES (3, x'01');
      INSERT INTO captions VALUES (3, 'Sea');
      """)
    try legacy.migrate(["captions", "covers", "lists"])
    let key = LegacyDatabase.key(3, "lists")
    #expect(try legacy.rows("SELECT listID FROM covers") == [key])
    #expect(try legacy.rows("SELECT coverID FROM captions") == [key])
    #expect(try legacy.sql(of: "covers").contains("listID TEXT PRIMARY KEY NOT NULL REFERENCES"))
  }

  @Test func tablesMayReferToThemselvesAndToEachOther() throws {
    let legacy = try LegacyDatabase(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a, b INTEGER REFERENCES b);
      CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a);
      INSERT INTO a VALUES (1, 2, 9), (2, 2, NULL); INSERT INTO b VALUES (9, 1);
      """)
    try legacy.migrate(["a", "b"])
    let (one, two) = (LegacyDatabase.key(1, "a"), LegacyDatabase.key(2, "a"))
    let nine = LegacyDatabase.key(9, "b")
    #expect(
      try legacy.rows("SELECT * FROM a ORDER BY rowid") == [
        "\(one)|\(two)|\(nine)", "\(two)|\(two)|NULL",
      ])
    #expect(try legacy.rows("SELECT * FROM b") == ["\(nine)|\(one)"])
  }

  @Test func aDefaultThatNamesARowGoesOnNamingIt() throws {
    let legacy = try LegacyDatabase(
      """
      CREATE TABLE lists (id INTEGER PRIMARY KEY);
      CREATE TABLE items (
        id INTEGER PRIMARY KEY,
        a INTEGER DEFAULT 1 REFERENCES lists ON DELETE SET DEFAULT,
        b INTEGER DEFAULT (-1) REFERENCES lists ON DELETE SET DEFAULT,
        c INTEGER DEFAULT NULL REFERENCES lists);
      INSERT INTO lists VALUES (1), (-1);
      """)
    try legacy.migrate(["lists", "items"])
    try legacy.execute("INSERT INTO items DEFAULT VALUES")
    #expect(
      try legacy.rows("SELECT a, b, c FROM items")
        == ["\(LegacyDatabase.key(1, "lists"))|\(LegacyDatabase.key(-1, "lists"))|NULL"])
    #expect(try legacy.rows("PRAGMA foreign_key_check") == [])
  }

  @Test func textThatASQLiteComparisonTakesForTheIntegerIsMapped() throws {
    let legacy = try LegacyDatabase(
      """
      CREATE TABLE lists (id INTEGER PRIMARY KEY);
      CREATE TABLE items (id INTEGER PRIMARY KEY, list TEXT REFERENCES lists);
      INSERT INTO lists VALUES (1); INSERT INTO items VALUES (1, '1');
      """)
    try legacy.migrate(["lists", "items"])
    #expect(try legacy.rows("SELECT list FROM items") == [LegacyDatabase.key(1, "lists")])
  }

  // MARK: - What hangs on a table

  @Test func aFullTextIndexByRowidStaysTrue() throws {
    let legacy = try LegacyDatabase(
      """
      CREATE TABLE items (id INTEGER PRIMARY KEY, title TEXT);
      CREATE VIRTUAL TABLE texts USING fts5 (title, content = 'items', content_rowid = 'rowid');
      INSERT INTO items VALUES (4, 'milk'), (9, 'eggs');
      INSERT INTO texts (texts) VALUES ('rebuild');
      """)
    try legacy.migrate(["items"])
    #expect(
      try legacy.rows(
        """
        SELECT items.title FROM items JOIN texts ON texts.rowid = items.rowid
        WHERE texts MATCH 'eggs'
        """
      )
        == ["eggs"])
    try legacy.execute("INSERT INTO texts (texts) VALUES ('integrity-check')")
  }

  @Test func triggersOfTheConnectionStay() throws {
    let legacy = try LegacyDatabase(
      """
      CREATE TABLE items (id INTEGER PRIMARY KEY, title TEXT);
      CREATE TEMP TABLE log (text);
      CREATE TEMP TRIGGER noted AFTER INSERT ON items BEGIN INSERT INTO log VALUES (NEW.title); END;
      INSERT INTO items VALUES (1, 'milk');
      """)
    try legacy.migrate(["items"])
    try legacy.execute("INSERT INTO items (title) VALUES ('eggs')")
    #expect(try legacy.rows("SELECT * FROM log") == ["milk", "eggs"])
  }

  @Test func uniqueConstraintsStayUnlessTheyAreToGo() throws {
    let sql = """
      CREATE TABLE items (
        id INTEGER PRIMARY KEY, a TEXT UNIQUE ON CONFLICT IGNORE, b TEXT, c TEXT /* kept */,
        CONSTRAINT both UNIQUE (a, b), CHECK (a <> b));
      CREATE UNIQUE INDEX third ON items (c) WHERE c > '';
      INSERT INTO items VALUES (1, 'a', 'b', 'c');
      """
    let unique =
      #"SELECT count(*) FROM pragma_index_list('items') WHERE "unique" AND origin <> 'pk'"#
    let kept = try LegacyDatabase(sql)
    try kept.migrate(["items"])
    #expect(try kept.rows(unique) == ["3"])
    let dropped = try LegacyDatabase(sql)
    try dropped.migrate(["items"], dropUniqueConstraints: true)
    #expect(try dropped.rows(unique) == ["0"])
    #expect(try dropped.sql(of: "third") == "CREATE INDEX third ON items (c) WHERE c > ''")
    let rewritten = try dropped.sql(of: "items")
    #expect(!rewritten.contains("UNIQUE") && !rewritten.contains("IGNORE"))
    #expect(rewritten.contains("c TEXT /* kept */") && rewritten.contains("CHECK (a <> b)"))
  }

  @Test func whatIsTextAlreadyStays() throws {
    let legacy = try LegacyDatabase(
      "CREATE TABLE tags (title TEXT PRIMARY KEY); INSERT INTO tags VALUES ('car')")
    let before = try legacy.bytes()
    try legacy.migrate(["tags"])
    #expect(try legacy.bytes() == before)
  }

  /// It is left out of the call, and made anew with one key of text after it.
  @Test(arguments: ["", "WITHOUT ROWID"])
  func foreignKeysInACompoundKeyFollow(options: String) throws {
    let legacy = try LegacyDatabase(
      """
      CREATE TABLE p (id INTEGER PRIMARY KEY);
      CREATE TABLE t (id INTEGER PRIMARY KEY);
      CREATE TABLE pt (
        p INTEGER REFERENCES p (id) ON DELETE CASCADE,
        t INTEGER REFERENCES t (id) ON DELETE CASCADE, PRIMARY KEY (p, t)) \(options);
      INSERT INTO p VALUES (1), (2); INSERT INTO t VALUES (1); INSERT INTO pt VALUES (2, 1);
      """)
    try legacy.migrate(["p", "t"])
    let keys = "\(LegacyDatabase.key(2, "p"))|\(LegacyDatabase.key(1, "t"))"
    #expect(try legacy.rows("SELECT p, t FROM pt") == [keys])
    try legacy.queue.write { db in
      let found = try SyncEngine.validate(db, tableNames: ["p", "t", "pt"])
      #expect(found.map(\.reason) == [.compoundPrimaryKey])
      try db.execute(
        sql: """
          CREATE TABLE new_pt (
            id TEXT PRIMARY KEY NOT NULL, p TEXT REFERENCES p (id) ON DELETE CASCADE,
            t TEXT REFERENCES t (id) ON DELETE CASCADE);
          INSERT INTO new_pt SELECT p || ' ' || t, * FROM pt;
          DROP TABLE pt;
          ALTER TABLE new_pt RENAME TO pt;
          """)
      #expect(try SyncEngine.validate(db, tableNames: ["p", "t", "pt"]) == [])
    }
  }
}
