import Foundation
import GRDB
import Testing

@testable import RemindersCore

@Suite struct WritesTests {
  @Test func `each of several reminders goes up by one step from its own priority`() async throws {
    let fixture = try Fixture()
    let priorities: [Reminder.Priority?] = [nil, .low, .medium, .high]
    let ids = try await fixture.database.addReminders(
      priorities.map { ReminderDraft(title: "Some", priority: $0) }
    ).ids
    let before = try fixture.contents()
    let step = try await fixture.database.changePriority(ids, by: 1)
    #expect(try ids.map { try fixture.details($0).priority } == [.low, .medium, .high, .high])
    #expect(step.label == "Raised the priority of 4 reminders")
    _ = try await fixture.database.undo(step)
    #expect(try fixture.contents() == before)
    _ = try await fixture.database.changePriority(ids, by: -1)
    #expect(try ids.map { try fixture.details($0).priority } == [nil, nil, .low, .medium])
  }

  @Test func `alarms that go by the due date go with it, and come back with it`() async throws {
    let fixture = try Fixture()
    let moment = saturday.addingTimeInterval(3600)
    let id = try await fixture.database.addReminder(
      ReminderDraft(
        title: "Train", due: .moment(moment), alarms: [.offset(seconds: 600), .at(moment)])
    ).id
    let before = try fixture.contents()
    let step = try await fixture.database.editReminders([id], [.set(\.due, nil)])
    #expect(try fixture.details(id).alarms == [.at(moment)])
    _ = try await fixture.database.undo(step)
    #expect(try fixture.contents() == before)
  }

  @Test func `a subtask in another list than its parent is refused`() async throws {
    let fixture = try Fixture()
    let parent = try await fixture.add("Move")
    let other = try await fixture.database.addList(title: "Other").id
    let draft = ReminderDraft(title: "Boxes", listID: other, parentID: parent)
    let error = await #expect(throws: AppError.self) {
      try await fixture.database.addReminder(draft)
    }
    #expect(error?.kind == .invalidInput)
    let id = try await fixture.add("Boxes")
    await #expect(throws: AppError.self) {
      try await fixture.database.editReminders(
        [id], [.set(\.parentID, parent), .set(\.listID, other)])
    }
  }

  @Test func `a title that is too long to be told is told in part`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Walk")
    try fixture.execute("UPDATE reminders SET title = printf('%.*c', 100000, 'x')")
    #expect(try await fixture.database.setDone(true, [id]).label.count < 300)
  }

  @Test func `only reminders have notes with room for a long title`() async throws {
    let database = try Fixture().database
    let long = String(repeating: "x", count: 10_001)
    let list = await #expect(throws: AppError.self) { try await database.addList(title: long) }
    #expect(list?.reason.contains("a list has at most") == true && list?.hint == nil)
    let reminder = await #expect(throws: AppError.self) {
      try await database.addReminder(ReminderDraft(title: long))
    }
    #expect(reminder?.hint?.contains("notes") == true)
  }

  @Test func `the first reminder makes the list it needs`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Haircut")
    #expect(try fixture.details(id).list.title == "Personal")
    try await fixture.add("Groceries")
    #expect(try fixture.database.fetch(ListsQuery()).count == 1)
  }

  @Test func `a reminder keeps all that its draft says`() async throws {
    let fixture = try Fixture()
    let list = try await fixture.database.addList(title: "Family", color: 0xFF0000).id
    let due = try DueDate.parse("fri 9am", in: berlin())
    let id = try await fixture.database.addReminder(
      ReminderDraft(
        title: " Pack the\nbag ", notes: "towel\ngoggles", due: due, isFlagged: true,
        priority: .high, url: "https://example.org", listID: list, tags: ["#kids", "night out"])
    ).id
    let details = try fixture.details(id)
    #expect(
      details.reminder
        == Reminder(
          id: id,
          ReminderDraft(
            title: "Pack the bag", notes: "towel\ngoggles", due: due, isFlagged: true,
            priority: .high, url: "https://example.org", listID: list, tags: ["kids", "night-out"]),
          position: 1, createdAt: saturday, updatedAt: saturday))
    #expect(details.list.title == "Family")
    #expect(details.list.color == 0xFF0000)
    #expect(details.tags == ["kids", "night-out"])
  }

  @Test func `the table has every member of a draft`() {
    // Whether it is done is changed by what completes it, and is no field.
    let members = Mirror(reflecting: ReminderDraft()).children.filter { $0.label != "isDone" }.count
    #expect(Set(ReminderField.all).count == members && ReminderField.all.count == members)
  }

  @Test(arguments: ["", "  ", "\n\t"])
  func `an empty title is refused`(title: String) async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Haircut")
    let database = fixture.database
    await expect(.invalidInput) { try await database.addReminder(ReminderDraft(title: title)) }
    await expect(.invalidInput) { try await database.editReminders([id], [.set(\.title, title)]) }
    await expect(.invalidInput) { try await database.addList(title: title) }
    await expect(.invalidInput) { try await database.editReminders([id], [.addTags([title])]) }
  }

  @Test func `what does not exist is refused`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Haircut")
    let database = fixture.database
    await expect(.noSuchItem) { try await database.editReminders(["gone"], [.set(\.notes, "x")]) }
    await expect(.noSuchItem) { try await database.editReminders([id], [.set(\.listID, "gone")]) }
    await expect(.noSuchItem) { try await database.deleteReminders([id, "gone"]) }
    await expect(.noSuchItem) { try await database.toggleDone(["gone"]) }
    await expect(.noSuchItem) { try await database.moveReminder(id, .after, "gone") }
    await expect(.noSuchItem) { try await database.editList("gone", [.color(1)]) }
    await expect(.noSuchItem) { try await database.deleteList("gone") }
    await expect(.noSuchItem) { try await database.renameTag("gone", to: "here") }
    await expect(.noSuchItem) { try await database.deleteTag("gone") }
    #expect(try fixture.titles(.all) == ["Haircut"])
  }

  @Test func `an edit writes the fields it names and no others`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Haircut")
    try fixture.execute(
      """
      CREATE TABLE written (name TEXT);
      CREATE TRIGGER onTitle AFTER UPDATE OF title ON reminders
      BEGIN INSERT INTO written VALUES ('title'); END;
      CREATE TRIGGER onNotes AFTER UPDATE OF notes ON reminders
      BEGIN INSERT INTO written VALUES ('notes'); END;
      """)
    _ = try await fixture.database.editReminders([id], [.set(\.notes, "short")])
    let written = try await fixture.database.writer.read { db in
      try String.fetchAll(db, sql: "SELECT name FROM written")
    }
    #expect(written == ["notes"])
  }

  @Test func `an edit that changes nothing is none`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Haircut", tags: ["town"])
    fixture.clock.advance(by: 60)
    let step = try await fixture.database.editReminders(
      [id], [.set(\.title, "Haircut"), .set(\.tags, ["Town"]), .set(\.due, nil)])
    #expect(step.isEmpty)
    #expect(try fixture.details(id).reminder.updatedAt == saturday)
  }

  @Test func `a title keeps the spaces between its words`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("  a  b\n \tc ")
    #expect(try fixture.details(id).title == "a  b c")
    let step = try await fixture.database.editReminders([id], [.set(\.title, "d")])
    #expect(step.label == "Renamed “a  b c” to “d”")
  }

  @Test func `an alarm that goes by a due date is refused where there is none`() async throws {
    let fixture = try Fixture()
    let draft = ReminderDraft(title: "Call", alarms: [.offset(seconds: -600)])
    await #expect(throws: AppError.self) { try await fixture.database.addReminder(draft) }
    let id = try await fixture.add("Call")
    await #expect(throws: AppError.self) {
      try await fixture.database.editReminders([id], [.set(\.alarms, draft.alarms)])
    }
    let due = DueDate.moment(saturday.addingTimeInterval(6000))
    _ = try await fixture.database.editReminders(
      [id], [.set(\.alarms, draft.alarms), .set(\.due, due)])
    #expect(try fixture.details(id).alarms == draft.alarms)
  }

  @Test func `changing tags leaves the joins of those that stay`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Haircut", tags: ["town", "soon"])
    let before = try await joins(fixture)
    _ = try await fixture.database.editReminders([id], [.set(\.tags, ["soon", "later"])])
    let after = try await joins(fixture)
    #expect(try fixture.details(id).tags == ["later", "soon"])
    #expect(after["soon"] == before["soon"])
    _ = try await fixture.database.editReminders([id], [.addTags(["town"]), .removeTags(["SOON"])])
    #expect(try fixture.details(id).tags == ["later", "town"])
  }

  @Test func `a tag with an accent is one, whatever it was typed or pasted as`() async throws {
    let fixture = try Fixture()
    for (title, tag) in [("One", "caf\u{E9}"), ("Two", "cafe\u{301}")] {
      try await fixture.add(title, tags: [tag])
    }
    #expect(
      try fixture.database.fetch(SidebarQuery(time: berlin())).tags.map(\.openCount) == [2])
    #expect(try fixture.database.fetch(SearchQuery("#cafe\u{301}", time: berlin())).hits.count == 2)
  }

  @Test func `a tag that two devices added is shown once and removed at once`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Haircut", tags: ["town"])
    try fixture.execute(
      "INSERT INTO reminderTags (reminderID, tagTitle) VALUES ('\(id)', 'town')")
    #expect(try fixture.detail(.all).rows.map(\.tags) == [["town"]])
    #expect(try fixture.database.fetch(SidebarQuery(time: berlin())).tags.map(\.openCount) == [1])
    _ = try await fixture.database.editReminders([id], [.removeTags(["town"])])
    #expect(try fixture.details(id).tags == [])
  }

  @Test func `Space completes with a grace period and takes it back`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Haircut")
    #expect(try await fixture.database.toggleDone([id]).label == "Completed “Haircut”")
    #expect(try fixture.details(id).reminder.status == .completing)
    #expect(try fixture.titles(.all) == ["Haircut"])
    #expect(try await fixture.database.toggleDone([id]).label == "Reopened “Haircut”")
    #expect(try fixture.details(id).reminder.status == .incomplete)
    try await fixture.database.completeGrace([id])
    #expect(try fixture.details(id).reminder.status == .incomplete)
    _ = try await fixture.database.toggleDone([id])
    try await fixture.database.completeGrace([id])
    #expect(try fixture.details(id).reminder.status == .completed)
    #expect(try fixture.titles(.all) == [])
  }

  @Test func `what is done already stays as it is`() async throws {
    let fixture = try Fixture()
    let (one, two) = (try await fixture.add("One"), try await fixture.add("Two"))
    _ = try await fixture.database.setDone(true, [one])
    let before = try fixture.details(one).reminder
    fixture.clock.advance(by: 86_400)
    #expect(try await fixture.database.setDone(true, [one]).isEmpty)
    #expect(try fixture.details(one).reminder == before)
    let both = try await fixture.database.setDone(true, [one, two])
    #expect(both.label == "Completed “Two”")
    #expect(try await fixture.database.setDone(false, [one, two]).reminders.count == 2)
    #expect(try await fixture.database.setDone(false, [one, two]).isEmpty)
  }

  @Test func `Space on several completes those that are open`() async throws {
    let fixture = try Fixture()
    let one = try await fixture.add("One")
    let two = try await fixture.add("Two")
    _ = try await fixture.database.setDone(true, [one])
    _ = try await fixture.database.toggleDone([one, two])
    #expect(try fixture.details(one).reminder.status == .completed)
    #expect(try fixture.details(two).reminder.status == .completing)
  }

  @Test func `grace periods left over by an app that quit are ended`() async throws {
    let fixture = try Fixture()
    let old = try await fixture.add("Old")
    let new = try await fixture.add("New")
    _ = try await fixture.database.toggleDone([old])
    fixture.clock.advance(by: 5)
    _ = try await fixture.database.toggleDone([new])
    try await fixture.database.completeAbandonedGraces(
      begunBy: fixture.clock.now.addingTimeInterval(-5))
    #expect(try fixture.details(old).reminder.status == .completed)
    #expect(try fixture.details(new).reminder.status == .completing)
  }

  @Test func `a list goes with its reminders, and comes back with them`() async throws {
    let fixture = try Fixture()
    try await fixture.database.addSampleData(in: berlin())
    let list = try fixture.database.list(named: "Family")
    _ = try await fixture.database.editList(list.id, [.coverImage(CoverImage(Data([1, 2, 3])))])
    let before = try fixture.contents()
    let step = try await fixture.database.deleteList(list.id)
    #expect(step.label == "Deleted “Family” with 4 reminders")
    #expect(try fixture.titles(.list(list.id)).isEmpty)
    let redo = try await fixture.database.undo(step)
    #expect(try fixture.contents() == before)
    #expect(try fixture.database.fetch(CoverQuery(list.id))?.data == Data([1, 2, 3]))
    _ = try await fixture.database.undo(redo)
    #expect(throws: AppError.self) { try fixture.database.list(named: "Family") }
  }

  @Test func `a tag is renamed, merged into another, and deleted`() async throws {
    let fixture = try Fixture()
    let one = try await fixture.add("One", tags: ["town", "soon"])
    let two = try await fixture.add("Two", tags: ["town"])
    _ = try await fixture.database.renameTag("town", to: "City")
    #expect(try fixture.details(one).tags == ["City", "soon"])
    _ = try await fixture.database.renameTag("city", to: "city")
    #expect(try fixture.details(two).tags == ["city"])
    _ = try await fixture.database.renameTag("city", to: "SOON")
    #expect(try fixture.details(one).tags == ["soon"])
    #expect(try fixture.details(two).tags == ["soon"])
    _ = try await fixture.database.deleteTag("Soon")
    #expect(try fixture.details(one).tags == [])
    #expect(try fixture.database.fetch(SidebarQuery(time: berlin())).tags.isEmpty)
  }

  @Test func `a tag is not renamed to what is several where it is typed`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("One", tags: ["town", "of,another"])
    for several in ["a,b", "#a; #b", ",b"] {
      await expect(.invalidInput) { try await fixture.database.renameTag("town", to: several) }
    }
    #expect(try fixture.details(id).tags == ["of,another", "town"])
    // What another program has made is a tag all the same.
    _ = try await fixture.database.renameTag("town", to: "of,another")
    _ = try await fixture.database.renameTag("of,another", to: "Of,Another")
    #expect(try fixture.details(id).tags == ["Of,Another"])
    _ = try await fixture.database.renameTag("of,another", to: "mine")
    #expect(try fixture.details(id).tags == ["mine"])
  }

  private func joins(_ fixture: Fixture) async throws -> [String: String] {
    try await fixture.database.writer.read { db in
      let rows = try Row.fetchAll(db, sql: "SELECT tagTitle, id FROM reminderTags")
      return Dictionary(uniqueKeysWithValues: rows.map { ($0[0] as String, $0[1] as String) })
    }
  }

  private func expect<Value>(
    _ kind: AppError.Kind, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Value
  ) async {
    let error = await #expect(throws: AppError.self, sourceLocation: sourceLocation) {
      _ = try await body()
    }
    #expect(error?.kind == kind, sourceLocation: sourceLocation)
  }
}
