import Foundation
import Testing

@testable import RemindersCore

/// Dates as they are written where somebody lives.
@Suite struct LocaleFormatTests {
  private static let american = LocaleFormat(
    isMonthFirst: true, isHalfDayClock: true, firstWeekday: 6)

  @Test(arguments: [
    (["LANG": "en_US.UTF-8"], american),
    (["LANG": "en_US.UTF-8", "LC_TIME": "de_DE.UTF-8"], .international),
    (["LANG": "de_DE.UTF-8", "LC_TIME": "", "LC_ALL": "en_US"], american),
    (["LC_TIME": "en_GB.UTF-8@euro"], .international),
    (["LC_ALL": "C.UTF-8", "LANG": "en_US.UTF-8"], .international),
    (["LANG": "POSIX"], .international),
    (["LANG": "日本語"], .international), (["LC_ALL": "\u{FFFD}\u{1B}"], .international),
    (["LANG": String(repeating: "x", count: 100)], .international),
    (["LANG": "../"], .international),
    (["LANG": "en_US@" + String(repeating: "x", count: 300)], .international),
    (["LC_TIME": "en_US", "LANG": String(repeating: "x", count: 300)], .international),
    (["LC_TIME": "en_US", "LC_MESSAGES": String(repeating: "9", count: 20)], .international),
    (["LC_TIME": "en_US", "LC_CTYPE": "UTF-8"], american),
    ([:], .international),
  ])
  func theyAreThoseOfTheLocaleForTimes(environment: [String: String], expected: LocaleFormat) {
    #expect(LocaleFormat(environment: environment) == expected)
  }

  @Test func anAmericanReadsAmericanDates() throws {
    let time = LocalTime(now: berlin().now, timeZone: .gmt, localeFormat: Self.american)
    let due = try #require(try DueDate.parse("nov 24 6pm", in: time))
    #expect(due.relativeText(in: time) == "Tue Nov 24 6pm")
    #expect(due.fullText(in: time) == "Tue Nov 24 2026 · 6pm")
    let later = try #require(try DueDate.parse("2027-01-02 00:05", in: time))
    #expect(later.dateText(in: time) == "Sat Jan 2 2027 12:05am")
  }

  @Test(arguments: [american, .international], ["nov 24 6pm", "2027-12-31 12:00", "mar 1 0:30"])
  func whatIsShownCanBeTyped(localeFormat: LocaleFormat, typed: String) throws {
    let time = LocalTime(now: berlin().now, timeZone: .gmt, localeFormat: localeFormat)
    let due = try #require(try DueDate.parse(typed, in: time))
    let shown = due.dateText(in: time).split(separator: " ").dropFirst().joined(separator: " ")
    #expect(try DueDate.parse(shown, in: time) == due, "\(shown)")
  }

  @Test(arguments: [("next sun", 22, 29), ("next mon", 23, 23)])
  func theNextWeekBeginsOnTheFirstDayOfTheWeek(typed: String, sunday: Int, monday: Int) throws {
    for (localeFormat, expected) in [(Self.american, sunday), (.international, monday)] {
      let time = LocalTime(now: berlin().now, timeZone: .gmt, localeFormat: localeFormat)
      #expect(
        try DueDate.parse(typed, in: time) == .day(#require(CalendarDay("2026-11-\(expected)"))))
    }
  }
}
