import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// Foreign keys that SQLite looks at only when a transaction ends.
struct DeferredForeignKeyTests {
  private static let schema = Schema(
    sql: """
      CREATE TABLE lists (id TEXT PRIMARY KEY NOT NULL, title TEXT);
      CREATE TABLE reminders (
        id TEXT PRIMARY KEY NOT NULL, title TEXT,
        listID TEXT REFERENCES lists (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
      );
      CREATE TABLE nodes (
        id TEXT PRIMARY KEY NOT NULL, listID TEXT REFERENCES lists (id) ON DELETE CASCADE,
        parentID TEXT REFERENCES nodes (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
      );
      """, tables: ["lists", "reminders", "nodes"])

  private let fleet: Fleet
  private let ann: Device
  private let ben: Device
  private let stranger: Stranger

  init() throws {
    fleet = try Fleet(schema: Self.schema)
    (ann, ben) = try fleet.pair()
    stranger = try Stranger(fleet)
    try ann.execute("INSERT INTO lists VALUES ('l', 'Home'); INSERT INTO lists VALUES ('m', 'M')")
    try ann.execute("INSERT INTO reminders VALUES ('r', 'Milk', 'l')")
    try fleet.settle()
  }

  @Test func aRowThatRefersToNothingWaitsAndTheRestIsApplied() throws {
    try stranger.save("reminders", "s", ["title": .text("Eggs"), "listID": .text("n")])
    try ben.execute("UPDATE lists SET title = 'House' WHERE id = 'l'")
    try fleet.settle()
    #expect(try ann.rows("SELECT id FROM reminders") == ["r"])
    #expect(try ann.rows("SELECT title FROM lists WHERE id = 'l'") == ["House"])
    #expect(try ann.counts().waiting == 1)
    try stranger.save("lists", "n", ["title": .text("New")])
    try fleet.settle()
    #expect(try ann.rows("SELECT id, listID FROM reminders ORDER BY id") == ["r|l", "s|n"])
    try fleet.expectExhausted(after: [.waited])
  }

  @Test func aMoveToNothingWaitsToo() throws {
    try stranger.save("reminders", "r", ["title": .text("Milk"), "listID": .text("n")])
    try fleet.settle()
    #expect(try ann.rows("SELECT listID FROM reminders") == ["l"])
    try stranger.save("lists", "n", ["title": .text("New")])
    try fleet.settle()
    #expect(try ann.rows("SELECT listID FROM reminders") == ["n"])
    try fleet.expectExhausted(after: [.waited])
  }

  @Test func aMoveIntoARowThatIsDeletedElsewhereGoesByTheTimes() throws {
    try ann.execute("UPDATE reminders SET listID = 'm'")
    try ben.execute("DELETE FROM lists WHERE id = 'm'")
    try ben.send()
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT id FROM reminders") == [])
      #expect(try device.rows("SELECT id FROM lists") == ["l"])
    }
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test func aDeletionThatAReferenceRefusesWaitsAndTheRestIsApplied() throws {
    try ann.execute(
      """
      CREATE TABLE pins (listID TEXT REFERENCES lists (id) DEFERRABLE INITIALLY DEFERRED);
      INSERT INTO pins VALUES ('l')
      """)
    try ben.execute("DELETE FROM lists WHERE id = 'l'; UPDATE lists SET title = 'Other'")
    try fleet.settle()
    #expect(try ann.rows("SELECT id, title FROM lists ORDER BY id") == ["l|Home", "m|Other"])
    #expect(try ann.counts().quarantined == 1)
    try ann.execute("DELETE FROM pins")
    try ann.relaunch()
    try fleet.settle()
    #expect(try ann.rows("SELECT id FROM lists") == ["m"])
    try fleet.expectExhausted(after: [.quarantined])
  }

  @Test func rowsThatReferToEachOtherReachANewcomer() throws {
    try ann.execute("INSERT INTO nodes VALUES ('a', 'l', 'b'), ('b', 'l', 'c'), ('c', 'm', 'a')")
    try fleet.settle()
    let carl = try fleet.device()
    try fleet.settle()
    for device in [ben, carl] {
      #expect(
        try device.rows("SELECT id, parentID FROM nodes ORDER BY id") == ["a|b", "b|c", "c|a"])
    }
    try carl.execute("DELETE FROM lists WHERE id = 'm'")
    try fleet.settle()
    for device in fleet.devices { #expect(try device.rows("SELECT id FROM nodes") == []) }
    try fleet.expectExhausted(after: fleet.troubles)
  }
}
