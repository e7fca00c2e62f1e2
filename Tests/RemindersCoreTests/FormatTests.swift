import Foundation
import GRDB
import RemindersTestSupport
import Testing

@testable import RemindersCore

/// What a format has no place for, and what it must not be taken for.
extension InterchangeTests {
  /// Words that todo.txt takes for something else, and names of lists with its white space.
  @Test(arguments: [
    "+1 for @home due:2026-01-01", "x (A) 2026-11-20 id:\(UUID())", #"\+y \\@z \\server\share \n"#,
  ])
  func wordsOfATitleAreWordsAgain(title: String) async throws {
    let (one, other) = (try Fixture(), try Fixture())
    let list = try await one.database.addList(title: #"my_list \ and_ more\"#, color: 0).id
    _ = try await one.database.addReminder(ReminderDraft(title: title, listID: list))
    try await take(try export(one, .todotxt), .todotxt, into: other)
    let row = try #require(try other.detail(.all).rows.first)
    #expect(row.title == title)
    #expect(row.reminder.tags == [] && row.reminder.due == nil)
    #expect(row.list.title == #"my_list \ and_ more\"#)
  }

  @Test func whatAFormatHasNoPlaceForIsCounted() async throws {
    let one = try await filled()
    func missing(_ format: ExportFormat) throws -> [String] {
      try one.database.export(as: format, in: berlin(), to: OutputBuffer { _ in })
    }
    #expect(try missing(.json) == [] && missing(.csv) == [] && missing(.ics) == ["1 snooze"])
    #expect(try missing(.todotxt) == ["1 note", "4 alarms", "1 flag", "1 link", "1 snooze"])
    #expect(try missing(.taskwarrior) == ["4 alarms", "1 flag", "1 link", "1 snooze"])
  }

  @Test func `the columns of CSV stay where they are`() async throws {
    let lines = String(decoding: try export(try await filled(), .csv), as: UTF8.self)
      .split(separator: "\r\n")
    #expect(
      lines.first == """
        id,title,notes,dueDate,priority,isFlagged,status,list,tags,url,createdAt,updatedAt,alarms,\
        completedAt,recurrence,parentID,snoozedUntil
        """)
    let day = """
      ,Day,,2026-12-25,low,false,incomplete,"Summer, house; ""x""\",,,2026-11-21T14:32:00+01:00,
      """
    #expect(lines.contains { $0.contains(day) && $0.hasSuffix("\",,,,2026-11-21T14:42:00+01:00") })
  }

  /// Read anywhere, in any year.
  @Test func `alarms of a CSV file are the same when they are read again`() async throws {
    let stored = [
      "2026-12-24T08:00:00Z", "-PT10M", "-PT90S", "-P1D", "-P9DT2H", "-P1D 20:00", "08:00",
      "PT0S", "PT15M",
    ]
    let alarms = try stored.map { try #require(Alarm(stored: $0)) }
    let fixture = try Fixture()
    _ = try await fixture.database.addReminder(
      ReminderDraft(title: "Call", due: .day(try day("2026-12-25")), alarms: alarms))
    let row = String(decoding: try export(fixture, .csv), as: UTF8.self).split(separator: "\r\n")
    let text = try #require(row.last?.split(separator: "\"").first { $0.contains("before") })
    let tokyo = LocalTime(now: saturday + 400 * 86_400, timeZone: try zone("Asia/Tokyo"))
    let read = try Alarm.parseList(String(text), isDue: true, in: tokyo)
    #expect(Set(read) == Set(alarms))
  }

  @Test func textsThatAreCutAreCounted() async throws {
    let one = try await filled()
    #expect(try one.database.countOfCutTexts() == 0)
    try await one.database.writer.write { db in
      try db.execute(
        sql: """
          UPDATE reminders SET title = 'a' || char(0) || 'b', notes = char(0)
          WHERE id = (SELECT min(id) FROM reminders)
          """)
    }
    #expect(try one.database.countOfCutTexts() == 1)
  }

  @Test(arguments: [ImportFormat.ics, .todotxt, .taskwarrior, .json])
  func aByteOrderMarkIsNoText(format: ImportFormat) async throws {
    let data = try export(
      try await filled(), try #require(ExportFormat(rawValue: format.rawValue)))
    let other = try Fixture()
    #expect(try await take(Data("\u{FEFF}".utf8) + data, format, into: other).reminders == 4)
    #expect(try !other.detail(.all).rows.contains { $0.title.contains("\u{FEFF}") })
  }

  @Test(arguments: ["a.csv", "a.TSV", "a.txt"])
  func aTableIsNoneOfWhatIsRead(name: String) async throws {
    let directory = try TemporaryDirectory()
    let file = directory.url.appending(path: name)
    try export(try await filled(), .csv).write(to: file)
    let error = #expect(throws: AppError.self) { try ImportFormat.read(file, in: berlin()) }
    #expect(error?.description.contains("is a table") == true)
  }

  @Test(arguments: ["passwd", "null.json", "notes.md", "-"])
  func aTextIsATodoFileOnlyByItsNameOrByRequest(name: String) throws {
    let text = Data("root:x:0:0\n".utf8)
    let error = #expect(throws: AppError.self) {
      try ImportFormat.read(text, as: nil, name: name, in: berlin())
    }
    #expect(error?.hint?.contains("--format") == true)
    #expect(try ImportFormat.read(text, as: .todotxt, name: name, in: berlin()).items.count == 1)
    for name in ["/a.b/todo.txt", "Done.TXT", "todo", "todo.bak"] {
      #expect(try ImportFormat.read(text, as: nil, name: name, in: berlin()).items.count == 1)
    }
  }

  @Test func aDueDateThatIsNoneIsTold() async throws {
    let lines = [
      "Pay due:11026-01-01", "Run due:2026-99-99", "Read \\due:soon", "Eat due:2026-12-24",
    ]
    let batch = try ImportFormat.read(
      Data(lines.joined(separator: "\n").utf8), as: .todotxt, name: "file", in: berlin())
    #expect(
      batch.problems == [
        "“Pay due:11026-01-01”: “due:11026-01-01” is not a due date",
        "“Run due:2026-99-99”: “due:2026-99-99” is not a due date",
      ])
  }

  @Test func whatALineOfTodoSaysTwiceIsInTheTitle() async throws {
    let lines = [
      "Pay due:2026-12-24 due:2026-12-25", "2026-11-20 2026-11-21 Run pri:A pri:B t:2026-11-01",
      "x 2026-11-20 2026-11-19 2026-11-18 Eat rec:1w rec:2w", "(A) (B) Read at:10:00 at:11:00",
    ]
    let batch = try ImportFormat.read(
      Data(lines.joined(separator: "\n").utf8), as: .todotxt, name: "file", in: berlin())
    #expect(
      batch.items.map(\.draft.title) == [
        "Pay due:2026-12-25", "2026-11-21 Run pri:A pri:B t:2026-11-01",
        "2026-11-18 Eat rec:1w rec:2w", "(B) Read at:11:00 at:10:00",
      ])
    #expect(batch.items[0].draft.due == .day(try day("2026-12-24")))
    #expect(
      batch.problems == [
        "“Pay due:2026-12-25”: “due:2026-12-25” is another due date, in the title"
      ])
  }

  @Test func whatATaskOfACalendarSaysTwiceIsInTheNotes() async throws {
    let lines = [
      "BEGIN:VCALENDAR", "BEGIN:VTODO", "UID:1", "SUMMARY:First", "SUMMARY:Second",
      "DUE;VALUE=DATE:20261224", "DUE;VALUE=DATE:20261224", "DUE;VALUE=DATE:20261225",
      "PRIORITY:1", "PRIORITY:9", "URL:https://a.example", "URL:https://b.example", "no colon",
      "END:VTODO", "END:VCALENDAR",
    ]
    let batch = try ImportFormat.read(
      Data(lines.joined(separator: "\r\n").utf8), as: .ics, name: "file", in: berlin())
    let draft = try #require(batch.items.first).draft
    #expect(draft.title == "First" && draft.priority == .high)
    #expect(draft.due == .day(try day("2026-12-24")) && draft.url == "https://a.example")
    let kept = [
      "SUMMARY: Second", "DUE;VALUE=DATE: 20261225", "PRIORITY: 9", "URL: https://b.example",
    ]
    #expect(draft.notes == kept.joined(separator: "\n"))
    #expect(
      batch.problems == [
        "not a line of iCalendar: “no colon”",
        "“First”: in its notes: \(kept.joined(separator: "; "))",
      ])
  }

  @Test func listsThatAFileTellsApartStayApart() async throws {
    func data(_ titles: [String]) -> Data {
      let todos = titles.flatMap {
        ["BEGIN:VTODO", "UID:\($0)", "SUMMARY:\($0)", "X-REMINDERS-LIST:\($0)", "END:VTODO"]
      }
      let lines = ["BEGIN:VCALENDAR"] + todos + ["END:VCALENDAR"]
      return Data(lines.joined(separator: "\r\n").utf8)
    }
    let fixture = try Fixture()
    _ = try await fixture.database.addList(title: "Work")
    _ = try await fixture.database.addList(title: "Büro")
    let titles = ["work", "Work", "WORK", "buro"]
    let batch = try ImportFormat.read(data(titles), as: .ics, name: "file", in: berlin())
    #expect(try await fixture.database.addImported(batch, into: nil).result.lists == 2)
    let lists = Dictionary(
      uniqueKeysWithValues: try fixture.detail(.all).rows.map { ($0.title, $0.list.title) })
    // What the file says in one way only is the list that is called alike.
    #expect(lists == ["work": "work", "Work": "Work", "WORK": "WORK", "buro": "Büro"])
  }

  @Test func aZoneThatNobodyKnowsAndASecondItemOfOneNameAreTold() async throws {
    let items = ["first", "second"].flatMap {
      [
        "BEGIN:VTODO", "UID:1", "SUMMARY:\($0)", "DUE;TZID=Mars/Olympus:20270310T090000",
        "END:VTODO",
      ]
    }
    let lines = ["BEGIN:VCALENDAR"] + items + ["END:VCALENDAR"]
    let data = Data(lines.joined(separator: "\r\n").utf8)
    let fixture = try Fixture()
    let result = try await take(data, .ics, into: fixture)
    #expect(result.reminders == 2)
    #expect(result.problems.count { $0.contains("Mars/Olympus") } == 2)
    #expect(Set(try fixture.titles(.all)) == ["first", "second"])
    #expect(try await take(data, .ics, into: fixture).known == 2)
  }

  @Test(arguments: [ImportFormat.ics, .todotxt, .taskwarrior])
  func whatWasDoneWasDoneWhenTheFileSays(format: ImportFormat) async throws {
    let (one, other) = (try Fixture(), try Fixture())
    let line = "x 2026-02-01 2026-01-01 Paid rent\nx 2026-03-01 Called\n"
    try await take(Data(line.utf8), .todotxt, into: one)
    func days(_ fixture: Fixture) throws -> [String] {
      try fixture.detail(.completed).rows.map(\.reminder).map {
        "\($0.title) \($0.completion.iso8601UTC.prefix(10))"
      }.sorted()
    }
    #expect(try days(one) == ["Called 2026-03-01", "Paid rent 2026-02-01"])
    try await take(
      try export(one, try #require(ExportFormat(rawValue: format.rawValue))), format, into: other)
    #expect(try days(other) == days(one))
  }

  @Test func thatNothingIsToRingIsKept() async throws {
    let (one, other) = (try Fixture(), try Fixture())
    _ = try await one.database.addReminder(
      ReminderDraft(title: "Nightly", due: .moment(berlin().now), alarms: [.never]))
    try await take(try export(one, .ics), .ics, into: other)
    #expect(try other.detail(.all).rows.first?.alarms == [.never])
  }

  @Test(arguments: [ImportFormat.ics, .todotxt])
  func aTextInAnotherEncodingIsRefusedAndNotGarbled(format: ImportFormat) throws {
    #expect(throws: AppError.self) {
      try ImportFormat.read(Data([0x4B, 0xE4, 0x73, 0x65]), as: format, name: "a", in: berlin())
    }
  }

  @Test func endsOfLinesOfWindowsAreEndsOfLines() {
    #expect("a\r\nb".writableLines == "a\nb")
  }

  @Test func aTagThatCannotBeIsLeftOutAloneAndNamed() async throws {
    let fixture = try Fixture()
    let result = try await take(Data("buy @_x milk\n".utf8), .todotxt, into: fixture)
    #expect(result.reminders == 1)
    #expect(result.problems.contains { $0.contains("#_x") }, "\(result.problems)")
    #expect(try fixture.detail(.all).rows.map(\.title) == ["buy milk"])
  }
}
