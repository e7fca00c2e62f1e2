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

  /// Whether the day on which it is due is over; as rows, `Condition.overdue(in:)`.
  public func isOverdue(in time: LocalTime) -> Bool { day(in: time) < time.today }

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
  var isStorable: Bool {
    switch self {
    case .day(let day): (1...9999).contains(day.components.year)
    case .moment(let moment): Self.moments.contains(moment.timeIntervalSince1970)
    }
  }

  /// The years 1 to 9999 in UTC, in which moments are stored.
  private static let moments = -62_135_596_800.0..<253_402_300_800.0

  /// What the text of the column means.
  ///
  /// Nil for text of other programs that is not a date, and for a date that the calendar does not
  /// have.
  init?(stored text: String?) {
    guard let text else { return nil }
    if let day = CalendarDay(text) {
      self = .day(day)
    } else if let moment = Date(iso8601: text) {
      self = .moment(moment)
      guard isStorable else { return nil }
    } else {
      return nil
    }
  }
}
