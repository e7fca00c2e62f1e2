import Foundation
import GRDB
import SQLiteSync

/// What is known of completions of all series, by their reminders: asked once, before each of them
/// is looked at.
struct SeriesCompletions {
  /// Of the days at which they are.
  let ofDays: [Reminder.ID: OccurrenceCompletion]
  /// What says in the reminder itself which occurrence was completed as the last one, and met a
  /// later edit.
  let overwritten: [Reminder.ID: SyncHistory.Entry]

  init(_ db: Database) throws {
    ofDays = try OccurrenceCompletion.ofDays(db)
    let lost = try SyncHistory.entries(
      db, of: AppTable.reminders.name, column: "occurrence", onlyConflicts: true
    ).filter { entry in
      guard case .value(_, let text, _) = entry.loss else { return false }
      return String.fromDatabaseValue(text).map(Occurrence.isLast) ?? false
    }
    overwritten = Dictionary(lost.map { ($0.key, $0) }) { newest, _ in newest }
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
    let id = occurrence.completedID
    let found = try Row.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT \(SQL.completion), occurrence FROM reminders
          WHERE id = ? AND \(SQL.isCompleted)
          """), arguments: [id])
    guard let found else { return nil }
    self.init(found, id: id)
  }

  private init(_ row: Row, id: Reminder.ID) {
    moment = Date(milliseconds: row[0])
    occurrence = Occurrence(stored: row[1])
    self.id = id
  }

  /// What was completed of the days at which series are that are open, by whatever number: whoever
  /// skips what is late passes several days at once, and counts one; and what goes on from its
  /// completion comes to a day in many ways.
  static func ofDays(_ db: Database) throws -> [Reminder.ID: OccurrenceCompletion] {
    let rows = try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT \(SQL.completion(of: "done", in: .current)), done.occurrence, done.id, series.id
          FROM reminders series INDEXED BY remindersOfSeries
          CROSS JOIN reminders done INDEXED BY remindersOfSeriesDone
            ON \(SQL.dayOfSeries("done.")) = \(SQL.dayOfSeries("series."))
          WHERE series.recurrence NOTNULL AND series.occurrence NOTNULL AND series.status = 0
            AND done.recurrence IS NULL AND done.occurrence NOTNULL AND done.status = 2
          """))
    let found = rows.compactMap { row -> (Reminder.ID, OccurrenceCompletion)? in
      let done = OccurrenceCompletion(row, id: row[2])
      // Not one that ended with its rule, and was done then.
      return done.occurrence?.completedID == done.id ? (row[3], done) : nil
    }
    return Dictionary(found) { first, _ in first }
  }

  /// When it was noted, by the clock of edits.
  func made(_ db: Database) throws -> SyncEdit? {
    try SyncRowEdits(db, of: AppTable.reminders.name, key: id).made
  }

  /// The occurrence that was completed, as one of the series that is at another.
  ///
  /// It may have another number there; and the first one may have been completed by the rule that
  /// this series replaces, on a day before that of the new rule, which is still to come then.
  func occurrence(as current: Occurrence) -> Occurrence {
    guard let occurrence else { return current }
    if occurrence.series == current.series {
      return occurrence.day == current.day ? occurrence : current
    }
    guard current.number == 1, occurrence.day < current.day else { return current }
    var former = current
    former.day = occurrence.day
    return former
  }

  /// Whether it was one of an earlier day of the same series, which has the same number.
  func isBefore(_ other: Occurrence) -> Bool {
    occurrence?.isBefore(other) ?? false
  }
}

extension Occurrence {
  /// Whether it is one of an earlier day of the same series, wherever that begins.
  fileprivate func isBefore(_ other: Occurrence) -> Bool {
    seriesName == other.seriesName && day < other.day
  }

  /// The same day by the first number that no other day has taken, and whether a row stayed of it
  /// already: completed, or opened again since.
  ///
  /// - Parameters:
  ///   - other: What the reminder itself says is completed; nil for nothing.
  ///   - db: The database.
  func renumbered(
    beside other: Occurrence?, _ db: Database
  ) throws -> (occurrence: Occurrence, isKept: Bool) {
    let sql = "SELECT occurrence FROM reminders WHERE id = ?"
    var current = self
    while true {
      let row = try Row.fetchOne(
        db.cachedStatement(sql: sql), arguments: [current.completedID])
      let kept = Occurrence(stored: row.flatMap { $0[0] as String? })
      let isTaken = kept?.isBefore(current) ?? false
      guard isTaken || other?.completedID == current.completedID else {
        return (current, row != nil)
      }
      current = current.renumbered
    }
  }
}
