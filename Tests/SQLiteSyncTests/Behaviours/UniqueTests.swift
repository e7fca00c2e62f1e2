import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Of two rows with what only one may have, the one that was made first is on every device, and the
/// other waits.
struct UniqueTests {
  static let schema = Schema(
    sql: """
      CREATE TABLE lists (
        id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL DEFAULT '' UNIQUE, color INTEGER
      ) STRICT;
      CREATE TABLE reminders (
        id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL DEFAULT '',
        listID TEXT REFERENCES lists (id) ON DELETE CASCADE, notes TEXT,
        UNIQUE (listID, title)
      ) STRICT;
      CREATE TABLE images (
        id TEXT PRIMARY KEY NOT NULL,
        listID TEXT DEFAULT 'l' REFERENCES lists (id) ON DELETE SET DEFAULT,
        name TEXT, bytes BLOB, UNIQUE (listID, name)
      ) STRICT;
      CREATE TABLE nodes (
        id TEXT PRIMARY KEY NOT NULL, name TEXT,
        parentID TEXT REFERENCES nodes (id) ON DELETE CASCADE
      ) STRICT;
      CREATE UNIQUE INDEX nodeNames ON nodes (name COLLATE NOCASE) WHERE name <> 'any';
      """, tables: ["lists", "reminders", "images", "nodes"])

  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet(schema: Self.schema)
    (ann, ben) = try fleet.pair()
  }

  private func waiting(_ device: Device) throws -> [String: SyncWaitingRecord.Reason] {
    let all = try device.database.read { try SyncWaitingRecord.all($0) }
    return Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0.reason) })
  }

  private func expect(
    _ rows: [String], _ sql: String, waiting: [String: SyncWaitingRecord.Reason] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for device in fleet.devices {
      #expect(try device.rows(sql) == rows, sourceLocation: sourceLocation)
      #expect(try self.waiting(device) == waiting, sourceLocation: sourceLocation)
      #expect(try device.counts().pending == 0, sourceLocation: sourceLocation)
      #expect(try device.strays() == [], sourceLocation: sourceLocation)
      #expect(try device.rows("PRAGMA foreign_key_check") == [], sourceLocation: sourceLocation)
    }
  }

  /// Ann and ben each make a list of the same title, ann first.
  private func makeTwoLists(annSyncsFirst: Bool = true) throws {
    try ann.execute("INSERT INTO lists VALUES ('a', 'Home', 1)")
    try ben.execute("INSERT INTO lists VALUES ('b', 'Home', 2)")
    try ben.execute("INSERT INTO reminders VALUES ('r', 'Milk', 'b', 'oat')")
    try annSyncsFirst ? fleet.settle(ann, ben) : fleet.settle(ben, ann)
  }

  private static let lost: [String: SyncWaitingRecord.Reason] = [
    "b": .duplicate(of: "a:lists"), "r": .parent("b:lists"),
  ]

  @Test(arguments: [true, false])
  func rowThatWasMadeFirstStays(annSyncsFirst: Bool) throws {
    try makeTwoLists(annSyncsFirst: annSyncsFirst)
    try expect(["a|Home|1"], "SELECT * FROM lists", waiting: Self.lost)
    try expect([], "SELECT * FROM reminders", waiting: Self.lost)
    #expect(try ann.counts().quarantined == 1)
    let stranger = try Stranger(fleet)
    #expect(try stranger.record("b:lists")?.fields["color"]?.value == .integer(2))
    #expect(try stranger.record("r:reminders")?.fields["notes"]?.value == .text("oat"))
    try ann.relaunch()
    try ben.relaunch()
    try fleet.settle()
    try expect(["a|Home|1"], "SELECT * FROM lists", waiting: Self.lost)
  }

  @Test(arguments: [
    "UPDATE lists SET title = 'House'", "DELETE FROM lists",
    "UPDATE lists SET id = 'c', title = ''",
  ])
  func rowThatLostIsThereWhenTheOtherOneGoesOrChanges(sql: String) throws {
    try makeTwoLists()
    try ann.execute(sql)
    try fleet.settle()
    try expect(["b|Home|2"], "SELECT * FROM lists WHERE title = 'Home'")
    try expect(["r|Milk|b|oat"], "SELECT * FROM reminders")
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test func rowThatLostComesBackWithoutTheCloud() throws {
    let store = FaultyStore(MemoryStore())
    let fleet = try Fleet(store: store, schema: Self.schema)
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO lists VALUES ('a', 'Home', 1)")
    try ben.execute("INSERT INTO lists VALUES ('b', 'Home', 2)")
    try fleet.settle()
    store.plan { _ in .failure(CloudError(.networkUnavailable, "no network")) }
    try ben.execute("DELETE FROM lists")
    #expect(throws: (any Error).self) { try ben.sync() }
    #expect(try ben.rows("SELECT * FROM lists") == ["b|Home|2"])
  }

  @Test func unsentEditsOfRowThatLosesAreSent() throws {
    try ben.execute("INSERT INTO lists VALUES ('b', 'Work', 2)")
    try fleet.settle()
    try ann.execute("INSERT INTO lists VALUES ('a', 'Home', 1)")
    try ben.execute("UPDATE lists SET title = 'Home', color = 3")
    try ann.sync()
    try ben.fetch()
    // The older list is the one that stays: the new one waits, and its edit is sent.
    try fleet.settle()
    try expect(
      ["b|Home|3"], "SELECT * FROM lists", waiting: ["a": .duplicate(of: "b:lists")])
    try ben.execute("UPDATE lists SET title = 'House'")
    try fleet.settle()
    try expect(["a|Home|1", "b|House|3"], "SELECT * FROM lists ORDER BY id")
  }

  @Test func newRowThatLosesBeforeItWasSentIsSent() throws {
    try ann.execute("INSERT INTO lists VALUES ('a', 'Home', 1)")
    try ben.execute("INSERT INTO lists VALUES ('b', 'Home', 2)")
    try ben.execute("INSERT INTO images VALUES ('i', 'b', 'x', randomblob(9000))")
    let bytes = try ben.rows("SELECT hex(bytes) FROM images")
    try ann.sync()
    try ben.fetch()
    #expect(try ben.rows("SELECT id FROM lists") == ["a"])
    #expect(try ben.counts().pending == 2)
    try ben.relaunch()
    try fleet.settle()
    #expect(try waiting(ann).keys.sorted() == ["b", "i"])
    try ann.execute("DELETE FROM lists")
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT hex(bytes) FROM images") == bytes)
    }
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test func editElsewhereOfRowThatLostMeetsItsUnsentOnes() throws {
    let eve = try fleet.device()
    try ben.execute("INSERT INTO lists VALUES ('b', 'Work', 2)")
    try ann.execute("INSERT INTO lists VALUES ('a', 'House', 1)")
    try ben.execute("INSERT INTO lists VALUES ('c', 'Home', 7)")
    try fleet.settle()
    // His list loses on his device, before its edits are sent, to one that she edited.
    try ben.execute("UPDATE lists SET color = 9 WHERE id = 'c'")
    try eve.execute("UPDATE lists SET title = 'Garden' WHERE id = 'c'")
    try eve.execute("UPDATE lists SET title = 'Home' WHERE id = 'a'")
    try ben.execute("UPDATE lists SET title = 'Hut' WHERE id = 'c'")
    try ben.execute("UPDATE lists SET title = 'Home' WHERE id = 'c'")
    try eve.sync()
    try fleet.settle()
    try expect(
      ["a|Home|1", "b|Work|2"], "SELECT * FROM lists ORDER BY id",
      waiting: ["c": .duplicate(of: "a:lists")])
    try ann.execute("DELETE FROM lists WHERE id = 'a'")
    try fleet.settle()
    try expect(["b|Work|2", "c|Home|9"], "SELECT * FROM lists ORDER BY id")
  }

  @Test func rowsThatExchangeTheirValuesAreBothThere() throws {
    try ann.execute("INSERT INTO lists VALUES ('a', 'Home', 1), ('b', 'Work', 2)")
    try ann.execute(
      "INSERT INTO reminders VALUES ('r', 'Milk', 'a', NULL), ('s', 'Tea', 'b', NULL)")
    try fleet.settle()
    try ann.write { db in
      try db.execute(
        sql: """
          UPDATE lists SET title = 'x' WHERE id = 'a';
          UPDATE lists SET title = 'Home' WHERE id = 'b';
          UPDATE lists SET title = 'Work' WHERE id = 'a';
          """)
    }
    try fleet.settle()
    try expect(["a|Work|1", "b|Home|2"], "SELECT * FROM lists ORDER BY id")
    try expect(["r|a", "s|b"], "SELECT id, listID FROM reminders ORDER BY id")
  }

  @Test func rowThatTakesOverAValueWaitsForNobody() throws {
    try ann.execute("INSERT INTO lists VALUES ('a', 'Home', 1), ('b', 'Work', 2)")
    try fleet.settle()
    try ann.execute("UPDATE lists SET title = 'Garden' WHERE id = 'b'")
    try ann.execute("UPDATE lists SET title = 'Work' WHERE id = 'a'")
    try fleet.settle()
    try fleet.expectExhausted()
    try expect(["a|Work|1", "b|Garden|2"], "SELECT * FROM lists ORDER BY id")
  }

  @Test(arguments: [
    "INSERT OR REPLACE INTO lists VALUES ('n', 'Home', 3)",
    "UPDATE OR REPLACE lists SET id = 'n', title = 'Home', color = 3 WHERE id = 'w'",
  ])
  func rowThatReplaceTakesAwayIsDeletedEverywhere(sql: String) throws {
    try ann.execute("INSERT INTO lists VALUES ('a', 'Home', 1), ('w', 'Work', 2)")
    try ann.execute("INSERT INTO reminders VALUES ('r', 'Milk', 'a', NULL)")
    try fleet.settle()
    try ann.execute(sql)
    try fleet.settle()
    try expect(["n|Home|3"], "SELECT * FROM lists WHERE title = 'Home'")
    try expect([], "SELECT * FROM reminders")
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test(arguments: [
    "INSERT INTO lists VALUES ('n', 'Home', 3) ON CONFLICT (title) DO UPDATE SET color = 3",
    "INSERT OR IGNORE INTO lists VALUES ('n', 'Home', 3)",
    "INSERT INTO lists VALUES ('n', 'Home', 3)",
  ])
  func rowThatAStatementOnlyMeetsIsNotDeleted(sql: String) throws {
    try ann.execute("INSERT INTO lists VALUES ('a', 'Home', 1)")
    try fleet.settle()
    do {
      try ann.execute(sql)
    } catch let error as DatabaseError {
      #expect(error.resultCode == .SQLITE_CONSTRAINT)
    }
    #expect(try ann.outbox().allSatisfy { !$0.hasPrefix("delete") })
    try fleet.settle()
    #expect(try ben.rows("SELECT id FROM lists") == ["a"])
    try fleet.expectExhausted()
  }

  @Test func parentOfRowThatLostCanBeDeleted() throws {
    try ann.execute("INSERT INTO lists VALUES ('l', 'Home', 1)")
    try fleet.settle()
    try ann.execute("INSERT INTO reminders VALUES ('a', 'Milk', 'l', NULL)")
    try ben.execute("INSERT INTO reminders VALUES ('b', 'Milk', 'l', NULL)")
    try fleet.settle()
    #expect(try waiting(ann) == ["b": .duplicate(of: "a:reminders")])
    try ann.execute("DELETE FROM lists")
    try fleet.settle()
    try expect([], "SELECT id FROM lists")
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test func rowThatGetsADefaultParentWhereAnotherIsWaits() throws {
    try ann.execute("INSERT INTO lists VALUES ('l', 'Inbox', 0), ('m', 'Work', 1)")
    try ann.execute("INSERT INTO images VALUES ('i', 'l', 'x', NULL)")
    try fleet.settle()
    try ben.execute("INSERT INTO images VALUES ('j', 'm', 'x', NULL)")
    try ben.sync()
    try ann.execute("DELETE FROM lists WHERE id = 'm'")
    try fleet.settle()
    try fleet.settle()
    #expect(try ann.contents() == ben.contents())
    #expect(try waiting(ann) == waiting(ben))
    try ann.execute("UPDATE images SET name = 'y' WHERE id = 'i'")
    try fleet.settle()
    #expect(try ann.contents() == ben.contents())
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test func partialIndexAndItsCollationCount() throws {
    try ann.execute("INSERT INTO nodes VALUES ('a', 'Any', NULL), ('b', 'any', NULL)")
    try ben.execute("INSERT INTO nodes VALUES ('c', 'any', NULL), ('d', 'ANY', NULL)")
    try fleet.settle()
    try expect(
      ["a", "b", "c"], "SELECT id FROM nodes ORDER BY id",
      waiting: ["d": .duplicate(of: "a:nodes")])
  }

  @Test func noRowIsBeforeTheOneItHangsOn() throws {
    try ann.execute("INSERT INTO nodes VALUES ('child', 'x', NULL)")
    try ann.execute("INSERT INTO nodes VALUES ('root', 'y', NULL)")
    try fleet.settle()
    try ann.execute("UPDATE nodes SET parentID = 'root' WHERE id = 'child'")
    try fleet.settle()
    try ann.execute("UPDATE nodes SET name = 'w' WHERE id = 'root'")
    try ben.execute("UPDATE nodes SET name = 'w' WHERE id = 'child'")
    try fleet.settle()
    try expect(["root"], "SELECT id FROM nodes", waiting: ["child": .duplicate(of: "root:nodes")])
  }

  @Test func rowThatLostIsDeletedWithItsRecord() throws {
    try ann.execute("INSERT INTO lists VALUES ('a', 'Home', 1)")
    try ben.execute("INSERT INTO lists VALUES ('b', 'Home', 2)")
    let eve = try fleet.device()
    try ben.sync()
    try eve.sync()
    try ann.sync()
    // She does not know of the other one yet.
    try eve.execute("DELETE FROM lists")
    try fleet.settle()
    try expect(["a|Home|1"], "SELECT * FROM lists")
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test func whatOthersShareTakesNothingAway() throws {
    let fleet = try Fleet(schema: Self.schema)
    let (ann, ben) = (try fleet.device(account: "ann"), try fleet.device(account: "ben"))
    try ben.execute("INSERT INTO lists VALUES ('b', 'Home', 2)")
    try ben.execute("INSERT INTO reminders VALUES ('r', 'Milk', 'b', NULL)")
    try fleet.settle()
    try ann.execute("INSERT INTO lists VALUES ('a', 'Home', 1)")
    try fleet.settle()
    let link = try ben.synchronizer.share(
      table: "lists", key: "b", title: "Home", participants: ["ann": .write],
      publicPermission: .none)
    try fleet.settle()
    try ann.synchronizer.accept(link)
    try fleet.settle()
    #expect(try ann.rows("SELECT * FROM lists") == ["a|Home|1"])
    #expect(try waiting(ann) == Self.lost)
    #expect(try ben.rows("SELECT * FROM lists") == ["b|Home|2"])
    try ann.execute("UPDATE lists SET title = 'House'")
    try fleet.settle()
    #expect(try ann.rows("SELECT * FROM lists ORDER BY id") == ["a|House|1", "b|Home|2"])
    #expect(try ann.rows("SELECT id FROM reminders") == ["r"])
    #expect(try ben.rows("SELECT * FROM lists") == ["b|Home|2"])
  }

  @Test func indexThatIsDroppedLetsBothIn() throws {
    let schema = Schema(
      sql: """
        CREATE TABLE lists (id TEXT PRIMARY KEY NOT NULL, title TEXT);
        CREATE UNIQUE INDEX titles ON lists (title);
        """, tables: ["lists"])
    let fleet = try Fleet(schema: schema)
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO lists VALUES ('a', 'Home')")
    try ben.execute("INSERT INTO lists VALUES ('b', 'Home')")
    try fleet.settle()
    #expect(try ann.rows("SELECT id FROM lists") == ["a"])
    for device in [ann, ben] { try device.relaunch { try $0.execute(sql: "DROP INDEX titles") } }
    #expect(try ann.rows("SELECT id FROM lists ORDER BY id") == ["a", "b"])
    try fleet.expectExhausted(after: [.quarantined])
  }

  @Test func rowThatLostSurvivesALogThatIsBegunAnew() throws {
    try makeTwoLists()
    try ann.zone.reset(reason: "test")
    try fleet.settle()
    try expect(["a|Home|1"], "SELECT * FROM lists", waiting: Self.lost)
    #expect(try Stranger(fleet).record("b:lists") != nil)
  }
}
