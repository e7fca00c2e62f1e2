import Foundation
import SQLiteSync

// What is written where a reminder gets a rule, another one, or none any more.

extension WriteTransaction {
  /// Makes a rule the beginning of a series, with a first due date where there is none; or ends it.
  ///
  /// What ends is an occurrence, too: another device may complete it before it knows.
  ///
  /// It is at home where whoever sets the rule is, unless a file says another place.
  ///
  /// - Parameters:
  ///   - rule: The rule; nil for none any more.
  ///   - due: When it is due first; nil for the first date of the rule.
  ///   - home: The other place.
  ///   - known: When it is due until then, where it comes again already. Another time of the day is
  ///     noted where no other device writes when it goes on meanwhile.
  ///   - former: The occurrence in the series whose rule it replaces.
  ///   - columns: What is written of the reminder.
  func beginSeries(
    _ rule: Recurrence?, due: DueDate?, at home: TimeZone? = nil,
    replacing former: Occurrence? = nil, dueUntilNow known: DueDate? = nil,
    _ columns: inout RowChange.Columns
  ) {
    let time = home.map(time.moved) ?? time
    guard rule != nil || former != nil else {
      columns["occurrence"] = .null
      return
    }
    let due = due ?? rule?.first(onOrAfter: .day(time.today), in: time) ?? .day(time.today)
    let rule = rule?.anchored(to: due.day(in: time))
    columns["seriesTime"] = .null
    if let rule {
      columns["dueDate"] = due.stored.databaseValue
      if let known, known.seriesTime(in: time) != due.seriesTime(in: time) {
        columns["seriesTime"] = due.seriesTime(in: time).databaseValue
      }
      columns["recurrence"] = rule.stored.databaseValue
    }
    columns["occurrence"] =
      Occurrence(of: rule, due: due, replacing: former, id: makeID(), in: time)
      .stored.databaseValue
  }

  /// What is written where a rule only ends at another time; nil where it is another rule.
  ///
  /// The reminder stays at its occurrence and its date. One that was completed as the last one goes
  /// on from there when that is looked at, if it is not the last one any more.
  func newEnd(
    _ rule: Recurrence?, of occurrence: Occurrence?, _ known: RowChange.Columns
  ) -> RowChange.Columns? {
    let day = DueDate(stored: known.text("dueDate"))?.day(in: time)
    guard let rule = day.flatMap({ rule?.anchored(to: $0) }),
      let same = occurrence?.ended(by: rule)
    else { return nil }
    let isDone = known.text("occurrence").map(Occurrence.isLast) ?? false
    return [
      "recurrence": rule.stored.databaseValue,
      "occurrence": isDone ? known["occurrence"] ?? .null : same.stored.databaseValue,
    ]
  }

  /// The first date of a rule that is new, or takes the place of another, where nobody says one:
  /// the date that the reminder has, or the next one of the rule.
  ///
  /// - Returns: Nil where that changes nothing.
  func firstDue(of rule: Recurrence?, _ known: RowChange.Columns) -> DueDate? {
    guard let rule, rule.endless != Recurrence(stored: known.text("recurrence"))?.endless,
      let due = DueDate(stored: known.text("dueDate"))
    else { return nil }
    let first = rule.first(from: due.day(in: time), today: time.today)
    return first == due.day(in: time) ? nil : due.moved(to: first, in: time)
  }

  /// Those of the reminders that are completed, and do not come again.
  func doneOnce(_ ids: [Reminder.ID]) throws -> [Reminder.ID] {
    let states = try state(of: ids.map { RowID(.reminders, $0) })
    return ids.filter { id in
      let columns = states[RowID(.reminders, id)] ?? [:]
      return columns["status"] == Reminder.Status.completed.rawValue.databaseValue
        && columns.text("recurrence") == nil
    }
  }

  /// Goes on from reminders that were completed before they got a rule: that was the first time.
  func goOn(from done: [Reminder.ID], _ inserted: inout [RowID]) throws {
    let states = try state(of: done.map { RowID(.reminders, $0) }, withNotes: true)
    for id in done {
      guard let columns = states[RowID(.reminders, id)] else { continue }
      let completed = columns["completedAt"].flatMap(Int64.fromDatabaseValue)
      let moment = completed.map(Date.init(milliseconds:)) ?? now
      guard let rollover = Rollover(columns, completed: moment, in: time) else { continue }
      inserted += try rows(madeBy: rollover)
      try perform(rollover, completedAt: moment)
    }
  }
}
