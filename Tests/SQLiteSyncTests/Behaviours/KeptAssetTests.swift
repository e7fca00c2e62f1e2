import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// The bytes of images that an old version of the app cannot show.
extension SchemaChangeTests {
  @Test func aNewColumnIsFilledWithTheBytesOfAnAssetWithoutADownload() throws {
    try ben.execute(
      "INSERT INTO lists (id, image) VALUES ('l', ?)", [Data(repeating: 7, count: 10_000)])
    try fleet.settle()
    try ben.execute("UPDATE lists SET image = ?", [Data(repeating: 8, count: 20_000)])
    try fleet.settle()
    try ann.relaunch(migrate: Self.upgrade)
    #expect(try ann.rows("SELECT image FROM lists") == ["20000 bytes"])
    #expect(try ann.rows("SELECT count(bytes) FROM sync_assets") == ["0"])
    try fleet.settle()
    try fleet.expectExhausted()
  }

  /// The first version of the engine kept no bytes that had no column.
  @Test(arguments: ["UPDATE sync_assets SET bytes = NULL", "DELETE FROM sync_assets"])
  func bytesThatWereNotKeptAreDownloadedAfterTheMigration(forgetting: String) throws {
    try ben.execute(
      "INSERT INTO lists (id, image) VALUES ('l', ?)", [Data(repeating: 7, count: 10_000)])
    try fleet.settle()
    try ann.execute(forgetting)
    try ann.relaunch(migrate: Self.upgrade)
    #expect(try ann.rows("SELECT image FROM lists") == ["NULL"])
    #expect(try ann.outbox() == [])
    try fleet.settle()
    #expect(try ann.rows("SELECT image FROM lists") == ["10000 bytes"])
    #expect(try ben.rows("SELECT image FROM lists") == ["10000 bytes"])
  }

  @Test func bytesOfADroppedColumnAreKeptForItsReturn() throws {
    let carl = try fleet.device(schema: Self.new)
    try ben.execute(
      "INSERT INTO lists (id, title, image) VALUES ('l', 'A', ?)",
      [Data(repeating: 7, count: 10_000)])
    try fleet.settle()
    try carl.relaunch { db in
      try SyncEngine.forget(db, table: Self.Lists.self, columns: ["image"])
      try db.execute(sql: "ALTER TABLE lists DROP COLUMN image")
    }
    try carl.execute("UPDATE lists SET title = 'B'")
    try fleet.settle()
    #expect(try ben.rows("SELECT title, image FROM lists") == ["B|10000 bytes"])
    try carl.relaunch { try $0.execute(sql: "ALTER TABLE lists ADD COLUMN image BLOB") }
    #expect(try carl.rows("SELECT title, image FROM lists") == ["B|10000 bytes"])
    #expect(try carl.outbox() == [])
    try fleet.settle()
    try fleet.expectExhausted()
  }

  @Test func bytesThatNoColumnTakesAreNotKeptLongerThanTheirRow() throws {
    try ben.execute(
      "INSERT INTO lists (id, image) VALUES ('l', ?), ('m', ?)",
      [Data(repeating: 7, count: 10_000), Data(repeating: 8, count: 20_000)])
    try fleet.settle()
    #expect(
      try ann.rows("SELECT length(bytes) FROM sync_assets ORDER BY 1") == ["10000", "20000"])
    try ben.execute("UPDATE lists SET image = NULL WHERE id = 'l'")
    try ben.execute("DELETE FROM lists WHERE id = 'm'")
    try fleet.settle()
    #expect(try ann.rows("SELECT count(bytes) FROM sync_assets") == ["0"])
    try fleet.expectExhausted()
  }

  @Test func bytesOfATableThatIsNotHereYetAreKeptForIt() throws {
    let sql = """
      CREATE TABLE covers (
        listID TEXT PRIMARY KEY NOT NULL REFERENCES lists (id) ON DELETE CASCADE, image BLOB)
      """
    let tables = ["lists", "covers"]
    try ben.relaunch(tables: tables) { try $0.execute(sql: sql) }
    try ben.execute("INSERT INTO lists (id) VALUES ('l'), ('m')")
    try ben.execute(
      "INSERT INTO covers VALUES ('l', ?), ('m', ?)",
      [Data(repeating: 7, count: 10_000), Data(repeating: 8, count: 20_000)])
    try fleet.settle()
    try ben.execute("DELETE FROM covers WHERE listID = 'm'")
    try fleet.settle()
    #expect(try ann.rows("SELECT length(bytes) FROM sync_assets") == ["10000"])
    try ann.relaunch(tables: tables) { try $0.execute(sql: sql) }
    #expect(try ann.rows("SELECT * FROM covers") == ["l|10000 bytes"])
    #expect(try ann.rows("SELECT count(bytes) FROM sync_assets") == ["0"])
    try fleet.settle()
    try fleet.expectExhausted()
  }
}
