import Foundation
import Testing

@testable import RemindersCore

@Suite struct DueDateTests {
  @Test(arguments: [
    ("today", "2026-11-21"),
    ("Tomorrow", "2026-11-22"),
    ("tmrw", "2026-11-22"),
    ("yesterday", "2026-11-20"),
    ("fri", "2026-11-27"),
    ("saturday", "2026-11-28"),
    ("next thu", "2026-11-26"),
    ("next mon", "2026-11-23"),
    ("+3d", "2026-11-24"),
    ("+2w", "2026-12-05"),
    ("+1mo", "2026-12-21"),
    ("25 dec 27", nil),
    ("25.12.26", nil), ("12.25", nil), ("4.5", "2027-05-04"), ("4.5.6", nil),
    ("this", nil),
    ("Thu 19 Nov", "2026-11-19"),
    ("Tue 23 Nov 2026", nil),
    ("last fri", "2026-11-20"),
    ("3 days late", "2026-11-18"),
    ("+ 3", nil),
    ("5", nil),
    ("in a", nil),
    ("in three", nil),
    ("+3 days", "2026-11-24"),
    ("two weeks from now", "2026-12-05"),
    ("the end of the month", "2026-11-30"),
    ("end of year", "2026-12-31"),
    ("in half a year", "2027-05-21"),
    ("2026-1-5", "2026-01-05"),
    ("5/12/2026", "2026-12-05"),
    ("5-12-2026", "2026-12-05"),
    ("25-12", nil),
    ("2026/13/01", nil),
    ("friday next week", "2026-11-27"),
    ("mon next week", "2026-11-23"),
    ("next week on sun", "2026-11-29"),
    ("fri this week", "2026-11-20"),
    ("friday in two weeks", "2026-12-04"),
    ("in 2 weeks fri", "2026-12-04"),
    ("fri +2w", "2026-12-04"),
    ("fri next week mon", nil),
    ("in three days", "2026-11-24"),
    ("friday the 13th", "2027-08-13"),
    ("friday 13th", "2027-08-13"),
    ("fri 13 nov", "2026-11-13"),
    ("a week from fri 27 nov", "2026-12-04"),
    ("in eleven days", "2026-12-02"),
    ("two months from 25 dec", "2027-02-25"),
    ("two weeks from", nil), ("1d from 1d from friday", nil),
    ("10.12", "2026-12-10"),
    ("the 1st of december 2027", "2027-12-01"),
    ("the 25", nil),
    ("the fri", nil),
    ("in 3 days", "2026-11-24"),
    ("in a week", "2026-11-28"),
    ("in a fortnight", "2026-12-05"),
    ("a fortnight", "2026-12-05"),
    ("two fortnights ago", "2026-10-24"),
    ("fri in a fortnight", "2026-12-04"),
    ("a fortnight from friday", "2026-12-11"),
    ("in a year and a half", "2028-05-21"),
    ("in 1.5 weeks", nil), ("in 1.3 days", nil), ("in 1.5", nil), ("+1.5", nil),
    ("half a week", nil),
    ("next week", "2026-11-28"),
    ("next month", "2026-12-21"),
    ("25 dec", "2026-12-25"),
    ("dec 25", "2026-12-25"),
    ("25 December 2027", "2027-12-25"),
    ("1 jan", "2027-01-01"),
    ("29 feb", "2028-02-29"),
    ("2026-12-25", "2026-12-25"),
    ("2026-13-01", nil),
    ("31 jun", nil),
    ("someday", nil),
    ("fri fri", nil),
    // Of this year what is over, too; of another only the next one. None is of a year far off.
    ("thu 19 nov", "2026-11-19"),
    ("mon 4 jan", "2027-01-04"),
    ("sun 1 nov", "2026-11-01"),
    ("mon 1 dec", nil),
    ("sun 28 nov", nil),
    ("sat 29 feb", nil),
    ("+999999999999999999999d", nil),
    ("+99999999d", nil),
  ]) func `a day is understood in plain language`(typed: String, expected: String?) throws {
    guard let expected else {
      #expect(throws: AppError.self) { try DueDate.parse(typed, in: berlin()) }
      return
    }
    #expect(try DueDate.parse(typed, in: berlin()) == .day(day(expected)))
  }

  @Test func `a date beside another weekday than its own is told by its own`() {
    let error = #expect(throws: AppError.self) { try DueDate.parse("mon 1 dec 9am", in: berlin()) }
    #expect(error?.hint == "That date is Tue 1 Dec 2026.")
  }

  @Test(arguments: [
    ("fri 9am", "2026-11-27T09:00:00+01:00"),
    ("next thu 9:30", "2026-11-26T09:30:00+01:00"),
    ("next thu at 9", "2026-11-26T09:00:00+01:00"),
    ("tomorrow at 9:30 pm", "2026-11-22T21:30:00+01:00"),
    ("2026-12-25 18:00", "2026-12-25T18:00:00+01:00"),
    ("2026-12-25T18:00", "2026-12-25T18:00:00+01:00"),
    ("2026-12-25T18:00:00-05:00", "2026-12-26T00:00:00+01:00"),
    ("18:00", "2026-11-21T18:00:00+01:00"),
    ("9:00", "2026-11-22T09:00:00+01:00"),
    ("12am tomorrow", "2026-11-22T00:00:00+01:00"),
    ("noon tomorrow", "2026-11-22T12:00:00+01:00"),
    ("+2h", "2026-11-21T16:32:00+01:00"),
    ("in an hour", "2026-11-21T15:32:00+01:00"),
    ("in twenty minutes", "2026-11-21T14:52:00+01:00"),
    ("in thirty minutes", "2026-11-21T15:02:00+01:00"),
    ("in 1 hour 30 minutes", "2026-11-21T16:02:00+01:00"),
    ("half an hour ago", "2026-11-21T14:02:00+01:00"),
    ("in half an hour", "2026-11-21T15:02:00+01:00"),
    ("in a half hour", "2026-11-21T15:02:00+01:00"),
    ("half a day", "2026-11-22T02:32:00+01:00"),
    ("in 1.5 hours", "2026-11-21T16:02:00+01:00"),
    ("+1.5h", "2026-11-21T16:02:00+01:00"),
    ("in 0.25 hours", "2026-11-21T14:47:00+01:00"),
    ("in 1.5 days", "2026-11-23T02:32:00+01:00"),
    ("in an hour and a half", "2026-11-21T16:02:00+01:00"),
    ("in two and a half hours", "2026-11-21T17:02:00+01:00"),
    ("in 1.33 hours", nil), ("in 1.5.5 hours", nil), ("in 1. hours", nil), ("in .5 hours", nil),
    ("half past 9", "2026-11-22T09:30:00+01:00"),
    ("half past nine", "2026-11-22T09:30:00+01:00"),
    ("at half past 9 pm", "2026-11-21T21:30:00+01:00"),
    ("half past 9pm tomorrow", "2026-11-22T21:30:00+01:00"),
    ("tomorrow half past 9", "2026-11-22T09:30:00+01:00"),
    ("half past 9 on friday", "2026-11-27T09:30:00+01:00"),
    ("quarter to 6", "2026-11-22T05:45:00+01:00"),
    ("a quarter to 18", "2026-11-21T17:45:00+01:00"),
    ("fri at a quarter past 6", "2026-11-27T06:15:00+01:00"),
    ("tonight at half past 9", "2026-11-21T21:30:00+01:00"),
    ("tomorrow evening at 9 o'clock", "2026-11-22T21:00:00+01:00"),
    ("5 o'clock", "2026-11-22T05:00:00+01:00"),
    ("18 o’clock", "2026-11-21T18:00:00+01:00"),
    ("at five oclock", "2026-11-22T05:00:00+01:00"),
    ("5 o'clock tomorrow", "2026-11-22T05:00:00+01:00"),
    ("fri 5 o'clock", "2026-11-27T05:00:00+01:00"),
    ("half past", nil), ("half past 25", nil), ("half past 9:15", nil), ("quarter to 0", nil),
    ("quarter", nil), ("o'clock", nil), ("30 o'clock", nil), ("half past noon", nil),
    ("half past twenty", "2026-11-21T20:30:00+01:00"), ("half past thirty", nil),
    ("3d 2h", nil),
    ("25 dec 2026 8pm", "2026-12-25T20:00:00+01:00"),
    ("25:00", nil),
    ("18.30", "2026-11-21T18:30:00+01:00"),
    ("tomorrow 9.05", "2026-11-22T09:05:00+01:00"),
    ("9.05 pm", "2026-11-21T21:05:00+01:00"),
    ("at 9.05", "2026-11-22T09:05:00+01:00"),
    ("two weeks from friday 9am", "2026-12-11T09:00:00+01:00"),
    ("two hours from friday", nil),
    ("today 25.30", nil),
    ("18.30 fri", nil),
    ("13pm", nil),
    ("today 9:5", nil),
    ("today at", nil),
  ]) func `a time is understood in plain language`(typed: String, expected: String?) throws {
    guard let expected else {
      #expect(throws: AppError.self) { try DueDate.parse(typed, in: berlin()) }
      return
    }
    #expect(try DueDate.parse(typed, in: berlin())?.iso8601(in: berlin()) == expected)
  }

  @Test(arguments: [
    "25 dec 0026", "0026-12-25", "0026-12-25T10:00:00Z", "25.12.0026", "-1600mo", "25 dec 26",
    "dec 25, 126", "25.12.26", "12/25/26", "11026-01-01", "25 dec 11026", "25.12.11026", "26-12-25",
    "25-12-26", "26/12/25", "25.12.26 9am", "25 dec 26 9am",
  ]) func `a year has four digits and is one of ours`(typed: String) throws {
    let error = #expect(throws: AppError.self) { try DueDate.parse(typed, in: berlin()) }
    #expect(error?.hint?.contains("four digits") == true, "\(String(describing: error))")
  }

  @Test(arguments: ["every mon", "every mon 9am", "every night", "every mon to fri"])
  func `a date that is a repeat says where repeats go`(typed: String) throws {
    let error = #expect(throws: AppError.self) { try DueDate.parse(typed, in: berlin()) }
    #expect(error?.hint?.contains("--repeat") == true)
  }

  @Test(arguments: ["none", "", "  ", "no date", "NONE"])
  func `none and no text mean not due`(typed: String) throws {
    #expect(try DueDate.parse(typed, in: berlin()) == nil)
  }

  @Test(arguments: DatePhrases.examples)
  func `every phrase of the table means what it says`(phrases: [String], meaning: String) throws {
    for phrase in phrases {
      let due = try DueDate.parse(phrase, in: berlin())
      let text = due.map { due in
        String(due.iso8601(in: berlin()).prefix(16)).replacing("T", with: " ")
      }
      #expect((text ?? "not due") == meaning, "\(phrase)")
    }
  }

  @Test func `the README has the table`() throws {
    let file = URL(filePath: #filePath).appending(path: "../../../README.md").standardized
    let readme = try String(contentsOf: file, encoding: .utf8)
    let begin = try #require(readme.range(of: "<!-- dates -->\n"))
    let end = try #require(readme.range(of: "<!-- end of dates -->"))
    let table = begin.upperBound..<end.lowerBound
    if ProcessInfo.processInfo.environment["UPDATE_SCREENS"] == "1" {
      let updated = readme.replacingCharacters(in: table, with: DatePhrases.markdown())
      try Data(updated.utf8).write(to: file)
    } else {
      #expect(String(readme[table]) == DatePhrases.markdown(), "UPDATE_SCREENS=1 writes it.")
    }
  }

  @Test(arguments: [false, true])
  func `everything that is shown can be typed`(isAmerican: Bool) throws {
    var time = berlin()
    time.localeFormat = LocaleFormat(isMonthFirst: isAmerican, isHalfDayClock: isAmerican)
    for days in -40...420 { try expectTypable(time.today.adding(days: days), time) }
  }

  private func expectTypable(_ day: CalendarDay, _ time: LocalTime) throws {
    for due in [DueDate.day(day), .at(day, minutes: 18 * 60 + 5, in: time)] {
      for text in [due.dateText(in: time), due.fullText(in: time)] {
        #expect(try DueDate.parse(text, in: time) == due, "\(text)")
      }
      let shown = due.relativeText(in: time)
      #expect(try DueDate.parse(shown, in: time) == due, "\(shown)")
      let distance = due.distanceText(in: time)
      #expect(try DueDate.parse(distance, in: time) == .day(day), "\(distance)")
    }
  }

  @Test func `what is not understood is named, with examples`() throws {
    let error = #expect(throws: AppError.self) { try DueDate.parse("fro 9am", in: berlin()) }
    #expect(error?.kind == .invalidInput)
    #expect(error?.reason.contains("fro 9am") == true)
    #expect(error?.hint?.contains("fri 9am") == true)
  }

  @Test(arguments: [
    ("2026-11-18", "3 days late"),
    ("2026-11-19 08:00", "Thu 19 Nov 08:00"),
    ("2026-11-20", "yesterday"),
    ("2026-11-20 09:30", "yesterday 09:30"),
    ("2026-11-21", "today"),
    ("2026-11-21 18:00", "today 18:00"),
    ("2026-11-22 07:05", "tomorrow 07:05"),
    ("2026-11-23", "Mon 23 Nov"),
    ("2026-11-26 09:30", "Thu 26 Nov 09:30"),
    ("2027-01-01", "Fri 1 Jan 2027"),
  ]) func `a row says how soon`(typed: String, expected: String) throws {
    let due = try #require(try DueDate.parse(typed, in: berlin()))
    #expect(due.relativeText(in: berlin()) == expected)
  }

  @Test func `a form says the date in full and how far off it is`() throws {
    let due = try #require(try DueDate.parse("2026-11-26 09:30", in: berlin()))
    #expect(due.fullText(in: berlin()) == "Thu 26 Nov 2026 · 09:30")
    #expect(due.distanceText(in: berlin()) == "in 5 days")
  }

  @Test func `a day is the same day in every time zone`() throws {
    let due = DueDate.day(try day("2026-11-21"))
    for identifier in ["Pacific/Auckland", "America/Los_Angeles"] {
      let time = LocalTime(now: saturday, timeZone: try zone(identifier))
      #expect(due.day(in: time).description == "2026-11-21")
      #expect(due.iso8601(in: time) == "2026-11-21")
    }
  }

  @Test func `a moment falls on the day of whoever looks`() throws {
    let due = try #require(try DueDate.parse("2026-11-21 08:00", in: berlin()))
    let losAngeles = LocalTime(now: saturday, timeZone: try zone("America/Los_Angeles"))
    #expect(due.day(in: losAngeles).description == "2026-11-20")
    #expect(due.iso8601(in: losAngeles) == "2026-11-20T23:00:00-08:00")
  }

  @Test func `a time that daylight saving skips is as much later`() throws {
    let spring = berlin(saturday)
    let due = DueDate.at(try day("2027-03-28"), minutes: 150, in: spring)
    #expect(due.iso8601(in: spring) == "2027-03-28T03:30:00+02:00")
  }

  @Test func `a time that daylight saving repeats is the first one`() throws {
    let due = DueDate.at(try day("2026-10-25"), minutes: 150, in: berlin())
    #expect(due.iso8601(in: berlin()) == "2026-10-25T02:30:00+02:00")
  }

  @Test func `a day that begins an hour late begins when it does`() throws {
    // In Beirut clocks go forward at midnight: 28 March 2027 begins at 01:00.
    let time = LocalTime(now: saturday, timeZone: try zone("Asia/Beirut"))
    let start = time.start(of: try day("2027-03-28"))
    #expect(start.iso8601(offset: time.offset(at: start)) == "2027-03-28T01:00:00+03:00")
  }

  @Test(arguments: ["2026-11-21", "2026-11-21T13:32:00Z"])
  func `what is stored is read back`(text: String) {
    #expect(DueDate(stored: text)?.stored == text)
  }

  @Test(arguments: ["", "soon", "2026-02-30", "2026-11-21T99:00:00Z", "2026-11-21T", "T", "-1-1-1"])
  func `text of another program that is no date is no due date`(text: String) {
    #expect(DueDate(stored: text) == nil)
  }

  @Test func `days and dates convert both ways over four centuries`() throws {
    var day = try day("1899-12-31")
    let end = try self.day("2300-03-01")
    while day < end {
      let date = day.components
      #expect(CalendarDay(year: date.year, month: date.month, day: date.day) == day)
      day = day.adding(days: 11)
    }
  }

  @Test func `a month later keeps to the end of a shorter month`() throws {
    #expect(try day("2027-01-31").adding(months: 1).description == "2027-02-28")
    #expect(try day("2027-01-31").adding(months: -2).description == "2026-11-30")
  }

  private func day(_ text: String) throws -> CalendarDay {
    try #require(CalendarDay(text))
  }
}
