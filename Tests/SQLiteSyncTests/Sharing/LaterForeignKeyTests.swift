import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// A foreign key that a later version of the app adds: rows go with what is shared, and earlier
/// versions cannot know why.
struct LaterForeignKeyTests {
  private let fleet: Fleet
  /// A device with the later version, and one with the earlier.
  private let new: Device
  private let old: Device

  private static let sql = "CREATE TABLE g (id TEXT PRIMARY KEY NOT NULL, title TEXT);\n"
  private static let before = Schema(
    sql: sql + "CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, text TEXT, g TEXT);",
    tables: ["g", "t"])
  private static let after = Schema(
    sql: sql + """
      CREATE TABLE t (
        id TEXT PRIMARY KEY NOT NULL, text TEXT, g TEXT REFERENCES g (id) ON DELETE CASCADE);
      """,
    tables: ["g", "t"])

  init() throws {
    fleet = try Fleet(schema: Self.after)
    new = try fleet.device()
    old = try fleet.device(schema: Self.before)
    try old.execute("INSERT INTO g VALUES ('1', 'Trip'), ('2', 'Home')")
    try old.execute("INSERT INTO t VALUES ('a', 'Tickets', '1'), ('b', 'Dishes', '2')")
    try fleet.settle()
  }

  @discardableResult
  private func share() throws -> ShareLink {
    let link = try new.synchronizer.share(
      table: "g", key: "1", title: "Trip", participants: [:], publicPermission: .write)
    try fleet.settle()
    return link
  }

  private func waiting() throws -> [SyncWaitingRecord] {
    try old.database.read { try SyncWaitingRecord.all($0) }
  }

  @Test func whatGoesWithASharedRowIsCountedAsWaiting() throws {
    try share()
    #expect(try old.rows("SELECT id FROM t") == ["b"])
    #expect(try waiting().map { "\($0.table) \($0.key) \($0.reason)" } == ["t a unknownForeignKey"])
    #expect(try old.counts().waiting == 1)
    #expect(try new.rows("SELECT text FROM t ORDER BY id") == ["Tickets", "Dishes"])
    #expect(try new.counts() == SyncCounts())
  }

  @Test func anEditThatWasNotSentByThenIsInTheHistory() throws {
    try old.execute("UPDATE t SET text = 'Buy tickets' WHERE id = 'a'")
    try share()
    #expect(try waiting().map(\.key) == ["a"])
    let isTold = old.events.contains { event in
      if case .withdrawn(let records) = event { records.map(\.name) == ["a:t"] } else { false }
    }
    #expect(isTold)
    let gone = try old.database.read { try SyncHistory.deletedRows($0, of: "t") }
    guard case .row(let row)? = gone.first?.loss else {
      Issue.record("The row is not in the history.")
      return
    }
    #expect(row["text"] == "Buy tickets".databaseValue)
  }

  @Test func itComesBackWithTheLaterVersion() throws {
    try share()
    try old.relaunch {
      try $0.execute(
        sql: """
          CREATE TABLE new_t (
            id TEXT PRIMARY KEY NOT NULL, text TEXT, g TEXT REFERENCES g (id) ON DELETE CASCADE);
          INSERT INTO new_t SELECT * FROM t; DROP TABLE t; ALTER TABLE new_t RENAME TO t;
          """)
    }
    try fleet.settle()
    #expect(try old.rows("SELECT text FROM t ORDER BY id") == ["Tickets", "Dishes"])
    #expect(try old.counts() == SyncCounts())
    try fleet.expectExhausted()
  }

  @Test func itComesBackWhenItIsSharedNoMore() throws {
    try share()
    try new.synchronizer.unshare(table: "g", key: "1")
    try fleet.settle()
    #expect(try old.rows("SELECT text FROM t ORDER BY id") == ["Tickets", "Dishes"])
    #expect(try waiting().isEmpty)
    #expect(try old.counts() == SyncCounts())
  }

  @Test func whatIsDeletedMeanwhileWaitsNoMore() throws {
    try share()
    try new.execute("DELETE FROM t WHERE id = 'a'")
    try fleet.settle()
    #expect(try waiting().isEmpty)
    #expect(try old.counts() == SyncCounts())
  }

  @Test func whatStrangersPutIntoASharedZoneIsNotCounted() throws {
    let link = try share()
    let ben = try fleet.device(schema: Self.after, account: AccountID(userID: 1_001))
    try ben.synchronizer.accept(link)
    try ben.execute("INSERT INTO t VALUES ('c', 'Of ben', '1')")
    try fleet.settle()
    #expect(try new.rows("SELECT id FROM t ORDER BY id") == ["a", "b", "c"])
    #expect(try waiting().map(\.key) == ["a"])
  }
}
