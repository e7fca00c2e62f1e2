import Foundation
import GRDB
import RemindersCore
import RemindersTestSupport
import Testing

@testable import RemindersUI

/// The app itself writes for long: no other program is to blame, and no key is lost.
@MainActor
struct OwnWriteTests {
  private let driver: Driver
  private let began = AsyncStream.makeStream(of: Void.self)
  private let goOn = DispatchSemaphore(value: 0)

  /// To set or clear a flag takes until it is told to go on.
  init() async throws {
    driver = try await Driver()
    let hold = DatabaseFunction("hold", argumentCount: 0) { [began, goOn] _ in
      began.continuation.yield()
      goOn.wait()
      return nil
    }
    try await driver.database.writer.write { db in
      db.add(function: hold)
      try db.execute(
        sql: """
          CREATE TEMP TRIGGER held AFTER UPDATE OF isFlagged ON reminders BEGIN SELECT hold(); END
          """)
    }
  }

  private func waitForWrite() async {
    for await _ in began.stream { break }
    while !driver.app.isWriting { await Task.yield() }
  }

  @Test func whatIsTypedDuringItIsDoneAfterIt() async throws {
    let flag = try #require(driver.app.state.home.rows.first).isFlagged
    try driver.pressAtOnce("f")
    await waitForWrite()
    try driver.pressAtOnce("u")
    driver.passAtOnce(seconds: 5)
    #expect(driver.app.state.message == nil, "no other program is to blame")
    try driver.pressAtOnce("j")
    for _ in 1...2 { goOn.signal() }
    await driver.app.settled()
    #expect(driver.app.state.home.rows.first?.isFlagged == flag)
    #expect(driver.current == driver.titles.dropFirst().first)
  }

  /// What it would undo is not there yet, and what was done before is not meant.
  @Test func nothingElseIsUndoneWhileItIsSaved() async throws {
    try driver.pressAtOnce("f")
    goOn.signal()
    await driver.app.settled()
    for await _ in began.stream { break }
    let flag = try #require(driver.app.state.home.rows.first).isFlagged
    try driver.pressAtOnce("f")
    await waitForWrite()
    driver.clock.advance(milliseconds: 500)
    driver.app.follow(WriteProgress(completed: 450, total: 1000))
    try driver.pressAtOnce("u")
    driver.passAtOnce(seconds: 5)
    for _ in 1...2 { goOn.signal() }
    await driver.app.settled()
    #expect(driver.app.state.home.rows.first?.isFlagged == flag)
  }
}
