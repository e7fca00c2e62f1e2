import Foundation
import GRDB
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// Devices that only ever synchronize by hand, as `reminders sync` does: no engine is ever idle.
@Suite(.timeLimit(.minutes(10)))
struct ByHandTests {
  private let clock = TestClock()
  private let store = FaultyStore(MemoryStore())
  private let zone = ZoneLayout(ZoneID(name: "default", owner: AccountID(userID: 1000)))

  /// How many commits pass before the log is looked after.
  private static let interval = 8

  private func database() throws -> DatabaseQueue {
    let database = try DatabaseQueue()
    try database.write { try $0.execute(sql: Schema.reminders.sql) }
    return database
  }

  /// What one `reminders sync` is: a process that ends afterwards.
  private func sync(_ database: DatabaseQueue) async throws -> [SyncEvent] {
    let clock = clock
    var environment = clock.environment
    environment.maintenance = .eager
    environment.maintenance.commits = Self.interval
    var configuration = SyncConfiguration()
    configuration.now = { clock.now }
    configuration.random = { clock.random() }
    clock.advance()
    let events: AsyncStream<SyncEvent>
    do {
      let engine = try SyncEngine(
        for: database, tableNames: Schema.reminders.tables,
        cloud: CloudContainer(
          store: store, account: AccountID(userID: 1000), device: clock.makeID(), app: "test",
          environment: environment),
        configuration: configuration, startImmediately: false)
      events = engine.events
      try await engine.syncChanges()
    }
    return await events.reduce(into: []) { $0.append($1) }
  }

  private func add(_ id: String, to database: DatabaseQueue) async throws {
    try await database.write {
      try $0.execute(sql: "INSERT INTO lists (id) VALUES (?)", arguments: [id])
    }
  }

  private func ids(_ database: DatabaseQueue) async throws -> Set<String> {
    try await database.read { try String.fetchSet($0, sql: "SELECT id FROM lists") }
  }

  private func commits() throws -> Int {
    try store.list(zone.log(epoch: 1), after: nil, limit: .max).count
  }

  @Test func theLogIsFoldedEverySoManyCommits() async throws {
    let (ann, ben) = (try database(), try database())
    let listings = Mutex(0)
    let log = "\(zone.log(epoch: 1))"
    store.plan { call in
      if call.kind == .list, call.path == log { listings.withLock { $0 += 1 } }
      return nil
    }
    var looks = 0
    var folds = 0
    for round in 1...20 {
      for (name, database) in [("ann", ann), ("ben", ben)] {
        try await add("\(name)\(round)", to: database)
        let before = listings.withLock { $0 }
        let events = try await sync(database)
        if listings.withLock({ $0 }) > before { looks += 1 }
        if events.contains(where: { if case .maintained(true, _) = $0 { true } else { false } }) {
          folds += 1
        }
      }
    }
    // Forty commits pass the interval five times; the last time only the one who made it saw it.
    #expect(looks == 9)
    #expect((5...9).contains(folds))
    #expect(try commits() <= Self.interval)
    let late = try database()
    _ = try await sync(late)
    #expect(try await ids(late).count == 40)
    _ = try await sync(ann)
    #expect(try await ids(ann) == ids(late))
  }

  @Test func aLogThatCannotBeLookedAfterFailsNoSync() async throws {
    let (ann, ben) = (try database(), try database())
    let log = "\(zone.log(epoch: 1))"
    store.plan { $0.kind == .list && $0.path == log ? .failure(FaultyStore.lost) : nil }
    var failures = 0
    for round in 1...Self.interval {
      try await add("\(round)", to: ann)
      let events = try await sync(ann)
      if events.contains(where: { if case .failed = $0 { true } else { false } }) { failures += 1 }
    }
    #expect(failures == 1)
    store.restart()
    _ = try await sync(ben)
    #expect(try await ids(ben).count == Self.interval)
    #expect(try commits() == Self.interval)
  }
}
