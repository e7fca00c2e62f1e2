import Foundation

/// When a reminder is announced: at a moment, or by its due date, which the alarm then follows.
public enum Alarm: Hashable, Sendable {
  /// At this moment; whole seconds.
  case at(Date)
  /// So long after it is due, before it where the numbers are negative: days of the calendar, which
  /// keep the time of the day, and seconds.
  case offset(days: Int = 0, seconds: Int = 0)
  /// At a time of the day on which it is due, or so many days before: minutes since midnight.
  case clock(daysBefore: Int = 0, minutes: Int)

  /// Not at all, whatever is usual.
  case never

  /// When it is due: the alarm of a reminder that has none of its own.
  public static let whenDue = Alarm.offset()

  /// When it is to be announced; nil without the due date that it goes by.
  ///
  /// `dayMinutes`: when a day without a time is announced, in minutes since midnight.
  public func moment(of due: DueDate?, dayMinutes: Int, in time: LocalTime) -> Date? {
    if case .at(let moment) = self { return moment }
    guard let due else { return nil }
    let day = due.day(in: time)
    switch self {
    case .at(let moment): return moment
    case .never: return nil
    case .clock(let daysBefore, let minutes):
      return time.moment(day.adding(days: -daysBefore), minutes: minutes)
    case .offset(let days, let seconds):
      if days == 0, case .moment(let moment) = due {
        return moment.addingTimeInterval(Double(seconds))
      }
      let minutes = due.minutes(in: time) ?? dayMinutes
      return time.moment(day.adding(days: days), minutes: minutes)
        .addingTimeInterval(Double(seconds))
    }
  }

  /// Whether it comes when a time, rather than a day, is reached that somebody chose.
  func isExact(of due: DueDate?) -> Bool {
    switch (self, due) {
    case (.at, _), (.whenDue, .moment): true
    default: false
    }
  }
}

// MARK: - Stored

extension Alarm {
  private static let neverText = "never"

  /// The text of the column, and of JSON: a duration of RFC 5545 from the due time (`-PT10M`), a
  /// time of the day on which it is due (`08:00`, `-P1D 20:00`), a moment, or `never`.
  public var stored: String {
    switch self {
    case .at(let moment): moment.iso8601UTC
    case .never: Self.neverText
    case .offset(let days, let seconds): CalendarDuration(days: days, seconds: seconds).description
    case .clock(let daysBefore, let minutes):
      (daysBefore == 0 ? "" : "\(CalendarDuration(days: -daysBefore)) ")
        + (minutes / 60).padded(to: 2) + ":" + (minutes % 60).padded(to: 2)
    }
  }

  /// The same with the offset from UTC of whoever looks.
  public func iso8601(in time: LocalTime) -> String {
    if case .at(let moment) = self {
      moment.iso8601(offset: time.offset(at: moment))
    } else {
      stored
    }
  }

  /// What the text of the column means; nil for text of other programs that is not an alarm.
  public init?(stored text: String) {
    if text == Self.neverText {
      self = .never
    } else if let duration = CalendarDuration(text) {
      self = .offset(days: duration.days, seconds: duration.seconds)
    } else if let moment = Date(iso8601: text) {
      self = .at(moment)
    } else {
      let parts = text.split(separator: " ", omittingEmptySubsequences: false)
      guard (1...2).contains(parts.count), parts[parts.count - 1].utf8.count == 5,
        let minutes = ClockTime.minutes(String(parts[parts.count - 1]))
      else { return nil }
      guard parts.count == 2 else {
        self = .clock(minutes: minutes)
        return
      }
      guard let duration = CalendarDuration(parts[0]), duration.seconds == 0, duration.days <= 0
      else { return nil }
      self = .clock(daysBefore: -duration.days, minutes: minutes)
    }
  }
}

/// A duration of RFC 5545 (3.3.6): `-P1DT2H`, `PT10M`, `-P2W`.
struct CalendarDuration: Hashable, CustomStringConvertible {
  var days = 0
  var seconds = 0

  init(days: Int = 0, seconds: Int = 0) {
    self.days = days
    self.seconds = seconds
  }

  var description: String {
    let isNegative = days < 0 || seconds < 0
    let (days, seconds) = (abs(days), abs(seconds))
    let parts = [(seconds / 3600, "H"), (seconds / 60 % 60, "M"), (seconds % 60, "S")]
      .filter { $0.0 > 0 }.map { "\($0)\($1)" }.joined()
    let clock = parts.isEmpty ? (days == 0 ? "T0S" : "") : "T" + parts
    return (isNegative ? "-P" : "P") + (days == 0 ? "" : "\(days)D") + clock
  }

  /// Nil for what is not a duration, or one of centuries.
  init?(_ text: some StringProtocol) {
    guard text.utf8.count <= Self.longestText else { return nil }
    var rest = Substring(text)
    let isNegative = rest.first == "-"
    if isNegative || rest.first == "+" { rest.removeFirst() }
    guard rest.popFirst() == "P", !rest.isEmpty else { return nil }
    var isClock = false
    while let first = rest.first {
      if first == "T", !isClock {
        rest.removeFirst()
        isClock = true
        continue
      }
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(digits.count)
      guard digits.utf8.count <= 9, let number = Int(digits: digits), let unit = rest.popFirst()
      else { return nil }
      switch (unit, isClock) {
      case ("W", false): days += number * 7
      case ("D", false): days += number
      case ("H", true): seconds += number * 3600
      case ("M", true): seconds += number * 60
      case ("S", true): seconds += number
      default: return nil
      }
    }
    guard text.last?.isLetter == true, text.last != "T", text.last != "P",
      days <= Self.mostDays, seconds <= Self.mostDays * 86_400
    else { return nil }
    if isNegative { (days, seconds) = (-days, -seconds) }
  }

  private static let mostDays = 36_600
  private static let longestText = 40
}
