import Foundation
import GRDB
import Testing

@testable import RemindersCore

/// Occurrences that are passed over.
@Suite struct SkippedOccurrenceTests {
  private let fixture: Fixture
  private var database: AppDatabase { fixture.database }

  init() throws { fixture = try Fixture(timeZone: berlin().timeZone) }

  private func add(
    _ title: String, _ rule: String?, due: String? = nil, in parent: Reminder.ID? = nil
  ) async throws -> Reminder.ID {
    let time = berlin()
    return try await database.addReminder(
      ReminderDraft(
        title: title, due: try due.flatMap { try DueDate.parse($0, in: time) },
        recurrence: try rule.flatMap { try Recurrence.parse($0, in: time) }, parentID: parent)
    ).id
  }

  private func lines() throws -> [String] {
    try fixture.detail(.all, completed: true).rows.map {
      "\($0.title) \($0.due?.stored ?? "no date") \($0.status)"
    }
  }

  @Test func `the series goes on with nothing done, and one undo takes it back`() async throws {
    let id = try await add("Bins", "every week", due: "2026-11-21 09:00")
    let before = try fixture.contents()
    let skipped = try await database.skip([id])
    #expect(skipped.label == "Skipped “Bins” to Sat 28 Nov 09:00")
    #expect(try lines().count == 1)
    #expect(
      try fixture.details(id).due == (try DueDate.parse("2026-11-28 09:00", in: berlin())))
    // The occurrence that follows is completed as if the one before had been.
    _ = try await database.undo(try await database.setDone(true, [id]))
    let back = try await database.undo(skipped)
    #expect(try fixture.contents() == before)
    #expect(back.label == skipped.label)
  }

  @Test func `its parts move along, and what was done of them stays`() async throws {
    let trip = try await add("Trip", "every week", due: "2026-11-21")
    _ = try await add("Bag", nil, due: "2026-11-20", in: trip)
    let ticket = try await add("Ticket", nil, in: trip)
    _ = try await database.setDone(true, [ticket])
    let before = try fixture.contents()
    let skipped = try await database.skip([trip])
    #expect(
      try lines().sorted() == [
        "Bag 2026-11-27 incomplete", "Ticket no date completed", "Ticket no date incomplete",
        "Trip 2026-11-28 incomplete",
      ])
    _ = try await database.undo(skipped)
    #expect(try fixture.contents() == before)
  }

  @Test func `what has no further occurrence is not skipped, nor anything with it`() async throws {
    let last = try await add("Bins", "every day 1 times", due: "2026-11-21")
    let series = try await add("Milk", "every day", due: "2026-11-21")
    let once = try await add("Walk", nil, due: "2026-11-21")
    let before = try fixture.contents()
    for ids in [[last], [once], [series, once], ["nothing"]] {
      await #expect(throws: AppError.self) { try await database.skip(ids) }
    }
    #expect(try fixture.contents() == before)
  }
}
