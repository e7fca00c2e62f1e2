extension Recurrence {
  /// The rule with what it leaves to its first occurrence: every month on the 31st stays so when
  /// February has had it on the 28th.
  ///
  /// What goes on from the day of completion has no such day.
  public func anchored(to day: CalendarDay) -> Recurrence {
    guard continuation != .fromCompletion else { return self }
    return complete(for: day)
  }

  private func complete(for day: CalendarDay) -> Recurrence {
    var rule = self
    let date = day.components
    switch frequency {
    case .daily: break
    case .weekly: if weekdays.isEmpty { rule.weekdays = [Weekday(day.weekday)] }
    case .monthly: if weekdays.isEmpty, monthDays.isEmpty { rule.monthDays = [date.day] }
    case .yearly:
      if months.isEmpty { rule.months = [date.month] }
      if weekdays.isEmpty, monthDays.isEmpty { rule.monthDays = [date.day] }
    }
    return rule
  }

  /// The first day of the rule on a day or after it.
  ///
  /// Not one from which it would never come to its own day: every 4 years on 29 February begins in
  /// a leap year.
  public func first(onOrAfter day: CalendarDay) -> CalendarDay {
    let rule = complete(for: day)
    var each = rule
    each.interval = 1
    let first = each.days(inPeriodOf: day).first { $0 >= day } ?? each.step(after: day) ?? day
    guard interval > 1, rule.lacksDays, !omitsMissingDays else { return first }
    let candidates = sequence(first: first) { each.step(after: $0) }.prefix(Self.cycle)
    return candidates.first(where: rule.comesToItsDay) ?? first
  }

  /// After so many periods the months come again: a year of them, and a leap year.
  private static let cycle = 12

  private func comesToItsDay(from first: CalendarDay) -> Bool {
    var exact = self
    exact.omitsMissingDays = true
    return sequence(first: start(ofPeriodOf: first)) { nextPeriod(after: $0) }.prefix(Self.cycle)
      .contains { !exact.days(inPeriodOf: $0).isEmpty }
  }

  /// The first day of what has a date already: that one, where the rule has it; else the next one
  /// of the rule that is not over.
  ///
  /// - Parameters:
  ///   - day: The date that it has.
  ///   - today: The day it is.
  func first(from day: CalendarDay, today: CalendarDay) -> CalendarDay {
    first(onOrAfter: day) == day ? day : first(onOrAfter: max(day, today))
  }

  /// The rule without its end.
  var endless: Recurrence {
    var rule = self
    rule.end = nil
    return rule
  }

  /// The rule of a series that begins with an occurrence of this one's.
  ///
  /// - Parameter number: Which one of this rule's, from 1.
  func remaining(from number: Int) -> Recurrence {
    guard case .count(let count) = end else { return self }
    var rule = self
    rule.end = .count(max(1, count - number + 1))
    return rule
  }

  /// The day of the next occurrence; nil when there is none any more.
  ///
  /// - Parameters:
  ///   - scheduled: The day of this occurrence, though it may have been moved.
  ///   - number: Which occurrence it is, from 1.
  ///   - counted: Which one it is of those that count towards the end; nil where all do.
  ///   - due: The day to which it was moved.
  ///   - completed: The day on which it was completed.
  public func next(
    after scheduled: CalendarDay, number: Int, counted: Int? = nil, due: CalendarDay? = nil,
    completedOn completed: CalendarDay
  ) -> CalendarDay? {
    if case .count(let count) = end, counted ?? number >= count { return nil }
    var (from, earliest) = (scheduled, scheduled.adding(days: 1))
    if number > 1, let due, isAgain(due, before: scheduled) {
      (from, earliest) = (due, scheduled)
    }
    let next: CalendarDay? =
      switch continuation {
      case .next: step(after: from, notBefore: earliest)
      case .nextInFuture:
        step(after: from, notBefore: max(earliest, completed.adding(days: 1)))
      case .fromCompletion: step(after: completed, doneOf: scheduled, number, notBefore: earliest)
      }
    guard let next, next.isInCalendar else { return nil }
    if case .until(let last) = end, next > last { return nil }
    return next
  }

  /// The first day as long after the day of completion as the rule says.
  ///
  /// What was done before its day must not come on that day again: on a day that the rule names, or
  /// where a span from the day of completion ends there. Of a first occurrence that was to begin
  /// later the span alone counts.
  private func step(
    after completed: CalendarDay, doneOf scheduled: CalendarDay, _ number: Int,
    notBefore earliest: CalendarDay
  ) -> CalendarDay? {
    guard let next = step(after: completed), next < earliest else {
      return step(after: completed)
    }
    let namesDays = !(weekdays.isEmpty && monthDays.isEmpty && months.isEmpty)
    guard namesDays || number > 1 || next == scheduled else { return next }
    return step(after: completed, notBefore: earliest)
  }

  /// Whether an occurrence was put back to the day of one before it, which is completed: that one
  /// is done once more, and this one is still to come on its day.
  private func isAgain(_ due: CalendarDay, before scheduled: CalendarDay) -> Bool {
    due < scheduled && first(onOrAfter: due) == due
      && step(after: due, notBefore: scheduled) == scheduled
  }

  /// The first day of the rule after one, in its period or so many periods later as the interval
  /// says; nil when the calendar ends before.
  ///
  /// - Parameter earliest: Days before it do not count. They are not visited one by one, so that
  ///   a series that nobody has looked at for a thousand years goes on at once.
  func step(after day: CalendarDay, notBefore earliest: CalendarDay? = nil) -> CalendarDay? {
    let rule = complete(for: day)
    let earliest = max(earliest ?? day, day.adding(days: 1))
    if frequency == .daily {
      let steps = (earliest.number - day.number + interval - 1) / interval
      return day.adding(days: steps * interval)
    }
    var start = rule.start(ofPeriodOf: day)
    if let later = rule.days(inPeriodOf: start).first(where: { $0 >= earliest }) { return later }
    start = rule.nextPeriod(after: start, before: earliest)
    while true {
      guard start.isInCalendar else { return nil }
      if let first = rule.days(inPeriodOf: start).first(where: { $0 >= earliest }) { return first }
      start = rule.nextPeriod(after: start)
    }
  }

  private func start(ofPeriodOf day: CalendarDay) -> CalendarDay {
    let date = day.components
    return switch frequency {
    case .daily: day
    case .weekly: day.adding(days: -day.weekday)
    case .monthly: day.adding(days: 1 - date.day)
    case .yearly: CalendarDay(year: date.year, month: 1, day: 1) ?? day
    }
  }

  private func nextPeriod(after start: CalendarDay, count: Int = 1) -> CalendarDay {
    switch frequency {
    case .daily: start.adding(days: count * interval)
    case .weekly: start.adding(days: count * 7 * interval)
    case .monthly: start.adding(months: count * interval)
    case .yearly: start.adding(months: count * 12 * interval)
    }
  }

  /// The last period that begins before a day, or on it; the next one at least.
  private func nextPeriod(after start: CalendarDay, before day: CalendarDay) -> CalendarDay {
    let (from, to) = (start.components, day.components)
    let months = 12 * (to.year - from.year) + to.month - from.month
    let units =
      switch frequency {
      case .daily: day.number - start.number
      case .weekly: (day.number - start.number) / 7
      case .monthly: months
      case .yearly: months / 12
      }
    return nextPeriod(after: start, count: max(1, units / interval))
  }

  /// The days of the rule in the week, month or year of a day, in order.
  private func days(inPeriodOf day: CalendarDay) -> [CalendarDay] {
    let start = start(ofPeriodOf: day)
    switch frequency {
    case .daily: return [day]
    case .weekly: return weekdays.map { start.adding(days: $0.weekday) }.sorted()
    case .monthly:
      let isOne = months.isEmpty || months.contains(start.components.month)
      return isOne ? days(inMonthFrom: start) : []
    case .yearly:
      return months.sorted().flatMap { days(inMonthFrom: start.adding(months: $0 - 1)) }
    }
  }

  private func days(inMonthFrom first: CalendarDay) -> [CalendarDay] {
    let length = first.adding(months: 1).number - first.number
    let numbers = monthDays.compactMap { day -> Int? in
      let number = day > 0 ? day : length + 1 + day
      if omitsMissingDays, !(1...length).contains(number) { return nil }
      return min(max(1, number), length)
    }
    let ofWeek = weekdays.compactMap { weekday -> Int? in
      guard let ordinal = weekday.ordinal else { return nil }
      let earliest = first.days(until: weekday.weekday) + 1
      let last = earliest + (length - earliest) / 7 * 7
      let day = ordinal > 0 ? earliest + 7 * (ordinal - 1) : last + 7 * (ordinal + 1)
      return (1...length).contains(day) ? day : nil
    }
    return Set(numbers + ofWeek).sorted().map { first.adding(days: $0 - 1) }
  }
}

extension CalendarDay {
  /// Whether a due date can be stored that is on it.
  fileprivate var isInCalendar: Bool { (1...9999).contains(components.year) }
}
