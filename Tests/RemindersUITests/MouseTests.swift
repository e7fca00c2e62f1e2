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

  @Test func fieldsOfAFormAreClicked() async throws {
    let driver = try await Driver(80, 24)
    try await driver.press("e")
    try await driver.click(on: "Repeat")
    #expect(driver.app.state.reminderForm?.focus == .recurrence)
    // The caret goes to the letter.
    try await driver.click(on: "ntist ")
    try await driver.press("X")
    #expect(driver.app.state.reminderForm?[.title].text == "DeXntist")
    try await driver.click(on: "X-ray")
    try await driver.press("<delete>")
    #expect(driver.app.state.reminderForm?[.notes].text.contains("Bring the -ray") == true)
    // Behind the end of a line it goes to the end.
    try await driver.click(on: "   ", of: "DeXntist")
    try await driver.press("!")
    #expect(driver.app.state.reminderForm?[.title].text == "DeXntist!")
    #expect(driver.app.state.screens.count == 1)
  }

  @Test func whatCanBeChosenInAFormIsClicked() async throws {
    let driver = try await Driver(80, 24)
    try await driver.press("e")
    try await driver.click(on: "( ) low")
    #expect(driver.shows("(•) low") && driver.shows("( ) high"))
    #expect(driver.app.state.reminderForm?.focus == .priority)
    try await driver.click(on: "none   (•)")
    #expect(driver.shows("(•) none"))
    try await driver.click(on: "[x] flagged")
    try await driver.click(on: "flagged  ")
    #expect(driver.shows("[x] flagged"))
    try await driver.click(on: "[x] flagged")
    #expect(driver.shows("[ ] flagged"))
    // Beside it is only the field.
    try await driver.click(on: "Flag ")
    #expect(driver.shows("[ ] flagged"))
    let list = driver.app.state.reminderForm?[.list].text
    try await driver.click(on: "›   ", of: "List ")
    #expect(driver.shows("‹ ■ Family ›"))
    try await driver.click(on: "‹ ■")
    #expect(driver.app.state.reminderForm?[.list].text == list)
  }

  @Test func aClickLeavesNoFieldThatMakesNoSense() async throws {
    let driver = try await Driver(80, 24)
    try await driver.press("e")
    try await driver.click(on: "Due ")
    try await driver.press("never mind")
    try await driver.click(on: "[x] flagged")
    #expect(driver.app.state.reminderForm?.focus == .due)
    #expect(driver.shows("[x] flagged"))
    #expect(driver.app.state.message?.text.contains("“never mind” is not a date.") == true)
  }

  /// A form that is taller than the screen shows a part of itself.
  @Test func fieldsOfATallFormAreClicked() async throws {
    let driver = try await Driver(80, 14)
    try await driver.press("e<s-tab><s-tab>")
    #expect(driver.app.state.reminderForm?.focus == .tags && !driver.shows("Title "))
    try await driver.click(on: "Repeat")
    #expect(driver.app.state.reminderForm?.focus == .recurrence)
  }

  @Test func fieldsOfAListAreClicked() async throws {
    let driver = try await Driver(80, 24)
    try await driver.press("glje")
    let color = try #require(driver.app.state.listForm?.color)
    try await driver.click(on: "› ", of: "Colour")
    #expect(driver.app.state.listForm?.focus == .color)
    #expect(driver.app.state.listForm?.color != color)
    try await driver.click(on: "‹ ■", of: "Colour")
    #expect(driver.app.state.listForm?.color == color)
    try await driver.click(on: "Cover")
    #expect(driver.app.state.listForm?.focus == .cover)
    try await driver.click(on: "mily", of: "Name")
    try await driver.press("X")
    #expect(driver.app.state.listForm?.title.text == "FaXmily")
  }

  @Test func answersOfAQuestionAreClicked() async throws {
    let driver = try await Driver(80, 24)
    try await driver.press("e!<esc>")
    try await driver.click(on: "cancel", of: "│  y yes")
    #expect(driver.shows("─ Edit reminder ─") && !driver.shows("Discard changes?"))
    try await driver.press("<esc>")
    try await driver.click(on: "y yes", of: "│  y yes")
    #expect(driver.app.state.screens.isEmpty)
  }

  @Test func linesOfTheLogAreClicked() async throws {
    let driver = try await Driver()
    try await driver.press("S")
    for number in 1...3 { await driver.report(.signIn(account: "ann\(number)")) }
    try await driver.click(on: "ann1 signed in")
    #expect(driver.app.state.syncScreen?.log.current?.number == 1)
  }
}
