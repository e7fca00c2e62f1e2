import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Tables and columns that an app calls by other capitals than they were declared with: SQLite
/// takes them for the same.
struct NameCaseTests {
  private let fleet: Fleet
  private let device: Device

  init() throws {
    fleet = try Fleet()
    device = try fleet.device()
    try device.execute("INSERT INTO lists (id, title) VALUES ('l', 'Trip')")
    try fleet.settle()
    try device.execute("UPDATE lists SET title = 'Journey'")
    try device.execute("INSERT INTO lists (id, title) VALUES ('m', 'Home')")
    try device.execute("DELETE FROM lists WHERE id = 'm'")
  }

  @Test func metadataAndEditsAreFound() throws {
    try device.database.read { (db: Database) throws in
      for table in ["lists", "LISTS"] {
        #expect(try SyncMetadata.fetchOne(db, id: .init(of: "l", in: table))?.id.table == "lists")
        #expect(try SyncRowEdits(db, of: table, key: "l").made != nil)
      }
    }
  }

  @Test func expressionsFindIt() throws {
    let condition = SyncEngine.hasPendingChange(table: "Lists", key: "lists.id")
    #expect(try device.rows("SELECT id FROM lists WHERE \(condition)") == ["l"])
    try device.synchronizer.foldEdits()
    #expect(try device.rows("SELECT id FROM lists WHERE \(condition)") == ["l"])
    try device.sync()
    #expect(try device.rows("SELECT id FROM lists WHERE \(condition)") == [])
  }

  @Test func theLatestEditorIsFound() throws {
    let link = try device.synchronizer.share(
      table: "lists", key: "l", title: "Trip", participants: [:], publicPermission: .write)
    try device.sync()
    let ben = try fleet.device(account: AccountID(userID: 1_001))
    try ben.synchronizer.accept(link)
    try ben.execute("UPDATE lists SET title = 'Of ben'")
    try fleet.settle()
    let (declared, shouted) = ("lists", "LISTS")
    let editors = try [declared, shouted].map { table in
      try device.rows("SELECT \(SyncEngine.latestEditor(table: table, key: "lists.id")) FROM lists")
    }
    #expect(editors[0] == editors[1] && editors[0] != ["NULL"])
  }

  private struct ListInCapitals: TableRecord { static let databaseTableName = "LISTS" }

  @Test func theAssociationFindsIt() throws {
    let request = ListInCapitals.joining(required: ListInCapitals.syncMetadata())
    #expect(try device.database.read { try request.fetchCount($0) } == 1)
  }

  @Test func anAssociationIsNoMatterOfWhetherAnEngineWasThere() throws {
    let database = try DatabaseQueue()
    try database.write { db in
      try db.execute(sql: "CREATE TABLE lists (id TEXT PRIMARY KEY NOT NULL)")
      let request = ListInCapitals.joining(optional: ListInCapitals.syncMetadata())
      let error = #expect(throws: DatabaseError.self) { try request.fetchCount(db) }
      #expect(error?.message == "no such table: sync_metadata")
    }
  }

  @Test func theHistoryIsFound() throws {
    try device.database.read { (db: Database) throws in
      for (table, column) in [("lists", "title"), ("Lists", "Title")] {
        #expect(try SyncHistory.entries(db, of: table, key: "l", column: column).count == 1)
        #expect(try SyncHistory.deletedRows(db, of: table).count == 1)
        let match = (column: column, value: "Home")
        #expect(try SyncHistory.deletedRows(db, of: table, where: match).count == 1)
      }
    }
  }

  @Test func aRowIsShared() throws {
    let link = try device.synchronizer.share(
      table: "LISTS", key: "l", title: "Trip", participants: [:], publicPermission: .read)
    try device.sync()
    #expect(try device.synchronizer.link(table: "Lists", key: "l") == link)
    try device.synchronizer.unshare(table: "Lists", key: "l")
  }

  @Test func anAssetOfAnUnknownTableIsAnErrorAboutTheTable() throws {
    let error = #expect(throws: SyncError.self) {
      try device.synchronizer.asset("title", of: .init(of: "l", in: "nothing"))
    }
    #expect(error?.message.contains("table “nothing”") == true)
    #expect(try device.synchronizer.asset("TITLE", of: .init(of: "l", in: "Lists")) != nil)
  }
}
