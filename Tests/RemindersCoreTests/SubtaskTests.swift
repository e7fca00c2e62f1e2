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
    #expect(try lines() == ["Trip 0/1", "- Bag", "Trip done 1/1", "- Bag done"])
    _ = try await database.undo(done)
    #expect(try fixture.contents() == before)
  }

  /// A trip on Saturday, what is due on the days around it, and what was done of it.
  private func weeklyTrip() async throws -> (trip: Reminder.ID, parts: [Reminder.ID]) {
    let trip = try await add("Trip")
    _ = try await database.editReminders(
      [trip],
      [
        .set(\.due, .day(try day("2026-11-21"))),
        .set(\.recurrence, Recurrence(.weekly, continuation: .next)),
      ])
    var parts: [Reminder.ID] = []
    for (title, due) in [("Bag", "2026-11-19"), ("Call", "2026-11-22T08:00:00Z"), ("Map", nil)] {
      let part = try await add(title, in: trip)
      _ = try await database.editReminders([part], [.set(\.due, DueDate(stored: due))])
      parts.append(part)
    }
    _ = try await database.editReminders([parts[0]], [.addTags(["pack"])])
    return (trip, parts)
  }

  private func dues(_ completed: Bool) throws -> [String] {
    try fixture.detail(.list(list), completed: true).rows.filter {
      ($0.status == .completed) == completed
    }.map { row in
      "\(row.title) \(row.due?.stored ?? "-") in \(row.parentTitle ?? "-")"
        + row.tags.map { " #\($0)" }.joined()
    }.sorted()
  }

  @Test func `parts move with their parent, and what was done of them stays with what is done`()
    async throws
  {
    let (trip, parts) = try await weeklyTrip()
    _ = try await database.setDone(true, [parts[0]])
    let packed = fixture.clock.now
    fixture.clock.advance(by: 60)
    let before = try fixture.contents()
    let done = try await database.setDone(true, [trip])
    #expect(
      try dues(false) == [
        "Bag 2026-11-26 in Trip #pack", "Call 2026-11-29T08:00:00Z in Trip", "Map - in Trip",
        "Trip 2026-11-28 in -",
      ])
    #expect(try dues(true) == ["Bag 2026-11-19 in Trip #pack", "Trip 2026-11-21 in -"])
    let rows = try fixture.detail(.completed).rows
    #expect(rows.first { $0.title == "Bag" }?.completedAt == packed)
    let after = try fixture.contents()
    let undone = try await database.undo(done)
    #expect(try fixture.contents() == before)
    _ = try await database.undo(undone)
    #expect(try fixture.contents() == after)
  }

  @Test func `the end of a grace period moves parts, and undo takes that back too`() async throws {
    let (trip, parts) = try await weeklyTrip()
    _ = try await database.setDone(true, [parts[0]])
    let before = try fixture.contents()
    let toggled = try await database.toggleDone([trip])
    try await database.completeGrace([trip])
    #expect(try fixture.details(parts[0]).due == .day(try day("2026-11-26")))
    let undone = try await database.undo(toggled)
    #expect(try fixture.contents() == before)
    #expect(toggled.textWhenUndone(by: undone) == "Undone: Completed “Trip”")
    // Within the grace period nothing was made yet that could be left.
    let again = try await database.toggleDone([trip])
    let early = try await database.undo(again)
    #expect(again.textWhenUndone(by: early) == "Undone: Completed “Trip”")
  }

  /// They go by the days of the rule, and what comes again by itself goes its own way.
  @Test func `parts of an occurrence that was moved go by the rule`() async throws {
    let (trip, parts) = try await weeklyTrip()
    _ = try await database.editReminders([trip], [.set(\.due, .day(try day("2026-11-24")))])
    _ = try await database.editReminders(
      [parts[2]],
      [.set(\.due, .day(try day("2026-11-30"))), .set(\.recurrence, Recurrence(.daily))])
    _ = try await database.setDone(true, [trip])
    #expect(try fixture.details(trip).due == .day(try day("2026-11-28")))
    #expect(try fixture.details(parts[0]).due == .day(try day("2026-11-26")))
    #expect(try fixture.details(parts[2]).due == .day(try day("2026-11-30")))
  }

  @Test func `clearing what is completed leaves open parts alone`() async throws {
    let trip = try await add("Trip")
    _ = try await add("Bag", in: trip)
    try fixture.execute("UPDATE reminders SET status = 2 WHERE title = \'Trip\'")
    _ = try await database.clearCompleted(.list(.list(list)), leftAloneFor: .any, in: berlin())
    #expect(try lines() == ["Bag"])
  }
}
