import RemindersCore
import RemindersTerminal
import Testing

@testable import RemindersUI

@MainActor
struct FormTests {
  @Test(arguments: [(80, 24), (100, 30)])
  func theFormShowsAllFields(columns: Int, rows: Int) async throws {
    let driver = try await Driver(columns, rows)
    try await driver.press("e")
    try driver.expectScreen("reminder-form-\(columns)x\(rows)")
  }

  @Test func onlyChangedFieldsAreWritten() async throws {
    let driver = try await Driver()
    let id = try #require(driver.app.state.home.currentRow?.id)
    try await driver.press("e now")
    // The same reminder changes elsewhere: another field.
    try await driver.elsewhere { _ = try await $0.editReminders([id], [.set(\.isFlagged, false)]) }
    try await driver.press("<c-s>")
    let row = try #require(driver.app.state.home.currentRow)
    #expect(row.title == "Dentist now")
    #expect(!row.isFlagged)
  }

  @Test func aRemoteChangeIsAnnouncedAndTypingStays() async throws {
    let driver = try await Driver()
    let id = try #require(driver.app.state.home.currentRow?.id)
    try await driver.press("e in town")
    try await driver.elsewhere {
      _ = try await $0.editReminders(
        [id], [.set(\.title, "Doctor"), .set(\.notes, "Bring nothing.")])
    }
    #expect(driver.shows("Dentist in town"))
    #expect(driver.shows("⇣ Title became “Doctor” elsewhere."))
    #expect(driver.shows("Bring nothing."))
    try driver.expectScreen("form-remote-change")
    try await driver.press("<c-r>")
    #expect(driver.app.state.reminderForm?[.title].text == "Doctor")
    #expect(driver.app.state.reminderForm?.theirs.isEmpty == true)
  }

  @Test func commasStandBetweenTags() {
    func tags(_ text: String, of known: [String] = []) -> [String] {
      FieldEditor.tags(in: text, of: known)
    }
    #expect(tags("home, garden,#x; y") == ["home", "garden", "x", "y"])
    #expect(tags("#a,b #c", of: ["a,b"]) == ["a,b", "c"], "another program has made it")
  }

  @Test func aReminderDeletedElsewhereIsAnnounced() async throws {
    let driver = try await Driver()
    let id = try #require(driver.app.state.home.currentRow?.id)
    try await driver.press("e!")
    try await driver.elsewhere { _ = try await $0.deleteReminders([id]) }
    #expect(driver.shows("This reminder was deleted elsewhere."))
    #expect(driver.app.state.reminderForm?[.title].text == "Dentist!")
    #expect(driver.shows("Saving brings it back, with what is here."))
    try await driver.press("<c-s>")
    #expect(driver.app.state.screens.isEmpty)
    #expect(driver.current == "Dentist!")
    // No engine keeps what was deleted: it is another one.
    #expect(driver.app.state.home.currentRow?.id != id)
  }

  @Test func aReminderWhoseListWasDeletedElsewhereIsSavedInAnother() async throws {
    let driver = try await Driver()
    let row = try #require(driver.app.state.home.currentRow)
    try await driver.press("e!")
    try await driver.elsewhere { _ = try await $0.deleteList(row.list.id) }
    #expect(try driver.line(with: "List ").contains("deleted elsewhere"))
    try await driver.press("<c-s>")
    #expect(driver.app.state.screens.isEmpty)
    #expect(driver.current == "Dentist!")
  }

  @Test func aListDeletedElsewhereIsSavedAsANewOne() async throws {
    let driver = try await Driver()
    try await driver.press("he!")
    let list = try #require(driver.app.state.listForm?.list)
    try await driver.elsewhere { _ = try await $0.deleteList(list.id) }
    try await driver.press("<c-s>")
    #expect(driver.app.state.screens.isEmpty)
    let found = driver.app.state.home.sidebar?.lists.first { $0.list.title == list.title + "!" }
    #expect(try #require(found).id != list.id)
  }

  @Test func leavingAChangedFormAsks() async throws {
    let driver = try await Driver()
    try await driver.press("e!<esc>")
    #expect(driver.shows("1 field changed and not saved."))
    try await driver.press("n")
    #expect(driver.app.state.reminderForm?[.title].text == "Dentist!")
    try await driver.press("<esc>y")
    #expect(driver.app.state.screens.isEmpty)
    #expect(driver.current == "Dentist")
  }

  @Test func leavingAnUnchangedFormDoesNotAsk() async throws {
    let driver = try await Driver()
    try await driver.press("e!<backspace><esc>")
    #expect(driver.app.state.screens.isEmpty)
  }

  @Test func everyFieldCanBeSet() async throws {
    let driver = try await Driver()
    try await driver.press("NFerry<tab>Two<enter>lines<tab><right><tab>25 dec 7:30<tab>")
    try await driver.press("10m before, 8am<tab>every year<tab>")
    try await driver.press(
      "<right><right><tab><space><tab>#fri<enter>sea<tab>https://ferry.example")
    try driver.expectScreen("form-new")
    try await driver.press("<c-s>glj<enter>ggjj")
    let details = try #require(driver.app.state.home.current?.details)
    let reminder = details.reminder
    #expect(reminder.title == "Ferry" && reminder.notes == "Two\nlines")
    #expect(details.list.title == "Family" && details.tags == ["friends", "sea"])
    #expect(reminder.due?.fullText(in: driver.app.state.time) == "Fri 25 Dec 2026 · 07:30")
    #expect(reminder.recurrence?.text(in: driver.app.state.time) == "every year on 25 Dec")
    #expect(reminder.alarms.map(\.stored) == ["-PT10M", "08:00"])
    #expect(reminder.priority == .medium && reminder.isFlagged)
    #expect(reminder.url == "https://ferry.example")
  }

  @Test func aRepeatFillsTheDueDateBeforeItIsSaved() async throws {
    let driver = try await Driver()
    try await driver.press("NGym<tab><tab><tab><c-x><tab><tab>")
    let due = { driver.app.state.reminderForm?[.due].text }
    try await driver.press("every mon")
    #expect(due() == "2026-11-23")
    try await driver.press(" 9am")
    #expect(due() == "2026-11-23 09:00" && driver.shows("Mon 23 Nov 2026 · 09:00"))
    // Not understood is not said.
    try await driver.press("x")
    #expect(due() == "")
    try await driver.press("<backspace> starting 7 dec<c-s>")
    let added = try #require(driver.app.state.home.currentRow)
    #expect(added.title == "Gym")
    #expect(added.due?.fullText(in: driver.app.state.time) == "Mon 7 Dec 2026 · 09:00")
    #expect(added.recurrence?.text(in: driver.app.state.time) == "every Mon")
  }

  @Test func aTypedDueDateCountsMoreThanTheRepeat() async throws {
    let driver = try await Driver()
    try await driver.press("NGym<tab><tab><tab><c-x>25 nov<tab><tab>every mon 9am")
    #expect(driver.app.state.reminderForm?[.due].text == "25 nov")
    #expect(driver.shows("The due date above counts. Empty it for Mon 23 Nov 09:00."))
    try await driver.press("<c-s>")
    let added = try #require(driver.app.state.home.currentRow)
    #expect(added.title == "Gym")
    #expect(added.due?.fullText(in: driver.app.state.time) == "Wed 25 Nov 2026")
  }

  @Test func anEmptiedDueDateIsThatOfTheRepeat() async throws {
    let driver = try await Driver()
    let due = { driver.app.state.reminderForm?[.due].text }
    try await driver.press("NGym<tab><tab><tab><c-x>25 nov<tab><tab>every mon 9am")
    try await driver.press("<s-tab><s-tab><c-x>")
    #expect(due() == "" && !driver.shows("The due date above counts"))
    try await driver.press("<tab>")
    #expect(due() == "2026-11-23 09:00")
    try await driver.press("<s-tab><c-x><c-s>")
    let added = try #require(driver.app.state.home.currentRow)
    #expect(added.due?.fullText(in: driver.app.state.time) == "Mon 23 Nov 2026 · 09:00")
  }

  @Test func aRepeatEndsWithItsDueDateWhichIsSaid() async throws {
    let driver = try await Driver()
    try await driver.press("NGym<tab><tab><tab><c-x><tab><tab>every mon<c-s>e<tab><tab><tab><c-x>")
    #expect(driver.shows("Without a due date it comes no more."))
    try await driver.press("<c-s>")
    #expect(driver.app.state.message?.text == "Changed “Gym”: no due, no repeat")
    let saved = try #require(driver.app.state.home.rows.first { $0.title == "Gym" })
    #expect(saved.due == nil && saved.recurrence == nil)
  }

  @Test func anotherRuleShowsItsFirstDateAndIsUndoneInOneStep() async throws {
    let driver = try await Driver()
    let before = try #require(driver.app.state.home.currentRow)
    try await driver.press("e<tab><tab><tab><tab><tab>every fri")
    #expect(driver.app.state.reminderForm?[.due].text == "2026-11-27 09:30")
    try await driver.press("<c-s>")
    let day = driver.app.state.home.rows.first { $0.id == before.id }?.due
    #expect(day?.fullText(in: driver.app.state.time) == "Fri 27 Nov 2026 · 09:30")
    try await driver.press("u")
    let after = driver.app.state.home.rows.first { $0.id == before.id }
    #expect(after?.due == before.due && after?.recurrence == nil)
  }

  @Test func aDueDateMovesByDays() async throws {
    let driver = try await Driver()
    try await driver.press("e<tab><tab><tab><up><up><up>")
    #expect(driver.app.state.reminderForm?[.due].text == "2026-11-22 09:30")
    try await driver.press("<c-x>")
    #expect(driver.app.state.reminderForm?[.due].text == "")
  }

  @Test func aTitleIsNeeded() async throws {
    let driver = try await Driver()
    try await driver.press("e<c-u><c-s>")
    #expect(driver.shows("A reminder needs a title."))
    #expect(driver.app.state.screens.count == 1)
  }

  @Test func notesGoThroughTheEditor() async throws {
    let driver = try await Driver()
    try await driver.press("e<tab><c-e>")
    #expect(driver.app.state.reminderForm?[.notes].text.hasSuffix("last year. edited") == true)
  }

  @Test func lettersInFieldsAreNoCommands() async throws {
    let driver = try await Driver()
    try await driver.press("e sSqu?")
    #expect(driver.app.state.reminderForm?[.title].text == "Dentist sSqu?")
    #expect(driver.syncCalls.withLock { $0 }.isEmpty)
  }

  // MARK: - Lists and tags

  @Test func aListIsMadeRenamedRecolouredAndDeleted() async throws {
    let driver = try await Driver()
    try await driver.press("AHiking<tab><right>")
    try driver.expectScreen("list-form")
    try await driver.press("<c-s>")
    #expect(driver.app.state.home.currentList?.title == "Hiking")
    #expect(driver.app.state.home.currentList?.color == ListColor.named[1].rgb)
    try await driver.press("he 2026<tab>102030<enter>")
    #expect(driver.app.state.home.currentList?.title == "Hiking 2026")
    #expect(driver.app.state.home.currentList?.color == 0x10_2030)
    try await driver.press("d")
    #expect(!driver.shows("Hiking 2026  "))
    try await driver.press("u")
    #expect(driver.app.state.home.sidebar?.lists.last?.list.title == "Hiking 2026")
  }

  @Test func aListNeedsAName() async throws {
    let driver = try await Driver()
    try await driver.press("A<c-s>")
    #expect(driver.shows("A list needs a name."))
  }

  @Test func listsMoveInTheirOrder() async throws {
    let driver = try await Driver()
    try await driver.press("hJ")
    #expect(
      driver.app.state.home.sidebar?.lists.map(\.list.title) == ["Family", "Personal", "Business"])
    #expect(driver.app.state.home.currentList?.title == "Personal")
  }

  @Test func aTagIsRenamedAndDeleted() async throws {
    let driver = try await Driver()
    try await driver.press("hGe<c-u>later<enter>")
    #expect(driver.app.state.home.sidebar?.tags.map(\.title).contains("later") == true)
    #expect(driver.app.state.home.sidebar?.tags.map(\.title).contains("sometime") == false)
    try await driver.press("glG")
    try await driver.press("d")
    #expect(driver.shows("u undo"))
  }

  /// A row of a list has the beginning of the notes; whoever saved that would lose the rest.
  @Test func notesAreEditedWhenAllOfThemIsKnown() async throws {
    let driver = try await Driver()
    let row = try #require(driver.app.state.home.currentRow)
    var form = ReminderForm(
      row.reminder.draft, of: row.id, in: driver.app.state.time, with: .current)
    form.focus = .notes
    form.type(try #require(Key.sequence("x")?.first), in: driver.app.state)
    form.paste("x", in: driver.app.state)
    #expect(form.changedFields(in: driver.app.state.time).isEmpty && !form.hasWholeNotes)
    try await driver.press("e<tab>x")
    #expect(driver.app.state.reminderForm?.hasWholeNotes == true && driver.shows("1 field changed"))
  }

  @Test func savingKeepsAllOfNotesThatAreTooLongToBeShown() async throws {
    let driver = try await Driver()
    let id = try #require(driver.app.state.home.currentRow?.id)
    let notes = String(repeating: "long ", count: 1 << 17)
    try await driver.elsewhere { _ = try await $0.editReminders([id], [.set(\.notes, notes)]) }
    try await driver.press("e now<tab>x")
    #expect(driver.shows("These notes have 640 KB."))
    try await driver.press("<c-s>")
    let saved = try driver.database.fetch(ReminderQuery(id))
    #expect(saved?.title == "Dentist now" && saved?.reminder.notes == notes)
  }

  @Test func smartListsCannotBeEdited() async throws {
    let driver = try await Driver()
    try await driver.press("hgge")
    #expect(driver.shows("Smart lists fill themselves."))
  }

  @Test func theListFormShowsTheFieldWithTheFocusOnTheSmallestScreen() async throws {
    let driver = try await Driver(60, 8)
    try await driver.press("A<tab><tab>")
    #expect(driver.shows("Cover"))
    let cursor = try #require(driver.device.frame?.cursor)
    #expect(driver.app.state.layout.body.contains(cursor))
  }

  /// The caret moves over the lines that are seen, however wide the form is.
  @Test(arguments: [(60, 20), (80, 24), (100, 30), (200, 60)])
  func caretStaysInItsColumnWhenItMovesOverWrappedLines(columns: Int, rows: Int) async throws {
    let driver = try await Driver(columns, rows)
    // Three lines, all of which are seen.
    let words = columns < 80 ? 12 : 18
    try await driver.press("NFerry<tab>" + String(repeating: "wrapped ", count: words))
    let end = try #require(driver.device.frame?.cursor)
    for row in 1...2 {
      try await driver.press("<up>")
      #expect(driver.device.frame?.cursor == end.moved(rows: -row))
    }
    try await driver.press("<down><down>")
    #expect(driver.device.frame?.cursor == end)
  }
}
