import Foundation
import GRDB
import SQLiteSync

/// A reminder that comes again, or came again until its rule was taken away, as the edits of all
/// devices have left it.
///
/// Its columns are merged one by one: what one device made of the occurrence may stand beside what
/// another made of the rule. What belongs together is told by what stayed of completed occurrences,
/// by the mark of the rule in the name of the series, and by which edit was the later one.
struct SeriesState {
  private let columns: RowChange.Columns
  private let row: RowID
  private let db: Database
  /// Where it is at home.
  private let time: LocalTime
  /// When it last changed: the best that is known of when an earlier app completed it.
  private let moment: Date
  private let done: SeriesCompletions

  init?(
    _ columns: RowChange.Columns, _ done: SeriesCompletions, _ db: Database, in time: LocalTime
  ) {
    guard let id = columns.text("id") else { return nil }
    self.done = done
    (self.columns, row, self.db) = (columns, RowID(.reminders, id), db)
    self.time = time.atHome(of: columns)
    let milliseconds = ["updatedAt", "createdAt"].lazy.compactMap { name in
      columns[name].flatMap(Int64.fromDatabaseValue)
    }.first
    moment = Date(milliseconds: milliseconds ?? 0)
  }

  private static let completed = Reminder.Status.completed.rawValue.databaseValue

  private var isCompleted: Bool { columns["status"] == Self.completed }

  private var isCompletedAsLast: Bool {
    isCompleted && columns.text("occurrence").map(Occurrence.isLast) ?? false
  }

  private var due: DueDate? { DueDate(stored: columns.text("dueDate")) }

  private var rule: Recurrence? { Recurrence(stored: columns.text("recurrence")) }

  private func edits() throws -> SyncRowEdits {
    try SyncRowEdits(db, of: AppTable.reminders.name, key: row.key)
  }

  /// What is to be made of what comes again; nil for nothing.
  func overdue() throws -> OverdueRollover? {
    if let found = try dated() ?? overwrittenCompletion() ?? putBack() { return found }
    guard let rule else { return nil }
    if let occurrence = Occurrence(stored: columns.text("occurrence")),
      !occurrence.belongs(to: rule)
    {
      return try brought(occurrence, to: rule)
    }
    if let rollover = try skippedBeyond() { return .skip(rollover) }
    let current = Occurrence(
      of: columns, series: row.key, on: time.wallClock(at: moment).day, in: time)
    if let done = try OccurrenceCompletion(of: current, db) ?? done.ofDays[row.key] {
      guard !done.isBefore(current) else {
        return .correct(row, ["occurrence": current.renumbered.stored.databaseValue])
      }
      let occurrence = done.occurrence(as: current)
      let rollover = Rollover(columns, completed: done.moment, of: occurrence, in: time)
      guard let rollover else {
        return .finish(PassedOccurrence(row: row, occurrence: occurrence), at: done.moment)
      }
      return .complete(rollover, at: done.moment)
    }
    guard isCompleted else { return try retimed() }
    // Its device knew the rule, and the day on which it completed it.
    guard !isCompletedAsLast else { return nil }
    guard let rollover = Rollover(columns, completed: moment, in: time)
    else { return nil }
    let byEarlierApp = CompletionByEarlierApp(of: row, in: row, at: moment)
    guard
      let before = try byEarlierApp.isOfOccurrence(
        before: rollover.occurrence, due: due, db, in: time)
    else { return .complete(rollover, at: moment) }
    return .reopen(row, try skippedCompletion(of: before))
  }

  /// What is to be made of what does not come again any more.
  func overdueEnd() throws -> OverdueRollover? {
    if let found = try dated() ?? overwrittenCompletion() { return found }
    guard !isCompleted else { return nil }
    // A completed occurrence that was opened again says so, too, and is a reminder of its own.
    guard let occurrence = Occurrence(stored: columns.text("occurrence")),
      occurrence.completedID != row.key
    else { return nil }
    if occurrence.belongs(to: nil) {
      return try OccurrenceCompletion(of: occurrence, db).map {
        .finish(PassedOccurrence(row: row, occurrence: occurrence), at: $0.moment)
      }
    }
    if let (previous, done) = try completionSinceRule(before: occurrence) {
      return .finish(PassedOccurrence(row: row, occurrence: previous), at: done.moment)
    }
    // It was skipped or moved elsewhere, and is still to be done.
    let end = Occurrence(
      of: nil, due: due ?? .day(occurrence.day), replacing: occurrence, id: "", in: time)
    return .correct(row, ["occurrence": end.stored.databaseValue])
  }

  /// What becomes of occurrences that devices completed as the last one: see `LastCompletion`.
  private func overwrittenCompletion() throws -> OverdueRollover? {
    if let own = try completionOfAnotherRule() { return try outcome(of: own, isOwn: true) }
    for entry in done.overwritten[row.key, default: []] {
      guard let lost = try lostCompletion(entry) else { continue }
      if let found = try outcome(of: lost, isOwn: false) { return found }
    }
    return nil
  }

  private typealias Completed = (occurrence: Occurrence, due: DueDate?, edit: SyncEdit)

  private func outcome(of completed: Completed, isOwn: Bool) throws -> OverdueRollover? {
    let (last, due, edit) = completed
    var facts = LastCompletion()
    facts.isBesideAnother = try !isOwn && isCompleted(besides: edit)
    let other = facts.isBesideAnother ? Occurrence(stored: columns.text("occurrence")) : nil
    let occurrence: Occurrence
    (occurrence, facts.isKept) = try last.renumbered(beside: other, db)
    facts.isDeleted = try facts.isBesideAnother && occurrence.isDeleted(after: edit, db)
    let changed = try edits().fields["recurrence"]
    facts.isLast =
      last.belongs(to: rule) && changed.map { $0.milliseconds <= edit.milliseconds } ?? false
    facts.isPresent = isOwn || !isAnother(last)
    facts.isCompleted = isCompleted
    let passed = PassedOccurrence(row: row, occurrence: occurrence)
    let moment = Date(milliseconds: edit.milliseconds)
    let earlier = EarlierCompletion(
      columns: columns.merging(["dueDate": due?.stored.databaseValue ?? .null]) { $1 },
      passed: passed, moment: moment)
    switch facts.outcome {
    case .leave: return nil
    case .finish: return .finish(passed, at: moment)
    case .keep: return .keep(earlier)
    case .keepAndReopen: return .reopen(row, earlier)
    case .reopen: return .reopen(row, nil)
    }
  }

  /// The present occurrence, completed as the last one of a rule that was changed meanwhile, or by
  /// a number that an earlier day has.
  private func completionOfAnotherRule() throws -> Completed? {
    guard rule != nil, isCompletedAsLast, let edit = try edits().fields["status"],
      let current = Occurrence(stored: columns.text("occurrence"))
    else { return nil }
    let isBefore = try OccurrenceCompletion(of: current, db)?.isBefore(current) ?? false
    return isBefore || !current.belongs(to: rule) ? (current, due, edit) : nil
  }

  /// Another occurrence than the present one, which is in the history alone.
  private func lostCompletion(_ lost: SyncHistory.Entry) throws -> Completed? {
    guard let edit = lost.loser, let last = Occurrence(stored: lost.lostText) else { return nil }
    guard try isCompleted(besides: edit) ? isAnother(last) : saysStatus(of: edit) else {
      return nil
    }
    // What was overwritten where the later edit was made may be a date that came between.
    let former = try overwritten("dueDate") { entry in
      entry.winner == lost.winner
        && (!lost.winner.isHere || DueDate(stored: entry.lostText)?.day(in: time) == last.day)
    }
    let known = former.flatMap { DueDate(stored: String.fromDatabaseValue($0)) } ?? due
    let isItsDay = known?.day(in: time) == last.day
    let due =
      former != nil || isItsDay ? known : known.map { last.due(on: last.day, after: $0, in: time) }
    return (last, due, edit)
  }

  /// Whether another edit than this one has completed what the reminder is at.
  private func isCompleted(besides edit: SyncEdit) throws -> Bool {
    try isCompleted && (isCompletedAsLast || edits().fields["status"] != edit)
  }

  /// Whether the status is that of an edit, or of the one that has overwritten it.
  private func saysStatus(of edit: SyncEdit) throws -> Bool {
    guard !isCompleted else { return true }
    let status = try edits().fields["status"]
    return try overwritten("status") { $0.loser == edit && $0.winner == status } == Self.completed
  }

  /// Whether it is not the present one.
  private func isAnother(_ last: Occurrence) -> Bool {
    guard let current = Occurrence(stored: columns.text("occurrence")) else { return true }
    // A day may have another number on each device.
    return current.isOfSeries(of: last)
      ? current.day != last.day : current.completedID != last.completedID
  }

  /// The latest value of a column that another edit has overwritten.
  private func overwritten(
    _ column: String, _ condition: (SyncHistory.Entry) -> Bool
  ) throws -> DatabaseValue? {
    let entry = try SyncHistory.entries(
      db, of: AppTable.reminders.name, key: row.key, column: column
    ).first(where: condition)
    guard case .value(_, let value, _)? = entry?.loss else { return nil }
    return value
  }

  /// The occurrence of a series whose rule was changed meanwhile, on the new rule.
  private func brought(_ occurrence: Occurrence, to rule: Recurrence) throws -> OverdueRollover {
    let due = try dueAtSeriesTime() ?? self.due ?? .day(occurrence.day)
    if let (previous, done) = try completionSinceRule(before: occurrence) {
      let day = rule.next(
        after: previous.day, number: 1, completedOn: time.wallClock(at: done.moment).day)
      guard let day else {
        return .finish(PassedOccurrence(row: row, occurrence: previous), at: done.moment)
      }
      let next = occurrence.due(on: day, after: due, in: time)
      return correct(next, occurrence.second(by: rule, due: next, in: time))
    }
    if let same = occurrence.ended(by: rule) { return correct(due, same) }
    // On a day of the rule of before, it goes to one of this rule; moved, it stays on its own.
    var first = due
    if due.day(in: time) == occurrence.day {
      let edits = try edits().fields
      let isSkipped = occurrence.number > 1 && edits["seriesTime"] != edits["dueDate"]
      let earliest = try isSkipped ? earliestDay(afterSkipTo: occurrence) : occurrence.day
      let isOnRule = rule.first(onOrAfter: occurrence.day) == occurrence.day
      let day = isOnRule ? occurrence.day : rule.first(onOrAfter: earliest)
      first = occurrence.due(on: day, after: due, in: time)
    }
    return correct(
      first, Occurrence(of: rule, due: first, replacing: occurrence, id: "", in: time))
  }

  /// The first day on which what comes after a skipped occurrence can be: later than that one was
  /// due by the rule of before, as far as that is known here, and than the day of the skip.
  private func earliestDay(afterSkipTo occurrence: Occurrence) throws -> CalendarDay {
    let entries = try SyncHistory.entries(
      db, of: AppTable.reminders.name, key: row.key, column: "occurrence")
    let skipped = entries.compactMap { Occurrence(stored: $0.lostText) }.filter {
      $0.isOfSeries(of: occurrence) && $0.number < occurrence.number && $0.day < occurrence.day
    }.map(\.day)
    let days = skipped + [time.wallClock(at: moment).day]
    return min(days.max().map { $0.adding(days: 1) } ?? occurrence.day, occurrence.day)
  }

  private func correct(_ due: DueDate, _ occurrence: Occurrence) -> OverdueRollover {
    .correct(
      row,
      [
        "dueDate": due.stored.databaseValue, "occurrence": occurrence.stored.databaseValue,
      ])
  }

  /// A series whose time of the day was changed while another device went on or moved it.
  ///
  /// An app that does not know of the column writes the date alone, and means the time.
  private func retimed() throws -> OverdueRollover? {
    try dueAtSeriesTime().map { .correct(row, ["dueDate": $0.stored.databaseValue]) }
  }

  private func dueAtSeriesTime() throws -> DueDate? {
    guard let due, let known = columns.text("seriesTime"),
      let expected = due.at(seriesTime: known, in: time), expected != due,
      case let edits = try edits().fields, let moved = edits["dueDate"],
      moved == edits["occurrence"]
    else { return nil }
    return expected
  }

  /// One with the date of another: who completes the last one, or changes the end of the rule, says
  /// which one it is, and does not write the date.
  ///
  /// It is that of the other where both were written together, and this one took the place of that
  /// alone. What is open stays on the day to which somebody has put it, knowing the former one.
  private func dated() throws -> OverdueRollover? {
    guard let occurrence = Occurrence(stored: columns.text("occurrence")), let due,
      due.day(in: time) != occurrence.day, isCompletedAsLast || !isCompleted,
      case let edits = try edits().fields, let said = edits["occurrence"],
      try overwritten(
        "occurrence",
        {
          $0.isConflict && $0.winner == said
            && Occurrence(stored: $0.lostText)?.day == due.day(in: time)
        }) != nil
    else { return nil }
    let former = try overwritten("dueDate") {
      (isCompleted || $0.isConflict) && $0.winner == edits["dueDate"]
        && DueDate(stored: $0.lostText)?.day(in: time) == occurrence.day
    }
    let derived = occurrence.due(on: occurrence.day, after: due, in: time).stored.databaseValue
    // Which one it is stays the edit that it was, made with that of the status.
    return (former ?? (isCompleted ? derived : nil)).map {
      .correct(row, ["dueDate": $0, "occurrence": columns["occurrence"] ?? .null])
    }
  }

  /// What was completed of the series by a device that did not know of the present rule.
  private func completionSinceRule(
    before occurrence: Occurrence
  ) throws -> (Occurrence, OccurrenceCompletion)? {
    guard var previous = occurrence.previous,
      let done = try OccurrenceCompletion(of: previous, db),
      let made = try done.made(db), let changed = try edits().fields["recurrence"],
      made.milliseconds >= changed.milliseconds
    else { return nil }
    if let day = done.occurrence?.day { previous.day = day }
    return (previous, done)
  }

  /// A reminder that an app of an earlier schema deleted and brought back, while another device
  /// completed an occurrence.
  ///
  /// Its date is that of before, and which occurrence it is, which that app does not know, is that
  /// of now. Where somebody puts an occurrence back to such a day, the date alone is written.
  private func putBack() throws -> OverdueRollover? {
    guard let due, let occurrence = Occurrence(stored: columns.text("occurrence")),
      let previous = occurrence.previous, due.day(in: time) < occurrence.day,
      try OccurrenceCompletion(of: previous, db) != nil
    else { return nil }
    let edits = try edits()
    guard let made = edits.made, edits.fields["dueDate"] == made,
      edits.fields["occurrence"] != made
    else { return nil }
    let forward = occurrence.due(on: occurrence.day, after: due, in: time)
    return .correct(row, ["dueDate": forward.stored.databaseValue])
  }

  /// What an earlier app completed of an occurrence that was skipped here; nil where something
  /// stayed of it already, or nobody here knows when it was due.
  private func skippedCompletion(of occurrence: Occurrence) throws -> EarlierCompletion? {
    guard try OccurrenceCompletion(of: occurrence, db) == nil,
      let skipped = try edits().fields["dueDate"]
    else { return nil }
    guard let former = try overwritten("dueDate", { $0.winner == skipped }),
      let due = DueDate(stored: String.fromDatabaseValue(former))
    else { return nil }
    var occurrence = occurrence
    occurrence.day = due.day(in: time)
    guard try occurrence.rowsOfDay(db).isEmpty else { return nil }
    return EarlierCompletion(
      columns: columns.merging(["dueDate": due.stored.databaseValue]) { $1 },
      passed: PassedOccurrence(row: row, occurrence: occurrence), moment: moment)
  }

  /// What is left of the way to an occurrence that another device had gone on to, where somebody
  /// who did not know of that has completed or skipped an earlier one later: whatever was skipped
  /// on the way stays so, and what was completed has a row of its own.
  ///
  /// Nil where somebody has put it where it is: the date that is completed or skipped here is no
  /// person's choice, and a later edit of it is none against what the other one did.
  private func skippedBeyond() throws -> Rollover? {
    guard let lost = done.left[row.key], !isCompleted,
      let current = Occurrence(stored: columns.text("occurrence")),
      case let edits = try edits(), let wentOn = edits.fields["occurrence"],
      // Whoever goes on, and nobody else, has written with the date where it stands: a completion
      // its status, a skip the time of its completion.
      wentOn == edits.fields["status"] || wentOn == edits.fields["completedAt"],
      wentOn == edits.fields["dueDate"], wentOn != edits.made
    else { return nil }
    let further = lost.compactMap { entry -> (next: Occurrence, edit: SyncEdit?)? in
      guard entry.winner == wentOn, let next = Occurrence(stored: entry.lostText),
        next.isOfSeries(of: current), next.day > current.day
      else { return nil }
      return (next, entry.loser)
    }
    guard let (next, edit) = further.max(by: { $0.next.day < $1.next.day }) else { return nil }
    let former = try overwritten("dueDate") { $0.winner == wentOn && $0.loser == edit }
    let known = former.flatMap { DueDate(stored: String.fromDatabaseValue($0)) }
    let derived = current.due(on: next.day, after: due ?? .day(current.day), in: time)
    return Rollover(
      columns, row, from: current,
      to: Occurrence(number: next.number, day: next.day, series: current.series),
      due: known ?? derived, in: time)
  }
}
