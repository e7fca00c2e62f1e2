import GRDB

extension AppDatabase {
  /// Hands on, one by one and whole, the reminders that a query finds, not list by list.
  ///
  /// The first comes before the last is read, and few are in memory. All are of one snapshot of the
  /// database.
  ///
  /// - Parameters:
  ///   - query: What is asked for.
  ///   - withNotes: Whether their notes are read, too.
  ///   - body: Takes a reminder.
  package func forEach(
    _ query: FilterQuery, withNotes: Bool = true, _ body: (ReminderRow) throws -> Void
  ) throws {
    try read { db in try query.forEach(db, withNotes: withNotes, body) }
  }

  /// A reminder with everything that is not about synchronization.
  package func details(of id: Reminder.ID) throws -> ReminderRow? { try details(of: [id]).first }

  /// Reminders with everything that is not about synchronization, without those that are not there.
  package func details(of ids: [Reminder.ID]) throws -> [ReminderRow] {
    try read { db in
      try ids.chunked().flatMap { ids in
        var found: [Reminder.ID: ReminderRow] = [:]
        let request = RowRequest(
          condition: Condition(
            "id IN (\(databaseQuestionMarks(count: ids.count)))", StatementArguments(ids)),
          order: .manual)
        try ReminderRow.forEach(db, request) { details, _ in found[details.reminder.id] = details }
        return ids.compactMap { found[$0] }
      }
    }
  }
}

extension FilterQuery {
  /// Hands on the reminders, each with everything that is not about synchronization.
  ///
  /// Those of one list come each part below the reminder that it is a part of: where there are
  /// parts, all are read first.
  func forEach(
    _ db: Database, withNotes: Bool = true, _ body: (ReminderRow) throws -> Void
  ) throws {
    guard case .list = kinds.first, kinds.count == 1, filter == .all([]), try Subtasks.exist(db)
    else { return try forEachInOrder(db, withNotes: withNotes, body) }
    var rows: [ReminderRow] = []
    try forEachInOrder(db, withNotes: withNotes) { rows.append($0) }
    for row in rows.underParents() { try body(row) }
  }

  private func forEachInOrder(
    _ db: Database, withNotes: Bool, _ body: (ReminderRow) throws -> Void
  ) throws {
    let shown = try shown(db)
    let order = shown.order
    let request = RowRequest(
      condition: shown.condition, order: order, notes: withNotes ? nil : 0)
    guard order.sort != .title else { return try forEachByTitle(db, request, body) }
    guard let time = order.dueTime else {
      return try ReminderRow.forEach(db, request) { details, _ in try body(details) }
    }
    var reordering = DueReordering(in: time)
    try ReminderRow.forEach(db, request) { try reordering.take($0, isExact: $1, body) }
    try reordering.end(body)
  }

  /// As people look a title up, "Ärzte" before "Zoo": an index has the letters by their numbers.
  private func forEachByTitle(
    _ db: Database, _ request: RowRequest, _ body: (ReminderRow) throws -> Void
  ) throws {
    var all: [(title: String, place: Int, details: ReminderRow)] = []
    try ReminderRow.forEach(db, request) { details, _ in
      all.append((SearchFold.comparable(details.reminder.draft.title), all.count, details))
    }
    func isDone(_ details: ReminderRow) -> Int {
      details.reminder.status == .completed ? 1 : 0
    }
    all.sort { (isDone($0.details), $0.title, $0.place) < (isDone($1.details), $1.title, $1.place) }
    for item in all { try body(item.details) }
  }
}

extension ReminderRow {
  /// Reads the reminders that are asked for, in the order of the index, without what only a screen
  /// shows: whether they are sent, and who edited them.
  ///
  /// Nothing is joined, so that SQLite sorts nothing that an index has in order.
  ///
  /// - Parameter body: Takes a reminder, and whether an index by due date has it in its exact place
  ///   among those that follow: it has no date, not even a text that is none, but a position.
  static func forEach(
    _ db: Database, _ request: RowRequest, _ body: (ReminderRow, _ isExact: Bool) throws -> Void
  ) throws {
    let schema = try db.schemaVersion
    let (own, fields) = (schema.ownColumns, schema.columnFields)
    let due = own.count + (fields.firstIndex(of: .due) ?? 0)
    let position = own.firstIndex(of: "position") ?? 0
    let lists = Dictionary(
      try ListsQuery().fetch(db).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let columns =
      own + fields.map { $0 == .notes && request.notes == 0 ? "''" : $0.column } + [
        tagsSQL(of: "reminders.id"), try Subtasks.columns(of: "reminders", in: schema, db),
        try Alarm.columnSQL(of: "reminders.id", in: schema, db),
        try Snooze.columnSQL(of: "reminders.id", in: schema, db),
      ]
    let next = own.count + fields.count
    let kinds = fields.map(\.kind)
    let rows = try Row.fetchCursor(
      db, sql: request.sql(selecting: columns.joined(separator: ", ")),
      arguments: request.arguments(nil))
    while let row = try rows.next() {
      var draft = try ReminderDraft(row, kinds, after: own)
      draft.tags = try tags(row.read(next))
      draft.alarms = try Alarm.list(row.read(next + 4))
      // A row whose list is gone goes with the next transaction.
      guard let list = draft.listID.flatMap({ lists[$0] }) else { continue }
      var details = try ReminderRow(reminder: Reminder(row, own, draft), list: list)
      details.parentTitle = try row.read(next + 1)
      details.subtasks = try Subtasks(total: row.read(next + 2), done: row.read(next + 3))
      details.snoozedUntil = try Snooze.moment(row.read(next + 5), of: details.reminder)
      try body(details, row.hasNull(atIndex: due) && !row.hasNull(atIndex: position))
    }
  }
}

/// Puts rows that come in the order of the index into the exact order by due date, and holds back
/// only those that are due at the same time, give or take some days.
///
/// The index compares texts. In whatever zone a program wrote them, one that comes later is at most
/// two days earlier.
private struct DueReordering {
  private static let slack = 3

  private let time: LocalTime
  /// What waits, in the exact order, from the first that has not been handed on.
  private var held: [(key: DueOrder, details: ReminderRow)] = []
  private var first = 0

  init(in time: LocalTime) {
    self.time = time
  }

  /// Takes the next row, and hands on those that come before all that may still come.
  mutating func take(
    _ details: ReminderRow, isExact: Bool, _ body: (ReminderRow) throws -> Void
  ) throws {
    let reminder = details.reminder
    let key = DueOrder(
      reminder.status, reminder.draft.due, reminder.position, reminder.id, in: time)
    if let bound = bound(details, isExact: isExact, key) { try handOn(before: bound, body) }
    // Nothing can come before it any more.
    if first == held.endIndex, isExact { return try body(details) }
    var place = held.endIndex
    while place > first, key < held[place - 1].key { place -= 1 }
    held.insert((key, details), at: place)
  }

  /// Hands on the rest.
  mutating func end(_ body: (ReminderRow) throws -> Void) throws {
    for item in held[first...] { try body(item.details) }
    held = []
    first = 0
  }

  /// What is not greater than this row and all that come after it; nil when that is not known.
  private func bound(
    _ details: ReminderRow, isExact: Bool, _ key: DueOrder
  ) -> DueOrder? {
    let day: CalendarDay
    switch details.reminder.draft.due {
    // Rows without a date come in their exact order, after all others. A text that is none the
    // index has among the dates, and a row without a position before all that have one.
    case nil: return isExact ? key : nil
    case .day(let due): day = due
    case .moment(let moment):
      day = CalendarDay(
        number: moment.wholeSeconds.quotientAndRemainderFlooring(by: 86_400).quotient)
    }
    return DueOrder(
      details.reminder.status, .day(day.adding(days: -Self.slack)), -.infinity, "", in: time)
  }

  private mutating func handOn(
    before bound: DueOrder, _ body: (ReminderRow) throws -> Void
  ) throws {
    while first < held.endIndex, held[first].key < bound {
      try body(held[first].details)
      first += 1
    }
    // Not for each row: it moves all that wait.
    if first > 1000, first > held.count / 2 {
      held.removeFirst(first)
      first = 0
    }
  }
}
