import Foundation
import GRDB
import Testing

@testable import RemindersCore

/// Reminders that come again, on one device.
@Suite struct SeriesTests {
  private let fixture: Fixture
  private var database: AppDatabase { fixture.database }

  init() throws {
    fixture = try Fixture(timeZone: berlin().timeZone)
  }

  private func add(_ rule: String, due: String?, tags: [String] = []) async throws -> Reminder.ID {
    let time = berlin()
    let draft = ReminderDraft(
      title: "Bins", due: try due.flatMap { try DueDate.parse($0, in: time) }, tags: tags,
      recurrence: try Recurrence.parse(rule, in: time))
    return try await database.addReminder(draft).id
  }

  /// Each reminder in a line: what is open first.
  private func lines() throws -> [String] {
    try fixture.detail(.all, completed: true).rows.map { row in
      "\(row.title) \(row.due?.stored ?? "no date") \(row.status)"
        + row.tags.map { " #\($0)" }.joined()
    }
  }

  /// Other devices know that the occurrence was completed.
  @Test func `a backup brings a series back to where it was`() async throws {
    let id = try await add("every day", due: "2026-11-21 09:00")
    let file = fixture.directory.appending(path: "backup.sqlite")
    try database.backUp(to: file)
    _ = try await database.setDone(true, [id])
    _ = try await database.restoreBackup(file)
    let due = try fixture.details(id).reminder.due
    #expect(due == (try DueDate.parse("2026-11-21 09:00", in: berlin())))
    #expect(try await database.rollOver() == 0)
    #expect(try fixture.details(id).reminder.due == due)
    _ = try await database.setDone(true, [id])
    #expect(try lines().count == 3)
  }

  /// By another process, or by another device.
  @Test(arguments: ["done", "grace", "moved"])
  func `undo of a completion leaves what has gone on since`(since: String) async throws {
    let id = try await add("every day", due: "2026-11-21 09:00", tags: ["home"])
    _ = try await database.addReminder(ReminderDraft(title: "Part", parentID: id))
    let step =
      since == "grace"
      ? try await database.toggleDone([id]) : try await database.setDone(true, [id])
    try await database.completeGrace([id])
    if since == "moved" {
      let due = try DueDate.parse("2026-12-24 09:00", in: berlin())
      _ = try await database.editReminders([id], [.set(\.due, due)])
    } else {
      _ = try await database.setDone(true, [id])
    }
    let before = try fixture.contents()
    #expect(try await database.undo(step).isEmpty)
    #expect(try fixture.contents() == before)
  }

  @Test func `undo of a completion of several leaves what has gone on, and says so`() async throws {
    let id = try await add("every day", due: "2026-11-21 09:00")
    let other = try await fixture.add("Other")
    let step = try await database.setDone(true, [id, other])
    _ = try await database.setDone(true, [id])
    let inverse = try await database.undo(step)
    #expect(
      step.textWhenUndone(by: inverse)
        == "Undone in part: Completed 2 reminders. 1 reminder was edited since, and is left.")
    #expect(try fixture.details(other).status == .incomplete)
    #expect(try fixture.details(id).due == DueDate.parse("2026-11-23 09:00", in: berlin()))
  }

  @Test func `undo in the grace period reopens what somebody moves meanwhile`() async throws {
    let id = try await add("every day", due: "2026-11-21 09:00")
    let step = try await database.toggleDone([id])
    let due = try DueDate.parse("2026-12-24 09:00", in: berlin())
    _ = try await database.editReminders([id], [.set(\.due, due)])
    _ = try await database.undo(step)
    #expect(try fixture.details(id).status == .incomplete)
    #expect(try fixture.details(id).due == due)
  }

  // MARK: - Another rule

  @Test(arguments: [
    ("every week", "2026-11-23 09:00", "every friday", "2026-11-27 09:00"),
    ("every day", "2026-11-23", "every! 3 days", "2026-11-23"),
    ("every month", "2026-11-23", "every 31st", "2026-11-30"),
    ("every week", "2026-11-16", "every 2 weeks", "2026-11-16"),
    // What is overdue is not brought to a day that is over.
    ("every week", "2026-11-16 09:00", "every friday", "2026-11-27 09:00"),
  ])
  func `another rule brings the date to its first day, and undo brings it back`(
    rule: String, due: String, other: String, first: String
  ) async throws {
    let id = try await add(rule, due: due, tags: ["home"])
    let before = try fixture.contents()
    let changed = try Recurrence.parse(other, in: berlin())
    let step = try await database.editReminders([id], [.set(\.recurrence, changed)])
    let expected = try #require(try DueDate.parse(first, in: berlin()))
    #expect(try fixture.details(id).due == expected)
    let date = expected.dateText(in: LocalTime(now: saturday, timeZone: berlin().timeZone))
    #expect(step.label.hasSuffix(", due \(date)") == (due != first))
    #expect(try await database.rollOver() == 0)
    _ = try await database.undo(step)
    #expect(try fixture.contents() == before)
  }

  @Test func `a first rule brings the date of a reminder to its first day`() async throws {
    let id = try await fixture.add("Bins", due: .day(try day("2026-11-23")))
    let rule = try Recurrence.parse("every friday", in: berlin())
    _ = try await database.editReminders([id], [.set(\.recurrence, rule)])
    #expect(try fixture.details(id).due == .day(try day("2026-11-27")))
  }

  @Test func `a date that is set with a rule stays`() async throws {
    let id = try await add("every week", due: "2026-11-23")
    let (rule, due) = (
      try Recurrence.parse("every friday", in: berlin()), DueDate.day(try day("2026-11-24"))
    )
    _ = try await database.editReminders([id], [.set(\.recurrence, rule), .set(\.due, due)])
    #expect(try fixture.details(id).due == due)
    _ = try await database.setDone(true, [id])
    #expect(try fixture.details(id).due == .day(try day("2026-11-27")))
  }

  @Test func `the same rule leaves an occurrence that was moved`() async throws {
    let id = try await add("every monday", due: "2026-11-23")
    _ = try await database.editReminders([id], [.set(\.due, .day(try day("2026-11-25")))])
    let rule = try Recurrence.parse("every monday", in: berlin())
    _ = try await database.editReminders([id], [.set(\.recurrence, rule)])
    #expect(try fixture.details(id).due == .day(try day("2026-11-25")))
  }

  @Test func `a rule that ends before its first day is refused`() async throws {
    let id = try await add("every monday", due: "2026-11-23")
    let rule = try Recurrence.parse("every friday until 25 nov", in: berlin())
    await #expect(throws: AppError.self) {
      try await database.editReminders([id], [.set(\.recurrence, rule)])
    }
    #expect(try fixture.details(id).due == .day(try day("2026-11-23")))
  }

  // MARK: - What is left over

  @Test(arguments: ["done", "grace", "fresh grace", "open"])
  func `what was completed without going on is found at once`(state: String) async throws {
    let id = try await add("every day", due: "2026-11-21")
    _ = try await fixture.add("Other")
    switch state {
    case "done": try fixture.execute("UPDATE reminders SET status = 2 WHERE recurrence NOTNULL")
    case "grace", "fresh grace": _ = try await database.toggleDone([id])
    default: break
    }
    fixture.clock.advance(by: state == "fresh grace" ? 1 : 60)
    let query = UnsettledSeriesQuery(gracesBegunBy: fixture.clock.now - 10)
    #expect(try database.fetch(query) == ["done", "grace"].contains(state))
    _ = try await database.completeAbandonedGraces(begunBy: query.moment)
    try await database.rollOver()
    #expect(try !database.fetch(query))
  }

  /// Something that is done once more on a day on which it was done.
  @Test(arguments: [
    ("every+ day", "2026-11-21", "2026-11-21", "2026-11-22"),
    ("every day", "2026-11-21", "2026-11-21", "2026-11-22"),
    ("every+ 2 weeks", "2026-11-20", "2026-11-20", "2026-12-04"),
    // Done a day earlier than it comes, which is no day of the series.
    ("every+ week", "2026-11-20", "2026-11-26", "2026-12-04"),
    ("every+ 2 weeks", "2026-11-20", "2026-11-27", "2026-12-18"),
  ])
  func `a date put back to a completed day skips nothing`(
    rule: String, first: String, again: String, next: String
  ) async throws {
    let id = try await add(rule, due: first)
    _ = try await database.setDone(true, [id])
    let moved = DueDate.day(try day(again))
    _ = try await database.editReminders([id], [.set(\.due, moved)])
    _ = try await database.setDone(true, [id])
    #expect(try fixture.details(id).due == .day(try day(next)))
    #expect(try lines().filter { $0.contains("completed") }.count == 2)
  }

  @Test func `a date put back skips nothing where an end is set then`() async throws {
    let id = try await add("every+ day", due: "2026-11-21")
    _ = try await database.setDone(true, [id])
    let again = DueDate.day(try day("2026-11-21"))
    _ = try await database.editReminders([id], [.set(\.due, again)])
    let rule = try #require(try Recurrence.parse("every+ day 5 times", in: berlin()))
    _ = try await database.editReminders([id], [.set(\.recurrence, rule)])
    _ = try await database.setDone(true, [id])
    #expect(
      try lines() == [
        "Bins 2026-11-22 incomplete", "Bins 2026-11-21 completed", "Bins 2026-11-21 completed",
      ])
  }

  @Test func `a rule that is over before it begins is refused`() async throws {
    let time = berlin()
    let rule = try #require(try Recurrence.parse("every day until 20 nov 2026", in: time))
    await #expect(throws: AppError.self) {
      try await database.addReminder(ReminderDraft(title: "Bins", recurrence: rule))
    }
    let id = try await add("every week", due: "2026-11-21")
    await #expect(throws: AppError.self) {
      try await database.editReminders([id], [.set(\.recurrence, rule)])
    }
    let line = QuickAddLine("Bins every day until 20 nov 2026", in: time)
    #expect(line.recurrence == nil)
  }

  @Test func `completing goes on to the next occurrence, and what was done stays`() async throws {
    let id = try await add("every+ month", due: "2026-12-31", tags: ["home"])
    _ = try await database.setDone(true, [id])
    #expect(
      try lines() == ["Bins 2027-01-31 incomplete #home", "Bins 2026-12-31 completed #home"])
    _ = try await database.setDone(true, [id])
    _ = try await database.setDone(true, [id])
    #expect(
      try lines() == [
        "Bins 2027-03-31 incomplete #home", "Bins 2026-12-31 completed #home",
        "Bins 2027-01-31 completed #home", "Bins 2027-02-28 completed #home",
      ])
    #expect(try fixture.details(id).recurrence?.stored == "+ FREQ=MONTHLY;BYMONTHDAY=31")
    let done = try #require(try fixture.detail(.completed).rows.first)
    #expect(done.recurrence == nil && done.completedAt == saturday)
  }

  @Test func `undo takes the whole step back, and redo does it again`() async throws {
    let id = try await add("every week", due: "2026-11-21", tags: ["home"])
    let before = try fixture.contents()
    let done = try await database.setDone(true, [id])
    let after = try fixture.contents()
    let undone = try await database.undo(done)
    #expect(try fixture.contents() == before)
    _ = try await database.undo(undone)
    #expect(try fixture.contents() == after)
  }

  @Test func `undo takes back also what the end of the grace period did`() async throws {
    let id = try await add("every week", due: "2026-11-21", tags: ["home"])
    let before = try fixture.contents()
    let toggled = try await database.toggleDone([id])
    #expect(try fixture.details(id).status == .completing)
    try await database.completeGrace([id])
    #expect(try fixture.details(id).due == .day(try day("2026-11-28")))
    let undone = try await database.undo(toggled)
    #expect(try fixture.contents() == before)
    _ = try await database.undo(undone)
    #expect(try lines() == ["Bins 2026-11-28 incomplete #home", "Bins 2026-11-21 completed #home"])
    // Within the grace period there is nothing else to take back.
    let again = try await database.toggleDone([id])
    _ = try await database.undo(again)
    #expect(try fixture.details(id).status == .incomplete)
  }

  @Test func `the last occurrence is completed like any reminder`() async throws {
    let id = try await add("every day 2 times", due: "2026-11-21")
    _ = try await database.setDone(true, [id])
    _ = try await database.setDone(true, [id])
    #expect(try lines() == ["Bins 2026-11-21 completed", "Bins 2026-11-22 completed"])
    #expect(try await database.rollOver() == 0)
  }

  @Test func `a rule without a date is due on its first day`() async throws {
    let id = try await add("every monday", due: nil)
    #expect(try fixture.details(id).due == .day(try day("2026-11-23")))
  }

  /// The clock is put forward at two on 28 March 2027, and back at three on 31 October.
  @Test(arguments: [
    ("2027-03-27", ["2027-03-27T01:30:00Z", "2027-03-28T01:30:00Z", "2027-03-29T00:30:00Z"]),
    ("2027-10-30", ["2027-10-30T00:30:00Z", "2027-10-31T00:30:00Z", "2027-11-01T01:30:00Z"]),
  ])
  func `a series keeps its time where daylight saving skips or repeats it`(
    first: String, dues: [String]
  ) async throws {
    let id = try await add("every+ day", due: "\(first) 02:30")
    let last = try day(String(try #require(dues.last).prefix(10)))
    var time = berlin()
    time.now = try #require(Date(iso8601: "\(first)T00:00:00Z"))
    let agenda = try database.fetch(AgendaQuery(try day(first)...last, time: time))
    #expect(agenda.days.flatMap(\.entries).map(\.due.stored) == dues)
    var found: [String?] = []
    for _ in dues {
      found.append(try fixture.details(id).due?.stored)
      _ = try await database.setDone(true, [id])
    }
    #expect(found == dues)
  }

  @Test func `a time to which an occurrence was moved stays`() async throws {
    let id = try await add("every+ day", due: "2027-03-20 02:30")
    let moved = try DueDate.parse("2027-03-20 09:00", in: berlin())
    _ = try await database.editReminders([id], [.set(\.due, moved)])
    _ = try await database.setDone(true, [id])
    #expect(try fixture.details(id).due?.stored == "2027-03-21T08:00:00Z")
  }

  @Test func `moving an occurrence moves only this one`() async throws {
    let id = try await add("every+ monday", due: "2026-11-23")
    _ = try await database.editReminders([id], [.set(\.due, .day(try day("2026-11-25")))])
    _ = try await database.setDone(true, [id])
    #expect(try lines() == ["Bins 2026-11-30 incomplete", "Bins 2026-11-25 completed"])
    // Moved before the day that the rule gave it, it does not come twice.
    _ = try await database.editReminders([id], [.set(\.due, .day(try day("2026-11-28")))])
    _ = try await database.setDone(true, [id])
    #expect(try fixture.details(id).due == .day(try day("2026-12-07")))
  }

  @Test func `another rule begins another series`() async throws {
    let id = try await add("every+ day", due: "2026-11-21")
    _ = try await database.setDone(true, [id])
    let daily = try await database.editReminders(
      [id],
      [
        .set(\.due, .day(try day("2026-11-21"))),
        .set(\.recurrence, try Recurrence.parse("every+ week", in: berlin())),
      ])
    _ = try await database.setDone(true, [id])
    #expect(
      try lines() == [
        "Bins 2026-11-28 incomplete", "Bins 2026-11-21 completed", "Bins 2026-11-21 completed",
      ])
    _ = try await database.undo(daily)
    #expect(try fixture.details(id).recurrence?.stored == "+ FREQ=DAILY")
  }

  @Test func `without its rule it is an ordinary reminder`() async throws {
    let id = try await add("every day", due: "2026-11-21")
    _ = try await database.editReminders([id], [.set(\.recurrence, nil)])
    _ = try await database.setDone(true, [id])
    #expect(try lines() == ["Bins 2026-11-21 completed"])
  }

  @Test func `an occurrence that is opened again is an ordinary reminder`() async throws {
    let id = try await add("every+ day", due: "2026-11-21")
    _ = try await database.setDone(true, [id])
    let done = try #require(try fixture.detail(.completed).rows.first?.id)
    _ = try await database.toggleDone([done])
    #expect(try await database.rollOver() == 0)
    #expect(try lines() == ["Bins 2026-11-21 incomplete", "Bins 2026-11-22 incomplete"])
  }

  @Test func `what another program completes goes on`() async throws {
    let id = try await add("every+ day", due: "2026-11-21")
    try fixture.execute("UPDATE reminders SET status = 2")
    let query = OverdueRolloversQuery(time: berlin())
    #expect(try database.fetch(query) == [id])
    #expect(try await database.rollOver() == 1)
    #expect(try lines() == ["Bins 2026-11-22 incomplete", "Bins 2026-11-21 completed"])
    #expect(try database.fetch(query).isEmpty)
  }

  @Test func `a rule that another program wrote begins with the present date`() async throws {
    let id = try await fixture.add("Bins", due: .day(try day("2026-11-21")))
    try fixture.execute("UPDATE reminders SET recurrence = '+ FREQ=DAILY'")
    _ = try await database.setDone(true, [id])
    #expect(try lines() == ["Bins 2026-11-22 incomplete", "Bins 2026-11-21 completed"])
    try fixture.execute("UPDATE reminders SET recurrence = '+ FREQ=SECONDLY', status = 0")
    #expect(try fixture.details(id).recurrence == nil)
    _ = try await database.setDone(true, [id])
    #expect(try fixture.details(id).status == .completed)
  }

  @Test(arguments: [
    "9223372036854775807 2026-11-21 s", "10000000 2026-11-21 s", "0 2026-11-21 s",
    "-1 2026-11-21 s", "1 11026-11-21 s", "1 2026-11-21", "x",
  ])
  func `what is no occurrence of a series begins one`(text: String) async throws {
    let id = try await add("every+ day", due: "2026-11-21")
    try fixture.execute("UPDATE reminders SET occurrence = '\(text)', status = 2")
    let days = try day("2026-11-21")...day("2026-11-22")
    _ = try database.fetch(AgendaQuery(days, time: berlin()))
    #expect(try await database.rollOver() == 1)
    #expect(try lines() == ["Bins 2026-11-22 incomplete", "Bins 2026-11-21 completed"])
    _ = try await database.setDone(true, [id])
    #expect(try lines().first == "Bins 2026-11-23 incomplete")
  }

  @Test func `several are completed at once, those that come again and others`() async throws {
    let id = try await add("every+ day", due: "2026-11-21")
    let other = try await fixture.add("Once")
    _ = try await database.setDone(true, [id, other])
    #expect(
      try lines() == [
        "Bins 2026-11-22 incomplete", "Bins 2026-11-21 completed", "Once no date completed",
      ])
  }
}
