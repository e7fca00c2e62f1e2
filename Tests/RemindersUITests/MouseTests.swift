import RemindersCore
import RemindersTerminal
import Testing

@testable import RemindersUI

/// Clicks and the wheel on screens other than home, whose own are with it.
@MainActor
struct MouseTests {
  /// A click selects; on what is selected it does what Enter does.
  @Test func resultsOfASearchAreClicked() async throws {
    let driver = try await Driver(80, 24)
    try await driver.press("/e")
    let search = try #require(driver.app.state.searchScreen)
    let second = search.hits[1].row
    try await driver.click(on: second.title)
    #expect(driver.app.state.searchScreen?.list.current == second.id)
    #expect(driver.app.state.searchScreen?.isTyping == false)
    try await driver.click(on: second.title)
    #expect(driver.shows("─ Edit reminder ─"))
  }

  @Test func commandsOfThePaletteAreClicked() async throws {
    let driver = try await Driver()
    try await driver.press(":sync screen")
    try await driver.click(on: "Sync screen")
    #expect(driver.app.state.syncScreen != nil)
    try await driver.press("<esc>:")
    try await driver.click(on: "Edit reminder")
    #expect(driver.shows("▸ Edit reminder"))
    try await driver.click(on: "Edit reminder")
    #expect(driver.shows("─ Edit reminder ─"))
  }

  @Test func listsAreClickedOpen() async throws {
    let driver = try await Driver()
    try await driver.click(on: "■ Business")
    #expect(driver.app.state.home.focus == .lists)
    try await driver.click(on: "■ Business")
    #expect(driver.app.state.home.focus == .reminders)
  }

  @Test func theWheelMovesThroughHelpAndPickers() async throws {
    let driver = try await Driver(80, 24)
    try await driver.press("?")
    let first = driver.lines[3]
    await driver.send(.mouse(MouseEvent(.wheelDown, at: Point(column: 5, row: 5))))
    #expect(driver.lines[3] != first)
    try await driver.press("<esc>:")
    await driver.send(.mouse(MouseEvent(.wheelDown, at: Point(column: 5, row: 5))))
    let palette = try #require(driver.app.state.screens[top: Choice.self])
    #expect(palette.picker.current?.id == palette.picker.matches[1].id)
  }

  @Test func linesOfTheLogAreClicked() async throws {
    let driver = try await Driver()
    try await driver.press("S")
    for number in 1...3 { await driver.report(.signIn(account: "ann\(number)")) }
    try await driver.click(on: "ann1 signed in")
    #expect(driver.app.state.syncScreen?.log.current?.number == 1)
  }
}
