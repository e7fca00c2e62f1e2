import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Whole engines on their queues, over a cloud in a directory.
///
/// Everything is awaited.
@Suite(.timeLimit(.minutes(10)))
struct SyncEngineTests {
  private let cloud: TemporaryDirectory
  private let ann: Station
  private let ben: Station

  init() throws {
    cloud = try TemporaryDirectory()
    ann = try Station(cloud: cloud)
    ben = try Station(cloud: cloud)
  }

  @Test func runningEnginesKeepTwoDevicesInStep() async throws {
    let (mine, theirs) = (try ann.engine(starts: true), try ben.engine(starts: true))
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    try await ben.waitForTitles(["Personal"])
    try ben.execute("UPDATE lists SET title = 'Family'")
    try await ann.waitForTitles(["Family"])
    await mine.waitUntilIdle()
    await theirs.waitUntilIdle()
    #expect(mine.status.sent == 1)
    #expect(theirs.status.lastError == nil)
  }

  @Test func anEditIsPendingFromTheMomentItIsWritten() async throws {
    let engine = try ann.engine(starts: true)
    await engine.waitUntilIdle()
    for number in 0..<20 {
      try ann.execute("INSERT INTO lists (id, title) VALUES ('\(number)', 'List')")
      await engine.waitUntilIdle()
      #expect(engine.status.sent == number + 1)
    }
  }

  @Test func anEngineIsStartedAndStopped() async throws {
    let engine = try ann.engine()
    #expect(!engine.isRunning)
    #expect(engine.status.phase == .stopped)
    let events = engine.events
    engine.start()
    #expect(engine.isRunning)
    await engine.waitUntilIdle()
    engine.stopAndWait()
    #expect(!engine.isRunning)
    #expect(engine.status.phase == .stopped)
    var heard: [SyncEvent] = []
    for await event in events { heard.append(event) }
    #expect(heard.last == .stopped)
    #expect(heard.contains(.started))
    #expect(heard.contains(.signIn(account: "ann")))
    #expect(heard.contains(.willFetchChanges(.scheduled)))
  }

  @Test func theLogTellsWhyAnEngineLooks() async throws {
    let engine = try ann.engine()
    let events = engine.events
    // By itself as it starts; an edit later may meet what the watch tells.
    engine.start()
    await engine.waitUntilIdle()
    try await engine.syncChanges()
    try ben.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    try await ben.engine().syncChanges()
    // Its poll is a day away: the watch tells it.
    await engine.wait { $0.fetched == 1 && $0.phase == .idle }
    engine.stopAndWait()
    var occasions: Set<SyncEvent.Occasion> = []
    for await event in events {
      if case .willFetchChanges(let occasion) = event { occasions.insert(occasion) }
      if event == .stopped { break }
    }
    #expect(occasions == [.manual, .notified, .scheduled])
  }

  @Test func whatIsWrittenWhileAnEngineIsStoppedIsSentWhenItStarts() async throws {
    let engine = try ann.engine(starts: true)
    await engine.waitUntilIdle()
    engine.stopAndWait()
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    engine.start()
    await engine.wait { $0.sent == 1 && $0.phase == .idle }
    try await ben.engine().syncChanges()
    #expect(try ben.titles() == ["Personal"])
  }

  @Test func aStoppedEngineSynchronizesByHandAndIsStoppedAfterwards() async throws {
    let (mine, theirs) = (try ann.engine(), try ben.engine())
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    try await mine.sendChanges()
    #expect(mine.status.phase == .stopped)
    #expect(mine.status.pending == 0)
    #expect(mine.status.sent == 1)
    #expect(mine.status.lastSend != nil)
    try await theirs.fetchChanges()
    #expect(try ben.titles() == ["Personal"])
    #expect(theirs.status.phase == .stopped)
    #expect(theirs.status.fetched == 1)
  }

  @Test func aRunningEngineSynchronizesByHandAndIsIdleAfterwards() async throws {
    let engine = try ann.engine(starts: true)
    await engine.waitUntilIdle()
    try await ben.engine().syncChanges()
    try await engine.syncChanges()
    #expect(engine.status.phase == .idle)
  }

  @Test func anEditByAnotherConnectionWakesTheEngine() async throws {
    let engine = try ann.engine(starts: true)
    await engine.waitUntilIdle()
    let other = try ann.connection()
    try await other.write { db in
      try db.execute(sql: "INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    }
    await engine.wait { $0.sent == 1 }
  }

  @Test(.enabled(if: SQLiteShell.isThere, Comment(rawValue: SQLiteShell.absence)))
  func anEditByAnotherProcessWakesTheEngineAndTheObservations() async throws {
    let engine = try ann.engine(starts: true)
    await engine.waitUntilIdle()
    try SQLiteShell.run(
      "INSERT INTO lists (id, title) VALUES ('l', 'By the shell')", on: ann.path)
    try await ann.waitForTitles(["By the shell"])
    await engine.wait { $0.sent == 1 }
  }

  @Test(.enabled(if: SQLiteShell.isThere, Comment(rawValue: SQLiteShell.absence)))
  func observationsHearOfOtherProcessesAlsoWhileTheEngineDoesNotRun() async throws {
    let engine = try ann.engine()
    let observation = ValueObservation.tracking { db in
      try String.fetchAll(db, sql: "SELECT title FROM lists ORDER BY title")
    }
    var titles = observation.values(in: ann.database).makeAsyncIterator()
    #expect(try await titles.next() == [])
    try SQLiteShell.run(
      "INSERT INTO lists (id, title) VALUES ('l', 'By the shell')", on: ann.path)
    while let now = try await titles.next(), now.isEmpty {}
    withExtendedLifetime(engine) {}
  }

  @Test func aCommitInTheCloudWakesTheEngine() async throws {
    let engine = try ann.engine(starts: true)
    await engine.waitUntilIdle()
    try ben.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    try await ben.engine().syncChanges()
    try await ann.waitForTitles(["Personal"])
  }

  @Test func aSecondEngineOnTheFileLeavesTheWorkToTheFirst() async throws {
    let first = try ann.engine(starts: true)
    await first.waitUntilIdle()
    let second = try ann.engine(over: ann.connection())
    let error = await #expect(throws: SyncError.self) { try await second.syncChanges() }
    #expect(error?.reason == .runsElsewhere)
    second.start()
    await second.wait { $0.phase == .elsewhere }
    second.stopAndWait()
    #expect(second.status.phase == .stopped)
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    await first.wait { $0.sent == 1 }
  }

  /// It looks for the lock again as long as the other process goes on.
  @Test func aSecondEngineTellsOnceThatAnotherOneRuns() async throws {
    let first = try ann.engine(starts: true)
    await first.waitUntilIdle()
    let second = try ann.engine(over: ann.connection())
    let events = second.events
    second.start()
    await second.wait { $0.phase == .elsewhere }
    for _ in 1...3 { second.core.queue.sync { second.core.handle(.retry) } }
    second.stopAndWait()
    var told = 0
    for await event in events { if case .runsElsewhere = event { told += 1 } }
    #expect(told == 1)
    withExtendedLifetime(first) {}
  }

  @Test func anEngineThatIsReleasedEndsAndGivesItsLockBack() async throws {
    var engine: SyncEngine? = try ann.engine(starts: true)
    await engine?.waitUntilIdle()
    weak let released = engine
    let events = try #require(engine?.events)
    engine = nil
    #expect(released == nil)
    // The stream ends when the engine has.
    for await _ in events {}
    try await ann.engine().syncChanges()
  }

  @Test func eventsEndWhenAnEngineIsStoppedAndItsNewsGoOn() async throws {
    let engine = try ann.engine()
    let (events, news) = (engine.events, engine.news)
    engine.stop()
    for await _ in events {}
    let later = engine.events
    engine.start()
    await engine.waitUntilIdle()
    engine.stop()
    #expect(await later.contains(.started))
    var told = news.makeAsyncIterator()
    while let event = await told.next(), event != .stopped {}
    engine.start()
    while let event = await told.next(), event != .started {}
  }

  @Test func eventsEndWithTheStopThatFollowsThemAlsoWhereAStartFollowsAtOnce() async throws {
    let engine = try ann.engine(starts: true)
    await engine.waitUntilIdle()
    let before = engine.events
    engine.stop()
    let after = engine.events
    engine.start()
    for await _ in before {}
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    await engine.wait { $0.sent == 1 && $0.phase == .idle }
    engine.stop()
    let sent = await after.contains {
      if case .sentRecordZoneChanges = $0 { true } else { false }
    }
    #expect(sent)
  }

  @Test func eventsThatAreAskedForAfterAStopTellNothingFromBefore() async throws {
    let gate = Gate { $0.kind == .read && $0.path.contains("/log/") }
    try ben.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    try await ben.engine().syncChanges()
    let engine = try ann.engine(
      store: gate.store(over: DirectoryStore(directory: cloud.url)), starts: true)
    await gate.wait()
    engine.stop()
    var first = engine.events.makeAsyncIterator()
    engine.start()
    engine.stop()
    var second = engine.events.makeAsyncIterator()
    engine.start()
    gate.open()
    #expect(await first.next() == .started)
    #expect(await second.next() == .started)
  }

  @Test func aCloudThatFailsIsTriedAgainAndTold() async throws {
    let store = FaultyStore(DirectoryStore(directory: cloud.url)) { _ in
      .failure(FaultyStore.lost)
    }
    let engine = try ann.engine(store: store, starts: true)
    await engine.wait { if case .backingOff = $0.phase { true } else { false } }
    #expect(engine.status.lastError == FaultyStore.lost.reason)
    store.plan { _ in nil }
    await engine.waitUntilIdle()
    #expect(engine.status.lastError == nil)
  }

  @Test func theMetadataCanBeObserved() async throws {
    let engine = try ann.engine(starts: true)
    await engine.waitUntilIdle()
    let observation = ValueObservation.tracking { db in
      try Bool.fetchAll(db, sql: "SELECT changeTag IS NOT NULL FROM sync_metadata")
    }
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    for try await tags in observation.values(in: ann.database) where tags == [true] { break }
    await engine.waitUntilIdle()
  }

  @Test func theStatusCountsWhatTheCloudRefuses() async throws {
    let engine = try ann.engine(starts: true)
    try ann.execute("INSERT INTO lists (id, title) VALUES ('x', hex(zeroblob(1 << 20)))")
    await engine.wait { $0.notSynchronized == 1 && $0.phase == .idle }
    #expect(engine.status.pending == 1)
    try ann.execute("UPDATE lists SET title = 'Short'")
    await engine.waitUntilIdle()
    #expect(engine.status.notSynchronized == 0)
  }

  @Test func anEngineWorksOnADatabaseInMemory() async throws {
    let database = try DatabaseQueue()
    try await database.write { try $0.execute(sql: Schema.reminders.sql) }
    try ben.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    try await ben.engine().syncChanges()
    try await ann.engine(over: database).syncChanges()
    #expect(
      try await database.read { try String.fetchAll($0, sql: "SELECT title FROM lists") } == [
        "Personal"
      ])
  }

  @Test func manyEditsWhileTheEngineRunsAllArrive() async throws {
    let (mine, theirs) = (try ann.engine(starts: true), try ben.engine(starts: true))
    for number in 0..<50 {
      try await ann.database.write { db in
        try db.execute(
          sql: "INSERT INTO lists (id, title) VALUES (?1, ?1)", arguments: ["\(100 + number)"])
      }
    }
    try await ben.waitForTitles((0..<50).map { "\(100 + $0)" })
    await mine.waitUntilIdle()
    await theirs.waitUntilIdle()
    #expect(mine.status.sent == 50)
  }
}
