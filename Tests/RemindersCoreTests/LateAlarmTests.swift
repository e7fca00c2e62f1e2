import Foundation
import RemindersTestSupport
import Testing

@testable import RemindersCore

/// What is announced of what somebody sets to a time that is over.
@Suite struct LateAlarmTests {
  private func due(_ fixture: Fixture) throws -> [Announcement] {
    let time = berlin(fixture.clock.now)
    return try fixture.database.fetch(AnnouncementQuery(rules: .standard, time: time))
      .due(at: time.now)
  }

  /// As `J` does in the agenda with what is overdue.
  @Test func `what somebody moves to a time that is over is not announced as missed`()
    async throws
  {
    let fixture = try Fixture()
    let nine = berlin().moment(berlin().today, minutes: 9 * 60)
    let id = try await fixture.add("Call", due: .moment(nine.addingTimeInterval(-86_400)))
    let found = try due(fixture)
    #expect(try await fixture.database.announce(found) == found)
    _ = try await fixture.database.editReminders([id], [.set(\.due, .moment(nine))])
    #expect(try due(fixture) == [])
    _ = try await fixture.database.editReminders([id], [.set(\.notes, "by phone")])
    #expect(try due(fixture) == [])
    let later = DueDate.moment(fixture.clock.now.addingTimeInterval(600))
    _ = try await fixture.database.editReminders([id], [.set(\.due, later)])
    fixture.clock.advance(by: 600)
    #expect(try due(fixture).map(\.reminderID) == [id])
  }

  @Test func `an alarm at a moment that was over when it was set comes when the reminder is due`()
    async throws
  {
    let fixture = try Fixture()
    let late = Alarm.at(saturday.addingTimeInterval(-3600))
    let hour = DueDate.moment(saturday.addingTimeInterval(3600))
    let id = try await fixture.database.addReminder(
      ReminderDraft(title: "A", due: hour, alarms: [late])
    ).id
    let other = try await fixture.database.addReminder(ReminderDraft(title: "B", alarms: [late])).id
    #expect(try due(fixture) == [])
    fixture.clock.advance(by: 60)
    _ = try await fixture.database.editReminders([id, other], [.set(\.notes, "by phone")])
    #expect(try due(fixture) == [])
    fixture.clock.advance(by: 3600)
    #expect(try due(fixture).map(\.reminderID) == [id])
  }
}
