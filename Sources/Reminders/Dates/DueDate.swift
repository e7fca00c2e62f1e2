import Foundation

/// When something is due: a day, which is that day in every time zone, or a moment.
///
/// Stored as text, legible in any SQLite shell, in one column so that a merge never mixes the day
/// of one edit with the time of another: `2026-12-25`, or `2026-12-25T17:00:00Z` in UTC. Both
/// compare as text with their own kind.
public enum DueDate: Hashable, Sendable {
  /// Some time on this day.
  case day(CalendarDay)
  /// At this moment; whole seconds.
  case moment(Date)

  /// The moment a clock on the wall shows this day and so many minutes since midnight.
  public static func at(_ day: CalendarDay, minutes: Int, in time: LocalTime) -> DueDate {
    .moment(time.moment(day, minutes: minutes))
  }

  /// The day it is due for whoever looks.
  public func day(in time: LocalTime) -> CalendarDay {
    switch self {
    case .day(let day): day
    case .moment(let moment): time.wallClock(at: moment).day
    }
  }

  /// Minutes since midnight for whoever looks, or nil for a day without a time.
  public func minutes(in time: LocalTime) -> Int? {
    switch self {
    case .day: nil
    case .moment(let moment): time.wallClock(at: moment).minutes
    }
  }

  /// Whether the day, or the moment, is over.
  public func isLate(in time: LocalTime) -> Bool {
    switch self {
    case .day(let day): day < time.today
    case .moment(let moment): moment < time.now
    }
  }

  /// ISO 8601: the day alone, or the moment with the offset from UTC of whoever looks.
  public func iso8601(in time: LocalTime) -> String {
    switch self {
    case .day(let day): day.description
    case .moment(let moment): moment.iso8601(offset: time.offset(at: moment))
    }
  }
}

extension DueDate {
  /// The text of the column.
  var stored: String {
    switch self {
    case .day(let day): day.description
    case .moment(let moment): moment.iso8601UTC
    }
  }

  /// Whether the column can hold it: its calendar has the years 1 to 9999.
  var isStorable: Bool { DueDate(stored: stored) == self }

  /// What the text of the column means.
  ///
  /// Text of other programs that is no date is no due date.
  init?(stored text: String?) {
    guard let text else { return nil }
    if let day = CalendarDay(text) {
      self = .day(day)
    } else if let moment = Date(iso8601: text) {
      self = .moment(moment)
    } else {
      return nil
    }
  }
}

extension Date {
  /// `2026-12-25T17:00:00Z`.
  var iso8601UTC: String { wallText(offset: 0) + "Z" }

  /// `2026-12-25T18:00:00+01:00`.
  public func iso8601(offset: Int) -> String {
    let minutes = abs(offset) / 60
    return wallText(offset: offset) + (offset < 0 ? "-" : "+") + (minutes / 60).padded(to: 2) + ":"
      + (minutes % 60).padded(to: 2)
  }

  private func wallText(offset: Int) -> String {
    let seconds = wholeSeconds + offset
    let (day, second) = seconds.quotientAndRemainderFlooring(by: 86_400)
    let clock = [second / 3600, second / 60 % 60, second % 60].map { $0.padded(to: 2) }
    return "\(CalendarDay(number: day))T" + clock.joined(separator: ":")
  }

  /// The moment written as `2026-12-25T18:00`, with or without seconds, ending in `Z` or an offset
  /// from UTC.
  init?(iso8601 text: String) {
    let halves = text.split(separator: "T", omittingEmptySubsequences: false)
    guard halves.count == 2, let day = CalendarDay(String(halves[0])),
      let zone = halves[1].firstIndex(where: { "Z+-".contains($0) }),
      let wall = Self.seconds(ofClock: halves[1][..<zone]),
      let offset = Self.seconds(ofOffset: halves[1][zone...])
    else { return nil }
    self.init(timeIntervalSince1970: Double(day.number * 86_400 + wall - offset))
  }

  private static func seconds(ofClock text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { $0.utf8.count == 2 ? Int(digits: $0) : nil }
    guard numbers.count == parts.count, (2...3).contains(parts.count), numbers[0] < 24,
      numbers.dropFirst().allSatisfy({ $0 < 60 })
    else { return nil }
    return zip(numbers, [3600, 60, 1]).reduce(0) { $0 + $1.0 * $1.1 }
  }

  private static func seconds(ofOffset text: Substring) -> Int? {
    if text == "Z" { return 0 }
    return seconds(ofClock: text.dropFirst()).map { text.hasPrefix("-") ? -$0 : $0 }
  }
}
