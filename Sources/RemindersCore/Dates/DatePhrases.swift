/// The phrases for days and times that are words, and a table of all that is understood.
public enum DatePhrases {
  /// Words for a day.
  typealias Day = (words: [String], day: @Sendable (LocalTime) -> CalendarDay)

  /// Words for a day, the longer ones first.
  private static let days = [
    names, ends("week", endOfWeek), ends("month", endOfMonth), ends("year", endOfYear),
    ends("next month") { $0.today.startOfMonth.adding(months: 1).endOfMonth },
  ].flatMap(\.self)

  static let daysByFirstWord = Dictionary(grouping: days) { $0.words[0] }

  private static let names: [Day] = [
    (["the", "day", "after", "tomorrow"], { $0.today.adding(days: 2) }),
    (["day", "after", "tomorrow"], { $0.today.adding(days: 2) }),
    (["next", "weekend"], { weekend($0).adding(days: 7) }),
    (["this", "weekend"], weekend),
    (["next", "week"], { $0.today.adding(days: 7) }),
    (["next", "month"], { $0.today.adding(months: 1) }),
    (["next", "year"], { $0.today.adding(months: 12) }),
    (["weekend"], weekend),
    (["today"], { $0.today }),
    (["tod"], { $0.today }),
    (["tomorrow"], { $0.today.adding(days: 1) }),
    (["tom"], { $0.today.adding(days: 1) }),
    (["tmr"], { $0.today.adding(days: 1) }),
    (["tmrw"], { $0.today.adding(days: 1) }),
    (["yesterday"], { $0.today.adding(days: -1) }),
    (["eow"], endOfWeek), (["eom"], endOfMonth), (["eoy"], endOfYear),
  ]

  /// `end of month`, `the end of the month`.
  private static func ends(
    _ period: String, _ day: @escaping @Sendable (LocalTime) -> CalendarDay
  ) -> [Day] {
    ["the end of the", "the end of", "end of the", "end of"].map { start in
      ("\(start) \(period)".split(separator: " ").map(String.init), day)
    }
  }

  /// Words for a time: minutes since midnight, and whether a day must stand before.
  static let times: [(words: [String], minutes: Int, needsDay: Bool)] = [
    (["noon"], 12 * 60, false), (["midnight"], 24 * 60, false), (["eod"], 23 * 60 + 59, false),
    (["morning"], 9 * 60, true), (["afternoon"], 15 * 60, true),
    (["evening"], 20 * 60, true), (["night"], 20 * 60, true), (["this", "morning"], 9 * 60, false),
    (["this", "afternoon"], 15 * 60, false), (["this", "evening"], 20 * 60, false),
    (["end", "of", "day"], 23 * 60 + 59, false),
    (["end", "of", "the", "day"], 23 * 60 + 59, false),
  ]

  /// Words before an hour, and the minutes that are to be added to it.
  static let partsOfHours: [(words: [String], minutes: Int)] = [
    (["half", "past"], 30), (["quarter", "past"], 15), (["a", "quarter", "past"], 15),
    (["quarter", "to"], -15), (["a", "quarter", "to"], -15),
  ]

  /// Whether a word alone is a time of the day, or a part of it.
  static func isTime(_ word: String) -> Bool { times.contains { $0.words == [word] } }

  /// What can be typed, and what it means on Saturday 21 November 2026 at 14:32: the table of the
  /// README and of the tests.
  public static let examples: [(phrases: [String], meaning: String)] = [
    (["today", "tod"], "2026-11-21"),
    (["tomorrow", "tom", "+1d", "1d", "in a day"], "2026-11-22"),
    (["yesterday", "-1d", "1 day ago"], "2026-11-20"),
    (["day after tomorrow", "+2", "mon", "next mon"], "2026-11-23"),
    (["fri", "this friday", "in 6 days", "fri next week"], "2026-11-27"),
    (["this saturday", "weekend", "this weekend"], "2026-11-21"),
    (["+3d", "in 3d", "in three days", "3 days"], "2026-11-24"),
    (
      ["next sat", "sat", "next week", "+1w", "a week from today", "next weekend"], "2026-11-28"
    ),
    (["eow", "end of the week"], "2026-11-22"),
    (["eom", "end of month", "30th", "the 30th", "30 nov"], "2026-11-30"),
    (["fri in two weeks"], "2026-12-04"),
    (
      ["in a fortnight", "the 5th next month", "next month on the 5th", "5th of next month"],
      "2026-12-05"
    ),
    (["two weeks from friday"], "2026-12-11"),
    (["next month", "+1mo", "in 1 month", "1 month"], "2026-12-21"),
    (
      [
        "25 dec", "dec 25", "25th dec", "25.12.", "25.12", "25.12.2026", "25/12", "12/25",
        "2026-12-25", "2026/12/25", "25-12-2026",
      ],
      "2026-12-25"
    ),
    (["25 dec 2027", "25.12.2027", "Sat 25 Dec 2027", "12/25/2027"], "2027-12-25"),
    (["31 dec", "eoy", "end of next month"], "2026-12-31"),
    (["3 may next year", "next year on 3 may"], "2027-05-03"),
    (["friday the 13th"], "2027-08-13"),
    (["+2h", "in 2 hours", "2h"], "2026-11-21 16:32"),
    (["+30m", "in 30 minutes", "30min", "in half an hour"], "2026-11-21 15:02"),
    (
      ["+1h30m", "in 1h 30m", "1h30m", "in 1.5 hours", "in an hour and a half"],
      "2026-11-21 16:02"
    ),
    (["18:00", "6pm", "6 p.m.", "today 18:00", "at 18", "18.00"], "2026-11-21 18:00"),
    (["fri 18.30", "at 18.30 on fri", "fri 6.30pm"], "2026-11-27 18:30"),
    (["9am", "tomorrow 9", "tomorrow at 9", "tomorrow morning"], "2026-11-22 09:00"),
    (["half past 9", "tomorrow at half past nine"], "2026-11-22 09:30"),
    (["quarter to 6", "a quarter to 6 tomorrow"], "2026-11-22 05:45"),
    (["5 o'clock", "5 o'clock tomorrow"], "2026-11-22 05:00"),
    (["tonight", "this evening", "today 8 pm"], "2026-11-21 20:00"),
    (["tonight at 9", "this evening 9", "today evening at 21:00"], "2026-11-21 21:00"),
    (["noon tomorrow", "tomorrow noon", "tomorrow at noon"], "2026-11-22 12:00"),
    (["noon on friday", "at noon on fri"], "2026-11-27 12:00"),
    (["midnight", "today midnight"], "2026-11-22 00:00"),
    (["fri midnight"], "2026-11-28 00:00"),
    (["eod", "end of day"], "2026-11-21 23:59"),
    (
      ["fri 9am", "fri at 9 next week", "Fri 27 Nov 09:00", "Fri 27 Nov 2026 · 09:00"],
      "2026-11-27 09:00"
    ),
    (["none", "never"], "not due"),
  ]

  /// The table in Markdown.
  public static func markdown() -> String {
    let rows = examples.map { phrases, meaning in
      "| " + phrases.map { "`\($0)`" }.joined(separator: " ") + " | \(meaning) |\n"
    }
    return "| typed | on Saturday 2026-11-21 at 14:32 |\n|---|---|\n" + rows.joined()
  }

  /// The Saturday that comes, or the one that is; on a Sunday, that day.
  @Sendable private static func weekend(_ time: LocalTime) -> CalendarDay {
    let today = time.today
    return today.weekday == 6 ? today : today.adding(days: 5 - today.weekday)
  }

  @Sendable private static func endOfWeek(_ time: LocalTime) -> CalendarDay {
    let place = time.today.days(since: time.localeFormat.firstWeekday)
    return time.today.adding(days: 6 - place)
  }

  @Sendable private static func endOfMonth(_ time: LocalTime) -> CalendarDay {
    let next = time.today.adding(months: 1)
    return next.adding(days: -next.components.day)
  }

  @Sendable private static func endOfYear(_ time: LocalTime) -> CalendarDay {
    let today = time.today
    return CalendarDay(year: today.components.year, month: 12, day: 31) ?? today
  }
}
