import Foundation
import GRDB
import SQLiteSync

// Devices that count differently complete two days by one number, and with it one row, which says
// one of them. The history has the other one, which gets a row that is called by its day: numbers
// are taken, or not yet, on each device.

extension OverdueRollover {
  /// Each day that is in the history alone becomes a row of its own.
  ///
  /// Where two rows say one day, which two devices had by two numbers, that of the lower one goes.
  static func separations(
    _ done: SeriesCompletions, _ db: Database, in time: LocalTime
  ) throws -> [OverdueRollover] {
    guard !done.merged.isEmpty else { return [] }
    let keys = try JSONEncoder().encode(Set(done.merged.map(\.key)).sorted())
    let rows = try rows(
      db,
      where: """
        recurrence IS NULL AND occurrence NOTNULL AND status = 2
          AND id IN (SELECT value FROM json_each(?))
        """, [String(decoding: keys, as: UTF8.self)])
    let columns = Dictionary(rows.map { ($0.text("id") ?? "", $0) }) { first, _ in first }
    return try done.merged.compactMap { entry in
      try columns[entry.key].flatMap { try separation(of: entry, from: $0, db, in: time) }
    }
  }

  private static func separation(
    of entry: SyncHistory.Entry, from row: RowChange.Columns, _ db: Database, in time: LocalTime
  ) throws -> OverdueRollover? {
    guard let lost = Occurrence(stored: entry.lostText), let edit = entry.loser,
      let kept = Occurrence(stored: row.text("occurrence")), lost.isAnotherDay(than: kept)
    else { return nil }
    let id = RowID(.reminders, entry.key)
    let occurrence = lost.ofDay
    let rows = try occurrence.rowsOfDay(db)
    if let other = occurrence.laterTwin(among: rows) {
      return .drop(RowID(.reminders, occurrence.completedID), for: other.completedID)
    }
    if try !rows.isEmpty || occurrence.hasStayedOpen(db) || occurrence.isDeleted(db) {
      return try kept.laterTwin(among: kept.rowsOfDay(db)).map {
        .drop(id, for: $0.completedID)
      }
    }
    func lostValue(_ column: String) throws -> DatabaseValue? {
      let entries = try SyncHistory.entries(
        db, of: entry.table, key: entry.key, column: column, onlyConflicts: true)
      guard case .value(_, let value, _)? = entries.first(where: { $0.loser == edit })?.loss else {
        return nil
      }
      return value
    }
    var columns = row
    let due = DueDate(stored: row.text("dueDate")) ?? .day(kept.day)
    let moved = kept.due(on: lost.day, after: due, in: time.atHome(of: row))
    columns["dueDate"] = try lostValue("dueDate") ?? moved.stored.databaseValue
    let completed = try lostValue("completedAt").flatMap(Int64.fromDatabaseValue)
    return .keep(
      EarlierCompletion(
        columns: columns,
        passed: PassedOccurrence(row: id, occurrence: occurrence),
        moment: Date(milliseconds: completed ?? edit.milliseconds)))
  }
}

extension WriteTransaction {
  /// Removes a completed occurrence that another row says, too.
  ///
  /// That row gets its parts, but for those that it has: each device has made its own of them.
  func drop(_ row: RowID, for other: Reminder.ID) throws {
    func parts(of id: Reminder.ID) throws -> [(row: RowID, what: [String?])] {
      try state(of: subtasks(of: [id]).map { RowID(.reminders, $0) })
        .map { ($0, [$1.text("title"), $1["status"]?.description]) }
        .sorted { $0.row.key < $1.row.key }
    }
    let there = try Set(parts(of: other).map(\.what))
    for (part, what) in try parts(of: row.key) {
      if there.contains(what) {
        try delete([part])
      } else {
        try update(part, ["parentID": other.databaseValue])
      }
    }
    try delete([row])
  }
}

extension Occurrence {
  fileprivate func isAnotherDay(than other: Occurrence) -> Bool {
    isOfSeries(of: other) && day != other.day
  }

  /// What is completed of the day, by whatever number.
  func rowsOfDay(_ db: Database) throws -> [Occurrence] {
    let texts = try String.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT occurrence FROM reminders INDEXED BY remindersOfSeriesDone
          WHERE recurrence IS NULL AND occurrence NOTNULL AND status = 2
            AND \(SQL.dayOfSeries()) = ?
          """), arguments: [dayOfSeries])
    return texts.compactMap(Occurrence.init(stored:)).filter { $0.isOfSeries(of: self) }
  }

  /// The same day by the highest number, where a row has stayed of this one, too.
  ///
  /// - Parameter rows: What is completed of the day.
  fileprivate func laterTwin(among rows: [Occurrence]) -> Occurrence? {
    guard rows.contains(where: { $0.number == number }) else { return nil }
    return rows.filter { $0.number > number }.max { $0.number < $1.number }
  }

  /// Whether the row that stayed of it was opened again.
  fileprivate func hasStayedOpen(_ db: Database) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM reminders WHERE id = ?)"),
      arguments: [completedID]) ?? false
  }

  /// Whether the row that stayed of it has been deleted; another day may have had its number.
  ///
  /// - Parameter edit: What has completed it: that may have taken the place of a row, which went.
  func isDeleted(after edit: SyncEdit? = nil, _ db: Database) throws -> Bool {
    try SyncHistory.entries(db, of: AppTable.reminders.name, key: completedID)
      .contains { entry in
        guard case .row(let columns) = entry.loss,
          entry.winner.milliseconds > edit?.milliseconds ?? 0
        else { return false }
        return Occurrence(stored: columns.text("occurrence"))?.day == day
      }
  }
}
