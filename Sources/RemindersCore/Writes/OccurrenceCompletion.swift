import Foundation
import GRDB
import SQLiteSync

/// What is known of completions of all series, by their reminders: asked once, before each of them
/// is looked at.
struct SeriesCompletions {
  /// Of the days at which they are.
  let ofDays: [Reminder.ID: OccurrenceCompletion]
  /// What says in the reminder itself which occurrence was completed as the last one, and met a
  /// later edit; the newest first.
  let overwritten: [Reminder.ID: [SyncHistory.Entry]]
  /// Which other occurrences a later edit has taken the place of: where another device was.
  let left: [Reminder.ID: [SyncHistory.Entry]]
  /// What says of a completed occurrence on which day it was, and met that of another day: devices
  /// that count differently made one row of them.
  let merged: [SyncHistory.Entry]

  init(_ db: Database) throws {
    ofDays = try OccurrenceCompletion.ofDays(db)
    let lost = try SyncHistory.entries(
      db, of: AppTable.reminders.name, column: "occurrence", onlyConflicts: true)
    func grouped(areLast: Bool) -> [Reminder.ID: [SyncHistory.Entry]] {
      let those = lost.filter { $0.lostText.map(Occurrence.isLast) == areLast }
      return Dictionary(grouping: those, by: \.key)
    }
    (overwritten, left) = (grouped(areLast: true), grouped(areLast: false))
    merged = lost.filter { Occurrence(stored: $0.lostText)?.completedID == $0.key }
  }
}

extension SyncHistory.Entry {
  /// The text that was overwritten.
  var lostText: String? {
    guard case .value(_, let lost, _) = loss else { return nil }
    return String.fromDatabaseValue(lost)
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
    try self.init(found, id: id)
  }

  private init(_ row: Row, id: Reminder.ID) throws {
    moment = try Date(milliseconds: row.read(0))
    occurrence = try Occurrence(stored: row.read(1))
    self.id = id
  }

  /// What was completed of the days at which series are that are open, by whatever number: whoever
  /// skips what is late passes several days at once, and counts one; and what goes on from its
  /// completion comes to a day in many ways.
  static func ofDays(_ db: Database) throws -> [Reminder.ID: OccurrenceCompletion] {
    let rows = try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT \(SQL.completion(of: "done", in: .current)), done.occurrence, done.id, series.id,
            series.occurrence
          FROM reminders series INDEXED BY remindersOfSeries
          CROSS JOIN reminders done INDEXED BY remindersOfSeriesDone
            ON \(SQL.dayOfSeries("done.")) = \(SQL.dayOfSeries("series."))
          WHERE series.recurrence NOTNULL AND series.occurrence NOTNULL AND series.status = 0
            AND done.recurrence IS NULL AND done.occurrence NOTNULL AND done.status = 2
          """))
    let found = try rows.compactMap { row -> (Reminder.ID, OccurrenceCompletion)? in
      let done = try OccurrenceCompletion(row, id: row.read(2))
      // Not one that ended with its rule, and was done then.
      guard let occurrence = done.occurrence, occurrence.completedID == done.id,
        try occurrence.seriesName == Occurrence(stored: row.read(4))?.seriesName
      else { return nil }
      return try (row.read(3), done)
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
    var same = current
    if occurrence.seriesName == current.seriesName {
      if occurrence.day == current.day { same.number = occurrence.number }
    } else if current.number == 1, occurrence.day < current.day {
      same.day = occurrence.day
    }
    return same
  }

  /// Whether it was one of an earlier day of the same series, which has the same number.
  func isBefore(_ other: Occurrence) -> Bool {
    occurrence?.isBefore(other) ?? false
  }
}

extension Occurrence {
  /// What `SQL.dayOfSeries` makes of it.
  var dayOfSeries: String { " \(day) \(series.prefix { !".@<".contains($0) })" }

  /// Whether it is one of an earlier day of the same series, wherever that begins.
  fileprivate func isBefore(_ other: Occurrence) -> Bool {
    isOfSeries(of: other) && day < other.day
  }

  /// The same day by the first number that no earlier day has taken, and whether a row stayed of it
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
      let kept = try Occurrence(stored: row.flatMap { try $0.read(0) as String? })
      let isTaken = kept?.isBefore(current) ?? false
      guard isTaken || other?.completedID == current.completedID else {
        return (current, row != nil)
      }
      current = current.renumbered
    }
  }
}
