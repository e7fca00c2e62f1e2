import Foundation
import GRDB
import RemindersCoreTestSupport
import RemindersTestSupport
import SQLiteSync
import SQLiteSyncCloud
import Testing

@testable import RemindersCore

/// Each person has an order of the lists, and of each list, of their own.
@Suite struct ListViewTests {
  /// A device of somebody.
  private struct Device {
    let directory: TemporaryDirectory
    let database: AppDatabase
    let engine: SyncEngine

    init(
      _ name: String, _ store: MemoryStore, schema: SchemaVersion = .current
    ) throws {
      directory = try TemporaryDirectory()
      database = try AppDatabase.migrated(in: directory.url, schema: schema)
      engine = try SyncEngine(
        for: database.writer, tables: database.schema.synchronizedTables,
        privateTables: database.schema.privateTables,
        cloud: CloudContainer(
          store: store, account: try #require(AccountID(name: name)),
          device: try database.fetch(SyncQuery()).device, app: "tests"),
        startImmediately: false)
    }

    var lists: [String] {
      get throws { try database.fetch(ListsQuery()).map(\.title) }
    }

    func row(_ title: String) throws -> Sidebar.ListRow {
      try #require(
        try database.fetch(SidebarQuery(time: berlin())).lists.first { $0.list.title == title })
    }
  }

  private let store = MemoryStore()

  @Test func `moving a list changes nothing of the list itself`() async throws {
    let fixture = try Fixture()
    var ids: [String] = []
    for title in ["a", "b", "c"] { ids.append(try await fixture.database.addList(title: title).id) }
    func columns() throws -> [Double] {
      try fixture.database.writer.read {
        try Double.fetchAll($0, sql: "SELECT position FROM remindersLists ORDER BY title")
      }
    }
    let before = try columns()
    let undo = try await fixture.database.moveList(ids[2], .before, ids[0])
    #expect(try fixture.database.fetch(ListsQuery()).map(\.title) == ["c", "a", "b"])
    _ = try await fixture.database.moveList(ids[0], .after, ids[1])
    #expect(try fixture.database.fetch(ListsQuery()).map(\.title) == ["c", "b", "a"])
    #expect(try columns() == before)
    // A new list comes after all of them.
    _ = try await fixture.database.addList(title: "d")
    #expect(try fixture.database.fetch(ListsQuery()).map(\.title) == ["c", "b", "a", "d"])
    _ = try await fixture.database.undo(undo)
    #expect(try fixture.database.fetch(ListsQuery()).map(\.title).first == "b")
  }

  @Test func `a list that is deleted and brought back has its place and its order`() async throws {
    let fixture = try Fixture()
    let database = fixture.database
    let (one, two) = (
      try await database.addList(title: "a").id, try await database.addList(title: "b").id
    )
    _ = try await database.moveList(two, .before, one)
    try await database.setView(of: two, sort: .title, showsCompleted: true)
    let undo = try await database.deleteList(two)
    #expect(try database.fetch(ListsQuery()).map(\.title) == ["a"])
    _ = try await database.undo(undo)
    let row = try #require(try database.fetch(SidebarQuery(time: berlin())).lists.first)
    #expect(row.list.title == "b" && row.view.sort == .title && row.view.showsCompleted == true)
  }

  @Test func `order and view follow a person to their devices, and an old app is no worse`()
    async throws
  {
    let (desk, laptop) = (try Device("ann", store), try Device("ann", store))
    let old = try Device("ann", store, schema: .linksAndCovers)
    var ids: [String] = []
    for title in ["a", "b"] { ids.append(try await desk.database.addList(title: title).id) }
    _ = try await desk.database.moveList(ids[1], .before, ids[0])
    try await desk.database.setView(of: ids[0], sort: .priority, showsCompleted: true)
    for device in [desk, laptop, old] { try await device.engine.syncChanges() }
    #expect(try laptop.lists == ["b", "a"])
    #expect(try laptop.row("a").view.sort == .priority)
    // The old app has the column of the list alone.
    #expect(try old.lists == ["a", "b"])
    _ = try await old.database.moveList(ids[1], .before, ids[0])
    for device in [old, desk, laptop] { try await device.engine.syncChanges() }
    #expect(try laptop.lists == ["b", "a"] && old.lists == ["b", "a"])
  }

  @Test func `somebody who may write a list does not move it in its owner's sidebar`()
    async throws
  {
    let (ann, ben) = (try Device("ann", store), try Device("ben", store, schema: .linksAndCovers))
    var ids: [String] = []
    for title in ["a", "b", "c"] { ids.append(try await ann.database.addList(title: title).id) }
    try await ann.engine.syncChanges()
    let account = try #require(AccountID(name: "ben"))
    for device in [ann, ben] { device.engine.start() }
    let link = try await ann.engine.share(
      table: "remindersLists", key: ids[1], title: "b", participants: [account: .write])
    #expect(try await ann.database.placeSharedLists() == 1)
    #expect(try await ann.database.placeSharedLists() == 0)
    try await ann.engine.syncChanges()
    try await ben.engine.syncChanges()
    try await ben.engine.acceptShare(link)
    try await ben.engine.syncChanges()
    try await ben.database.writer.write {
      try $0.execute(sql: "UPDATE remindersLists SET position = 100")
    }
    try await ben.engine.syncChanges()
    try await ann.engine.syncChanges()
    #expect(try ann.lists == ["a", "b", "c"])
    #expect(try ben.lists == ["b"])
  }

  @Test func `the place that a list gets by itself does not bring it back`() async throws {
    let (desk, laptop) = (try Device("ann", store), try Device("ann", store))
    let list = try await desk.database.addList(title: "a").id
    for device in [desk, laptop] { try await device.engine.syncChanges() }
    let ben = try #require(AccountID(name: "ben"))
    _ = try await desk.engine.share(
      table: "remindersLists", key: list, title: "a", participants: [ben: .write])
    #expect(try await desk.database.placeSharedLists() == 1)
    for device in [desk, laptop] { try await device.engine.syncChanges() }
    _ = try await desk.database.deleteList(list)
    // As when a sync ends between its commits: the place is gone, the list not yet.
    try await desk.engine.sendChanges(.unshared)
    try await laptop.engine.syncChanges()
    #expect(try laptop.lists == ["a"])
    #expect(try await laptop.database.placeSharedLists() == 0)
    for _ in 0..<3 {
      for device in [laptop, desk] { try await device.engine.syncChanges() }
    }
    #expect(try desk.lists == [] && laptop.lists == [])
  }

  @Test func `a database of before has the order it had`() async throws {
    let directory = try TemporaryDirectory()
    let fixture = try AppDatabase.migrated(in: directory.url)
    _ = try await fixture.addList(title: "b")
    _ = try await fixture.addList(title: "a")
    // As main of the day before made it.
    try await fixture.writer.write { db in
      try db.execute(
        sql: """
          DROP TABLE listViews;
          DROP TRIGGER remindersListsAtTheEnd;
          DELETE FROM grdb_migrations WHERE identifier = 'views of lists';
          PRAGMA user_version = 0;
          """)
    }
    try fixture.writer.close()
    let database = try AppDatabase(directory: directory.url)
    #expect(try database.fetch(ListsQuery()).map(\.title) == ["b", "a"])
    let ids = try database.fetch(ListsQuery()).map(\.id)
    _ = try await database.moveList(ids[1], .before, ids[0])
    #expect(try database.fetch(ListsQuery()).map(\.title) == ["a", "b"])
  }

  @Test func `a place that nobody can have is refused, and another device's is lived with`()
    async throws
  {
    let fixture = try Fixture()
    let id = try await fixture.database.addList(title: "a").id
    #expect(throws: DatabaseError.self) {
      try fixture.execute("INSERT INTO listViews (listID, position) VALUES ('\(id)', 9e999)")
    }
    try await fixture.database.setView(of: id, sort: nil, showsCompleted: nil)
    try fixture.execute("UPDATE listViews SET sort = 'by moon', showsCompleted = 7")
    let row = try #require(
      try fixture.database.fetch(SidebarQuery(time: berlin())).lists.first)
    #expect(row.view.sort == nil && row.view.showsCompleted == true)
  }
}
