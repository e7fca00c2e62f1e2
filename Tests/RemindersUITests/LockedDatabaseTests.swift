import Foundation
import GRDB
import RemindersCore
import RemindersTerminal
import RemindersTestSupport
import Testing

@testable import RemindersUI

/// Another program has the database for itself: the app goes on all the same.
@MainActor
struct LockedDatabaseTests {
  private let driver: Driver
  private let other: DatabaseQueue

  init() async throws {
    driver = try await Driver()
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    other = try DatabaseQueue(
      path: driver.directory.url.appending(path: AppDatabase.fileName).path,
      configuration: configuration)
    try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
  }

  private func letGo() throws {
    try other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
  }

  @Test func keysActOnWhatIsShownAndTheWriteIsMadeAfterwards() async throws {
    let first = try #require(driver.current)
    try driver.pressAtOnce("f")
    try driver.pressAtOnce("j")
    #expect(driver.current == first, "it may be about what the key before it leads to")
    driver.passAtOnce(seconds: 2)
    #expect(driver.current == first, "what was typed ahead is let go")
    #expect(driver.app.state.message?.text.contains("Another program") == true)
    try driver.pressAtOnce("j")
    #expect(driver.current != first)
    let wasFlagged = try #require(driver.app.state.home.rows.first).isFlagged
    try letGo()
    await driver.app.settled()
    #expect(driver.app.state.home.rows.first?.isFlagged == !wasFlagged)
  }

  /// A write of notes of megabytes takes longer than people wait for a sign that a key has arrived.
  @Test func keysThatWaitAreShownAfterAMoment() async throws {
    func corner() -> String? { view(driver.app.state).surface.lines.last }
    try driver.pressAtOnce("f")
    #expect(driver.app.state.waitingKeys == nil, "most writes take no time that anybody notices")
    driver.passAtOnce(seconds: 0.03)
    #expect(driver.app.state.waitingKeys == [] && corner()?.hasSuffix(" …") == true)
    try driver.pressAtOnce("jk")
    #expect(corner()?.hasSuffix(" … j k") == true)
    try letGo()
    await driver.app.settled()
    #expect(driver.app.state.waitingKeys == nil && corner()?.contains("…") == false)
  }

  /// An import of another program may take longer than SQLite waits.
  @Test func aWriteIsTriedUntilTheOtherProgramHasFinished() async throws {
    let wasFlagged = try #require(driver.app.state.home.rows.first).isFlagged
    try driver.pressAtOnce("f")
    while driver.app.state.message == nil { await driver.app.change() }
    #expect(driver.app.state.message?.text == App.waitsForAnother)
    try letGo()
    await driver.app.settled()
    #expect(driver.app.state.home.rows.first?.isFlagged == !wasFlagged)
  }

  /// A write of very many rows says how far it is, and nobody waits for it.
  @Test func aLongWriteShowsHowFarItIsAndKeysActMeanwhile() async throws {
    let first = try #require(driver.current)
    try driver.pressAtOnce("f")
    while driver.app.writeBegan == nil { await Task.yield() }
    driver.app.follow(WriteProgress(completed: 450, total: 1000))
    #expect(driver.app.state.writing == nil, "it has only begun")
    driver.clock.advance(milliseconds: 500)
    driver.app.follow(WriteProgress(completed: 450, total: 1000))
    try driver.pressAtOnce("j")
    #expect(driver.current != first)
    let screen = view(driver.app.state)
    #expect(screen.surface.lines.contains { $0.contains("Saving") && $0.contains("45 %") })
    #expect(driver.app.state.message == nil, "no other program is to blame")
    try letGo()
    await driver.app.settled()
    #expect(driver.app.state.writing == nil && !driver.shows("Saving"))
  }

  @Test func quittingWaitsForNothingButWhatIsToBeSaved() async throws {
    try driver.pressAtOnce("f")
    try driver.pressAtOnce("q")
    driver.passAtOnce(seconds: 2)
    #expect(driver.app.state.isQuitting)
    try letGo()
    await driver.app.finish()
    #expect(driver.app.failure == nil)
  }

  /// However much was typed ahead, or came by a paste.
  @Test(arguments: [TerminalEvent.key(.control("c")), .hangup])
  func whoeverEndsTheAppWaitsForNoKeysBefore(event: TerminalEvent) async throws {
    try driver.pressAtOnce("f" + String(repeating: "jk", count: 1000))
    driver.device.send(event)
    #expect(driver.app.state.isQuitting)
    try letGo()
    await driver.app.finish()
    #expect(driver.app.failure == nil)
  }

  @Test func ofManyKeysThatWaitOnlyTheLastAreShown() async throws {
    try driver.pressAtOnce("f" + String(repeating: "j", count: 1000) + "kj")
    driver.passAtOnce(seconds: 0.03)
    #expect(driver.app.state.waitingKeys == Key.sequence("jjjkj"))
    try letGo()
    await driver.app.settled()
    #expect(driver.app.state.waitingKeys == nil)
  }

  @Test func anotherSizeIsTakenAtOnce() async throws {
    try driver.pressAtOnce("f")
    driver.device.resize(to: Size(columns: 60, rows: 20))
    #expect(driver.app.state.size == Size(columns: 60, rows: 20))
    try letGo()
    await driver.app.settled()
  }
}
