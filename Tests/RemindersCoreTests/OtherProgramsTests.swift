import Foundation
import Testing

@testable import RemindersCore

/// What comes again in taskwarrior.
extension InterchangeTests {
  private static let template = UUID().uuidString.lowercased()

  /// A task as `task export` writes it.
  private func task(
    _ title: String, _ status: String, due: String?, recur: String?, parent: String? = nil,
    uuid: String = UUID().uuidString, _ more: [String: Any] = [:]
  ) -> [String: Any] {
    var task: [String: Any] = ["uuid": uuid, "description": title, "status": status]
    if let due { task["due"] = "\(due)T080000Z" }
    if let recur { task["recur"] = recur }
    if let parent { task["parent"] = parent }
    return task.merging(more) { $1 }
  }

  private func take(_ tasks: [[String: Any]], into fixture: Fixture) async throws -> ImportResult {
    try await take(
      try JSONSerialization.data(withJSONObject: tasks), .taskwarrior, into: fixture)
  }

  /// Each reminder in a line.
  private func lines(_ fixture: Fixture) throws -> [String] {
    try fixture.detail(.all, completed: true).rows.map {
      "\($0.title) \($0.due.map { "\($0.day(in: berlin()))" } ?? "-") \($0.status)"
        + ($0.recurrence.map { " \($0.rule)" } ?? "")
    }.sorted()
  }

  @Test func `a template and its instances are one reminder, and what was done stays done`()
    async throws
  {
    func tasks(_ open: Range<Int>) -> [[String: Any]] {
      [
        task("Rent", "recurring", due: "20260831", recur: "monthly", uuid: Self.template),
        task(
          "Rent", "completed", due: "20260831", recur: "monthly", parent: Self.template,
          uuid: "5f2b4a06-2f0a-4d8e-9a1b-1b1d1c3d0a01"),
      ]
        + open.map {
          task(
            "Rent", "pending", due: ["20260930", "20261031"][$0], recur: "monthly",
            parent: Self.template, ["tags": ["home"]])
        }
    }
    let fixture = try Fixture(timeZone: berlin().timeZone)
    let result = try await take(tasks(0..<2), into: fixture)
    #expect(result.problems == ["“Rent”: 2 open instances are one reminder"])
    #expect(
      try lines(fixture) == [
        "Rent 2026-08-31 completed", "Rent 2026-09-30 incomplete FREQ=MONTHLY;BYMONTHDAY=31",
      ])
    #expect(try fixture.details(Self.template).tags == ["home"])
    #expect(try fixture.detail(.all, completed: true).rows.allSatisfy { $0.notes.isEmpty })
    #expect(try await take(tasks(0..<2), into: fixture).reminders == 0, "nothing comes twice")
    let other = try Fixture(timeZone: berlin().timeZone)
    #expect(try await take(tasks(0..<0), into: other).problems == [])
    #expect(try other.details(Self.template).due?.day(in: berlin()) == day("2026-09-30"))
    let third = try Fixture(timeZone: berlin().timeZone)
    #expect(try await take(Array(tasks(0..<1).dropFirst()), into: third).reminders == 2)
    #expect(try third.details(Self.template).recurrence?.frequency == .monthly)
  }

  /// RFC 5545, 3.6.2, 3.8.5.3 and 3.2.14, in Berlin.
  @Test(
    arguments: [
      (
        ["DTSTART:20261123T080000Z", "DURATION:PT1H30M"], "2026-11-23T09:30:00Z", [],
        "DTSTART: 20261123T080000Z"
      ),
      (
        ["DTSTART;VALUE=DATE:20261123", "DURATION:P2D"], "2026-11-25", [], "DTSTART: 20261123"
      ),
      (["DURATION:PT1H"], nil, [], "DURATION: PT1H"),
      (["RRULE:FREQ=DAILY"], nil, [], "RRULE: FREQ=DAILY"),
      (
        ["DTSTART:20261123T080000Z", "DUE:20261124T080000Z", "TRIGGER:-PT5M"],
        "2026-11-24T08:00:00Z", ["-PT24H5M"], "DTSTART: 20261123T080000Z"
      ),
      (
        ["DTSTART:20261123T080000Z", "DUE:20261124T080000Z", "TRIGGER;RELATED=END:-PT5M"],
        "2026-11-24T08:00:00Z", ["-PT5M"], "DTSTART: 20261123T080000Z"
      ),
      (
        ["DTSTART;VALUE=DATE:20261123", "DUE;VALUE=DATE:20261124", "TRIGGER:PT8H"],
        "2026-11-24", ["-P1D 08:00"], "DTSTART: 20261123"
      ),
      (["DUE:20261124T080000Z", "TRIGGER:-PT5M"], "2026-11-24T08:00:00Z", ["-PT5M"], ""),
    ] as [([String], String?, [String], String)])
  func `the start of a calendar's task counts`(
    lines: [String], due: String?, alarms: [String], notes: String
  ) async throws {
    let lines = lines.flatMap {
      $0.hasPrefix("TRIGGER") ? ["BEGIN:VALARM", "ACTION:DISPLAY", $0, "END:VALARM"] : [$0]
    }
    let text =
      ["BEGIN:VCALENDAR", "BEGIN:VTODO", "UID:1", "SUMMARY:x"] + lines
      + ["END:VTODO", "END:VCALENDAR"]
    let fixture = try Fixture(timeZone: berlin().timeZone)
    _ = try await take(Data(text.joined(separator: "\r\n").utf8), .ics, into: fixture)
    let row = try fixture.details(ImportBatch.id("ics", "1"))
    #expect(row.due?.stored == due)
    #expect(row.alarms.map(\.stored) == alarms)
    #expect(row.notes == notes)
    #expect(row.recurrence == nil)
  }

  @Test func `an open instance that says something of its own is a reminder of its own`()
    async throws
  {
    func instance(_ due: String, _ more: [String: Any] = [:]) -> [String: Any] {
      task("Rent", "pending", due: due, recur: "monthly", parent: Self.template, more)
    }
    let fixture = try Fixture(timeZone: berlin().timeZone)
    let result = try await take(
      [
        instance("20260930"), instance("20261031"),
        instance("20261130", ["annotations": [["description": "by cheque"]], "tags": ["bank"]]),
      ], into: fixture)
    #expect(result.problems == ["“Rent”: 2 open instances are one reminder"])
    #expect(
      try lines(fixture) == [
        "Rent 2026-09-30 incomplete FREQ=MONTHLY;BYMONTHDAY=30", "Rent 2026-11-30 incomplete",
      ])
    let own = try #require(try fixture.detail(.all).rows.first { $0.recurrence == nil })
    #expect(own.notes == "by cheque" && own.tags == ["bank"])
  }

  @Test(arguments: [
    ("daily", "FREQ=DAILY"), ("day", "FREQ=DAILY"), ("3d", "FREQ=DAILY;INTERVAL=3"),
    ("P3D", "FREQ=DAILY;INTERVAL=3"), ("weekdays", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
    ("weekly", "FREQ=WEEKLY;BYDAY=MO"), ("2weeks", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"),
    ("2 wks", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"), ("biweekly", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"),
    ("monthly", "FREQ=MONTHLY;BYMONTHDAY=30"), ("P1M", "FREQ=MONTHLY;BYMONTHDAY=30"),
    ("bimonthly", "FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=30"),
    ("quarterly", "FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=30"),
    ("2q", "FREQ=MONTHLY;INTERVAL=6;BYMONTHDAY=30"),
    ("yearly", "FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=30"),
    ("P1Y", "FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=30"),
    ("biannual", "FREQ=YEARLY;INTERVAL=2;BYMONTH=11;BYMONTHDAY=30"),
  ])
  func `a period of taskwarrior is a rule`(recur: String, rule: String) async throws {
    let fixture = try Fixture(timeZone: berlin().timeZone)
    let result = try await take(
      [task("x", "recurring", due: "20261130", recur: recur, uuid: Self.template)], into: fixture)
    #expect(result.problems == [])
    #expect(try lines(fixture) == ["x 2026-11-30 incomplete \(rule)"])
  }

  @Test(arguments: ["36hours", "PT1H", "P1DT1H", "0d", "p", "sometimes", "99999999999999999999q"])
  func `a period that is no rule is told, and kept in the notes`(recur: String) async throws {
    let fixture = try Fixture()
    let tasks = [
      task("a", "recurring", due: "20261130", recur: recur, uuid: Self.template),
      task("a", "pending", due: "20261130", recur: recur, parent: Self.template),
      task("b", "recurring", due: "20261130", recur: recur),
    ]
    let result = try await take(tasks, into: fixture)
    #expect(try lines(fixture) == ["a 2026-11-30 incomplete", "b 2026-11-30 incomplete"])
    #expect(result.problems.count { $0.contains("recur: \(recur)") } == 2)
    let notes = try fixture.detail(.all).rows.map(\.notes)
    #expect(notes == ["recur: \(recur)", "recur: \(recur)"])
  }

  @Test func `a series ends when its template says, and one that is over is told`() async throws {
    let fixture = try Fixture(timeZone: berlin().timeZone)
    let until = ["until": "20261220T110000Z"]
    let tasks = [
      task("a", "recurring", due: "20261130", recur: "weekly", uuid: Self.template, until),
      task("b", "recurring", due: "20261130", recur: "monthly", uuid: "b", until),
      task("b", "completed", due: "20261130", recur: "monthly", parent: "b", until),
    ]
    let result = try await take(tasks, into: fixture)
    #expect(result.problems == ["“b”: comes no more, and was left out"])
    #expect(
      try lines(fixture) == [
        "a 2026-11-30 incomplete FREQ=WEEKLY;BYDAY=MO;UNTIL=20261220", "b 2026-11-30 completed",
      ])
  }
}

/// What is part of what in iCalendar, and what was cancelled.
extension InterchangeTests {
  private func calendar(_ todos: [[String]]) -> Data {
    let lines = todos.flatMap { ["BEGIN:VTODO"] + $0 + ["END:VTODO"] }
    return Data((["BEGIN:VCALENDAR"] + lines + ["END:VCALENDAR"]).joined(separator: "\r\n").utf8)
  }

  /// Each reminder with what it is part of.
  private func places(_ fixture: Fixture) throws -> [String] {
    try fixture.detail(.all, completed: true).rows.map {
      "\($0.title) in \($0.parentTitle ?? "-")"
    }.sorted()
  }

  @Test func `subtasks come back from iCalendar`() async throws {
    let one = try Fixture()
    let list = try await one.database.addList(title: "Home").id
    let trip = try await one.database.addReminder(ReminderDraft(title: "Trip", listID: list)).id
    _ = try await one.database.addReminder(
      ReminderDraft(title: "Bag", listID: list, parentID: trip))
    let data = try export(one, .ics)
    let other = try Fixture()
    #expect(try await take(data, .ics, into: other).problems == [])
    #expect(try places(other) == ["Bag in Trip", "Trip in -"])
    #expect(try await take(data, .ics, into: other).reminders == 0)
  }

  @Test func `what is part of another comes before it, below a part, or alone`() async throws {
    let fixture = try Fixture()
    let result = try await take(
      calendar([
        ["UID:3", "SUMMARY:Sock", "RELATED-TO:2"],
        ["UID:2", "SUMMARY:Bag", "RELATED-TO;RELTYPE=PARENT:1"],
        ["UID:1", "SUMMARY:Trip", "RELATED-TO;RELTYPE=CHILD:2"],
        ["UID:4", "SUMMARY:One", "RELATED-TO:5"], ["UID:5", "SUMMARY:Two", "RELATED-TO:4"],
        ["UID:6", "SUMMARY:Self", "RELATED-TO:6"], ["UID:7", "SUMMARY:Lost", "RELATED-TO:gone"],
      ]), .ics, into: fixture)
    #expect(result.reminders == 7)
    #expect(
      try places(fixture) == [
        "Bag in Trip", "Lost in -", "One in -", "Self in -", "Sock in Trip", "Trip in -",
        "Two in -",
      ])
    for what in ["“Sock”: a part of a part", "RELATED-TO: 4", "RELATED-TO: 6", "RELATED-TO: gone"] {
      #expect(result.problems.contains { $0.contains(what) }, "\(what): \(result.problems)")
    }
    // Its parent is here by now.
    let later = calendar([["UID:8", "SUMMARY:Ticket", "RELATED-TO:1"]])
    #expect(try await take(later, .ics, into: fixture).problems == [])
    #expect(try places(fixture).contains("Ticket in Trip"))
  }

  @Test func `a series goes on after the occurrences that were done`() async throws {
    let done = ["20261102", "20261109"].map { day in
      """
      BEGIN:VTODO
      UID:m1
      SUMMARY:Bins
      RECURRENCE-ID;TZID=Europe/Berlin:\(day)T090000
      DUE;TZID=Europe/Berlin:\(day)T090000
      STATUS:COMPLETED
      END:VTODO

      """
    }
    let file = """
      BEGIN:VCALENDAR
      \(done[0])BEGIN:VTODO
      UID:m1
      SUMMARY:Bins
      DTSTART;TZID=Europe/Berlin:20261102T090000
      DUE;TZID=Europe/Berlin:20261102T090000
      RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=5
      END:VTODO
      \(done[1])END:VCALENDAR
      """
    let fixture = try Fixture()
    #expect(try await take(Data(file.utf8), .ics, into: fixture).reminders == 3)
    let series = try #require(try fixture.detail(.all).rows.first)
    #expect(series.due?.iso8601(in: berlin()) == "2026-11-16T09:00:00+01:00")
    #expect(series.recurrence?.end == .count(3))
  }

  @Test func `what is left of so many times comes back from iCalendar`() async throws {
    let fixture = try Fixture()
    let draft = QuickAddLine("Pills every day 5 times", in: berlin()).draft()
    let id = try await fixture.database.addReminder(draft).id
    for _ in 1...2 { _ = try await fixture.database.setDone(true, [id]) }
    let other = try Fixture()
    _ = try await take(export(fixture, .ics), .ics, into: other)
    let series = try #require(try other.detail(.all).rows.first)
    #expect(series.recurrence?.end == .count(3))
    for _ in 1...3 { _ = try await other.database.setDone(true, [series.id]) }
    #expect(try other.detail(.all).rows.isEmpty)
  }

  @Test func `what was cancelled is completed, and says so`() async throws {
    let fixture = try Fixture()
    let result = try await take(
      calendar([["UID:1", "SUMMARY:Party", "STATUS:CANCELLED"]]), .ics, into: fixture)
    #expect(result.problems == ["“Party”: in its notes: STATUS: CANCELLED"])
    #expect(try fixture.titles(.completed) == ["Party"])
    #expect(try fixture.detail(.completed).rows.first?.notes == "STATUS: CANCELLED")
  }

  @Test(arguments: ImportFormat.allCases)
  func `the direction in which text runs is kept`(format: ImportFormat) async throws {
    let title = "RLM \u{200F}שלום\u{200F} \u{2067}x\u{2069} \u{202E}y\u{202C}"
    let fixture = try Fixture()
    _ = try await fixture.database.addReminder(ReminderDraft(title: title, notes: title))
    let other = try Fixture()
    let data = try export(fixture, #require(ExportFormat(rawValue: format.rawValue)))
    _ = try await take(data, format, into: other)
    let rows = try other.detail(.all, completed: true).rows
    #expect(rows.map(\.title) == [title])
    #expect(try format == .todotxt || other.details(rows[0].id).notes == title)
  }

  /// As other programs write them: DTSTART with a zone, UNTIL in UTC, and what there is no place
  /// for.
  @Test(arguments: [
    (
      ["DUE;VALUE=DATE:20261123", "RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20261231T225959Z"],
      "++ FREQ=WEEKLY;BYDAY=MO;UNTIL=20261231", ""
    ),
    (
      ["DTSTART;TZID=Europe/Berlin:20261123T080000", "RRULE:FREQ=DAILY;COUNT=3"],
      "++ FREQ=DAILY;COUNT=3", ""
    ),
    (["DUE:20261123T080000Z", "RRULE:FREQ=HOURLY"], nil, "RRULE: FREQ=HOURLY"),
    (
      ["DUE:20261123T080000Z", "RRULE:FREQ=DAILY", "RRULE:FREQ=WEEKLY"],
      "++ FREQ=DAILY", "RRULE: FREQ=WEEKLY"
    ),
    (["STATUS:COMPLETED", "DUE:20261123T080000Z", "RRULE:FREQ=DAILY"], nil, "RRULE: FREQ=DAILY"),
    (["DTSTART:20261120", "DUE;VALUE=DATE:20261123"], nil, "DTSTART: 20261120"),
    // The rule is about the start; what is due two days after Monday is due on Wednesday.
    (
      [
        "DTSTART;VALUE=DATE:20261130", "DUE;VALUE=DATE:20261202",
        "RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20261228",
      ], "++ FREQ=WEEKLY;BYDAY=WE;UNTIL=20261230", "DTSTART: 20261130"
    ),
    (
      [
        "DTSTART;VALUE=DATE:20261130", "DUE;VALUE=DATE:20261202",
        "RRULE:FREQ=MONTHLY;BYDAY=-1MO",
      ], nil, "DTSTART: 20261130\nRRULE: FREQ=MONTHLY;BYDAY=-1MO"
    ),
    (["RRULE:;;;=FREQ=", "EXDATE:20261124"], nil, "EXDATE: 20261124\nRRULE: ;;;=FREQ="),
  ])
  func aRuleOfAnotherProgramIsRead(
    lines: [String], rule: String?, notes: String
  ) async throws {
    let text =
      ["BEGIN:VCALENDAR", "BEGIN:VTODO", "UID:1", "SUMMARY:x"] + lines
      + ["END:VTODO", "END:VCALENDAR"]
    let fixture = try Fixture()
    _ = try await take(Data(text.joined(separator: "\r\n").utf8), .ics, into: fixture)
    let row = try fixture.details(ImportBatch.id("ics", "1"))
    #expect(row.recurrence?.stored == rule)
    #expect(row.notes == notes)
    #expect(rule == nil || row.due != nil)
  }
}
