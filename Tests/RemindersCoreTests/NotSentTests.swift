import Foundation
import SQLiteSync
import SQLiteSyncCloud
import Testing

@testable import RemindersCore

@Suite struct NotSentTests {
  @Test func `a row is marked until the cloud has its latest edit`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Haircut")
    let account = try #require(AccountID(name: "ann"))
    let container = CloudContainer(
      store: MemoryStore(), account: account,
      device: try fixture.database.fetch(SyncQuery()).device,
      app: "tests")
    let engine = try SyncEngine(
      for: fixture.database.writer, tables: AppDatabase.synchronizedTables,
      privateTables: AppDatabase.privateTables, cloud: container,
      startImmediately: false)
    #expect(try isSelected(fixture))
    try await engine.syncChanges()
    #expect(try !isSelected(fixture))
    #expect(try fixture.database.fetch(SyncQuery()).counts.pending == 0)
    _ = try await fixture.database.editReminders([id], [.set(\.isFlagged, true)])
    #expect(try isSelected(fixture))
    try await engine.syncChanges()
    #expect(try !isSelected(fixture))
  }

  @Test func `two devices converge on everything the app writes`() async throws {
    let store = MemoryStore()
    let fixtures = [try Fixture(), try Fixture()]
    let engines = try fixtures.map { fixture in
      try SyncEngine(
        for: fixture.database.writer, tables: AppDatabase.synchronizedTables,
        privateTables: AppDatabase.privateTables,
        cloud: CloudContainer(
          store: store, account: try #require(AccountID(name: "ann")),
          device: try fixture.database.fetch(SyncQuery()).device, app: "tests"),
        startImmediately: false)
    }
    try await fixtures[0].database.addSampleData(in: berlin())
    try await engines[0].syncChanges()
    try await engines[1].syncChanges()
    #expect(try fixtures[1].contents() == fixtures[0].contents())
    #expect(try fixtures[1].database.fetch(SearchQuery("x-ray", time: berlin())).hits.count == 1)

    let list = try fixtures[1].database.list(named: "Personal")
    _ = try await fixtures[1].database.renameTag("health", to: "body")
    _ = try await fixtures[1].database.moveList(
      list.id, .after, fixtures[1].database.list(named: "Family").id)
    let step = try await fixtures[1].database.deleteList(
      fixtures[1].database.list(named: "Business").id)
    try await engines[1].syncChanges()
    try await engines[0].syncChanges()
    #expect(try fixtures[0].contents() == fixtures[1].contents())
    _ = try await fixtures[1].database.undo(step)
    try await engines[1].syncChanges()
    try await engines[0].syncChanges()
    #expect(try fixtures[0].contents() == fixtures[1].contents())
    #expect(try fixtures[0].database.fetch(ListsQuery()).count == 3)
  }

  private func isSelected(_ fixture: Fixture) throws -> Bool {
    try #require(try fixture.detail(.all).rows.first).isNotSent
  }
}
