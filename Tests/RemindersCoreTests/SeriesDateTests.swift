import Foundation
import Testing

@testable import RemindersCore

/// What comes again, and loses its date.
@Suite struct SeriesDateTests {
  private let fixture: Fixture
  private var database: AppDatabase { fixture.database }

  init() throws {
    fixture = try Fixture(timeZone: berlin().timeZone)
  }

  private func add(_ rule: String, due: String) async throws -> Reminder.ID {
    try await database.addReminder(
      ReminderDraft(
        title: "Bins", due: try DueDate.parse(due, in: berlin()),
        recurrence: try Recurrence.parse(rule, in: berlin()))
    ).id
  }

  /// Each reminder in a line: what is open first.
  private func lines() throws -> [String] {
    try fixture.detail(.all, completed: true).rows.map { row in
      "\(row.title) \(row.due?.stored ?? "no date") \(row.status)"
    }
  }

  @Test func `without its date it comes no more, which is said and can be undone`() async throws {
    let id = try await add("every monday", due: "2026-11-23 09:00")
    let before = try fixture.contents()
    let step = try await database.editReminders([id], [.set(\.due, nil)])
    #expect(step.label == "Changed “Bins”: no due, no repeat")
    #expect(try fixture.details(id).recurrence == nil && fixture.details(id).due == nil)
    _ = try await database.undo(step)
    #expect(try fixture.contents() == before)
    let other = try await fixture.add("Other", due: .day(try day("2026-11-23")))
    let several = try await database.editReminders([id, other], [.set(\.due, nil)])
    #expect(several.label == "Changed 2 reminders: no due, and 1 of them no repeat")
    _ = try await database.setDone(true, [id])
    #expect(try lines().contains("Bins no date completed"))
  }

  /// That was the first time; another command, later, would have done it beyond the reach of undo.
  @Test func `a rule for what is completed goes on from it at once, and undo takes it all back`()
    async throws
  {
    let id = try await fixture.add("Bins", due: .day(try day("2026-11-23")))
    _ = try await database.addReminder(ReminderDraft(title: "Bag", parentID: id))
    _ = try await database.setDone(true, [id])
    let before = try fixture.contents()
    let rule = try Recurrence.parse("every week", in: berlin())
    let step = try await database.editReminders([id], [.set(\.recurrence, rule)])
    let after = [
      "Bag no date completed", "Bag no date incomplete", "Bins 2026-11-23 completed",
      "Bins 2026-11-30 incomplete",
    ]
    #expect(try lines().sorted() == after)
    #expect(try await database.rollOver() == 0)
    let redo = try await database.undo(step)
    #expect(try await database.rollOver() == 0)
    #expect(try fixture.contents() == before)
    _ = try await database.undo(redo)
    #expect(try lines().sorted() == after)
  }

  /// By an app that knows of no rules.
  @Test(arguments: [
    ("every+ monday", "2026-11-23"), ("every monday", "2026-11-23"),
    ("every! 3 days", "2026-11-24"),
  ])
  func `what lost its date elsewhere goes on without skipping one`(
    rule: String, next: String
  ) async throws {
    let id = try await add(rule, due: "2026-11-23")
    try fixture.execute("UPDATE reminders SET dueDate = NULL")
    _ = try await database.setDone(true, [id])
    #expect(try lines() == ["Bins \(next) incomplete", "Bins no date completed"])
    fixture.clock.advance(by: 3 * 86_400)
    try fixture.execute("UPDATE reminders SET dueDate = NULL WHERE status = 0")
    _ = try await database.setDone(true, [id])
    #expect(try await database.rollOver() == 0)
    let day = try #require(try fixture.details(id).due?.day(in: berlin()))
    #expect(day > berlin(fixture.clock.now).today)
  }
}
