import Foundation
import GRDB
import RemindersTestSupport
import Testing

@testable import RemindersCore

/// What is announced when, as a table of cases.
@Suite struct AnnouncementTests {
  /// A reminder on Saturday 21 November 2026, at 14:32 in Berlin.
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    var due: String?
    var alarms: [String] = []
    /// Of this alarm, or snoozed until this moment.
    var announced: [String] = []
    var snoozed: String?
    var edited: String?
    var moved: String?
    /// These alarms were set when they were over.
    var late: [String] = []
    var rules = AlarmRules.standard
    /// The moment that is announced now; nil for none.
    var now: String?
    var next: String?

    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "no date, no alarm"),
    Case(name: "a time that has come", due: at("14:30"), now: at("14:30")),
    Case(name: "a time to come", due: at("18:00"), next: at("18:00")),
    Case(name: "a time of this minute", due: at("14:32"), now: at("14:32")),
    Case(name: "announced already", due: at("14:30"), announced: ["PT0S"]),
    Case(
      name: "two that were missed are one, the later one", due: at("14:30"),
      alarms: ["-PT10M", "PT0S"], now: at("14:30")),
    Case(
      name: "one was announced, one is to come", due: at("14:40"), alarms: ["-PT10M", "PT0S"],
      announced: ["-PT10M"], next: at("14:40")),
    Case(name: "its own alarm alone", due: at("14:00"), alarms: ["PT1H"], next: at("15:00")),
    Case(name: "a day, at nine", due: "2026-11-21", now: at("09:00")),
    Case(name: "tomorrow, at nine", due: "2026-11-22", next: "2026-11-22T09:00:00+01:00"),
    Case(
      name: "a day, at another time", due: "2026-11-21",
      rules: AlarmRules(dayMinutes: 20 * 60), next: at("20:00")),
    Case(name: "a day, not at all", due: "2026-11-21", rules: AlarmRules(announcesDays: false)),
    Case(
      name: "a day with an alarm of its own, all the same", due: "2026-11-21", alarms: ["15:00"],
      rules: AlarmRules(announcesDays: false), next: at("15:00")),
    Case(name: "a time, not at all", due: at("14:30"), rules: AlarmRules(announcesTimes: false)),
    Case(
      name: "entered after its moment, for today", due: "2026-11-21", edited: at("14:00")),
    Case(
      name: "an early alarm, entered too late", due: at("15:00"), alarms: ["-P1D", "PT0S"],
      edited: at("14:00"), next: at("15:00")),
    Case(
      name: "only an early alarm, entered too late", due: at("15:00"), alarms: ["-P1D"],
      edited: at("14:00"), next: at("15:00")),
    Case(
      name: "an early alarm of a day, entered too late", due: "2026-11-22",
      alarms: ["-P1D 14:00"], edited: at("14:01"), next: "2026-11-22T09:00:00+01:00"),
    Case(
      name: "an early alarm, entered before another one", due: at("15:00"),
      alarms: ["-P1D", "-PT10M"], edited: at("14:00"), next: at("14:50")),
    Case(
      name: "an early alarm that was announced, and then a change", due: at("15:00"),
      alarms: ["-P1D"], announced: ["-P1D"], edited: at("14:00")),
    Case(
      name: "a time that was over when it was entered", due: at("14:00"), edited: at("14:10"),
      now: at("14:00")),
    Case(
      name: "moved to a time that was over", due: at("14:00"), edited: at("14:10"),
      moved: at("14:10")),
    Case(
      name: "moved in the minute in which it is due", due: at("14:32"), edited: at("14:32"),
      moved: at("14:32"), now: at("14:32")),
    Case(
      name: "moved before its time, and edited after it", due: at("14:00"), edited: at("14:10"),
      moved: at("13:00"), now: at("14:00")),
    Case(
      name: "moved to a time that was over, with an alarm to come", due: at("14:00"),
      alarms: ["PT0S", "PT1H"], edited: at("14:10"), moved: at("14:10"), next: at("15:00")),
    Case(name: "missed a month ago", due: "2026-10-20T09:00:00Z"),
    Case(
      name: "missed three weeks ago", due: "2026-11-01T09:00:00Z",
      now: "2026-11-01T10:00:00+01:00"),
    Case(name: "without the date that it goes by", alarms: ["-PT10M", "08:00"]),
    Case(name: "a moment of its own", alarms: [at("14:00")], now: at("14:00")),
    Case(
      name: "a moment of its own, and then a change", alarms: [at("14:00")], edited: at("14:10"),
      now: at("14:00")),
    Case(
      name: "a moment that was over when it was set", alarms: [at("14:00")], edited: at("14:10"),
      late: [at("14:00")]),
    Case(
      name: "a moment that was over when it was set, of what is due later", due: at("15:00"),
      alarms: [at("14:00")], edited: at("14:10"), late: [at("14:00")], next: at("15:00")),
    Case(
      name: "a moment that was over when it was set, beside another alarm", due: at("15:00"),
      alarms: ["-PT10M", at("14:00")], edited: at("14:10"), late: [at("14:00")], next: at("14:50")),
    Case(
      name: "snoozed", due: at("14:30"), announced: ["PT0S"], snoozed: at("14:50"),
      next: at("14:50")),
    Case(
      name: "snoozed, and that is over", due: at("14:00"), announced: ["PT0S"],
      snoozed: at("14:20"), now: at("14:20")),
    Case(
      name: "snoozed, announced again", due: at("14:00"), announced: ["PT0S", at("14:20")],
      snoozed: at("14:20")),
    Case(
      name: "snoozed before it was announced", due: at("14:30"), snoozed: at("15:00"),
      next: at("15:00")),
    Case(
      name: "snoozed past another alarm", due: at("14:40"), alarms: ["-PT20M", "PT0S"],
      snoozed: at("15:00"), next: at("15:00")),
    Case(name: "snoozed without anything", snoozed: at("15:00"), next: at("15:00")),
  ]

  private static func at(_ clock: String) -> String { "2026-11-21T\(clock):00+01:00" }

  @Test(arguments: cases)
  func `it is announced when its moment comes, once`(_ example: Case) throws {
    let due = DueDate(stored: example.due)
    func moment(_ text: String?) throws -> Date? {
      try text.map { try #require(Date(iso8601: $0)) }
    }
    func alarm(_ text: String) throws -> Alarm { try #require(Alarm(stored: text)) }
    var item = AnnouncementSchedule.Item(
      id: "a", title: "A", due: due, alarms: try example.alarms.map(alarm),
      editedAt: try moment(example.edited))
    item.movedAt = try moment(example.moved)
    item.lateAlarms = Set(try example.late.map(alarm))
    var notices: [Notice.ID: Notice] = [:]
    for text in example.announced {
      notices[Notice.id(of: try alarm(text), "a", due: due)] = Notice(announcedAt: saturday)
    }
    if let until = try moment(example.snoozed) {
      notices[Notice.snoozeID(of: "a", due: due)] = Notice(snoozedUntil: until)
    }
    let schedule = AnnouncementSchedule(
      [item], notices: notices, rules: example.rules, in: berlin())
    #expect(
      schedule.due(at: saturday).map(\.moment) == [try moment(example.now)].compactMap(\.self))
    #expect(schedule.next(after: saturday) == (try moment(example.next)))
  }

  @Test func `an alarm follows the due date to the next occurrence`() throws {
    let notice = Notice.id(of: .whenDue, "a", due: DueDate(stored: "2026-11-20"))
    #expect(notice != Notice.id(of: .whenDue, "a", due: DueDate(stored: "2026-11-21")))
    let moment = Alarm.at(saturday)
    #expect(
      Notice.id(of: moment, "a", due: DueDate(stored: "2026-11-20"))
        == Notice.id(of: moment, "a", due: nil))
  }

  @Test func `several are summed up`() {
    let announcements = (1...7).map { number in
      Announcement(
        reminderID: "\(number)", title: "A\n\(number)", list: "", due: nil, moment: saturday,
        notices: [])
    }
    let text = Announcement.summary(announcements, in: berlin())
    #expect(text.title == "7 reminders are due")
    #expect(text.body == "“A 7”, “A 6”, “A 5”, “A 4”, “A 3”, and 2 more")
  }

  // MARK: - In the database

  private func due(_ fixture: Fixture) throws -> [Announcement] {
    let time = berlin(fixture.clock.now)
    return try fixture.database.fetch(AnnouncementQuery(rules: .standard, time: time))
      .due(at: time.now)
  }

  @Test func `what is claimed once is announced by nobody else`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Call", due: .moment(saturday.addingTimeInterval(600)))
    #expect(try due(fixture) == [])
    fixture.clock.advance(by: 600)
    let found = try due(fixture)
    #expect(found.map(\.reminderID) == [id])
    #expect(try await fixture.database.announce(found) == found)
    #expect(try await fixture.database.announce(found) == [], "by another window")
    #expect(try due(fixture) == [])
  }

  @Test func `what is snoozed comes again, and that can be undone`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Call", due: .moment(saturday))
    _ = try await fixture.database.announce(try due(fixture))
    let until = fixture.clock.now.addingTimeInterval(600)
    let step = try await fixture.database.snooze([id], until: until)
    #expect(step.label == "Snoozed “Call”")
    fixture.clock.advance(by: 599)
    #expect(try due(fixture) == [])
    fixture.clock.advance(by: 1)
    #expect(try due(fixture).map(\.moment) == [until])
    _ = try await fixture.database.undo(step)
    #expect(try due(fixture) == [])
  }

  @Test func `a snooze is ended, and that can be undone`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Call", due: .moment(saturday))
    #expect(try await fixture.database.snooze([id], until: nil).isEmpty)
    let until = fixture.clock.now.addingTimeInterval(600)
    _ = try await fixture.database.snooze([id], until: until)
    let step = try await fixture.database.snooze([id], until: nil)
    #expect(step.label == "Ended the snooze of “Call”")
    #expect(try fixture.details(id).snoozedUntil == nil)
    #expect(try due(fixture).map(\.moment) == [saturday])
    _ = try await fixture.database.undo(step)
    #expect(try fixture.details(id).snoozedUntil == until)
  }

  @Test func `a snooze is said, also in JSON, until it is over`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Call", due: .moment(saturday))
    func json(_ time: LocalTime = berlin()) throws -> String {
      try text { try ReminderJSON().write(fixture.details(id), in: time, to: &$0) }
    }
    let until = fixture.clock.now.addingTimeInterval(600)
    let step = try await fixture.database.snooze([id], until: until)
    #expect(try fixture.detail(.all).rows.first?.snooze(in: berlin()) == until)
    #expect(try json().contains("\"snoozedUntil\" : \"2026-11-21T14:42:00+01:00\""))
    #expect(try fixture.details(id).snooze(in: berlin(until)) == nil, "it is over")
    _ = try await fixture.database.undo(step)
    #expect(try json().contains("\"snoozedUntil\" : null"))
    _ = try await fixture.database.snooze([id], until: until)
    let tomorrow = DueDate.moment(saturday.addingTimeInterval(86_400))
    _ = try await fixture.database.editReminders([id], [.set(\.due, tomorrow)])
    #expect(try fixture.details(id).snoozedUntil == nil, "its due date is another")
  }

  @Test(arguments: [
    (0, "due today 14:32 · Work"), (-1, "1 day late · Work"), (-5, "5 days late · Work"),
    (1, "due tomorrow 14:32 · Work"),
  ]) func `an announcement says when it is due, or how late it is`(days: Int, text: String) {
    let due = DueDate.moment(saturday.addingTimeInterval(Double(days) * 86_400))
    let announcement = Announcement(
      reminderID: "", title: "Call", list: "Work", due: due, moment: saturday, notices: [])
    #expect(announcement.body(in: berlin()) == text)
  }

  @Test func `what is completed cannot be snoozed`() async throws {
    let fixture = try Fixture()
    let (done, open) = (try await fixture.add("Done"), try await fixture.add("Open"))
    _ = try await fixture.database.setDone(true, [done])
    let until = fixture.clock.now.addingTimeInterval(600)
    await #expect(throws: AppError.self) {
      try await fixture.database.snooze([done], until: until)
    }
    let step = try await fixture.database.snooze([done, open], until: until)
    #expect(step.changes.count == 1)
  }

  @Test func `what is completed, deleted or moved is not announced`() async throws {
    let fixture = try Fixture()
    let ids = [
      try await fixture.add("A", due: .moment(saturday)),
      try await fixture.add("B", due: .moment(saturday)),
      try await fixture.add("C", due: .moment(saturday)),
    ]
    let found = try due(fixture)
    #expect(found.count == 3)
    _ = try await fixture.database.setDone(true, [ids[0]])
    _ = try await fixture.database.deleteReminders([ids[1]])
    _ = try await fixture.database.editReminders(
      [ids[2]], [.set(\.due, .moment(saturday.addingTimeInterval(60)))])
    #expect(try due(fixture) == [])
    let claimed = try await fixture.database.announce(found.filter { $0.reminderID != ids[2] })
    #expect(claimed == [], "one was completed meanwhile, one deleted")
  }

  @Test func `a reminder that comes again is announced each time`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.database.addReminder(
      ReminderDraft(
        title: "Bins", due: .moment(saturday), alarms: [.offset(seconds: -600)],
        recurrence: try Recurrence.parse("every day", in: berlin()))
    ).id
    fixture.clock.advance(by: 60)
    #expect(try due(fixture) == [], "too late for an early alarm that was just entered")
    _ = try await fixture.database.setDone(true, [id])
    fixture.clock.advance(by: 86_400 - 660)
    #expect(try due(fixture).map(\.moment) == [saturday.addingTimeInterval(86_400 - 600)])
  }

  @Test func `an alarm that is over before its occurrence is made comes when that is due`()
    async throws
  {
    let fixture = try Fixture()
    let nine = berlin().moment(berlin().today, minutes: 9 * 60)
    let id = try await fixture.database.addReminder(
      ReminderDraft(
        title: "Bins", due: .moment(nine), alarms: [.clock(daysBefore: 1, minutes: 14 * 60)],
        recurrence: Recurrence(.daily))
    ).id
    _ = try await fixture.database.setDone(true, [id])
    let tomorrow = nine.addingTimeInterval(86_400)
    fixture.clock.advance(by: tomorrow.timeIntervalSince(fixture.clock.now) - 1)
    #expect(try due(fixture) == [])
    fixture.clock.advance(by: 1)
    let found = try due(fixture)
    #expect(found.map(\.moment) == [tomorrow])
    #expect(try await fixture.database.announce(found) == found)
    #expect(try due(fixture) == [])
  }

  /// Yesterday's is completed after today's time.
  @Test func `an occurrence that is over when its series goes on to it is announced as missed`()
    async throws
  {
    let fixture = try Fixture()
    let nine = berlin().moment(berlin().today, minutes: 9 * 60)
    let id = try await fixture.database.addReminder(
      ReminderDraft(
        title: "Pill", due: .moment(nine.addingTimeInterval(-86_400)),
        recurrence: try Recurrence.parse("every+ day", in: berlin()))
    ).id
    fixture.clock.advance(by: 60)
    _ = try await fixture.database.setDone(true, [id])
    #expect(try due(fixture).map(\.moment) == [nine])
  }

  @Test func `notices of long ago are forgotten`() async throws {
    let fixture = try Fixture()
    try await fixture.add("Old", due: .moment(saturday))
    _ = try await fixture.database.announce(try due(fixture))
    for _ in 1...62 {
      fixture.clock.advance(by: 86_400)
      try await fixture.add("New", due: .moment(fixture.clock.now))
      #expect(try due(fixture).map(\.title) == ["New"])
      _ = try await fixture.database.announce(try due(fixture))
    }
    let old = try await fixture.database.writer.read { db in
      try Int.fetchOne(
        db,
        sql: """
          SELECT count(*) FROM reminderNotices JOIN reminders ON reminders.id = reminderID
          WHERE title = 'Old'
          """)
    }
    #expect(old == 0)
    #expect(try due(fixture) == [])
  }

  @Test func `a clock that is wrong for an hour forgets no notice and no snooze`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Call", due: .moment(saturday))
    _ = try await fixture.database.announce(try due(fixture))
    let tomorrow = fixture.clock.now.addingTimeInterval(86_400)
    _ = try await fixture.database.snooze([id], until: tomorrow)
    try await fixture.add("Bins", due: .moment(saturday))
    _ = try await fixture.database.announce(try due(fixture))
    fixture.clock.advance(by: 200 * 86_400)
    for _ in 1...2 {
      try await fixture.add("Far", due: .moment(fixture.clock.now))
      _ = try await fixture.database.announce(try due(fixture))
      fixture.clock.advance(by: 600)
    }
    fixture.clock.advance(by: -1200 - 200 * 86_400)
    #expect(try due(fixture) == [])
    fixture.clock.advance(by: 86_400)
    #expect(try due(fixture).map(\.title) == ["Call"])
  }

  @Test func `none is no moment at all`() throws {
    #expect(try Snooze.moment(" None", in: berlin()) == nil)
  }

  @Test(arguments: ["10m", "1h", "tonight", "tomorrow 9:00", "tomorrow", "+5m"])
  func `one snoozes until a moment to come`(typed: String) throws {
    #expect(try #require(try Snooze.moment(typed, in: berlin())) > saturday)
  }

  @Test(arguments: ["", "none at all", "yesterday", "-10m", "now", "today"])
  func `one does not snooze until what is over`(typed: String) {
    #expect(throws: AppError.self) { try Snooze.moment(typed, in: berlin()) }
  }
}
