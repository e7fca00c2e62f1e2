import RemindersCore
import RemindersTerminal
import Testing

@testable import RemindersUI

/// The line of a new reminder, when something else happens meanwhile.
@MainActor
struct QuickAddTests {
  @Test func aReminderForAListThatIsGoneGoesElsewhereOnlyWhenThatWasSaid() async throws {
    let driver = try await Driver(sampleData: false) { database in
      _ = try await database.addList(title: "Personal")
      let (list, _) = try await database.addList(title: "Trip")
      _ = try await database.addReminder(ReminderDraft(title: "Pack", listID: list))
    }
    try await driver.press("gljla")
    try await driver.press("Tickets")
    #expect(driver.shows("Trip"))
    try await driver.elsewhere { database in
      let list = try #require(try database.fetch(ListsQuery()).first { $0.title == "Trip" })
      _ = try await database.deleteList(list.id)
    }
    try await driver.press("<enter>")
    #expect(driver.app.state.message?.text.contains("was deleted") == true)
    #expect(driver.shows("Tickets"))
    try await driver.press("<enter>")
    #expect(driver.app.state.screens.isEmpty)
  }

  @Test func whereThereIsLittleRoomAllThatIsUnderstoodIsShownInSeveralRows() async throws {
    let driver = try await Driver(40, 12)
    try await driver.press("aGym every mon 9am remind 10m before !! #health")
    try driver.expectScreen("quick-add-40x12")
    #expect(driver.shows("every Mon") && driver.shows("due Mon 23 Nov 2026 · 09:00"))
    #expect(driver.shows("#health"))
  }

  @Test func whatIsPastedDoesNotRunIntoWhatWasKept() async throws {
    let driver = try await Driver()
    try await driver.press("aMilk<esc>")
    await driver.send(.paste("One\nTwo"))
    #expect(driver.shows("Add 2 reminders?") && driver.shows("One for each line: One"))
    try await driver.press("<esc>a")
    await driver.send(.paste("One\nTwo"))
    #expect(driver.shows("Add 2 reminders?") && driver.shows("One for each line: One"))
    try await driver.press("<esc>")
    await driver.send(.paste("oat"))
    #expect((driver.app.state.screens.last as? QuickAdd)?.line.text == "Milk oat")
  }
}
