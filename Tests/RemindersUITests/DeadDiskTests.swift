import Dispatch
import RemindersCore
import Synchronization
import Testing

@testable import RemindersUI

/// The disk of the cloud does not answer when the app starts.
@MainActor
@Suite(.timeLimit(.minutes(2)))
struct DeadDiskTests {
  private let answer = DispatchSemaphore(value: 0)

  @Test func keysWaitForNothing() async throws {
    let driver = try await Driver(answer: answer)
    defer { answer.signal() }
    let first = try #require(driver.current)
    try driver.pressAtOnce("j")
    while driver.current == first { await driver.app.change() }
    try driver.pressAtOnce("f")
    while driver.app.state.undoSteps.isEmpty { await driver.app.change() }
    #expect(driver.app.state.message?.text.contains("Another program") != true)
  }

  @Test func quittingWaitsForNothing() async throws {
    let driver = try await Driver(answer: answer)
    defer { answer.signal() }
    try driver.pressAtOnce("q")
    while !driver.app.state.isQuitting { await driver.app.change() }
    await driver.app.finish()
    #expect(driver.app.failure == nil)
  }

  @Test func syncBeginsAfterAnotherProgramHasWritten() async throws {
    let refusals = Mutex(2)
    let driver = try await Driver(beginSync: {
      try refusals.withLock { rest in
        rest -= 1
        if rest >= 0 { throw AppError(.busy, "Another program is writing.") }
      }
    })
    #expect(driver.app.failure == nil && refusals.withLock { $0 } == -1)
    #expect(driver.app.state.message?.text.contains("sync begins after it") == true)
    #expect(driver.app.state.sync?.place == "/mnt/cloud")
  }

  @Test func whatWasStoppedMeanwhileIsNotStarted() async throws {
    let driver = try await Driver(answer: answer)
    driver.app.perform(.stopSync)
    answer.signal()
    await driver.app.settled()
    #expect(driver.syncCalls.withLock { $0 } == [])
  }
}
