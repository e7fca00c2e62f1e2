import Foundation
import GRDB
import SQLiteSync

/// What the completion of an occurrence makes of a reminder that comes again.
struct Rollover: Sendable {
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

  /// Nil for a reminder that does not come again.
  ///
  /// - Parameter completed: When the occurrence is completed.
  init?(_ columns: RowChange.Columns, completed: Date, in time: LocalTime) {
    func text(_ column: String) -> String? { columns[column].flatMap(String.fromDatabaseValue) }
    guard let id = text("id"), let rule = Recurrence(stored: text("recurrence")) else { return nil }
    let due = DueDate(stored: text("dueDate"))
    let today = time.wallClock(at: completed).day
    let occurrence =
      Occurrence(stored: text("occurrence"))
      ?? Occurrence(day: due?.day(in: time) ?? today, series: id)
    guard
      let day = rule.next(
        after: occurrence.day, number: occurrence.number, due: due?.day(in: time),
        completedOn: today)
    else { return nil }
    row = RowID(.reminders, id)
    self.columns = columns
    self.occurrence = occurrence
    next = Occurrence(number: occurrence.number + 1, day: day, series: occurrence.series)
    nextDue = due.map { occurrence.due(on: day, after: $0, in: time) } ?? .day(day)
  }

  /// When a part of the reminder is due with the next occurrence; nil for one that has no date, or
  /// comes again by itself.
  ///
  /// As much later as the days of the rule are apart, wherever this occurrence was moved.
  func due(ofPart columns: RowChange.Columns, in time: LocalTime) -> DueDate? {
    func text(_ column: String) -> String? { columns[column].flatMap(String.fromDatabaseValue) }
    guard text("recurrence") == nil, let due = DueDate(stored: text("dueDate")) else { return nil }
    let days = next.day.number - occurrence.day.number
    let moved = due.moved(to: due.day(in: time).adding(days: days), in: time)
    return moved.isStorable ? moved : nil
  }

  /// The reminder that stays of the completed occurrence.
  var completedRow: RowID { RowID(.reminders, occurrence.completedID) }
}

extension WriteTransaction {
  /// Makes a rule the beginning of a series, with a first due date where there is none; or ends it.
  func beginSeries(_ rule: Recurrence?, due: DueDate?, _ columns: inout RowChange.Columns) {
    guard let rule else {
      columns["occurrence"] = .null
      return
    }
    let due = due ?? rule.first(onOrAfter: .day(time.today), in: time)
    let day = due.day(in: time)
    columns["dueDate"] = due.stored.databaseValue
    columns["recurrence"] = rule.anchored(to: day).stored.databaseValue
    columns["occurrence"] =
      Occurrence(ofSeries: makeID(), due: due, in: time).stored.databaseValue
  }

  /// What the completion of reminders makes of those that come again.
  func rollovers(of rows: [RowID]) throws -> [RowID: Rollover] {
    try state(of: rows).compactMapValues { Rollover($0, completed: now, in: time) }
  }

  /// The rows that a rollover makes, unless another device has made them.
  func rows(madeBy rollover: Rollover) throws -> [RowID] {
    try copies(of: rollover.row.key, rollover).rows
      + subtasks(of: [rollover.row.key]).flatMap { try copies(of: $0, rollover).rows }
  }

  /// Goes on to the next occurrence; the completed one stays as a reminder of its own.
  func perform(_ rollover: Rollover, completedAt moment: Date) throws {
    let parts = try subtasks(of: [rollover.row.key]).map { RowID(.reminders, $0) }
    let isNew = try state(of: [rollover.completedRow]).isEmpty
    try keep(rollover.row, rollover.columns, rollover, completedAt: moment)
    try keepCompleted(parts, rollover, completedAt: moment)
    // First completed, then open: so that this is the later edit of the status than that of an
    // earlier schema on another device, which completed the same occurrence before.
    try update(rollover.row, columns(of: .completing))
    // Whoever made the completed occurrence has moved the parts.
    try goOn(rollover, parts, movesParts: isNew)
  }

  /// Makes the next occurrence of it, of which every part is to be done again.
  func goOn(_ rollover: Rollover, _ parts: [RowID], movesParts: Bool) throws {
    try update(
      rollover.row,
      columns(of: .incomplete).merging([
        "dueDate": rollover.nextDue.stored.databaseValue,
        "occurrence": rollover.next.stored.databaseValue,
      ]) { $1 })
    let columns = try state(of: parts)
    for part in parts {
      let due = movesParts ? rollover.due(ofPart: columns[part] ?? [:], in: time) : nil
      try update(
        part,
        self.columns(of: .incomplete).merging(
          due.map { ["dueDate": $0.stored.databaseValue] } ?? [:]
        ) { $1 })
    }
  }

  /// Keeps what was done of the parts, each as a part of the completed occurrence.
  func keepCompleted(
    _ parts: [RowID], _ rollover: Rollover, completedAt moment: Date
  ) throws {
    let states = try state(of: parts)
    for part in parts {
      guard let columns = states[part],
        columns["status"] != Reminder.Status.incomplete.rawValue.databaseValue
      else { continue }
      let own = columns["completedAt"].flatMap(Int64.fromDatabaseValue).map(
        Date.init(milliseconds:))
      try keep(part, columns, rollover, completedAt: own ?? moment)
    }
  }

  /// Makes the completed reminder that stays of one, with its tags, unless it is there.
  private func keep(
    _ row: RowID, _ columns: RowChange.Columns, _ rollover: Rollover, completedAt moment: Date
  ) throws {
    let copies = try copies(of: row.key, rollover)
    if try state(of: [copies.reminder]).isEmpty {
      var columns = columns
      columns["id"] = copies.reminder.key.databaseValue
      columns["status"] = Reminder.Status.completed.rawValue.databaseValue
      columns["completedAt"] = moment.milliseconds.databaseValue
      columns["updatedAt"] = now.milliseconds.databaseValue
      if row != rollover.row { columns["parentID"] = rollover.completedRow.key.databaseValue }
      for column in ["recurrence", "occurrence"] { columns[column] = .null }
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

  /// What stays of a reminder, or of a part of it, when its occurrence is completed.
  private func copies(of id: Reminder.ID, _ rollover: Rollover) throws -> CompletedCopies {
    let occurrence = rollover.occurrence
    let isPart = id != rollover.row.key
    return CompletedCopies(
      reminder: isPart
        ? RowID(.reminders, occurrence.completedID(ofPart: id)) : rollover.completedRow,
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

// MARK: - What other devices did

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

  var row: RowID {
    switch self {
    case .complete(let rollover, _): rollover.row
    case .reopen(let row), .putForward(let row, _): row
    }
  }

  static func all(_ db: Database, in time: LocalTime) throws -> [OverdueRollover] {
    guard try db.schemaVersion.fields.contains(.recurrence) else { return [] }
    return try Row.fetchAll(
      db,
      sql: """
        SELECT * FROM reminders
        WHERE recurrence NOTNULL AND status IN (0, 2) AND \(try SQL.isWritable(db)) ORDER BY id
        """
    ).compactMap { row in
      try find(Dictionary(uniqueKeysWithValues: row.map { ($0, $1) }), db, in: time)
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
      return Rollover(columns, completed: done, in: time).map { .complete($0, at: done) }
    }
    guard number("status") == Int64(Reminder.Status.completed.rawValue) else { return nil }
    // An earlier schema cannot say which occurrence it has completed. Before the day of this one it
    // was the one before, which another device has completed already.
    if let previous = rollover.occurrence.previous, try completion(of: previous, db) != nil,
      moment < time.start(of: rollover.occurrence.day)
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

  /// When an occurrence was completed; nil when it was not, or nothing stayed of it.
  private static func completion(of occurrence: Occurrence, _ db: Database) throws -> Date? {
    try Int64.fetchOne(
      db.cachedStatement(
        sql: "SELECT \(SQL.completion) FROM reminders WHERE id = ? AND \(SQL.isCompleted)"),
      arguments: [occurrence.completedID]
    ).map(Date.init(milliseconds:))
  }
}
