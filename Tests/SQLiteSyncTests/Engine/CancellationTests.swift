import Foundation
import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// What was asked for by hand ends when nobody wants it any more; another process is told of once.
@Suite(.timeLimit(.minutes(10)))
struct CancellationTests {
  private let cloud: TemporaryDirectory
  private let station: Station

  init() throws {
    cloud = try TemporaryDirectory()
    station = try Station(cloud: cloud)
    try station.execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
      INSERT INTO lists (id, title) SELECT 'l' || i, 'List' FROM n
      """)
  }

  private typealias Interruption = @Sendable (SyncEngine, Task<Void, any Error>) -> Void

  /// Begins to send five batches, and does something when the first one is there.
  private func interrupt(_ interruption: Interruption) async throws {
    let engine = try station.engine()
    let gate = Gate { $0.kind == .create && $0.path.contains("/log/") }
    let sending = try station.engine(store: gate.store(over: DirectoryStore(directory: cloud.url)))
    let task = Task { _ = try await sending.syncChanges() }
    await gate.wait()
    #expect(sending.isSynchronizing && sending.isSendingChanges && !sending.isFetchingChanges)
    interruption(sending, task)
    gate.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!sending.isSynchronizing)
    #expect(try station.pending() > 0)
    try await engine.syncChanges()
    #expect(try station.pending() == 0)
  }

  /// Begins to fetch thirty pages, and does something while one of them is read.
  private func interruptFetch(_ interruption: Interruption) async throws {
    let laptop = try Station(cloud: cloud)
    let theirs = try laptop.engine()
    for number in 1...30 {
      try laptop.execute("INSERT INTO lists (id, title) VALUES ('p\(number)', 'Page')")
      try await theirs.syncChanges()
    }
    let desk = try Station(cloud: cloud)
    try desk.execute("INSERT INTO lists (id, title) VALUES ('own', 'Own')")
    let gate = Gate(after: 9) { $0.kind == .read && $0.path.contains("/log/") }
    let engine = try desk.engine(
      store: gate.store(over: DirectoryStore(directory: cloud.url)), commitsPerTransaction: 1)
    let task = Task { _ = try await engine.fetchChanges() }
    await gate.wait()
    #expect(engine.isSynchronizing && engine.isFetchingChanges && !engine.isSendingChanges)
    interruption(engine, task)
    gate.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!engine.isSynchronizing)
    let count = try desk.titles().count { $0 == "Page" }
    #expect((1..<30).contains(count))
    // It goes on where it was.
    #expect(try await engine.fetchChanges().fetched == 30 - count)
    #expect(try desk.titles().count { $0 == "Page" } == 30)
    #expect(try await engine.syncChanges().sent == 1)
    try await theirs.syncChanges()
    #expect(try laptop.titles() == desk.titles())
  }

  @Test func cancelledTaskEndsBetweenTwoBatches() async throws {
    try await interrupt { _, task in task.cancel() }
  }

  @Test func stoppedEngineEndsWhatWasAskedForByHand() async throws {
    try await interrupt { engine, _ in engine.stop() }
  }

  @Test func cancelledTaskEndsBetweenTwoPages() async throws {
    try await interruptFetch { _, task in task.cancel() }
  }

  @Test func stoppedEngineEndsAFetchBetweenTwoPages() async throws {
    try await interruptFetch { engine, _ in engine.stop() }
  }

  @Test func taskCancelledBeforeItsTurnDoesNothing() async throws {
    let engine = try station.engine()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await engine.syncChanges()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try station.pending() == 2000)
  }

  @Test func taskCancelledBehindAnotherEndsBeforeThat() async throws {
    try await interrupt { engine, task in
      let ended = DispatchSemaphore(value: 0)
      let waiting = Task {
        defer { ended.signal() }
        await #expect(throws: CancellationError.self) { try await engine.syncChanges() }
      }
      waiting.cancel()
      #expect(ended.wait(timeout: .now() + 60) == .success)
      task.cancel()
    }
  }
}
