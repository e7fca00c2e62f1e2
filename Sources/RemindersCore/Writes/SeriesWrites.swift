import Foundation
import GRDB
import SQLiteSync

extension DueDate {
  /// The same time on another day, which is as much later by the clocks of whoever moves it: where
  /// the series is at home the night between may have another length.
  fileprivate func moved(asTo new: DueDate, in time: LocalTime, at home: LocalTime) -> DueDate {
    guard home.timeZone != time.timeZone else { return new }
    let days = new.day(in: time).number - day(in: time).number
    return moved(to: day(in: home).adding(days: days), in: home)
  }
}

/// What the completion of an occurrence makes of a reminder that comes again.
struct Rollover: Hashable, Sendable {
  /// The reminder.
  let row: RowID
  /// Its columns as they are.
  let columns: RowChange.Columns
  /// The occurrence that is completed.
  let occurrence: Occurrence
  /// The one that follows.
  let next: Occurrence
  /// When that is due.
  let nextDue: DueDate
  /// Where the series is at home.
  private let time: LocalTime

  /// Nil for a reminder that does not come again.
  ///
  /// - Parameters:
  ///   - columns: The columns of the reminder.
  ///   - completed: When the occurrence is completed.
  ///   - done: The occurrence, where it is known; nil for the one that the columns say.
  ///   - time: Now, where somebody is.
  init?(
    _ columns: RowChange.Columns, completed: Date, of done: Occurrence? = nil, in time: LocalTime
  ) {
    guard let id = columns.text("id"), let rule = Recurrence(stored: columns.text("recurrence"))
    else { return nil }
    let due = DueDate(stored: columns.text("dueDate"))
    let time = time.atHome(of: columns)
    let today = time.wallClock(at: completed).day
    let current = Occurrence(of: columns, series: id, on: today, in: time)
    let occurrence = done ?? current
    let number = max(occurrence.number, current.number)
    guard
      var day = rule.next(
        after: occurrence.day, number: number,
        counted: current.counted + number - current.number, due: due?.day(in: time),
        completedOn: today)
    else { return nil }
    // An earlier app, or another program, has taken the date away, and what is to come yet was not
    // what was done.
    if due == nil, occurrence.day > today, rule.continuation != .fromCompletion {
      day = occurrence.day
    }
    row = RowID(.reminders, id)
    self.columns = columns
    self.occurrence = occurrence
    self.time = time
    next = Occurrence(number: number + 1, day: day, series: occurrence.series)
    nextDue = due.map { occurrence.due(on: day, after: $0, in: time) } ?? .day(day)
  }

  /// From the occurrence of the reminder to a later one, which another device had gone on to.
  ///
  /// - Parameters:
  ///   - columns: The columns of the reminder.
  ///   - row: The reminder.
  ///   - occurrence: The one that they say.
  ///   - next: The later one.
  ///   - due: When that is due.
  ///   - time: Where the series is at home.
  init(
    _ columns: RowChange.Columns, _ row: RowID, from occurrence: Occurrence, to next: Occurrence,
    due: DueDate, in time: LocalTime
  ) {
    (self.columns, self.row, self.occurrence, self.time) = (columns, row, occurrence, time)
    (self.next, nextDue) = (next, due)
  }

  /// When a part of the reminder is due with the next occurrence; nil for one that has no date, or
  /// comes again by itself.
  ///
  /// As much later as the days of the rule are apart, wherever this occurrence was moved.
  func due(ofPart columns: RowChange.Columns) -> DueDate? {
    guard columns.text("recurrence") == nil, let due = DueDate(stored: columns.text("dueDate"))
    else { return nil }
    let days = next.day.number - occurrence.day.number
    let moved = due.moved(to: due.day(in: time).adding(days: days), in: time)
    return moved.isStorable ? moved : nil
  }

  /// At what time it is due from now on, where an app that does not know of series has moved it.
  var seriesTime: String? {
    guard let known = columns.text("seriesTime"),
      let due = DueDate(stored: columns.text("dueDate")),
      due.at(seriesTime: known, in: time) != due
    else { return nil }
    return nextDue.seriesTime(in: time)
  }

  /// The occurrence of the reminder that is over.
  var passed: PassedOccurrence { PassedOccurrence(row: row, occurrence: occurrence) }
}

extension Occurrence {
  /// The one that the row of a series is at.
  ///
  /// - Parameter today: Its day where the row says nothing.
  init(
    of columns: RowChange.Columns, series: Reminder.ID, on today: CalendarDay, in time: LocalTime
  ) {
    let due = DueDate(stored: columns.text("dueDate"))
    self =
      Occurrence(stored: columns.text("occurrence"))
      ?? Occurrence(day: due?.day(in: time) ?? today, series: series)
  }
}

/// An occurrence that is over, of which what was done stays.
struct PassedOccurrence: Hashable, Sendable {
  /// The reminder that comes again.
  let row: RowID
  let occurrence: Occurrence

  /// The reminder that stays of it when it is completed.
  var completedRow: RowID { RowID(.reminders, occurrence.completedID) }
}

extension WriteTransaction {
  /// What the completion of reminders makes of those that come again.
  func rollovers(of rows: [RowID]) throws -> [RowID: Rollover] {
    let series = try state(of: rows).filter {
      $1["recurrence"]?.isNull == false
    }
    return try state(of: Array(series.keys), withNotes: true).compactMapValues {
      Rollover($0, completed: now, in: time)
    }
  }

  /// The rows that a rollover makes, unless another device has made them.
  func rows(madeBy rollover: Rollover) throws -> [RowID] {
    try copies(of: rollover.row.key, rollover.passed).rows
      + subtasks(of: [rollover.row.key]).flatMap { try copies(of: $0, rollover.passed).rows }
  }

  /// Goes on to the next occurrence; the completed one stays as a reminder of its own.
  func perform(_ rollover: Rollover, completedAt moment: Date) throws {
    let parts = try subtasks(of: [rollover.row.key]).map { RowID(.reminders, $0) }
    let isNew = try state(of: [rollover.passed.completedRow]).isEmpty
    try keep(rollover.row, rollover.columns, rollover.passed, completedAt: moment)
    try keepCompleted(parts, rollover.passed, completedAt: moment)
    // First completed, then open: so that this is the later edit of the status than that of an
    // earlier schema on another device, which completed the same occurrence before.
    try update(rollover.row, columns(of: .completing))
    // Whoever made the completed occurrence has moved the parts.
    try goOn(rollover, parts, movesParts: isNew)
  }

  /// Makes the next occurrence of it, of which every part is to be done again.
  func goOn(_ rollover: Rollover, _ parts: [RowID], movesParts: Bool) throws {
    var series = columns(of: .incomplete)
    series["dueDate"] = rollover.nextDue.stored.databaseValue
    series["occurrence"] = rollover.next.stored.databaseValue
    if let time = rollover.seriesTime { series["seriesTime"] = time.databaseValue }
    try update(rollover.row, series)
    let columns = try state(of: parts)
    for part in parts {
      let due = movesParts ? rollover.due(ofPart: columns[part] ?? [:]) : nil
      try reopen(part, due.map { ["dueDate": $0.stored.databaseValue] } ?? [:])
    }
  }

  /// Keeps a part as it was done for an occurrence, and has it done again for the next.
  func pass(_ part: RowID, _ passed: PassedOccurrence, completedAt moment: Date) throws {
    guard let columns = try state(of: [part], withNotes: true)[part] else { return }
    try keepPart(part, columns, passed, completedAt: moment)
    try reopen(part)
  }

  /// Notes with parts of what comes again for which occurrence they were done.
  ///
  /// Another device may have gone on to the next one already.
  func noteOccurrences(ofParts ids: [Reminder.ID], areDone: Bool) throws {
    guard schema.fields.contains(.parent) else { return }
    for page in ids.chunked() {
      let parts = try Row.fetchAll(
        db,
        sql: """
          SELECT part.id, series.occurrence
          FROM reminders part CROSS JOIN reminders series ON series.id = part.parentID
          WHERE part.id IN (\(databaseQuestionMarks(count: page.count)))
            AND part.recurrence IS NULL AND series.recurrence NOTNULL
          """, arguments: StatementArguments(page))
      for part in parts {
        let done = areDone ? Occurrence(stored: part[1])?.stored : nil
        try update(RowID(.reminders, part[0]), ["occurrence": done.databaseValue])
      }
    }
  }

  /// The series among reminders that are about to get another due date, each with what is to be
  /// written.
  ///
  /// Which occurrence it is becomes as new an edit as its date: the two are one thing, and what
  /// another device makes of the series takes the place of both or of neither. Another time of the
  /// day is that of the whole series, and is kept where no other device writes when it goes on.
  func seriesMoved(
    by columns: RowChange.Columns, _ ids: [Reminder.ID]
  ) throws -> [(id: Reminder.ID, columns: RowChange.Columns)] {
    guard let due = columns["dueDate"], columns["occurrence"] == nil,
      schema.fields.contains(.recurrence)
    else { return [] }
    let rows = try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT id, dueDate, occurrence, seriesTime FROM reminders
          WHERE id IN (\(databaseQuestionMarks(count: ids.count)))
            AND recurrence NOTNULL AND occurrence NOTNULL AND dueDate IS NOT ?
          """), arguments: StatementArguments(ids) + [due])
    let new = DueDate(stored: String.fromDatabaseValue(due))
    return try rows.map { row in
      let (id, former) = try (row.read(0) as String, DueDate(stored: row.read(1)))
      // Only what changes is an edit.
      try db.cachedStatement(
        sql: "UPDATE reminders SET occurrence = occurrence || ' ' WHERE id = ?"
      ).execute(arguments: [id])
      var columns = columns
      columns["occurrence"] = row[2]
      if former?.seriesTime(in: time) != new?.seriesTime(in: time) {
        if columns["seriesTime"] == nil {
          columns["seriesTime"] = new?.seriesTime(in: time).databaseValue ?? .null
        }
      } else if let former, let new {
        let home = try time.atHome(
          of: former, Occurrence(stored: row.read(2)), seriesTime: row.read(3))
        columns["dueDate"] = former.moved(asTo: new, in: time, at: home).stored.databaseValue
      }
      return (id, columns)
    }
  }

  /// Makes a part of what comes again one that is to be done with the next occurrence.
  private func reopen(_ part: RowID, _ more: RowChange.Columns = [:]) throws {
    try update(
      part,
      columns(of: .incomplete).merging(["occurrence": .null]) { $1 }.merging(more) { $1 })
  }

  /// Keeps what was done of the parts, each as a part of the completed occurrence.
  func keepCompleted(
    _ parts: [RowID], _ passed: PassedOccurrence, completedAt moment: Date
  ) throws {
    let states = try state(of: parts, withNotes: true)
    for part in parts {
      guard let columns = states[part],
        columns["status"] != Reminder.Status.incomplete.rawValue.databaseValue
      else { continue }
      try keepPart(part, columns, passed, completedAt: moment)
    }
  }

  /// The same as `keep` of a part, which may have been done before the rest.
  private func keepPart(
    _ part: RowID, _ columns: RowChange.Columns, _ passed: PassedOccurrence,
    completedAt moment: Date
  ) throws {
    let own = columns["completedAt"].flatMap(Int64.fromDatabaseValue).map(Date.init(milliseconds:))
    try keep(part, columns, passed, completedAt: own ?? moment)
  }

  /// Makes the completed reminder that stays of a completion that the edits of others took the
  /// place of.
  func keep(_ earlier: EarlierCompletion) throws {
    try keep(
      earlier.passed.row, earlier.columns, earlier.passed, completedAt: earlier.moment)
  }

  /// Makes the completed reminder that stays of one, with its tags, unless it is there.
  private func keep(
    _ row: RowID, _ columns: RowChange.Columns, _ passed: PassedOccurrence,
    completedAt moment: Date
  ) throws {
    let copies = try copies(of: row.key, passed)
    if try state(of: [copies.reminder]).isEmpty {
      var columns = columns
      columns["id"] = copies.reminder.key.databaseValue
      columns["status"] = Reminder.Status.completed.rawValue.databaseValue
      columns["completedAt"] = moment.milliseconds.databaseValue
      columns["updatedAt"] = now.milliseconds.databaseValue
      columns["recurrence"] = .null
      columns["seriesTime"] = .null
      // Which day it was: another device may have moved one of the same number.
      columns["occurrence"] = passed.occurrence.stored.databaseValue
      if row != passed.row {
        columns["parentID"] = passed.completedRow.key.databaseValue
        columns["occurrence"] = .null
      }
      try insert(.reminders, columns)
      for (tag, join) in copies.joins where try state(of: [join]).isEmpty {
        try insert(
          .reminderTags,
          [
            "id": join.key.databaseValue, "reminderID": copies.reminder.key.databaseValue,
            "tagTitle": tag.databaseValue,
          ])
      }
    }
  }

  /// Completes what does not come again any more, though another device has gone on: the completed
  /// occurrence that it made is the reminder itself.
  ///
  /// The reminder then says which occurrence it is: a device that has not heard of the end may go
  /// on once more, which would overwrite all else that is known of it.
  func finish(_ row: RowID, _ passed: PassedOccurrence, completedAt moment: Date) throws {
    let parts = try subtasks(of: [row.key]).map { RowID(.reminders, $0) }
    let copies = Dictionary(
      uniqueKeysWithValues: ([row] + parts).map { ($0, copy(of: $0.key, passed)) })
    let known = try state(of: Array(copies.values))
    let states = try state(of: parts)
    let completed = Reminder.Status.completed.rawValue.databaseValue
    // First, so that it is no later than the completion: see `Occurrence.isDeleted`.
    try delete(Array(known.keys))
    for (one, copy) in copies where one == row || states[one]?["status"] != completed {
      var columns = columns(of: .completed)
      columns["completedAt"] = known[copy]?["completedAt"] ?? moment.milliseconds.databaseValue
      if let due = known[copy]?["dueDate"] { columns["dueDate"] = due }
      if one == row, let columnsOfRow = try state(of: [row])[row] {
        columns.merge(passed.columnsOfLast(columnsOfRow, copy: known[copy], in: time)) { $1 }
      }
      try update(one, columns)
    }
  }

  /// The completed row of a reminder, or of a part of it.
  private func copy(of id: Reminder.ID, _ passed: PassedOccurrence) -> RowID {
    id == passed.row.key
      ? passed.completedRow : RowID(.reminders, passed.occurrence.completedID(ofPart: id))
  }

  /// What stays of a reminder, or of a part of it, when its occurrence is completed.
  private func copies(of id: Reminder.ID, _ passed: PassedOccurrence) throws -> CompletedCopies {
    let occurrence = passed.occurrence
    let isPart = id != passed.row.key
    return CompletedCopies(
      reminder: copy(of: id, passed),
      joins: try tags(of: id).map { tag in
        let join = isPart ? occurrence.joinID(of: tag, ofPart: id) : occurrence.joinID(of: tag)
        return (tag, RowID(.reminderTags, join))
      })
  }
}

/// The rows of a completed reminder: itself, and its joins with tags.
private struct CompletedCopies {
  let reminder: RowID
  let joins: [(tag: Tag.ID, row: RowID)]

  var rows: [RowID] { [reminder] + joins.map(\.row) }
}
