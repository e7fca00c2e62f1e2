import Foundation
import GRDB
import Testing

@testable import RemindersCore

/// What *Today* and *Completed* show, and in which order.
@Suite struct TodayTests {
  private let time = berlin()

  private func titles(_ fixture: Fixture, preview: Bool = true) throws -> [String] {
    var query = ReminderListQuery(.today, time: time)
    query.previewsTomorrow = preview
    let detail = try fixture.database.fetch(query)
    #expect(query.count(of: detail) == detail.rows.count)
    return detail.rows.map(\.title)
  }

  @Test func `Today begins with what is overdue`() async throws {
    let fixture = try Fixture()
    try await fixture.add("today", due: .day(time.today))
    try await fixture.add("late", due: .day(time.today.adding(days: -40)))
    try await fixture.add("tomorrow", due: .day(time.today.adding(days: 1)))
    try await fixture.add("some day")
    #expect(try titles(fixture) == ["late", "today"])
  }

  @Test func `a completed reminder is of today only when it was due today`() async throws {
    let fixture = try Fixture()
    let late = try await fixture.add("late", due: .day(time.today.adding(days: -1)))
    let today = try await fixture.add("today", due: .day(time.today))
    _ = try await fixture.database.setDone(true, [late, today])
    let detail = try fixture.detail(.today, completed: true)
    #expect(detail.rows.map(\.title) == ["today"] && detail.completedCount == 1)
  }

  @Test func `an empty Today shows the morning of tomorrow, and does not count it`() async throws {
    let fixture = try Fixture()
    let tomorrow = time.today.adding(days: 1)
    try await fixture.add("all day", due: .day(tomorrow))
    try await fixture.add("breakfast", due: .at(tomorrow, minutes: 8 * 60, in: time))
    try await fixture.add("lunch", due: .at(tomorrow, minutes: 12 * 60, in: time))
    try await fixture.add("after", due: .day(tomorrow.adding(days: 1)))
    #expect(try titles(fixture) == ["all day", "breakfast"])
    #expect(try titles(fixture, preview: false) == [])
    let query = ReminderListQuery(.today, time: time)
    let detail = try fixture.database.fetch(query)
    #expect((detail.openCount, detail.previewCount) == (0, 2))
    #expect(detail.rows.allSatisfy(query.isPreview))
    #expect(try fixture.database.fetch(SidebarQuery(time: time)).counts.today == 0)
    let now = try await fixture.add("now", due: .at(time.today, minutes: 20 * 60, in: time))
    #expect(try titles(fixture) == ["now"])
    _ = try await fixture.database.setDone(true, [now])
    let all = try fixture.detail(.today, completed: true)
    #expect(all.rows.map(\.title) == ["all day", "breakfast", "now"])
  }

  @Test func `Completed begins with what was completed last`() async throws {
    let fixture = try Fixture()
    var ids: [Reminder.ID] = []
    for title in ["one", "two", "three"] { ids.append(try await fixture.add(title)) }
    for id in [ids[1], ids[0], ids[2]] {
      fixture.clock.advance(by: 60)
      _ = try await fixture.database.setDone(true, [id])
    }
    fixture.clock.advance(by: 60)
    _ = try await fixture.database.editReminders([ids[1]], [.set(\.notes, "edited later")])
    #expect(try fixture.titles(.completed, sort: .completion) == ["three", "one", "two"])
    #expect(try fixture.details(ids[2]).completedAt == saturday.addingTimeInterval(180))
    let row = try #require(
      try fixture.detail(.completed, sort: .completion, window: RowWindow(start: 1, count: 1))
        .rows.first)
    #expect(row.title == "one")
  }

  @Test func `the time of completion goes when a reminder is opened again`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Haircut")
    let done = try await fixture.database.setDone(true, [id])
    #expect(try fixture.details(id).completedAt == saturday)
    _ = try await fixture.database.undo(done)
    #expect(try fixture.details(id).completedAt == nil)
    _ = try await fixture.database.toggleDone([id])
    #expect(try fixture.details(id).completedAt == nil)
    try await fixture.database.completeGrace([id])
    #expect(try fixture.details(id).completedAt == saturday)
  }

  @Test func `what another program completes was completed when it last changed`() async throws {
    let fixture = try Fixture()
    let early = try await fixture.add("early")
    fixture.clock.advance(by: 60)
    let later = try await fixture.add("later")
    try fixture.execute("UPDATE reminders SET status = 2")
    #expect(try fixture.titles(.completed, sort: .completion) == ["later", "early"])
    #expect(try fixture.details(early).completedAt == nil)
    #expect(try fixture.details(later).reminder.completion == saturday.addingTimeInterval(60))
  }
}
