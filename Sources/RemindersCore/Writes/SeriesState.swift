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

  init?(_ columns: RowChange.Columns, _ db: Database, in time: LocalTime) {
    guard let id = columns.text("id") else { return nil }
    (self.columns, row, self.db) = (columns, RowID(.reminders, id), db)
    self.time = time.atHome(of: columns)
    let milliseconds = ["updatedAt", "createdAt"].lazy.compactMap { name in
      columns[name].flatMap(Int64.fromDatabaseValue)
    }.first
    moment = Date(milliseconds: milliseconds ?? 0)
  }

  private var due: DueDate? { DueDate(stored: columns.text("dueDate")) }

  private func edits() throws -> SyncRowEdits {
    try SyncRowEdits(db, of: AppTable.reminders.name, key: row.key)
  }

  /// What is to be made of what comes again; nil for nothing.
  func overdue() throws -> OverdueRollover? {
    if let found = try putBack() { return found }
    guard let rule = Recurrence(stored: columns.text("recurrence")) else { return nil }
    if let occurrence = Occurrence(stored: columns.text("occurrence")),
      !occurrence.belongs(to: rule)
    {
      return try brought(occurrence, to: rule)
    }
    let current = Occurrence(
      of: columns, series: row.key, on: time.wallClock(at: moment).day, in: time)
    if let done = try OccurrenceCompletion(of: current, db) {
      guard !done.isBefore(current) else {
        return .correct(row, ["occurrence": current.renumbered.stored.databaseValue])
      }
      let rollover = Rollover(
        columns, completed: done.moment, of: done.formerDay(of: current), in: time)
      guard let rollover else {
        return .finish(PassedOccurrence(row: row, occurrence: current), at: done.moment)
      }
      return .complete(rollover, at: done.moment)
    }
    let completed = Reminder.Status.completed.rawValue.databaseValue
    guard columns["status"] == completed else {
      return try passed(current, by: rule) ?? retimed()
    }
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
    // A completed occurrence that was opened again says so, too, and is a reminder of its own.
    guard let occurrence = Occurrence(stored: columns.text("occurrence")),
      occurrence.completedID != row.key
    else { return nil }
    if occurrence.belongs(to: nil) {
      return try OccurrenceCompletion(of: occurrence, db).map {
        .finish(PassedOccurrence(row: row, occurrence: occurrence), at: $0.moment)
      }
    }
    if let last = try completedLast() { return last }
    if let (previous, done) = try completionSinceRule(before: occurrence) {
      return .finish(PassedOccurrence(row: row, occurrence: previous), at: done.moment)
    }
    // It was skipped or moved elsewhere, and is still to be done.
    let end = Occurrence(
      of: nil, due: due ?? .day(occurrence.day), replacing: occurrence, id: "", in: time)
    return .correct(row, ["occurrence": end.stored.databaseValue])
  }

  /// What a device that knew of the end completed as the last one, where another, which did not,
  /// went on later: its edits won, and the completion is in the history alone.
  private func completedLast() throws -> OverdueRollover? {
    func lost(_ column: String) throws -> (value: DatabaseValue, edit: SyncEdit)? {
      let entry = try SyncHistory.entries(
        db, of: AppTable.reminders.name, key: row.key, column: column, onlyConflicts: true,
        limit: 1
      ).first
      guard let entry, case .value(_, let value, _) = entry.loss, let edit = entry.loser
      else { return nil }
      return (value, edit)
    }
    guard let (status, completed) = try lost("status"),
      status == Reminder.Status.completed.rawValue.databaseValue,
      let (text, ended) = try lost("occurrence"),
      let last = Occurrence(stored: String.fromDatabaseValue(text)), last.belongs(to: nil),
      ended.milliseconds <= completed.milliseconds,
      let changed = try edits().fields["recurrence"],
      changed.milliseconds <= completed.milliseconds
    else { return nil }
    return .finish(
      PassedOccurrence(row: row, occurrence: last), at: Date(milliseconds: completed.milliseconds))
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

  /// What is still to be done though another device has completed that day, by another number:
  /// whoever skips what is late passes several days at once, and counts one; and what goes on from
  /// its completion comes to a day in many ways.
  private func passed(_ current: Occurrence, by rule: Recurrence) throws -> OverdueRollover? {
    guard rule.continuation != .next else { return nil }
    let numbers =
      max(1, current.number - Self.mostPassed)...(current.number + Self.mostPassed)
    let ids = current.completedIDs(ofNumbers: numbers)
    // An encoder would take longer than the ids, which need no escapes.
    let text = "[\"\(ids.joined(separator: "\",\""))\"]"
    let there = try Set(
      String.fetchAll(
        db.cachedStatement(
          sql: "SELECT id FROM reminders WHERE id IN (SELECT value FROM json_each(?))"),
        arguments: [text]))
    for (number, id) in zip(numbers, ids) where there.contains(id) {
      let occurrence = Occurrence(number: number, day: current.day, series: current.series)
      guard let done = try OccurrenceCompletion(of: occurrence, db), done.occurrence == occurrence
      else { continue }
      let last = max(current.number, number)
      let day = rule.next(
        after: current.day, number: last, completedOn: time.wallClock(at: done.moment).day)
      guard let day else {
        return .finish(PassedOccurrence(row: row, occurrence: occurrence), at: done.moment)
      }
      let next = Occurrence(number: last + 1, day: day, series: current.series)
      return correct(current.due(on: day, after: due ?? .day(day), in: time), next)
    }
    return nil
  }

  /// So many days somebody may have been away who skips them.
  private static let mostPassed = 31

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
    let former = try SyncHistory.entries(
      db, of: AppTable.reminders.name, key: row.key, column: "dueDate", limit: 1
    ).first { $0.winner == skipped }
    guard case .value(_, let due, _)? = former?.loss,
      let due = DueDate(stored: String.fromDatabaseValue(due))
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
  /// which one it is; nothing where a rule is over.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - copy: What stayed of the occurrence, where something did.
  ///   - time: Now, where somebody is.
  func columnsOfLast(
    _ row: RowChange.Columns, copy: RowChange.Columns?, in time: LocalTime
  ) -> RowChange.Columns {
    guard row.text("recurrence") == nil else { return [:] }
    let time = time.atHome(of: row)
    var due = DueDate(stored: (copy ?? row).text("dueDate")) ?? .day(occurrence.day)
    if copy == nil, due.day(in: time) != occurrence.day {
      due = occurrence.due(on: occurrence.day, after: due, in: time)
    }
    let last =
      occurrence.belongs(to: nil)
      ? occurrence : Occurrence(of: nil, due: due, replacing: occurrence, id: "", in: time)
    return ["dueDate": due.stored.databaseValue, "occurrence": last.stored.databaseValue]
  }
}

/// What an app of an earlier schema completed of an occurrence from which others had gone on.
struct EarlierCompletion {
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

/// What stayed of an occurrence that was completed.
struct OccurrenceCompletion {
  let moment: Date
  /// The occurrence as the device knew it that completed it; nil from an earlier app.
  let occurrence: Occurrence?
  private let id: Reminder.ID

  /// Nil when it was not completed, or nothing stayed of it.
  init?(of occurrence: Occurrence, _ db: Database) throws {
    id = occurrence.completedID
    let found = try Row.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT \(SQL.completion), occurrence FROM reminders
          WHERE id = ? AND \(SQL.isCompleted)
          """), arguments: [id])
    guard let found else { return nil }
    moment = Date(milliseconds: found[0])
    self.occurrence = Occurrence(stored: found[1])
  }

  /// When it was noted, by the clock of edits.
  func made(_ db: Database) throws -> SyncEdit? {
    try SyncRowEdits(db, of: AppTable.reminders.name, key: id).made
  }

  /// The day on which the first one of a series was, where it was completed by the rule that this
  /// series replaces; nil where that is its own day.
  ///
  /// The first day of the new rule is still to come then.
  func formerDay(of other: Occurrence) -> CalendarDay? {
    guard let occurrence, other.number == 1, occurrence.series != other.series,
      occurrence.day < other.day
    else { return nil }
    return occurrence.day
  }

  /// Whether it was one of an earlier day of the same series, which has the same number.
  func isBefore(_ other: Occurrence) -> Bool {
    occurrence.map { $0.series == other.series && $0.day < other.day } ?? false
  }
}
