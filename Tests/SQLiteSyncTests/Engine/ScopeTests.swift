import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Synchronization
import Testing

@testable import SQLiteSync

/// What is asked for by hand of an engine that nobody has started.
@Suite(.timeLimit(.minutes(10)))
struct ScopeTests {
  private let clock = TestClock()
  private let store = FaultyStore(MemoryStore())
  private let annID: AccountID = "ann"
  private let benID: AccountID = "ben"

  private func database() throws -> DatabaseQueue {
    let database = try DatabaseQueue()
    try database.write { try $0.execute(sql: Schema.reminders.sql) }
    return database
  }

  private func engine(_ database: DatabaseQueue, _ account: AccountID) throws -> SyncEngine {
    let clock = clock
    var configuration = SyncConfiguration()
    configuration.now = { clock.now }
    configuration.random = { clock.random() }
    return try SyncEngine(
      for: database, tableNames: Schema.reminders.tables,
      cloud: CloudContainer(
        store: store, account: account, device: clock.makeID(), app: "test",
        environment: clock.environment),
      configuration: configuration, startImmediately: false)
  }

  private func write(_ database: DatabaseQueue, _ sql: String) async throws {
    clock.advance()
    try await database.write { try $0.execute(sql: sql) }
  }

  private func titles(_ database: DatabaseQueue) async throws -> [String] {
    try await database.read { try String.fetchAll($0, sql: "SELECT title FROM lists ORDER BY id") }
  }

  private func colors(_ database: DatabaseQueue) async throws -> [Int] {
    try await database.read { try Int.fetchAll($0, sql: "SELECT color FROM lists ORDER BY id") }
  }

  /// Ann shares a list with ben and has another one.
  private func share(_ ann: SyncEngine, _ anns: DatabaseQueue, _ ben: SyncEngine) async throws {
    try await write(anns, "INSERT INTO lists (id, title) VALUES ('a', 'Home'), ('b', 'Work')")
    try await ben.syncChanges()
    try await ann.syncChanges()
    let benID = benID
    let link = try await ann.core.value {
      try $0.share(
        table: "lists", key: "a", title: "Home", participants: [benID: .write],
        publicPermission: .none)
    }
    try await ann.syncChanges()
    _ = try await ben.core.value { try $0.accept(link) }
    try await ann.syncChanges()
  }

  @Test func fetchAndSendLookAtWhatIsAskedFor() async throws {
    let (anns, bens) = (try database(), try database())
    let (ann, ben) = (try engine(anns, annID), try engine(bens, benID))
    try await share(ann, anns, ben)
    try await write(anns, "UPDATE lists SET color = 1")
    let home = SyncMetadata.ID(of: "a", in: "lists")
    #expect(try await ann.sendChanges(.row(home)).sent == 1)
    #expect(ann.status.pending == 1)
    #expect(try await ann.sendChanges(.unshared).sent == 1)
    #expect(ann.status.pending == 0)
    #expect(try await ben.fetchChanges(.unshared).fetched == 0)
    #expect(try await ben.fetchChanges(.shared(by: benID)).fetched == 0)
    #expect(try await colors(bens) == [255])
    try await ben.fetchChanges(.shared(by: annID))
    #expect(try await colors(bens) == [1])
    try await write(bens, "UPDATE lists SET title = 'House'")
    try await ben.syncChanges(.row(home))
    #expect(try await ann.syncChanges(.row(SyncMetadata.ID(of: "b", in: "lists"))).fetched == 0)
    #expect(try await titles(anns) == ["Home", "Work"])
    #expect(try await ann.syncChanges().fetched == 1)
    #expect(try await titles(anns) == ["House", "Work"])
  }

  @Test func resynchronizingFetchesEverythingAndKeepsWhatIsUnsent() async throws {
    let (desk, laptop) = (try database(), try database())
    let (ann, annToo) = (try engine(desk, annID), try engine(laptop, annID))
    try await write(desk, "INSERT INTO lists (id, title) VALUES ('a', 'Home'), ('b', 'Work')")
    try await ann.syncChanges()
    try await annToo.syncChanges()
    try await write(laptop, "UPDATE lists SET title = 'House' WHERE id = 'a'")
    try await write(laptop, "DELETE FROM lists WHERE id = 'b'")
    try await write(laptop, "INSERT INTO lists (id, title) VALUES ('c', 'Garden')")
    // As if it had been lost.
    try await laptop.write { db in
      try DeviceState(db: db).muted { try db.execute(sql: "UPDATE lists SET color = 9") }
    }
    let result = try await annToo.resynchronize()
    #expect(result.sent == 3)
    try await ann.syncChanges()
    #expect(try await titles(desk) == ["House", "Garden"])
    #expect(try await titles(laptop) == ["House", "Garden"])
  }

  @Test func dataThatIsDeletedHereComesBack() async throws {
    let database = try database()
    let ann = try engine(database, annID)
    try await write(database, "INSERT INTO lists (id, title) VALUES ('a', 'Home')")
    let error = await #expect(throws: SyncError.self) { try await ann.deleteLocalData() }
    #expect(error?.reason == .unsentEdits)
    try await ann.syncChanges()
    try await write(database, "INSERT INTO lists (id, title) VALUES ('b', 'Work')")
    try await ann.deleteLocalData(discarding: 1)
    #expect(try await titles(database) == [])
    #expect(ann.status.account == annID.displayName)
    #expect(ann.status.pending == 0)
    try await write(database, "INSERT INTO lists (id, title) VALUES ('c', 'Garden')")
    try await ann.syncChanges()
    #expect(try await titles(database) == ["Home", "Garden"])
  }

  @Test func runningEngineFetchesWhatWasDeletedHere() async throws {
    let database = try database()
    let ann = try engine(database, annID)
    try await write(database, "INSERT INTO lists (id, title) VALUES ('a', 'Home')")
    try await ann.syncChanges()
    ann.start()
    try await ann.deleteLocalData()
    for await status in ann.statuses where status.fetched > 0 { break }
    #expect(try await titles(database) == ["Home"])
    ann.stop()
  }

  @Test func lastVersionInTheCloudIsReadFromItsLog() async throws {
    let database = try database()
    let ann = try engine(database, annID)
    try await write(database, "INSERT INTO lists (id, title) VALUES ('a', 'Home')")
    let row = SyncMetadata.ID(of: "a", in: "lists")
    #expect(try await ann.lastKnownServerRecord(row) == nil)
    try await ann.syncChanges()
    try await write(database, "UPDATE lists SET title = 'House'")
    let record = try await ann.lastKnownServerRecord(row)
    #expect(record?.fields["title"]?.value == .text("Home"))
    #expect(record?.name == "a:lists")
    #expect(try await ann.lastKnownServerRecord(SyncMetadata.ID(of: "x", in: "lists")) == nil)
  }
}

extension EngineCore {
  /// What some work comes to.
  fileprivate func value<Value: Sendable>(
    _ work: @escaping @Sendable (Synchronizer) throws -> Value
  ) async throws -> Value {
    let value = Mutex<Value?>(nil)
    try await perform { synchronizer in
      let found = try work(synchronizer)
      value.withLock { $0 = found }
    }
    return try #require(value.withLock { $0 })
  }
}
