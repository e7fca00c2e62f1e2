import Foundation
import GRDB
import SQLiteSync

/// Finds the reminders that come again and were completed without going on: by an app of an earlier
/// schema, or because another device was further than the edits that won; and those of which
/// devices have said what cannot both be.
public struct OverdueRolloversQuery: Query {
  /// Decides on which day something was completed.
  public var time: LocalTime

  /// The query for whoever looks at this time.
  public init(time: LocalTime) {
    self.time = time
  }

  /// Finds their ids, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> Set<Reminder.ID> {
    Set(try OverdueRollover.all(db, in: time).map(\.row.key))
      .union(try AlarmConflict.all(db).map(\.reminder))
  }
}

/// Asks whether reminders that come again were completed and have not gone on: for commands that
/// read, because a look along an index is all that it costs.
///
/// What else `OverdueRolloversQuery` finds comes from other devices alone, and is settled with what
/// is fetched from them.
public struct UnsettledSeriesQuery: Query {
  /// Grace periods that began later are some running app's to end.
  public var moment: Date

  /// The query about grace periods that had begun by a moment.
  public init(gracesBegunBy moment: Date) {
    self.moment = moment
  }

  /// Asks, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> Bool {
    guard try db.schemaVersion.fields.contains(.recurrence) else { return false }
    let found = try Bool.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT EXISTS (
            SELECT 1 FROM reminders INDEXED BY remindersOfSeries
            WHERE recurrence NOTNULL
              AND (status = 2 OR status = 1 AND coalesce(updatedAt, 0) <= ?)
              AND \(try SQL.isWritable(db))
          )
          """), arguments: [moment.milliseconds])
    return found ?? false
  }
}

extension AppDatabase {
  /// Lets reminders go on that were completed elsewhere without going on, and settles what else
  /// devices have said of them that cannot both be.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func rollOver() async throws -> Int {
    try await write { transaction in
      let conflicts = try AlarmConflict.all(transaction.db)
      for conflict in conflicts { try transaction.delete(conflict.earlier) }
      var rows = Set(conflicts.map { RowID(.reminders, $0.reminder) })
      try OverdueRollover.untilSettled {
        try OverdueRollover.all(transaction.db, in: transaction.time)
      } act: { overdue in
        rows.insert(overdue.row)
        try transaction.settle(overdue)
      }
      return rows.count
    }
  }
}

extension WriteTransaction {
  fileprivate func settle(_ overdue: OverdueRollover) throws {
    switch overdue {
    case .complete(let rollover, let moment):
      try perform(rollover, completedAt: moment)
    case .skip(let rollover): try skip(rollover)
    case .reopen(let row, let before):
      try before.map(keep)
      // Twice, so that it is an edit where it is open already.
      try update(row, columns(of: .completing))
      try update(row, columns(of: .incomplete))
    case .keep(let earlier): try keep(earlier)
    case .drop(let row, let other): try drop(row, for: other)
    case .correct(let row, let columns):
      try update(row, columns)
    case .finish(let passed, let moment):
      try finish(passed.row, passed, completedAt: moment)
    case .part(let part, let passed, let moment):
      try pass(part, passed, completedAt: moment)
    case .follow(let part, let list):
      try update(part, ["remindersListID": list.databaseValue])
    }
  }
}

/// What is to be made of a reminder that was completed without going on.
enum OverdueRollover: Equatable {
  /// It goes on; the occurrence was completed at a moment.
  case complete(Rollover, at: Date)
  /// It goes on with nothing done: another device had skipped what it is at.
  case skip(Rollover)
  /// Its occurrence was not the one that was completed; that is kept where it is not yet.
  case reopen(RowID, EarlierCompletion?)
  /// Another occurrence was completed than the reminder says, or the row that has its number.
  case keep(EarlierCompletion)
  /// A completed occurrence that another row says, too, which gets its parts.
  case drop(RowID, for: Reminder.ID)
  /// It came back with the date of an occurrence that is completed, has the number of one that is,
  /// or is not on its rule.
  case correct(RowID, RowChange.Columns)
  /// It does not come again any more, and this occurrence is completed.
  case finish(PassedOccurrence, at: Date)
  /// A part that was done for an occurrence from which another device has gone on.
  case part(RowID, of: PassedOccurrence, at: Date)
  /// A part of a reminder that another device had moved to this list when it was added.
  case follow(RowID, to: RemindersList.ID)

  var row: RowID {
    switch self {
    case .complete(let rollover, _), .skip(let rollover): rollover.row
    case .reopen(let row, _), .drop(let row, _), .correct(let row, _), .part(let row, _, _),
      .follow(let row, _):
      row
    case .finish(let passed, _): passed.row
    case .keep(let earlier): earlier.passed.row
    }
  }

  /// Decides and acts, round by round, until nothing is left: another device may have been several
  /// occurrences further.
  ///
  /// Ends with a round that was decided before: acting on it again would come to nothing new, and
  /// hold the lock of the database for ever.
  static func untilSettled<Decision: Equatable>(
    _ decide: () throws -> [Decision], act: (Decision) throws -> Void
  ) rethrows {
    var rounds: [[Decision]] = []
    while case let round = try decide(), !round.isEmpty, !rounds.contains(round) {
      try round.forEach(act)
      rounds.append(round)
    }
  }

  static func all(_ db: Database, in time: LocalTime) throws -> [OverdueRollover] {
    guard try db.schemaVersion.fields.contains(.recurrence) else { return [] }
    let done = try SeriesCompletions(db)
    let series = try rows(db, where: "recurrence NOTNULL AND status IN (0, 2)").compactMap {
      try SeriesState($0, done, db, in: time)?.overdue()
    }
    var ended = try rows(
      db, where: "recurrence IS NULL AND occurrence NOTNULL AND status = 0 AND parentID IS NULL")
    if !done.overwritten.isEmpty {
      // What is completed may be another occurrence than the row says.
      let keys = try JSONEncoder().encode(Array(done.overwritten.keys))
      ended += try rows(
        db,
        where: """
          recurrence IS NULL AND status = 2 AND parentID IS NULL
            AND id IN (SELECT value FROM json_each(?))
          """, [String(decoding: keys, as: UTF8.self)])
    }
    let ends = try ended.compactMap { try SeriesState($0, done, db, in: time)?.overdueEnd() }
    let settled = series + ends + (try separations(done, db, in: time))
    // Parts once their series has come to rest.
    return try series.isEmpty ? settled + parts(db, in: time) + leftBehind(db) : settled
  }

  /// Parts that were added to a list from which another device had moved their parent by then.
  ///
  /// A part that somebody has moved alone says so by a later edit of its list, and is left there.
  /// So is one that was deleted there and brought back, all of whose edits are of that moment.
  /// Only the device that has added it moves it: what others add to a list that is shared with them
  /// is not taken out of it.
  private static func leftBehind(_ db: Database) throws -> [OverdueRollover] {
    let readOnly = try SQL.readOnlyLists(db)
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT part.id, part.remindersListID, parent.id, parent.remindersListID
        FROM reminders part CROSS JOIN reminders parent ON parent.id = part.parentID
        WHERE part.parentID NOTNULL AND parent.parentID IS NULL
          AND part.remindersListID <> parent.remindersListID
          AND part.remindersListID NOT IN \(readOnly)
          AND parent.remindersListID NOT IN \(readOnly)
        """)
    let name = AppTable.reminders.name
    let edits = try SyncRowEdits.all(db, of: name, keys: rows.map { try $0.read(0) })
    return try zip(rows, edits).compactMap { row, edits in
      guard let made = edits.made, made.isHere,
        ["remindersListID", "parentID"].allSatisfy({ edits.fields[$0] == made })
      else { return nil }
      let wasDeleted = try SyncHistory.entries(db, of: name, key: row.read(0)).contains { entry in
        if case .row = entry.loss { true } else { false }
      }
      guard !wasDeleted else { return nil }
      let former: DatabaseValue = row[1]
      let moves = try SyncHistory.entries(db, of: name, key: row.read(2), column: "remindersListID")
      let wasThere = moves.contains { move in
        if case .value(_, former, _) = move.loss { true } else { false }
      }
      return try wasThere ? .follow(RowID(.reminders, row.read(0)), to: row.read(3)) : nil
    }
  }

  static func rows(
    _ db: Database, where condition: String, _ arguments: StatementArguments = []
  ) throws -> [RowChange.Columns] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT * FROM reminders WHERE \(condition) AND \(try SQL.isWritable(db)) ORDER BY id
          """), arguments: arguments
    ).map { row in Dictionary(uniqueKeysWithValues: row.map { ($0, $1) }) }
  }

  private static func parts(_ db: Database, in time: LocalTime) throws -> [OverdueRollover] {
    let rows = try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT part.id, part.occurrence, part.updatedAt, series.id, series.occurrence,
            series.dueDate, series.seriesTime
          FROM reminders series CROSS JOIN reminders part ON part.parentID = series.id
          WHERE series.recurrence NOTNULL AND part.recurrence IS NULL
            AND (part.occurrence NOTNULL OR part.status = 2 AND part.completedAt IS NULL)
            AND series.remindersListID NOT IN \(try SQL.readOnlyLists(db))
          """))
    return try rows.compactMap { row in
      let current = try Occurrence(stored: row.read(4))
      let due = try DueDate(stored: row.read(5))
      let moment = try Date(milliseconds: row.read(2) ?? 0)
      let series = try RowID(.reminders, row.read(3))
      guard let done = try Occurrence(stored: row.read(1)) else {
        guard try row.read(1) == nil as String?, let current,
          let passed = try CompletionByEarlierApp(
            of: RowID(.reminders, row.read(0)), in: series, at: moment
          ).isOfOccurrence(
            before: current, due: due, db,
            in: time.atHome(of: due, current, seriesTime: row.read(6)))
        else { return nil }
        return try .part(
          RowID(.reminders, row.read(0)), of: PassedOccurrence(row: series, occurrence: passed),
          at: moment)
      }
      guard done.name != current?.name else { return nil }
      let completion = try OccurrenceCompletion(of: done, db)
      let isSkipped = current?.seriesName == done.seriesName && done.number < current?.number ?? 0
      guard completion != nil || isSkipped else { return nil }
      return try .part(
        RowID(.reminders, row.read(0)), of: PassedOccurrence(row: series, occurrence: done),
        at: completion?.moment ?? moment)
    }
  }
}
