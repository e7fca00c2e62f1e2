import Foundation
import SQLiteSync
import SQLiteSyncCloud
import Testing

@testable import RemindersCore

/// What is too long to be sent, or would not be read to its end, whichever way it comes in.
@Suite struct TextLimitTests {
  private let fixture: Fixture
  /// A text of which each character takes two bytes where it is sent.
  private let tooLong = String(repeating: "\"", count: longestNotes / 2 + 1)

  init() throws {
    fixture = try Fixture()
  }

  @Test func `what has the longest texts is sent`() async throws {
    let notes = String(tooLong.dropLast())
    let url = "https://" + String(repeating: "é", count: longestTitle - 8)
    let title = String(repeating: "\u{1}", count: longestTitle)
    let engine = try fixture.database.engine(
      for: CloudContainer(
        store: MemoryStore(), account: try #require(AccountID(name: "ann")),
        device: try fixture.database.fetch(SyncQuery()).device, app: "tests"))
    _ = try await fixture.database.addReminder(
      ReminderDraft(title: title, notes: notes, url: url))
    _ = try await fixture.database.addList(title: String(repeating: "\u{1}", count: longestTitle))
    try await engine.syncChanges()
    #expect(try fixture.database.fetch(SyncQuery()).counts == SyncCounts())
  }

  @Test func `longer ones are refused where they are entered`() async throws {
    let id = try await fixture.add("x")
    let long = ReminderDraft(title: "y", notes: tooLong)
    await #expect(throws: AppError.self) { try await fixture.database.addReminder(long) }
    #expect(throws: AppError.self) { try long.validate(in: berlin()) }
    let link = "https://" + String(repeating: "x", count: longestTitle)
    for edit in [ReminderEdit.set(\.notes, tooLong), .set(\.url, link)] {
      let error = await #expect(throws: AppError.self) {
        try await fixture.database.editReminders([id], [edit])
      }
      #expect(error?.hint?.isEmpty == false)
    }
    await #expect(throws: AppError.self) {
      try await fixture.database.saveSearch(titled: "s", query: link, in: berlin())
    }
    #expect(try fixture.details(id).notes.isEmpty)
  }

  @Test func `an import shortens them, and says so`() async throws {
    var batch = ImportBatch()
    batch.lists = [ImportBatch.List(id: "l", title: tooLong)]
    batch.items = [ImportBatch.Item(id: "y", draft: ReminderDraft(title: "y", notes: tooLong))]
    let result = try await fixture.database.addImported(batch, into: nil).result
    #expect(result.problems.count == 2)
    let notes = try fixture.details("y").notes
    #expect(notes.hasSuffix("\"…") && !notes.isLongerThanAnyNotes)
    #expect((notes + "\"\"").isLongerThanAnyNotes)
  }

  @Test(arguments: [
    ("a, b", ["a", "b"]), ("#p,#q", ["p", "q"]), ("x;", ["x"]),
    ("night out, ,y", ["night-out", "y"]),
  ])
  func `commas and semicolons separate tags`(typed: String, titles: [String]) throws {
    #expect(try Tag.titles(from: typed) == titles)
  }

  @Test func `NUL is replaced, so that nothing after it is lost`() async throws {
    let draft = ReminderDraft(title: "a\0b", notes: "li\0ne")
    let id = try await fixture.database.addReminder(draft).id
    #expect(try fixture.details(id).title == "a\u{FFFD}b")
    #expect(try fixture.details(id).notes == "li\u{FFFD}ne")
    _ = try await fixture.database.editReminders([id], [.set(\.notes, "\0")])
    #expect(try fixture.details(id).notes == "\u{FFFD}")
    let list = try await fixture.database.addList(title: "l\0m")
    #expect(list.undo.label == "Added “l\u{FFFD}m”")
    #expect(try fixture.database.fetch(ListsQuery()).map(\.title).contains("l\u{FFFD}m"))
    _ = try await fixture.database.saveSearch(titled: "s\0t", query: "u\0v", in: berlin())
    let search = try #require(try fixture.database.read { try SavedSearch.all($0) }.first)
    #expect(search.title == "s\u{FFFD}t" && search.query == "u\u{FFFD}v")
  }
}
