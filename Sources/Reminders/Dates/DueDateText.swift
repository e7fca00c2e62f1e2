extension DueDate {
  /// Short, for a row of the list: `2 days late`, `today 18:00`, `tomorrow`, `Mon 23 Nov`.
  public func relativeText(in time: LocalTime) -> String {
    switch day(in: time).number - time.today.number {
    case ..<(-1): distanceText(in: time)
    case -1: "yesterday"
    case 0: joined("today", in: time)
    case 1: joined("tomorrow", in: time)
    default: dateText(in: time)
    }
  }

  /// The date and, when it has one, the time: `Thu 19 Nov 09:30`, with the year when it is another.
  public func dateText(in time: LocalTime) -> String {
    let day = day(in: time)
    let year = day.components.year
    let text = year == time.today.components.year ? day.shortText : "\(day.shortText) \(year)"
    return joined(text, in: time)
  }

  /// In full, for a form: `Thu 26 Nov 2026 · 09:30`.
  public func fullText(in time: LocalTime) -> String {
    let day = day(in: time)
    return joined("\(day.shortText) \(day.components.year)", by: " · ", in: time)
  }

  /// How far off the day is: `in 5 days`, `today`, `2 days late`.
  public func distanceText(in time: LocalTime) -> String {
    let days = day(in: time).number - time.today.number
    return switch days {
    case ..<(-1): "\(-days) days late"
    case -1: "1 day late"
    case 0: "today"
    case 1: "tomorrow"
    default: "in \(days) days"
    }
  }

  private func joined(_ text: String, by separator: String = " ", in time: LocalTime) -> String {
    guard let minutes = minutes(in: time) else { return text }
    return text + separator + (minutes / 60).padded(to: 2) + ":" + (minutes % 60).padded(to: 2)
  }
}

extension CalendarDay {
  /// `Mon 23 Nov`.
  public var shortText: String {
    let date = components
    return "\(DateNames.weekdays[weekday].prefix(3)) \(date.day) "
      + DateNames.months[date.month - 1].prefix(3)
  }
}
