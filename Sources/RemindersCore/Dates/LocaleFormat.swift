import Foundation

/// How dates are written where somebody lives: order, clock, and the first day of the week.
///
/// The words stay English, as all others of the app: what is shown can be typed.
public struct LocaleFormat: Hashable, Sendable {
  /// `Nov 23` instead of `23 Nov`.
  public var isMonthFirst: Bool
  /// `6pm` instead of `18:00`.
  public var isHalfDayClock: Bool
  /// The day that a week begins with; Monday is 0.
  public var firstWeekday: Int

  /// `23 Nov`, `18:00`, and weeks from Monday.
  public static let international = LocaleFormat()

  /// Customs; the international ones unless told otherwise.
  public init(isMonthFirst: Bool = false, isHalfDayClock: Bool = false, firstWeekday: Int = 0) {
    self.isMonthFirst = isMonthFirst
    self.isHalfDayClock = isHalfDayClock
    self.firstWeekday = firstWeekday
  }

  /// The conventions of the locale for times: `LC_ALL`, else `LC_TIME`, else `LANG`.
  ///
  /// The system need not have that locale installed. `C` and `POSIX` are international.
  public init(environment: [String: String]) {
    let names = ["LC_ALL", "LC_TIME", "LANG"].compactMap { environment[$0] }
    let name = Self.language(of: names.first { !$0.isEmpty } ?? "")
    self.init()
    guard Self.isLocale(name), !["C", "POSIX"].contains(name), Self.areHarmless(environment) else {
      return
    }
    let locale = Locale(identifier: String(name))
    let date = DateFormatter.dateFormat(fromTemplate: "dMMM", options: 0, locale: locale) ?? ""
    if let month = date.firstIndex(of: "M"), let day = date.firstIndex(of: "d") {
      isMonthFirst = month < day
    }
    isHalfDayClock = [.oneToTwelve, .zeroToEleven].contains(locale.hourCycle)
    let weekdays: [Locale.Weekday] = [
      .monday, .tuesday, .wednesday, .thursday, .friday, .saturday, .sunday,
    ]
    firstWeekday = weekdays.firstIndex(of: locale.firstDayOfWeek) ?? 0
  }
}

extension LocaleFormat {
  /// Whether Foundation can look at what the environment says of locales.
  ///
  /// With the first locale that it is asked for it looks for the default one as well, and ends the
  /// process over names and modifiers that are too long.
  private static func areHarmless(_ environment: [String: String]) -> Bool {
    ["LC_ALL", "LC_MESSAGES", "LC_CTYPE", "LC_TIME", "LANG"]
      .compactMap { environment[$0] }
      .allSatisfy { $0.isEmpty || $0.utf8.count <= 64 && isLocale(language(of: $0)) }
  }

  /// A locale's name without its encoding and modifiers.
  private static func language(of name: String) -> Substring {
    name.prefix { $0 != "." && $0 != "@" }
  }

  /// Whether a name has the form of a locale's, such as `en_GB` or `sr_Latn_RS`.
  ///
  /// Foundation ends the process over names that are too long or not ASCII.
  private static func isLocale(_ name: Substring) -> Bool {
    let parts = name.split(omittingEmptySubsequences: false) { $0 == "_" || $0 == "-" }
    return (1...4).contains(parts.count)
      && parts.allSatisfy { part in
        (1...8).contains(part.utf8.count)
          && part.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
              || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          }
      }
  }
}

extension LocaleFormat {
  /// `18:00`, or `6pm`, of minutes since midnight.
  public func text(ofClock minutes: Int) -> String {
    let (hour, minute) = (minutes / 60, minutes % 60)
    guard isHalfDayClock else { return hour.padded(to: 2) + ":" + minute.padded(to: 2) }
    let shown = "\((hour + 11) % 12 + 1)" + (minute == 0 ? "" : ":" + minute.padded(to: 2))
    return shown + (hour < 12 ? "am" : "pm")
  }

  /// What a typed time of the day means, `18:00` or `6pm`, in minutes since midnight; nil for what
  /// is none.
  public static func minutes(ofClock text: String) -> Int? { ClockTime.minutes(text.lowercased()) }

  /// `23 Nov`.
  public func dateText(of day: CalendarDay) -> String {
    let date = day.components
    let month = DateNames.months[date.month - 1].prefix(3)
    return isMonthFirst ? "\(month) \(date.day)" : "\(date.day) \(month)"
  }

  /// `November 2026`.
  public func text(ofMonth day: CalendarDay) -> String {
    let date = day.components
    return "\(DateNames.months[date.month - 1]) \(date.year)"
  }

  /// The days of a week as it begins here, in two letters each.
  public var weekdays: [String] {
    (0..<7).map { String(DateNames.weekdays[(firstWeekday + $0) % 7].prefix(2)) }
  }

  /// `Mon 23 Nov`.
  public func text(of day: CalendarDay) -> String { "\(day.weekdayText) \(dateText(of: day))" }

  /// How many columns the time of a day takes at most.
  public var clockColumns: Int { isHalfDayClock ? 7 : 5 }
}

extension CalendarDay {
  /// `Mon`.
  public var weekdayText: String { String(DateNames.weekdays[weekday].prefix(3)) }
}
