import Foundation
import GRDB
import RemindersCore
import RemindersTerminal
import SQLiteSync
import Testing

@testable import RemindersUI

/// What makes the screens pleasant every day.
@MainActor
struct EverydayTests {
  // MARK: - Room

  @Test func titlesGetTheRoomThatDatesDoNotNeed() async throws {
    let long = "A title that needs all the room there is"
    let driver = try await Driver(80, 24, sampleData: false) { database in
      let (list, _) = try await database.addList(title: "Plain", color: 0)
      _ = try await database.addReminder(ReminderDraft(title: "Short", listID: list))
      _ = try await database.addReminder(ReminderDraft(title: long, listID: list))
    }
    #expect(try !driver.line(with: "A title that needs").contains("…"), "\(driver.screen)")
  }

  @Test func smartListsNameTheListInTheSameRow() async throws {
    let driver = try await Driver()
    try await driver.press("gt")
    #expect(try driver.line(with: "Call the plumber").contains("■ Personal"))
    await driver.resize(40, 14)
    #expect(try driver.line(with: "Call the").contains("■ today"))
  }

  @Test func compactRowsTakeOneLineEach() async throws {
    let driver = try await Driver()
    #expect(driver.shows("#optional #sometime"))
    try await driver.press("zd")
    #expect(!driver.shows("#optional #sometime") && driver.shows("Density: compact."))
    // A countdown is told all the same.
    try await driver.press("<space>")
    #expect(driver.shows("done in 5 s"))
    #expect(try String(contentsOf: driver.optionsFile, encoding: .utf8) == "set compact on\n")
    try await driver.press("zd")
    #expect(driver.shows("Density: normal."))
    #expect(try String(contentsOf: driver.optionsFile, encoding: .utf8) == "")
  }

  @Test func theListsCanBeHiddenUntilTheyHaveTheKeys() async throws {
    let driver = try await Driver(settings: Settings("set sidebar off"))
    #expect(!driver.shows("SMART LISTS") && driver.shows("Dentist"))
    try await driver.press("h")
    #expect(driver.shows("SMART LISTS") && driver.shows("Dentist"))
    try await driver.press("l")
    #expect(!driver.shows("SMART LISTS"))
    try await driver.press("zs")
    #expect(driver.shows("SMART LISTS") && driver.shows("Sidebar: on."))
  }

  @Test func coversCanBeSwitchedOff() async throws {
    let driver = try await Driver(withCovers: true)
    #expect(driver.app.state.layout.coverLine != nil)
    try await driver.press("zc")
    #expect(driver.app.state.layout.coverLine == nil && driver.app.state.layout.picture == nil)
  }

  // MARK: - Keys and clicks

  @Test func aClickOnTheSignCompletes() async throws {
    let driver = try await Driver()
    try await driver.click(on: "○ !!  Call the plumber")
    #expect(driver.current == "Call the plumber")
    #expect(try driver.line(with: "Call the plumber").contains("◐"))
  }

  @Test func aNumberRepeatsTheMovementAfterIt() async throws {
    let driver = try await Driver()
    try await driver.press("3j")
    #expect(driver.current == driver.titles[3])
    try await driver.press("2k")
    #expect(driver.current == driver.titles[1])
    try await driver.press("10")
    #expect(driver.lines.last?.hasSuffix(" 10") == true)
    try await driver.press("j")
    #expect(driver.current == driver.titles.last)
    #expect(driver.lines.last?.hasSuffix(" 10") == false)
  }

  @Test func aListIsChosenWithLettersThatMove() async throws {
    let driver = try await Driver()
    let title = try #require(driver.current)
    try await driver.press("mj<enter>")
    #expect(!driver.titles.contains(title))
  }

  // MARK: - Typing

  @Test func whatWasNotAddedIsThereTheNextTime() async throws {
    let driver = try await Driver()
    try await driver.press("aBuy bre<esc>")
    #expect(driver.app.state.screens.isEmpty)
    try await driver.press("aad<enter>")
    #expect(driver.current == "Buy bread")
    // Up recalls what was added.
    try await driver.press("a<up><enter>")
    #expect(driver.titles.count { $0 == "Buy bread" } == 2)
    // What was being typed comes back after it.
    try await driver.press("aMilk<up><down><esc>")
    #expect(driver.app.state.quickAddMemory.unfinished == "Milk")
  }

  @Test func aDateThatIsNotUnderstoodKeepsTheFocus() async throws {
    let driver = try await Driver()
    try await driver.press("e<tab><tab><tab><c-u>some day<tab>")
    #expect(driver.app.state.reminderForm?.focus == .due)
    #expect(driver.app.state.message?.kind == .refused)
    try await driver.press("<c-u>tomorrow<tab>")
    #expect(driver.app.state.reminderForm?.focus == .alarms)
  }

  @Test(arguments: [(ReminderField.alarms, "never mind"), (.recurrence, "every other blue moon")])
  func soDoesWhatIsNoAlarmAndNoRepeat(field: ReminderField, text: String) async throws {
    let driver = try await Driver()
    try await driver.press("aPills<enter>e")
    while driver.app.state.reminderForm?.focus != field { try await driver.press("<tab>") }
    try await driver.press("\(text)<tab>")
    #expect(driver.app.state.reminderForm?.focus == field)
    #expect(driver.app.state.message?.kind == .refused)
    try await driver.press("<c-u><tab>")
    #expect(driver.app.state.reminderForm?.focus != field)
  }

  /// By the due date that the repeat will say.
  @Test func anAlarmMayComeBeforeTheDateThatItGoesBy() async throws {
    let driver = try await Driver()
    try await driver.press("N")
    try await driver.press("Pills")
    while driver.app.state.reminderForm?.focus != .alarms { try await driver.press("<tab>") }
    try await driver.press("10m before<tab>every mon 9am<c-s>")
    #expect(driver.app.state.screens.isEmpty, "\(driver.screen)")
  }

  @Test func severalKeepTheirDatesUntilOneIsTyped() async throws {
    let driver = try await Driver()
    try await driver.press("vv")
    let dates = driver.app.state.home.rows.map(\.due)
    try await driver.press("D<enter>")
    #expect(driver.shows("Type a date first, or none to remove all of them."))
    try await driver.press("<esc>")
    #expect(driver.app.state.home.rows.map(\.due) == dates)
    try await driver.press("Dnone<enter>")
    #expect(driver.app.state.home.rows.count { $0.due != nil } == dates.count { $0 != nil } - 2)
  }

  @Test func tabCompletesATag() async throws {
    let driver = try await Driver()
    try await driver.press("aPills<enter>e")
    while driver.app.state.reminderForm?.focus != .tags { try await driver.press("<tab>") }
    try await driver.press("he<tab>")
    #expect(driver.app.state.reminderForm?.focus == .tags)
    #expect(driver.app.state.reminderForm?[.tags].text == "#health ")
    try await driver.press("<tab>")
    #expect(driver.app.state.reminderForm?.focus != .tags)
  }

  @Test func notesOfMegabytesAreForAnEditor() async throws {
    let notes = String(repeating: "All work and no play. ", count: 40_000)
    let driver = try await Driver(sampleData: false) { database in
      let (list, _) = try await database.addList(title: "Plain", color: 0)
      _ = try await database.addReminder(ReminderDraft(title: "Novel", notes: notes, listID: list))
    }
    try await driver.press("e")
    #expect(driver.shows("These notes have 859 KB. ^E editor"), "\(driver.screen)")
    try await driver.press("<tab>x")
    #expect(driver.shows("unchanged"))
  }

  // MARK: - Messages

  @Test func deletingAListTellsHowManyRemindersGo() async throws {
    let driver = try await Driver()
    try await driver.press("gld")
    #expect(driver.shows("Deleted “Personal” with 7 reminders"))
  }

  @Test func anInvitationIsToldAtOnce() async throws {
    let driver = try await Driver(
      invitations: [ListInvitation(link: "share:1", sender: "ann", title: "Family")])
    await driver.report(.didFetchChanges)
    #expect(driver.shows("ann invites you to “Family”."))
    #expect(driver.lines[0].contains("1 invitation"))
    // It is told once.
    try await driver.press("j")
    await driver.pass(seconds: 10)
    await driver.report(.didFetchChanges)
    #expect(!driver.shows("invites you"))
    try await driver.press("P<enter>")
    #expect(driver.syncCalls.withLock { $0 }.last?.contains("accept") == true)
  }

  @Test func whetherSyncWasStoppedIsRemembered() async throws {
    let driver = try await Driver()
    #expect(driver.app.wantsSync)
    try await driver.press("s")
    #expect(try String(contentsOf: driver.optionsFile, encoding: .utf8) == "set sync off\n")
    let next = try await Driver(options: "set sync off\n")
    #expect(!next.app.wantsSync)
    let configured = try await Driver(settings: Settings("set sync off"))
    #expect(!configured.app.wantsSync)
  }

  @Test func theTabsOfTheSyncScreenStandApart() async throws {
    let driver = try await Driver(40, 12)
    try await driver.press("S2")
    try driver.expectScreen("sync-40x12")
  }

  @Test func eachOfSeveralSelectedGoesUpFromItsOwnPriority() async throws {
    let driver = try await Driver(sampleData: false) { database in
      _ = try await database.addReminders(
        [nil, .low, .medium].map { ReminderDraft(title: "Some", priority: $0) })
    }
    try await driver.press("V+")
    let priorities = Set(driver.app.state.home.rows.map(\.priority))
    #expect(priorities == [.low, .medium, .high])
    try await driver.press("u")
    #expect(Set(driver.app.state.home.rows.map(\.priority)) == [nil, .low, .medium])
  }

  @Test func aNumberBeforeFirstOrLastGoesToThatRow() async throws {
    let driver = try await Driver(sampleData: false) { database in
      _ = try await database.addReminders((1...9).map { ReminderDraft(title: "Row \($0)") })
    }
    let titles = driver.titles
    try await driver.press("5G")
    #expect(driver.current == titles[4])
    try await driver.press("3gg")
    #expect(driver.current == titles[2])
    try await driver.press("99G")
    #expect(driver.current == titles[8])
    try await driver.press("gg")
    #expect(driver.current == titles[0])
    try await driver.press("G")
    #expect(driver.current == titles[8])
  }

  @Test func theDuePromptSaysOnceWhatIsWrong() async throws {
    let driver = try await Driver()
    try await driver.press("Dblursday<enter>")
    #expect(driver.lines.count { $0.contains("blursday”") } == 1, "\(driver.screen)")
  }

  @Test func aTitleThatIsTooLongIsNotEdited() async throws {
    let driver = try await Driver(sampleData: false) { database in
      _ = try await database.addReminders([ReminderDraft(title: "Some")])
      try await database.writer.write {
        try $0.execute(sql: "UPDATE reminders SET title = printf('%.*c', 20000, 'x')")
      }
    }
    try await driver.press("e")
    #expect(driver.app.state.screens.isEmpty && driver.shows("too long to be edited"))
  }
}
