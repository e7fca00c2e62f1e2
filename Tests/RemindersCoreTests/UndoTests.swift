import Foundation
import GRDB
import RemindersTestSupport
import Testing

@testable import RemindersCore

@Suite struct UndoTests {
  @Test func `undo of a delete brings back id, tags and place`() async throws {
    let fixture = try Fixture()
    try await fixture.add("Before")
    let id = try await fixture.add("Haircut", due: .day(try day("2026-11-23")), tags: ["town"])
    try await fixture.add("After")
    let before = try fixture.contents()
    let step = try await fixture.database.deleteReminders([id])
    #expect(step.label == "Deleted “Haircut”")
    _ = try await fixture.database.undo(step)
    #expect(try fixture.contents() == before)
    #expect(
      try fixture.database.fetch(SearchQuery("haircut #town", time: berlin())).hits.count == 1)
  }

  @Test func `a step has the columns that its write changed, and of notes only what was changed`()
    async throws
  {
    let fixture = try Fixture()
    let ids = [try await fixture.add("Haircut"), try await fixture.add("Ferry")]
    _ = try await fixture.database.editReminders(ids, [.set(\.notes, "long")])
    let steps = [
      try await fixture.database.editReminders(ids, [.set(\.isFlagged, true)]),
      try await fixture.database.changePriority(ids, by: 1),
      try await fixture.database.setDone(true, ids),
      try await fixture.database.moveReminder(ids[1], .before, ids[0]),
    ]
    for step in steps + [try await fixture.database.undo(steps[0])] {
      #expect(!step.changes.isEmpty)
      for change in step.changes {
        guard case .updated(let before, let became) = change.kind else {
          Issue.record("\(step.label)")
          continue
        }
        #expect(before.count <= 2 && before["notes"] == nil && became["notes"] == nil)
      }
    }
    #expect(try ids.allSatisfy { try fixture.details($0).reminder.notes == "long" })
  }

  @Test func `undo leaves fields that somebody else changed since`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Haircut")
    let step = try await fixture.database.editReminders([id], [.set(\.title, "Barber")])
    _ = try await fixture.database.editReminders([id], [.set(\.notes, "short")])
    _ = try await fixture.database.undo(step)
    #expect(try fixture.details(id).reminder.title == "Haircut")
    #expect(try fixture.details(id).reminder.notes == "short")
  }

  @Test func `undo leaves a field that was edited since`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Haircut")
    let step = try await fixture.database.editReminders(
      [id], [.set(\.title, "Barber"), .set(\.notes, "short")])
    _ = try await fixture.database.editReminders([id], [.set(\.title, "Hairdresser")])
    let data = try JSONEncoder().encode(step)
    let redo = try await fixture.database.undo(JSONDecoder().decode(UndoStep.self, from: data))
    #expect(
      step.textWhenUndone(by: redo)
        == "Undone in part: \(step.label). Changed since, and left: title.")
    #expect(try fixture.details(id).reminder.title == "Hairdresser")
    #expect(try fixture.details(id).reminder.notes == "")
    _ = try await fixture.database.undo(redo)
    #expect(try fixture.details(id).reminder.notes == "short")
  }

  @Test func `what is left of what a write made is said`() throws {
    func inserted(_ keys: String...) -> [RowChange] {
      keys.compactMap { RowChange(RowID(.reminders, $0), before: nil, after: [:]) }
    }
    func deleted(_ keys: String...) -> [RowChange] {
      keys.compactMap { RowChange(RowID(.reminders, $0), before: [:], after: nil) }
    }
    let step = UndoStep(label: "Imported 2 reminders", changes: inserted("a", "b"))
    let whole = UndoStep(label: step.label, changes: deleted("a", "b"))
    #expect(step.textWhenUndone(by: whole) == "Undone: Imported 2 reminders")
    let part = UndoStep(label: step.label, changes: deleted("b"), keptCount: 1)
    #expect(
      step.textWhenUndone(by: part)
        == "Undone in part: Imported 2 reminders. 1 reminder was edited since, and is left.")
  }

  @Test func `undo of what was edited since changes nothing`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Haircut")
    let step = try await fixture.database.editReminders([id], [.set(\.title, "Barber")])
    _ = try await fixture.database.editReminders([id], [.set(\.title, "Hairdresser")])
    #expect(try await fixture.database.undo(step).isEmpty)
    #expect(try fixture.details(id).reminder.title == "Hairdresser")
  }

  /// By another process, of which the steps of this one know nothing.
  @Test(arguments: [
    "UPDATE reminders SET title = 'Final'", "UPDATE reminders SET notes = 'more'",
    "INSERT INTO reminderTags (id, reminderID, tagTitle) SELECT 'x', id, 'home' FROM reminders",
    "DELETE FROM reminderTags", "UPDATE reminders SET dueDate = '2026-12-01'",
  ])
  func `undo leaves a new reminder that was edited since`(edit: String) async throws {
    let fixture = try Fixture()
    try fixture.execute("INSERT INTO tags (title) VALUES ('home')")
    let step = try await fixture.database.addReminder(
      ReminderDraft(title: "Draft", tags: ["town"])
    ).undo
    let step2 = try JSONDecoder().decode(UndoStep.self, from: JSONEncoder().encode(step))
    try fixture.execute(edit)
    let edited = try fixture.contents()
    _ = try await fixture.database.undo(step2)
    // A tag that nothing has any more is not the reminder's.
    let isOfReminder = { (row: String) in !row.hasPrefix("tags: ") }
    #expect(try fixture.contents().filter(isOfReminder) == edited.filter(isOfReminder))
  }

  @Test func `undo of several leaves those that were edited, and says so`() async throws {
    let fixture = try Fixture()
    let step = try await fixture.database.addReminders(
      ["One", "Two", "Three"].map { ReminderDraft(title: $0) }
    ).undo
    try fixture.execute("UPDATE reminders SET notes = 'more' WHERE title = 'Two'")
    let inverse = try await fixture.database.undo(step)
    #expect(try fixture.titles(.all) == ["Two"])
    #expect(
      step.textWhenUndone(by: inverse)
        == "Undone in part: Added 3 reminders. 1 reminder was edited since, and is left.")
  }

  @Test func `undo leaves a list and a tag that others use since`() async throws {
    let fixture = try Fixture()
    let step = try await fixture.database.addReminder(
      ReminderDraft(title: "One", tags: ["town"])
    ).undo
    try await fixture.add("Other", tags: ["town"])
    _ = try await fixture.database.undo(step)
    #expect(try fixture.titles("#town") == ["Other"])
  }

  @Test func `undo leaves a new reminder with a subtask of somebody else`() async throws {
    let fixture = try Fixture()
    let (id, step) = try await fixture.database.addReminder(ReminderDraft(title: "Move"))
    _ = try await fixture.database.addReminder(ReminderDraft(title: "Boxes", parentID: id))
    #expect(try await fixture.database.undo(step).isEmpty)
    #expect(try fixture.titles(.all).count == 2)
  }

  @Test func `undo of what was edited and completed in between, each undone, leaves nothing`()
    async throws
  {
    let fixture = try Fixture()
    let (id, added) = try await fixture.database.addReminder(
      ReminderDraft(title: "Draft", tags: ["town"]))
    let edited = try await fixture.database.editReminders(
      [id], [.set(\.title, "Final"), .set(\.tags, ["home"])])
    let completed = try await fixture.database.toggleDone([id])
    try await fixture.database.completeGrace([id])
    for step in [completed, edited, added] { _ = try await fixture.database.undo(step) }
    #expect(try fixture.contents().isEmpty)
  }

  @Test func `undo is an edit of its own time`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Haircut")
    let step = try await fixture.database.editReminders([id], [.set(\.title, "Barber")])
    fixture.clock.advance(by: 60)
    _ = try await fixture.database.undo(step)
    #expect(
      try fixture.details(id).reminder.updatedAt == saturday.addingTimeInterval(60))
  }

  @Test func `undo of a delete brings back a tag that is gone`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Haircut", tags: ["town"])
    let step = try await fixture.database.deleteReminders([id])
    _ = try await fixture.database.deleteTag("town")
    _ = try await fixture.database.undo(step)
    #expect(try fixture.details(id).tags == ["town"])
  }

  @Test func `undo of sample data leaves nothing, and redo brings all of it`() async throws {
    let fixture = try Fixture()
    let step = try #require(try await fixture.database.addSampleData(in: berlin()))
    #expect(step.label == "Added sample data")
    let after = try fixture.contents()
    let redo = try await fixture.database.undo(step)
    #expect(try fixture.contents().isEmpty)
    _ = try await fixture.database.undo(redo)
    #expect(try fixture.contents() == after)
  }

  @Test func `undo of a delete in a list that is gone says so and changes nothing`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Haircut")
    let step = try await fixture.database.deleteReminders([id])
    try fixture.execute("DELETE FROM remindersLists")
    let error = await #expect(throws: AppError.self) { try await fixture.database.undo(step) }
    #expect(error?.kind == .noSuchItem)
    #expect(try fixture.contents().isEmpty)
  }

  @Test func `undo of a change to a row that is gone finds nothing to take back`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Haircut")
    let step = try await fixture.database.editReminders([id], [.set(\.title, "Barber")])
    _ = try await fixture.database.deleteReminders([id])
    #expect(try await fixture.database.undo(step).isEmpty)
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func `undoing everything in turn comes back to the beginning, and redo to the end`(
    seed: UInt64
  ) async throws {
    let fixture = try Fixture()
    try await fixture.database.addSampleData(in: berlin())
    var random = SplitMix64(seed: seed)
    var states = [try fixture.contents()]
    var steps: [UndoStep] = []
    for _ in 0..<40 {
      steps.append(try await randomWrite(fixture, &random))
      states.append(try fixture.contents())
    }
    for index in steps.indices.reversed() {
      steps[index] = try await fixture.database.undo(steps[index])
      #expect(try fixture.contents() == states[index], "seed \(seed), undoing write \(index)")
    }
    for index in steps.indices {
      _ = try await fixture.database.undo(steps[index])
      #expect(try fixture.contents() == states[index + 1], "seed \(seed), redoing write \(index)")
    }
  }

  private func randomWrite(
    _ fixture: Fixture, _ random: inout SplitMix64
  ) async throws -> UndoStep {
    let database = fixture.database
    let lists = try database.fetch(ListsQuery()).map(\.id)
    let rows = try fixture.detail(.all, completed: true).rows.map(\.id)
    let tags = try database.fetch(SidebarQuery(time: berlin())).tags.map(\.title)
    let title = "Title \(random.next() % 100)"
    guard let list = lists.randomElement(using: &random),
      let row = rows.randomElement(using: &random), let tag = tags.randomElement(using: &random),
      let other = rows.randomElement(using: &random)
    else { return try await database.addReminder(ReminderDraft(title: title, tags: ["new"])).undo }
    switch random.next() % 12 {
    case 0: return try await database.addReminder(ReminderDraft(title: title, tags: [tag])).undo
    case 1: return try await database.deleteReminders(Array(Set([row, other])))
    case 2:
      return try await database.editReminders(
        [row], [.set(\.title, title), .set(\.priority, .low)])
    case 3: return try await database.editReminders([row], [.set(\.tags, [tag, title])])
    case 4:
      return try await database.editReminders(
        [row, other], [.set(\.listID, list), .addTags([tag])])
    case 5: return try await database.toggleDone([row])
    case 6: return try await database.moveReminder(row, .after, other)
    case 7: return try await database.renameTag(tag, to: "tag \(random.next() % 5)")
    case 8: return try await database.deleteTag(tag)
    case 9: return try await database.addList(title: title, coverImage: CoverImage(Data([1]))).undo
    case 10 where lists.count > 2: return try await database.deleteList(list)
    default:
      let cover = CoverImage(Data([2]))
      return try await database.editList(list, [.title(title), .coverImage(cover)])
    }
  }

  @Test func whatAnAppIsAboutToCompleteIsOpenWhenTheCompletionIsUndone() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Haircut")
    _ = try await fixture.database.toggleDone([id])
    let step = try await fixture.database.setDone(true, [id])
    _ = try await fixture.database.undo(step)
    #expect(try fixture.details(id).status == .incomplete)
  }

  @Test func `a step that is kept takes no other's place, and may be gone already`() async throws {
    let fixture = try Fixture()
    let first = try await fixture.database.addReminder(ReminderDraft(title: "One")).undo
    let second = try await fixture.database.addReminder(ReminderDraft(title: "Two")).undo
    let file = UndoStepFile(fixture.directory.appending(path: "undo/1.json"))
    #expect(try file.add(first))
    #expect(try !file.add(second))
    #expect(try file.read(hint: "").label == first.label)
    try file.remove()
    try file.remove()
    #expect(try file.add(second))
  }
}
