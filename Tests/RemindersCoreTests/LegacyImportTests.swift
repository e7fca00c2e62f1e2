import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSync
import SQLiteSyncCloud
import Synchronization
import Testing

@testable import RemindersCore

/// A file of before synchronization, made with the plain `sqlite3` shell, is taken over whole.
@Suite struct LegacyImportTests {
  private let directory: TemporaryDirectory
  private let fixture: Fixture

  init() throws {
    directory = try TemporaryDirectory()
    fixture = try Fixture()
  }

  /// Integer keys, a join table without a key, triggers, and an index for full-text search.
  private static let schema = """
    PRAGMA journal_mode = WAL;
    CREATE TABLE remindersLists (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      color INTEGER NOT NULL DEFAULT \(0x4A99_EFFF),
      title TEXT NOT NULL DEFAULT ''
    ) STRICT;
    CREATE TABLE tags (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      title TEXT NOT NULL DEFAULT '' CHECK (instr(title, ' ') = 0)
    ) STRICT;
    CREATE TABLE reminders (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      title TEXT NOT NULL DEFAULT '', notes TEXT NOT NULL DEFAULT '',
      dueDate TEXT, isFlagged INTEGER NOT NULL DEFAULT 0, priority INTEGER,
      remindersListID INTEGER NOT NULL REFERENCES remindersLists (id) ON DELETE CASCADE
    ) STRICT;
    CREATE TABLE reminderTags (
      reminderID INTEGER NOT NULL REFERENCES reminders (id) ON DELETE CASCADE,
      tagID INTEGER NOT NULL REFERENCES tags (id) ON DELETE CASCADE
    ) STRICT;
    ALTER TABLE remindersLists ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE reminders ADD COLUMN createdAt TEXT;
    ALTER TABLE reminders ADD COLUMN updatedAt TEXT;
    ALTER TABLE reminders ADD COLUMN status INTEGER NOT NULL DEFAULT 0;
    CREATE VIRTUAL TABLE reminderTexts USING fts5 (
      reminderID UNINDEXED, title, notes, tags, tokenize = 'trigram');
    CREATE INDEX remindersOfList ON reminders (remindersListID);
    CREATE TRIGGER noted AFTER INSERT ON reminders BEGIN
      INSERT INTO reminderTexts VALUES (NEW.id, NEW.title, NEW.notes, '');
    END;
    CREATE TRIGGER touched AFTER UPDATE ON reminders BEGIN
      UPDATE reminders SET updatedAt = datetime('now') WHERE id = NEW.id;
    END;
    """
  private static let data = """
    INSERT INTO remindersLists (id, title, color, position) VALUES
      (1, 'Personal', \(0x4A99_EFFF), 1), (5, 'Family', \(0xEF7E_4AFF), 0);
    INSERT INTO reminders
      (id, title, notes, dueDate, isFlagged, priority, remindersListID, createdAt, status) VALUES
      (1, 'Groceries', 'Milk' || char(10) || 'Eggs', NULL, 0, NULL, 1,
        '2025-01-02 03:04:05.678', 0),
      (2, 'Haircut', '', '2025-06-01 12:30:00.000', 1, 3, 1, NULL, 1),
      (9, 'Café', '', 'someday', 0, 1, 5, NULL, 2);
    INSERT INTO tags VALUES (1, 'car'), (2, 'Weekend'), (3, 'unused');
    INSERT INTO reminderTags VALUES (1, 1), (1, 2), (9, 2);
    """

  private var file: URL { directory.url.appending(path: "legacy.sqlite") }

  private func shell(_ sql: String) throws {
    try SQLiteShell.run(sql, on: file.path)
  }

  @Test func `everything arrives in its place`() async throws {
    try shell(Self.schema + Self.data)
    let result = try await fixture.database.importLegacy(file)
    #expect(result == LegacyImport(lists: 2, reminders: 3, tags: 3))
    let lists = try fixture.database.fetch(SidebarQuery(time: berlin())).lists.map(\.list)
    #expect(lists.map(\.title) == ["Family", "Personal"])
    #expect(lists.map(\.color) == [0xEF7E4A, 0x4A99EF])
    let groceries = try reminder("Groceries")
    #expect(groceries.reminder.notes == "Milk\nEggs")
    #expect(groceries.tags == ["car", "Weekend"] && groceries.list.title == "Personal")
    #expect(groceries.reminder.createdAt == Date(timeIntervalSince1970: 1_735_787_045))
    let haircut = try reminder("Haircut").reminder
    #expect(haircut.status == .completed && haircut.isFlagged && haircut.priority == .high)
    #expect(haircut.due == .moment(Date(timeIntervalSince1970: 1_748_781_000)))
    #expect(try reminder("Café").reminder.notes == "Due: someday")
    #expect(try fixture.database.fetch(SearchQuery("eggs", time: berlin())).hits.count == 1)
  }

  @Test(
    arguments: [
      ("2025-06-01 12:30:00", 0), ("2025-06-01T12:30", 0), ("2025-06-01T12:30:00Z", 0),
      ("2025-06-01 12:30:59.999", 59), ("2025-06-01 14:30:00.5+02:00", 0),
      ("2025-06-01 12:30:00.", nil), ("2025-06-01 12:30:00.5x", nil), ("2025-06-01 24:30", nil),
    ] as [(String, Double?)])
  func `a moment is read in every way it was written`(text: String, seconds: Double?) async throws {
    try shell(
      Self.schema + """
        INSERT INTO remindersLists (id, title) VALUES (1, 'Personal');
        INSERT INTO reminders (title, dueDate, remindersListID) VALUES ('Haircut', '\(text)', 1);
        """)
    _ = try await fixture.database.importLegacy(file)
    let haircut = try reminder("Haircut").reminder
    #expect(haircut.due == seconds.map { .moment(Date(timeIntervalSince1970: 1_748_781_000 + $0)) })
    #expect(haircut.notes == (seconds == nil ? "Due: \(text)" : ""))
  }

  @Test func `it tells how far it is, up to all`() async throws {
    try shell(Self.schema + Self.data)
    let told = Mutex<[Int]>([])
    _ = try await fixture.database.importLegacy(file) { completed, total in
      // Two lists, three reminders, and the tags of two of them.
      #expect(total == 7)
      told.withLock { $0.append(completed) }
    }
    #expect(told.withLock { $0 } == Array(1...7))
  }

  @Test func `it reaches the other devices`() async throws {
    try shell(Self.schema + Self.data)
    _ = try await fixture.database.importLegacy(file)
    let other = try Fixture()
    let store = MemoryStore()
    for fixture in [fixture, other] {
      let engine = try SyncEngine(
        for: fixture.database.writer, tables: AppDatabase.synchronizedTables,
        privateTables: AppDatabase.privateTables,
        cloud: CloudContainer(
          store: store, account: try #require(AccountID(name: "ann")),
          device: try fixture.database.fetch(SyncQuery()).device, app: "tests"),
        startImmediately: false)
      try await engine.syncChanges()
    }
    #expect(try other.contents() == fixture.contents())
    #expect(try other.titles(.all, completed: true).count == 3)
  }

  @Test func `the file is only read, and taken over once`() async throws {
    try shell(Self.schema + Self.data)
    let before = try Data(contentsOf: file)
    _ = try await fixture.database.importLegacy(file)
    let id = try reminder("Groceries").reminder.id
    _ = try await fixture.database.editReminders([id], [.set(\.title, "Shopping")])
    let again = try await fixture.database.importLegacy(file)
    // As many rows as the first time: two lists, three reminders and the tags on them.
    #expect(again == LegacyImport(known: 8))
    #expect(try reminder("Shopping").reminder.id == id)
    #expect(try Data(contentsOf: file) == before)
  }

  @Test func `a tag that a file has twice on a reminder is one`() async throws {
    try shell(Self.schema + Self.data + "INSERT INTO reminderTags VALUES (1, 1), (9, 2);")
    #expect(
      try await fixture.database.importLegacy(file) == LegacyImport(lists: 2, reminders: 3, tags: 3)
    )
    #expect(try await fixture.database.importLegacy(file) == LegacyImport(known: 8))
  }

  @Test func `what has no place here is named`() async throws {
    try shell(
      Self.schema + Self.data + """
        ALTER TABLE reminders ADD COLUMN mood TEXT;
        ALTER TABLE reminders ADD COLUMN unused TEXT;
        UPDATE reminders SET mood = 'glad' WHERE id = 1;
        CREATE TABLE places (id INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO places VALUES (1, 'Home');
        """)
    let result = try await fixture.database.importLegacy(file)
    #expect(result.unknown == ["places", "reminders.mood"])
  }

  /// The same without anything that says what refers to what, and what may be where.
  private static let loose =
    schema.replacing(#/ REFERENCES \w+ \(id\) ON DELETE CASCADE/#, with: "")
    .replacing(") STRICT", with: ")").replacing(#/ CHECK \(.*\)/#, with: "")
    .replacing(" NOT NULL", with: "").replacing(#/ (TEXT|INTEGER)(?! PRIMARY)/#, with: "")

  @Test func `a file that does not say what refers to what has the same in it`() async throws {
    try shell(Self.loose + Self.data)
    let result = try await fixture.database.importLegacy(file)
    #expect(result == LegacyImport(lists: 2, reminders: 3, tags: 3))
    #expect(try reminder("Groceries").tags == ["car", "Weekend"])
    #expect(try reminder("Café").list.title == "Family")
    #expect(try await fixture.database.importLegacy(file) == LegacyImport(known: 8))
  }

  @Test(arguments: [schema, loose])
  func `what refers to nothing does not keep out the rest`(schema: String) async throws {
    try shell(
      schema + Self.data + """
        PRAGMA foreign_keys = OFF;
        INSERT INTO reminders (id, title, remindersListID) VALUES (20, 'Lost', 7), (21, 'Too', 8);
        INSERT INTO reminderTags VALUES (20, 1), (2, 99), (99, 1);
        CREATE TABLE remindersListAssets (
          remindersListID INTEGER PRIMARY KEY REFERENCES remindersLists (id), coverImage BLOB);
        INSERT INTO remindersListAssets VALUES (7, x'00');
        """)
    let result = try await fixture.database.importLegacy(file)
    #expect(result.reminders == 5 && result.tags == 4 && result.covers == 0)
    #expect(result.withoutList == 2)
    #expect(
      result.leftOut == [
        "reminderTags: 2 rows about what is not there",
        "remindersListAssets: 1 row about what is not there",
      ])
    let (lost, other) = (try reminder("Lost"), try reminder("Too"))
    #expect(lost.list.title == "Without a list" && other.list.id == lost.list.id)
    #expect(lost.tags == ["car"])
    #expect(try reminder("Haircut").list.title == "Personal")
    let again = try await fixture.database.importLegacy(file)
    #expect(again.lists == 0 && again.reminders == 0)
  }

  @Test func `values of another kind are read, or kept in sight`() async throws {
    try shell(
      Self.loose + Self.data + """
        INSERT INTO reminders (id, title, notes, priority, isFlagged, status, remindersListID,
          createdAt) VALUES
          (30, 42, 1.5, 'high', 'yes', '1', '5', 'long ago'),
          (31, x'ff', NULL, '2', '1', 0, NULL, 7);
        """)
    let result = try await fixture.database.importLegacy(file)
    #expect(result.withoutList == 1)
    #expect(
      result.leftOut == [
        "reminders.createdAt: “long ago” of “42”", "reminders.isFlagged: “yes” of “42”",
        "reminders.priority: “high” of “42”", "reminders.title: 1 byte of “31”",
      ])
    let odd = try reminder("42")
    #expect(odd.reminder.notes == "1.5" && odd.list.title == "Family")
    #expect(odd.reminder.status == .completed && odd.reminder.priority == nil)
    let other = try #require(
      try fixture.detail(.all, completed: true).rows.first { $0.reminder.priority == .medium })
    #expect(other.reminder.isFlagged)
    #expect(try fixture.details(other.id).list.title == "Without a list")
  }

  @Test func `keys that are none do not keep out the rest, nor move it`() async throws {
    try shell(
      """
      CREATE TABLE remindersLists (id, title);
      CREATE TABLE reminders (id, title, remindersListID);
      INSERT INTO remindersLists VALUES (1.5, 'Half'), (NULL, 'None'), (x'01', 'Bytes'), (1, 'One');
      INSERT INTO reminders VALUES
        (9, 'First', 1.5), (NULL, 'Second', '1'), (2, 'Third', x'01'), (2.0, 'Fourth', 7);
      """)
    let result = try await fixture.database.importLegacy(file)
    #expect(result == LegacyImport(lists: 5, reminders: 4, withoutList: 1))
    let rows = try ["First", "Second", "Third", "Fourth"].map(reminder)
    #expect(rows.map(\.list.title) == ["Half", "One", "Bytes", "Without a list"])
    #expect(rows.map(\.reminder.position) == [1, 2, 3, 4])
    let again = try await fixture.database.importLegacy(file)
    #expect(again == LegacyImport(known: 9, withoutList: 1))
  }

  @Test(arguments: ["CREATE TABLE notes (id INTEGER PRIMARY KEY)", "CREATE TABLE reminders (id)"])
  func `another database is refused`(sql: String) async throws {
    try shell(sql)
    let error = await #expect(throws: AppError.self) {
      try await fixture.database.importLegacy(file)
    }
    #expect(error?.kind == .cannotRead)
  }

  @Test func `a file that is none is refused`() async throws {
    try Data("not a database, but long enough to look".utf8).write(to: file)
    await #expect(throws: AppError.self) { try await fixture.database.importLegacy(file) }
    await #expect(throws: AppError.self) {
      try await fixture.database.importLegacy(directory.url.appending(path: "missing"))
    }
    #expect(try fixture.titles(.all) == [])
  }

  private func reminder(_ title: String) throws -> ReminderRow {
    let rows = try fixture.detail(.all, completed: true).rows
    let row = try #require(rows.first { $0.title == title })
    return try fixture.details(row.id)
  }
}
