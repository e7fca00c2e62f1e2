import Foundation

/// The present moment, the time zone and the locale format of whoever looks: what "today" depends
/// on, and how it is written.
public struct LocalTime: Hashable, Sendable {
  /// The present moment.
  public var now: Date
  /// The zone whose midnight ends the day.
  public var timeZone: TimeZone
  /// How dates are written.
  public var localeFormat: LocaleFormat

  /// A moment seen from a time zone.
  public init(
    now: Date, timeZone: TimeZone = .present, localeFormat: LocaleFormat = .international
  ) {
    self.now = now
    self.timeZone = timeZone
    self.localeFormat = localeFormat
  }

  /// The day it is.
  public var today: CalendarDay { wallClock(at: now).day }

  /// Day and minutes since midnight that a clock on the wall shows at a moment.
  public func wallClock(at moment: Date) -> (day: CalendarDay, minutes: Int) {
    let seconds = moment.wholeSeconds + offset(at: moment)
    let (day, second) = seconds.quotientAndRemainderFlooring(by: secondsPerDay)
    return (CalendarDay(number: day), second / 60)
  }

  /// The moment when a clock on the wall shows this day and so many minutes since midnight.
  ///
  /// Where daylight saving repeats an hour, the first time; where it skips one, as much later as
  /// was skipped.
  public func moment(_ day: CalendarDay, minutes: Int) -> Date {
    let wall = Date(
      timeIntervalSince1970: Double(day.number * secondsPerDay + minutes * 60))
    let offsetBefore = offset(at: wall.addingTimeInterval(-Double(secondsPerDay)))
    let offsetAfter = offset(at: wall.addingTimeInterval(Double(secondsPerDay)))
    let candidates = [offsetBefore, offsetAfter].map {
      (offset: $0, moment: wall.addingTimeInterval(-Double($0)))
    }
    let real = candidates.filter { offset(at: $0.moment) == $0.offset }.map(\.moment)
    return real.min() ?? candidates[0].moment
  }

  /// The next moment, from now on, when a clock on the wall shows so many minutes since midnight.
  func next(atMinutes minutes: Int) -> DueDate {
    let isOver = moment(today, minutes: minutes) <= now
    return .at(today.adding(days: isOver ? 1 : 0), minutes: minutes, in: self)
  }

  /// When a day begins.
  public func start(of day: CalendarDay) -> Date { moment(day, minutes: 0) }

  /// Seconds to add to UTC at a moment.
  ///
  /// Other devices and programs may write any moment; time zones know those of this calendar.
  public func offset(at moment: Date) -> Int {
    let known = min(
      max(moment.timeIntervalSince1970, Self.knownSeconds.lowerBound),
      Self.knownSeconds.upperBound)
    return timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: known))
  }

  /// From the year 1 to 9999.
  private static let knownSeconds = -62_135_596_800.0...253_402_300_799.0
}

extension Date {
  /// Seconds since 1970, rounded down; those of a moment beyond all numbers are the last ones.
  var wholeSeconds: Int {
    let seconds = timeIntervalSince1970
    guard !seconds.isNaN else { return 0 }
    return Int(min(max(seconds.rounded(.down), -1e17), 1e17))
  }
}

private let secondsPerDay = 86_400
