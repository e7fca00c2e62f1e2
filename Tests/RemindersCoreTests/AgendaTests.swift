import Foundation
import GRDB
import Testing

@testable import RemindersCore

/// What is due day by day, with what comes again.
@Suite struct AgendaTests {
  /// Saturday 21 November 2026.
  private let time = berlin()

  private func agenda(_ fixture: Fixture, days count: Int, from offset: Int = 0) throws -> Agenda {
    let first = time.today.adding(days: offset)
    return try fixture.database.fetch(
      AgendaQuery(first...first.adding(days: count - 1), time: time))
  }

  /// `2026-11-23 Bins`, with a sign before what is still to come.
  private func lines(_ agenda: Agenda) -> [String] {
    agenda.days.flatMap { day in
      day.entries.map { "\(day.day) \($0.isProjected ? ">" : "")\($0.row.title)" }
    }
  }

  @discardableResult
  private func add(
    _ title: String, _ rule: String, due: DueDate? = nil, to fixture: Fixture
  ) async throws -> Reminder.ID {
    let recurrence = try #require(try Recurrence.parse(rule, in: time))
    return try await fixture.database.addReminder(
      ReminderDraft(title: title, due: due, recurrence: recurrence)
    ).id
  }

  @Test func `days have what is due on them by time, and today what is overdue`() async throws {
    let fixture = try Fixture()
    let today = time.today
    try await fixture.add("late", due: .day(today.adding(days: -2)))
    try await fixture.add("evening", due: .at(today, minutes: 20 * 60, in: time))
    try await fixture.add("all day", due: .day(today))
    try await fixture.add("midnight", due: .at(today.adding(days: 1), minutes: 0, in: time))
    try await fixture.add("beyond", due: .day(today.adding(days: 7)))
    let done = try await fixture.add("done", due: .day(today))
    _ = try await fixture.database.setDone(true, [done])
    let found = try agenda(fixture, days: 7)
    #expect(found.overdue.map(\.row.title) == ["late"] && found.overdueCount == 1)
    #expect(
      lines(found) == ["2026-11-21 all day", "2026-11-21 evening", "2026-11-22 midnight"])
    #expect(try agenda(fixture, days: 3, from: 1).overdue.isEmpty)
    #expect(lines(try agenda(fixture, days: 2, from: -2)) == ["2026-11-19 late"])
  }

  @Test func `what comes again is projected after its date`() async throws {
    let fixture = try Fixture()
    try await add("Bins", "every monday", to: fixture)
    #expect(
      lines(try agenda(fixture, days: 17)) == [
        "2026-11-23 Bins", "2026-11-30 >Bins", "2026-12-07 >Bins",
      ])
    #expect(
      lines(try agenda(fixture, days: 5, from: 36_500)).allSatisfy { $0.hasSuffix(">Bins") })
  }

  @Test(arguments: [
    ("every day 3 times", 0, ["21", "22", "23"]),
    ("every day until 2026-11-23", 0, ["21", "22", "23"]),
    ("every 2 days", -1, ["20", "22", "24", "26"]),
    ("every! 3 days", -1, ["20", "24", "27"]),
    ("every+ day", -2, ["19", "21", "22", "23", "24", "25", "26", "27"]),
    ("every week", -9, ["12", "26"]),
  ])
  func `rules are projected as if each were completed on its day`(
    rule: String, offset: Int, days: [String]
  ) async throws {
    let fixture = try Fixture()
    try await add("x", rule, due: .day(time.today.adding(days: offset)), to: fixture)
    let found = try agenda(fixture, days: 16, from: -9)
    #expect(found.days.map { String($0.day.description.suffix(2)) } == days)
    #expect(found.days.map { $0.entries.count }.allSatisfy { $0 == 1 })
  }

  /// The projection and the completion of occurrences are two ways to the same days.
  @Test(arguments: [
    "every day", "every 3 days", "every+ 2 days", "every! 5 days", "every mon and thu",
    "every 2 weeks on tue", "every 31st", "monthly on the last fri", "every 2nd tue",
    "every day 4 times", "every week until 2026-12-20",
  ])
  func `what is projected is what completing each on its day makes`(rule: String) async throws {
    let fixture = try Fixture()
    let id = try await add("x", rule, to: fixture)
    let found = try agenda(fixture, days: 90)
    let projected = found.days.map(\.day)
    var lived: [CalendarDay] = []
    while lived.count < projected.count {
      let row = try fixture.details(id)
      guard row.status != .completed, let due = row.due else { break }
      lived.append(due.day(in: time))
      fixture.clock.now = time.moment(due.day(in: time), minutes: 12 * 60)
      _ = try await fixture.database.setDone(true, [id])
    }
    #expect(lived == projected)
  }

  @Test func `a moved occurrence is where it was moved, and the next where it belongs`()
    async throws
  {
    let fixture = try Fixture()
    let id = try await add("Bins", "every monday", to: fixture)
    _ = try await fixture.database.editReminders(
      [id], [.set(\.due, .day(time.today.adding(days: 4)))])
    #expect(
      lines(try agenda(fixture, days: 12)) == ["2026-11-25 Bins", "2026-11-30 >Bins"])
  }

  @Test func `the first fifty of a day are shown, and that there are more`() async throws {
    let fixture = try Fixture()
    _ = try await fixture.database.addReminders(
      (0..<130).map { ReminderDraft(title: "\($0)", due: .day(time.today)) })
    _ = try await fixture.database.addReminders(
      (0..<120).map { ReminderDraft(title: "\($0)", due: .day(time.today.adding(days: -1))) })
    let found = try agenda(fixture, days: 1)
    #expect(found.days[0].entries.count == 50 && found.days[0].hasMore)
    #expect(found.overdue.count == 50 && found.overdueCount == 120)
  }

  @Test func `of very many that come again the first are shown, and that it is so`() async throws {
    let fixture = try Fixture()
    let rule = Recurrence(.daily)
    _ = try await fixture.database.addReminders(
      (0..<300).map {
        ReminderDraft(title: "\($0)", due: .day(time.today), recurrence: rule)
      })
    let found = try agenda(fixture, days: 30)
    #expect(found.isIncomplete && found.days.count > 20)
    #expect(found.days.allSatisfy { $0.entries.count == 50 && $0.hasMore })
  }

  @Test func `endless and very old rules cost nothing`() async throws {
    let fixture = try Fixture()
    let id = try await add("x", "every day", to: fixture)
    try fixture.execute(
      """
      UPDATE reminders SET dueDate = '0001-01-01', occurrence = '1 0001-01-01 s',
        recurrence = '++ FREQ=DAILY' WHERE id = '\(id)'
      """)
    let found = try agenda(fixture, days: 3)
    #expect(found.days.count == 2 && !found.isIncomplete)
    _ = try await fixture.database.setDone(true, [id])
    #expect(try fixture.details(id).due == .day(time.today.adding(days: 1)))
  }

  @Test(arguments: [
    "FREQ=DAILY;INTERVAL=9999;COUNT=9999", "FREQ=MONTHLY;BYMONTH=2;INTERVAL=12",
    "FREQ=YEARLY;BYMONTH=2;BYDAY=5MO;INTERVAL=9999", "FREQ=SECONDLY", "nonsense",
    "FREQ=MONTHLY;BYMONTHDAY=31;INTERVAL=9999",
  ])
  func `rules that hardly ever come do no harm`(rule: String) async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("x", due: .day(time.today))
    try fixture.execute("UPDATE reminders SET recurrence = '++ \(rule)' WHERE id = '\(id)'")
    #expect(try agenda(fixture, days: 366).days.first?.entries.count == 1)
  }

  @Test func `an earlier schema has an agenda, too`() async throws {
    let fixture = try Fixture()
    let directory = fixture.directory.appending(path: "old")
    let database = try AppDatabase(directory: directory, schema: .lists)
    _ = try await database.addReminder(ReminderDraft(title: "x", due: .day(time.today)))
    let found = try database.fetch(AgendaQuery(time.today...time.today, time: time))
    #expect(lines(found) == ["2026-11-21 x"])
    #expect(try database.fetch(StatsQuery(time: time)).lists.first?.open == 1)
  }
}

/// The numbers of looking back.
@Suite struct StatsTests {
  private let time = berlin()

  @Test func `what was done counts on the day and in the week of whoever looks`() async throws {
    let fixture = try Fixture()
    // Saturday: two on Friday, one a minute after midnight, one on the Sunday before.
    for (offset, minutes) in [(-1, 0), (-1, 24 * 60 - 1), (0, 1), (-6, 600)] {
      let id = try await fixture.add("x", due: nil, tags: ["Town"])
      fixture.clock.now = time.moment(time.today.adding(days: offset), minutes: minutes)
      _ = try await fixture.database.setDone(true, [id])
    }
    try await fixture.add("late", due: .day(time.today.adding(days: -1)), tags: ["town"])
    let stats = try fixture.database.fetch(StatsQuery(time: time))
    #expect(stats.days.suffix(2).map(\.done) == [2, 1])
    #expect(stats.days.count == 14 && stats.days.last?.first == time.today)
    #expect(stats.weeks.count == 12 && stats.weeks.suffix(2).map(\.done) == [1, 3])
    #expect(stats.lists.map(\.done) == [4] && stats.lists.map(\.overdue) == [1])
    #expect(stats.tags.map(\.done) == [4] && stats.tags.map(\.overdue) == [1])
    #expect(stats.tags.map(\.open) == [1])
  }

  @Test func `tags come as in the sidebar, Ärzte before Zoo`() async throws {
    let fixture = try Fixture()
    try await fixture.add("x", tags: ["Zoo", "apple", "Ärzte", "Banana", "über"])
    let titles = try fixture.database.fetch(StatsQuery(time: time)).tags.map(\.title)
    #expect(titles == ["apple", "Ärzte", "Banana", "über", "Zoo"])
    #expect(try fixture.database.fetch(SidebarQuery(time: time)).tags.map(\.title) == titles)
  }

  @Test func `overdue counts what was open at the end of each day`() async throws {
    let fixture = try Fixture()
    fixture.clock.now = time.start(of: time.today.adding(days: -10))
    let id = try await fixture.add("late", due: .day(time.today.adding(days: -5)))
    fixture.clock.now = time.moment(time.today.adding(days: -2), minutes: 600)
    _ = try await fixture.database.setDone(true, [id])
    let stats = try fixture.database.fetch(StatsQuery(time: time))
    #expect(stats.overdue.suffix(7).map(\.count) == [0, 0, 1, 1, 0, 0, 0])
  }

  @Test func `the dates of weeks stand below each other`() throws {
    let stats = try Fixture().database.fetch(StatsQuery(time: time))
    let names = stats.weekNames(in: time)
    #expect(names.suffix(5).prefix(2) == ["19 Oct to 25 Oct", "26 Oct to  1 Nov"])
    #expect(Set(names.map(\.count)).count == 1)
  }

  @Test func `a bar has a cell for anything that is not nothing`() {
    #expect(Stats.cells(0, of: 9, in: 10) == 0)
    #expect(Stats.cells(1, of: 1_000_000, in: 10) == 1)
    #expect(Stats.cells(9, of: 9, in: 10) == 10)
    #expect(Stats.cells(1, of: 0, in: 10) == 0 && Stats.cells(1, of: 1, in: -3) == 0)
  }
}
