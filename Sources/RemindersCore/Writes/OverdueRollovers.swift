import Foundation
import GRDB
import SQLiteSync

/// Finds the reminders that come again and were completed without going on: by an app of an earlier
/// schema, or because another device was further than the edits that won.
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
  }
}

extension AppDatabase {
  /// Lets reminders go on that were completed elsewhere without going on.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func rollOver() async throws -> Int {
    try await write { transaction in
      var rows: Set<RowID> = []
      // Another device may have been several occurrences further.
      while case let found = try OverdueRollover.all(transaction.db, in: transaction.time),
        !found.isEmpty
      {
        for overdue in found {
          rows.insert(overdue.row)
          switch overdue {
          case .complete(let rollover, let moment):
            try transaction.perform(rollover, completedAt: moment)
          case .reopen(let row):
            try transaction.update(row, transaction.columns(of: .incomplete))
          case .putForward(let row, let due):
            try transaction.update(row, ["dueDate": due.stored.databaseValue])
          case .renumber(let row, let occurrence):
            try transaction.update(row, ["occurrence": occurrence.stored.databaseValue])
          case .part(let part, let passed, let moment):
            try transaction.pass(part, passed, completedAt: moment)
          }
        }
      }
      return rows.count
    }
  }
}

/// What is to be made of a reminder that was completed without going on.
enum OverdueRollover {
  /// It goes on; the occurrence was completed at a moment.
  case complete(Rollover, at: Date)
  /// Its occurrence was not the one that was completed.
  case reopen(RowID)
  /// It came back with the date of an occurrence that is completed, and is due then.
  case putForward(RowID, due: DueDate)
  /// Another device completed one of its number on a day before: it is a later one.
  case renumber(RowID, Occurrence)
  /// A part that was done for an occurrence from which another device has gone on.
  case part(RowID, of: PassedOccurrence, at: Date)

  var row: RowID {
    switch self {
    case .complete(let rollover, _): rollover.row
    case .reopen(let row), .putForward(let row, _), .renumber(let row, _), .part(let row, _, _):
      row
    }
  }

  static func all(_ db: Database, in time: LocalTime) throws -> [OverdueRollover] {
    guard try db.schemaVersion.fields.contains(.recurrence) else { return [] }
    let series = try Row.fetchAll(
      db,
      sql: """
        SELECT * FROM reminders
        WHERE recurrence NOTNULL AND status IN (0, 2) AND \(try SQL.isWritable(db)) ORDER BY id
        """
    ).compactMap { row in
      try find(Dictionary(uniqueKeysWithValues: row.map { ($0, $1) }), db, in: time)
    }
    // Parts once their series has come to rest.
    return try series.isEmpty ? parts(db) : series
  }

  private static func parts(_ db: Database) throws -> [OverdueRollover] {
    let rows = try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT part.id, part.occurrence, part.updatedAt, series.id, series.occurrence
          FROM reminders series CROSS JOIN reminders part ON part.parentID = series.id
          WHERE series.recurrence NOTNULL AND part.recurrence IS NULL AND part.occurrence NOTNULL
            AND series.remindersListID NOT IN \(try SQL.readOnlyLists(db))
          """))
    return try rows.compactMap { row in
      guard let done = Occurrence(stored: row[1]) else { return nil }
      let current = Occurrence(stored: row[4])
      guard done.name != current?.name else { return nil }
      let completion = try completion(of: done, db)
      let isSkipped = current?.series == done.series && done.number < current?.number ?? 0
      guard completion != nil || isSkipped else { return nil }
      let moment = completion?.moment ?? Date(milliseconds: row[2] ?? 0)
      return .part(
        RowID(.reminders, row[0]),
        of: PassedOccurrence(row: RowID(.reminders, row[3]), occurrence: done), at: moment)
    }
  }

  private static func find(
    _ columns: RowChange.Columns, _ db: Database, in time: LocalTime
  ) throws -> OverdueRollover? {
    func number(_ column: String) -> Int64? { columns[column].flatMap(Int64.fromDatabaseValue) }
    if let found = try putBack(columns, db, in: time) { return found }
    let moment = Date(milliseconds: number("updatedAt") ?? number("createdAt") ?? 0)
    guard let rollover = Rollover(columns, completed: moment, in: time) else { return nil }
    if let done = try completion(of: rollover.occurrence, db) {
      guard !done.isBefore(rollover.occurrence) else {
        return .renumber(rollover.row, rollover.occurrence.renumbered)
      }
      return Rollover(columns, completed: done.moment, in: time).map {
        .complete($0, at: done.moment)
      }
    }
    guard number("status") == Int64(Reminder.Status.completed.rawValue) else { return nil }
    // An earlier schema cannot say which occurrence it has completed. Before the day of this one it
    // was the one before, which another device has completed already.
    let due = columns["dueDate"].flatMap(String.fromDatabaseValue).flatMap(DueDate.init(stored:))
    let day = min(rollover.occurrence.day, due?.day(in: time) ?? rollover.occurrence.day)
    if let previous = rollover.occurrence.previous, try completion(of: previous, db) != nil,
      moment < time.start(of: day)
    {
      return .reopen(rollover.row)
    }
    return .complete(rollover, at: moment)
  }

  /// A reminder that an app of an earlier schema deleted and brought back, while another device
  /// completed an occurrence.
  ///
  /// Its date is that of before, and which occurrence it is, which that app does not know, is that
  /// of now. Where somebody puts an occurrence back to such a day, the date alone is written.
  private static func putBack(
    _ columns: RowChange.Columns, _ db: Database, in time: LocalTime
  ) throws -> OverdueRollover? {
    func text(_ column: String) -> String? { columns[column].flatMap(String.fromDatabaseValue) }
    guard let id = text("id"), let due = DueDate(stored: text("dueDate")),
      let occurrence = Occurrence(stored: text("occurrence")), let previous = occurrence.previous,
      due.day(in: time) < occurrence.day, try completion(of: previous, db) != nil
    else { return nil }
    let edits = try SyncRowEdits(db, of: AppTable.reminders.name, key: id)
    guard let made = edits.made, edits.fields["dueDate"] == made,
      edits.fields["occurrence"] != made
    else { return nil }
    return .putForward(
      RowID(.reminders, id), due: occurrence.due(on: occurrence.day, after: due, in: time))
  }

  /// What stayed of an occurrence that was completed.
  private struct Completion {
    let moment: Date
    /// The occurrence as the device knew it that completed it; nil from an earlier app.
    let occurrence: Occurrence?

    /// Whether it was one of an earlier day of the same series, which has the same number.
    func isBefore(_ other: Occurrence) -> Bool {
      occurrence.map { $0.series == other.series && $0.day < other.day } ?? false
    }
  }

  /// What stayed of an occurrence; nil when it was not completed, or nothing stayed of it.
  private static func completion(of occurrence: Occurrence, _ db: Database) throws -> Completion? {
    try Row.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT \(SQL.completion), occurrence FROM reminders
          WHERE id = ? AND \(SQL.isCompleted)
          """),
      arguments: [occurrence.completedID]
    ).map { Completion(moment: Date(milliseconds: $0[0]), occurrence: Occurrence(stored: $0[1])) }
  }
}
