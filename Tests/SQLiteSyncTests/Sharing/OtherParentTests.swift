import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// A later version of the app hangs the rows of a table on something else, so that they do not go
/// with what is shared any more: in the end nothing of them is left there, and nothing is lost.
struct OtherParentTests {
  private static let before = Schema(
    sql: """
      CREATE TABLE lists (id TEXT PRIMARY KEY NOT NULL, title TEXT);
      CREATE TABLE items (
        id TEXT PRIMARY KEY NOT NULL, text TEXT,
        list TEXT REFERENCES lists (id) ON DELETE CASCADE);
      """, tables: ["lists", "items"])

  /// - Parameter section: What the migration hangs the rows on; nil is nothing.
  private static func upgrade(_ device: Device, section: String? = nil) throws {
    try device.relaunch(tables: ["lists", "sections", "items"]) { db in
      try db.execute(
        sql: """
          CREATE TABLE sections (id TEXT PRIMARY KEY NOT NULL);
          CREATE TABLE new_items (
            id TEXT PRIMARY KEY NOT NULL, text TEXT, list TEXT,
            section TEXT REFERENCES sections (id) ON DELETE CASCADE);
          INSERT INTO new_items SELECT *, NULL FROM items;
          DROP TABLE items;
          ALTER TABLE new_items RENAME TO items;
          """)
      guard let section else { return }
      try db.execute(sql: "INSERT INTO sections VALUES (?)", arguments: [section])
      try db.execute(sql: "UPDATE items SET section = ?", arguments: [section])
    }
  }

  private let fleet: Fleet
  private let ann: Device
  private let annToo: Device
  private let ben: Device
  private let zone: ZoneID

  init() throws {
    fleet = try Fleet(schema: Self.before)
    (ann, annToo) = try fleet.pair()
    ben = try fleet.device(account: AccountID(userID: 1_001))
    try ann.execute(
      "INSERT INTO lists VALUES ('1', 'Trip'); INSERT INTO items VALUES ('a', 'Tickets', '1')")
    try fleet.settle()
    let link = try ann.synchronizer.share(
      table: "lists", key: "1", title: "Trip", participants: [:], publicPermission: .write)
    try ann.sync()
    try ben.synchronizer.accept(link)
    try fleet.settle()
    zone = link.zone
  }

  /// The items of ann are these, ben has none, and nothing is left in what they share.
  private func expectOnlyAnns(
    _ items: [String], _ location: SourceLocation = #_sourceLocation
  ) throws {
    for device in [ann, annToo] {
      let rows = try device.rows("SELECT text, list, section FROM items")
      #expect(rows == items, sourceLocation: location)
    }
    #expect(try ben.rows("SELECT id FROM items") == [], sourceLocation: location)
    let names = try Stranger(fleet, zone: zone).names()
    #expect(!names.contains("a:items"), sourceLocation: location)
    for device in fleet.devices {
      #expect(try device.counts() == SyncCounts(), sourceLocation: location)
      #expect(try device.rows("SELECT * FROM sync_leftovers") == [], sourceLocation: location)
    }
    try fleet.expectExhausted(sourceLocation: location)
  }

  /// Whoever has the later version first.
  @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func nothingIsLeftWhereItWasShared(order: [Int]) throws {
    for index in order {
      try Self.upgrade(fleet.devices[index])
      try fleet.settle()
    }
    try expectOnlyAnns(["Tickets|1|NULL"])
  }

  @Test func whatAParticipantWritesUntilThenIsTaken() throws {
    try ben.execute("UPDATE items SET text = 'Of ben'")
    try ben.sync()
    try Self.upgrade(ann)
    try fleet.settle()
    try ben.execute("UPDATE items SET text = text || ' again'")
    try fleet.settle()
    for device in [annToo, ben] { try Self.upgrade(device) }
    try fleet.settle()
    try expectOnlyAnns(["Of ben again|1|NULL"])
  }

  /// His edit comes between the move and the deletion of what it left behind.
  @Test func whatAParticipantWritesMeanwhileIsTaken() throws {
    try Self.upgrade(ann)
    try ann.fetch()
    try ben.execute("UPDATE items SET text = 'Of ben'")
    try ben.sync()
    try ann.sync()
    for device in [annToo, ben] { try Self.upgrade(device) }
    try fleet.settle()
    try expectOnlyAnns(["Of ben|1|NULL"])
  }

  @Test func whoHasTheLaterVersionTakesNothingAwayFromOthers() throws {
    try Self.upgrade(ben)
    try fleet.settle()
    try ben.execute("UPDATE items SET text = 'Of ben'")
    try fleet.settle()
    for device in [ann, annToo, ben] {
      #expect(try device.rows("SELECT text FROM items") == ["Of ben"])
    }
    try annToo.execute("UPDATE items SET text = 'Of ann'")
    try fleet.settle()
    #expect(try ben.rows("SELECT text FROM items") == ["Of ann"])
    for device in [ann, annToo] { try Self.upgrade(device) }
    try fleet.settle()
    try expectOnlyAnns(["Of ann|1|NULL"])
  }

  @Test func whoHasTheLaterVersionDeletesForAll() throws {
    try Self.upgrade(ben)
    try ben.execute("DELETE FROM items")
    try fleet.settle()
    for device in [ann, annToo] { #expect(try device.rows("SELECT id FROM items") == []) }
    for device in [ann, annToo] { try Self.upgrade(device) }
    try fleet.settle()
    try expectOnlyAnns([])
  }

  /// An earlier version takes the row back to what is shared in between.
  @Test(arguments: [true, false])
  func whatTheMigrationsPutThereIsTheSameOnBothDevices(isTakenBack: Bool) throws {
    try Self.upgrade(ann, section: "s")
    if isTakenBack { try fleet.settle() }
    try Self.upgrade(annToo, section: "s")
    try fleet.settle()
    try Self.upgrade(ben)
    try fleet.settle()
    try expectOnlyAnns(["Tickets|1|s"])
  }
}
