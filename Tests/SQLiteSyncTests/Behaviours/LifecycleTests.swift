import Foundation
import RemindersTestSupport
import SQLiteSyncCloud
import Synchronization
import Testing

@testable import SQLiteSync

/// What is written while no engine runs, and what a cloud that cannot be reached does.
struct LifecycleTests {
  private let store: FaultyStore
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    store = FaultyStore(MemoryStore())
    fleet = try Fleet(store: store)
    (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    try fleet.settle()
  }

  @Test(arguments: [
    "INSERT INTO lists (id) VALUES ('n')", "UPDATE lists SET title = 'Family'",
    "DELETE FROM lists",
  ])
  func whatIsWrittenBeforeARelaunchIsSentAfterIt(sql: String) throws {
    try ann.execute(sql)
    let outbox = try ann.outbox()
    try ann.relaunch()
    #expect(try ann.outbox() == outbox)
    try fleet.settle()
    #expect(try ben.contents() == ann.contents())
    try fleet.expectExhausted()
  }

  @Test func whatWasNotFoldedBeforeARelaunchKeepsItsTime() throws {
    try ann.execute("UPDATE lists SET title = 'Family'")
    let time = fleet.clock.now
    fleet.clock.advance(milliseconds: 60_000)
    try ann.relaunch()
    #expect(try ann.times("lists", "l")["title"] == time)
    try fleet.settle()
    try fleet.expectExhausted()
  }

  @Test func aRelaunchSendsNothingTwice() throws {
    try ann.relaunch()
    try ann.sync()
    #expect(ann.synchronizer.sentCount == 0)
    try fleet.expectExhausted()
  }

  @Test func aCloudThatCannotBeReachedLosesNothing() throws {
    store.plan { _ in .failure(FaultyStore.lost) }
    try ann.execute("UPDATE lists SET title = 'Family'")
    #expect(throws: (any Error).self) { try ann.sync() }
    try ann.execute("INSERT INTO reminders (id, listID) VALUES ('r', 'l')")
    #expect(throws: (any Error).self) { try ann.sync() }
    #expect(try ann.counts().pending == 2)
    store.plan { _ in nil }
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM lists") == ["Family"])
    #expect(try ben.rows("SELECT id FROM reminders") == ["r"])
    try fleet.expectExhausted()
  }

  @Test func afterACloudWasAwayOnlyWhatIsNewIsSent() throws {
    store.plan { _ in .failure(FaultyStore.lost) }
    try ann.execute("INSERT INTO reminders (id, listID) VALUES ('r', 'l')")
    #expect(throws: (any Error).self) { try ann.sync() }
    store.plan { _ in nil }
    let before = ann.synchronizer.sentCount
    try fleet.settle()
    #expect(ann.synchronizer.sentCount == before + 1)
    try fleet.expectExhausted()
  }

  @Test(arguments: 1...12)
  func aProcessThatDiesAtAnyCallOfASendLosesAndDoublesNothing(call: Int) throws {
    try ann.execute("UPDATE lists SET title = 'Family'")
    try ann.execute("INSERT INTO covers VALUES ('l', ?)", [Data(repeating: 1, count: 10_000)])
    let count = Mutex(0)
    store.plan { _ in
      count.withLock { count in
        count += 1
        return count >= call ? (call.isMultiple(of: 2) ? .crashAfter : .crashBefore) : nil
      }
    }
    // It may have been done before the call that dies.
    do { try ann.send() } catch { #expect(error is CloudError) }
    store.plan { _ in nil }
    store.restart()
    try ann.relaunch()
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM lists") == ["Family"])
    #expect(try ben.rows("SELECT image FROM covers") == ["10000 bytes"])
    try fleet.expectExhausted()
  }

  @Test func anAnswerThatIsLostIsFoundAgain() throws {
    try ann.execute("UPDATE lists SET title = 'Family'")
    store.plan { $0.kind == .create ? .unknownDone : nil }
    try ann.send()
    store.plan { _ in nil }
    #expect(try ann.counts().pending == 0)
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM lists") == ["Family"])
    try fleet.expectExhausted()
  }

  @Test func aDeviceThatComesLaterGetsEverything() throws {
    for title in ["A", "B", "C"] { try ann.execute("UPDATE lists SET title = ?", [title]) }
    try ann.execute("INSERT INTO reminders (id, listID) VALUES ('r', 'l'), ('s', 'l')")
    try fleet.settle()
    try ann.execute("DELETE FROM reminders WHERE id = 's'")
    try fleet.settle()
    let carl = try fleet.device()
    try fleet.settle()
    #expect(try carl.contents() == ann.contents())
    try fleet.expectExhausted()
  }

  /// Whatever a cloud may answer to a commit.
  @Test(arguments: CloudError.Code.allCases)
  func anAnswerOfAnyKindLosesNothing(code: CloudError.Code) throws {
    try ann.execute("UPDATE lists SET title = 'Family'")
    try ann.execute("INSERT INTO reminders (id, listID) VALUES ('r', 'l')")
    store.plan { call in
      call.kind == .create && call.path.contains("/log/") ? .failure(CloudError(code, "No.")) : nil
    }
    #expect(throws: CloudError.self) { try ann.sync() }
    #expect(try ann.counts().pending == 2)
    store.plan { _ in nil }
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM lists") == ["Family"])
    #expect(try ben.rows("SELECT id FROM reminders") == ["r"])
    try fleet.expectExhausted()
  }
}
