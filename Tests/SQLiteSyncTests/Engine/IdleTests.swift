import Foundation
import GRDB
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// What an engine does when there is nothing to do.
@Suite(.timeLimit(.minutes(10)))
struct IdleTests {
  private let clock = TestClock()
  private let store = FaultyStore(MemoryStore())
  private let database: DatabaseQueue

  init() throws {
    database = try DatabaseQueue()
    try database.write { try $0.execute(sql: Schema.reminders.sql) }
  }

  private func container(_ policy: MaintenancePolicy = .standard) -> CloudContainer {
    var environment = clock.environment
    environment.maintenance = policy
    return CloudContainer(
      store: store, account: AccountID(userID: 1000), device: clock.makeID(), app: "test",
      environment: environment)
  }

  private func engine(
    over other: DatabaseQueue? = nil, pollMilliseconds: Int = 86_400_000,
    policy: MaintenancePolicy = .standard, starts: Bool = true
  ) throws -> SyncEngine {
    let clock = clock
    var configuration = SyncConfiguration()
    configuration.pollMilliseconds = pollMilliseconds
    configuration.now = { clock.now }
    configuration.random = { clock.random() }
    return try SyncEngine(
      for: other ?? database, tableNames: Schema.reminders.tables, cloud: container(policy),
      configuration: configuration, startImmediately: starts)
  }

  private func writeCount() throws -> Int {
    try database.read { $0.totalChangesCount }
  }

  @Test func whatCannotBeSentKeepsTheEngineFromNoRest() async throws {
    let engine = try engine(starts: false)
    // Something to be sent that is in none of the zones.
    try await database.write {
      try $0.execute(
        sql: "INSERT INTO sync_pending (recordID, tableID, kind, since) VALUES (99, 99, 0, 0)")
    }
    let events = engine.events
    engine.start()
    await engine.wait { $0.phase == .idle }
    for _ in 1...5 { engine.flush(within: .seconds(60)) }
    engine.stopAndWait()
    var rounds = 0
    for await event in events {
      if event == .willFetchChanges(.scheduled) { rounds += 1 }
      if event == .stopped { break }
    }
    // One to begin with, and one for each time that it was told to look.
    #expect(rounds == 6)
  }

  @Test func anIdleEngineDoesNothingByItself() async throws {
    let engine = try engine()
    await engine.waitUntilIdle()
    try await database.write { try $0.execute(sql: "INSERT INTO lists (id) VALUES ('l')") }
    await engine.wait { $0.sent == 1 && $0.phase == .idle }
    // What the engine was woken for until now comes before this in its queue.
    try await engine.fetchChanges()
    let events = engine.events
    let (calls, writes) = (store.callCount, try writeCount())
    try await engine.fetchChanges()
    let callsOfOne = store.callCount - calls
    try await engine.fetchChanges()
    #expect(store.callCount == calls + 2 * callsOfOne)
    #expect(try writeCount() == writes)
    engine.stopAndWait()
    var heard: [SyncEvent] = []
    for await event in events {
      heard.append(event)
      if event == .stopped { break }
    }
    #expect(
      heard == [
        .willFetchChanges(.manual), .didFetchChanges, .willFetchChanges(.manual), .didFetchChanges,
        .stopped,
      ])
  }

  /// An app looks for invitations after each fetch.
  @Test func lookingForInvitationsIsNoReasonToFetch() async throws {
    let engine = try engine()
    engine.start()
    await engine.waitUntilIdle()
    // What came before this is over then.
    try await engine.fetchChanges()
    let events = engine.events
    for _ in 1...3 { #expect(try await engine.invitations() == []) }
    engine.stopAndWait()
    for await event in events {
      #expect(event == .stopped)
      if event == .stopped { break }
    }
  }

  @Test func aPollReadsALittleAndWritesNothing() async throws {
    let engine = try engine(pollMilliseconds: 20)
    await engine.waitUntilIdle()
    try await database.write { try $0.execute(sql: "INSERT INTO lists (id) VALUES ('l')") }
    await engine.wait { $0.sent == 1 && $0.phase == .idle }
    try await engine.fetchChanges()
    let kinds = Mutex<[FaultyStore.Call.Kind]>([])
    store.plan { call in
      kinds.withLock { $0.append(call.kind) }
      return nil
    }
    let writes = try writeCount()
    let events = engine.events
    var polls = 0
    for await event in events {
      if event == .willFetchChanges(.scheduled) { polls += 1 }
      if event == .didSendChanges, polls == 3 { engine.stop() }
      if event == .stopped { break }
    }
    let calls = kinds.withLock { $0 }
    #expect(Set(calls) == [.read])
    #expect(calls.count <= 10 * (polls + 1))
    #expect(try writeCount() == writes)
  }

  @Test func aPollThatFindsNothingIsToldToNobody() async throws {
    let engine = try engine(pollMilliseconds: 20)
    await engine.waitUntilIdle()
    // What the engine was woken for until now comes before this in its queue.
    try await engine.fetchChanges()
    let (events, news, statuses) = (engine.events, engine.news, engine.statuses)
    var polls = 0
    for await event in events {
      if event == .didSendChanges { polls += 1 }
      if polls == 3 { engine.stop() }
      if event == .stopped { break }
    }
    for await event in news {
      #expect(event == .stopped)
      if event == .stopped { break }
    }
    for await status in statuses {
      #expect([.idle, .stopped].contains(status.phase))
      if status.phase == .stopped { break }
    }
  }

  // MARK: - The cloud's log

  @Test func anIdleEngineFoldsTheLogAndDeletesWhatIsFolded() async throws {
    let engine = try engine(policy: .eager)
    await engine.waitUntilIdle()
    var events = engine.events.makeAsyncIterator()
    for round in 0..<2 {
      // A wake-up that is still queued must not look after the log before the edit.
      try await engine.fetchChanges()
      clock.advance(milliseconds: 3_700_000)
      try await database.write {
        try $0.execute(sql: "INSERT INTO lists (id) VALUES (?)", arguments: ["l\(round)"])
      }
      var folded = false
      while !folded, let event = await events.next() {
        if case .maintained(true, _) = event { folded = true }
      }
      await engine.waitUntilIdle()
    }
    let layout = ZoneLayout(ZoneID(name: "default", owner: AccountID(userID: 1000)))
    #expect(try store.list(layout.log(epoch: 1), after: nil, limit: .max).count == 1)
    let other = try DatabaseQueue()
    try await other.write { try $0.execute(sql: Schema.reminders.sql) }
    try await self.engine(over: other).fetchChanges()
    #expect(
      try await other.read { try String.fetchAll($0, sql: "SELECT id FROM lists ORDER BY id") }
        == ["l0", "l1"])
  }

  @Test func aLogThatCannotBeFoldedStopsNothing() async throws {
    let engine = try engine(policy: .eager)
    await engine.waitUntilIdle()
    // A wake-up that is still queued must not look after the log before the edit.
    try await engine.fetchChanges()
    let events = engine.events
    store.plan { $0.kind == .list ? .failure(FaultyStore.lost) : nil }
    clock.advance(milliseconds: 3_700_000)
    try await database.write { try $0.execute(sql: "INSERT INTO lists (id) VALUES ('l')") }
    for await event in events { if case .failed = event { break } }
    try await database.write { try $0.execute(sql: "INSERT INTO lists (id) VALUES ('m')") }
    await engine.wait { $0.sent == 2 && $0.phase == .idle }
  }

  @Test func theLogIsLookedAfterWithinAMinuteAndThenEveryHour() {
    var schedule = MaintenanceSchedule()
    let times: [Int64] = [0, 59_998, 59_999, 3_660_003, 3_660_004, 3_660_005]
    let due = times.filter { schedule.isDue(at: $0, random: $0 == 59_999 ? 5 : 59_999) }
    #expect(due == [59_999, 3_660_004])
  }

  @Test func byHandALogIsLookedAfterWhenItPassesAMultipleOfTheInterval() {
    func isDue(_ before: Int64, _ after: Int64) -> Bool {
      MaintenanceSchedule.isDue(from: before, to: after, every: 256)
    }
    #expect(isDue(255, 256) && isDue(0, 256) && isDue(3, 5_000) && isDue(511, 520))
    #expect(!isDue(0, 0) && !isDue(0, 255) && !isDue(256, 256) && !isDue(256, 511))
    // A log that was begun anew is short again.
    #expect(!isDue(5_000, 3))
  }

  // MARK: - The database

  @Test func theDatabaseIsFreeWheneverTheCloudIsAsked() throws {
    let directory = try TemporaryDirectory()
    let path = directory.url.appendingPathComponent("app.sqlite").path
    let fleet = try Fleet(store: store)
    let ann = try fleet.device()
    let ben = try fleet.device(path: path)
    let other = try DatabaseQueue(path: path)
    let calls = Mutex(0)
    store.plan { _ in
      do {
        try other.inTransaction(.exclusive) { _ in .rollback }
        calls.withLock { $0 += 1 }
        return nil
      } catch {
        return .failure(CloudError(.internalError, "\(error)"))
      }
    }
    try ann.execute("INSERT INTO lists (id) VALUES ('l'), ('m')")
    try ann.execute("INSERT INTO covers VALUES ('l', ?)", [Data(repeating: 1, count: 10_000)])
    try ann.sync()
    try ben.sync()
    // Everything that reads the cloud: a conflict, an asset each way, a revival, a full fetch.
    try ben.execute("DELETE FROM lists WHERE id = 'l'")
    try ben.execute("INSERT INTO covers VALUES ('m', ?)", [Data(repeating: 2, count: 10_000)])
    try ann.execute("UPDATE lists SET title = 'M' WHERE id = 'm'")
    try ann.execute("INSERT INTO reminders (id, listID) VALUES ('r', 'l')")
    try fleet.compact(after: ann)
    try ben.execute("UPDATE lists SET color = 1 WHERE id = 'm'")
    try fleet.settle()
    #expect(calls.withLock { $0 } > 50)
    #expect(try ann.rows("SELECT listID FROM reminders") == ["l"])
    try fleet.expectExhausted()
  }
}
