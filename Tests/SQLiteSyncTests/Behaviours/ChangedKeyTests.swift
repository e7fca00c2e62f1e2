import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// A migration by which rows are told apart in another way is refused when the engine is made: the
/// records are named by the keys.
struct ChangedKeyTests {
  private let ann: Device

  init() throws {
    let fleet = try Fleet(
      schema: Schema(
        sql: "CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, other TEXT, v TEXT)", tables: ["t"]))
    ann = try fleet.device()
    try ann.execute("INSERT INTO t VALUES ('Abc', 'x', 'one'), ('def', 'y', 'two')")
    try ann.sync()
  }

  /// Makes the table anew, as for changes that ALTER TABLE cannot make.
  private func rebuild(as columns: String, _ values: String = "id, other, v") throws {
    try ann.relaunch {
      try $0.execute(
        sql: """
          CREATE TABLE new_t (\(columns)); INSERT INTO new_t SELECT \(values) FROM t;
          DROP TABLE t; ALTER TABLE new_t RENAME TO t
          """)
    }
  }

  private func expectRefusal(
    _ word: String, column: String, of columns: String, _ values: String = "id, other, v"
  ) throws {
    let error = #expect(throws: SyncError.self) { try rebuild(as: columns, values) }
    #expect(error?.reason == .changedKey)
    #expect(error?.table == "t" && error?.column == column)
    #expect(error?.message.contains(word) == true)
    #expect(error?.hint?.contains("SyncEngine.forget") == true)
    let found = try ann.database.read { try SyncEngine.validate($0, tableNames: ["t"]) }
    #expect(found.map(\.reason) == [.changedKey])
  }

  @Test func anotherCollationIsRefused() throws {
    try expectRefusal(
      "NOCASE", column: "id", of: "id TEXT PRIMARY KEY NOT NULL COLLATE NOCASE, other TEXT, v TEXT")
  }

  @Test func anotherColumnIsRefused() throws {
    try expectRefusal(
      "id", column: "other", of: "id TEXT, other TEXT PRIMARY KEY NOT NULL, v TEXT")
  }

  @Test func aNewKeyInPlaceOfTheFormerIsRefused() throws {
    try expectRefusal(
      "id", column: "other", of: "other TEXT PRIMARY KEY NOT NULL, v TEXT", "other, v")
  }

  @Test(arguments: [true, false])
  func theSameKeyMayHaveAnotherName(isSaid: Bool) throws {
    try ann.relaunch { db in
      try db.execute(sql: "ALTER TABLE t RENAME COLUMN id TO number")
      if isSaid { try SyncEngine.rename(db, column: "id", to: "number", of: "t") }
    }
    try ann.relaunch()
    try ann.execute("UPDATE t SET v = 'three' WHERE number = 'Abc'")
    try ann.sync()
    #expect(try ann.counts() == SyncCounts())
  }

  @Test func theSameKeyMayBeDeclaredAnew() throws {
    try rebuild(as: "id VARCHAR(36) NOT NULL, other TEXT, v TEXT, PRIMARY KEY (id)")
    try ann.sync()
    #expect(try ann.counts() == SyncCounts())
  }

  /// Files of versions that did not keep it.
  @Test func whatIsNotKnownIsNotedTheNextTime() throws {
    try ann.relaunch { try $0.execute(sql: "UPDATE sync_tables SET keyColumn = NULL") }
    #expect(try ann.rows("SELECT keyColumn FROM sync_tables WHERE name = 't'") == ["id"])
  }
}
