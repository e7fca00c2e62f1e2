import Foundation
import GRDB

/// Which of many rows are read: a stretch of them, near the view of whoever looks.
public struct RowWindow: Hashable, Sendable {
  /// How many rows come before it.
  public var start: Int
  /// How many rows it has at least, where there are so many.
  public var count: Int
  /// A row that it goes with, wherever that has moved; nil for whatever rows are there.
  public var anchor: Reminder.ID?

  /// A window that begins after so many rows.
  public init(start: Int = 0, count: Int, anchor: Reminder.ID? = nil) {
    self.start = start
    self.count = count
    self.anchor = anchor
  }

  /// The same window as near as possible to a place, inside of all rows.
  fileprivate func moved(to start: Int, of total: Int) -> RowWindow {
    RowWindow(start: max(0, min(start, total - count)), count: count)
  }

  /// The same rows counted from the last one.
  fileprivate func reversed(of total: Int) -> RowWindow {
    let end = min(start + count, total)
    return RowWindow(start: total - end, count: end - start)
  }
}

/// Reminders that meet a condition, in an order: all of them, or those in a window.
struct RowRequest {
  let condition: Condition
  let order: RowOrder
  /// How many characters of the notes are wanted, for a screen; nil for all of every text.
  var notes: Int?

  /// Whether a window counts from the last row.
  var isReversed = false

  /// The statement that finds the rows in a window, or all: the same text for every window.
  func sql(selecting columns: String) -> String {
    let order = order.sql(of: "reminders", common: condition.common, isReversed: isReversed)
    return """
      SELECT \(columns) FROM reminders WHERE \(condition.sql)
      ORDER BY \(order) LIMIT ? OFFSET ?
      """
  }

  /// What is read of a field.
  func sql(of field: ReminderField) -> String {
    guard let notes else { return field.column }
    return switch field.kind {
    case .title, .line: "\(SQL.beginning(of: field.column)) AS \(field.column)"
    case .notes: "substr(\(field.column), 1, \(notes))"
    default: field.column
    }
  }

  /// The same of the title of a list.
  var listTitle: String {
    notes == nil ? "list.title" : SQL.beginning(of: "list.title")
  }

  /// What the statement is given.
  func arguments(_ window: RowWindow?) -> StatementArguments {
    condition.arguments + [window?.count ?? -1, window?.start ?? 0]
  }

  /// Which the rows in a window are, or all.
  func ids(in window: RowWindow? = nil, _ db: Database) throws -> [Reminder.ID] {
    try String.fetchAll(
      db.cachedStatement(sql: sql(selecting: "id")), arguments: arguments(window))
  }

  /// All rows.
  func all(_ db: Database) throws -> [ReminderRow] {
    try inOrder(ReminderRow.fetch(db, self))
  }

  /// The rows in a window, and how many come before them.
  ///
  /// - Parameter total: How many rows there are in all.
  func rows(
    in window: RowWindow, of total: Int, _ db: Database
  ) throws -> (start: Int, rows: [ReminderRow]) {
    var place = window.moved(to: window.start, of: total)
    var rows = try self.rows(at: place, of: total, db)
    if let anchor = window.anchor, !rows.contains(where: { $0.reminder.id == anchor }),
      let rank = try rank(of: anchor, db)
    {
      place = window.moved(to: rank - window.count / 2, of: total)
      rows = try self.rows(at: place, of: total, db)
    }
    let start = try completeSeams(of: &rows, from: place.start, db)
    return (start, inOrder(rows))
  }

  /// Reads a window from the nearer end: SQLite steps through all rows before it.
  private func rows(at place: RowWindow, of total: Int, _ db: Database) throws -> [ReminderRow] {
    guard place.start > total / 2 else { return try ReminderRow.fetch(db, self, place) }
    var request = self
    request.isReversed = true
    return try ReminderRow.fetch(db, request, place.reversed(of: total))
  }

  private func inOrder(_ rows: [ReminderRow]) -> [ReminderRow] {
    guard let time = order.dueTime else { return rows }
    return rows.sorted {
      let reminder = $0.reminder
      return DueOrder(
        reminder.status, reminder.due, reminder.position, reminder.id,
        of: order.isByList ? $0.list : nil, in: time)
    }
  }

  /// How many rows come before one; nil when it is not among them.
  private func rank(of id: Reminder.ID, _ db: Database) throws -> Int? {
    let isThere = try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM reminders WHERE id = ? AND \(condition.sql))",
      arguments: [id] + condition.arguments)
    guard isThere == true else { return nil }
    let order = order.sql(of: "reminders", common: condition.common)
    return try Int.fetchOne(
      db,
      sql: """
        SELECT place FROM (
          SELECT id, row_number() OVER (ORDER BY \(order)) - 1 AS place
          FROM reminders WHERE \(condition.sql)
        ) WHERE id = ?
        """, arguments: condition.arguments + [id])
  }

  // MARK: - Seams

  /// Adds the rest of a seam that the window cuts: nothing may be on neither side of a cut.
  ///
  /// - Returns: How many rows come before those there are now.
  private func completeSeams(
    of rows: inout [ReminderRow], from start: Int, _ db: Database
  ) throws -> Int {
    guard let time = order.dueTime, let first = rows.first, let last = rows.last else {
      return start
    }
    var start = start
    var seams: [Seam] = []
    for row in [first, last] {
      let listID = order.isByList ? row.list.id : nil
      guard let seam = Seam(around: row.reminder, of: listID, in: time), !seams.contains(seam)
      else { continue }
      seams.append(seam)
      let among = listID.map(condition.of(listID:)) ?? condition
      let within = among.completion(seam.isCompleted).in(seam.texts)
      guard try seam.isReal(within, db) else { continue }
      let ids = try RowRequest(condition: within, order: order).ids(db)
      start -= ids.firstIndex(of: first.reminder.id) ?? 0
      // Nothing that the window has is read again: a day with notes of megabytes is such a seam.
      let missing = Set(ids).subtracting(rows.map(\.reminder.id))
      guard !missing.isEmpty else { continue }
      rows += try ReminderRow.fetch(db, RowRequest(of: missing, notes: notes))
    }
    return start
  }
}

extension RowRequest {
  /// Reminders by their ids.
  init(of ids: some Collection<Reminder.ID>, notes: Int?) throws {
    let list = String(decoding: try JSONEncoder().encode(Array(ids)), as: UTF8.self)
    self.init(
      condition: Condition("id IN (SELECT value FROM json_each(?))", [list], isNarrow: true),
      order: .manual, notes: notes)
  }
}

/// The stretch around the beginning of a day in which the order of the index is not that of whoever
/// looks: the index has the moments between midnight there and midnight in UTC on the wrong side of
/// what is due on the day as such.
private struct Seam: Equatable {
  /// The only list that it is in; nil where lists do not come one after the other.
  let listID: RemindersList.ID?
  let isCompleted: Bool
  /// The day as text, what is due on it as such.
  let day: String
  /// All texts of the stretch.
  let texts: ClosedRange<String>

  /// The seam that a reminder is in, if any.
  init?(around reminder: Reminder, of listID: RemindersList.ID?, in time: LocalTime) {
    let day: CalendarDay
    switch reminder.due {
    case nil: return nil
    case .day(let due): day = due
    case .moment(let moment):
      let here = time.wallClock(at: moment).day
      let inUTC = LocalTime(now: moment, timeZone: .gmt).today
      guard here != inUTC else { return nil }
      day = max(here, inUTC)
    }
    self.listID = listID
    isCompleted = reminder.status == .completed
    self.day = day.description
    let start = time.start(of: day)
    guard start != LocalTime(now: start, timeZone: .gmt).start(of: day) else { return nil }
    texts = min(self.day, start.iso8601UTC)...max(self.day, start.iso8601UTC)
  }

  /// Whether it has both what is due on the day as such and moments; else both orders are the same.
  func isReal(_ condition: Condition, _ db: Database) throws -> Bool {
    let moments = day == texts.lowerBound ? "dueDate > ?" : "dueDate < ?"
    // The plus keeps SQLite from putting the day in the place of the column, and so from the index
    // that begins with whether there is one: it would read row after row.
    return try Bool.fetchOne(
      db,
      sql: """
        SELECT EXISTS (SELECT 1 FROM reminders WHERE \(condition.sql) AND +dueDate = ?)
          AND EXISTS (SELECT 1 FROM reminders WHERE \(condition.sql) AND \(moments))
        """, arguments: condition.arguments + [day] + condition.arguments + [day]) ?? false
  }
}
