import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// Rows of one table that hang on each other and have places that only one may have: a row that
/// waits for another is not in its way.
struct UniquePlaceTests {
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet(
      schema: Schema(
        sql: """
          CREATE TABLE tasks (
            id TEXT PRIMARY KEY NOT NULL, parent TEXT REFERENCES tasks (id) ON DELETE CASCADE,
            place INTEGER NOT NULL, UNIQUE (parent, place)
          ) STRICT;
          CREATE TABLE steps (
            id TEXT PRIMARY KEY NOT NULL, prev TEXT UNIQUE REFERENCES steps (id) ON DELETE SET NULL
          ) STRICT;
          """, tables: ["tasks", "steps"]))
    (ann, ben) = try fleet.pair()
    try ann.execute(
      "INSERT INTO tasks VALUES ('root', NULL, 0), ('one', 'root', 1), ('two', 'root', 2)")
    try ann.execute("INSERT INTO steps VALUES ('a', NULL), ('b', 'a'), ('c', 'b')")
    try fleet.settle()
  }

  private func expectSame() throws {
    _ = try fleet.device()
    try fleet.settle()
    for device in fleet.devices {
      for table in ["tasks", "steps"] {
        let sql = "SELECT * FROM \(table) ORDER BY id"
        #expect(try device.rows(sql) == ann.rows(sql))
      }
      #expect(try device.database.read { try SyncWaitingRecord.all($0) }.isEmpty)
    }
    try fleet.expectExhausted(after: [.waited])
  }

  @Test func aGroupIsPutInTheMiddle() throws {
    try ann.execute(
      """
      UPDATE tasks SET place = -1 WHERE id = 'one';
      INSERT INTO tasks VALUES ('group', 'root', 1);
      UPDATE tasks SET parent = 'group', place = 1 WHERE id = 'one';
      """)
    try expectSame()
  }

  @Test func aStepIsPutBetweenTwo() throws {
    try ann.execute(
      """
      INSERT INTO steps VALUES ('x', NULL);
      UPDATE steps SET prev = 'x' WHERE id = 'b';
      UPDATE steps SET prev = 'a' WHERE id = 'x';
      """)
    try expectSame()
  }

  @Test func stepsAreTurnedAround() throws {
    try ann.execute(
      """
      UPDATE steps SET prev = NULL;
      UPDATE steps SET prev = 'c' WHERE id = 'b';
      UPDATE steps SET prev = 'b' WHERE id = 'a';
      """)
    try expectSame()
  }
}
