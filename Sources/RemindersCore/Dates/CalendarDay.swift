/// A day of the Gregorian calendar, without a time and without a time zone.
public struct CalendarDay: Hashable, Comparable, Sendable {
  /// Days since 1 January 1970; negative before.
  public let number: Int

  /// The day so many days after 1 January 1970.
  public init(number: Int) {
    self.number = number
  }

  /// The day with this date, or nil when the calendar has none (31 June).
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month),
      (1...Self.daysInMonth(month, of: year)).contains(day)
    else { return nil }
    number = Self.number(year: year, month: month, day: day)
  }

  /// The earlier is the smaller.
  public static func < (one: CalendarDay, other: CalendarDay) -> Bool {
    one.number < other.number
  }

  /// The day so many days later.
  public func adding(days: Int) -> CalendarDay {
    CalendarDay(number: number + days)
  }

  /// The same day of the month so many months later, or the last one that month has.
  public func adding(months: Int) -> CalendarDay {
    let date = components
    let (years, month) = (date.month - 1 + months).quotientAndRemainderFlooring(by: 12)
    let year = date.year + years
    let day = min(date.day, Self.daysInMonth(month + 1, of: year))
    return CalendarDay(number: Self.number(year: year, month: month + 1, day: day))
  }

  /// The first day of its month.
  public var startOfMonth: CalendarDay { adding(days: 1 - components.day) }

  /// The last day of its month.
  public var endOfMonth: CalendarDay { startOfMonth.adding(months: 1).adding(days: -1) }

  /// Monday is 0, Sunday is 6.
  public var weekday: Int {
    // 1 January 1970 was a Thursday.
    (number + 3).quotientAndRemainderFlooring(by: 7).remainder
  }

  /// How many days ago, 0–6, it was last a weekday.
  public func days(since weekday: Int) -> Int { Self.days(from: weekday, to: self.weekday) }

  /// In how many days, 0–6, it is a weekday.
  func days(until weekday: Int) -> Int { Self.days(from: self.weekday, to: weekday) }

  /// How many days, 0–6, a weekday is after another one.
  static func days(from weekday: Int, to later: Int) -> Int { (later - weekday + 7) % 7 }

  /// Year, month (1–12) and day of the month.
  public var components: (year: Int, month: Int, day: Int) {
    let (cycle, dayOfCycle) = (number + Self.daysBefore1970).quotientAndRemainderFlooring(
      by: Self.daysPerCycle)
    let yearOfCycle =
      (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36524 - dayOfCycle / 146096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  // The arithmetic counts years from March, so that the leap day is the last of its year, and in
  // cycles of 400 years, after which the calendar repeats.
  private static let daysPerCycle = 146_097
  private static let daysBefore1970 = 719_468

  private static func number(year: Int, month: Int, day: Int) -> Int {
    let marchYear = month <= 2 ? year - 1 : year
    let (cycle, yearOfCycle) = marchYear.quotientAndRemainderFlooring(by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
    return cycle * daysPerCycle + dayOfCycle - daysBefore1970
  }

  private static func daysInMonth(_ month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension Int {
  /// Division that rounds down, so that remainders are never negative.
  func quotientAndRemainderFlooring(by divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  /// The number in decimal with leading zeros.
  func padded(to width: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
  }

  /// The number that these digits, and nothing but digits, stand for.
  init?(digits: some StringProtocol) {
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
    self.init(digits)
  }
}
