import Foundation
import GRDB
import Testing

@testable import RemindersCore

/// Reminders that are parts of others.
@Suite struct SubtaskTests {
  private let fixture: Fixture
  private let list: RemindersList.ID
  private var database: AppDatabase { fixture.database }

  init() async throws {
    fixture = try Fixture()
    list = try await fixture.database.addList(title: "Home").id
  }

  private func add(_ title: String, in parent: Reminder.ID? = nil) async throws -> Reminder.ID {
    try await database.addReminder(
      ReminderDraft(title: title, listID: list, parentID: parent)
    ).id
  }

  /// The reminders of the list, parts indented, with how many parts are done.
  private func lines(completed: Bool = true) throws -> [String] {
    try fixture.detail(.list(list), completed: completed).rows.map { row in
      (row.isUnderParent ? "- " : "") + row.title + (row.status == .incomplete ? "" : " done")
        + (row.subtasks.map { " \($0.done)/\($0.total)" } ?? "")
    }
  }

  @Test func `parts stand below what they are part of`() async throws {
    let trip = try await add("Trip")
    _ = try await add("Other")
    let bag = try await add("Bag", in: trip)
    _ = try await add("Ticket", in: trip)
    #expect(try lines() == ["Trip 0/2", "- Bag", "- Ticket", "Other"])
    _ = try await database.editReminders([bag], [.set(\.due, .day(berlin().today))])
    #expect(try lines() == ["Trip 0/2", "- Bag", "- Ticket", "Other"])
    let today = try fixture.detail(.today).rows
    #expect(today.map(\.title) == ["Bag"] && today[0].parentTitle == "Trip")
    let groups = try fixture.detail(.list(list)).groups(in: berlin())
    #expect(groups.map(\.urgency) == [.noDate])
    _ = try await database.setDone(true, [bag])
    #expect(try lines(completed: false) == ["Trip 1/2", "- Ticket", "Other"])
  }

  @Test func `parts are completed and deleted with it, and one undo takes it back`() async throws {
    let trip = try await add("Trip")
    for title in ["Bag", "Ticket"] { _ = try await add(title, in: trip) }
    let before = try fixture.contents()
    let done = try await database.setDone(true, [trip])
    #expect(try lines() == ["Trip done 2/2", "- Bag done", "- Ticket done"])
    _ = try await database.undo(done)
    #expect(try fixture.contents() == before)
    let toggled = try await database.toggleDone([trip])
    try await database.completeGrace([trip])
    #expect(try lines() == ["Trip done 2/2", "- Bag done", "- Ticket done"])
    _ = try await database.undo(toggled)
    #expect(try fixture.contents() == before)
    let deleted = try await database.deleteReminders([trip])
    #expect(deleted.label == "Deleted “Trip” with 2 subtasks")
    #expect(try lines() == [])
    _ = try await database.undo(deleted)
    #expect(try fixture.contents() == before)
  }

  @Test func `parts go along to another list, and one alone is ordinary there`() async throws {
    let trip = try await add("Trip")
    let bag = try await add("Bag", in: trip)
    let other = try await database.addList(title: "Family").id
    let moved = try await database.editReminders([trip], [.set(\.listID, other)])
    #expect(try fixture.details(bag).list.title == "Family")
    #expect(try fixture.details(bag).parentTitle == "Trip")
    _ = try await database.undo(moved)
    #expect(try lines() == ["Trip 0/1", "- Bag"])
    _ = try await database.editReminders([bag], [.set(\.listID, other)])
    #expect(try fixture.details(bag).parentTitle == nil && fixture.details(trip).subtasks == nil)
    _ = try await database.editReminders([bag], [.set(\.parentID, trip)])
    #expect(try lines() == ["Trip 0/1", "- Bag"])
  }

  @Test func `there is one level`() async throws {
    let trip = try await add("Trip")
    let bag = try await add("Bag", in: trip)
    let other = try await add("Other")
    for (id, parent) in [(other, bag), (trip, other), (other, other), (other, "gone")] {
      await #expect(throws: AppError.self) {
        try await database.editReminders([id], [.set(\.parentID, parent)])
      }
    }
    await #expect(throws: AppError.self) { try await add("Sock", in: bag) }
    // What other devices made of it hides nothing.
    try fixture.execute("UPDATE reminders SET parentID = \'\(bag)\' WHERE title = \'Trip\'")
    #expect(try lines() == ["Trip", "Bag", "Other"])
    try fixture.execute("UPDATE reminders SET parentID = \'gone\' WHERE title = \'Bag\'")
    #expect(try lines() == ["Trip", "Bag", "Other"])
  }

  @Test func `parts are open again when their parent comes again`() async throws {
    let trip = try await add("Trip")
    let bag = try await add("Bag", in: trip)
    _ = try await database.editReminders(
      [trip], [.set(\.recurrence, Recurrence(.daily, continuation: .next))])
    _ = try await database.setDone(true, [bag])
    let before = try fixture.contents()
    let done = try await database.setDone(true, [trip])
    #expect(try lines() == ["Trip 0/1", "- Bag", "Trip done"])
    _ = try await database.undo(done)
    #expect(try fixture.contents() == before)
  }

  @Test func `clearing what is completed leaves open parts alone`() async throws {
    let trip = try await add("Trip")
    _ = try await add("Bag", in: trip)
    try fixture.execute("UPDATE reminders SET status = 2 WHERE title = \'Trip\'")
    _ = try await database.clearCompleted(.list(.list(list)), leftAloneFor: .any, in: berlin())
    #expect(try lines() == ["Bag"])
  }
}
