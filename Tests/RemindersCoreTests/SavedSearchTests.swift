import Foundation
import GRDB
import RemindersCoreTestSupport
import RemindersTestSupport
import SQLiteSync
import SQLiteSyncCloud
import Testing

@testable import RemindersCore

/// Searches under a name: smart lists of a person's own.
@Suite struct SavedSearchTests {
  private let time = berlin()

  private func found(_ fixture: Fixture) throws -> [SavedSearchQuery.Found] {
    try fixture.database.fetch(SavedSearchQuery(time: time))
  }

  private func save(_ title: String, _ query: String, in fixture: Fixture) async throws
    -> SavedSearch.ID
  {
    try await fixture.database.saveSearch(titled: title, query: query, in: time).id
  }

  @Test func `a search is not saved in the place of one of two that have its name`() async throws {
    let fixture = try Fixture()
    try fixture.execute(
      """
      INSERT INTO savedSearches (id, title, query)
      VALUES ('aaaaaaaa-1', 'Soon', 'overdue'), ('bbbbbbbb-2', 'Soon', 'flagged')
      """)
    let error = await #expect(throws: AppError.self) {
      try await fixture.database.saveSearch(titled: "soon", query: "milk", in: berlin())
    }
    #expect(error?.hint?.contains("aaaaaaaa, bbbbbbbb") == true)
    #expect(try fixture.database.savedSearch(named: "bbbb").query == "flagged")
  }

  @Test func `a saved search is a list with what it finds, and a number`() async throws {
    let fixture = try Fixture()
    try await fixture.add("Milk", tags: ["town"])
    try await fixture.add("Bread", due: .day(time.today.adding(days: -1)))
    let done = try await fixture.add("Cheese", tags: ["town"])
    _ = try await fixture.database.setDone(true, [done])
    let town = try await save("Town", "tag:town", in: fixture)
    _ = try await save("Late or milk", "overdue or milk", in: fixture)
    #expect(try found(fixture).map(\.search.title) == ["Late or milk", "Town"])
    #expect(try found(fixture).map(\.count) == [.success(2), .success(1)])
    #expect(try fixture.titles(.saved(town)) == ["Milk"])
    #expect(try fixture.titles(.saved(town), completed: true) == ["Milk", "Cheese"])
    #expect(try fixture.titles("milk or bread", in: [.saved(town)]) == ["Milk"])
  }

  @Test func `one that asks for completed ones shows them`() async throws {
    let fixture = try Fixture()
    let done = try await fixture.add("Milk")
    try await fixture.add("Bread")
    _ = try await fixture.database.setDone(true, [done])
    let id = try await save("Done", "is:completed", in: fixture)
    let detail = try fixture.detail(.saved(id), window: RowWindow(count: 10))
    #expect(detail.rows.map(\.title) == ["Milk"] && detail.isAboutCompletion)
    #expect(try found(fixture).map(\.count) == [.success(1)])
    #expect(try fixture.titles("", in: [.saved(id)]) == ["Milk"])
  }

  @Test func `the same name asks for something else, and all is undone`() async throws {
    let fixture = try Fixture()
    let database = fixture.database
    let id = try await save("Town", "tag:town", in: fixture)
    let change = try await database.saveSearch(titled: "town", query: "milk", in: time)
    #expect(change.id == id)
    #expect(try found(fixture).map(\.search.query) == ["milk"])
    let rename = try await database.renameSearch(id, to: "Shops")
    let deletion = try await database.deleteSearch(id)
    #expect(try found(fixture).isEmpty)
    // As another process does, from a file.
    let kept = try JSONDecoder().decode(UndoStep.self, from: try JSONEncoder().encode(deletion))
    for step in [kept, rename, change.undo] { _ = try await database.undo(step) }
    #expect(
      try found(fixture).map(\.search) == [SavedSearch(id: id, title: "Town", query: "tag:town")])
  }

  @Test func `a list that is renamed is the same to the searches that name it`() async throws {
    let fixture = try Fixture()
    let database = fixture.database
    let home = try await database.addList(title: "Home").id
    let work = try await database.addList(title: "Work").id
    for list in [home, work] {
      _ = try await database.addReminder(ReminderDraft(title: "Milk", listID: list))
    }
    for query in ["list:home  milk", "-list:\"Home\" or \"list:Home\"", "list:Work", "list:Gone"] {
      _ = try await save(query, query, in: fixture)
    }
    let before = try fixture.contents()
    let rename = try await database.editList(home, [.title("Summer house")])
    #expect(rename.label == "Renamed “Home” to “Summer house”")
    #expect(
      try found(fixture).map(\.search.query) == [
        "-list:\"Summer house\" or \"list:Home\"", "list:Gone",
        "list:\"Summer house\" milk", "list:Work",
      ])
    #expect(try found(fixture).map(\.count).last == .success(1))
    _ = try await database.undo(rename)
    #expect(try fixture.contents() == before)
    _ = try await database.editList(home, [.title("Five \"o clock\"")])
    #expect(try found(fixture)[2].search.query == #"list:"Five \"o clock\"" milk"#)
    #expect(try found(fixture)[2].count == .success(1))
    _ = try await database.editList(home, [.title(#"C:\home\"#)])
    #expect(try found(fixture)[2].search.query == #"list:"C:\\home\\" milk"#)
    #expect(try found(fixture)[2].count == .success(1))
  }

  @Test func `a tag that is renamed is the same to the searches that name it`() async throws {
    let fixture = try Fixture()
    let database = fixture.database
    try await fixture.add("Milk", tags: ["town"])
    try await fixture.add("Bread", tags: ["home"])
    for query in ["tag:Town  milk", "-tag:\"#town\" or \"tag:town\"", "tag:home", "town"] {
      _ = try await save(query, query, in: fixture)
    }
    let before = try fixture.contents()
    let rename = try await database.renameTag("town", to: "city")
    #expect(
      try found(fixture).map(\.search.query) == [
        "-tag:city or \"tag:town\"", "tag:home", "tag:city milk", "town",
      ])
    #expect(try found(fixture)[2].count == .success(1))
    _ = try await database.undo(rename)
    #expect(try fixture.contents() == before)
    _ = try await database.renameTag("town", to: "home")
    #expect(try found(fixture)[2].search.query == "tag:home milk", "the one that both are now")
  }

  @Test func `a tag after its sign is the same tag`() async throws {
    let fixture = try Fixture()
    let database = fixture.database
    try await fixture.add("Milk", tags: ["town"])
    try await fixture.add("Bread", tags: ["township"])
    for (title, query) in [("1", "#Town"), ("2", "milk or -#town"), ("3", "\"#town\" #12 #")] {
      _ = try await save(title, query, in: fixture)
    }
    #expect(try found(fixture).map(\.count) == [.success(1), .success(2), .success(0)])
    _ = try await database.renameTag("town", to: "city")
    #expect(
      try found(fixture).map(\.search.query) == ["#city", "milk or -#city", "\"#town\" #12 #"])
    _ = try await database.renameTag("city", to: "old#town")
    #expect(
      try found(fixture).map(\.search.query)
        == ["tag:old#town", "milk or -tag:old#town", "\"#town\" #12 #"])
    _ = try await database.deleteTag("old#town")
    let counts = try found(fixture).map(\.count)
    guard case .failure(let gone) = counts[0] else { return #expect(counts[0] == nil) }
    #expect(gone.kind == .noSuchItem && gone.reason.contains("#old#town"))
  }

  @Test func `what cannot be asked now is told before it is saved`() async throws {
    let fixture = try Fixture()
    try await fixture.add("Milk", tags: ["town"])
    try fixture.database.requireAnswer(to: "list:personal tag:town #town or milk", in: time)
    for query in ["list:nope", "milk or -tag:nope", "#nope", "-#nope", "due<whenever"] {
      #expect(throws: AppError.self) { try fixture.database.requireAnswer(to: query, in: time) }
    }
  }

  @Test(arguments: ["", "  ", "due<whenever", "priority>=huge"])
  func `what asks for nothing, or is not understood, is not saved`(query: String) async throws {
    let fixture = try Fixture()
    await #expect(throws: AppError.self) { try await save("x", query, in: fixture) }
    await #expect(throws: AppError.self) { try await save(" ", "milk", in: fixture) }
    #expect(try found(fixture).isEmpty)
  }

  @Test(arguments: [
    "due<whenever", "list:Gone", "tag:gone", String(repeating: "a ", count: 5000),
    String(repeating: "or ", count: 3000), "\u{0}", "\"", "-", "due<9999999999999999999d",
    "(((((", "priority>=", "-list:Gone",
  ])
  func `whatever another program has written is counted, or says why not`(query: String)
    async throws
  {
    let fixture = try Fixture()
    try await fixture.add("Milk")
    try await fixture.database.writer.write { db in
      try db.execute(
        sql: "INSERT INTO savedSearches (title, query) VALUES ('x', ?)", arguments: [query])
    }
    let item = try #require(try found(fixture).first)
    let detail = try fixture.detail(.saved(item.id), window: RowWindow(count: 10))
    switch item.count {
    case .success: #expect(detail.problem == nil)
    case .failure(let error): #expect(detail.problem == error && detail.rows.isEmpty)
    case nil: Issue.record("It was not asked.")
    }
  }

  @Test func `a list of what is gone is empty and says so`() throws {
    let fixture = try Fixture()
    #expect(try fixture.detail(.saved("gone")).problem?.kind == .noSuchItem)
    #expect(try fixture.database.fetch(SidebarQuery(time: time)).isEmpty)
  }

  @Test func `what changes the meaning of a search is noticed`() async throws {
    let fixture = try Fixture()
    try fixture.execute("INSERT INTO savedSearches (title, query) VALUES ('x', 'list:Work')")
    var values = fixture.database.values(of: SavedSearchQuery(time: time)).makeAsyncIterator()
    guard case .failure = try await values.next()?.value.first?.count else {
      Issue.record("There is no such list.")
      return
    }
    _ = try await fixture.database.addList(title: "Work")
    while try await values.next()?.value.first?.count != .success(0) {}
    _ = try await fixture.add("Milk")
    while try await values.next()?.value.first?.count != .success(1) {}
  }

  // MARK: - Versions and devices

  @Test func `a file of yesterday gets the table and keeps its rows`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.url.appending(path: AppDatabase.fileName)
    let old = try DatabasePool(path: file.path, configuration: .synchronized)
    try Migrations.migrator.migrate(old, upTo: "completion times, recurrence, subtasks")
    try old.write { db in
      let tables = try AppDatabase.synchronizedTables.filter {
        try db.tableExists($0.databaseTableName)
      }
      try SyncEngine.prepare(db, tables: tables)
      try db.execute(sql: "INSERT INTO remindersLists (title) VALUES ('Work')")
    }
    try old.close()
    let database = try AppDatabase(directory: directory.url)
    #expect(database.schema.hasSavedSearches)
    #expect(try database.fetch(ListsQuery()).map(\.title) == ["Work"])
    #expect(try database.fetch(SavedSearchQuery(time: time)).isEmpty)
    #expect(throws: AppError.self) {
      try AppDatabase(directory: directory.url, schema: .linksAndCovers)
    }
  }

  @Test func `an earlier schema has none, and says so`() async throws {
    let directory = try TemporaryDirectory()
    let database = try AppDatabase.migrated(in: directory.url, schema: .linksAndCovers)
    #expect(try database.fetch(SavedSearchQuery(time: time)).isEmpty)
    await #expect(throws: AppError.self) {
      try await database.saveSearch(titled: "x", query: "milk", in: time)
    }
  }

  @Test func `it comes to the person's other devices, through an old one unharmed`() async throws {
    let store = MemoryStore()
    let devices = try [SchemaVersion.current, .linksAndCovers, .current].map {
      try Device($0, store)
    }
    let saved = try await devices[0].database.saveSearch(
      titled: "Town", query: "tag:town", in: time)
    for device in devices { try await device.engine.syncChanges() }
    #expect(try devices[2].titles() == ["Town"])
    _ = try await devices[2].database.renameSearch(saved.id, to: "Shops")
    for device in devices.reversed() { try await device.engine.syncChanges() }
    #expect(try devices[0].titles() == ["Shops"])
    _ = try await devices[0].database.deleteSearch(saved.id)
    for device in devices { try await device.engine.syncChanges() }
    #expect(try devices[2].titles() == [])
  }

  private final class Device {
    let database: AppDatabase
    let engine: SyncEngine
    private let directory: TemporaryDirectory

    init(_ schema: SchemaVersion, _ store: MemoryStore) throws {
      directory = try TemporaryDirectory()
      database = try AppDatabase.migrated(in: directory.url, schema: schema)
      engine = try SyncEngine(
        for: database.writer, tables: schema.synchronizedTables,
        privateTables: schema.privateTables,
        cloud: CloudContainer(
          store: store, account: try #require(AccountID(name: "ann")),
          device: try database.fetch(SyncQuery()).device, app: "tests"),
        startImmediately: false)
    }

    func titles() throws -> [String] {
      try database.fetch(SavedSearchQuery(time: berlin())).map(\.search.title)
    }
  }
}
