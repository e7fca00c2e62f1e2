extension Recurrence {
  /// The rule in words that can be typed: `every 2 weeks on Mon, Thu until 31 Dec 2026`.
  public func text(in time: LocalTime) -> String {
    let sign = ["+": "+", "++": "", ".+": "!"][continuation.rawValue] ?? ""
    let words = ["every\(sign)", units, days(in: time), endText(in: time)]
    return words.filter { !$0.isEmpty }.joined(separator: " ")
  }

  private var units: String {
    switch (frequency, interval) {
    case (.weekly, 1) where weekdays == Self.workdays: return "weekday"
    case (.weekly, 1) where weekdays == Self.weekend: return "weekend"
    case (.weekly, 1) where !weekdays.isEmpty: return Self.names(of: weekdays)
    case (_, 1): return frequency.unit
    default: return "\(interval) \(frequency.unit)s"
    }
  }

  private func days(in time: LocalTime) -> String {
    switch frequency {
    case .daily: return ""
    case .weekly:
      return interval == 1 || weekdays.isEmpty ? "" : "on \(Self.names(of: weekdays))"
    case .monthly, .yearly:
      let only = omitsMissingDays ? "only " : ""
      if frequency == .yearly, months.count == 1, monthDays.count == 1, monthDays[0] > 0,
        // Any leap year has all of them.
        let day = CalendarDay(year: 2024, month: months[0], day: monthDays[0])
      {
        return "\(only)on \(time.localeFormat.dateText(of: day))"
      }
      let days = monthDays.map(Self.name(ofDay:)) + weekdays.map(Self.name(of:))
      let inMonths = months.map { String(DateNames.months[$0 - 1].prefix(3)) }
      return [
        days.isEmpty ? "" : "\(only)on the " + days.joined(separator: ", "),
        inMonths.isEmpty ? "" : "in " + inMonths.joined(separator: ", "),
      ].filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  private func endText(in time: LocalTime) -> String {
    switch end {
    case .until(let day): "until \(time.localeFormat.dateText(of: day)) \(day.components.year)"
    case .count(1): "once"
    case .count(let count): "\(count) times"
    case nil: ""
    }
  }

  static let workdays = (0...4).map { Weekday($0) }
  static let weekend = (5...6).map { Weekday($0) }

  private static func names(of weekdays: [Weekday]) -> String {
    weekdays.map { name(of: $0) }.joined(separator: ", ")
  }

  private static func name(of weekday: Weekday) -> String {
    let name = String(DateNames.weekdays[weekday.weekday].prefix(3))
    return weekday.ordinal.map { "\(ordinal($0)) \(name)" } ?? name
  }

  private static func name(ofDay day: Int) -> String {
    day > 0 ? ordinal(day) : "\(ordinal(day)) day"
  }

  /// `3rd`, `last`, `2nd last`.
  private static func ordinal(_ number: Int) -> String {
    guard number > 0 else { return number == -1 ? "last" : "\(ordinal(-number)) last" }
    let isTeen = (11...13).contains(number % 100)
    let suffixes = [1: "st", 2: "nd", 3: "rd"]
    return "\(number)\(isTeen ? "th" : suffixes[number % 10] ?? "th")"
  }
}

extension Recurrence.Frequency {
  /// `week`.
  var unit: String {
    switch self {
    case .daily: "day"
    case .weekly: "week"
    case .monthly: "month"
    case .yearly: "year"
    }
  }
}
