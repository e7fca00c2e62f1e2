extension DueDate {
  /// Short, for a row of the list: `2 days late`, `Thu 19 Nov 09:30`, `today 18:00`, `tomorrow`.
  public func relativeText(in time: LocalTime) -> String {
    switch day(in: time).number - time.today.number {
    case ..<(-1): minutes(in: time) == nil ? distanceText(in: time) : dateText(in: time)
    case -1: joined("yesterday", in: time)
    case 0: joined("today", in: time)
    case 1: joined("tomorrow", in: time)
    default: dateText(in: time)
    }
  }

  /// The day alone, for a heading: `today`, `yesterday`, `Thu 19 Nov`.
  public func relativeDayText(in time: LocalTime) -> String {
    let day = day(in: time)
    return switch day.number - time.today.number {
    case -1: "yesterday"
    case 0: "today"
    case 1: "tomorrow"
    default: DueDate.day(day).dateText(in: time)
    }
  }

  /// The date and, when it has one, the time: `Thu 19 Nov 09:30`, with the year when it is another.
  public func dateText(in time: LocalTime) -> String {
    let day = day(in: time)
    let year = day.components.year
    let text = time.localeFormat.text(of: day)
    return joined(year == time.today.components.year ? text : "\(text) \(year)", in: time)
  }

  /// In full, for a form: `Thu 26 Nov 2026 · 09:30`.
  public func fullText(in time: LocalTime) -> String {
    let day = day(in: time)
    return joined(
      "\(time.localeFormat.text(of: day)) \(day.components.year)", by: " · ", in: time)
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
    minutes(in: time).map { text + separator + time.localeFormat.text(ofClock: $0) } ?? text
  }
}
