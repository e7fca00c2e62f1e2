import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import RemindersCore

/// A series of which an occurrence is completed far from where it was made.
@Suite struct SeriesZoneTests {
  private static let zones = [
    "America/Los_Angeles", "Pacific/Auckland", "Australia/Lord_Howe", "Pacific/Apia",
    "Africa/Casablanca", "Asia/Kathmandu", "UTC",
  ]

  private func add(
    _ phrase: String, due: DueDate? = nil, to fixture: Fixture
  ) async throws -> Reminder.ID {
    let time = berlin(fixture.clock.now)
    let typed = try TypedSeries(phrase, in: time)
    let draft = ReminderDraft(
      title: "Stand-up", due: typed.firstDue(from: due, in: time), recurrence: typed.rule)
    return try await fixture.database.addReminder(draft).id
  }

  /// When the reminder is due in Berlin: `Mon 2026-11-23 09:00`.
  private func due(_ id: Reminder.ID, _ fixture: Fixture) throws -> String {
    text(try #require(try fixture.details(id).due))
  }

  private func text(_ due: DueDate) -> String {
    let (time, names) = (berlin(), ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"])
    let day = due.day(in: time)
    let clock = SeriesClock(due, in: time).map { " " + $0.text().prefix(5) } ?? ""
    return "\(names[day.weekday]) \(day)\(clock)"
  }

  @Test(arguments: zones, ["every", "every+", "every!"])
  func `a series keeps its weekday and its time, wherever it is completed`(
    place: String, opening: String
  ) async throws {
    let fixture = try Fixture(timeZone: berlin().timeZone)
    // Some of these are on another day there.
    for clock in ["00:30", "09:00", "23:30"] {
      fixture.clock.now = saturday
      fixture.timeZone = berlin().timeZone
      let id = try await add("\(opening) monday \(clock)", to: fixture)
      fixture.timeZone = try zone(place)
      // Each when it is due; with the end of daylight saving in Berlin.
      for week in 0..<20 {
        let expected = try day("2026-11-23").adding(days: 7 * week)
        #expect(try due(id, fixture) == "Mon \(expected) \(clock)")
        guard case .moment(let moment) = try fixture.details(id).due else { return }
        fixture.clock.now = moment + 60
        _ = try await fixture.database.setDone(true, [id])
      }
    }
  }

  @Test(arguments: zones)
  func `an all-day series has the days of whoever completes it`(place: String) async throws {
    let fixture = try Fixture(timeZone: try zone(place))
    let id = try await add("every monday", to: fixture)
    fixture.clock.advance(by: 4 * 86_400)
    _ = try await fixture.database.setDone(true, [id])
    #expect(try due(id, fixture) == "Mon 2026-11-30")
  }

  @Test func `a time that is set elsewhere is by the clocks of there`() async throws {
    let fixture = try Fixture(timeZone: berlin().timeZone)
    let id = try await add("every monday 9am", to: fixture)
    fixture.timeZone = try zone("Asia/Tokyo")
    let tokyo = LocalTime(now: saturday, timeZone: try zone("Asia/Tokyo"))
    let moved = DueDate.at(try day("2026-11-23"), minutes: 7 * 60, in: tokyo)
    _ = try await fixture.database.editReminders([id], [.set(\.due, moved)])
    fixture.timeZone = berlin().timeZone
    // Sunday evening in Berlin, and Monday there.
    for week in 0..<20 {
      let expected = try day("2026-11-23").adding(days: 7 * week)
      #expect(try fixture.details(id).due == .at(expected, minutes: 7 * 60, in: tokyo))
      _ = try await fixture.database.setDone(true, [id])
    }
  }

  @Test func `a rule that is set elsewhere is at home there`() async throws {
    let fixture = try Fixture(timeZone: berlin().timeZone)
    let id = try await add("every monday 9am", to: fixture)
    fixture.timeZone = try zone("Asia/Tokyo")
    let tokyo = LocalTime(now: saturday, timeZone: try zone("Asia/Tokyo"))
    let rule = try Recurrence.parse("every friday", in: tokyo)
    _ = try await fixture.database.editReminders([id], [.set(\.recurrence, rule)])
    fixture.timeZone = try zone("America/Los_Angeles")
    for week in 0..<20 {
      let expected = try day("2026-11-27").adding(days: 7 * week)
      #expect(try fixture.details(id).due == .at(expected, minutes: 17 * 60, in: tokyo))
      _ = try await fixture.database.setDone(true, [id])
    }
  }

  /// A device in Berlin and one elsewhere, and what comes again on Mondays at 8 in Berlin.
  private func devicesWithASeries(
    _ place: String
  ) async throws -> (devices: [SeriesSyncTests.Device], id: Reminder.ID) {
    let store = MemoryStore()
    let zones = [berlin().timeZone, try zone(place)]
    let devices = try zones.map { try SeriesSyncTests.Device(.current, store, timeZone: $0) }
    let typed = try TypedSeries("every+ monday 8:00", in: berlin())
    let id = try await devices[0].database.addReminder(
      ReminderDraft(
        title: "Stand-up", due: typed.firstDue(from: nil, in: berlin()), recurrence: typed.rule)
    ).id
    for device in devices { try await device.sync() }
    return (devices, id)
  }

  @Test(arguments: zones, [[0, 1], [1, 0]])
  func `devices in two time zones that complete it offline advance once`(
    place: String, syncing: [Int]
  ) async throws {
    let (devices, id) = try await devicesWithASeries(place)
    for device in devices {
      device.clock.advance(by: 60)
      _ = try await device.database.setDone(true, [id])
    }
    for index in syncing + syncing { try await devices[index].sync() }
    for device in devices {
      let rows = try device.database.fetch(
        ReminderListQuery(.all, showsCompleted: true, time: berlin())
      ).rows
      #expect(
        rows.map { "\(text($0.due ?? .day(CalendarDay(number: 0)))) \($0.status)" }
          == ["Mon 2026-11-30 08:00 incomplete", "Mon 2026-11-23 08:00 completed"])
      #expect(try await device.database.rollOver() == 0)
    }
  }

  @Test(arguments: zones, [[0, 1, 2], [2, 1, 0]])
  func `what an earlier app completes elsewhere goes on at home`(
    place: String, syncing: [Int]
  ) async throws {
    let store = MemoryStore()
    let devices = try [
      SeriesSyncTests.Device(.current, store, timeZone: berlin().timeZone),
      SeriesSyncTests.Device(.current, store, timeZone: try zone(place)),
      SeriesSyncTests.Device(.linksAndCovers, store, timeZone: try zone(place)),
    ]
    let typed = try TypedSeries("every monday 8:00", in: berlin())
    let id = try await devices[0].database.addReminder(
      ReminderDraft(
        title: "Stand-up", due: typed.firstDue(from: nil, in: berlin()), recurrence: typed.rule)
    ).id
    for device in devices { try await device.sync() }
    for device in devices { device.clock.advance(by: 2 * 86_400) }
    _ = try await devices[2].database.setDone(true, [id])
    for index in syncing + syncing + syncing { try await devices[index].sync() }
    for device in devices {
      let rows = try device.database.fetch(
        ReminderListQuery(.all, showsCompleted: true, time: berlin())
      ).rows
      #expect(
        rows.map { "\($0.due.map(text) ?? "") \($0.status)" }
          == ["Mon 2026-11-30 08:00 incomplete", "Mon 2026-11-23 08:00 completed"])
    }
  }

  private static let rules = [
    "every day", "every+ 2 days", "every mon, thu", "every 31st", "monthly on the last sun",
    "every 29 feb", "every! 3 days", "every weekday", "every 2 weeks on sun", "every! month",
    "every year on the last sun in mar, oct", "every+ 30.3.",
  ]

  /// Across the gaps and the repeated hours of daylight saving.
  @Test(arguments: zones + ["Europe/Berlin", "Africa/Cairo", "America/St_Johns"], 1...3)
  func `every next occurrence is later, on a day of its rule and at its time`(
    place: String, seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    let home = LocalTime(now: saturday, timeZone: try zone(place))
    for phrase in Self.rules {
      for minutes in [0, 30, 90, 120, 150, 180, 719, 1439] {
        let start = home.today.adding(days: Int.random(in: 0...400, using: &random))
        let typed = try #require(try Recurrence.parse(phrase, in: home))
        let first = typed.first(onOrAfter: start)
        let rule = typed.anchored(to: first)
        var due = DueDate.at(first, minutes: minutes, in: home)
        // In a gap, the time is the one that is shown.
        let minutes = try #require(due.minutes(in: home))
        var occurrence = Occurrence(of: rule, due: due, replacing: nil, id: "x", in: home)
        for _ in 1...12 {
          guard case .moment(let moment) = due else { return }
          let done = moment + Double.random(in: -90_000...300_000, using: &random)
          let place = Self.zones.randomElement(using: &random) ?? "UTC"
          let there = LocalTime(now: done, timeZone: try zone(place))
          let columns: RowChange.Columns = [
            "id": "x".databaseValue, "dueDate": due.stored.databaseValue,
            "recurrence": rule.stored.databaseValue,
            "occurrence": occurrence.stored.databaseValue,
          ]
          let next = try #require(Rollover(columns, completed: done, in: there))
          let name = Comment("\(phrase) \(minutes) \(due.stored) \(next.nextDue.stored)")
          #expect(next.nextDue.stored > due.stored, name)
          #expect(rule.first(onOrAfter: next.next.day) == next.next.day, name)
          #expect(next.nextDue == .at(next.next.day, minutes: minutes, in: home), name)
          try expectToBeTyped(next.nextDue, in: there)
          (due, occurrence) = (next.nextDue, next.next)
        }
      }
    }
  }

  /// Everything that the program shows can be typed, but for the hour that comes twice.
  private func expectToBeTyped(_ due: DueDate, in time: LocalTime) throws {
    let minutes = try #require(due.minutes(in: time))
    guard due == .at(due.day(in: time), minutes: minutes, in: time) else { return }
    for text in [due.dateText(in: time), due.fullText(in: time)] {
      #expect(try DueDate.parse(text, in: time) == due, "\(text)")
    }
  }

  /// What one of them makes of a series whose rule the other changes.
  @Test(arguments: zones, [[0, 1], [1, 0]])
  func `a rule that is changed far from where it is completed holds for both`(
    place: String, syncing: [Int]
  ) async throws {
    let (devices, id) = try await devicesWithASeries(place)
    devices[0].clock.advance(by: 60)
    let rule = try Recurrence.parse("every+ 2 weeks on monday", in: berlin())
    _ = try await devices[0].database.editReminders([id], [.set(\.recurrence, rule)])
    devices[1].clock.advance(by: 120)
    _ = try await devices[1].database.setDone(true, [id])
    for index in syncing + syncing + syncing { try await devices[index].sync() }
    for device in devices {
      let open = try #require(try device.database.fetch(ReminderQuery(id)))
      #expect(open.due.map(text) == "Mon 2026-12-07 08:00" && open.recurrence == rule)
      #expect(try await device.database.rollOver() == 0)
    }
  }

  @Test func `the agenda has the days of whoever looks`() async throws {
    let fixture = try Fixture(timeZone: berlin().timeZone)
    try await _ = add("every monday 8:00", to: fixture)
    let time = LocalTime(now: saturday, timeZone: try zone("America/Los_Angeles"))
    let days = time.today...time.today.adding(days: 22)
    let agenda = try fixture.database.fetch(AgendaQuery(days, time: time))
    #expect(
      agenda.days.map { "\($0.day)" }
        == ["2026-11-22", "2026-11-29", "2026-12-06", "2026-12-13"])
    #expect(agenda.days.allSatisfy { $0.entries[0].due.minutes(in: time) == 23 * 60 })
  }

  /// In New York daylight saving begins three weeks earlier.
  @Test func `an occurrence that is moved elsewhere keeps the time of its series`() async throws {
    let fixture = try Fixture(timeZone: berlin().timeZone)
    let id = try await add("every friday 9am starting 5 mar 2027", to: fixture)
    let newYork = LocalTime(now: saturday, timeZone: try zone("America/New_York"))
    fixture.timeZone = newYork.timeZone
    fixture.clock.now = try #require(Date(iso8601: "2027-03-12T07:00:00Z"))
    _ = try await fixture.database.setDone(true, [id])
    #expect(try due(id, fixture) == "Fri 2027-03-19 09:00")
    fixture.clock.now = try #require(Date(iso8601: "2027-03-19T07:00:00Z"))
    let former = try #require(try fixture.details(id).due)
    let later = former.moved(to: former.day(in: newYork).adding(days: 12), in: newYork)
    _ = try await fixture.database.editReminders([id], [.set(\.due, later)])
    #expect(try due(id, fixture) == "Wed 2027-03-31 09:00")
    fixture.clock.now = try #require(Date(iso8601: "2027-03-31T08:00:00Z"))
    _ = try await fixture.database.setDone(true, [id])
    #expect(try due(id, fixture) == "Fri 2027-04-02 09:00")
  }

  /// What two devices must read alike.
  @Test(
    arguments: [
      ("1 2026-11-23 a^b@09:30@Europe/Berlin", 570, "Europe/Berlin", "a^b@09:30 1"),
      ("2 2026-11-23 a^b@09:30@GMT+0530", 570, "GMT+0530", "a^b@09:30 2"),
      ("2 2026-11-23 a^b@09:30", 570, nil, "a^b@09:30 2"),
      ("2 2026-11-23 a^b@09:30@Mars/Olympus", 570, nil, "a^b@09:30 2"),
      (
        "1 2026-11-23 a^b@09:30@Asia/Tokyo<c@08:00@Asia/Dubai~4", 570, "Asia/Tokyo",
        "c@08:00@Asia/Dubai 4"
      ),
      ("2 2026-11-23 a^b@09:30@GMT+99:99", 570, nil, "a^b@09:30 2"),
      ("2 2026-11-23 a^b@09:30@../../etc/passwd", 570, nil, "a^b@09:30 2"),
      ("2 2026-11-23 a^b@09:30@", 570, nil, "a^b@09:30 2"),
      ("2 2026-11-23 a^b", nil, nil, "a^b 2"), ("2 2026-11-23 a@25:00", nil, nil, "a@25:00 2"),
    ] as [(String, Int?, String?, String)])
  func `the name of a series says its time and its place`(
    stored: String, minutes: Int?, place: String?, name: String
  ) throws {
    let occurrence = try #require(Occurrence(stored: stored))
    #expect(occurrence.clock?.minutes == minutes)
    #expect(occurrence.clock?.timeZone?.identifier == place)
    #expect(occurrence.name == name && occurrence.stored == stored)
  }
}
