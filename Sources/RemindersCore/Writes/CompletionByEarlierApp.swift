import Foundation
import GRDB
import SQLiteSync

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
