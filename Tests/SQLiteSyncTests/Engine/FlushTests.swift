import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Synchronization
import Testing

@testable import SQLiteSync

/// What a process sends before it ends or is suspended.
@Suite(.timeLimit(.minutes(10)))
struct FlushTests {
  private let cloud: TemporaryDirectory
  private let ann: Station
  private let ben: Station

  init() throws {
    cloud = try TemporaryDirectory()
    ann = try Station(cloud: cloud)
    ben = try Station(cloud: cloud)
  }

  @Test func whatWasWrittenLastIsSentBeforeAProcessEnds() async throws {
    let engine = try ann.engine(starts: true)
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    engine.flush()
    engine.stopAndWait()
    try await ben.engine().fetchChanges()
    #expect(try ben.titles() == ["Personal"])
    #expect(try ann.pending() == 0)
  }

  @Test func whoHasStoppedTheEngineWantsNothingSent() async throws {
    let engine = try ann.engine(starts: true)
    await engine.waitUntilIdle()
    engine.stopAndWait()
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    engine.flush()
    #expect(try ann.pending() == 1)
    try await ben.engine().fetchChanges()
    #expect(try ben.titles() == [])
  }

  @Test func aCloudThatDoesNotAnswerKeepsNobody() async throws {
    let store = FaultyStore(MemoryStore())
    let engine = try ann.engine(store: store, starts: true)
    await engine.waitUntilIdle()
    let (asked, answers) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isAsked = Mutex(false)
    store.plan { _ in
      let isFirst = isAsked.withLock { isAsked in
        defer { isAsked = true }
        return !isAsked
      }
      if isFirst {
        asked.signal()
        answers.wait()
      }
      return nil
    }
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    await onQueue { asked.wait() }
    #expect(!engine.flush(within: .milliseconds(1)))
    #expect(!engine.stop(within: .milliseconds(1)))
    #expect(try ann.pending() == 1)
    answers.signal()
    #expect(engine.stop(within: .seconds(60)))
    engine.start()
    await engine.waitUntilIdle()
    #expect(try ann.pending() == 0)
  }

  /// Waits without holding up a thread of the tasks.
  private func onQueue(_ wait: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "waiting").async {
        wait()
        continuation.resume()
      }
    }
  }
}
