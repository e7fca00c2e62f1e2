import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// A record that lacks a value which the table here must have waits aside, visibly, until it comes.
struct MissingValueTests {
  private static let current = Schema(
    sql: """
      CREATE TABLE lists (
        id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL DEFAULT '',
        position INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      CREATE TABLE reminders (
        id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL DEFAULT '',
        listID TEXT NOT NULL REFERENCES lists (id) ON DELETE CASCADE
      ) STRICT;
      CREATE TABLE covers (
        listID TEXT PRIMARY KEY NOT NULL REFERENCES lists (id) ON DELETE CASCADE,
        image BLOB NOT NULL
      ) STRICT;
      """, tables: ["lists", "reminders", "covers"])

  /// The same tables as an earlier version of the app has them.
  private static let earlier = Schema(
    sql: """
      CREATE TABLE lists (
        id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL DEFAULT '', position INTEGER
      ) STRICT;
      CREATE TABLE reminders (
        id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL DEFAULT ''
      ) STRICT;
      CREATE TABLE covers (
        listID TEXT PRIMARY KEY NOT NULL REFERENCES lists (id) ON DELETE CASCADE
      ) STRICT;
      """, tables: ["lists", "reminders", "covers"])

  private let store: FaultyStore
  private let fleet: Fleet
  private let ann: Device
  /// Has the earlier version.
  private let ben: Device

  init() throws {
    store = FaultyStore(MemoryStore())
    fleet = try Fleet(store: store, schema: Self.current)
    ann = try fleet.device()
    ben = try fleet.device(schema: Self.earlier)
    try ann.execute("INSERT INTO lists VALUES ('l', 'Home', 1)")
    try fleet.settle()
  }

  private func waiting() throws -> [SyncWaitingRecord.Reason] {
    try ann.database.read { try SyncWaitingRecord.all($0) }.map(\.reason)
  }

  @Test func recordWithoutRequiredColumnWaitsUntilItsValueComes() throws {
    try ben.execute("INSERT INTO reminders VALUES ('r', 'Milk')")
    try fleet.settle()
    #expect(try ann.rows("SELECT id FROM reminders") == [])
    #expect(try waiting() == [.value(column: "listID")])
    #expect(try ann.counts().quarantined == 1)
    try ann.relaunch()
    try fleet.settle()
    #expect(try ann.rows("SELECT id FROM reminders") == [])
    try ben.relaunch { db in
      try db.execute(sql: "ALTER TABLE reminders ADD COLUMN listID TEXT")
    }
    try ben.execute("UPDATE reminders SET listID = 'l'")
    try fleet.settle()
    #expect(try ann.rows("SELECT * FROM reminders") == ["r|Milk|l"])
    try fleet.expectExhausted(after: [.quarantined])
  }

  @Test func waitingRecordThatIsDeletedIsForgotten() throws {
    try ben.execute("INSERT INTO reminders VALUES ('r', 'Milk')")
    try fleet.settle()
    try ben.execute("DELETE FROM reminders")
    try fleet.settle()
    #expect(try waiting() == [])
    try fleet.expectExhausted(after: [.quarantined])
  }

  @Test func editsOfWaitingRecordAreAllThereWhenItComes() throws {
    try ben.execute("INSERT INTO reminders VALUES ('r', 'Milk')")
    try fleet.settle()
    try ben.execute("UPDATE reminders SET title = 'Oat milk'")
    try fleet.settle()
    #expect(try waiting() == [.value(column: "listID")])
    try ben.relaunch { db in
      try db.execute(sql: "ALTER TABLE reminders ADD COLUMN listID TEXT")
      try db.execute(sql: "UPDATE reminders SET listID = 'l'")
    }
    try fleet.settle()
    #expect(try ann.rows("SELECT * FROM reminders") == ["r|Oat milk|l"])
    try fleet.expectExhausted(after: [.quarantined])
  }

  @Test func columnThatTheSenderDoesNotKnowHasItsDefault() throws {
    let fleet = try Fleet(schema: Self.current)
    let ann = try fleet.device()
    let eve = try fleet.device(
      schema: Schema(
        sql: "CREATE TABLE lists (id TEXT PRIMARY KEY NOT NULL, title TEXT)", tables: ["lists"]))
    try eve.execute("INSERT INTO lists VALUES ('m', 'Work')")
    try fleet.settle()
    #expect(try ann.rows("SELECT * FROM lists WHERE id = 'm'") == ["m|Work|0"])
    try fleet.expectExhausted()
  }

  @Test func nullWhereARowMustHaveAValueLeavesTheRowAsItWas() throws {
    try ben.execute("UPDATE lists SET position = NULL")
    try fleet.settle()
    #expect(try ann.rows("SELECT * FROM lists") == ["l|Home|1"])
    #expect(try waiting() == [.value(column: "position")])
    try ann.execute("UPDATE lists SET title = 'House'")
    try fleet.settle()
    #expect(try ben.rows("SELECT * FROM lists") == ["l|House|NULL"])
    try ben.execute("UPDATE lists SET position = 4")
    try fleet.settle()
    #expect(try ann.rows("SELECT * FROM lists") == ["l|House|4"])
    try fleet.expectExhausted(after: [.quarantined])
  }

  @Test func editOfTheRowEndsTheWaitForItsValue() throws {
    try ben.execute("UPDATE lists SET position = NULL")
    try fleet.settle()
    try ann.execute("UPDATE lists SET position = 7")
    try fleet.settle()
    #expect(try ben.rows("SELECT * FROM lists") == ["l|Home|7"])
    #expect(try waiting() == [])
    try fleet.expectExhausted(after: [.quarantined])
  }

  @Test(arguments: [true, false])
  func recordWithoutTheBytesOfARequiredAssetWaitsForThem(relaunches: Bool) throws {
    let eve = try fleet.device()
    let bytes = Data(repeating: 1, count: 10_000)
    try ann.execute("INSERT INTO covers VALUES ('l', ?)", [bytes])
    try ann.sync()
    store.plan { $0.kind == .read && $0.path.contains("assets") ? .stale : nil }
    try eve.sync()
    #expect(try eve.rows("SELECT * FROM lists") == ["l|Home|1"])
    #expect(try eve.rows("SELECT * FROM covers") == [])
    #expect(try eve.counts().quarantined == 1)
    if relaunches { try eve.relaunch() }
    store.plan { _ in nil }
    fleet.clock.advance(milliseconds: 2_000)
    try eve.sync()
    #expect(try eve.rows("SELECT * FROM covers") == ["l|10000 bytes"])
    #expect(try eve.rows("SELECT * FROM sync_assets WHERE bytes NOTNULL OR isMissing") == [])
    try fleet.settle()
    try fleet.expectExhausted(after: eve.troubles)
  }

  /// Of a default that varies each device would make a value of its own.
  @Test(arguments: [true, false])
  func recordWithoutAValueWhoseDefaultVariesWaits(isOneOfMany: Bool) throws {
    let sql = "CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, a TEXT"
    let later = Schema(
      sql: """
        \(sql), token TEXT NOT NULL DEFAULT (hex(randomblob(4))),
          kind TEXT NOT NULL DEFAULT (json('[]')));
        """, tables: ["t"])
    let fleet = try Fleet(schema: later)
    let (one, two) = try fleet.pair()
    let old = try fleet.device(schema: Schema(sql: sql + ")", tables: ["t"]))
    try old.write { db in
      for number in 1...(isOneOfMany ? 40 : 1) {
        try db.execute(sql: "INSERT INTO t VALUES ('\(number)', 'x')")
      }
    }
    try fleet.settle()
    for device in [one, two] {
      #expect(try device.rows("SELECT * FROM t") == [])
      #expect(try device.counts().quarantined == (isOneOfMany ? 40 : 1))
      let reasons = try device.database.read { try SyncWaitingRecord.all($0) }.map(\.reason)
      #expect(Set(reasons) == [.value(column: "token")])
    }
    try old.relaunch {
      try $0.execute(
        sql: "ALTER TABLE t ADD COLUMN token TEXT; UPDATE t SET token = 'of ' || id")
    }
    try fleet.settle()
    #expect(try one.rows("SELECT token FROM t WHERE id = '1'") == ["of 1"])
    #expect(try one.rows("SELECT * FROM t") == two.rows("SELECT * FROM t"))
    #expect(try one.counts() == SyncCounts())
  }
}
