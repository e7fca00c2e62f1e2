import GRDB
import RemindersTestSupport
import SQLiteSync
import SQLiteSyncCloud
import Testing

/// Columns in which an integer and a real number that are equal are two values: SQLite keeps the
/// storage class where a column has no affinity.
struct StorageClassTests {
  private static let schema = Schema(
    sql: """
      CREATE TABLE v (
        id TEXT PRIMARY KEY NOT NULL, bare, bytes BLOB, number NUMERIC, whole INTEGER, real REAL);
      CREATE TABLE s (id TEXT PRIMARY KEY NOT NULL, a ANY, b INTEGER) STRICT;
      """, tables: ["v", "s"])

  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet(schema: Self.schema)
    (ann, ben) = try fleet.pair()
  }

  private func values(_ device: Device) throws -> [String] {
    try device.rows(
      """
      SELECT bare, typeof(bare), bytes, typeof(bytes) FROM v
      UNION ALL SELECT a, typeof(a), '', '' FROM s
      """)
  }

  private func expectSame(_ line: String, _ strict: String) throws {
    try fleet.settle()
    #expect(try values(ann) == [line, strict])
    #expect(try values(ben) == values(ann))
    #expect(try ben.contents() == ann.contents())
  }

  @Test func anEditFromARealNumberToTheSameIntegerIsOne() throws {
    try ann.execute(
      "INSERT INTO v VALUES ('1', 3.0, 3.0, 3.0, 3.0, 3); INSERT INTO s VALUES ('1', 3.0, 1)")
    try expectSame("3.0|real|3.0|real", "3.0|real||")
    try ben.execute(
      "UPDATE v SET bare = 3, bytes = 3, number = 3, whole = 3, real = 3; UPDATE s SET a = 3")
    try expectSame("3|integer|3|integer", "3|integer||")
    try ann.execute("UPDATE v SET bare = 3.0; UPDATE s SET a = 3.0")
    try expectSame("3.0|real|3|integer", "3.0|real||")
  }

  @Test func soIsARowThatIsReplaced() throws {
    try ann.execute("INSERT INTO v (id, bare) VALUES ('1', 3); INSERT INTO s VALUES ('1', 3, 1)")
    try expectSame("3|integer|NULL|null", "3|integer||")
    try ben.execute(
      "REPLACE INTO v (id, bare) VALUES ('1', 3.0); REPLACE INTO s VALUES ('1', 3.0, 1)")
    try expectSame("3.0|real|NULL|null", "3.0|real||")
  }

  @Test func itIsInTheHistory() throws {
    try ann.execute("INSERT INTO v (id, bare) VALUES ('1', 3.0)")
    try fleet.settle()
    try ann.execute("UPDATE v SET bare = 3")
    let lost = try ann.database.read { try SyncHistory.entries($0, of: "v", column: "bare") }
    #expect(lost.count == 1)
  }

  @Test func greatIntegersAreNotTheRealNumbersNearThem() throws {
    try ann.execute(
      "INSERT INTO v (id, bare) VALUES ('1', 9007199254740992); INSERT INTO s VALUES ('1', 0, 1)")
    try fleet.settle()
    try ben.execute("UPDATE v SET bare = 9007199254740992.0")
    try fleet.settle()
    #expect(try ann.rows("SELECT typeof(bare) FROM v") == ["real"])
    try ann.execute("UPDATE v SET bare = 9007199254740993")
    try fleet.settle()
    #expect(try ben.rows("SELECT bare FROM v") == ["9007199254740993"])
  }

  @Test func theLaterOfTwoEditsWinsWithItsStorageClass() throws {
    try ann.execute("INSERT INTO v (id, bare) VALUES ('1', 1)")
    try fleet.settle()
    try ann.execute("UPDATE v SET bare = 3")
    try ben.execute("UPDATE v SET bare = 3.0")
    try fleet.settle()
    for device in [ann, ben] { #expect(try device.rows("SELECT typeof(bare) FROM v") == ["real"]) }
  }

  @Test func triggersOfAnEarlierVersionAreReplaced() throws {
    try ann.execute("INSERT INTO v (id, bare) VALUES ('1', 3.0)")
    try fleet.settle()
    let (name, sql) = try ann.database.write { db in
      let row = try Row.fetchOne(
        db, sql: "SELECT name, sql FROM sqlite_schema WHERE name GLOB 'sync_capture_update0_v'")
      let (name, sql): (String, String) = (row?[0] ?? "", row?[1] ?? "")
      try db.execute(sql: "DROP TRIGGER \(name)")
      let former = sql.replacing("typeof(OLD.\"bare\") <> typeof(NEW.\"bare\") OR ", with: "")
      try db.execute(sql: former)
      return (name, former == sql ? "" : sql)
    }
    try ann.relaunch()
    let now = try ann.rows("SELECT sql FROM sqlite_schema WHERE name = '\(name)'")
    #expect(now == [sql])
    try ann.execute("UPDATE v SET bare = 3")
    try fleet.settle()
    #expect(try ben.rows("SELECT typeof(bare) FROM v") == ["integer"])
  }

  @Test func onlyColumnsWithoutAffinityAreAskedForTheirStorageClass() throws {
    let sql = try ann.rows(
      "SELECT sql FROM sqlite_schema WHERE name GLOB 'sync_capture_update0_?'"
    ).joined()
    for column in ["bare", "bytes", "a"] { #expect(sql.contains("typeof(OLD.\"\(column)\")")) }
    for column in ["number", "whole", "real", "b"] {
      #expect(!sql.contains("typeof(OLD.\"\(column)\")"))
    }
  }
}
