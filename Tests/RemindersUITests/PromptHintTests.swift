import Testing

@testable import RemindersUI

/// What is said below a line that is typed can be read to its end, or ends behind a word.
@MainActor
@Suite struct PromptHintTests {
  @Test(arguments: [(80, 24), (100, 24)])
  func whyADateIsNoneIsReadToItsEnd(columns: Int, rows: Int) async throws {
    let driver = try await Driver(columns, rows)
    try await driver.press("D")
    let line = try #require(driver.lines.firstIndex { $0.contains("2026-11-19 09:30") })
    try await driver.press("blursday")
    #expect(driver.shows("“blursday” is not a date."))
    #expect(driver.shows("2026-12-25 18:00, none."))
    // The line stays where it is.
    #expect(driver.lines[line].contains("blursday"))
    // However much is typed.
    try await driver.press(String(repeating: " blursday", count: 20))
    #expect(driver.shows("is not a date."))
  }

  @Test(arguments: [24, 30])
  func aFormSaysItAsFarAsThereIsRoom(rows: Int) async throws {
    let driver = try await Driver(80, rows)
    try await driver.press("e<tab><tab><tab>blursday")
    #expect(driver.shows(rows == 30 ? "2026-12-25 18:00, none." : "today, fri 9am, …"))
    try await driver.press("<c-s>")
    #expect(driver.shows("2026-12-25 18:00, none."))
  }
}
