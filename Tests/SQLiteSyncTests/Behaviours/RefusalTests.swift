import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// What cannot travel stays as it is, is counted, and keeps nothing else back.
struct RefusalTests {
  private static let things = Schema(
    sql: """
      CREATE TABLE things (id TEXT PRIMARY KEY NOT NULL, title TEXT);
      CREATE TABLE parts (
        id TEXT PRIMARY KEY NOT NULL, thing TEXT REFERENCES things (id) ON DELETE CASCADE);
      """, tables: ["things", "parts"])

  static let keys: [DatabaseValue] = [
    "_later".databaseValue, String(repeating: "買", count: 28).databaseValue,
    UUID().databaseValue, Data([0xFF]).databaseValue,
  ]

  @Test(arguments: keys)
  func rowWhoseKeyIsNoNameIsCountedAndKeepsNothingBack(_ key: DatabaseValue) throws {
    let fleet = try Fleet(schema: Self.things)
    let ann = try fleet.device { db in
      try db.execute(
        sql: "INSERT INTO things VALUES (?, 'Odd'), ('t', 'Plain')", arguments: [key])
    }
    let ben = try fleet.device()
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM things") == ["Plain"])
    #expect(try ann.counts().notSynchronized == 1)
    #expect(try ann.counts().pending == 1)
    let pending = try ann.database.read { try SyncPendingChange.all($0) }
    #expect(pending.map { $0.error != nil } == [true])
    #expect(try ann.database.read { try SyncRefusal.all($0) }.map(\.table) == ["things"])
    // Neither an edit of the row nor a relaunch makes it travel, or count twice.
    try ann.execute("UPDATE things SET title = 'Odder' WHERE id = ?", [key])
    try ann.relaunch()
    try fleet.settle()
    #expect(try ann.counts().notSynchronized == 1)
    let findings = try ann.database.read { try SyncEngine.check($0) }
    #expect(findings.map(\.severity) == [.damage])
    // Its end, or another key, is the end of it.
    try ann.execute("UPDATE things SET id = 'u' WHERE id = ?", [key])
    try fleet.settle()
    #expect(try ann.counts() == SyncCounts())
    #expect(try ben.rows("SELECT title FROM things ORDER BY id") == ["Plain", "Odder"])
    try fleet.expectExhausted(after: key.storage.isText ? [] : [.failed])
  }

  @Test func rowWithBLOBKeyFromBeforeCaptureIsCountedUntilItGoes() throws {
    let fleet = try Fleet(schema: Self.things)
    let ann = try fleet.device { db in
      try db.execute(sql: "INSERT INTO things VALUES (x'FF', 'Odd'), ('t', 'Plain')")
    }
    let ben = try fleet.device()
    try fleet.settle()
    #expect(try ann.counts().notSynchronized == 1)
    #expect(try ben.rows("SELECT title FROM things") == ["Plain"])
    try ann.execute("DELETE FROM things WHERE id = x'FF'")
    try fleet.settle()
    #expect(try ann.counts() == SyncCounts())
    try fleet.expectExhausted()
  }

  /// It would be another key elsewhere, and nobody would see that the devices differ.
  @Test func rowWhoseKeyIsNotUTF8IsCounted() throws {
    let fleet = try Fleet(schema: Self.things)
    let ann = try fleet.device { db in
      try db.execute(
        sql: "INSERT INTO things VALUES (CAST(x'61FF' AS TEXT), 'Odd'), ('t', 'Plain')")
    }
    let ben = try fleet.device()
    try fleet.settle()
    try ann.execute("UPDATE things SET title = 'Odder' WHERE title = 'Odd'")
    try ann.relaunch()
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM things") == ["Plain"])
    #expect(try ann.counts().notSynchronized == 1)
    try ann.execute("UPDATE things SET id = 'u' WHERE title = 'Odder'")
    try fleet.settle()
    #expect(try ann.counts() == SyncCounts())
    #expect(try ben.rows("SELECT title FROM things ORDER BY id") == ["Plain", "Odder"])
    try fleet.expectExhausted()
  }

  @Test(arguments: ["'a' || char(0) || 'b'", "CAST(x'FF41' AS TEXT)", "CAST(x'F09F98' AS TEXT)"])
  func textThatTheFormatHasNotStaysExactlyAsItIs(_ text: String) throws {
    let fleet = try Fleet(schema: Self.things)
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO things VALUES ('t', 'Old'), ('u', 'Other')")
    try fleet.settle()
    try ann.execute("UPDATE things SET title = \(text) WHERE id = 't'")
    try ann.execute("UPDATE things SET title = 'Another' WHERE id = 'u'")
    let bytes = try ann.rows("SELECT hex(title) FROM things WHERE id = 't'")
    try fleet.settle()
    #expect(try ann.rows("SELECT hex(title) FROM things WHERE id = 't'") == bytes)
    #expect(try ben.rows("SELECT title FROM things ORDER BY id") == ["Old", "Another"])
    #expect(try ann.counts().notSynchronized == 1)
    let reasons = try ann.database.read { try SyncRefusal.all($0) }.map(\.reason)
    #expect(reasons.count == 1 && reasons[0].contains("title"))
    try ann.execute("UPDATE things SET title = 'Sound \u{FFFD}' WHERE id = 't'")
    try fleet.settle()
    #expect(try ann.counts() == SyncCounts())
    #expect(try ben.rows("SELECT title FROM things ORDER BY id") == ["Sound \u{FFFD}", "Another"])
    try fleet.expectExhausted(after: [.refused(.invalidArguments)])
  }

  @Test func rowThatIsTooLargeIsCounted() throws {
    let fleet = try Fleet(schema: Self.things)
    let (ann, ben) = try fleet.pair()
    try ann.execute(
      """
      INSERT INTO things VALUES ('t', replace(hex(zeroblob(600000)), '0', 'x')), ('u', 'Plain')
      """)
    try fleet.settle()
    #expect(try ben.rows("SELECT id FROM things") == ["u"])
    #expect(try ann.counts().notSynchronized == 1)
    try ann.execute("UPDATE things SET title = 'Short' WHERE id = 't'")
    try fleet.settle()
    #expect(try ann.counts() == SyncCounts())
    try fleet.expectExhausted(after: [.refused(.limitExceeded)])
  }

  @Test func manyRowsThatCannotTravelHoldUpNoOther() throws {
    let fleet = try Fleet(schema: Self.things)
    let (ann, ben) = try fleet.pair()
    try ann.execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 1999)
      INSERT INTO things SELECT 't' || i, char(0) FROM n
      """)
    try ann.execute("INSERT INTO things VALUES ('z', 'Last')")
    try fleet.settle()
    #expect(try ben.rows("SELECT id FROM things") == ["z"])
    #expect(try ann.counts().notSynchronized == 1000)
  }

  @Test func tablesThatNobodyNamedAreInTheStatus() throws {
    let database = try DatabaseQueue()
    try database.write { db in
      try db.execute(
        sql: Self.things.sql + """
          ; CREATE TABLE forgotten (id TEXT PRIMARY KEY NOT NULL);
          CREATE TABLE settings (id TEXT PRIMARY KEY NOT NULL);
          CREATE VIRTUAL TABLE words USING fts5(title);
          CREATE VIEW some AS SELECT 1;
          """)
    }
    var configuration = SyncConfiguration()
    configuration.localTables = ["Settings"]
    let engine = try SyncEngine(
      for: database, tableNames: ["things"], privateTableNames: ["parts"], cloud: nil,
      configuration: configuration, startImmediately: false)
    #expect(engine.status.unlistedTables == ["forgotten"])
  }

  @Test func rowsOfTablesThatNoEngineHasSeenArePending() throws {
    struct Thing: TableRecord { static let databaseTableName = "things" }
    struct Missing: TableRecord { static let databaseTableName = "missing" }
    let database = try DatabaseQueue()
    try database.write { db in
      try db.execute(sql: Self.things.sql)
      try db.execute(sql: "INSERT INTO things VALUES ('t', ''), ('u', '')")
      #expect(try SyncCounts(db, tables: [Thing.self, Missing.self]).pending == 2)
      try SyncEngine.prepare(db)
      #expect(try SyncCounts(db, tables: [Thing.self, Missing.self]).pending == 2)
      try SyncEngine.prepare(db, tables: [Thing.self])
      #expect(try SyncCounts(db, tables: [Thing.self, Missing.self]).pending == 2)
    }
  }

  @Test func deletionThatLosesIsNotReportedAsOne() throws {
    let fleet = try Fleet()
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal'), ('m', 'Work')")
    try fleet.settle()
    try ann.execute("DELETE FROM lists")
    try ben.execute("UPDATE lists SET title = 'Family' WHERE id = 'l'")
    try fleet.settle(ann, ben)
    let deleted = ben.events.flatMap { event -> [String] in
      guard case .fetchedRecordZoneChanges(_, let deleted, _) = event else { return [] }
      return deleted.map(\.primaryKey)
    }
    #expect(deleted == ["m"])
    #expect(try ann.rows("SELECT title FROM lists") == ["Family"])
    try fleet.expectExhausted()
  }
}

extension DatabaseValue.Storage {
  fileprivate var isText: Bool { if case .string = self { true } else { false } }
}
