import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// A later version of the app hangs the rows of a table on others by a column that is new, and
/// moves them by it, before all of the account's devices have that version.
struct NewParentColumnTests {
  private static let before = Schema(
    sql: """
      CREATE TABLE lists (id TEXT PRIMARY KEY NOT NULL, title TEXT);
      CREATE TABLE items (
        id TEXT PRIMARY KEY NOT NULL, text TEXT,
        list TEXT REFERENCES lists (id) ON DELETE CASCADE);
      """, tables: ["lists", "items"])

  private static func upgrade(_ device: Device) throws {
    try device.relaunch(tables: ["lists", "sections", "items"]) { db in
      try db.execute(
        sql: """
          CREATE TABLE sections (
            id TEXT PRIMARY KEY NOT NULL, list TEXT REFERENCES lists (id) ON DELETE CASCADE);
          INSERT INTO sections SELECT 's' || id, id FROM lists;
          CREATE TABLE new_items (
            id TEXT PRIMARY KEY NOT NULL, text TEXT, list TEXT,
            section TEXT REFERENCES sections (id) ON DELETE CASCADE);
          INSERT INTO new_items SELECT id, text, list, 's' || list FROM items;
          DROP TABLE items;
          ALTER TABLE new_items RENAME TO items;
          """)
    }
  }

  private let fleet: Fleet
  private let new: Device
  private let old: Device
  private let ben: Device

  /// ann shares list 1 with ben.
  init() throws {
    fleet = try Fleet(schema: Self.before)
    (new, old) = try fleet.pair()
    ben = try fleet.device(account: AccountID(userID: 1_001))
    try new.execute(
      """
      INSERT INTO lists VALUES ('1', 'Trip'), ('2', 'Home'), ('3', 'Work');
      INSERT INTO items VALUES ('a', 'Tickets', '1'), ('b', 'Dishes', '2');
      """)
    try fleet.settle()
    try share("1")
  }

  private func share(_ list: String) throws {
    let link = try new.synchronizer.share(
      table: "lists", key: list, title: list, participants: [:], publicPermission: .write)
    try new.sync()
    try ben.synchronizer.accept(link)
    try fleet.settle()
  }

  enum Move: String, CaseIterable {
    case outOfWhatIsShared = "UPDATE items SET section = 's2' WHERE id = 'a'"
    case intoWhatIsShared = "UPDATE items SET section = 's1' WHERE id = 'b'"
    case intoAnotherShare = "UPDATE items SET section = 's3' WHERE id = 'a'"
  }

  @Test(arguments: Move.allCases)
  func aDeviceThatGetsTheVersionLaterFollows(move: Move) throws {
    try share("3")
    try Self.upgrade(new)
    try fleet.settle()
    try new.execute(move.rawValue)
    try fleet.settle()
    try Self.upgrade(old)
    try fleet.settle()
    let sections =
      switch move {
      case .outOfWhatIsShared: ["s2", "s2"]
      case .intoWhatIsShared: ["s1", "s1"]
      case .intoAnotherShare: ["s3", "s2"]
      }
    for device in [new, old] {
      #expect(
        try device.rows("SELECT text, section FROM items ORDER BY id")
          == ["Tickets|\(sections[0])", "Dishes|\(sections[1])"])
    }
    try Self.upgrade(ben)
    try fleet.settle()
    #expect(
      try ben.rows("SELECT id FROM items ORDER BY id")
        == zip(["a", "b"], sections).filter { $0.1 != "s2" }.map(\.0))
    for device in fleet.devices { #expect(try device.counts() == SyncCounts()) }
    try fleet.expectExhausted()
  }
}
