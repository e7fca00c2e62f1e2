import Foundation
import RemindersCore
import RemindersTerminal
import Testing

@testable import RemindersUI

@MainActor
struct HomeScreenTests {
  @Test(arguments: [(80, 24), (100, 30), (200, 60), (40, 14)])
  func showsListsAndReminders(columns: Int, rows: Int) async throws {
    let driver = try await Driver(columns, rows)
    try await driver.press("<space>j+")
    try driver.expectScreen("home-\(columns)x\(rows)")
  }

  @Test func canBeReadWithoutColourAndUnicode() async throws {
    let driver = try await Driver(100, 30, settings: Settings("set theme mono"), isUTF8: false)
    try await driver.press("<space>j.")
    try driver.expectScreen("home-mono-ascii")
  }

  @Test func offersWaysToBeginWhenThereIsNothing() async throws {
    let driver = try await Driver(80, 24, sampleData: false)
    try driver.expectScreen("welcome")
    try await driver.press("E")
    #expect(driver.app.state.home.currentList?.title == "Personal")
    #expect(driver.titles.contains("Dentist"))
  }

  @Test func saysWhatItNeedsInATinyTerminal() async throws {
    let driver = try await Driver(20, 5)
    #expect(driver.lines.first == "needs 30×8")
    // Nobody sees what keys do.
    try await driver.press("d")
    await driver.send(.paste("Nobody sees this"))
    await driver.send(.resize(Size(columns: 100, rows: 30)))
    #expect(driver.shows("Dentist") && driver.app.state.screens.isEmpty)
  }

  @Test func narrowTerminalsShowOnePaneAtATime() async throws {
    let driver = try await Driver(40, 14)
    #expect(driver.shows("Dentist") && !driver.shows("SMART LISTS"))
    try await driver.press("h")
    #expect(driver.shows("SMART LISTS") && !driver.shows("Dentist"))
    try await driver.press("<enter>")
    #expect(driver.shows("Dentist"))
  }

  @Test func theListUnderTheCursorIsShown() async throws {
    let driver = try await Driver()
    try await driver.press("hj")
    #expect(driver.titles.contains("Plan the summer trip"))
    try await driver.press("gt")
    #expect(
      driver.titles == [
        "Dentist", "Haircut", "Call the plumber", "Renew the domain", "Concert tickets",
      ])
  }

  @Test func everyListRemembersItsCursor() async throws {
    let driver = try await Driver()
    try await driver.press("jj")
    let before = driver.current
    try await driver.press("gagl<enter>")
    #expect(driver.current == before)
  }

  @Test func aPendingKeyShowsWhatMayFollow() async throws {
    let driver = try await Driver()
    try await driver.press("g")
    #expect(driver.shows("Go to Today"))
    try await driver.press("<esc>")
    #expect(!driver.shows("Go to Today"))
  }

  @Test(arguments: [(30, 8), (30, 12), (80, 16), (80, 24), (100, 30)])
  func keysThatMayFollowStayInTheirFrame(columns: Int, rows: Int) async throws {
    let driver = try await Driver(columns, rows)
    try await driver.press("g")
    let last = try #require(driver.lines.last { $0.contains("╰") || $0.contains("└") })
    let frame = last.reversed().prefix { "╰└─┘╯".contains($0) }
    #expect(frame.count >= 30, "the frame is whole")
    let isCut = driver.lines.contains { $0.contains("│ …") || $0.contains("  … ") }
    #expect(isCut == (columns == 30), "the rest is not silently left out")
  }

  @Test func orderAndCompletedAreRememberedPerList() async throws {
    let driver = try await Driver()
    try await driver.press("otit<enter>.")
    #expect(driver.shows("by title"))
    #expect(driver.titles.last == "Long walk")
    try await driver.press("gl<down><enter>")
    #expect(driver.shows("by due date"))
    try await driver.press("gl<enter>")
    #expect(driver.shows("by title"))
  }

  @Test func orderAndCompletedAreRememberedInTheNextRun() async throws {
    let driver = try await Driver()
    try await driver.press("otit<enter>.gtopri<enter>gl<enter>")
    let options = try String(contentsOf: driver.optionsFile, encoding: .utf8)
    #expect(options == "priority open smart today\n", "lists follow the person")
    let row = try #require(
      try driver.database.fetch(SidebarQuery(time: driver.app.state.day)).lists.first)
    #expect(row.view.sort == .title && row.view.showsCompleted == true)
  }

  @Test func whatAFileOfAVersionBeforeSaysOfListsGoesToTheData() async throws {
    let options = "priority open smart today\ntitle completed list id-0001\nsomething else\n"
    let driver = try await Driver(options: options)
    #expect(driver.shows("by title"))
    #expect(driver.titles.last == "Long walk")
    func view() throws -> ListView? {
      try driver.database.fetch(SidebarQuery(time: driver.app.state.day)).lists.first?.view
    }
    #expect(try view()?.sort == .title)
    let file = try String(contentsOf: driver.optionsFile, encoding: .utf8)
    #expect(file == "priority open smart today\n")
    // Another device decides otherwise.
    try await driver.elsewhere {
      try await $0.setView(of: "id-0001", sort: nil, showsCompleted: nil)
    }
    #expect(driver.shows("by due date"))
    try await driver.press("otit<enter>")
    #expect(try view()?.sort == .title && view()?.showsCompleted == nil)
  }

  // MARK: - Changes from elsewhere

  @Test func aChangeElsewhereDoesNotMoveTheCursor() async throws {
    let driver = try await Driver(80, 12)
    try await driver.press("jj")
    let before = try #require(driver.current)
    let line = driver.lines.firstIndex { $0.contains("▸") }
    try await driver.elsewhere { database in
      let list = driver.app.state.home.currentList?.id
      let early = CalendarDay(year: 2020, month: 1, day: 1).map(DueDate.day)
      for number in 1...3 {
        _ = try await database.addReminder(
          ReminderDraft(title: "Early \(number)", due: early, listID: list))
      }
    }
    #expect(driver.current == before)
    #expect(driver.lines.firstIndex { $0.contains("▸") } == line)
  }

  @Test func theNeighbourTakesThePlaceOfWhatIsDeletedElsewhere() async throws {
    let driver = try await Driver()
    try await driver.press("j")
    let id = try #require(driver.app.state.home.currentRow?.id)
    let next = driver.titles[2]
    try await driver.elsewhere { _ = try await $0.deleteReminders([id]) }
    #expect(driver.current == next)
  }

  // MARK: - The mouse

  @Test func aClickSelectsAndAnotherOpens() async throws {
    let driver = try await Driver()
    let row = try #require(driver.lines.firstIndex { $0.contains("Haircut") })
    let click = TerminalEvent.mouse(MouseEvent(.click, at: Point(column: 50, row: row)))
    await driver.send(click)
    #expect(driver.current == "Haircut")
    await driver.send(click)
    #expect(driver.shows("─ Edit reminder ─"))
  }

  @Test func hintsAreClicked() async throws {
    let driver = try await Driver()
    let footer = try #require(driver.lines.last)
    let column = footer.distance(
      from: footer.startIndex, to: try #require(footer.range(of: "flag")).lowerBound)
    await driver.send(.mouse(MouseEvent(.click, at: Point(column: column, row: 29))))
    #expect(driver.app.state.home.currentRow?.isFlagged == false)
  }

  @Test func whatIsSaidAroundTheListIsClicked() async throws {
    let driver = try await Driver()
    try await driver.click(on: "by due date")
    #expect(driver.shows("─ Order ─"))
    try await driver.press("<esc>")
    try await driver.click(on: "completed hidden")
    #expect(driver.titles.contains("Long walk"))
    try await driver.press("v")
    try await driver.click(on: "1 selected")
    #expect(driver.app.state.home.selection.isEmpty)
    try await driver.press("d")
    try await driver.click(on: "undo")
    #expect(driver.shows("Undone"))
    try await driver.click(on: "in sync")
    #expect(driver.shows("Reminders › Sync"))
    try await driver.press("<esc>e")
    try await driver.click(on: "in sync")
    #expect(driver.app.state.reminderForm != nil)
  }

  @Test func theWheelLeavesTheCursor() async throws {
    let driver = try await Driver(80, 12)
    let before = driver.current
    await driver.send(.mouse(MouseEvent(.wheelDown, at: Point(column: 50, row: 5))))
    #expect(driver.current == before)
    #expect(driver.app.state.home.reminders.top == 3)
  }
}
