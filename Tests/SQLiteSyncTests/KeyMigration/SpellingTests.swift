import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// A table can be written in many ways; all are read as SQLite reads them.
struct SpellingTests {
  /// Statements that make a table `t` whose key is `k`, with a column `v`.
  static let spellings = [
    "CREATE TABLE t (k INTEGER PRIMARY KEY, v)",
    "create table if not exists main.t (k integer primary key autoincrement not null, v)",
    "CREATE TABLE [t] ([k] INTEGER PRIMARY KEY, [v] [odd type (3])",
    "CREATE TABLE `t` (`k` INTEGER PRIMARY KEY, `v` TEXT DEFAULT '`,(')",
    "CREATE TABLE 't' ('k' 'INTEGER' PRIMARY KEY, 'v' TEXT DEFAULT 'it''s')",
    "CREATE TABLE \"t\" (\"k\" INTEGER PRIMARY KEY, \"v\" TEXT DEFAULT \"a,b)\")",
    "CREATE TABLE t(k INTEGER PRIMARY KEY,v VARCHAR(10,2)DEFAULT-1 CHECK(v<>')'))",
    "CREATE TABLE t (k INTEGER, v, PRIMARY KEY (k))",
    "CREATE TABLE t (k INTEGER, v, CONSTRAINT pk PRIMARY KEY (\"k\" ASC AUTOINCREMENT))",
    "CREATE TABLE t (k INTEGER, v TEXT, PRIMARY KEY (k) CHECK (v <> 'x') CHECK (k NOTNULL))",
    "CREATE TABLE t (k INTEGER CONSTRAINT pk PRIMARY KEY DESC ON CONFLICT REPLACE, v)",
    "CREATE TABLE t (k INT PRIMARY KEY, v)",
    "CREATE TABLE t (k UNSIGNED BIG INT (8) PRIMARY KEY NOT NULL ON CONFLICT ABORT, v)",
    "CREATE TABLE t (k BIGINT UNIQUE PRIMARY KEY, v) STRICT".replacing("BIGINT", with: "INT")
      .replacing(" v)", with: " v ANY)"),
    "CREATE TABLE t (k INTEGER PRIMARY KEY, v) WITHOUT ROWID",
    "CREATE TABLE t (k INTEGER NOT NULL PRIMARY KEY, v TEXT) STRICT, WITHOUT ROWID",
    """
    CREATE TABLE t -- a table (of, sorts
    ( /* PRIMARY KEY, */ k /* the key */ INTEGER -- integer, still
      PRIMARY /**/ KEY -- trailing
      NOT NULL, -- why
      v -- value )
    ) -- the end
    """,
    "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT COLLATE NOCASE NOT NULL DEFAULT (x'00' || 'a'))",
    "CREATE TABLE t (k INTEGER PRIMARY KEY, v, checksum, unique_id, primary_ TEXT, \"check\" INT)",
    "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT, w GENERATED ALWAYS AS (upper(v)) STORED)",
    "CREATE TABLE t (k INTEGER PRIMARY KEY, v, w AS (v || ')') VIRTUAL, x GENERATED)",
    // The names that the copy's columns had once.
    "CREATE TABLE t (k INTEGER PRIMARY KEY, v, r TEXT, c0, c1 INT, w AS (upper(r)) STORED)",
    "CREATE TABLE t (k INTEGER PRIMARY KEY, v DEFAULT CURRENT_TIMESTAMP, w DEFAULT TRUE NOT NULL)",
    "CREATE TABLE t (k INTEGER PRIMARY KEY, v CONSTRAINT a CONSTRAINT b NULL DEFAULT 1.5e+3)",
    """
    CREATE TABLE t (k INTEGER PRIMARY KEY, v REFERENCES t (k) ON DELETE SET NULL ON UPDATE NO ACTION
      MATCH FULL NOT DEFERRABLE INITIALLY IMMEDIATE, w INTEGER, FOREIGN KEY (w) REFERENCES t
      DEFERRABLE INITIALLY DEFERRED)
    """,
    "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT DEFAULT 0x1F, été TEXT, a$b, _c)",
    "CREATE TABLE t (k INTEGER PRIMARY KEY, v key, action text, temp begin, \"a\"\"b\" end)",
    "\u{FEFF}CREATE TABLE t (\u{FEFF}k INTEGER \u{FEFF} PRIMARY KEY \u{FEFF}, v)",
    "CREATE TABLE t (k INTEGER CHECK (v IN (1, 2, 3) OR 1) DEFAULT 5 PRIMARY KEY, v)",
  ]

  @Test(arguments: spellings)
  func theKeyBecomesTextAndTheRestStays(sql: String) throws {
    let legacy = try LegacyDatabase(sql + "\n; INSERT INTO t (k) VALUES (1), (2)")
    let columns = """
      SELECT name, type, "notnull", dflt_value, pk > 0, hidden FROM pragma_table_xinfo('t')
      WHERE name <> 'k' AND name NOT IN (SELECT "from" FROM pragma_foreign_key_list('t'))
      """
    let others = "SELECT * FROM pragma_foreign_key_list('t')"
    let kind = "SELECT wr, strict FROM pragma_table_list('t')"
    let (before, references) = try (legacy.rows(columns), legacy.rows(others))
    let kinds = try legacy.rows(kind)
    let comments = Self.comments(of: try legacy.sql(of: "t"))
    try legacy.migrate(["t"])
    #expect(try legacy.rows(columns) == before)
    #expect(try legacy.rows(others) == references)
    #expect(try legacy.rows(kind) == kinds)
    #expect(Self.comments(of: try legacy.sql(of: "t")) == comments)
    #expect(
      try legacy.rows("SELECT type, \"notnull\", pk FROM pragma_table_info('t') WHERE name = 'k'")
        == ["TEXT|1|1"])
    #expect(
      try Set(legacy.rows("SELECT k FROM t"))
        == [LegacyDatabase.key(1, "t"), LegacyDatabase.key(2, "t")])
    try legacy.execute("INSERT INTO t (k) VALUES (NULL)")
    #expect(try legacy.rows("SELECT length(k) FROM t") == ["36", "36", "36"])
  }

  @Test(arguments: spellings)
  func theColumnsAreFoundAsSQLiteFindsThem(sql: String) throws {
    let legacy = try LegacyDatabase(sql)
    let definition = try #require(TableDefinition(try legacy.sql(of: "t")))
    let names = try legacy.rows("SELECT name FROM pragma_table_xinfo('t')")
    #expect(definition.columns.map(\.name) == names)
  }

  @Test(arguments: [
    "", "CREATE", "CREATE TABLE t", "CREATE TABLE t AS SELECT 1", "CREATE TABLE t ()",
    "CREATE TABLE t (a", "CREATE TABLE t (a,)", "CREATE TABLE t (a DEFAULT)", "CREATE TABLE t ('a)",
    "CREATE TABLE t (a CHECK (b)", "CREATE TABLE t (a REFERENCES)", "CREATE VIEW t AS SELECT 1",
    "CREATE TABLE t (a PRIMARY)", "CREATE TABLE t ([a)",
    "CREATE TABLE t (a, FOREIGN KEY (a))", "CREATE TABLE t (a NOT NULL ON CONFLICT)",
  ])
  func whatIsNoTableIsNotRead(sql: String) {
    #expect(TableDefinition(sql) == nil)
  }

  private static func comments(of sql: String) -> [String] {
    let tokens = SQLTokenizer.tokens(of: sql) ?? []
    var comments: [String] = []
    var end = 0
    for token in tokens {
      let gap = Array(sql.utf8)[end..<token.range.lowerBound]
      comments.append(String(decoding: gap, as: UTF8.self).filter { !$0.isWhitespace })
      end = token.range.upperBound
    }
    return comments.filter { !$0.isEmpty }
  }
}
