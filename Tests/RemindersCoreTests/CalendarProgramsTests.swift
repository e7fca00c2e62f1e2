import Foundation
import Testing

@testable import RemindersCore

/// Calendars in the words of four programs: made up here after what these say that they write.
extension InterchangeTests {
  /// The app of Nextcloud: its times name no zone, a subtask says so without RELTYPE, and what is
  /// folded, pinned and sorted by hand is a property of its own (README and src/models/task.js of
  /// nextcloud/tasks).
  private static let nextcloudTasks = """
    BEGIN:VCALENDAR
    VERSION:2.0
    PRODID:-//Nextcloud Tasks v0.16.1
    BEGIN:VTODO
    CREATED:20261119T081500
    DTSTAMP:20261120T101500
    LAST-MODIFIED:20261120T101500
    UID:5a1c9e9a-0c6e-4a3b-9d6b-2f3f6c1d7e01
    SUMMARY:Plan the garden
    DESCRIPTION:Beds\\, paths;\\nand the pond
    PRIORITY:1
    PERCENT-COMPLETE:40
    STATUS:IN-PROCESS
    CATEGORIES:garden,spring
    DUE:20261204T180000
    X-OC-HIDESUBTASKS:0
    X-PINNED:true
    END:VTODO
    BEGIN:VTODO
    CREATED:20261119T081600
    DTSTAMP:20261120T090000
    LAST-MODIFIED:20261120T090000
    UID:5a1c9e9a-0c6e-4a3b-9d6b-2f3f6c1d7e02
    SUMMARY:Order seeds
    PERCENT-COMPLETE:100
    COMPLETED:20261120T090000
    STATUS:COMPLETED
    DUE;VALUE=DATE:20261121
    RELATED-TO:5a1c9e9a-0c6e-4a3b-9d6b-2f3f6c1d7e01
    END:VTODO
    END:VCALENDAR
    """

  /// Lightning: zones with transitions, an alarm that was seen and put off (X-MOZ-LASTACK,
  /// X-MOZ-SNOOZE-TIME of calendar/base/src/CalAlarmMonitor of comm-central), which are about that
  /// program's own alarms.
  private static let thunderbird = """
    BEGIN:VCALENDAR
    PRODID:-//Mozilla.org/NONSGML Mozilla Calendar V1.1//EN
    VERSION:2.0
    BEGIN:VTIMEZONE
    TZID:Europe/Berlin
    X-TZINFO:Europe/Berlin[2026a]
    BEGIN:DAYLIGHT
    TZOFFSETTO:+020000
    TZOFFSETFROM:+010000
    TZNAME:CEST
    DTSTART:19810329T020000
    RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
    END:DAYLIGHT
    BEGIN:STANDARD
    TZOFFSETTO:+010000
    TZOFFSETFROM:+020000
    TZNAME:CET
    DTSTART:19961027T030000
    RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
    END:STANDARD
    END:VTIMEZONE
    BEGIN:VTODO
    CREATED:20261101T070000Z
    LAST-MODIFIED:20261115T080500Z
    DTSTAMP:20261115T080500Z
    UID:0b6c7a7e-51c4-4f0a-8a52-0f6d0c0a9b11
    SUMMARY:Water the plants
    PRIORITY:9
    STATUS:NEEDS-ACTION
    RRULE:FREQ=WEEKLY;BYDAY=TU
    DTSTART;TZID=Europe/Berlin:20261124T083000
    DUE;TZID=Europe/Berlin:20261124T083000
    SEQUENCE:2
    X-MOZ-GENERATION:3
    X-MOZ-LASTACK:20261115T080500Z
    X-MOZ-SNOOZE-TIME-1795505400000000:20261124T074500Z
    BEGIN:VALARM
    ACTION:DISPLAY
    TRIGGER:-PT15M
    DESCRIPTION:Default Mozilla Description
    END:VALARM
    END:VTODO
    END:VCALENDAR
    """

  /// Tasks.org over CalDAV or DAVx5: a time ends with one second, alarms count from the due date
  /// (RELATED=END), subtasks name their parent with RELTYPE, and the zone stands behind (the wiki
  /// of tasks.org on CalDAV, and iCalendar.kt of tasks/tasks).
  private static let tasksOrg = """
    BEGIN:VCALENDAR
    VERSION:2.0
    PRODID:+//IDN tasks.org//android-140100//EN
    BEGIN:VTODO
    DTSTAMP:20261120T120000Z
    UID:3071754526080170849
    CREATED:20261120T115900Z
    LAST-MODIFIED:20261120T120000Z
    SUMMARY:Bring the bike
    PRIORITY:5
    STATUS:NEEDS-ACTION
    CATEGORIES:Night out,bike
    DTSTART;TZID=Europe/Berlin:20261125T090000
    DUE;TZID=Europe/Berlin:20261127T170001
    X-APPLE-SORT-ORDER:559033419
    BEGIN:VALARM
    TRIGGER;RELATED=END:PT0S
    ACTION:DISPLAY
    DESCRIPTION:Default Tasks.org description
    END:VALARM
    BEGIN:VALARM
    TRIGGER;VALUE=DATE-TIME:20261126T100000Z
    ACTION:DISPLAY
    DESCRIPTION:Default Tasks.org description
    END:VALARM
    END:VTODO
    BEGIN:VTODO
    DTSTAMP:20261120T120100Z
    UID:3071754526080170850
    SUMMARY:Pump
    RELATED-TO;RELTYPE=PARENT:3071754526080170849
    DUE;VALUE=DATE:20261127
    RRULE:FREQ=MONTHLY
    END:VTODO
    BEGIN:VTIMEZONE
    TZID:Europe/Berlin
    BEGIN:STANDARD
    TZOFFSETFROM:+0200
    TZOFFSETTO:+0100
    DTSTART:19961027T030000
    RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
    END:STANDARD
    END:VTIMEZONE
    END:VCALENDAR
    """

  private static let zoneOfEvolution = """
    BEGIN:VTIMEZONE
    TZID:/freeassociation.sourceforge.net/Europe/Berlin
    X-LIC-LOCATION:Europe/Berlin
    BEGIN:STANDARD
    TZNAME:CET
    DTSTART:19701025T030000
    TZOFFSETFROM:+0200
    TZOFFSETTO:+0100
    RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
    END:STANDARD
    BEGIN:DAYLIGHT
    TZNAME:CEST
    DTSTART:19700329T020000
    TZOFFSETFROM:+0100
    TZOFFSETTO:+0200
    RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
    END:DAYLIGHT
    END:VTIMEZONE
    """

  /// Evolution and GNOME To Do (Endeavour), which keep tasks with libical: zones under a name of a
  /// registry, days as values of DATE, and properties of evolution-data-server (e-cal-util).
  private static let evolution = """
    BEGIN:VCALENDAR
    CALSCALE:GREGORIAN
    PRODID:-//Ximian//NONSGML Evolution Calendar//EN
    VERSION:2.0
    \(zoneOfEvolution)
    BEGIN:VTODO
    UID:8f4e3c2b1a
    DTSTAMP:20261118T060000Z
    DTSTART;TZID=/freeassociation.sourceforge.net/Europe/Berlin:
     20270702T090000
    DUE;TZID=/freeassociation.sourceforge.net/Europe/Berlin:
     20270702T120000
    SUMMARY:Renew the passport
    PRIORITY:3
    PERCENT-COMPLETE:0
    CLASS:PUBLIC
    STATUS:NEEDS-ACTION
    CREATED:20261118T060001Z
    LAST-MODIFIED:20261118T060001Z
    URL:https://example.org/passport
    BEGIN:VALARM
    X-EVOLUTION-ALARM-UID:16319b6eda4320acf59aeef48817e9678373bf39
    ACTION:DISPLAY
    DESCRIPTION:Renew the passport
    TRIGGER;VALUE=DURATION;RELATED=START:-PT30M
    END:VALARM
    END:VTODO
    BEGIN:VTODO
    UID:8f4e3c2b1b
    DTSTAMP:20261118T060000Z
    SUMMARY:Photo
    RELATED-TO;RELTYPE=PARENT:8f4e3c2b1a
    PERCENT-COMPLETE:100
    COMPLETED:20261119T073000Z
    STATUS:COMPLETED
    END:VTODO
    END:VCALENDAR
    """

  /// What a reminder says, in a line; the notes in one, too.
  private func line(_ row: ReminderRow) -> String {
    let facts = [
      row.due?.iso8601(in: berlin()), row.recurrence?.rule,
      row.alarms.isEmpty ? nil : row.alarms.map(\.stored).joined(separator: ", "),
      row.priority?.name, row.tags.isEmpty ? nil : row.tags.sorted().map { "#\($0)" }.joined(),
      row.parentTitle.map { "in \($0)" }, row.url,
      row.status == .completed ? row.reminder.completion.iso8601UTC : nil,
      row.reminder.notes.isEmpty ? nil : "“\(row.reminder.notes.oneLine)”",
    ]
    return ([row.title] + facts.compactMap(\.self)).joined(separator: " | ")
  }

  @Test(arguments: [
    (
      nextcloudTasks,
      [
        "Order seeds | 2026-11-21 | in Plan the garden | 2026-11-20T08:00:00Z",
        """
        Plan the garden | 2026-12-04T18:00:00+01:00 | high | #garden#spring | “Beds, paths; and \
        the pond PERCENT-COMPLETE: 40 STATUS: IN-PROCESS X-OC-HIDESUBTASKS: 0 X-PINNED: true”
        """,
      ]
    ),
    (
      thunderbird,
      [
        """
        Water the plants | 2026-11-24T08:30:00+01:00 | FREQ=WEEKLY;BYDAY=TU | -PT15M | low
        """
      ]
    ),
    (
      tasksOrg,
      [
        """
        Bring the bike | 2026-11-27T17:00:00+01:00 | PT0S, 2026-11-26T10:00:00Z | medium | \
        #Night-out#bike | “X-APPLE-SORT-ORDER: 559033419 DTSTART in the zone Europe/Berlin: \
        20261125T090000”
        """,
        "Pump | 2026-11-27 | FREQ=MONTHLY;BYMONTHDAY=27 | in Bring the bike",
      ]
    ),
    (
      evolution,
      [
        "Photo | in Renew the passport | 2026-11-19T07:30:00Z",
        """
        Renew the passport | 2027-07-02T12:00:00+02:00 | -PT3H30M | high | \
        https://example.org/passport | “DTSTART in the zone Europe/Berlin: 20270702T090000”
        """,
      ]
    ),
  ])
  func `tasks come in as another program writes them`(
    calendar: String, reminders: [String]
  ) async throws {
    let fixture = try Fixture(timeZone: berlin().timeZone)
    let data = Data(calendar.replacing("\n", with: "\r\n").utf8)
    let result = try await take(data, .ics, into: fixture)
    #expect(result.problems.allSatisfy { $0.contains("in its notes: ") }, "\(result.problems)")
    let lines = try fixture.detail(.all, completed: true).rows.map(line).sorted()
    #expect(lines == reminders)
    #expect(try await take(data, .ics, into: fixture).reminders == 0, "nothing comes twice")
  }

  @Test(arguments: ["/freeassociation.sourceforge.net/Europe/Berlin", "W. Europe Standard Time"])
  func `a series of Evolution or Outlook stays on its weekday wherever it is read`(
    place: String
  ) async throws {
    let text = """
      BEGIN:VCALENDAR
      \(Self.zoneOfEvolution)
      BEGIN:VTODO
      UID:8f4e3c2b1c
      SUMMARY:Bins
      DTSTART;TZID=\(place):20261123T003000
      DUE;TZID=\(place):20261123T003000
      RRULE:FREQ=WEEKLY;BYDAY=MO
      END:VTODO
      END:VCALENDAR
      """
    let there = LocalTime(now: saturday, timeZone: try zone("America/Los_Angeles"))
    let fixture = try Fixture(timeZone: there.timeZone)
    let batch = try ImportFormat.read(Data(text.utf8), as: .ics, name: "file", in: there)
    #expect(try await fixture.database.addImported(batch, into: nil).result.problems == [])
    let id = try #require(try fixture.detail(.all).rows.first).id
    #expect(try fixture.details(id).due?.stored == "2026-11-22T23:30:00Z")
    _ = try await fixture.database.setDone(true, [id])
    #expect(try fixture.details(id).due?.stored == "2026-11-29T23:30:00Z")
  }
}
