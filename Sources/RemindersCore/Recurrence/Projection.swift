/// The occurrences to come of a reminder that comes again, as they will be when each is completed
/// on its day.
struct Projection {
  /// An occurrence that is still to come.
  struct Entry {
    /// The day that the rule gives.
    let ruleDay: CalendarDay
    /// The day on which it is due for whoever looks.
    let day: CalendarDay
    let due: DueDate
  }

  private let rule: Recurrence
  /// The one that the reminder is now, and when that is due.
  private let occurrence: Occurrence
  private let due: DueDate
  /// The clocks of whoever looks, and those where the series is at home.
  private let time: LocalTime
  private let home: LocalTime

  /// Nil for a reminder that does not come again, or has no date.
  init?(
    id: Reminder.ID, due: DueDate?, recurrence: Recurrence?, occurrence: String?,
    seriesTime: String?, _ time: LocalTime
  ) {
    guard let due, let recurrence else { return nil }
    let known = Occurrence(stored: occurrence)
    home = time.atHome(of: due, known, seriesTime: seriesTime)
    self.occurrence = known ?? Occurrence(day: due.day(in: home), series: id)
    (rule, self.due, self.time) = (recurrence, due, time)
  }

  /// Those of a range of days, in order: of today and later ones.
  ///
  /// What lies before the range is skipped, except by rules that end after so many times, which
  /// are counted.
  ///
  /// - Parameters:
  ///   - range: Days of whoever looks.
  ///   - steps: How many occurrences may still be looked at; those that were are taken off.
  func entries(in range: ClosedRange<CalendarDay>, steps: inout Int) -> [Entry] {
    let earliest = max(range.lowerBound, time.today)
    guard earliest <= range.upperBound else { return [] }
    // Where the series is at home it may be two days later, or earlier: clocks differ by 26 hours.
    let margin = home.timeZone == time.timeZone ? 0 : 2
    let days = earliest.adding(days: -margin)...range.upperBound.adding(days: margin)
    return self.days(in: days, steps: &steps).compactMap { day in
      let due = occurrence.due(on: day, after: due, in: home)
      let shown = due.day(in: time)
      return (earliest...range.upperBound).contains(shown)
        ? Entry(ruleDay: day, day: shown, due: due) : nil
    }
  }

  /// The days of a range that have one where the series is at home.
  private func days(in range: ClosedRange<CalendarDay>, steps: inout Int) -> [CalendarDay] {
    let earliest = range.lowerBound
    var (next, counted) = (first(), occurrence.counted + 1)
    if let day = next, day < earliest, !rule.isCounted {
      next = rule.step(after: day, notBefore: earliest)
    }
    var found: [CalendarDay] = []
    while let day = next, day <= range.upperBound, steps > 0 {
      if case .until(let last) = rule.end, day > last { break }
      steps -= 1
      if day >= earliest { found.append(day) }
      if case .count(let count) = rule.end, counted >= count { break }
      counted += 1
      next = rule.step(after: day)
    }
    return found
  }

  /// The occurrence after this one.
  private func first() -> CalendarDay? {
    guard rule.continuation == .next else {
      let day = due.day(in: home)
      return next(by: rule, due: day, completedOn: max(day, time.today))
    }
    // Of those that are over as well, the last one will be seen among what is overdue.
    var rule = rule
    rule.continuation = .nextInFuture
    return next(by: rule, completedOn: time.today.adding(days: -1))
  }

  private func next(
    by rule: Recurrence, due: CalendarDay? = nil, completedOn completed: CalendarDay
  ) -> CalendarDay? {
    rule.next(
      after: occurrence.day, number: occurrence.number, counted: occurrence.counted, due: due,
      completedOn: completed)
  }
}

extension Recurrence {
  /// Whether it ends after so many times.
  var isCounted: Bool { if case .count = end { true } else { false } }
}
