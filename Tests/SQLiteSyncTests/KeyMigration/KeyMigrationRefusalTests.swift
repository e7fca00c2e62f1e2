import Foundation
import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// What the migration of keys does not do, and that the file is untouched then.
struct KeyMigrationRefusalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let sql: String
    var tables = ["t"]
    var reason = SyncError.Reason.keysNotMigrated
    var about = "t"

    var testDescription: String { sql }
  }

  static let cases: [Case] = [
    Case(sql: "CREATE TABLE u (id INTEGER PRIMARY KEY)", reason: .unknownTable),
    Case(sql: "CREATE VIEW t AS SELECT 1 AS id", reason: .unknownTable),
    Case(sql: "CREATE VIRTUAL TABLE t USING fts5 (text)", reason: .unknownTable),
    Case(
      sql: "CREATE TABLE t (a INTEGER, b TEXT, PRIMARY KEY (a, b))", reason: .compoundPrimaryKey),
    Case(sql: "CREATE TABLE t (id BLOB PRIMARY KEY)", reason: .keyIsNotText),
    Case(sql: "CREATE TABLE t (id INTEGER, a TEXT)"),
    Case(sql: "CREATE TABLE t (rowid, _rowid_, oid, id INTEGER PRIMARY KEY)"),
    Case(
      sql: """
        CREATE TABLE t (id INTEGER PRIMARY KEY);
        CREATE TABLE u (t INTEGER REFERENCES t);
        INSERT INTO u VALUES (7);
        """, about: "u"),
    Case(
      sql: """
        CREATE TABLE p (id INTEGER PRIMARY KEY);
        CREATE TABLE t (id INTEGER PRIMARY KEY REFERENCES p);
        INSERT INTO p VALUES (1); INSERT INTO t VALUES (1);
        """),
    Case(sql: "CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES ('one')"),
    Case(
      sql: """
        CREATE TABLE t (id INTEGER PRIMARY KEY CHECK (typeof(id) = 'integer'));
        INSERT INTO t VALUES (1);
        """),
    Case(
      sql: """
        CREATE TABLE t (id INTEGER PRIMARY KEY, twice INTEGER AS (id * 2));
        INSERT INTO t VALUES (1);
        """),
    Case(
      sql: """
        CREATE TABLE t (id INTEGER PRIMARY KEY);
        CREATE TABLE u (n INTEGER, t INTEGER AS (n) STORED REFERENCES t);
        """, about: "u"),
    Case(
      sql: """
        CREATE TABLE t (a);
        CREATE TABLE u (a);
        CREATE TRIGGER copy AFTER INSERT ON u BEGIN INSERT INTO t VALUES (NEW.a); END;
        """, about: "u"),
    Case(
      sql: """
        CREATE TABLE t (id INTEGER PRIMARY KEY);
        CREATE TABLE u (t INTEGER DEFAULT (abs(1)) REFERENCES t);
        """, about: "u"),
    Case(
      sql: """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a, UNIQUE (id, a));
        CREATE TABLE u (t INTEGER, a, FOREIGN KEY (t, a) REFERENCES t (id, a));
        """, reason: .compoundForeignKey, about: "u"),
    Case(
      sql: """
        CREATE TABLE t (id INTEGER PRIMARY KEY);
        CREATE TABLE v (id INTEGER PRIMARY KEY);
        CREATE TABLE u (x INTEGER REFERENCES t REFERENCES v);
        """, tables: ["t", "v"], about: "u"),
  ]

  @Test(arguments: cases)
  func whatIsNotUnderstoodIsRefusedAndNoByteIsChanged(_ refused: Case) throws {
    let legacy = try LegacyDatabase(refused.sql)
    let before = try legacy.bytes()
    let error = #expect(throws: SyncError.self) { try legacy.migrate(refused.tables) }
    #expect(error?.reason == refused.reason)
    #expect(error?.table == refused.about)
    #expect(error?.hint?.isEmpty == false)
    #expect(try legacy.bytes() == before)
    #expect(try legacy.rows("SELECT name FROM sqlite_temp_schema") == [])
  }

  @Test func anErrorThatTheAppCatchesLeavesNothingBehindInItsTransaction() throws {
    let legacy = try LegacyDatabase(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY); CREATE TABLE u (t INTEGER REFERENCES t);
      INSERT INTO u VALUES (7);
      """)
    let before = try legacy.rows("SELECT sql FROM sqlite_schema")
    _ = try legacy.queue.write { db in
      #expect(throws: SyncError.self) {
        try SyncEngine.migratePrimaryKeys(db, tableNames: ["t"])
      }
    }
    #expect(try legacy.rows("SELECT sql FROM sqlite_schema") == before)
    #expect(try legacy.rows("SELECT * FROM u") == ["7"])
  }

  @Test func itIsRefusedWhereDroppingATableWouldDeleteRows() throws {
    let queue = try DatabaseQueue()
    let error = try queue.write { db in
      try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY)")
      return #expect(throws: SyncError.self) {
        try SyncEngine.migratePrimaryKeys(db, tableNames: ["t"])
      }
    }
    #expect(error?.reason == .keysNotMigrated)
  }

  @Test func aTableThatATemporaryOneHidesIsRefused() throws {
    let legacy = try LegacyDatabase("CREATE TABLE t (id INTEGER PRIMARY KEY)")
    try legacy.queue.write { try $0.execute(sql: "CREATE TEMP TABLE T (a)") }
    let error = #expect(throws: SyncError.self) { try legacy.migrate(["t"]) }
    #expect(error?.reason == .hiddenTable)
  }

  @Test func everythingThatKeepsItFromBeingDoneIsToldAtOnce() throws {
    let legacy = try LegacyDatabase(
      """
      CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT UNIQUE ON CONFLICT REPLACE);
      CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER REFERENCES p (id));
      CREATE TABLE j (a INTEGER, b TEXT, PRIMARY KEY (a, b));
      CREATE TABLE naïve (id INTEGER PRIMARY KEY);
      CREATE TABLE fine (id INTEGER PRIMARY KEY);
      """)
    let before = try legacy.rows("SELECT sql FROM sqlite_schema")
    try legacy.queue.write { db in
      let error = #expect(throws: SyncError.self) {
        try SyncEngine.migratePrimaryKeys(db, tableNames: ["p", "c", "j", "naïve", "fine"])
      }
      let all = ([error].compactMap { $0 } + (error?.others ?? []))
        .map { "\($0.reason) \($0.table ?? "")" }
      #expect(
        all.sorted() == [
          "compoundPrimaryKey j", "invalidTableName naïve", "uniqueConstraint p",
          "unsupportedForeignKeyAction c",
        ])
    }
    #expect(try legacy.rows("SELECT sql FROM sqlite_schema") == before)
  }
}
