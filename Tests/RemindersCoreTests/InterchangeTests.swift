import Foundation
import GRDB
import Synchronization
import Testing

@testable import RemindersCore

@Suite struct InterchangeTests {
  /// Data with everything that a reminder can have, and what other programs trip over.
  func filled() async throws -> Fixture {
    let fixture = try Fixture()
    let time = berlin()
    let list = try await fixture.database.addList(title: "Summer, house; \"x\"", color: 0x12AB34).id
    let drafts = [
      ReminderDraft(
        title: "Milk, bread; \\n", notes: "two\nlines,\tand more", isFlagged: true, priority: .high,
        url: "https://example.org/a,b", listID: list, tags: ["shop", "night-out"],
        alarms: [.at(saturday)]),
      ReminderDraft(
        title: "Day", due: .day(try day("2026-12-25")), priority: .low, listID: list,
        alarms: [.whenDue, .clock(daysBefore: 1, minutes: 20 * 60), .offset(days: -2)]),
      ReminderDraft(
        title: "Ärzte \u{1F642} " + String(repeating: "long ", count: 30),
        due: try DueDate.parse("fri 9am", in: time), priority: .medium),
    ]
    for draft in drafts { _ = try await fixture.database.addReminder(draft) }
    let done = try await fixture.add("Done")
    _ = try await fixture.database.setDone(true, [done])
    let day = try fixture.detail(.all).rows.first { $0.title == "Day" }?.id
    _ = try await fixture.database.snooze(
      [try #require(day)], until: fixture.clock.now.addingTimeInterval(600))
    return fixture
  }

  func export(_ fixture: Fixture, _ format: ExportFormat = .json) throws -> Data {
    let bytes = Mutex<[UInt8]>([])
    try fixture.database.export(
      as: format, in: berlin(), to: OutputBuffer { piece in bytes.withLock { $0 += piece } })
    return Data(bytes.withLock { $0 })
  }

  /// What an export says, without what is only about this device.
  func document(_ data: Data) throws -> NSDictionary {
    var document = try #require(
      try JSONSerialization.jsonObject(with: data) as? [String: Any])
    document["unsent"] = nil
    return document as NSDictionary
  }

  @discardableResult
  func take(
    _ data: Data, _ format: ImportFormat, into fixture: Fixture, isRehearsal: Bool = false
  ) async throws -> ImportResult {
    let batch = try ImportFormat.read(data, as: format, name: "file", in: berlin())
    return try await fixture.database.addImported(batch, into: nil, isRehearsal: isRehearsal).result
  }

  @Test func anExportThatIsImportedIsTheSame() async throws {
    let one = try await filled()
    let data = try export(one)
    let other = try Fixture()
    let result = try await take(data, .json, into: other)
    #expect(result == ImportResult(lists: 1, reminders: 4))
    #expect(try document(export(other)) == document(data))
    let again = try await take(data, .json, into: other)
    #expect(again == ImportResult(known: 5), "nothing comes twice")
    #expect(try document(export(other)) == document(data))
  }

  @Test func `a file of too many lines is refused before it is read`() throws {
    let lines = Data(String(repeating: "A\n\n", count: ImportFormat.maximumReminders).utf8)
    _ = try ImportFormat.read(lines.dropLast(9), as: .todotxt, name: "todo.txt", in: berlin())
    let error = #expect(throws: AppError.self) {
      try ImportFormat.read(lines + Data("B".utf8), as: .todotxt, name: "todo.txt", in: berlin())
    }
    #expect(error?.reason.contains("has 100001 reminders; at most 100000") == true)
    #expect(error?.hint == "`split -l 100000` cuts it into parts.")
  }

  @Test func `a calendar of too many tasks is refused before it is read`() throws {
    func calendar(_ count: Int) -> Data {
      // What is not UTF-8 is refused where it is read.
      Data("BEGIN:VCALENDAR\r\n".utf8)
        + Data(String(repeating: "begin:vtodo\r\n", count: count).utf8)
        + Data([0xE4])
    }
    for (count, reason) in [(1, "is not in UTF-8"), (100_001, "has 100001 reminders")] {
      let error = #expect(throws: AppError.self) {
        try ImportFormat.read(calendar(count), as: .ics, name: "tasks.ics", in: berlin())
      }
      #expect(error?.reason.contains(reason) == true)
    }
  }

  private static let tasks = (1...3).map { #"{"uuid": "\#($0)", "description": "A"}"# }

  @Test(arguments: [
    (ImportFormat.todotxt, "A\n\nB\nC\n", [1, 2, 3]),
    (
      .ics, "BEGIN:VCALENDAR\n" + String(repeating: "BEGIN:VTODO\nEND:VTODO\n", count: 3),
      [0, 1, 2, 3]
    ),
    (.taskwarrior, "[\(tasks.joined(separator: ","))]", [1, 2, 3]),
    (.taskwarrior, tasks.joined(separator: ",\n"), [1, 2, 3]),
    (.json, #"{"version": 1, "lists": [], "reminders": [1, {}, 2]}"#, [1, 2, 3]),
  ])
  func `it is told how much of a file is read`(
    format: ImportFormat, text: String, told: [Int]
  ) throws {
    let steps = Mutex<[Int]>([])
    _ = try ImportFormat.read(Data(text.utf8), as: format, name: "file", in: berlin()) {
      completed, total in
      steps.withLock { $0.append(completed) }
      #expect(total == 3)
    }
    #expect(steps.withLock { $0 } == told)
  }

  @Test(arguments: [ImportFormat.ics, .todotxt, .taskwarrior])
  func whatAnotherFormatHoldsComesBack(format: ImportFormat) async throws {
    let one = try await filled()
    let written = try #require(ExportFormat(rawValue: format.rawValue))
    let data = try export(one, written)
    let other = try Fixture()
    let result = try await take(data, format, into: other)
    #expect(result.reminders == 4)
    let tabbed = "two\nlines,\tand more"
    #expect(String(decoding: try export(one, .csv), as: UTF8.self).contains("\"\(tabbed)\""))
    #expect(
      try format != .ics || other.detail(.all).rows.contains { $0.reminder.notes == tabbed })
    func facts(_ fixture: Fixture) throws -> [String] {
      var facts: [String] = []
      try fixture.database.forEach(FilterQuery([.all], showsCompleted: true, time: berlin())) {
        let priority = $0.status == .completed ? "" : $0.priority?.name ?? ""
        facts.append(
          [
            $0.id, $0.title.oneLine, $0.due?.iso8601(in: berlin()) ?? "", priority,
            $0.status.name, $0.tags.joined(separator: " "),
            SearchFold.comparable($0.list.title),
          ].joined(separator: "|"))
      }
      return facts.sorted()
    }
    #expect(try facts(other) == facts(one))
    #expect(try await take(data, format, into: other).reminders == 0, "nothing comes twice")
  }

  /// What somebody typed is kept as it is.
  @Test(arguments: [ImportFormat.json, .ics, .todotxt, .taskwarrior])
  func `spaces between words come back from a format`(format: ImportFormat) async throws {
    let (title, notes) = ("Call  mum   +now due:x", "two  spaces\n  and more")
    let one = try Fixture()
    _ = try await one.database.addReminder(
      ReminderDraft(title: title, notes: notes, tags: ["home"]))
    let data = try export(one, try #require(ExportFormat(rawValue: format.rawValue)))
    let other = try Fixture()
    try await take(data, format, into: other)
    let row = try #require(try other.detail(.all).rows.first)
    #expect(row.title == title)
    #expect(format == .todotxt || row.reminder.notes == notes)
  }

  @Test(arguments: [
    "", " ", "a", " a  b\tc ", "a\u{B}b\u{C}c", "a\u{1C}b", "Ä\u{A0}b\u{3000}c", "a \u{301}b",
    "a\r\nb",
  ])
  func `words are between what Unicode calls white space`(line: String) {
    #expect(TextLines.words(of: line) == line.split(whereSeparator: \.isWhitespace))
  }

  @Test func `what stands between the words of a todo.txt stays but for what means something`()
    async throws
  {
    let fixture = try Fixture()
    let text = "(A) Call  mum @phone  today\t +Family  or   later\n"
    try await take(Data(text.utf8), .todotxt, into: fixture)
    #expect(try fixture.detail(.all).rows.map(\.title) == ["Call  mum today or   later"])
  }

  @Test func `a series of a calendar keeps its weekday and clock wherever it is read`()
    async throws
  {
    let one = try Fixture(timeZone: berlin().timeZone)
    let id = try await one.database.addReminder(
      ReminderDraft(
        title: "Bins", due: try DueDate.parse("2026-11-23 00:30", in: berlin()),
        recurrence: try Recurrence.parse("every mon until 2026-12-31", in: berlin()))
    ).id
    let text = String(decoding: try export(one, .ics), as: UTF8.self)
    for line in [
      "DTSTART;TZID=Europe/Berlin:20261123T003000", "DUE;TZID=Europe/Berlin:20261123T003000",
      "UNTIL=20261231T225959Z", "BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\n",
    ] {
      #expect(text.contains(line), "\(line) in \(text)")
    }
    let there = LocalTime(now: saturday, timeZone: try zone("America/Los_Angeles"))
    let other = try Fixture(timeZone: there.timeZone)
    let batch = try ImportFormat.read(Data(text.utf8), as: .ics, name: "file", in: there)
    #expect(try await other.database.addImported(batch, into: nil).result.problems == [])
    #expect(try other.details(id).due == one.details(id).due)
    #expect(try other.details(id).recurrence == one.details(id).recurrence)
    _ = try await other.database.setDone(true, [id])
    #expect(try other.details(id).due?.stored == "2026-11-29T23:30:00Z")
    #expect(try String(decoding: export(other, .ics), as: UTF8.self).contains("T003000"))
    // Who does not know the zone by its name has it in the file.
    let named = text.replacing("Europe/Berlin", with: "Home")
    let third = try Fixture()
    try await take(Data(named.utf8), .ics, into: third)
    #expect(try third.details(id).due == one.details(id).due)
  }

  @Test(arguments: ["Europe/Berlin", "America/New_York", "Australia/Sydney", "Asia/Kolkata", "GMT"])
  func `a zone that is written is the zone`(name: String) throws {
    let zone = try zone(name)
    let text = ICalendarText.zone(zone, around: saturday)
    var problems: [String] = []
    let lines = try ICalendarFile.lines(of: Data(text.utf8), name, &problems)
      .compactMap(ICalendarFile.Line.init)
    let read = try #require(ICalendarZone(Array(lines.dropFirst().dropLast())))
    for days in stride(from: -300, to: 3000, by: 13) {
      let time = LocalTime(now: saturday, timeZone: zone)
      let day = time.today.adding(days: days)
      #expect(read.moment(day, seconds: 9 * 3600) == time.moment(day, minutes: 9 * 60), "\(day)")
    }
  }

  @Test func `alarms come back from iCalendar, also those of other programs`() async throws {
    let one = try await filled()
    let data = try export(one, .ics)
    func alarms(_ fixture: Fixture) throws -> [[String]] {
      try fixture.detail(.all).rows.map { $0.alarms.map(\.stored) }.filter { !$0.isEmpty }
    }
    let other = try Fixture()
    try await take(data, .ics, into: other)
    #expect(try alarms(other) == alarms(one))
    // What another program makes of the triggers, which count from midnight.
    let text = String(decoding: data, as: UTF8.self).split(separator: "\r\n")
      .filter { !$0.hasPrefix("X-REMINDERS-ALARM") }.joined(separator: "\r\n")
    let third = try Fixture()
    try await take(Data(text.utf8), .ics, into: third)
    #expect(
      try alarms(third) == [
        ["-P2D 09:00", "-P1D 20:00", "09:00"], ["2026-11-21T13:32:00Z"],
      ])
  }

  @Test func whatComesAgainAndWhatIsPartOfAnotherComesBack() async throws {
    let one = try await filled()
    let list = try one.database.fetch(ListsQuery())[0].id
    let trip = try await one.database.addReminder(
      ReminderDraft(
        title: "Trip", due: .day(berlin().today), listID: list,
        recurrence: Recurrence(.weekly, weekdays: [Recurrence.Weekday(5)]))
    ).id
    _ = try await one.database.addReminder(
      ReminderDraft(title: "Bag", listID: list, parentID: trip))
    let data = try export(one)
    let other = try Fixture()
    let result = try await take(data, .json, into: other)
    #expect(result.reminders == 6 && result.problems == [])
    #expect(try document(export(other)) == document(data))
  }

  @Test func whatEditsOfTwoDevicesCameToComesBack() async throws {
    let one = try Fixture()
    let series = try await one.database.addReminder(
      ReminderDraft(title: "Rent", due: .day(berlin().today), recurrence: Recurrence(.monthly))
    ).id
    try one.execute("UPDATE reminders SET dueDate = NULL WHERE id = '\(series)'")
    let part = try await one.add("Bag")
    try one.execute("UPDATE reminders SET parentID = 'gone' WHERE id = '\(part)'")
    let data = try export(one)
    let other = try Fixture()
    #expect(try await take(data, .json, into: other).problems == [])
    #expect(try document(export(other)) == document(data))
  }

  @Test func theOccurrenceOfASeriesAndSavedSearchesComeBack() async throws {
    let one = try Fixture()
    let id = try await one.database.addReminder(
      ReminderDraft(
        title: "Rent", due: .day(try day("2027-01-31")), recurrence: Recurrence(.monthly))
    ).id
    for _ in 1...2 { _ = try await one.database.setDone(true, [id]) }
    _ = try await one.database.editReminders([id], [.set(\.due, .day(try day("2027-04-02")))])
    _ = try await one.database.saveSearch(titled: "Soon", query: "due<+3d", in: berlin())
    let data = try export(one)
    let other = try Fixture()
    #expect(try await take(data, .json, into: other).problems == [])
    #expect(try document(export(other)) == document(data))
    // The third goes on where the second left off, though it was moved.
    _ = try await other.database.setDone(true, [id])
    #expect(try other.details(id).due == .day(try day("2027-04-30")))
  }

  @Test(arguments: [
    "every day", "every+ mon and thu", "every! 3 days", "monthly on the last fri", "every 31st",
    "every 25 dec", "every day 5 times", "every mon until 2027-03-01",
  ])
  func aRuleOfICalendarComesBack(phrase: String) async throws {
    for due in ["2026-11-25", "2026-11-25 00:30"] {
      let one = try Fixture()
      let id = try await one.database.addReminder(
        ReminderDraft(
          title: "x", due: try DueDate.parse(due, in: berlin()),
          recurrence: try Recurrence.parse(phrase, in: berlin()))
      ).id
      let data = try export(one, .ics)
      let other = try Fixture()
      #expect(try await take(data, .ics, into: other).problems == [])
      let (before, after) = (try one.details(id), try other.details(id))
      #expect(after.recurrence == before.recurrence && after.due == before.due)
      #expect(after.notes.isEmpty)
    }
  }

  @Test func aRehearsalChangesNothing() async throws {
    let data = try export(try await filled())
    let other = try Fixture()
    let before = try other.contents()
    let result = try await take(data, .json, into: other, isRehearsal: true)
    #expect(result.reminders == 4)
    #expect(try other.contents() == before)
  }

  /// As RFC 5545 has it: folded lines, zones, alarms, and what there is no place for.
  @Test func aCalendarOfAnotherProgramIsRead() async throws {
    let text = """
      BEGIN:VCALENDAR
      X-WR-CALNAME:Chores
      BEGIN:VTIMEZONE
      TZID:America/New_York
      END:VTIMEZONE
      BEGIN:VEVENT
      SUMMARY:Party
      END:VEVENT
      BEGIN:VTODO
      UID:1@example.org
      SUMMARY:Wash the
        car\\, twice
      DUE;TZID="America/New_York":20261224T090000
      PRIORITY:2
      RRULE:FREQ=DAILY
      CATEGORIES:garden,night\\, out
      BEGIN:VALARM
      SUMMARY:Not this
      TRIGGER:-PT5M
      END:VALARM
      BEGIN:VALARM
      TRIGGER:sometime
      BEGIN:X-INNER
      TRIGGER:-PT1H
      END:X-INNER
      END:VALARM
      BEGIN:VALARM
      TRIGGER;VALUE=DATE-TIME:20261224T120000Z
      END:VALARM
      END:VTODO
      BEGIN:VTODO
      UID:2
      SUMMARY:Old
      DUE;VALUE=DATE:20261320
      COMPLETED:20261101T120000Z
      END:VTODO
      BEGIN:VTODO
      UID:3
      END:VTODO
      END:VCALENDAR
      """
    let fixture = try Fixture()
    let result = try await take(Data(text.utf8), .ics, into: fixture)
    #expect(result.reminders == 2 && result.lists == 1)
    for what in ["VEVENT", "VALARM: sometime", "DUE: 20261320", "3"] {
      #expect(result.problems.contains { $0.contains(what) }, "\(what): \(result.problems)")
    }
    let row = try #require(try fixture.detail(.all).rows.first)
    #expect(row.title == "Wash the car, twice" && row.priority == .high)
    #expect(row.due?.iso8601(in: berlin()) == "2026-12-24T15:00:00+01:00")
    #expect(row.recurrence?.rule == "FREQ=DAILY")
    #expect(row.alarms.map(\.stored) == ["-PT5M", "2026-12-24T12:00:00Z"])
    #expect(row.tags == ["garden", "night,-out"] && row.list.title == "Chores")
    #expect(try fixture.titles(.completed) == ["Old"])
  }

  @Test func whatCanBeUndoneCountsWhatCameIn() async throws {
    let fixture = try Fixture()
    func undo(_ text: String) async throws -> String {
      let batch = try ImportFormat.read(
        Data(text.utf8), as: .todotxt, name: "file", in: berlin())
      return try await fixture.database.addImported(batch, into: nil).undo.label
    }
    #expect(try await undo("Milk +Shop\nBread") == "Imported 1 list, 2 reminders")
    #expect(try await undo("Milk +Shop\nBread\nEggs") == "Imported 1 reminder")
  }
}
