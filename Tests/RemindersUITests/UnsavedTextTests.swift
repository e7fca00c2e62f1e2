import Foundation
import RemindersCore
import RemindersTestSupport
import Testing

@testable import RemindersUI

/// What is typed survives a terminal that closes.
@MainActor
struct UnsavedTextTests {
  /// Ends the app from outside, and returns what it has kept.
  private func hangUp(_ driver: Driver) async throws -> UnsavedText {
    await driver.send(.hangup)
    #expect(driver.app.state.isQuitting)
    await driver.app.finish()
    return try UIEnvironment(unsavedDirectory: driver.unsavedDirectory).takeUnsavedText()
  }

  @Test func aFormIsOpenAgainWithWhatWasTyped() async throws {
    let first = try await Driver()
    let id = try #require(first.app.state.home.currentRow?.id)
    try await first.press("e in town<tab> Bring the card.")
    let kept = try await hangUp(first)
    let form = try #require(kept.forms.first)
    #expect(form.reminder == id)
    #expect(form.fields.keys.sorted() == ["notes", "title"])
    #expect(form.fields["notes"]?.hasSuffix("X-ray from last year. Bring the card.") == true)

    let second = try await Driver(unsaved: kept)
    #expect(second.shows("What you typed before the app was ended is here again."))
    #expect(second.shows("Dentist in town"))
    // What was not touched is what the reminder says, and nobody else has changed anything.
    #expect(second.app.state.reminderForm?.theirs == [:])
    #expect(second.app.state.reminderForm?[.due].text != "")
    try await second.press("<c-s>")
    #expect(second.current == "Dentist in town")
    #expect(second.app.state.home.currentRow?.id == id)
    #expect(second.app.state.home.currentRow?.reminder.notes == form.fields["notes"])
  }

  @Test func aFormOfAReminderThatIsGoneIsSavedAsANewOne() async throws {
    let first = try await Driver()
    try await first.press("e in town<tab> Bring the card.")
    let kept = try await hangUp(first)
    let gone = kept.forms.map {
      UnsavedText.Form(reminder: "gone", list: $0.list, fields: $0.fields)
    }
    let second = try await Driver(unsaved: UnsavedText(forms: gone))
    #expect(second.shows("This reminder was deleted elsewhere."))
    try await second.press("<tab> And cash.<c-s>")
    #expect(second.current == "Dentist in town")
    #expect(
      second.app.state.home.currentRow?.reminder.notes.hasSuffix(" Bring the card. And cash.")
        == true)
  }

  /// What was typed into a form, of a reminder that is gone, and what was typed there since.
  private func typedTwice(unsaved kept: UnsavedText, _ id: Reminder.ID) async throws -> Driver {
    let gone = kept.forms.map {
      UnsavedText.Form(reminder: id, list: $0.list, fields: $0.fields)
    }
    let driver = try await Driver(unsaved: UnsavedText(forms: gone))
    #expect(driver.shows("This reminder was deleted elsewhere."))
    try await driver.press("<c-u><tab> And cash.<tab><tab>tomorrow")
    return driver
  }

  @Test func whatIsTypedAfterARestartIsKeptAtTheNextOneToo() async throws {
    let first = try await Driver()
    try await first.press("e in town<tab> Bring the card.")
    let second = try await typedTwice(unsaved: try await hangUp(first), "gone")
    let form = try #require(try await hangUp(second).forms.first)
    #expect(form.reminder == "gone")
    #expect(form.fields.keys.sorted() == ["dueDate", "notes", "title"])
    #expect(form.fields["title"] == "")
    #expect(form.fields["dueDate"] == "tomorrow")
    #expect(form.fields["notes"]?.hasSuffix(" Bring the card. And cash.") == true)
  }

  @Test func whatIsTypedAfterARestartStaysWhereTheReminderComesBack() async throws {
    let first = try await Driver()
    try await first.press("e in town<tab> Bring the card.")
    let id = "11111111-2222-4333-8444-555555555555"
    let second = try await typedTwice(unsaved: try await hangUp(first), id)
    try await second.elsewhere { database in
      try await database.writer.write { db in
        try db.execute(
          sql: """
            INSERT INTO reminders (id, title, notes, priority, remindersListID)
            SELECT ?, 'Doctor', 'Bring nothing.', 3, min(id) FROM remindersLists
            """, arguments: [id])
      }
    }
    #expect(!second.shows("This reminder was deleted elsewhere."))
    let form = try #require(second.app.state.reminderForm)
    #expect(form[.title].text == "")
    #expect(form[.notes].text.hasSuffix(" Bring the card. And cash."))
    #expect(form[.due].text == "tomorrow")
    #expect(form[.priority].text == "high")
    #expect(form.changeCount(in: second.app.state.time) == 3)
  }

  @Test func whatWasEmptiedBeforeARestartIsAChangeStill() async throws {
    let form = UnsavedText.Form(
      reminder: "gone", list: nil, fields: ["title": "Doctor", "dueDate": ""])
    let driver = try await Driver(unsaved: UnsavedText(forms: [form]))
    let there = try #require(driver.app.state.reminderForm)
    #expect(there.changeCount(in: driver.app.state.time) == 2)
    guard case .saveDeleted(_, _, let edits) = try there.write(in: driver.app.state.time) else {
      Issue.record("it is not saved as one that was deleted")
      return
    }
    #expect(edits.count == 2)
  }

  @Test func aNewReminderInAFormIsThereAgain() async throws {
    let first = try await Driver()
    try await first.press("NBuy a map")
    let second = try await Driver(unsaved: try await hangUp(first))
    try await second.press("<c-s>")
    #expect(second.current == "Buy a map")
  }

  @Test func aLineIsThereForTheNextReminder() async throws {
    let first = try await Driver()
    try await first.press("aCall the plumber")
    let second = try await Driver(unsaved: try await hangUp(first))
    #expect(second.shows("What you typed for a new reminder before is still there."))
    try await second.press("a<enter>")
    #expect(second.titles.contains("Call the plumber"))
  }

  @Test func nothingIsKeptWhereNothingWasTyped() async throws {
    let driver = try await Driver()
    try await driver.press("e")
    #expect(try await hangUp(driver).isEmpty)
    #expect(!FileManager.default.fileExists(atPath: driver.unsavedDirectory.path))
  }

  /// Each is taken once, and a file that is something else is named and stays.
  @Test func severalWindowsKeepTheirOwn() throws {
    let directory = try TemporaryDirectory()
    let environment = UIEnvironment(unsavedDirectory: directory.url)
    for title in ["One", "Two"] {
      let form = UnsavedText.Form(reminder: nil, list: nil, fields: ["title": title])
      try environment.keep(UnsavedText(forms: [form]))
    }
    #expect(
      Set(try environment.takeUnsavedText().forms.map(\.fields)) == [
        ["title": "One"], ["title": "Two"],
      ])
    #expect(try environment.takeUnsavedText().isEmpty)
    try Data("{".utf8).write(to: directory.url.appending(path: "a.json"))
    #expect(throws: Problem.self) { try environment.takeUnsavedText() }
    #expect(FileManager.default.fileExists(atPath: directory.url.appending(path: "a.json").path))
  }
}
