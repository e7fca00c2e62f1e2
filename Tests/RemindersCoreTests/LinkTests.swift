import Foundation
import Testing

@testable import RemindersCore

/// What may be the link of a reminder, and what a row shows of it.
@Suite struct LinkTests {
  @Test(arguments: [
    ("https://www.example.org/a?b#c", "example.org"),
    ("http://me@example.org:8080", "example.org:8080"),
    ("HTTPS://example.org", "example.org"), ("mailto:ann@example.org?subject=x", "ann@example.org"),
    ("tel:+4144", "tel:+4144"), ("message://x", "message://x"),
  ])
  func `a link has a scheme`(text: String, label: String) {
    #expect(Link.isValid(text))
    #expect(Link.label(of: text) == label)
  }

  @Test(arguments: [
    "not a url", "example.org", "https://", "https:example", "mailto:", ":x", "1a:x", "https://a b",
    "https://a\u{1B}[31m", "http:///path", "https://\u{202E}evil",
    "javascript:alert(1)", "Data:text/html,x",
  ])
  func `anything else is none`(text: String) {
    #expect(!Link.isValid(text))
    #expect(throws: AppError.self) { try Link.validate(text) }
  }

  @Test func `what nobody sees is shown where a link is refused`() throws {
    let error = #expect(throws: AppError.self) { try Link.validate("http://x\n\u{1B}") }
    #expect(error?.reason == "“http://x\\n\\u{1B}” is not a link.")
  }

  @Test func `what is no link is refused, and kept in the notes by an import`() async throws {
    let fixture = try Fixture()
    await #expect(throws: AppError.self) {
      try await fixture.database.addReminder(ReminderDraft(title: "x", url: "not a url"))
    }
    let id = try await fixture.add("x")
    await #expect(throws: AppError.self) {
      try await fixture.database.editReminders([id], [.set(\.url, "not a url")])
    }
    var batch = ImportBatch()
    batch.items = [
      ImportBatch.Item(
        id: "y", draft: ReminderDraft(title: "y", notes: "n", url: "see the fridge"))
    ]
    _ = try await fixture.database.addImported(batch, into: nil)
    let imported = try fixture.details("y")
    #expect(imported.url == nil && imported.notes == "n\nLink: see the fridge")
  }

  @Test func `reminders are found by what they have`() async throws {
    let fixture = try Fixture()
    let parent = try await fixture.add("plain")
    _ = try await fixture.database.addReminder(
      ReminderDraft(title: "linked", url: "https://example.org"))
    let alarm = try Alarm.parse("10m before", isDue: true, in: berlin())
    _ = try await fixture.database.addReminder(
      ReminderDraft(title: "rings", due: .day(berlin().today), alarms: [alarm]))
    _ = try await fixture.database.addReminder(ReminderDraft(title: "part", parentID: parent))
    #expect(try fixture.titles("has:link") == ["linked"])
    #expect(try fixture.titles("has:alarms") == ["rings"])
    #expect(try fixture.titles("has:subtasks") == ["plain"])
    #expect(try fixture.titles("has:repeat").isEmpty)
  }
}

/// Titles and tags in the order of the alphabet, whatever their letters.
@Suite struct AlphabetTests {
  @Test func `Ärzte come before Zoo, in a list, a search and on the command line`() async throws {
    let fixture = try Fixture()
    for title in ["Zoo", "Ärzte", "banane", "ähre", "Arm"] {
      try await fixture.add(title, tags: [title])
    }
    let sorted = ["ähre", "Arm", "Ärzte", "banane", "Zoo"]
    #expect(try fixture.titles(.all, sort: .title) == sorted)
    #expect(
      try fixture.detail(.all, sort: .title, window: RowWindow(start: 1, count: 3)).rows
        .map(\.title) == Array(sorted[1...3]))
    #expect(try fixture.titles("-nothing", sort: .title) == sorted)
    let search = SearchQuery("r", sort: .title, time: berlin())
    #expect(try fixture.database.fetch(search).hits.map(\.row.title) == ["ähre", "Arm", "Ärzte"])
    #expect(try fixture.database.fetch(SidebarQuery(time: berlin())).tags.map(\.title) == sorted)
  }

  @Test func `a single reminder can be muted`() async throws {
    let time = berlin()
    let due = DueDate.at(time.today, minutes: 20 * 60, in: time)
    func schedule(_ alarms: [Alarm]) -> AnnouncementSchedule {
      let item = AnnouncementSchedule.Item(id: "x", title: "x", due: due, alarms: alarms)
      return AnnouncementSchedule([item], notices: [:], rules: .standard, in: time)
    }
    #expect(schedule([]).next(after: time.now) != nil)
    #expect(schedule([.never]).next(after: time.now) == nil)
    #expect(Alarm(stored: "never") == .never && Alarm.never.stored == "never")
  }
}
