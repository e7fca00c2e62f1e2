import Foundation
import Synchronization
import Testing

@testable import RemindersCore

/// Days that some months do not have, and the last moment of a rule, as RFC 5545 has them.
@Suite struct ICalendarRuleTests {
  private func calendar(_ lines: [String]) -> Data {
    let all =
      ["BEGIN:VCALENDAR", "BEGIN:VTODO", "UID:1", "SUMMARY:x"] + lines
      + ["END:VTODO", "END:VCALENDAR", ""]
    return Data(all.joined(separator: "\r\n").utf8)
  }

  private func read(_ data: Data) throws -> ReminderDraft {
    let batch = try ImportFormat.read(data, as: .ics, name: "file", in: berlin())
    #expect(batch.problems == [])
    return try #require(batch.items.first).draft
  }

  /// The days that follow when each occurrence is done on its day.
  private func days(_ draft: ReminderDraft, count: Int) throws -> [String] {
    var day = try #require(draft.due).day(in: berlin())
    let rule = try #require(draft.recurrence).anchored(to: day)
    return (1...count).map { number in
      guard let next = rule.next(after: day, number: number, completedOn: day) else { return "end" }
      day = next
      return "\(next)"
    }
  }

  @Test(arguments: [
    (
      ["DTSTART;VALUE=DATE:20261231", "RRULE:FREQ=MONTHLY;BYMONTHDAY=31"],
      ["2027-01-31", "2027-03-31", "2027-05-31"]
    ),
    (
      ["DUE;VALUE=DATE:20261231", "RRULE:FREQ=MONTHLY"],
      ["2027-01-31", "2027-03-31", "2027-05-31"]
    ),
    (
      ["DTSTART;VALUE=DATE:20261230", "RRULE:FREQ=MONTHLY;BYMONTHDAY=15,30"],
      ["2027-01-15", "2027-01-30", "2027-02-15", "2027-03-15"]
    ),
    (
      ["DTSTART;VALUE=DATE:20270131", "RRULE:FREQ=MONTHLY;BYMONTHDAY=-31"],
      ["2027-03-01", "2027-05-01"]
    ),
    (
      ["DTSTART;VALUE=DATE:20261231", "RRULE:FREQ=MONTHLY;BYMONTHDAY=-1"],
      ["2027-01-31", "2027-02-28", "2027-03-31"]
    ),
    (
      ["DTSTART;VALUE=DATE:20280229", "RRULE:FREQ=YEARLY"],
      ["2032-02-29", "2036-02-29"]
    ),
    (
      ["DTSTART;VALUE=DATE:20280229", "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;COUNT=2"],
      ["2032-02-29", "end"]
    ),
    (
      ["DTSTART;VALUE=DATE:20261231", "RRULE:FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=31"],
      ["2027-12-31", "2028-12-31"]
    ),
    // As other programs say what is on the last day of shorter months.
    (
      [
        "DTSTART;VALUE=DATE:20261231",
        "RRULE:FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1",
      ], ["2027-01-31", "2027-02-28", "2027-03-31"]
    ),
    (
      ["DTSTART;VALUE=DATE:20261230", "RRULE:FREQ=MONTHLY;BYSETPOS=-1;BYMONTHDAY=30,29,28"],
      ["2027-01-30", "2027-02-28", "2027-03-30"]
    ),
    (
      [
        "DTSTART;VALUE=DATE:20261230",
        "RRULE:RSCALE=GREGORIAN;FREQ=MONTHLY;BYMONTHDAY=30;SKIP=BACKWARD",
      ], ["2027-01-30", "2027-02-28", "2027-03-30"]
    ),
    (
      [
        "DTSTART;VALUE=DATE:20261231",
        "RRULE:RSCALE=GREGORIAN;FREQ=MONTHLY;BYMONTHDAY=31;SKIP=OMIT",
      ], ["2027-01-31", "2027-03-31"]
    ),
  ])
  func `a day that a month does not have is left out`(lines: [String], days: [String]) throws {
    #expect(try self.days(read(calendar(lines)), count: days.count) == days)
  }

  @Test(arguments: [
    "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=MONTHLY;BYMONTHDAY=28,30,31;BYSETPOS=-1",
    "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-2", "FREQ=MONTHLY;BYMONTHDAY=31;SKIP=FORWARD",
    "RSCALE=HEBREW;FREQ=MONTHLY;BYMONTHDAY=29;SKIP=BACKWARD",
  ])
  func `a rule that this program does not have is kept in the notes`(rule: String) throws {
    let data = calendar(["DUE;VALUE=DATE:20270130", "RRULE:\(rule)"])
    let batch = try ImportFormat.read(data, as: .ics, name: "file", in: berlin())
    let draft = try #require(batch.items.first).draft
    #expect(draft.recurrence == nil && draft.notes == "RRULE: \(rule)")
  }

  /// What is typed, on which day, and the rule that every program reads alike.
  @Test(arguments: [
    ("every 31st", "2026-12-31", "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1"),
    (
      "every 2 months on the 30th", "2026-12-30",
      "FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=28,29,30;BYSETPOS=-1"
    ),
    (
      "every 15th and 31st", "2026-12-15",
      "FREQ=MONTHLY;BYMONTHDAY=15,28,29,30,31;BYSETPOS=1,-1"
    ),
    ("every 28th and 29th", "2026-12-28", "FREQ=MONTHLY;BYMONTHDAY=28,29;BYSETPOS=1,-1"),
    (
      "every 30th and 31st", "2026-12-30",
      "FREQ=MONTHLY;BYMONTHDAY=30,31;RSCALE=GREGORIAN;SKIP=BACKWARD"
    ),
    ("every 29 feb", "2028-02-29", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1"),
    ("every 31 dec", "2026-12-31", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=31"),
    ("monthly on the last day", "2026-12-31", "FREQ=MONTHLY;BYMONTHDAY=-1"),
    ("every month only on the 31st", "2026-12-31", "FREQ=MONTHLY;BYMONTHDAY=31"),
    ("every year only on 29 feb", "2028-02-29", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29"),
    (
      "every month on the 31st 3 times", "2026-12-31",
      "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;COUNT=3;BYSETPOS=-1"
    ),
  ])
  func `what goes out is read alike and comes back`(
    phrase: String, due: String, rule: String
  ) async throws {
    let fixture = try Fixture()
    let recurrence = try #require(try Recurrence.parse(phrase, in: berlin()))
    let id = try await fixture.database.addReminder(
      ReminderDraft(title: "x", due: .day(try day(due)), recurrence: recurrence)
    ).id
    let bytes = Mutex<[UInt8]>([])
    try fixture.database.export(
      as: .ics, in: berlin(), to: OutputBuffer { piece in bytes.withLock { $0 += piece } })
    let data = Data(bytes.withLock { $0 })
    let text = String(decoding: data, as: UTF8.self).replacing("\r\n ", with: "")
    #expect(text.contains("RRULE:\(rule)\r\n"), "\(text)")
    #expect(try read(data).recurrence == fixture.details(id).recurrence)
  }

  /// UNTIL is the last moment that counts, or the last day.
  @Test(arguments: [
    (["DTSTART;TZID=Europe/Berlin:20261123T090000"], "20261125T075959Z", "2026-11-24"),
    (["DTSTART;TZID=Europe/Berlin:20261123T090000"], "20261125T080000Z", "2026-11-25"),
    (["DTSTART:20261123T090000"], "20261125T085959", "2026-11-24"),
    (["DTSTART:20261123T090000"], "20261125T090000", "2026-11-25"),
    (["DTSTART:20261123T080000Z"], "20261125T000000Z", "2026-11-24"),
    (["DUE:20261123T080000Z"], "20261125T000000Z", "2026-11-24"),
    (["DTSTART:20261123T090000"], "20261125", "2026-11-25"),
    (["DTSTART;VALUE=DATE:20261123"], "20261125T000000Z", "2026-11-25"),
    (["DTSTART;VALUE=DATE:20261123"], "20261125", "2026-11-25"),
    // The first one always counts.
    (["DTSTART:20261123T090000"], "20261123T000000Z", "2026-11-23"),
  ])
  func `the last moment counts and none after it`(
    start: [String], until: String, last: String
  ) throws {
    let draft = try read(calendar(start + ["RRULE:FREQ=DAILY;UNTIL=\(until)"]))
    #expect(draft.recurrence?.end == .until(try day(last)))
  }
}
