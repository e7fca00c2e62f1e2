import Foundation
import GRDB
import RemindersCore
import RemindersTerminal
import Testing

@testable import RemindersUI

/// Today, what was completed, and what comes again, as the screen has them.
@MainActor
struct DayTests {
  @Test func anEmptyTodayShowsTheMorningOfTomorrow() async throws {
    let driver = try await Driver(sampleData: false)
    try await driver.press("aPack the bag tomorrow 8am<enter>gt")
    #expect(driver.titles == ["Pack the bag"] && driver.shows("TOMORROW"))
    #expect(driver.shows("0 open") && !driver.shows("Nothing here."))
    // It can be done before its day like any other.
    try await driver.press("<space>")
    await driver.pass(seconds: 6)
    #expect(driver.titles.isEmpty && driver.shows("Nothing here."))
  }

  @Test func theZoneIsThatOfWherePeopleAre() async throws {
    let driver = try await Driver(sampleData: false)
    try await driver.press("aCall today 18:00<enter>aPost today<enter>")
    // Nine hours east it is Saturday still; the moment stays, and so does the day.
    driver.zone.now = try #require(TimeZone(identifier: "Asia/Tokyo"))
    await driver.pass(seconds: 60)
    #expect(driver.lines[0].contains("23:33 Sat 21 Nov"))
    #expect(try driver.line(with: "Call").contains("03:00"))
    #expect(try driver.line(with: "Post").contains("today"))
    await driver.pass(seconds: 3600)
    #expect(driver.lines[0].contains("00:33 Sun 22 Nov"))
    #expect(try driver.line(with: "Post").contains("yesterday"))
  }

  @Test func whatWasCompletedComesByDay() async throws {
    let driver = try await Driver()
    try await driver.press("<space>")
    await driver.pass(seconds: 24 * 3600)
    try await driver.press("gl<enter><space>")
    await driver.pass(seconds: 6)
    try await driver.press("gc")
    #expect(driver.shows("TODAY") && driver.shows("YESTERDAY") && driver.shows("by completion"))
    try await driver.press("oti<enter>")
    #expect(!driver.shows("YESTERDAY") && driver.shows("by title"))
  }

  @Test func aReminderThatComesAgainGoesOn() async throws {
    let driver = try await Driver(sampleData: false)
    try await driver.press("aBins every monday 8am")
    #expect(driver.shows("every Mon") && driver.shows("Mon 23 Nov 2026 · 08:00"))
    try await driver.press("<enter><space>")
    await driver.pass(seconds: 6)
    #expect(driver.titles == ["Bins"] && driver.shows("Mon 30 Nov 08:00"))
    try await driver.press(".")
    #expect(driver.titles == ["Bins", "Bins"])
    try await driver.press("u")
    #expect(driver.titles == ["Bins"] && driver.shows("Mon 23 Nov 08:00"))
    try await driver.press("U")
    #expect(driver.titles == ["Bins", "Bins"])
  }

  @Test func aRuleThatIsNotUnderstoodKeepsTheForm() async throws {
    let driver = try await Driver()
    try await driver.press("e<tab><tab><tab><tab><tab>now and then<c-s>")
    #expect(driver.shows("is not a way to repeat"))
    #expect(driver.app.state.reminderForm?[.recurrence].text == "now and then")
  }

  @Test func aSubtaskStandsBelowItsParentAndGoesWithIt() async throws {
    let driver = try await Driver()
    try await driver.press("j>")
    #expect(driver.titles.prefix(2) == ["Dentist", "Haircut"] && driver.shows("Dentist  0/1"))
    #expect(driver.app.state.home.currentRow?.isUnderParent == true)
    try await driver.press("gg<space>")
    #expect(driver.shows("Complete with 1 open subtask?"))
    try await driver.press("nd")
    #expect(driver.shows("Delete with 1 subtask?"))
    try await driver.press("y")
    #expect(!driver.titles.contains("Dentist") && !driver.titles.contains("Haircut"))
    try await driver.press("u")
    #expect(driver.titles.prefix(2) == ["Dentist", "Haircut"])
    try await driver.press("gg<space>y")
    await driver.pass(seconds: 6)
    #expect(!driver.titles.contains("Dentist") && !driver.titles.contains("Haircut"))
    try await driver.press("ugt")
    #expect(driver.titles.prefix(2) == ["Dentist", "Haircut"] && driver.shows("in Dentist"))
  }

  @Test func inTheManualOrderParentsMoveWithTheirSubtasks() async throws {
    let driver = try await Driver()
    try await driver.press("oman<enter>ggj>ggJ")
    #expect(
      driver.titles.prefix(3) == ["Concert tickets", "Dentist", "Haircut"], "\(driver.titles)")
  }

  @Test func whatAnotherProgramCompletedGoesOn() async throws {
    let driver = try await Driver(sampleData: false)
    try await driver.press("aBins every+ day<enter>")
    let id = try #require(driver.app.state.home.rows.first?.id)
    try await driver.elsewhere { database in
      try await database.writer.write { db in
        try db.execute(sql: "UPDATE reminders SET status = 2 WHERE id = ?", arguments: [id])
      }
    }
    #expect(driver.titles == ["Bins"] && driver.shows("tomorrow"))
  }
}
