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

  private func edits() throws -> SyncRowEdits {
    try SyncRowEdits(db, of: AppTable.reminders.name, key: row.key)
  }

  /// What is to be made of what comes again; nil for nothing.
  func overdue() throws -> OverdueRollover? {
    if let found = try overwrittenCompletion() ?? putBack() { return found }
    guard let rule = Recurrence(stored: columns.text("recurrence")) else { return nil }
    if let occurrence = Occurrence(stored: columns.text("occurrence")),
      !occurrence.belongs(to: rule)
    {
      return try brought(occurrence, to: rule)
    }
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
    if let found = try overwrittenCompletion() { return found }
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

  /// What a device completed as the last one, where another, for which it was not the last, went on
  /// or moved it: the reminder says of one that it is done, and of another which one it is.
  ///
  /// Where the rule is still the one by which it was the last, nothing is left to do. Else what
  /// stays of it is made here, as if the device had not known of an end; beside another one that
  /// was completed as the last one, too.
  private func overwrittenCompletion() throws -> OverdueRollover? {
    let rule = Recurrence(stored: columns.text("recurrence"))
    let own = try completionOfAnotherRule(than: rule)
    guard let (last, due, completed) = try own ?? lostCompletion() else { return nil }
    let isBesideAnother = try own == nil && isCompleted(besides: completed)
    let moment = Date(milliseconds: completed.milliseconds)
    let other = isBesideAnother ? Occurrence(stored: columns.text("occurrence")) : nil
    let (occurrence, isKept) = try last.renumbered(beside: other, db)
    let passed = PassedOccurrence(row: row, occurrence: occurrence)
    if !isBesideAnother, last.belongs(to: rule), let changed = try edits().fields["recurrence"],
      changed.milliseconds <= completed.milliseconds
    {
      return .finish(passed, at: moment)
    }
    guard !isKept, try !isBesideAnother || !isDeleted(occurrence) else { return nil }
    let earlier = EarlierCompletion(
      columns: columns.merging(["dueDate": due?.stored.databaseValue ?? .null]) { $1 },
      passed: passed, moment: moment)
    return isBesideAnother ? .keep(earlier) : .reopen(row, earlier)
  }

  private typealias LastCompletion = (occurrence: Occurrence, due: DueDate?, edit: SyncEdit)

  /// The present occurrence, completed as the last one of a rule that was changed meanwhile, or by
  /// a number that an earlier day has.
  private func completionOfAnotherRule(than rule: Recurrence?) throws -> LastCompletion? {
    guard rule != nil, isCompletedAsLast, let edit = try edits().fields["status"],
      let current = Occurrence(stored: columns.text("occurrence"))
    else { return nil }
    let isBefore = try OccurrenceCompletion(of: current, db)?.isBefore(current) ?? false
    return isBefore || !current.belongs(to: rule) ? (current, due, edit) : nil
  }

  /// Another occurrence than the present one, which is in the history alone.
  private func lostCompletion() throws -> LastCompletion? {
    guard let lost = done.overwritten[row.key], let edit = lost.loser,
      case .value(_, let text, _) = lost.loss,
      let last = Occurrence(stored: String.fromDatabaseValue(text))
    else { return nil }
    guard try isCompleted(besides: edit) ? isAnother(last) : saysStatus(of: edit) else {
      return nil
    }
    let former = try overwritten("dueDate") { $0.winner == lost.winner }
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
    let current = Occurrence(stored: columns.text("occurrence"))
    // A day may have another number on each device.
    return current?.series == last.series
      ? current?.day != last.day : current?.completedID != last.completedID
  }

  /// Whether what stayed of it has been deleted; another day may have had its number.
  private func isDeleted(_ occurrence: Occurrence) throws -> Bool {
    try SyncHistory.entries(db, of: AppTable.reminders.name, key: occurrence.completedID)
      .contains { entry in
        guard case .row(let columns) = entry.loss else { return false }
        return Occurrence(stored: columns.text("occurrence"))?.day == occurrence.day
      }
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
    let due = due ?? .day(occurrence.day)
    if let (previous, done) = try completionSinceRule(before: occurrence) {
      let day = rule.next(
        after: done.occurrence?.day ?? previous.day, number: 1,
        completedOn: time.wallClock(at: done.moment).day)
      guard let day else {
        return .finish(PassedOccurrence(row: row, occurrence: previous), at: done.moment)
      }
      let next = occurrence.due(on: day, after: due, in: time)
      return correct(next, occurrence.second(by: rule, due: next, in: time))
    }
    // On a day of the rule of before, it goes to one of this rule; moved, it stays on its own.
    var first = due
    if due.day(in: time) == occurrence.day {
      let edits = try edits().fields
      let isSkipped = occurrence.number > 1 && edits["seriesTime"] != edits["dueDate"]
      let earliest =
        isSkipped
        ? min(time.wallClock(at: moment).day.adding(days: 1), occurrence.day) : occurrence.day
      let isOnRule = rule.first(onOrAfter: occurrence.day) == occurrence.day
      let day = isOnRule ? occurrence.day : rule.first(onOrAfter: earliest)
      first = occurrence.due(on: day, after: due, in: time)
    }
    return correct(
      first, Occurrence(of: rule, due: first, replacing: occurrence, id: "", in: time))
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
    guard let due, let known = columns.text("seriesTime"),
      let expected = due.at(seriesTime: known, in: time), expected != due,
      case let edits = try edits().fields, let moved = edits["dueDate"],
      moved == edits["occurrence"]
    else { return nil }
    return .correct(row, ["dueDate": expected.stored.databaseValue])
  }

  /// What was completed of the series by a device that did not know of the present rule.
  private func completionSinceRule(
    before occurrence: Occurrence
  ) throws -> (Occurrence, OccurrenceCompletion)? {
    guard let previous = occurrence.previous,
      let done = try OccurrenceCompletion(of: previous, db),
      let made = try done.made(db), let changed = try edits().fields["recurrence"],
      made.milliseconds >= changed.milliseconds
    else { return nil }
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
    return EarlierCompletion(
      columns: columns.merging(["dueDate": due.stored.databaseValue]) { $1 },
      passed: PassedOccurrence(row: row, occurrence: occurrence), moment: moment)
  }
}

extension PassedOccurrence {
  /// What the row of a series says when this occurrence was the last one: when that was due, and
  /// which one it is.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - copy: What stayed of the occurrence, where something did.
  ///   - time: Now, where somebody is.
  func columnsOfLast(
    _ row: RowChange.Columns, copy: RowChange.Columns?, in time: LocalTime
  ) -> RowChange.Columns {
    let rule = Recurrence(stored: row.text("recurrence"))
    let time = time.atHome(of: row)
    var due = DueDate(stored: (copy ?? row).text("dueDate")) ?? .day(occurrence.day)
    if copy == nil, due.day(in: time) != occurrence.day {
      due = occurrence.due(on: occurrence.day, after: due, in: time)
    }
    var last =
      occurrence.belongs(to: rule)
      ? occurrence : Occurrence(of: rule, due: due, replacing: occurrence, id: "", in: time)
    // The day may be done by a lower number than that with which the rule is over.
    if let current = Occurrence(stored: row.text("occurrence")), current.series == last.series {
      last.number = max(last.number, current.number)
    }
    return ["dueDate": due.stored.databaseValue, "occurrence": last.storedAsLast.databaseValue]
  }
}

/// What was completed of an occurrence before others went on from it: by an app of an earlier
/// schema, or as the last one.
struct EarlierCompletion: Equatable {
  let columns: RowChange.Columns
  let passed: PassedOccurrence
  let moment: Date
}

/// A reminder that comes again, or a part of one, that an app of an earlier schema completed: it
/// cannot say for which occurrence.
struct CompletionByEarlierApp {
  let row: RowID
  let series: RowID
  let moment: Date

  init(of row: RowID, in series: RowID, at moment: Date) {
    (self.row, self.series, self.moment) = (row, series, moment)
  }

  /// The occurrence before the one at which the series is, if it was that one; nil for the one at
  /// which it is.
  ///
  /// It was, where the other device did not know that the series has gone on: that was later, or is
  /// an edit that met this one; and where the day of the occurrence had not come.
  ///
  /// - Parameter due: When the series is due, which may have been moved.
  func isOfOccurrence(
    before current: Occurrence, due: DueDate?, _ db: Database, in time: LocalTime
  ) throws -> Occurrence? {
    guard let previous = current.previous else { return nil }
    let day = min(current.day, due?.day(in: time) ?? current.day)
    if moment < time.start(of: day) { return previous }
    let edits = try SyncRowEdits.all(
      db, of: AppTable.reminders.name, keys: [row.key, series.key])
    guard let completed = edits[0].fields["status"] else { return nil }
    // A date that is moved writes the occurrence, too; what stayed of the one before does not move.
    let wentOn =
      try OccurrenceCompletion(of: previous, db)?.made(db) ?? edits[1].fields["occurrence"]
    if let wentOn, completed.milliseconds < wentOn.milliseconds { return previous }
    let met = try SyncHistory.entries(
      db, of: AppTable.reminders.name, key: row.key, column: "status", onlyConflicts: true,
      limit: 1)
    return met.first?.winner == completed ? previous : nil
  }
}
