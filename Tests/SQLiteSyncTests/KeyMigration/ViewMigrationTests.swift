import GRDB
import Testing

@testable import SQLiteSync

/// Views and their triggers that speak of integer keys, when these become text.
struct ViewMigrationTests {
  private static let schema = """
    CREATE TABLE p (id INTEGER PRIMARY KEY, title TEXT);
    CREATE TABLE c (
      id INTEGER PRIMARY KEY, note TEXT, pid INTEGER REFERENCES p (id), other INTEGER);
    CREATE TABLE stats (pid INTEGER PRIMARY KEY, edits INTEGER NOT NULL DEFAULT 0);
    CREATE VIEW lines AS
      SELECT c.id AS line, title, note, p."id" AS plant, other, pid + 0 AS computed
      FROM c LEFT JOIN p ON p.id = c.pid;
    CREATE VIEW "all lines" (one, two) AS SELECT plant, line FROM (SELECT * FROM lines);
    CREATE VIRTUAL TABLE words USING fts5 (title);
    CREATE VIEW broken AS SELECT * FROM missing;
    INSERT INTO p (id, title) VALUES (3, 'Milk'), (7, 'Eggs');
    INSERT INTO c (id, note, pid) VALUES (1, 'fresh', 7);

    """

  private func error(_ sql: String) throws -> SyncError {
    let legacy = try LegacyDatabase(Self.schema + sql)
    let before = try legacy.bytes()
    let error = try #require(#expect(throws: SyncError.self) { try legacy.migrate(["p", "c"]) })
    #expect(error.reason == .keysNotMigrated)
    #expect(try legacy.bytes() == before)
    return error
  }

  @Test(arguments: [
    "UPDATE stats SET edits = edits + 1 WHERE pid = NEW.plant",
    "DELETE FROM stats WHERE pid IN (SELECT OLD.plant)",
    "INSERT INTO stats VALUES (NEW.plant, 0)",
    "UPDATE c SET note = NEW.note WHERE rowid = OLD.line",
    "UPDATE c SET other = NEW.PLANT",
    "SELECT RAISE(ABORT, 'first') WHERE NEW.line = 1",
    "INSERT INTO words (rowid, title) VALUES (NEW.line, NEW.note)",
    "UPDATE c SET note = 'x' WHERE id = last_insert_rowid()",
  ])
  func insteadOfTriggerThatPutsAKeyBesideAnIntegerIsRefused(_ statement: String) throws {
    let error = try error(
      "CREATE TRIGGER edit INSTEAD OF UPDATE ON lines BEGIN \(statement); END")
    #expect(error.table == "lines" && error.others == [])
    #expect(error.message.contains("The trigger edit"))
  }

  @Test func keysAreFoundThroughViewsOfViews() throws {
    let error = try error(
      """
      CREATE TRIGGER gone INSTEAD OF DELETE ON "all lines" BEGIN
        DELETE FROM stats WHERE pid = OLD.one OR edits = OLD.two;
      END
      """)
    #expect(error.table == "all lines" && error.column == "one")
    #expect(error.others.map(\.column) == ["two"])
    #expect(error.hint?.contains("REFERENCES p") == true)
  }

  @Test func insteadOfTriggerThatPutsKeysBesideKeysStays() throws {
    let legacy = try LegacyDatabase(
      Self.schema + """
        CREATE TRIGGER made INSTEAD OF INSERT ON lines BEGIN
          INSERT INTO c (note, pid, other) VALUES (NEW.note, NEW.plant, NEW.other);
        END;
        CREATE TRIGGER edit INSTEAD OF UPDATE ON lines BEGIN
          UPDATE c SET note = NEW.note, pid = NEW.plant WHERE id = OLD.line AND NEW.computed = 7;
          UPDATE lines SET plant = NEW.plant WHERE 0;
        END;
        """)
    try legacy.migrate(["p", "c"])
    try legacy.execute(
      "INSERT INTO lines (note, plant) SELECT 'new', id FROM p WHERE title = 'Milk'")
    #expect(
      try legacy.rows("SELECT note, title FROM lines ORDER BY note") == ["fresh|Eggs", "new|Milk"])
  }

  static let brokenViews: [String] = [
    "SELECT * FROM p WHERE id = 1",
    "SELECT * FROM p AS x WHERE 7 < x.id",
    "SELECT * FROM c WHERE pid NOT IN (1, 2)",
    "SELECT title, edits FROM p JOIN stats ON stats.pid = p.id",
    "SELECT * FROM c AS x, stats AS y WHERE x.pid = y.pid",
    "SELECT * FROM main.c x JOIN main.stats y ON (y.pid IS x.pid)",
    "SELECT * FROM p WHERE rowid IN (SELECT pid FROM c)",
    "SELECT title FROM p WHERE EXISTS (SELECT 1 FROM stats WHERE stats.pid = p.id)",
    "SELECT * FROM lines WHERE plant = 7",
    "SELECT other = line FROM lines",
    "SELECT 1 UNION SELECT title FROM p WHERE p.id > 5",
  ]

  @Test(arguments: brokenViews)
  func viewThatPutsAKeyBesideAnIntegerIsRefused(_ query: String) throws {
    let error = try error("CREATE VIEW looked AS \(query)")
    #expect(error.table == "looked" && error.others == [])
    #expect(error.message.contains("The view looked puts"))
  }

  @Test(arguments: [
    "SELECT * FROM p WHERE id IN (SELECT pid FROM c)",
    "SELECT p.id FROM p LEFT JOIN c AS x ON x.pid = p.id WHERE x.id IS NULL",
    "SELECT edits AS id FROM stats WHERE edits = 1 ORDER BY id",
    "SELECT * FROM lines JOIN p ON plant = id WHERE other = 1 AND computed = 7",
    "SELECT p.rowid, count(*) FROM p, stats WHERE p.rowid = stats.pid GROUP BY p.id",
    "WITH p AS (SELECT 1 AS one) SELECT * FROM p WHERE one = 1",
    "SELECT * FROM p WHERE id = 'k1' OR id IS NOT NULL LIMIT 7",
  ])
  func viewThatPutsKeysBesideKeysStays(_ query: String) throws {
    let legacy = try LegacyDatabase(Self.schema + "CREATE VIEW looked AS \(query)")
    try legacy.migrate(["p", "c"])
    _ = try legacy.rows("SELECT * FROM looked")
  }

  @Test func everythingIsNamedAtOnce() throws {
    let error = try error(
      """
      CREATE VIEW looked AS SELECT * FROM p WHERE id = 1;
      CREATE TRIGGER edit INSTEAD OF UPDATE ON lines BEGIN
        DELETE FROM stats WHERE pid = OLD.plant;
      END;
      CREATE TRIGGER made AFTER INSERT ON p BEGIN INSERT INTO stats VALUES (NEW.id, 0); END;
      CREATE INDEX few ON c (note) WHERE pid = 1;
      """)
    #expect(Set(([error] + error.others).map(\.table)) == ["p", "lines", "looked", "c"])
  }
}
