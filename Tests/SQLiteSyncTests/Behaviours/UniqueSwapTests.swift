import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Rows of one page that swap the values of a UNIQUE index, or pass them on, are updated where they
/// are: what refers to them on another device stays, and no trigger sees a deletion.
struct UniqueSwapTests {
  /// A table `tasks` of which `places` says how its place is declared.
  private static func schema(_ places: String, rest: String = "") -> Schema {
    Schema(
      sql: """
        CREATE TABLE lists (id TEXT PRIMARY KEY NOT NULL);
        CREATE TABLE tasks (
          id TEXT PRIMARY KEY NOT NULL, list TEXT REFERENCES lists (id) ON DELETE CASCADE,
          place \(places)\(rest.isEmpty ? "" : ", \(rest)")
        );
        CREATE TABLE seen (
          number INTEGER PRIMARY KEY, cascading TEXT REFERENCES tasks (id) ON DELETE CASCADE,
          cleared TEXT REFERENCES tasks (id) ON DELETE SET NULL,
          refusing TEXT REFERENCES tasks (id)
        );
        CREATE TABLE deletions (id TEXT);
        CREATE TRIGGER noteDeletion AFTER DELETE ON tasks BEGIN
          INSERT INTO deletions VALUES (OLD.id);
        END;
        """, tables: ["lists", "tasks"])
  }

  private static let schemas = [
    schema("INTEGER UNIQUE"), schema("INTEGER NOT NULL UNIQUE"), schema("REAL NOT NULL UNIQUE"),
    schema("INTEGER NOT NULL UNIQUE CHECK (place >= 0)"),
    schema("INTEGER NOT NULL UNIQUE CHECK (place < 1000)"), schema("TEXT NOT NULL UNIQUE"),
    schema("TEXT NOT NULL UNIQUE COLLATE NOCASE"), schema("BLOB NOT NULL UNIQUE"),
    schema("INTEGER NOT NULL", rest: "UNIQUE (list, place)"),
    schema("INTEGER NOT NULL UNIQUE", rest: "UNIQUE (list, place)"),
  ]

  /// Two devices with as many tasks in their places; on the second one local rows refer to each.
  private func devices(_ schema: Schema, tasks: Int) throws -> (Fleet, ann: Device, ben: Device) {
    let fleet = try Fleet(schema: schema)
    let (ann, ben) = try fleet.pair()
    try ann.execute(
      """
      INSERT INTO lists VALUES ('l');
      WITH n (n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM n WHERE n + 1 < \(tasks))
      INSERT INTO tasks SELECT 'k' || n, 'l', n FROM n
      """)
    try fleet.settle()
    try ben.execute(
      "INSERT INTO seen (cascading, cleared, refusing) SELECT id, id, id FROM tasks")
    return (fleet, ann, ben)
  }

  private func expectNothingWasDeleted(
    _ fleet: Fleet, tasks: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try fleet.settle()
    let (ann, ben) = (fleet.devices[0], fleet.devices[1])
    func expect<T: Equatable>(_ one: T, _ other: T) {
      #expect(one == other, sourceLocation: sourceLocation)
    }
    let all = "SELECT id, list, place FROM tasks ORDER BY id"
    try expect(ben.rows(all), ann.rows(all))
    try expect(
      ben.rows("SELECT count(cascading), count(cleared), count(refusing) FROM seen"),
      ["\(tasks)|\(tasks)|\(tasks)"])
    try expect(ben.rows("SELECT * FROM deletions"), [])
    for device in fleet.devices {
      try expect(device.counts(), SyncCounts())
      try expect(device.strays(), [])
    }
  }

  @Test(arguments: schemas)
  func placesAreSwapped(schema: Schema) throws {
    let (fleet, ann, ben) = try devices(schema, tasks: 3)
    try ann.execute(
      """
      UPDATE tasks SET place = 500 WHERE id = 'k0';
      UPDATE tasks SET place = 0 WHERE id = 'k1';
      UPDATE tasks SET place = 1 WHERE id = 'k0';
      """)
    try expectNothingWasDeleted(fleet, tasks: 3)
    #expect(try ben.rows("SELECT id FROM tasks WHERE place = '1' OR place = 1") == ["k0"])
  }

  @Test(arguments: schemas)
  func placesAreRotated(schema: Schema) throws {
    let (fleet, ann, _) = try devices(schema, tasks: 100)
    try ann.execute(
      """
      UPDATE tasks SET place = place + 500;
      UPDATE tasks SET place = (place - 499) % 100;
      """)
    try expectNothingWasDeleted(fleet, tasks: 100)
  }

  /// Several commits that arrive together.
  @Test func placesOfManyAreRotated() throws {
    let (fleet, ann, _) = try devices(Self.schemas[0], tasks: 1200)
    try ann.execute(
      """
      UPDATE tasks SET place = place + 5000;
      UPDATE tasks SET place = (place - 4999) % 1200;
      """)
    try expectNothingWasDeleted(fleet, tasks: 1200)
  }

  @Test(arguments: [true, false])
  func placesArePassedOn(isUp: Bool) throws {
    let (fleet, ann, _) = try devices(Self.schemas[3], tasks: 100)
    try ann.execute(
      """
      UPDATE tasks SET place = place + 500;
      UPDATE tasks SET place = place - 500 + \(isUp ? 1 : 0);
      UPDATE tasks SET place = iif(place = \(isUp ? 1 : 0), 300, place - \(isUp ? 0 : 1));
      """)
    try expectNothingWasDeleted(fleet, tasks: 100)
  }

  @Test func aNewRowTakesAPlaceThatIsGivenUp() throws {
    let (fleet, ann, _) = try devices(Self.schemas[1], tasks: 3)
    try ann.execute(
      """
      UPDATE tasks SET place = place + 10;
      INSERT INTO tasks VALUES ('a', 'l', 0);
      UPDATE tasks SET place = place - 9 WHERE id <> 'a';
      """)
    try expectNothingWasDeleted(fleet, tasks: 3)
  }

  /// The places are references: for the time between they refer to no row.
  @Test func referencesAreSwapped() throws {
    let fleet = try Fleet(
      schema: Schema(
        sql: """
          CREATE TABLE seats (id TEXT PRIMARY KEY NOT NULL);
          CREATE TABLE guests (
            id TEXT PRIMARY KEY NOT NULL,
            seat TEXT NOT NULL UNIQUE REFERENCES seats (id) ON DELETE CASCADE
          );
          CREATE TABLE seen (guest TEXT REFERENCES guests (id) ON DELETE CASCADE);
          """, tables: ["seats", "guests"]))
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO seats VALUES ('1'), ('2'), ('3')")
    try ann.execute("INSERT INTO guests VALUES ('a', '1'), ('b', '2')")
    try fleet.settle()
    try ben.execute("INSERT INTO seen SELECT id FROM guests")
    try ann.execute(
      """
      UPDATE guests SET seat = '3' WHERE id = 'a';
      UPDATE guests SET seat = '1' WHERE id = 'b';
      UPDATE guests SET seat = '2' WHERE id = 'a';
      """)
    try fleet.settle()
    #expect(try ben.rows("SELECT * FROM guests") == ["a|2", "b|1"])
    #expect(try ben.rows("SELECT * FROM seen") == ["a", "b"])
    #expect(try ben.rows("PRAGMA foreign_key_check").isEmpty)
    #expect(try ben.counts() == SyncCounts())
    try ann.execute("DELETE FROM seats WHERE id = '2'")
    try fleet.settle()
    #expect(try ben.rows("SELECT * FROM guests") == ["b|1"])
  }

  /// No value is free that the table takes: the row is taken out and made again, as before.
  @Test func valuesOfWhichNoneIsFreeAreSwappedAllTheSame() throws {
    let (fleet, ann, ben) = try devices(
      Self.schema("INTEGER NOT NULL UNIQUE CHECK (place IN (0, 1, 2))"), tasks: 2)
    try ben.execute("UPDATE seen SET refusing = NULL")
    try ann.execute(
      """
      UPDATE tasks SET place = 2 WHERE id = 'k0';
      UPDATE tasks SET place = 0 WHERE id = 'k1';
      UPDATE tasks SET place = 1 WHERE id = 'k0';
      """)
    try fleet.settle()
    #expect(try ben.rows("SELECT id, place FROM tasks ORDER BY id") == ["k0|1", "k1|0"])
    #expect(try ben.counts() == SyncCounts())
  }

  /// A swap meets an unsent edit of one of the rows: who stays follows from the records.
  @Test func anUnsentEditMeetsASwap() throws {
    let (fleet, ann, ben) = try devices(Self.schemas[1], tasks: 3)
    try ben.execute("DELETE FROM seen")
    try ann.execute(
      """
      UPDATE tasks SET place = 500 WHERE id = 'k0';
      UPDATE tasks SET place = 0 WHERE id = 'k1';
      UPDATE tasks SET place = 1 WHERE id = 'k0';
      """)
    try ben.execute("UPDATE tasks SET place = 7 WHERE id = 'k1'")
    try fleet.settle()
    for device in [ann, ben] {
      #expect(
        try device.rows("SELECT id, place FROM tasks ORDER BY id") == ["k0|1", "k1|7", "k2|2"])
      #expect(try device.counts() == SyncCounts())
    }
  }
}
