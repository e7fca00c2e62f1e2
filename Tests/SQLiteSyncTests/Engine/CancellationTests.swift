import Foundation
import GRDB
import RemindersTestSupport
import Synchronization
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

  /// Begins to send five batches, and does something when the first one is there.
  private func interrupt(
    _ interruption: @escaping @Sendable (SyncEngine, Task<Void, any Error>) -> Void
  ) async throws {
    let engine = try station.engine()
    let (began, begin) = AsyncStream<Void>.makeStream()
    let mayGoOn = DispatchSemaphore(value: 0)
    let isFirst = Mutex(true)
    let store = FaultyStore(DirectoryStore(directory: cloud.url)) { call in
      guard call.kind == .create, call.path.contains("/log/"),
        isFirst.withLock({ first in
          defer { first = false }; return first
        })
      else { return nil }
      begin.yield()
      mayGoOn.wait()
      return nil
    }
    let sending = try station.engine(store: store)
    let task = Task { _ = try await sending.syncChanges() }
    for await _ in began { break }
    interruption(sending, task)
    mayGoOn.signal()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try station.pending() > 0)
    try await engine.syncChanges()
    #expect(try station.pending() == 0)
  }

  @Test func cancelledTaskEndsBetweenTwoBatches() async throws {
    try await interrupt { _, task in task.cancel() }
  }

  @Test func stoppedEngineEndsWhatWasAskedForByHand() async throws {
    try await interrupt { engine, _ in engine.stop() }
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
