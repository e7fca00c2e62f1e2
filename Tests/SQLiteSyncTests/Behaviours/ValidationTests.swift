import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Which tables are refused, why, and that a refusal changes nothing.
struct ValidationTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let sql: String
    var tables = ["t"]
    let reason: SyncError.Reason
    var column: String?

    var testDescription: String { "\(reason): \(sql)" }
  }

  private static func table(columns count: Int) -> String {
    let columns = (1...count).map { ", c\($0)" }.joined()
    return "CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL\(columns))"
  }

  static let cases: [Case] = [
    Case(sql: "SELECT 1", reason: .unknownTable),
    Case(sql: "CREATE VIEW t AS SELECT 1", reason: .unknownTable),
    Case(
      sql: #"CREATE TABLE "a:b" (id TEXT PRIMARY KEY NOT NULL)"#, tables: ["a:b"],
      reason: .invalidTableName),
    Case(
      sql: "CREATE TABLE sync_x (id TEXT PRIMARY KEY NOT NULL)", tables: ["sync_x"],
      reason: .invalidTableName),
    Case(
      sql: "CREATE TABLE é (id TEXT PRIMARY KEY NOT NULL)", tables: ["é"],
      reason: .invalidTableName),
    Case(sql: "CREATE TABLE t (id TEXT)", reason: .missingPrimaryKey),
    Case(
      sql: "CREATE TABLE t (a TEXT NOT NULL, b TEXT NOT NULL, PRIMARY KEY (a, b))",
      reason: .compoundPrimaryKey),
    Case(
      sql: "CREATE TABLE t (id INTEGER PRIMARY KEY NOT NULL)", reason: .integerPrimaryKey,
      column: "id"),
    Case(
      sql: "CREATE TABLE t (id BIGINT PRIMARY KEY NOT NULL)", reason: .integerPrimaryKey,
      column: "id"),
    Case(
      sql: "CREATE TABLE t (id BLOB PRIMARY KEY NOT NULL)", reason: .keyIsNotText, column: "id"),
    Case(sql: "CREATE TABLE t (id PRIMARY KEY NOT NULL)", reason: .keyIsNotText, column: "id"),
    Case(
      sql: "CREATE TABLE t (id TEXT PRIMARY KEY)", reason: .nullablePrimaryKey, column: "id"),
    Case(sql: table(columns: 201), reason: .tooManyColumns),
    Case(
      sql: "CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, recordID TEXT)",
      reason: .reservedColumnName, column: "recordID"),
    Case(
      sql: "CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, \"a\nb\" TEXT)",
      reason: .invalidColumnName, column: "a\nb"),
    Case(
      sql: "CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, a TEXT UNIQUE ON CONFLICT IGNORE)",
      reason: .uniqueConstraint, column: "a"),
    Case(
      sql: """
        CREATE TABLE t (
          id TEXT PRIMARY KEY NOT NULL, a, b COLLATE NOCASE, UNIQUE (a, b) ON CONFLICT REPLACE)
        """, reason: .uniqueConstraint, column: "a, b"),
    Case(
      sql: "CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, a TEXT NOT NULL ON CONFLICT IGNORE)",
      reason: .conflictClause, column: "a"),
    Case(
      sql: """
        CREATE TABLE t (
          id TEXT PRIMARY KEY NOT NULL, b,
          a AS (lower(b)) NOT NULL ON CONFLICT REPLACE CONSTRAINT c NOT NULL on conflict Rollback)
        """, reason: .conflictClause, column: "a"),
    Case(
      sql: """
        CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, a);
        CREATE UNIQUE INDEX i ON t (a, lower(a));
        """, reason: .uniqueConstraint, column: "a, <expression>"),
    Case(
      sql: "CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, a, b AS (lower(a)) UNIQUE)",
      reason: .uniqueConstraint, column: "b"),
    Case(
      sql: """
        CREATE TABLE p (id TEXT PRIMARY KEY NOT NULL);
        CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, p TEXT REFERENCES p ON DELETE CASCADE);
        """, reason: .foreignKeyToUnsynchronizedTable, column: "p"),
    Case(
      sql: """
        CREATE TABLE p (id TEXT PRIMARY KEY NOT NULL);
        CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, p TEXT REFERENCES p ON DELETE RESTRICT);
        """, tables: ["p", "t"], reason: .unsupportedForeignKeyAction, column: "p"),
    Case(
      sql: """
        CREATE TABLE p (id TEXT PRIMARY KEY NOT NULL);
        CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, p TEXT REFERENCES p (id));
        """, tables: ["p", "t"], reason: .unsupportedForeignKeyAction, column: "p"),
    Case(
      sql: """
        CREATE TABLE p (id TEXT PRIMARY KEY NOT NULL);
        CREATE TABLE t (
          id TEXT PRIMARY KEY NOT NULL, q TEXT REFERENCES p (id) ON DELETE CASCADE,
          p TEXT REFERENCES p (id));
        """, tables: ["p", "t"], reason: .unsupportedForeignKeyAction, column: "p"),
    Case(
      sql: """
        CREATE TABLE p (id TEXT PRIMARY KEY NOT NULL, code TEXT);
        CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, p REFERENCES P (CODE) ON DELETE CASCADE);
        """, tables: ["p", "t"], reason: .foreignKeyToOtherColumn, column: "p"),
    Case(
      sql: """
        CREATE TABLE p (id TEXT PRIMARY KEY NOT NULL, code TEXT);
        CREATE TABLE t (
          id TEXT PRIMARY KEY NOT NULL, a TEXT, b TEXT,
          FOREIGN KEY (a, b) REFERENCES p (id, code) ON DELETE CASCADE);
        """, tables: ["p", "t"], reason: .compoundForeignKey),
    Case(
      sql: "CREATE TABLE \(String(repeating: "t", count: 129)) (id TEXT PRIMARY KEY NOT NULL)",
      tables: [String(repeating: "t", count: 129)], reason: .invalidTableName),
    Case(
      sql: """
        CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, u TEXT REFERENCES u (id) ON DELETE CASCADE);
        CREATE TABLE u (id TEXT PRIMARY KEY NOT NULL, t TEXT REFERENCES t (id) ON DELETE CASCADE);
        """, tables: ["t", "u"], reason: .foreignKeyCycle),
    Case(
      sql: "CREATE TABLE t (id TEXT COLLATE rtrim PRIMARY KEY NOT NULL)", reason: .keyCollation,
      column: "id"),
    // SQLite compiles the text in its schema up to the semicolon, whoever has put it there.
    Case(
      sql: """
        CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL);
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = sql || '; ''never closed' WHERE name = 't';
        PRAGMA writable_schema = OFF;
        """, reason: .unreadableSchema),
  ]

  static let warnings: [Case] = [
    Case(
      sql: "CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, a TEXT NOT NULL)",
      reason: .missingDefault, column: "a"),
    Case(
      sql: """
        CREATE TABLE t (
          id TEXT PRIMARY KEY NOT NULL, a TEXT NOT NULL ON CONFLICT REPLACE DEFAULT NULL)
        """, reason: .missingDefault, column: "a"),
    Case(
      sql: "CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, a TEXT NOT NULL DEFAULT '')",
      reason: .missingConflictClause, column: "a"),
    Case(
      sql: """
        CREATE TABLE t (
          id TEXT PRIMARY KEY NOT NULL, [a] TEXT CONSTRAINT c NOT/**/NULL ON CONFLICT FAIL
          DEFAULT ('on conflict replace'))
        """, reason: .missingConflictClause, column: "a"),
    Case(
      sql: """
        CREATE TABLE p (id TEXT PRIMARY KEY NOT NULL);
        CREATE TABLE t (
          id TEXT PRIMARY KEY NOT NULL,
          p TEXT NOT NULL ON CONFLICT REPLACE DEFAULT 'x' REFERENCES p ON DELETE SET NULL);
        """, tables: ["p", "t"], reason: .contradictoryForeignKey, column: "p"),
    Case(
      sql: "CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, a TEXT DEFAULT (hex(randomblob(4))))",
      reason: .varyingDefault, column: "a"),
    Case(
      sql: "CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, a TEXT DEFAULT current_timestamp)",
      reason: .varyingDefault, column: "a"),
    Case(
      sql: """
        CREATE TABLE t (
          id TEXT PRIMARY KEY NOT NULL, a TEXT NOT NULL DEFAULT (hex(randomblob(4))))
        """, reason: .missingDefault, column: "a"),
    Case(
      sql: "CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, a BLOB UNIQUE)", reason: .uniqueAsset,
      column: "a"),
    // To SQLite the child's own rows are called so (a mistake of SQLite's, seen in 3.40).
    Case(
      sql: """
        CREATE TABLE p (id TEXT PRIMARY KEY NOT NULL);
        CREATE TABLE old (id TEXT PRIMARY KEY NOT NULL, p TEXT REFERENCES p ON DELETE CASCADE);
        """, tables: ["p", "old"], reason: .invalidTableName),
  ]

  @Test(arguments: warnings)
  func tableOfWhichARecordMayComeToWaitIsAcceptedWithAWarning(_ risky: Case) throws {
    let database = try DatabaseQueue()
    try database.write { try $0.execute(sql: risky.sql) }
    let found = try database.read { try SyncEngine.warnings($0, tableNames: risky.tables) }
    #expect(found.map(\.reason) == [risky.reason])
    #expect(found.map(\.column) == [risky.column])
    #expect(found.allSatisfy { $0.hint?.isEmpty == false })
    try install(risky.tables, in: database)
    #expect(try database.read { try SyncEngine.warnings($0) } == found)
  }

  @Test func everythingThatIsWrongIsToldAtOnce() throws {
    let database = try DatabaseQueue()
    try database.write { db in
      try db.execute(
        sql: """
          CREATE TABLE t (
            id INTEGER PRIMARY KEY, recordID TEXT, etag TEXT, a TEXT UNIQUE ON CONFLICT FAIL,
            u TEXT REFERENCES missing (id));
          CREATE TABLE u (id TEXT PRIMARY KEY NOT NULL, v TEXT REFERENCES v ON DELETE CASCADE);
          CREATE TABLE v (id TEXT PRIMARY KEY NOT NULL, u TEXT REFERENCES u ON DELETE CASCADE);
          """)
    }
    let tables = ["t", "none", "u", "v"]
    let objections = try database.read { try SyncEngine.validate($0, tableNames: tables) }
    #expect(
      objections.map(\.reason) == [
        .unknownTable, .integerPrimaryKey, .reservedColumnName, .reservedColumnName,
        .uniqueConstraint, .foreignKeyToUnsynchronizedTable,
        .unsupportedForeignKeyAction, .foreignKeyCycle,
      ])
    let error = #expect(throws: SyncError.self) { try install(tables, in: database) }
    #expect(error?.reason == .unknownTable)
    #expect(
      error.map { [$0.others.count, $0.description.split(separator: "\n").count] } == [7, 8])
  }

  private func install(_ tables: [String], in database: DatabaseQueue) throws {
    let clock = TestClock()
    let container = CloudContainer(
      store: MemoryStore(), account: AccountID(userID: 1), device: clock.makeID(), app: "test",
      environment: clock.environment)
    _ = try Synchronizer(
      database: database, tables: tables, privateTables: [], container: container,
      configuration: SyncConfiguration())
  }

  @Test(arguments: cases)
  func aTableThatCannotBeSynchronizedIsRefusedAndNothingIsChanged(_ refused: Case) throws {
    let directory = try TemporaryDirectory()
    let file = directory.url.appending(path: "app.sqlite")
    let database = try DatabaseQueue(path: file.path)
    try database.write { try $0.execute(sql: refused.sql) }
    let before = try Data(contentsOf: file)
    let error = #expect(throws: SyncError.self) { try install(refused.tables, in: database) }
    #expect(error?.reason == refused.reason)
    #expect(error?.column == refused.column)
    #expect(error?.hint?.isEmpty == false)
    #expect(try Data(contentsOf: file) == before)
  }

  @Test func aTableThatIsListedAsPrivateTooIsRefused() throws {
    let database = try DatabaseQueue()
    try database.write { try $0.execute(sql: "CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL)") }
    for name in ["t", "T"] {
      let found = try database.read {
        try SyncEngine.validate($0, tableNames: ["t"], privateTableNames: [name])
      }
      #expect(found.map(\.reason) == [.listedTwice] && found.first?.table == "t")
      #expect(found.first?.hint?.isEmpty == false)
      let error = #expect(throws: SyncError.self) {
        try SyncEngine(
          for: database, tableNames: ["t"], privateTableNames: [name], cloud: nil,
          startImmediately: false)
      }
      #expect(error?.reason == .listedTwice)
    }
    #expect(try database.read { try SyncEngine.validate($0, tableNames: ["t", "t"]) } == [])
  }

  @Test func everyRuleHasACase() {
    let rules: Set<SyncError.Reason> = [
      .unknownTable, .missingPrimaryKey, .compoundPrimaryKey, .integerPrimaryKey, .keyIsNotText,
      .nullablePrimaryKey, .keyCollation, .conflictClause, .uniqueConstraint,
      .foreignKeyToUnsynchronizedTable, .foreignKeyToOtherColumn, .compoundForeignKey,
      .unsupportedForeignKeyAction, .foreignKeyCycle, .invalidTableName, .invalidColumnName,
      .reservedColumnName, .tooManyColumns, .unreadableSchema,
    ]
    #expect(Set(Self.cases.map(\.reason)) == rules)
  }

  @Test func aTriggerOfATableThatIsNotSynchronizedDoesNoHarm() throws {
    let database = try DatabaseQueue()
    try database.write { db in
      try db.execute(
        sql: """
          CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL);
          CREATE TABLE log (text TEXT UNIQUE NOT NULL);
          CREATE TRIGGER noted AFTER INSERT ON log BEGIN DELETE FROM t; END;
          """)
    }
    try install(["t"], in: database)
    #expect(try database.read { try $0.tableExists("sync_edits") })
  }

  @Test func namesHaveNoCaseAndATableIsTakenOnce() throws {
    let database = try DatabaseQueue()
    try database.write { db in
      try db.execute(
        sql: """
          CREATE TABLE Lists (ID TEXT PRIMARY KEY NOT NULL);
          CREATE TABLE items (
            id TEXT PRIMARY KEY NOT NULL, list TEXT REFERENCES LISTS (id) ON DELETE CASCADE);
          """)
    }
    try install(["lists", "items", "LISTS"], in: database)
    #expect(
      try database.read { try String.fetchAll($0, sql: "SELECT name FROM sync_tables ORDER BY 1") }
        == ["Lists", "items", "sync_device_names", "sync_shares"])
  }

  @Test func aByteOrderMarkBetweenWordsIsABlankToUsAsItIsToSQLite() throws {
    let database = try DatabaseQueue()
    try database.write { db in
      try db.execute(
        sql: """
          CREATE TABLE t (
            \u{FEFF}id TEXT PRIMARY KEY \u{FEFF} NOT NULL,
            a TEXT NOT NULL \u{FEFF}ON CONFLICT REPLACE DEFAULT '')
          """)
    }
    try install(["t"], in: database)
  }

  @Test func anEngineWithoutTablesIsAllowed() throws {
    try install([], in: DatabaseQueue())
  }

  @Test func anotherAccountIsRefused() throws {
    let database = try DatabaseQueue()
    try install([], in: database)
    try database.write { try $0.execute(sql: "UPDATE sync_state SET account = '@ann'") }
    let error = #expect(throws: SyncError.self) { try install([], in: database) }
    #expect(error?.reason == .accountChanged)
  }

  @Test func theWidestTableIsCapturedColumnByColumn() throws {
    let schema = Schema(sql: Self.table(columns: 200), tables: ["t"])
    let fleet = try Fleet(schema: schema)
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO t (id) VALUES ('i')")
    try fleet.settle()
    try ann.execute("UPDATE t SET c1 = 1, c60 = 60, c61 = 61, c200 = 200")
    #expect(try ann.outbox() == ["save i:t: c1, c200, c60, c61"])
    try ben.execute("UPDATE t SET c60 = 'b', c121 = 'b'")
    try fleet.settle()
    #expect(try ann.rows("SELECT c1, c60, c61, c121, c200 FROM t") == ["1|b|61|b|200"])
    try fleet.expectExhausted(after: fleet.troubles)
  }
}
