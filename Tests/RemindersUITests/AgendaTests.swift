import Foundation
import GRDB
import RemindersCore
import RemindersTerminal
import RemindersTestSupport
import Testing

@testable import RemindersUI

/// The agenda and looking back, as the screen has them.
@MainActor
struct AgendaTests {
  /// The sample data, with something that comes again.
  private func driver(
    _ columns: Int = 100, _ rows: Int = 30, settings: Settings = Settings(), isUTF8: Bool = true
  ) async throws -> Driver {
    let driver = try await Driver(columns, rows, settings: settings, isUTF8: isUTF8)
    try await driver.press("aBins every monday 8am<enter>")
    try await driver.press("aWater the plants every 3 days<enter>")
    await driver.pass(seconds: 10)
    return driver
  }

  private func currentTitle(_ driver: Driver) -> String? {
    driver.app.state.agendaScreen?.current?.row.title
  }

  /// Moves down to an entry whose line has a text.
  private func move(to text: String, _ driver: Driver) async throws {
    try await driver.press("gg")
    for _ in 0..<100 where currentTitle(driver)?.contains(text) != true {
      try await driver.press("j")
    }
    #expect(currentTitle(driver)?.contains(text) == true)
  }

  // MARK: - Pictures

  @Test(arguments: [(40, 12), (80, 24), (100, 30), (200, 60)])
  func agendaShowsDaysBesideAMonth(columns: Int, rows: Int) async throws {
    let driver = try await driver(columns, rows)
    try await driver.press("gA")
    try driver.expectScreen("agenda-\(columns)x\(rows)")
  }

  @Test func agendaNeedsNeitherColourNorUnicode() async throws {
    let driver = try await driver(80, 24, settings: Settings("set theme mono"), isUTF8: false)
    try await driver.press("gA")
    try driver.expectScreen("agenda-mono-ascii")
  }

  @Test(arguments: [(40, 12), (80, 24), (100, 30), (200, 60)])
  func lookingBackShowsBars(columns: Int, rows: Int) async throws {
    let driver = try await driver(columns, rows)
    try await driver.press("<space>")
    await driver.pass(seconds: 10)
    try await driver.press("gb")
    try driver.expectScreen("stats-\(columns)x\(rows)")
  }

  // MARK: - Months

  @Test func bracketsTurnMonths() async throws {
    let driver = try await driver()
    try await driver.press("gA]")
    #expect(driver.shows("December 2026") && !driver.shows("OVERDUE"))
    #expect(try driver.line(with: "Bins").contains("↻"))
    try await driver.press("[")
    #expect(driver.shows("OVERDUE") && driver.shows("TODAY"))
    try await driver.press("[")
    #expect(driver.shows("October 2026") && driver.shows("Nothing is due."))
    try await driver.press("gt")
    #expect(driver.shows("OVERDUE"))
    try await driver.press("<esc>")
    #expect(driver.app.state.screens.isEmpty)
  }

  @Test func monthsEndWithTheCalendar() {
    let time = LocalTime(now: Date(timeIntervalSince1970: 0), timeZone: .gmt)
    var screen = AgendaScreen()
    for _ in 0..<110_000 { screen.showMonth(by: 1, in: time) }
    #expect(screen.month?.components.year == 9999)
    for _ in 0..<130_000 { screen.showMonth(by: -1, in: time) }
    #expect(screen.month?.components.year == 1)
  }

  @Test func clickOnADayGoesThere() async throws {
    let driver = try await driver()
    try await driver.press("gA")
    try await driver.click(on: "23•")
    #expect(
      driver.app.state.agendaScreen?.current?.due.day(in: driver.app.state.time).description
        == "2026-11-23")
  }

  // MARK: - Reminders

  @Test func keysMoveAReminderToAnotherDayAtTheSameTime() async throws {
    let driver = try await driver()
    try await driver.press("gA")
    try await move(to: "Bins", driver)
    try await driver.press("J")
    #expect(currentTitle(driver) == "Bins")
    #expect(try driver.database.fetch(BinsDue()) == "2026-11-24T08:00:00Z")
    try await driver.press("K")
    #expect(try driver.database.fetch(BinsDue()) == "2026-11-23T08:00:00Z")
    try await driver.press("uu")
    #expect(driver.shows("Undone"))
  }

  @Test func whatIsOverdueMovesToToday() async throws {
    let driver = try await driver()
    try await driver.press("gA")
    let title = try #require(currentTitle(driver))
    try await driver.press("J")
    #expect(currentTitle(driver) == title)
    let entry = try #require(driver.app.state.agendaScreen?.current)
    #expect(entry.due.day(in: driver.app.state.time) == driver.app.state.time.today)
  }

  @Test func whatIsStillToComeCannotBeCompletedButOpens() async throws {
    let driver = try await driver()
    try await driver.press("gA]")
    try await move(to: "Bins", driver)
    for key in ["<space>", "d", "f", "J", "K", "D"] {
      try await driver.press(key)
      #expect(driver.shows("It comes again on this day: Enter opens its reminder."), "\(key)")
      #expect(driver.app.state.screens.count == 1, "\(key)")
    }
    try await driver.press("<enter>")
    #expect(driver.app.state.reminderForm?.base.title == "Bins")
    try await driver.press("<esc>")
    #expect(driver.app.state.agendaScreen != nil)
  }

  @Test func commandsActOnTheEntryAndNotOnWhatIsSelectedAtHome() async throws {
    let driver = try await driver()
    try await driver.press("vv")
    let selected = driver.app.state.home.selection.ids
    #expect(!selected.isEmpty)
    try await driver.press("gA")
    try await move(to: "Water", driver)
    try await driver.press("f")
    #expect(driver.shows("⚑"))
    #expect(currentTitle(driver) == "Water the plants")
    #expect(driver.app.state.agendaScreen?.currentRow?.isFlagged == true)
    try await driver.press("v")
    #expect(driver.shows("Nothing can be selected in the agenda."))
    #expect(driver.app.state.home.selection.ids == selected)
  }

  @Test func completingInTheAgendaGoesOn() async throws {
    let driver = try await driver()
    try await driver.press("gA")
    try await move(to: "Bins", driver)
    try await driver.press("<space>")
    await driver.pass(seconds: 6)
    #expect(try driver.database.fetch(BinsDue()) == "2026-11-30T08:00:00Z")
  }

  @Test func thePaletteOpensBoth() async throws {
    let driver = try await driver()
    try await driver.press(":agenda<enter>")
    #expect(driver.app.state.agendaScreen != nil)
    try await driver.press("<esc>:look back<enter>")
    #expect(driver.shows("DONE BY DAY"))
    try await driver.press("G<esc>")
    #expect(driver.app.state.screens.isEmpty)
  }
}

/// When the bins are due, as it is stored.
private struct BinsDue: Query {
  func fetch(_ db: Database) throws -> String? {
    try String.fetchOne(
      db, sql: "SELECT dueDate FROM reminders WHERE title = 'Bins' AND status < 2")
  }
}
