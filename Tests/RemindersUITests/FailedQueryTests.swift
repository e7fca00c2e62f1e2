import GRDB
import RemindersCore
import Testing

@testable import RemindersUI

/// A query that failed is asked again: what stood in its way may be gone.
@MainActor
struct FailedQueryTests {
  @Test func itGoesOnWhenWhatStoodInItsWayIsGone() async throws {
    let driver = try await Driver()
    func rename(_ name: String, to other: String) async throws {
      try await driver.elsewhere { database in
        try await database.writer.write { db in
          try db.execute(sql: "ALTER TABLE \(name) RENAME TO \(other)")
        }
      }
    }
    try await rename("reminderCounts", to: "elsewhere")
    try await driver.press("d")
    #expect(driver.app.state.message?.kind == .failed)
    let shown = driver.app.state.recentMessages.count
    for _ in 1...3 { await driver.pass(seconds: 5) }
    #expect(driver.app.state.recentMessages.count == shown, "it is said once")
    try await rename("elsewhere", to: "reminderCounts")
    await driver.pass(seconds: 60)
    func openCount() throws -> Int {
      try #require(driver.app.state.home.sidebar?.lists.first?.openCount)
    }
    let count = try openCount()
    #expect(count == driver.titles.count)
    try await driver.press("d")
    #expect(try openCount() == count - 1)
  }
}
