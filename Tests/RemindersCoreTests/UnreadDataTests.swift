import Foundation
import GRDB
import Testing

@testable import RemindersCore

/// What another program's file says and this one has no place for: kept in the notes, or named.
extension InterchangeTests {
  private func take(
    _ json: Any, _ format: ImportFormat, into fixture: Fixture
  ) async throws -> ImportResult {
    try await take(try JSONSerialization.data(withJSONObject: json), format, into: fixture)
  }

  private static var task: [String: Any] {
    ["uuid": "11111111-2222-3333-4444-555555555555", "description": "A"]
  }

  @Test func `attributes of taskwarrior that have no place here are in the notes`() async throws {
    let more: [String: Any] = [
      "status": "pending", "depends": ["b", "c"], "scheduled": "20261201T000000Z", "foo": "bar",
      "estimate": 2.5, "priority": "X", "urgency": 9.1, "id": 4, "imask": 1, "rtype": "periodic",
    ]
    let fixture = try Fixture()
    let result = try await take(
      [Self.task.merging(more) { $1 }], .taskwarrior, into: fixture)
    let kept = [
      "depends: b, c", "estimate: 2.5", "foo: bar", "scheduled: 20261201T000000Z", "priority: X",
    ]
    #expect(try fixture.detail(.all).rows.map(\.notes) == [kept.joined(separator: "\n")])
    #expect(result.problems == kept.map { "“A”: in its notes: \($0)" })
  }

  @Test func `what is deleted in taskwarrior is named`() async throws {
    let fixture = try Fixture()
    let deleted = Self.task.merging(["status": "deleted"]) { $1 }
    let result = try await take([deleted], .taskwarrior, into: fixture)
    #expect(result == ImportResult(problems: ["“A”: is deleted there, and was left out"]))
  }

  @Test func `of two tasks of one id the second is named`() async throws {
    let fixture = try Fixture()
    let other = Self.task.merging(["description": "B"]) { $1 }
    let result = try await take([Self.task, other], .taskwarrior, into: fixture)
    #expect(result.reminders == 1 && result.known == 0)
    #expect(result.problems == ["“B”: another one has its id"])
  }

  @Test func `what has no project does not go into the first one of the file`() async throws {
    let fixture = try Fixture()
    let home = Self.task.merging(["project": "Home"]) { $1 }
    let other = ["uuid": "22222222-2222-3333-4444-555555555555", "description": "B"]
    _ = try await take([home, other], .taskwarrior, into: fixture)
    let places = try await fixture.database.writer.read { db in
      try String.fetchAll(
        db,
        sql: """
          SELECT reminders.title || ' ' || remindersLists.title FROM reminders
          JOIN remindersLists ON remindersLists.id = remindersListID ORDER BY 1
          """)
    }
    #expect(places == ["A Home", "B Personal"])
  }

  @Test func `an odd task is named, and the others come`() async throws {
    let odd: [Any] = [
      ["uuid": "u", "description": 5], ["description": "B"], 7,
      ["uuid": "v", "description": "C", "tags": "x"],
    ]
    let problems = [
      "task 2 (“u”) has a description of the wrong type, and was left out",
      "task 3 (“B”) has no uuid, and was left out", "task 4 is of the wrong type, and was left out",
      "task 5 (“C”) has a tags of the wrong type, and was left out",
    ]
    let fixture = try Fixture()
    let result = try await take([Self.task] + odd, .taskwarrior, into: fixture)
    #expect(result.reminders == 1 && result.problems == problems)
    // One on each line, as older versions write it.
    let lines = try ([Self.task] + odd.prefix(1)).map {
      String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self)
    }
    let text = (lines + ["{"]).joined(separator: "\n")
    let other = try await take(Data(text.utf8), .taskwarrior, into: Fixture())
    #expect(other.reminders == 1)
    #expect(other.problems == [problems[0], "task 3 is not JSON, and was left out"])
    let error = #expect(throws: AppError.self) {
      try ImportFormat.read(Data("[7]".utf8), as: .taskwarrior, name: "file", in: berlin())
    }
    #expect(error?.reason.contains("task 1 is of the wrong type") == true)
  }

  @Test func `an odd element of an own export is named, and the others come`() async throws {
    func reminder(_ id: String, _ more: [String: Any]) -> [String: Any] {
      ["id": id, "list": ["id": "l", "title": "L"]].merging(more) { $1 }
    }
    let document: [String: Any] = [
      "version": 1, "lists": [["id": "l", "title": "L"], ["id": "m"]], "tags": ["a", 5],
      "searches": [["id": "s", "title": "Late"]],
      "reminders": [
        reminder(
          "a",
          [
            "title": "A", "priority": "huge", "effort": 3, "status": "foo", "completedAt": "bad",
          ]),
        reminder("b", ["title": 5]),
      ],
    ]
    let fixture = try Fixture()
    let result = try await take(document, .json, into: fixture)
    #expect(result.reminders == 1 && result.lists == 1)
    #expect(
      result.problems == [
        "list 2 (“m”) has no title, and was left out",
        "tag 2 is of the wrong type, and was left out",
        "search 1 (“Late”) has no query, and was left out",
        "reminder 2 (“b”) has a title of the wrong type, and was left out",
        "“A”: “huge” is not a priority", "“A”: in its notes: effort: 3",
        "“A”: “foo” is not a status: it is open", "“A”: “bad” is no time (completedAt)",
      ])
    #expect(try fixture.detail(.all).rows.map(\.notes) == ["effort: 3"])
  }

  @Test(arguments: ["STATUS:COMPLETED", "COMPLETED:20261120T090000Z", "PERCENT-COMPLETE:100"])
  func `a VTODO is completed, whichever property says so`(line: String) async throws {
    let fixture = try Fixture()
    let text = "BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:A\n\(line)\nEND:VTODO\nEND:VCALENDAR"
    let result = try await take(Data(text.utf8), .ics, into: fixture)
    #expect(result.problems == [])
    #expect(try fixture.detail(.all, completed: true).rows.map(\.status) == [.completed])
  }

  @Test(arguments: [
    ("CLASS:PRIVATE", "CLASS: PRIVATE"), ("CLASS:PUBLIC", ""),
    ("PERCENT-COMPLETE:40", "PERCENT-COMPLETE: 40"), ("PERCENT-COMPLETE:0", ""),
    ("STATUS:IN-PROCESS", "STATUS: IN-PROCESS"), ("STATUS:NEEDS-ACTION", ""),
    ("SEQUENCE:3", ""), ("X-FOO:bar", "X-FOO: bar"),
    ("PRIORITY:0", ""), ("PRIORITY:12", "PRIORITY: 12"),
    ("ATTENDEE;CN=\"Bob; B\":mailto:b@x", "ATTENDEE;CN=\"Bob; B\": mailto:b@x"),
    ("CREATED:soon", "CREATED: soon"), ("CREATED:20261120T090000", ""),
    ("LAST-MODIFIED:20261301T000000Z", "LAST-MODIFIED: 20261301T000000Z"),
    ("DTSTART:99999999", "DTSTART: 99999999"),
    (
      "BEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:-PT5M\r\nREPEAT:2\r\nX-ID:1\r\nEND:VALARM",
      "VALARM: REPEAT: 2"
    ),
  ]) func `properties of a VTODO that say something are in the notes`(line: String, notes: String)
    async throws
  {
    let lines = [
      "BEGIN:VCALENDAR", "BEGIN:VTODO", "UID:1", "SUMMARY:A", "DUE:20261224T090000Z", line,
      "END:VTODO", "END:VCALENDAR",
    ]
    let fixture = try Fixture()
    let result = try await take(
      Data(lines.joined(separator: "\r\n").utf8), .ics, into: fixture)
    #expect(try fixture.detail(.all).rows.map(\.notes) == [notes])
    #expect(result.problems == (notes.isEmpty ? [] : ["“A”: in its notes: \(notes)"]))
  }

  @Test func `a parameter of a property that is read is named`() async throws {
    let lines = [
      "BEGIN:VCALENDAR", "BEGIN:VTODO", "UID:1", "SUMMARY;LANGUAGE=de:A",
      "DESCRIPTION;ALTREP=\"data:text/html,<b>B</b>\":B", "END:VTODO", "END:VCALENDAR",
    ]
    let fixture = try Fixture()
    let result = try await take(
      Data(lines.joined(separator: "\r\n").utf8), .ics, into: fixture)
    #expect(try fixture.detail(.all).rows.map(\.notes) == ["B"])
    #expect(result.problems == ["“A”: without ALTREP of DESCRIPTION"])
  }

  @Test func `a due time is a day that todo txt programs read, and a time beside it`() async throws
  {
    let fixture = try Fixture()
    let due = try #require(try DueDate.parse("fri 9am", in: berlin()))
    let id = try await fixture.add("Look at:9 due:soon", due: due)
    let line = String(decoding: try export(fixture, .todotxt), as: UTF8.self)
    #expect(
      line.contains(" \\at:9 \\due:soon ") && line.contains(" due:2026-11-27 at:09:00:00+01:00 "))
    let other = try Fixture()
    try await take(Data(line.utf8), .todotxt, into: other)
    let row = try #require(try other.detail(.all).rows.first)
    #expect(row.id == id && row.due == due && row.title == "Look at:9 due:soon")
    // Exported by an earlier version, changed by another program, and nothing of ours.
    let lines = [
      ("A due:2026-11-27T09:00:00+01:00", "A 2026-11-27T09:00:00+01:00"),
      ("A at:09:00:00+01:00 due:2026-11-28", "A 2026-11-28T09:00:00+01:00"),
      ("A at:home due:2026-11-28", "A at:home 2026-11-28"),
    ]
    for (line, meaning) in lines {
      let batch = try ImportFormat.read(
        Data(line.utf8), as: .todotxt, name: "file", in: berlin())
      let draft = batch.items[0].draft
      #expect("\(draft.title) \(draft.due?.iso8601(in: berlin()) ?? "-")" == meaning)
    }
  }

  @Test(arguments: [
    ("Customized Time Zone", "20270704T090000", "2027-07-04T09:00:00+02:00"),
    ("Customized Time Zone", "20270104T090000", "2027-01-04T09:00:00+01:00"),
    ("Customized Time Zone", "20270328T030000", "2027-03-28T03:00:00+02:00"),
    ("Customized Time Zone", "20271031T090000", "2027-10-31T09:00:00+01:00"),
    ("Eastern Standard Time", "20270704T090000", "2027-07-04T15:00:00+02:00"),
    ("Ended", "20270704T090000", "2027-07-04T05:30:00+02:00"),
    (
      "/freeassociation.sourceforge.net/Europe/London", "20270704T090000",
      "2027-07-04T10:00:00+02:00"
    ),
  ]) func `a zone that the calendar defines tells the time`(
    zone: String, clock: String, due: String
  ) async throws {
    let text = """
      BEGIN:VCALENDAR
      BEGIN:VTODO
      UID:1
      SUMMARY:A
      DUE;TZID=\(zone):\(clock)
      END:VTODO
      BEGIN:VTIMEZONE
      TZID:Customized Time Zone
      BEGIN:STANDARD
      DTSTART:16011028T030000
      RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
      TZOFFSETFROM:+0200
      TZOFFSETTO:+0100
      END:STANDARD
      BEGIN:DAYLIGHT
      DTSTART:16010325T020000
      RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
      TZOFFSETFROM:+0100
      TZOFFSETTO:+0200
      END:DAYLIGHT
      END:VTIMEZONE
      BEGIN:VTIMEZONE
      TZID:Ended
      BEGIN:DAYLIGHT
      DTSTART:19900325T020000
      RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3;UNTIL=20000331T000000Z
      TZOFFSETFROM:+0530
      TZOFFSETTO:+0630
      END:DAYLIGHT
      BEGIN:STANDARD
      DTSTART:19901028T030000
      RDATE:19911027T030000,20001029T030000
      TZOFFSETFROM:+0630
      TZOFFSETTO:+0530
      END:STANDARD
      END:VTIMEZONE
      END:VCALENDAR
      """
    // Read by somebody who lives elsewhere, the clock of the file is meant all the same.
    for zone in ["Europe/Berlin", "America/New_York"] {
      var time = berlin()
      time.timeZone = try #require(TimeZone(identifier: zone))
      let batch = try ImportFormat.read(Data(text.utf8), as: .ics, name: "file", in: time)
      #expect(batch.items.map { $0.draft.due?.iso8601(in: berlin()) } == [due])
      #expect(batch.problems == [])
    }
  }
}
