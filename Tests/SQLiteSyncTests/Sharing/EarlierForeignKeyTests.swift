import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// A table whose rows do not go with what is shared any more in a later version of the app, while a
/// device with an earlier version shares them: nothing vanishes without a trace.
struct EarlierForeignKeyTests {
  /// How the later version differs.
  enum Later: CaseIterable {
    /// The rows depend on others, too.
    case isJoin
    /// The table is private.
    case isPrivate
    /// The rows depend on something else instead.
    case hasOtherParent
    /// What is shared depends on something itself.
    case isBelow
  }

  private static let lists = "CREATE TABLE l (id TEXT PRIMARY KEY NOT NULL, title TEXT);\n"
  private static let items = """
    CREATE TABLE i (
      id TEXT PRIMARY KEY NOT NULL, text TEXT, l TEXT REFERENCES l (id) ON DELETE CASCADE);
    """
  private static let before = Schema(sql: lists + items, tables: ["l", "i"])

  private static func migrate(_ later: Later, _ db: Database) throws {
    switch later {
    case .isJoin:
      try db.execute(
        sql: "ALTER TABLE i ADD COLUMN after TEXT REFERENCES i (id) ON DELETE SET NULL")
    case .isPrivate: break
    case .hasOtherParent:
      try db.execute(
        sql: """
          CREATE TABLE s (id TEXT PRIMARY KEY NOT NULL, title TEXT);
          CREATE TABLE new_i (
            id TEXT PRIMARY KEY NOT NULL, text TEXT, l TEXT,
            section TEXT REFERENCES s (id) ON DELETE CASCADE);
          INSERT INTO new_i SELECT *, NULL FROM i; DROP TABLE i; ALTER TABLE new_i RENAME TO i;
          """)
    case .isBelow:
      try db.execute(
        sql: """
          CREATE TABLE f (id TEXT PRIMARY KEY NOT NULL);
          ALTER TABLE l ADD COLUMN folder TEXT REFERENCES f (id) ON DELETE CASCADE;
          """)
    }
  }

  private static func tables(_ later: Later) -> [String] {
    switch later {
    case .isJoin, .isPrivate: ["l", "i"]
    case .hasOtherParent: ["l", "s", "i"]
    case .isBelow: ["f", "l", "i"]
    }
  }

  private static func upgrade(_ device: Device, to later: Later) throws {
    try device.relaunch(
      tables: tables(later), privateTables: later == .isPrivate ? ["i"] : nil
    ) { try migrate(later, $0) }
  }

  private let fleet: Fleet
  /// A device with the earlier version, and one that gets the later one.
  private let old: Device
  private let new: Device

  init() throws {
    fleet = try Fleet(schema: Self.before)
    old = try fleet.device()
    new = try fleet.device()
    try old.execute("INSERT INTO l VALUES ('1', 'Trip'), ('2', 'Home')")
    try old.execute("INSERT INTO i VALUES ('a', 'Tickets', '1'), ('b', 'Dishes', '2')")
    try fleet.settle()
  }

  @discardableResult
  private func share() throws -> ShareLink {
    let link = try old.synchronizer.share(
      table: "l", key: "1", title: "Trip", participants: [:], publicPermission: .write)
    try fleet.settle()
    return link
  }

  /// Somebody with the earlier version who takes part.
  private func ben(_ link: ShareLink) throws -> Device {
    let ben = try fleet.device(account: AccountID(userID: 1_001))
    try ben.synchronizer.accept(link)
    return ben
  }

  private func texts(_ device: Device) throws -> [String] {
    try device.rows("SELECT text FROM i ORDER BY id")
  }

  private func waiting(_ device: Device) throws -> [String] {
    try device.database.read { try SyncWaitingRecord.all($0) }
      .map { "\($0.table) \($0.key) \($0.reason)" }
  }

  /// A row is here, or it is counted.
  private func expectNothingVanished(_ device: Device) throws {
    let all = Set(["l 1", "l 2", "i a", "i b"])
    let here = try Set(
      device.rows("SELECT 'l ' || id FROM l") + device.rows("SELECT 'i ' || id FROM i"))
    let waiting = try device.database.read { try SyncWaitingRecord.all($0) }
    #expect(here.union(waiting.map { "\($0.table) \($0.key)" }) == all)
    #expect(try device.counts().waiting == waiting.count)
  }

  // MARK: - Whatever the later version is

  @Test(arguments: Later.allCases)
  func whatAnEarlierVersionSharesIsHereOrWaits(later: Later) throws {
    try Self.upgrade(new, to: later)
    try share()
    try expectNothingVanished(new)
    #expect(try texts(old) == ["Tickets", "Dishes"])
  }

  @Test(arguments: Later.allCases)
  func itIsNoLessWhenAParticipantHasEditedItFirst(later: Later) throws {
    try Self.upgrade(new, to: later)
    let link = try old.synchronizer.share(
      table: "l", key: "1", title: "Trip", participants: [:], publicPermission: .write)
    try old.sync()
    let ben = try ben(link)
    try ben.execute("UPDATE i SET text = 'Of ben'")
    try ben.sync()
    try fleet.settle()
    try expectNothingVanished(new)
  }

  @Test(arguments: Later.allCases)
  func itIsBackWhenItIsSharedNoMore(later: Later) throws {
    try Self.upgrade(new, to: later)
    try share()
    try old.synchronizer.unshare(table: "l", key: "1")
    try fleet.settle()
    #expect(try texts(new) == ["Tickets", "Dishes"])
    #expect(try texts(old) == ["Tickets", "Dishes"])
    #expect(try waiting(new).isEmpty)
    #expect(try new.counts() == SyncCounts())
  }

  @Test(arguments: Later.allCases)
  func anEditOfWhatWasSharedBeforeIsHereOrWaits(later: Later) throws {
    let ben = try ben(share())
    try Self.upgrade(new, to: later)
    try fleet.settle()
    try expectNothingVanished(new)
    #expect(try texts(old) == ["Tickets", "Dishes"])
    try ben.execute("UPDATE i SET text = 'Of ben'")
    try old.execute("UPDATE l SET title = 'Journey' WHERE id = '1'")
    try fleet.settle()
    let isHere = try texts(new).contains("Of ben")
    #expect(try isHere || waiting(new).contains("i a unknownForeignKey"))
    let isTitleHere = try new.rows("SELECT title FROM l").contains("Journey")
    #expect(try isTitleHere || waiting(new).contains("l 1 unknownForeignKey"))
  }

  @Test(arguments: [Later.isJoin, .isPrivate, .hasOtherParent])
  func itIsBackWhenTheOtherDeviceHasTheLaterVersion(later: Later) throws {
    try Self.upgrade(new, to: later)
    try share()
    try Self.upgrade(old, to: later)
    try fleet.settle()
    #expect(try texts(new) == ["Tickets", "Dishes"])
    #expect(try texts(old) == ["Tickets", "Dishes"])
    #expect(try waiting(new).isEmpty)
    try old.execute("UPDATE i SET text = 'Packing' WHERE id = 'a'")
    try new.execute("UPDATE i SET text = 'Pots' WHERE id = 'b'")
    try fleet.settle()
    #expect(try texts(new) == ["Packing", "Pots"])
    #expect(try texts(old) == ["Packing", "Pots"])
  }

  @Test(arguments: [Later.isJoin, .isPrivate])
  func whatOthersShareStaysTheirs(later: Later) throws {
    let ben = try ben(share())
    try Self.upgrade(ben, to: later)
    try fleet.settle()
    try ben.execute("UPDATE i SET text = 'Of ben'")
    try fleet.settle()
    for device in [old, new] { #expect(try texts(device) == ["Of ben", "Dishes"]) }
    #expect(try texts(ben) == ["Of ben"])
  }

  /// A device that never had them, of the same account, with the later version.
  @Test(arguments: Later.allCases)
  func aNewDeviceShowsThemOrLetsThemWait(later: Later) throws {
    try share()
    let newest = try fleet.device(schema: Schema(sql: "", tables: [])) { db in
      try db.execute(sql: Self.lists + Self.items)
      try Self.migrate(later, db)
    }
    try newest.relaunch(
      tables: Self.tables(later), privateTables: later == .isPrivate ? ["i"] : nil)
    try fleet.settle()
    try expectNothingVanished(newest)
    try old.execute("UPDATE i SET text = 'Packing' WHERE id = 'a'")
    try fleet.settle()
    try expectNothingVanished(newest)
    try old.synchronizer.unshare(table: "l", key: "1")
    try fleet.settle()
    #expect(try texts(newest) == ["Packing", "Dishes"])
    #expect(try waiting(newest).isEmpty)
  }

  // MARK: - A join

  @Test func aRowThatDependsOnMoreNowStaysWhereItWasShared() throws {
    try Self.upgrade(new, to: .isJoin)
    let ben = try ben(share())
    #expect(try texts(new) == ["Tickets", "Dishes"])
    try new.execute("UPDATE i SET text = 'Packing' WHERE id = 'a'")
    try fleet.settle()
    #expect(try texts(ben) == ["Packing"])
    try ben.execute("UPDATE i SET text = 'Of ben'")
    try fleet.settle()
    for device in [old, new] { #expect(try texts(device) == ["Of ben", "Dishes"]) }
    #expect(try new.counts() == SyncCounts())
    try fleet.expectExhausted()
  }

  @Test func itLeavesWhatIsSharedWithItsList() throws {
    try Self.upgrade(new, to: .isJoin)
    let ben = try ben(share())
    try new.execute("UPDATE i SET l = '2' WHERE id = 'a'")
    try fleet.settle()
    #expect(try texts(ben).isEmpty)
    for device in [old, new] { #expect(try texts(device) == ["Tickets", "Dishes"]) }
    try new.execute("UPDATE i SET l = '1' WHERE id = 'a'")
    try fleet.settle()
    for device in [old, new] { #expect(try texts(device) == ["Tickets", "Dishes"]) }
    try fleet.expectExhausted()
  }

  @Test func whatIsNewWithTheLaterVersionIsShownToNobodyElse() throws {
    for device in [old, new] { try Self.upgrade(device, to: .isJoin) }
    let ben = try ben(share())
    try new.execute("INSERT INTO i VALUES ('c', 'Mine', '1', NULL)")
    try fleet.settle()
    #expect(try texts(old) == ["Tickets", "Dishes", "Mine"])
    #expect(try texts(ben).isEmpty)
  }

  @Test func itsDeletionIsEverybodys() throws {
    try Self.upgrade(new, to: .isJoin)
    let ben = try ben(share())
    try new.execute("DELETE FROM i WHERE id = 'a'")
    try fleet.settle()
    for device in [old, new] { #expect(try texts(device) == ["Dishes"]) }
    #expect(try texts(ben).isEmpty)
    #expect(try new.counts() == SyncCounts())
  }
}
