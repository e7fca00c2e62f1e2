/// The occurrences to come of a reminder that comes again, as they will be when each is completed
/// on its day.
struct Projection {
  let rule: Recurrence
  /// The one that the reminder is now, and when that is due.
  let occurrence: Occurrence
  let due: DueDate

  /// Nil for a reminder that does not come again, or has no date.
  init?(
    id: Reminder.ID, due: DueDate?, recurrence: Recurrence?, occurrence: String?, _ time: LocalTime
  ) {
    guard let due, let recurrence else { return nil }
    rule = recurrence
    self.due = due
    self.occurrence =
      Occurrence(stored: occurrence) ?? Occurrence(day: due.day(in: time), series: id)
  }

  /// When one is due on a day.
  func due(on day: CalendarDay, in time: LocalTime) -> DueDate {
    occurrence.due(on: day, after: due, in: time)
  }

  /// The days of a range that have one, in order: today and later ones.
  ///
  /// What lies before the range is skipped, except by rules that end after so many times, which
  /// are counted.
  ///
  /// - Parameter steps: How many occurrences may still be looked at; those that were are taken off.
  func days(
    in range: ClosedRange<CalendarDay>, _ time: LocalTime, steps: inout Int
  ) -> [CalendarDay] {
    let earliest = max(range.lowerBound, time.today)
    var (next, number) = (first(in: time), occurrence.number + 1)
    if let day = next, day < earliest, !rule.isCounted {
      next = rule.step(after: day, notBefore: earliest)
    }
    var found: [CalendarDay] = []
    while let day = next, day <= range.upperBound, steps > 0 {
      if case .until(let last) = rule.end, day > last { break }
      steps -= 1
      if day >= earliest { found.append(day) }
      if case .count(let count) = rule.end, number >= count { break }
      number += 1
      next = rule.step(after: day)
    }
    return found
  }

  /// The occurrence after this one.
  private func first(in time: LocalTime) -> CalendarDay? {
    let day = due.day(in: time)
    guard rule.continuation == .next else {
      return rule.next(
        after: occurrence.day, number: occurrence.number, due: day,
        completedOn: max(day, time.today))
    }
    // Of those that are over as well, the last one will be seen among what is overdue.
    var rule = rule
    rule.continuation = .nextInFuture
    return rule.next(
      after: occurrence.day, number: occurrence.number, due: day,
      completedOn: time.today.adding(days: -1))
  }
}

extension Recurrence {
  /// Whether it ends after so many times.
  fileprivate var isCounted: Bool { if case .count = end { true } else { false } }
}
