import RemindersCore
import RemindersTerminal
import Testing

@testable import RemindersUI

@MainActor
struct ReminderCommandTests {
  // MARK: - Completing

  @Test func completingTakesFiveSeconds() async throws {
    let driver = try await Driver()
    try await driver.press("<space>")
    #expect(try driver.line(with: "Dentist  ").contains("◐"))
    #expect(driver.shows("done in 5 s · Space stops"))
    await driver.pass(seconds: 3)
    #expect(driver.shows("done in 2 s · Space stops"))
    await driver.pass(seconds: 2)
    #expect(!driver.titles.contains("Dentist"))
    #expect(driver.app.state.graces.isEmpty)
  }

  @Test func spaceStopsTheCompletion() async throws {
    let driver = try await Driver()
    try await driver.press("<space>")
    await driver.pass(seconds: 4)
    try await driver.press("<space>")
    await driver.pass(seconds: 60)
    #expect(driver.titles.first == "Dentist")
    #expect(driver.app.state.home.currentRow?.status == .incomplete)
  }

  @Test func anotherDevicesGracePeriodIsNotEndedHere() async throws {
    let driver = try await Driver()
    let id = try #require(driver.app.state.home.currentRow?.id)
    await driver.pass(seconds: 1)
    try await driver.elsewhere { _ = try await $0.toggleDone([id]) }
    await driver.pass(seconds: 60)
    #expect(driver.app.state.home.currentRow?.status == .completing)
  }

  @Test func theGracePeriodOfAnAppThatWasKilledIsEndedByTheNextOne() async throws {
    let driver = try await Driver(before: { database in
      let id = try database.reminderID(matching: "id-0004")
      _ = try await database.toggleDone([id])
    })
    #expect(driver.shows("◐"))
    await driver.pass(seconds: 4)
    #expect(driver.shows("◐"))
    await driver.pass(seconds: 1)
    #expect(!driver.shows("◐"))
  }

  @Test func quittingEndsTheGracePeriod() async throws {
    let driver = try await Driver()
    try await driver.press("<space>q")
    await driver.app.finish()
    #expect(driver.device.isClosed)
    let query = ReminderListQuery(.completed, time: driver.app.state.time)
    #expect(try driver.database.fetch(query).rows.contains { $0.title == "Dentist" })
  }

  @Test func aCloudThatDoesNotAnswerKeepsNobodyFromQuitting() async throws {
    let driver = try await Driver(isCloudSilent: true)
    try driver.device.press("Rq")
    await driver.app.finish()
    #expect(driver.device.isClosed)
  }

  // MARK: - Undo

  @Test func undoAndRedoGoBackAndForth() async throws {
    let driver = try await Driver()
    let before = driver.titles
    try await driver.press("dd")
    #expect(driver.titles == Array(before.dropFirst(2)))
    try await driver.press("uu")
    #expect(driver.titles == before)
    try await driver.press("UU")
    #expect(driver.titles == Array(before.dropFirst(2)))
    try await driver.press("U")
    #expect(driver.shows("Nothing to redo."))
  }

  @Test func aNewChangeEndsRedo() async throws {
    let driver = try await Driver()
    try await driver.press("fuj+U")
    #expect(driver.shows("Nothing to redo."))
  }

  @Test func keysThatComeTooFastActInTurn() async throws {
    let driver = try await Driver()
    let before = driver.titles
    // Nobody waits for the writes in between.
    try driver.device.press("dddu")
    await driver.app.settled()
    #expect(driver.titles == Array(before.dropFirst(2)))
  }

  // MARK: - Fields

  @Test func plusAndMinusGoThroughThePriorities() async throws {
    let driver = try await Driver()
    try await driver.press("j+")
    #expect(driver.app.state.home.currentRow?.priority == .low)
    try await driver.press("++")
    #expect(driver.app.state.home.currentRow?.priority == .high)
    try await driver.press("+")
    #expect(driver.shows("The priority is high already."))
    try await driver.press("---")
    #expect(driver.app.state.home.currentRow?.priority == nil)
  }

  @Test func aFlagIsSetAndTakenOff() async throws {
    let driver = try await Driver()
    try await driver.press("f")
    #expect(driver.app.state.home.currentRow?.isFlagged == false)
    try await driver.press("f")
    #expect(driver.app.state.home.currentRow?.isFlagged == true)
  }

  @Test func aDueDateIsTypedInPlainLanguage() async throws {
    let driver = try await Driver()
    try await driver.press("Dtomorrow")
    #expect(driver.shows("Sun 22 Nov 2026   tomorrow"))
    try driver.expectScreen("due-prompt")
    try await driver.press("<enter>")
    #expect(driver.current == "Dentist")
    #expect(try driver.line(with: "Dentist  ").contains("tomorrow"))
  }

  @Test func anUnknownDateIsRefusedAndStays() async throws {
    let driver = try await Driver()
    try await driver.press("Dblursday<enter>")
    #expect(driver.shows("blursday"))
    #expect(driver.app.state.screens.count == 1)
    try await driver.press("<esc>")
    #expect(driver.app.state.screens.isEmpty)
  }

  @Test func tagsAreSwitchedAndMade() async throws {
    let driver = try await Driver()
    try await driver.press("tkid<space><space>fri<space>new<space>")
    try driver.expectScreen("tag-picker")
    try await driver.press("<enter>")
    #expect(driver.app.state.home.currentRow?.tags == ["friends", "health", "new"])
  }

  @Test func aWordAndEnterPutsATagOn() async throws {
    let driver = try await Driver()
    try await driver.press("tkids<enter>")
    #expect(driver.app.state.home.currentRow?.tags == ["health", "kids"])
  }

  @Test func enterSwitchesTheTagUnderTheCursor() async throws {
    let driver = try await Driver()
    try await driver.press("t<down><enter>")
    let tags = try #require(driver.app.state.home.sidebar?.tags.map(\.title))
    let row = try #require(driver.app.state.home.currentRow)
    #expect(Set(row.tags) == Set(["health"]).symmetricDifference([tags[1]]))
    try await driver.press("t<down><space><down><enter>")
    #expect(driver.app.state.home.currentRow?.tags == ["health"], "what was switched is all")
  }

  @Test func commasStandBetweenTags() async throws {
    let driver = try await Driver()
    try await driver.press("tone, kids<enter>")
    #expect(driver.app.state.home.currentRow?.tags == ["health", "kids", "one"])
  }

  @Test func aReminderMovesToAnotherList() async throws {
    let driver = try await Driver()
    try await driver.press("mfam<enter>")
    #expect(!driver.titles.contains("Dentist"))
    try await driver.press("glj<enter>")
    #expect(driver.titles.contains("Dentist"))
  }

  @Test func aSelectionMakesACommandForSeveral() async throws {
    let driver = try await Driver()
    try await driver.press("vv")
    #expect(driver.shows("2 selected"))
    try await driver.press("d")
    #expect(!driver.shows("Dentist") && !driver.titles.contains("Haircut"))
    try await driver.press("u")
    #expect(driver.titles.contains("Dentist") && driver.titles.contains("Haircut"))
  }

  @Test func remindersMoveInTheManualOrder() async throws {
    let driver = try await Driver()
    try await driver.press("J")
    #expect(driver.shows("Only in the manual order: o chooses it."))
    try await driver.press("oman<enter>gg")
    let before = driver.titles
    try await driver.press("J")
    #expect(driver.titles == [before[1], before[0]] + before.dropFirst(2))
    #expect(driver.current == before[0])
  }

  @Test func titlesAreCopied() async throws {
    let driver = try await Driver()
    try await driver.press("vvy")
    #expect(driver.device.copied == ["Dentist\nHaircut"])
  }

  @Test func anEmptyListRefusesWithAReason() async throws {
    let driver = try await Driver(sampleData: false)
    try await driver.press("<space>")
    #expect(driver.shows("There is no reminder here."))
  }

  @Test func completedRemindersAreClearedByHowLongTheyWereLeftAlone() async throws {
    let driver = try await Driver()
    try await driver.press("gtX")
    #expect(driver.shows("Nothing is completed here."))
    try await driver.press("gcX")
    #expect(try driver.line(with: "All that are completed").contains("3 reminders"))
    #expect(try driver.line(with: "Unchanged for 30 days").contains("0 reminders"))
    try await driver.press("<esc>")
    #expect(driver.titles.count == 3)
    await driver.pass(seconds: 40 * 86_400)
    let last = try #require(driver.app.state.home.rows.last?.id)
    try await driver.elsewhere { _ = try await $0.editReminders([last], [.set(\.isFlagged, true)]) }
    try await driver.press("X")
    #expect(try driver.line(with: "Unchanged for 30 days").contains("2 reminders"))
    try await driver.press("<down><enter>")
    #expect(driver.app.state.home.rows.map(\.id) == [last])
    try await driver.press("u")
    #expect(driver.titles.count == 3)
  }

  @Test func allCompletedResultsOfASearchAreCleared() async throws {
    let driver = try await Driver()
    let before = try driver.database.fetch(
      ReminderListQuery(.completed, time: driver.app.state.time))
    let title = try #require(before.rows.first?.title)
    try await driver.press("/")
    await driver.send(.paste(title))
    try await driver.press("<enter>X<enter>")
    #expect(driver.shows("Deleted “\(title)”"))
    try await driver.press("u")
    let after = try driver.database.fetch(
      ReminderListQuery(.completed, time: driver.app.state.time))
    #expect(after == before)
  }

  @Test func typedWordsBecomeTokensAndComeOffAgain() async throws {
    let driver = try await Driver()
    try await driver.press("/#hea<tab>")
    #expect(try driver.line(with: "⟨#health⟩").contains("/"))
    #expect(driver.shows("2 open"))
    try await driver.press("night<tab>ask<tab>")
    #expect(driver.shows("⟨#health⟩ ⟨near: night ask⟩"))
    #expect(driver.shows("1 open"))
    try await driver.press("<backspace><backspace>")
    #expect(driver.shows("2 open"))
    try await driver.press("<backspace>")
    #expect(driver.shows("Type what you remember of it."))
    try await driver.press("#nothing<tab>")
    #expect(driver.shows("There is no tag “#nothing”."))
  }

  @Test func whatWasSaidCanBeReadAndCopiedLater() async throws {
    let driver = try await Driver()
    try await driver.press("gm")
    #expect(driver.shows("No messages yet."))
    try await driver.press("fd")
    await driver.pass(seconds: 10)
    #expect(!driver.lines[28].contains("Deleted"))
    try await driver.press("gm")
    #expect(try driver.line(with: "Deleted “Dentist”").contains("14:32:00"))
    try await driver.press("<enter>")
    #expect(driver.device.copied == ["Deleted “Dentist”"])
  }

  // MARK: - Adding

  @Test func aLineAddsAReminderWithDateTagsAndPriority() async throws {
    let driver = try await Driver()
    try await driver.press("aWater the plants on mon 9am #home !!")
    try driver.expectScreen("quick-add")
    try await driver.press("<enter>")
    let row = try #require(driver.app.state.home.currentRow)
    #expect(row.title == "Water the plants")
    #expect(row.tags == ["home"] && row.priority == .medium)
    #expect(row.due?.fullText(in: driver.app.state.time) == "Mon 23 Nov 2026 · 09:00")
  }

  @Test func whatIsAddedInASmartListBelongsToIt() async throws {
    let driver = try await Driver()
    try await driver.press("gtaBread<enter>")
    #expect(driver.current == "Bread")
    try await driver.press("gfaMilk<enter>")
    #expect(driver.current == "Milk")
  }

  @Test func aPasteBecomesAReminderAndNeverCommands() async throws {
    let driver = try await Driver()
    let before = driver.titles
    await driver.send(.paste("ddq"))
    #expect(driver.titles == before)
    try await driver.press("<enter>")
    #expect(driver.current == "ddq")
  }

  @Test func pastedLinesBecomeRemindersAfterAQuestion() async throws {
    let driver = try await Driver(sampleData: false)
    await driver.send(.paste("Bread\n\n  Milk\nq\n"))
    #expect(driver.shows("Add 3 reminders?"))
    try await driver.press("y")
    #expect(driver.titles == ["Bread", "Milk", "q"])
    #expect(driver.shows("Added 3 reminders"))
    try await driver.press("u")
    #expect(driver.titles == [])
  }

  @Test func `enter adds what was pasted, and a list that is not there is said`() async throws {
    let driver = try await Driver(sampleData: false)
    await driver.send(.paste("Bread @Nope\nMilk @Other\nEggs @Nope"))
    #expect(driver.shows("There are no lists Nope, Other"))
    try await driver.press("<esc>")
    await driver.send(.paste("Bread @Nope\nMilk\n"))
    #expect(driver.shows("There is no list Nope"))
    try await driver.press("<enter>")
    #expect(driver.titles == ["Bread @Nope", "Milk"])
  }

  @Test func aPastedLineWithoutATitleIsRefusedWithAllOthers() async throws {
    let driver = try await Driver(sampleData: false)
    await driver.send(.paste("Bread\n#only\n"))
    #expect(driver.shows("A reminder needs a title: #only") && !driver.shows("Add 2 reminders?"))
  }

  @Test func linesPastedIntoALineBecomeRemindersToo() async throws {
    let driver = try await Driver(sampleData: false)
    try await driver.press("aBuy ")
    await driver.send(.paste("bread\nMilk #home\n"))
    #expect(driver.shows("Add 2 reminders?"))
    try await driver.press("<esc>")
    #expect(!driver.shows("Add 2 reminders?") && driver.shows("Buy "))
    await driver.send(.paste("bread\nMilk #home\n"))
    try await driver.press("y")
    #expect(driver.titles == ["Buy bread", "Milk"])
    // A line with its end is a line.
    try await driver.press("a")
    await driver.send(.paste("Tea\n"))
    try await driver.press("<enter>")
    #expect(driver.current == "Tea")
  }

  @Test func aListThatIsNotThereIsSaidBeforeTheReminderIsAdded() async throws {
    let driver = try await Driver()
    try await driver.press("aCall @Nobody")
    #expect(driver.shows("no list Nobody"))
    try await driver.press("<enter>")
    #expect(driver.current == "Call @Nobody")
  }

  @Test func aLongTitleHidesNothingOfWhatIsUnderstood() async throws {
    let driver = try await Driver(80, 24)
    let title = String(repeating: "word ", count: 30)
    try await driver.press("a")
    await driver.send(.paste(title + "every fri 9am #home !! @Family"))
    #expect(driver.shows("due Fri 27 Nov 2026 · 09:00  every Fri  @Family  !!  #home"))
    #expect(driver.shows("─ Family ─╮"))
  }

  /// `#party` has the letters of `art`, but is not meant by it.
  @Test func enterPutsOnTheTagThatIsTyped() async throws {
    let driver = try await Driver(sampleData: false)
    try await driver.press("aBread #fortnight #night #party<enter>")
    try await driver.press("tnight<enter>")
    #expect(driver.app.state.home.currentRow?.tags == ["fortnight", "night", "party"])
    try await driver.press("aMilk<enter>tnight<enter>")
    #expect(driver.app.state.home.currentRow?.tags == ["night"])
    try await driver.press("tart<enter>")
    #expect(driver.app.state.home.currentRow?.tags == ["art", "night"])
    // A tag that the cursor was moved to is switched.
    try await driver.press("tnig<down><up><enter>")
    #expect(driver.app.state.home.currentRow?.tags == ["art"])
  }

  @Test func whatIsForOneReminderTellsThatSeveralAreSelected() async throws {
    let driver = try await Driver()
    try await driver.press("vvj")
    try await driver.press("v")
    for key in ["e", "H", "O"] {
      try await driver.press(key)
      #expect(driver.shows("Several are selected: Esc deselects them."))
    }
  }

  @Test func theFirstReminderMakesAList() async throws {
    let driver = try await Driver(sampleData: false)
    try await driver.press("aBread<enter>")
    #expect(driver.current == "Bread")
    #expect(driver.app.state.home.currentList?.title == "Personal")
  }
}
