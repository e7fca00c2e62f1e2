import Foundation
import Testing

@testable import RemindersCore

/// Rules as values: what is typed, what is stored, and which days they have.
@Suite struct RecurrenceTests {
  private let time = berlin()

  /// Saturday 21 November 2026.
  private static let phrases: [(typed: String, stored: String, shown: String)] = [
    ("every day", "++ FREQ=DAILY", "every day"),
    ("daily", "++ FREQ=DAILY", "every day"),
    ("every other day", "++ FREQ=DAILY;INTERVAL=2", "every 2 days"),
    ("every other monday", "++ FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "every 2 weeks on Mon"),
    ("biweekly", "++ FREQ=WEEKLY;INTERVAL=2", "every 2 weeks"),
    ("every fortnight", "++ FREQ=WEEKLY;INTERVAL=2", "every 2 weeks"),
    ("every quarter", "++ FREQ=MONTHLY;INTERVAL=3", "every 3 months"),
    (
      "quarterly on the 1st", "++ FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=1", "every 3 months on the 1st"
    ),
    ("every second week", "++ FREQ=WEEKLY;INTERVAL=2", "every 2 weeks"),
    ("every! 3 days", ".+ FREQ=DAILY;INTERVAL=3", "every! 3 days"),
    ("every+ day", "+ FREQ=DAILY", "every+ day"),
    ("every 10d", "++ FREQ=DAILY;INTERVAL=10", "every 10 days"),
    ("each week", "++ FREQ=WEEKLY", "every week"),
    ("every monday", "++ FREQ=WEEKLY;BYDAY=MO", "every Mon"),
    ("Every Mondays", "++ FREQ=WEEKLY;BYDAY=MO", "every Mon"),
    ("weekly on thu and mon", "++ FREQ=WEEKLY;BYDAY=MO,TH", "every Mon, Thu"),
    ("every mon, wed & fri", "++ FREQ=WEEKLY;BYDAY=MO,WE,FR", "every Mon, Wed, Fri"),
    ("every weekday", "++ FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "every weekday"),
    ("every weekend", "++ FREQ=WEEKLY;BYDAY=SA,SU", "every weekend"),
    ("every 2 weeks", "++ FREQ=WEEKLY;INTERVAL=2", "every 2 weeks"),
    ("every two days", "++ FREQ=DAILY;INTERVAL=2", "every 2 days"),
    ("every thirteen days", "++ FREQ=DAILY;INTERVAL=13", "every 13 days"),
    ("every! twelve weeks", ".+ FREQ=WEEKLY;INTERVAL=12", "every! 12 weeks"),
    ("every day for five times", "++ FREQ=DAILY;COUNT=5", "every day 5 times"),
    ("every mon/wed/fri", "++ FREQ=WEEKLY;BYDAY=MO,WE,FR", "every Mon, Wed, Fri"),
    ("every sat / sun", "++ FREQ=WEEKLY;BYDAY=SA,SU", "every weekend"),
    ("every 1st/15th", "++ FREQ=MONTHLY;BYMONTHDAY=1,15", "every month on the 1st, 15th"),
    (
      "last sunday of march every year", "++ FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU",
      "every year on the last Sun in Mar"
    ),
    (
      "every year on the last sunday of march and october",
      "++ FREQ=YEARLY;BYMONTH=3,10;BYDAY=-1SU", "every year on the last Sun in Mar, Oct"
    ),
    (
      "the last day of february yearly", "++ FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1",
      "every year on the last day in Feb"
    ),
    (
      "every last sunday of march", "++ FREQ=MONTHLY;BYMONTH=3;BYDAY=-1SU",
      "every month on the last Sun in Mar"
    ),
    ("every 2 weeks on mon", "++ FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "every 2 weeks on Mon"),
    ("monthly", "++ FREQ=MONTHLY", "every month"),
    ("every month on the 31st", "++ FREQ=MONTHLY;BYMONTHDAY=31", "every month on the 31st"),
    (
      "every month only on the 31st", "++ FREQ=MONTHLY;BYMONTHDAY=31;SKIP=OMIT",
      "every month only on the 31st"
    ),
    (
      "monthly only on the 15th and 30th", "++ FREQ=MONTHLY;BYMONTHDAY=15,30;SKIP=OMIT",
      "every month only on the 15th, 30th"
    ),
    (
      "every year only on 29 feb", "++ FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;SKIP=OMIT",
      "every year only on 29 Feb"
    ),
    ("every month only on the 15th", "++ FREQ=MONTHLY;BYMONTHDAY=15", "every month on the 15th"),
    ("every 15th", "++ FREQ=MONTHLY;BYMONTHDAY=15", "every month on the 15th"),
    ("every 1st and 15th", "++ FREQ=MONTHLY;BYMONTHDAY=1,15", "every month on the 1st, 15th"),
    ("monthly on the last day", "++ FREQ=MONTHLY;BYMONTHDAY=-1", "every month on the last day"),
    (
      "monthly on the last friday", "++ FREQ=MONTHLY;BYDAY=-1FR", "every month on the last Fri"
    ),
    ("every 2nd tuesday", "++ FREQ=MONTHLY;BYDAY=2TU", "every month on the 2nd Tue"),
    (
      "every 3 months on the 1st and 3rd monday", "++ FREQ=MONTHLY;INTERVAL=3;BYDAY=1MO,3MO",
      "every 3 months on the 1st Mon, 3rd Mon"
    ),
    (
      "monthly on the 2nd last sun", "++ FREQ=MONTHLY;BYDAY=-2SU", "every month on the 2nd last Sun"
    ),
    ("first monday of every month", "++ FREQ=MONTHLY;BYDAY=1MO", "every month on the 1st Mon"),
    (
      "on the last day of each month", "++ FREQ=MONTHLY;BYMONTHDAY=-1",
      "every month on the last day"
    ),
    (
      "the 1st and 15th of every! 2 months", ".+ FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=1,15",
      "every! 2 months on the 1st, 15th"
    ),
    ("every last friday of the month", "++ FREQ=MONTHLY;BYDAY=-1FR", "every month on the last Fri"),
    ("every year", "++ FREQ=YEARLY", "every year"),
    ("every 25 dec", "++ FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25", "every year on 25 Dec"),
    ("every 25.12.", "++ FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25", "every year on 25 Dec"),
    ("every 12/25", "++ FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25", "every year on 25 Dec"),
    ("every 1.2.", "++ FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=1", "every year on 1 Feb"),
    ("every 29.2.", "++ FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "every year on 29 Feb"),
    ("yearly on 25.12.", "++ FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25", "every year on 25 Dec"),
    ("every ! 3 days", ".+ FREQ=DAILY;INTERVAL=3", "every! 3 days"),
    ("every + day", "+ FREQ=DAILY", "every+ day"),
    ("yearly on dec 25", "++ FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25", "every year on 25 Dec"),
    (
      "every year on the last sun in mar, oct", "++ FREQ=YEARLY;BYMONTH=3,10;BYDAY=-1SU",
      "every year on the last Sun in Mar, Oct"
    ),
    ("every day 5 times", "++ FREQ=DAILY;COUNT=5", "every day 5 times"),
    ("every day once", "++ FREQ=DAILY;COUNT=1", "every day once"),
    ("every day 1 times", "++ FREQ=DAILY;COUNT=1", "every day once"),
    ("every day for 5 times", "++ FREQ=DAILY;COUNT=5", "every day 5 times"),
    (
      "every mon until 31 dec 2026", "++ FREQ=WEEKLY;BYDAY=MO;UNTIL=20261231",
      "every Mon until 31 Dec 2026"
    ),
    (
      "every mon until june", "++ FREQ=WEEKLY;BYDAY=MO;UNTIL=20270630",
      "every Mon until 30 Jun 2027"
    ),
    ("until nov every day", "++ FREQ=DAILY;UNTIL=20261130", "every day until 30 Nov 2026"),
  ]

  @Test(arguments: phrases.indices)
  func `what is typed is a rule, and what is shown can be typed`(index: Int) throws {
    let (typed, stored, shown) = Self.phrases[index]
    let rule = try #require(try Recurrence.parse(typed, in: time))
    #expect(rule.stored == stored)
    #expect(rule.text(in: time) == shown)
    #expect(try Recurrence.parse(shown, in: time) == rule)
    #expect(try Recurrence.parse(stored, in: time) == rule)
  }

  @Test(arguments: [
    "every", "every now and then", "every 0 days", "every day of the week", "monday", "every 32nd",
    "every 99999 days", "every! ", "monthly on the last", "every second", "every 5 mondays",
    "every 31.2.", "every 24.12.2026", "every 2.5 days", "every! ! 3 days",
    "first monday of every week", "first monday of every", "once every day",
    "every mon until 1 mar until 2 mar", "every mon every tue", "until june",
    "every friday the 13th", "every year on 5", "last sunday of march every month",
    "every umpteen days",
  ])
  func `other words are no rule`(typed: String) {
    let error = #expect(throws: AppError.self) { try Recurrence.parse(typed, in: time) }
    #expect(error?.hint != nil)
  }

  @Test(arguments: [
    ("FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
    ("freq=weekly;wkst=mo;byday=fr,mo", "FREQ=WEEKLY;BYDAY=MO,FR"),
    ("FREQ=WEEKLY;WKST=SU;BYDAY=MO", "FREQ=WEEKLY;BYDAY=MO"),
    ("FREQ=YEARLY;UNTIL=20301231T225959Z", "FREQ=YEARLY;UNTIL=20301231"),
  ])
  func `rules of other programs are read`(rule: String, read: String) {
    #expect(Recurrence(rule: rule)?.rule == read)
  }

  @Test(arguments: [
    "", "FREQ=SECONDLY", "FREQ=HOURLY;INTERVAL=2", "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;COUNT=0",
    "FREQ=DAILY;INTERVAL=99999999999999999999", "FREQ=DAILY;COUNT=1;UNTIL=20261231",
    "FREQ=DAILY;FREQ=WEEKLY", "FREQ=WEEKLY;BYDAY=1MO", "FREQ=MONTHLY;BYDAY=MO", "INTERVAL=2",
    "FREQ=MONTHLY;BYDAY=6MO", "FREQ=MONTHLY;BYMONTHDAY=32", "FREQ=MONTHLY;BYMONTHDAY=0",
    "FREQ=MONTHLY;BYSETPOS=1;BYDAY=1MO", "FREQ=YEARLY;BYDAY=1MO", "FREQ=YEARLY;BYMONTH=13",
    "FREQ=WEEKLY;INTERVAL=2;WKST=SU", "FREQ=DAILY;UNTIL=2026", "FREQ=WEEKLY;BYDAY=,", "FREQ",
    "FREQ=MONTHLY;BYMONTHDAY=--1", "FREQ=DAILY;X=1;",
    "FREQ=MONTHLY;BYMONTHDAY=-9223372036854775808", "FREQ=DAILY;COUNT=1000000000000000000",
    "FREQ=MONTHLY;BYDAY=-9223372036854775808MO", "FREQ=DAILY;UNTIL=11026",
    "FREQ=MONTHLY;BYMONTHDAY=31;SKIP=FORWARD", "FREQ=MONTHLY;BYMONTH=2,4;BYMONTHDAY=31;SKIP=OMIT",
  ])
  func `rules beyond the subset are none`(rule: String) {
    #expect(Recurrence(rule: rule) == nil)
  }

  /// The first day, the rule, and the days that follow when each occurrence is done on its day.
  private static let series: [(first: String, rule: String, next: [String])] = [
    ("2026-01-31", "+ FREQ=MONTHLY", ["2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"]),
    ("2028-01-30", "+ FREQ=MONTHLY", ["2028-02-29", "2028-03-30"]),
    ("2024-02-29", "+ FREQ=YEARLY", ["2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29"]),
    ("2026-11-21", "+ FREQ=DAILY;INTERVAL=3", ["2026-11-24", "2026-11-27"]),
    ("2026-11-21", "+ FREQ=WEEKLY", ["2026-11-28", "2026-12-05"]),
    ("2026-11-23", "+ FREQ=WEEKLY;BYDAY=MO,TH", ["2026-11-26", "2026-11-30"]),
    ("2026-11-26", "+ FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH", ["2026-12-07", "2026-12-10"]),
    ("2026-11-27", "+ FREQ=MONTHLY;BYDAY=-1FR", ["2026-12-25", "2027-01-29"]),
    ("2026-11-30", "+ FREQ=MONTHLY;BYDAY=5MO", ["2027-03-29", "2027-05-31"]),
    ("2026-11-30", "+ FREQ=MONTHLY;BYMONTHDAY=-1", ["2026-12-31", "2027-01-31", "2027-02-28"]),
    ("2026-11-01", "+ FREQ=MONTHLY;BYMONTHDAY=1,15", ["2026-11-15", "2026-12-01"]),
    ("2026-01-31", "+ FREQ=MONTHLY;BYMONTHDAY=31;SKIP=OMIT", ["2026-03-31", "2026-05-31"]),
    ("2096-02-29", "+ FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;SKIP=OMIT", ["2104-02-29"]),
    ("2026-11-30", "+ FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=31;SKIP=OMIT", ["end"]),
    ("2026-03-29", "+ FREQ=YEARLY;BYMONTH=3,10;BYDAY=-1SU", ["2026-10-25", "2027-03-28"]),
    ("2026-11-21", "+ FREQ=DAILY;COUNT=2", ["2026-11-22", "end"]),
    ("2026-11-21", "+ FREQ=DAILY;UNTIL=20261122", ["2026-11-22", "end"]),
    ("9999-12-31", "+ FREQ=DAILY", ["end"]),
    ("2026-01-15", "+ FREQ=MONTHLY;INTERVAL=12;BYMONTH=3", ["end"]),
  ]

  @Test(arguments: series.indices)
  func `a series has these days`(index: Int) throws {
    let (first, stored, expected) = Self.series[index]
    let start = try day(first)
    let rule = try #require(Recurrence(stored: stored)).anchored(to: start)
    #expect(rule.first(onOrAfter: start) >= start)
    var (current, number) = (start, 1)
    for text in expected {
      let next = rule.next(after: current, number: number, completedOn: current)
      #expect((next.map { "\($0)" } ?? "end") == text)
      guard let next else { break }
      (current, number) = (next, number + 1)
    }
  }

  @Test(arguments: [
    ("+ FREQ=DAILY", "2026-11-02"), ("++ FREQ=DAILY", "2026-11-22"),
    (".+ FREQ=DAILY;INTERVAL=3", "2026-11-24"), ("++ FREQ=WEEKLY;BYDAY=SA", "2026-11-28"),
    ("++ FREQ=MONTHLY", "2026-12-01"), (".+ FREQ=MONTHLY", "2026-12-21"),
    (".+ FREQ=WEEKLY;BYDAY=MO", "2026-11-23"),
  ])
  func `what is late goes on in one of three ways`(stored: String, next: String) throws {
    let scheduled = try day("2026-11-01")
    let rule = try #require(Recurrence(stored: stored)).anchored(to: scheduled)
    let found = rule.next(after: scheduled, number: 1, completedOn: time.today)
    #expect(found.map { "\($0)" } == next)
  }

  @Test(arguments: [
    (".+ FREQ=DAILY", "2026-11-22", 1, "2026-11-23"),
    (".+ FREQ=DAILY;INTERVAL=3", "2026-11-24", 1, "2026-11-27"),
    (".+ FREQ=DAILY;INTERVAL=3", "2026-11-24", 2, "2026-11-27"),
    (".+ FREQ=DAILY;INTERVAL=3", "2026-11-27", 3, "2026-11-30"),
    (".+ FREQ=WEEKLY", "2026-11-28", 1, "2026-12-05"),
    (".+ FREQ=WEEKLY;BYDAY=MO", "2026-11-23", 1, "2026-11-30"),
    (".+ FREQ=WEEKLY;BYDAY=MO,TH", "2026-11-26", 2, "2026-11-30"),
    (".+ FREQ=MONTHLY;BYMONTHDAY=1", "2026-12-01", 1, "2027-01-01"),
    // What was to begin later begins when it is first done.
    (".+ FREQ=DAILY;INTERVAL=3", "2026-12-01", 1, "2026-11-24"),
  ])
  func `what is done before its day does not come on that day again`(
    stored: String, scheduled: String, number: Int, next: String
  ) throws {
    let rule = try #require(Recurrence(stored: stored))
    let found = rule.next(after: try day(scheduled), number: number, completedOn: time.today)
    #expect(found.map { "\($0)" } == next)
  }

  @Test(arguments: [
    ("every monday 9am", "2026-11-23 09:00"), ("every day 9am", "2026-11-22 09:00"),
    ("every day at 18:00", "2026-11-21 18:00"), ("every weekend", "2026-11-21"),
    ("every 31st", "2026-11-30"), ("every 4 years on 29 feb", "2028-02-29"),
    ("every 2 years on 29 feb", "2028-02-29"), ("every 3 years on 29 feb", "2027-02-28"),
    ("every year on 29 feb", "2027-02-28"), ("every 12 months on the 31st", "2026-12-31"),
    ("every 2 months on the 31st", "2026-11-30"),
    ("every 4 years on 29 feb 9am", "2028-02-29 9:00"),
    ("every mon 9am until 31 dec", "2026-11-23 09:00"),
    ("every 2 weeks fri", "2026-11-27"), ("every month 25 dec", "2026-12-25"),
    ("every mon starting next week", "2026-11-23"), ("every day from next week", "2026-11-23"),
    ("every month starting next month", "2026-12-21"), ("every week starting dec", "2026-12-01"),
    ("every 5th starting next month", "2026-12-05"), ("mon every week from 2 dec", "2026-12-07"),
    ("3 mar every year starting 1 apr 2027", "2028-03-03"),
    ("every day morning", "2026-11-22 9:00"),
    ("first monday of every month at 9am", "2026-12-07 9:00"),
  ])
  func `a rule comes with its first due date`(typed: String, due: String) throws {
    guard case .series(_, let found)? = Recurrence.reading(typed, in: time) else {
      Issue.record("\(typed) is not read")
      return
    }
    #expect(try found == DueDate.parse(due, in: time))
  }

  /// Each order in which it can be said.
  private static let orders: [String] = {
    func orders(_ parts: [String]) -> [[String]] {
      guard let first = parts.first else { return [[]] }
      return orders(Array(parts.dropFirst())).flatMap { rest in
        (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
      }
    }
    let starts = ["every mon", "starting next week", "at 7pm"]
    return ["until 1 mar", "for 5 times"].flatMap { orders(starts + [$0]) }.map {
      $0.joined(separator: " ")
    }
  }()

  @Test(arguments: orders)
  func `rule, time, beginning and end can be said in any order`(typed: String) throws {
    guard case .series(let rule, let due)? = Recurrence.reading(typed, in: time) else {
      Issue.record("\(typed) is not read")
      return
    }
    let end = typed.contains("times") ? "COUNT=5" : "UNTIL=20270301"
    #expect(rule.stored == "++ FREQ=WEEKLY;BYDAY=MO;\(end)")
    #expect(try due == DueDate.parse("2026-11-23 19:00", in: time))
  }

  @Test(arguments: [
    "every month on mon", "monthly mon 9am", "every year on friday", "every quarter fri",
  ])
  func `a weekday of the month that may be any of them is none`(typed: String) throws {
    guard case .ambiguous? = Recurrence.reading(typed, in: time) else {
      Issue.record("\(typed) is read")
      return
    }
    let error = #expect(throws: AppError.self) { try Recurrence.parse(typed, in: time) }
    #expect(error?.hint?.contains("which one") == true)
  }

  @Test func `every phrase of the table is what it says`() throws {
    for (phrases, rule, due) in Recurrence.examples {
      for phrase in phrases {
        guard case .series(let found, let first)? = Recurrence.reading(phrase, in: time) else {
          Issue.record("\(phrase) is not read")
          continue
        }
        #expect(found.text(in: time) == rule, "\(phrase)")
        #expect(try first == DueDate.parse(due, in: time), "\(phrase)")
        let typed = try TypedSeries(phrase, in: time)
        #expect(typed.rule == found && typed.firstDue(from: nil, in: time) == first)
      }
    }
  }

  @Test func `the README has the table`() throws {
    let file = URL(filePath: #filePath).appending(path: "../../../README.md").standardized
    let readme = try String(contentsOf: file, encoding: .utf8)
    let begin = try #require(readme.range(of: "<!-- rules -->\n"))
    let end = try #require(readme.range(of: "<!-- end of rules -->"))
    let table = begin.upperBound..<end.lowerBound
    if ProcessInfo.processInfo.environment["UPDATE_SCREENS"] == "1" {
      let updated = readme.replacingCharacters(in: table, with: Recurrence.markdown())
      try Data(updated.utf8).write(to: file)
    } else {
      #expect(String(readme[table]) == Recurrence.markdown(), "UPDATE_SCREENS=1 writes it.")
    }
  }

  /// What a field or an option says, of something that is due already or not.
  @Test(
    arguments: [
      ("every monday 9am", nil, "2026-11-23 09:00"), ("every monday", nil, "2026-11-23"),
      ("every monday 9am", "2026-12-02", "2026-12-07 09:00"),
      ("every monday 9am", "2026-12-07 18:00", "2026-12-07 09:00"),
      ("every monday 9am starting 14 dec", "2026-12-02 18:00", "2026-12-14 09:00"),
      ("mon every week", "2026-12-02", "2026-11-23"),
      ("every friday", "2026-11-23 18:00", "2026-11-27 18:00"),
      ("every monday midnight", "2026-11-30", "2026-12-01 00:00"),
      ("every 2 weeks", "2026-11-25", "2026-11-25"), ("monthly", "2026-11-25", "2026-11-25"),
      ("+ FREQ=WEEKLY;BYDAY=FR", "2026-11-23", "2026-11-27"),
      ("every friday", "2026-11-19 18:00", "2026-11-27 18:00"),
      ("every thu", "2026-11-19", "2026-11-19"),
      ("none", "2026-11-23", "2026-11-23"), ("none", nil, nil),
    ] as [(String, String?, String?)])
  func `a typed repeat says when it is due for the first time`(
    typed: String, due: String?, first: String?
  ) throws {
    let series = try TypedSeries(typed, in: time)
    let known = try due.flatMap { try DueDate.parse($0, in: time) }
    #expect(
      series.firstDue(from: known, in: time)
        == (try first.flatMap { try DueDate.parse($0, in: time) }))
    #expect(series.saysDue == ["9am", "midnight", "mon "].contains { typed.contains($0) })
  }

  @Test func `text that goes on after a rule is no rule`() {
    for text in ["every day counts", "every monday meeting", "buy milk every day"] {
      #expect(Recurrence.reading(text, in: time) == nil, "\(text)")
    }
  }

  @Test func `a completed occurrence has the same id everywhere`() throws {
    let occurrence = try #require(Occurrence(stored: "3 2026-02-28 abc"))
    #expect(occurrence.stored == "3 2026-02-28 abc")
    let moved = Occurrence(number: 3, day: time.today, series: "abc")
    #expect(occurrence.completedID == moved.completedID)
    #expect(occurrence.completedID != occurrence.previous?.completedID)
    #expect(occurrence.ofDay.name == "abc 2026-02-28" && occurrence.ofDay.previous == nil)
    let id = try #require(UUID(uuidString: occurrence.completedID))
    #expect(id.uuid.6 >> 4 == 5 && id.uuid.8 >> 6 == 2)
    for text in ["", "3", "x 2026-02-28 a", "3 2026-02-31 a", nil] {
      #expect(Occurrence(stored: text) == nil)
    }
  }
}
