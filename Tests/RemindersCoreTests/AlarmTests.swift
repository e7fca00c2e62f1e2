import Foundation
import GRDB
import RemindersCoreTestSupport
import RemindersTestSupport
import SQLiteSync
import Testing

@testable import RemindersCore

@Suite struct AlarmTests {
  private static let utc = LocalTime(
    now: Date(timeIntervalSince1970: 1_795_271_520), timeZone: .gmt)

  @Test(arguments: Alarm.examples)
  func `every phrase of the table is stored as it says`(
    phrases: [String], meaning: String, stored: String
  ) throws {
    for phrase in phrases {
      let alarm = try Alarm.parse(phrase, isDue: true, in: Self.utc)
      #expect(alarm.stored == stored, "\(phrase)")
      #expect(Alarm(stored: stored) == alarm)
    }
  }

  @Test(arguments: ["never and 10m before", "8am, never"])
  func `never beside another alarm is refused with a sentence`(typed: String) async throws {
    let fixture = try Fixture()
    let alarms = try Alarm.parseList(typed, isDue: true, in: Self.utc)
    let draft = ReminderDraft(title: "Call", due: .day(Self.utc.today), alarms: alarms)
    let error = await #expect(throws: AppError.self) {
      try await fixture.database.addReminder(draft)
    }
    #expect(error?.reason.hasSuffix("contradict each other.") == true && error?.hint != nil)
    let id = try await fixture.add("Call", due: .day(Self.utc.today))
    await #expect(throws: AppError.self) {
      try await fixture.database.editReminders([id], [.set(\.alarms, alarms)])
    }
  }

  @Test func `the README has the table`() throws {
    let file = URL(filePath: #filePath).appending(path: "../../../README.md").standardized
    let readme = try String(contentsOf: file, encoding: .utf8)
    let begin = try #require(readme.range(of: "<!-- alarms -->\n"))
    let end = try #require(readme.range(of: "<!-- end of alarms -->"))
    let table = begin.upperBound..<end.lowerBound
    if ProcessInfo.processInfo.environment["UPDATE_SCREENS"] == "1" {
      let updated = readme.replacingCharacters(in: table, with: Alarm.markdown())
      try Data(updated.utf8).write(to: file)
    } else {
      #expect(String(readme[table]) == Alarm.markdown(), "UPDATE_SCREENS=1 writes it.")
    }
  }

  @Test(arguments: [false, true])
  func `everything that is shown can be typed`(isAmerican: Bool) throws {
    var time = Self.utc
    time.localeFormat = LocaleFormat(isMonthFirst: isAmerican, isHalfDayClock: isAmerican)
    let texts =
      Alarm.examples.map(\.stored) + ["-P1W", "-P9D", "-PT1H30M", "-P1DT2H", "-P3D 07:05"]
    let alarms = try texts.map { try #require(Alarm(stored: $0)) }
    for alarm in alarms {
      #expect(try Alarm.parse(alarm.text(in: time), isDue: true, in: time) == alarm)
    }
    #expect(try Alarm.parseList(Alarm.text(alarms, in: time), isDue: true, in: time) == alarms)
  }

  @Test func `a time alone is the next one where nothing is due`() throws {
    let alarm = try Alarm.parse("18:00", isDue: false, in: Self.utc)
    #expect(alarm.stored == "2026-11-21T18:00:00Z")
    let morning = try Alarm.parse("tomorrow", isDue: false, in: Self.utc)
    #expect(morning.stored == "2026-11-22T09:00:00Z")
    #expect(try Alarm.parseList("none", isDue: true, in: Self.utc) == [])
    let several = "1d before and 10m before, 8am"
    #expect(try Alarm.parseList(several, isDue: true, in: Self.utc).count == 3)
  }

  @Test(
    arguments: [
      "before", "10 before", "soon", "-10m before", "10mo before", "0x10m before", "8am before",
      "1d after 8am", "the day before noonish", "99999d before", "25:00",
    ])
  func `what is no alarm is refused with an example`(typed: String) {
    #expect(throws: AppError.self) { try Alarm.parse(typed, isDue: true, in: Self.utc) }
  }

  @Test(
    arguments: [
      "", "P", "PT", "-", "P1", "1D", "P1H", "PT1D", "P-1D", "P99999999D", "PT9999999999S", "8:00",
      "24:00", "08:60", "P1D 08:00", "-PT1H 08:00", "-P1D  08:00", "2026-11-22T09:00:00", "\u{0}",
      "P１D", "PT1M2", "-P1DT", "P" + String(repeating: "1D", count: 30),
    ])
  func `stored text that is no alarm is none`(text: String) {
    #expect(Alarm(stored: text) == nil)
  }

  /// Due at 9:00 in Berlin, or on that day; when it is announced there.
  @Test(
    arguments: [
      ("2026-11-27T09:00:00+01:00", "PT0S", "2026-11-27T09:00:00+01:00"),
      ("2026-11-27T09:00:00+01:00", "-PT10M", "2026-11-27T08:50:00+01:00"),
      ("2026-11-27T09:00:00+01:00", "-P1D", "2026-11-26T09:00:00+01:00"),
      ("2026-11-27T09:00:00+01:00", "08:00", "2026-11-27T08:00:00+01:00"),
      ("2026-11-27T09:00:00+01:00", "-P1D 20:00", "2026-11-26T20:00:00+01:00"),
      ("2026-11-27T09:00:00+01:00", "2026-11-01T12:00:00Z", "2026-11-01T13:00:00+01:00"),
      ("2026-11-27", "PT0S", "2026-11-27T07:30:00+01:00"),
      ("2026-11-27", "-PT10M", "2026-11-27T07:20:00+01:00"),
      ("2026-11-27", "-P1D", "2026-11-26T07:30:00+01:00"),
      ("2026-11-27", "18:00", "2026-11-27T18:00:00+01:00"),
      // A day before is the same time of the day, 24 hours before are not, when the clocks change.
      ("2026-10-25T09:00:00+01:00", "-P1D", "2026-10-24T09:00:00+02:00"),
      ("2026-10-25T09:00:00+01:00", "-PT24H", "2026-10-24T10:00:00+02:00"),
      ("2026-03-29", "02:30", "2026-03-29T03:30:00+02:00"),
      ("2026-03-30", "-P1D 02:30", "2026-03-29T03:30:00+02:00"),
    ])
  func `an alarm goes by the due date`(due: String, stored: String, moment: String) throws {
    let alarm = try #require(Alarm(stored: stored))
    let time = berlin()
    let found = try #require(
      alarm.moment(of: DueDate(stored: due), dayMinutes: 7 * 60 + 30, in: time))
    #expect(found.iso8601(offset: time.offset(at: found)) == moment)
  }

  @Test func `moments stay where they are when one travels, days and times of the day go along`()
    throws
  {
    var tokyo = berlin()
    tokyo.timeZone = try zone("Asia/Tokyo")
    let due = DueDate(stored: "2026-11-27")
    func text(_ stored: String, _ due: DueDate?) throws -> String? {
      try #require(Alarm(stored: stored)).moment(of: due, dayMinutes: 540, in: tokyo)?.iso8601UTC
    }
    #expect(try text("PT0S", due) == "2026-11-27T00:00:00Z")
    #expect(try text("2026-11-27T08:00:00Z", due) == "2026-11-27T08:00:00Z")
    let timed = DueDate(stored: "2026-11-27T08:00:00Z")
    #expect(try text("-PT10M", timed) == "2026-11-27T07:50:00Z")
    #expect(try text("08:00", timed) == "2026-11-26T23:00:00Z")
    #expect(try text("-PT10M", nil) == nil)
  }

  // MARK: - Lines

  @Test(
    arguments: [
      ("Call mum fri 9am remind 10m before", "Call mum", "2026-11-27T09:00:00+01:00", ["-PT10M"]),
      (
        "Call mum remind me 10m before fri 9am", "Call mum", "2026-11-27T09:00:00+01:00",
        ["-PT10M"]
      ),
      ("Call mum fri 9am remind 10m", "Call mum", "2026-11-27T09:00:00+01:00", ["-PT10M"]),
      (
        "Call mum fri 9am remind 1d and 1h30m", "Call mum", "2026-11-27T09:00:00+01:00",
        ["-P1D", "-PT1H30M"]
      ),
      ("Tea remind 10m", "Tea", nil, ["2026-11-21T13:42:00Z"]),
      ("Tax 31 dec remind two days before", "Tax", "2026-12-31", ["-P2D"]),
      ("Tax 31 dec remind -10m", "Tax", "2026-12-31", ["-PT10M"]),
      (
        "Call mum fri 9am remind -1d and -10m", "Call mum", "2026-11-27T09:00:00+01:00",
        ["-P1D", "-PT10M"]
      ),
      ("Dentist fri alarm 8am", "Dentist", "2026-11-27", ["08:00"]),
      ("Dentist alarm fri 8am", "Dentist", nil, ["2026-11-27T07:00:00Z"]),
      ("Milk alarm 18:00", "Milk", nil, ["2026-11-21T17:00:00Z"]),
      (
        "Tax 31 dec remind 1d and 1w before #money", "Tax", "2026-12-31", ["-P7D", "-P1D"]
      ),
      (
        "Bins every monday 8am alarm the day before 20:00", "Bins", "2026-11-23T08:00:00+01:00",
        ["-P1D 20:00"]
      ),
      (
        "A remind 10m before alarm on time fri 9am", "A", "2026-11-27T09:00:00+01:00",
        ["-PT10M", "PT0S"]
      ),
      ("Remind Anna", "Remind Anna", nil, []),
      ("Set the alarm", "Set the alarm", nil, []),
      ("Buy an alarm clock", "Buy an alarm clock", nil, []),
      ("Set \\alarm 8am", "Set alarm", "2026-11-22T08:00:00+01:00", []),
      ("Alarm 8am", "Alarm", "2026-11-22T08:00:00+01:00", []),
    ] as [(String, String, String?, [String])])
  func `a line says when a reminder is announced`(
    text: String, title: String, due: String?, alarms: [String]
  ) {
    let line = QuickAddLine(text, in: berlin())
    #expect(line.title == title)
    #expect(line.due?.iso8601(in: berlin()) == due)
    #expect(line.alarms.map(\.stored) == alarms)
  }

  // MARK: - Writes

  @Test func `alarms are added, changed and taken back`() async throws {
    let fixture = try Fixture()
    let alarms = try Alarm.parseList("10m before, 8am", isDue: true, in: berlin())
    let id = try await fixture.database.addReminder(
      ReminderDraft(title: "Call", due: .day(berlin().today), alarms: alarms + alarms)
    ).id
    #expect(try Set(fixture.details(id).alarms) == Set(alarms))
    let before = try fixture.contents()
    let edited = try await fixture.database.editReminders([id], [.set(\.alarms, [.whenDue])])
    #expect(try fixture.details(id).alarms == [.whenDue])
    let redo = try await fixture.database.undo(edited)
    #expect(try fixture.contents() == before)
    _ = try await fixture.database.undo(redo)
    #expect(try fixture.details(id).alarms == [.whenDue])
    let deleted = try await fixture.database.deleteReminders([id])
    _ = try await fixture.database.undo(deleted)
    #expect(try fixture.details(id).alarms == [.whenDue])
    #expect(try fixture.database.details(of: id)?.alarms == [.whenDue])
  }

  @Test func `an alarm of another program is kept and not shown`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Call")
    try fixture.execute(
      """
      INSERT INTO reminderAlarms (reminderID, alarm)
      VALUES ('\(id)', 'sometime'), ('\(id)', '-PT5M')
      """)
    #expect(try fixture.details(id).alarms.map(\.stored) == ["-PT5M"])
    _ = try await fixture.database.editReminders([id], [.set(\.alarms, [])])
    #expect(try fixture.contents().contains { $0.contains("sometime") })
    #expect(try fixture.details(id).alarms == [])
  }

  @Test func `an earlier schema has no alarms`() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: directory) }
    let database = try AppDatabase.migrated(in: directory, schema: .linksAndCovers)
    await #expect(throws: AppError.self) {
      try await database.addReminder(ReminderDraft(title: "A", alarms: [.whenDue]))
    }
    let id = try await database.addReminder(ReminderDraft(title: "A")).id
    await #expect(throws: AppError.self) {
      try await database.snooze([id], until: .distantFuture)
    }
    #expect(try database.fetch(AnnouncementQuery(rules: .standard, time: berlin())) == .init())
  }

  @Test func `a file of yesterday, with a part of the schema, gets the rest`() throws {
    let fixture = try Fixture()
    let directory = fixture.directory
    try fixture.execute(
      """
      DROP TABLE reminderAlarms;
      DROP TABLE reminderNotices;
      DELETE FROM grdb_migrations WHERE identifier = 'alarms';
      """)
    try fixture.database.writer.close()
    #expect(throws: AppError.self) {
      try AppDatabase(directory: directory, schema: .linksAndCovers)
    }
    let database = try AppDatabase(directory: directory)
    #expect(try database.read { try $0.schemaVersion } == .everyDay)
    #expect(try database.read { try $0.hasTable("reminderNotices") })
  }
}
