import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// A trigger of the app's that cannot run refuses the rows that it is about, and nothing else.
struct BrokenTriggerTests {
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet(
      schema: Schema(
        sql: """
          CREATE TABLE names (id TEXT PRIMARY KEY NOT NULL, name TEXT);
          CREATE TABLE things (id TEXT PRIMARY KEY NOT NULL, title TEXT);
          """, tables: ["names", "things"]))
    (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO names VALUES ('a', 'Ann'), ('b', 'Ben')")
    try fleet.settle()
  }

  private func names(_ device: Device) throws -> [String] {
    try device.rows("SELECT name FROM names ORDER BY id")
  }

  @Test(arguments: [
    ("INSERT", "INSERT INTO gone VALUES (1)"), ("INSERT", "SELECT absent(NEW.id)"),
    ("UPDATE", "UPDATE gone SET name = NEW.name"), ("DELETE", "DELETE FROM gone"),
    ("DELETE", "INSERT INTO things (missing) VALUES (OLD.id)"),
  ])
  func whatATriggerCannotBeRunForWaitsUntilItIsDropped(event: String, body: String) throws {
    try ben.execute("CREATE TRIGGER odd AFTER \(event) ON names BEGIN \(body); END")
    let before = try names(ben)
    try ann.execute(
      """
      INSERT INTO names VALUES ('c', 'Cat');
      INSERT INTO things VALUES ('t', 'Thing');
      UPDATE names SET name = 'Anna' WHERE id = 'a';
      DELETE FROM names WHERE id = 'b';
      """)
    try ann.sync()
    for _ in 0..<2 { try ben.sync() }
    #expect(try ben.rows("SELECT title FROM things") == ["Thing"])
    #expect(try ben.counts().quarantined == 1)
    let waiting = try ben.database.read { try SyncWaitingRecord.all($0) }
    #expect(waiting.map(\.table) == ["names"])
    let all = ["INSERT": ["Anna"], "UPDATE": ["Ann", "Cat"], "DELETE": ["Anna", "Ben", "Cat"]]
    #expect(try names(ben) == all[event], "\(before)")
    // As the hint says: in a migration, before an engine is made anew.
    try ben.relaunch { try $0.execute(sql: "DROP TRIGGER odd") }
    try fleet.settle()
    #expect(try names(ben) == ["Anna", "Cat"])
    #expect(try names(ann) == ["Anna", "Cat"])
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test func whatATriggerCannotComputeIsRefusedRowByRow() throws {
    try ben.execute("CREATE TABLE log (entry)")
    try ben.execute(
      """
      CREATE TRIGGER odd AFTER INSERT ON things
      BEGIN INSERT INTO log VALUES (json_extract(NEW.title, '$.a')); END
      """)
    try ann.execute(
      "INSERT INTO things VALUES ('s', '{\"a\":1}'), ('t', 'Thing'), ('u', '{\"a\":2}')")
    try ann.sync()
    try ben.sync()
    #expect(try ben.rows("SELECT id FROM things ORDER BY id") == ["s", "u"])
    #expect(try ben.rows("SELECT entry FROM log ORDER BY 1") == ["1", "2"])
    let waiting = try ben.database.read { try SyncWaitingRecord.all($0) }
    #expect(waiting.map(\.reason) == [.constraint("malformed JSON")])
    try ann.execute("UPDATE things SET title = '{\"a\":3}' WHERE id = 't'")
    try fleet.settle()
    #expect(try ben.rows("SELECT entry FROM log ORDER BY 1") == ["1", "2", "3"])
    try fleet.expectExhausted(after: fleet.troubles)
  }
}
