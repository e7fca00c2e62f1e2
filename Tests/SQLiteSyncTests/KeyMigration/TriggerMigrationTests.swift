import GRDB
import Testing

@testable import SQLiteSync

/// Triggers that speak of integer keys, when these become text.
struct TriggerMigrationTests {
  private static let tables = """
    CREATE TABLE p (id INTEGER PRIMARY KEY, title TEXT, touched INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE c (
      id INTEGER PRIMARY KEY, note TEXT, pid INTEGER REFERENCES p (id) ON DELETE CASCADE,
      other INTEGER);
    CREATE TABLE stats (pid INTEGER PRIMARY KEY, edits INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE kept (
      n INTEGER PRIMARY KEY, ref INTEGER REFERENCES p (id) ON DELETE CASCADE, edits INTEGER);
    CREATE VIRTUAL TABLE places USING rtree (pid, west, east);
    INSERT INTO p (id, title) VALUES (3, 'Milk'), (7, 'Eggs');

    """

  private func migrate(_ sql: String) throws -> LegacyDatabase {
    let legacy = try LegacyDatabase(Self.tables + sql)
    try legacy.migrate(["p", "c"])
    return legacy
  }

  static let broken: [String] = [
    "UPDATE stats SET edits = edits + 1 WHERE pid = NEW.id",
    "UPDATE stats SET edits = edits + 1 WHERE NEW.id == stats.pid",
    "UPDATE stats SET edits = edits + 1 WHERE pid IS NOT NEW.id",
    "UPDATE stats SET edits = edits + 1 WHERE pid IS DISTINCT FROM NEW.id",
    "UPDATE stats SET edits = edits + 1 WHERE NEW.id IS NOT DISTINCT FROM pid",
    "UPDATE stats SET edits = edits + 1 WHERE pid IN (0, NEW.id)",
    "UPDATE stats SET edits = edits + 1 WHERE \"PID\" NOT IN (NEW.id)",
    "UPDATE stats SET edits = 1 WHERE edits = 0 AND NEW.id IN (SELECT pid FROM stats)",
    "UPDATE OR IGNORE stats SET pid = NEW.id",
    "INSERT INTO stats VALUES (NEW.id, 0)",
    "INSERT INTO stats (edits, pid) VALUES (0, NEW.id)",
    "INSERT INTO stats VALUES (1, 0), (NEW.id, 0)",
    "INSERT OR REPLACE INTO stats SELECT NEW.id, count(*) FROM c",
    "REPLACE INTO stats (pid) SELECT 1 UNION SELECT NEW.id",
    "INSERT INTO stats (pid) VALUES (1) ON CONFLICT (pid) DO UPDATE SET pid = NEW.id",
    "DELETE FROM stats WHERE pid = (CASE WHEN 1 THEN 2 END) OR pid = NEW.id",
    "DELETE FROM stats WHERE rowid = NEW.id",
    "UPDATE p SET touched = 1 WHERE rowid = NEW.id",
    "SELECT RAISE(ABORT, 'first') WHERE NEW.id = 1",
    "UPDATE c SET note = 'x' WHERE other = NEW.id",
    "UPDATE kept SET edits = NEW.id",
    "DELETE FROM stats WHERE pid IN (SELECT NEW.id)",
    "DELETE FROM stats WHERE pid NOT IN (SELECT NEW.id AS n FROM p)",
    "DELETE FROM stats WHERE pid IN (SELECT 1 UNION SELECT NEW.id)",
    "DELETE FROM stats WHERE pid IN (VALUES (NEW.id))",
    "DELETE FROM stats WHERE pid IN (VALUES (1), (NEW.id))",
    "DELETE FROM stats WHERE pid IN ((NEW.id))",
    "DELETE FROM stats WHERE pid = (NEW.id)",
    "DELETE FROM stats WHERE (SELECT DISTINCT NEW.id) = pid",
    "DELETE FROM stats WHERE NEW.id IN (SELECT DISTINCT pid FROM stats)",
    "INSERT INTO stats VALUES ((SELECT NEW.id), 0)",
    "INSERT INTO stats SELECT (NEW.id), 0",
    "SELECT RAISE(ABORT, 'first') WHERE NEW.id IN (1, 2)",
    "SELECT RAISE(ABORT, 'first') WHERE NEW.id = -1",
    "SELECT RAISE(ABORT, 'first') WHERE NEW.id = '1'",
    "INSERT INTO places VALUES (NEW.id, 0, 1)",
    "DELETE FROM places WHERE pid = NEW.id",
  ]

  @Test(arguments: broken)
  func triggerThatPutsAKeyBesideAnIntegerIsRefused(_ statement: String) throws {
    let legacy = try LegacyDatabase(
      Self.tables + "CREATE TRIGGER upd AFTER INSERT ON p BEGIN \(statement); END")
    let before = try legacy.bytes()
    let error = #expect(throws: SyncError.self) { try legacy.migrate(["p", "c"]) }
    #expect(error?.reason == .keysNotMigrated)
    #expect(error?.table == "p" && error?.column == "id" && error?.others == [])
    #expect(error?.message.contains("The trigger upd") == true)
    #expect(try legacy.bytes() == before)
  }

  static let right: [String] = [
    "UPDATE p SET touched = touched + 1 WHERE id = NEW.id",
    "UPDATE p SET touched = touched + 1 WHERE rowid = NEW.rowid",
    "UPDATE c SET note = NEW.title WHERE pid = NEW.id",
    "UPDATE c SET note = 'x' WHERE c.pid IN (NEW.id) AND NEW.id IS NOT NULL AND NEW.id <> 'x'",
    "INSERT INTO c (note, pid) VALUES (NEW.title, NEW.id)",
    "INSERT INTO c (pid, note) SELECT NEW.id, title FROM p WHERE id = NEW.id",
    "UPDATE c SET note = 'x' WHERE pid IS DISTINCT FROM NEW.id",
    "INSERT INTO kept (ref, edits) VALUES (NEW.id, 0)",
    "UPDATE kept SET edits = edits + 1 WHERE ref = NEW.id",
    "INSERT INTO kept (ref) SELECT NEW.id WHERE NOT EXISTS (SELECT 1 FROM kept WHERE ref = NEW.id)",
    "INSERT INTO c (note) VALUES ('made ' || NEW.id)",
    "SELECT RAISE(ABORT, 'twice') FROM p AS q WHERE q.id = NEW.id AND q.rowid <> NEW.rowid",
    "DELETE FROM stats WHERE edits = length(NEW.title)",
    "DELETE FROM c WHERE pid IN (SELECT NEW.id) OR pid IN (VALUES (NEW.id)) OR pid = (NEW.id)",
    "DELETE FROM stats WHERE EXISTS (SELECT NEW.id FROM c WHERE pid = NEW.id) AND edits = 1",
    "INSERT INTO c (pid) VALUES ((SELECT NEW.id))",
    "UPDATE p SET touched = 1 WHERE rowid = last_insert_rowid()",
  ]

  static let lastInserted: [String] = [
    "INSERT INTO stats (pid) SELECT last_insert_rowid()",
    "INSERT INTO c (pid) VALUES (last_insert_rowid())",
    "INSERT INTO stats VALUES (abs(\"last_insert_rowid\"()), 0)",
    "UPDATE c SET pid = Last_Insert_RowID ()",
    "UPDATE c SET note = 'x' WHERE pid = last_insert_rowid()",
    "DELETE FROM stats WHERE pid IN (SELECT last_insert_rowid())",
    "SELECT RAISE(ABORT, 'first') WHERE last_insert_rowid() = 1",
  ]

  @Test(arguments: lastInserted)
  func triggerThatTakesARowIDForAKeyIsRefused(_ statement: String) throws {
    let legacy = try LegacyDatabase(
      Self.tables + "CREATE TRIGGER made AFTER INSERT ON p BEGIN \(statement); END")
    let before = try legacy.bytes()
    let error = #expect(throws: SyncError.self) { try legacy.migrate(["p", "c"]) }
    #expect(error?.reason == .keysNotMigrated && error?.table == "p" && error?.others == [])
    #expect(error?.message.contains("The trigger made uses last_insert_rowid()") == true)
    #expect(error?.hint?.contains("NEW.rowid") == true)
    #expect(try legacy.bytes() == before)
  }

  @Test func rowIDsOfOtherTablesAreNoKeys() throws {
    let legacy = try migrate(
      """
      CREATE TRIGGER made AFTER INSERT ON stats BEGIN
        INSERT INTO kept (edits) VALUES (last_insert_rowid());
      END;
      """)
    try legacy.execute("INSERT INTO stats VALUES (5, 0)")
    #expect(try legacy.rows("SELECT edits FROM kept") == ["5"])
    for statement in ["UPDATE kept SET ref", "DELETE FROM c WHERE c.pid"] {
      let error = #expect(throws: SyncError.self) {
        try migrate(
          """
          CREATE TRIGGER made AFTER INSERT ON stats BEGIN
            \(statement) = last_insert_rowid();
          END;
          """)
      }
      #expect(error?.reason == .keysNotMigrated && error?.table == "stats")
    }
  }

  /// A condition with CASE in it is read from its beginning, and `begin` can be a column.
  @Test(arguments: [
    "WHEN NEW.pid = 1 AND CASE WHEN NEW.note THEN 1 END",
    "WHEN NEW.\"begin\" OR NEW.begin OR NEW.pid IN (1)",
  ])
  func conditionIsReadAsAWhole(_ condition: String) throws {
    let legacy = try LegacyDatabase(
      Self.tables + """
        ALTER TABLE c ADD COLUMN "begin";
        CREATE TRIGGER made AFTER INSERT ON c \(condition) BEGIN SELECT 1; END;
        """)
    let error = #expect(throws: SyncError.self) { try legacy.migrate(["p", "c"]) }
    #expect(error?.table == "c" && error?.column == "pid")
  }

  @Test(arguments: right)
  func triggerThatPutsKeysBesideKeysStays(_ statement: String) throws {
    let legacy = try migrate("CREATE TRIGGER upd AFTER INSERT ON p BEGIN \(statement); END")
    try legacy.execute("INSERT INTO p (title) VALUES ('Salt')")
    #expect(try legacy.rows("SELECT count(*) FROM p") == ["3"])
  }

  @Test func triggerOnTheReferringTableMayUseItsKeys() throws {
    let legacy = try migrate(
      """
      CREATE TRIGGER touch AFTER INSERT ON c WHEN NEW.pid IS NOT NULL BEGIN
        UPDATE p SET touched = touched + 1 WHERE id = NEW.pid;
        UPDATE kept SET edits = edits + 1 WHERE ref = NEW.pid;
      END;
      INSERT INTO kept (ref, edits) VALUES (7, 0);
      """)
    try legacy.execute("INSERT INTO c (pid) SELECT id FROM p WHERE title = 'Eggs'")
    #expect(try legacy.rows("SELECT touched FROM p WHERE title = 'Eggs'") == ["1"])
    #expect(try legacy.rows("SELECT edits FROM kept") == ["1"])
  }

  @Test func everyTriggerIsNamedAtOnce() throws {
    let legacy = try LegacyDatabase(
      Self.tables + """
        CREATE TRIGGER made AFTER INSERT ON p BEGIN INSERT INTO stats VALUES (NEW.id, 0); END;
        CREATE TRIGGER edited AFTER UPDATE ON p WHEN NEW.id > 5 BEGIN
          UPDATE stats SET edits = edits + 1 WHERE pid = NEW.id AND pid = OLD.id;
        END;
        CREATE TRIGGER gone AFTER DELETE ON c WHEN OLD.pid = OLD.other BEGIN SELECT 1; END;
        CREATE VIRTUAL TABLE words USING fts5(title);
        CREATE TRIGGER found AFTER INSERT ON p BEGIN
          INSERT INTO words (rowid, title) VALUES (NEW.id, NEW.title);
        END;
        """)
    let error = try #require(
      #expect(throws: SyncError.self) { try legacy.migrate(["p", "c"]) })
    let triggers = ([error] + error.others).map { $0.message.split(separator: " ")[2] }
    #expect(triggers.sorted() == ["edited", "edited", "found", "gone", "made"])
  }
}
