import Dispatch
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

  @Test func whatWasStoppedMeanwhileIsNotStarted() async throws {
    let driver = try await Driver(answer: answer)
    driver.app.perform(.stopSync)
    answer.signal()
    await driver.app.settled()
    #expect(driver.syncCalls.withLock { $0 } == [])
  }
}
