import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// The tables of SQLiteData's documentation and episodes, to the letter.
struct SeedSchemaTests {
  /// As an app of before synchronization has them, at the beginning of episode 340.
  private static let beforeMigration = """
    CREATE TABLE "remindersLists" ( "id" INTEGER PRIMARY KEY AUTOINCREMENT,
      "color" INTEGER NOT NULL DEFAULT 1251602431, "title" TEXT NOT NULL DEFAULT '' ,
      "position" INTEGER NOT NULL DEFAULT 0) STRICT;
    CREATE TABLE "tags" ( "id" INTEGER PRIMARY KEY AUTOINCREMENT,
      "title" TEXT NOT NULL DEFAULT '' CHECK(instr("title", ' ') = 0) ) STRICT;
    CREATE TABLE "reminders" ( "id" INTEGER PRIMARY KEY AUTOINCREMENT, "dueDate" TEXT,
      "isFlagged" INTEGER NOT NULL DEFAULT 0, "notes" TEXT NOT NULL DEFAULT '', "priority" INTEGER,
      "remindersListID" INTEGER NOT NULL REFERENCES "remindersLists"("id") ON DELETE CASCADE,
      "title" TEXT NOT NULL DEFAULT '' , "createdAt" TEXT, "updatedAt" TEXT,
      "status" INTEGER NOT NULL DEFAULT 0) STRICT;
    CREATE TABLE "reminderTags" (
      "reminderID" INTEGER NOT NULL REFERENCES "reminders"("id") ON DELETE CASCADE,
      "tagID" INTEGER NOT NULL REFERENCES "tags"("id") ON DELETE CASCADE ) STRICT;
    CREATE VIRTUAL TABLE "reminderTexts" USING fts5(
      "reminderID" UNINDEXED, "title", "notes", "tags", tokenize='trigram' );
    """
  private static let migratedTables = ["remindersLists", "reminders", "tags", "reminderTags"]

  /// As the documentation says that tables to be synchronized are declared.
  private static let documented = """
    CREATE TABLE "remindersLists" (
      "id" TEXT PRIMARY KEY NOT NULL ON CONFLICT REPLACE DEFAULT (uuid()),
      "title" TEXT NOT NULL DEFAULT ''
    ) STRICT;
    ALTER TABLE "remindersLists"
    ADD COLUMN "position" INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE "reminders"(
      "id" TEXT PRIMARY KEY NOT NULL ON CONFLICT REPLACE DEFAULT (uuid()),
      "title" TEXT NOT NULL DEFAULT '',
      "remindersListID" TEXT NOT NULL REFERENCES "remindersLists"("id") ON DELETE CASCADE
    ) STRICT;
    CREATE TABLE "tags" (
      "id" TEXT PRIMARY KEY NOT NULL ON CONFLICT REPLACE DEFAULT (uuid()),
      "title" TEXT NOT NULL DEFAULT '' CHECK(instr("title", ' ') = 0)
    ) STRICT;
    CREATE TABLE "reminderTags" (
      "id" TEXT PRIMARY KEY NOT NULL ON CONFLICT REPLACE DEFAULT (uuid()),
      "reminderID" TEXT NOT NULL REFERENCES "reminders"("id") ON DELETE CASCADE,
      "tagID" TEXT NOT NULL REFERENCES "tags"("id") ON DELETE CASCADE
    ) STRICT;
    CREATE TABLE "remindersListAssets" (
      "remindersListID" TEXT NOT NULL PRIMARY KEY
        REFERENCES "remindersLists"("id") ON DELETE CASCADE,
      "coverImage" BLOB NOT NULL
    ) STRICT;
    CREATE TABLE "remindersListCoverImages" (
      "remindersListID" TEXT PRIMARY KEY NOT NULL
        REFERENCES "remindersLists"("id") ON DELETE CASCADE,
      "image" BLOB NOT NULL
    );
    """
  private static let documentedTables = [
    "reminders", "remindersLists", "tags", "reminderTags", "remindersListAssets",
    "remindersListCoverImages",
  ]

  /// A database with the `uuid()` that SQLiteData adds to each connection.
  private func database(_ sql: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      db.add(function: DatabaseFunction("uuid", argumentCount: 0) { _ in TestClock().makeID() })
    }
    let database = try DatabaseQueue(configuration: configuration)
    try database.write { try $0.execute(sql: sql) }
    return database
  }

  @Test func documentedTablesAreAcceptedAndTheirRisksAreWarnings() throws {
    let database = try database(Self.documented)
    let engine = try SyncEngine(
      for: database, tableNames: Self.documentedTables, cloud: nil, startImmediately: false)
    engine.stopAndWait()
    try database.read { db in
      #expect(try SyncEngine.validate(db, tableNames: Self.documentedTables).isEmpty)
      let warnings = try SyncEngine.warnings(db)
      #expect(Set(warnings.map(\.reason)) == [.missingDefault, .missingConflictClause])
      #expect(
        warnings.filter { $0.reason == .missingDefault }.map(\.column)
          == ["remindersListID", "reminderID", "tagID", "coverImage", "image"])
    }
  }

  @Test func rowsOfDocumentedTablesReachAnotherDevice() throws {
    let schema = Schema(
      sql: Self.documented.replacing("uuid()", with: SyncEngine.randomUUID),
      tables: Self.documentedTables)
    let fleet = try Fleet(schema: schema)
    let (ann, ben) = try fleet.pair()
    try ann.execute(
      """
      INSERT INTO remindersLists (id, title) VALUES ('l', 'Family');
      INSERT INTO reminders (id, title, remindersListID) VALUES ('r', 'Groceries', 'l');
      INSERT INTO tags (id, title) VALUES ('t', 'car');
      INSERT INTO reminderTags (reminderID, tagID) VALUES ('r', 't');
      INSERT INTO remindersListAssets VALUES ('l', zeroblob(10000));
      INSERT INTO remindersListCoverImages VALUES ('l', zeroblob(10));
      """)
    try fleet.settle()
    #expect(try ben.contents() == ann.contents())
    #expect(try ben.rows("SELECT title FROM reminders") == ["Groceries"])
    try ben.execute("DELETE FROM remindersLists")
    try fleet.settle()
    #expect(try ann.contents().filter { !$0.value.isEmpty }.map(\.key) == ["tags"])
    try fleet.expectExhausted()
  }

  @Test func engineStartsAfterMigrationWithoutAnotherStatement() throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Create tables") { try $0.execute(sql: Self.beforeMigration) }
    migrator.registerMigration("Seed") { db in
      try db.execute(
        sql: """
          INSERT INTO remindersLists (title) VALUES ('Personal'), ('Family');
          INSERT INTO reminders (title, remindersListID) VALUES ('Groceries', 1), ('Call', 2);
          INSERT INTO tags (title) VALUES ('car');
          INSERT INTO reminderTags VALUES (1, 1);
          INSERT INTO reminderTexts (reminderID, title) SELECT id, title FROM reminders;
          """)
    }
    migrator.registerMigration("Convert primary keys") { db in
      try SyncEngine.migratePrimaryKeys(db, tableNames: Self.migratedTables)
    }
    let database = try DatabaseQueue()
    try migrator.migrate(database)
    let engine = try SyncEngine(
      for: database, tableNames: Self.migratedTables, cloud: nil, startImmediately: false)
    engine.stopAndWait()
    let titles = try database.read { db in
      try String.fetchAll(
        db,
        sql: """
          SELECT reminders.title || ' in ' || remindersLists.title FROM reminderTexts
          JOIN reminders ON reminders.id = reminderTexts.reminderID
          JOIN remindersLists ON remindersLists.id = remindersListID ORDER BY reminders.rowid
          """)
    }
    #expect(titles == ["Groceries in Personal", "Call in Family"])
    #expect(try database.read(SyncCounts.init).pending == 6)
  }
}
