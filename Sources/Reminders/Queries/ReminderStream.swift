import GRDB

extension AppDatabase {
  /// Hands on, one by one and whole, the reminders that a query finds, not list by list.
  ///
  /// The first comes before the last is read, and few are in memory. All are of one snapshot of the
  /// database.
  package func forEach(
    _ query: FilterQuery, _ body: (ReminderDetails) throws -> Void
  ) throws {
    try read { db in try query.forEach(db, body) }
  }

  /// A reminder with everything that is not about synchronization.
  package func details(of id: Reminder.ID) throws -> ReminderDetails? {
    try read { db in
      var found: ReminderDetails?
      let request = RowRequest(condition: Condition("id = ?", [id]), order: .manual)
      try ReminderDetails.forEach(db, request) { details, _ in found = details }
      return found
    }
  }
}

extension FilterQuery {
  /// Hands on the reminders, each with everything that is not about synchronization.
  func forEach(_ db: Database, _ body: (ReminderDetails) throws -> Void) throws {
    let shown = try shown(db)
    let order = shown.order
    let request = RowRequest(condition: shown.condition, order: order)
    guard order.sort != .title else { return try forEachByTitle(db, request, body) }
    guard let time = order.dueTime else {
      return try ReminderDetails.forEach(db, request) { details, _ in try body(details) }
    }
    var reordering = DueReordering(in: time)
    try ReminderDetails.forEach(db, request) { try reordering.take($0, hasDate: $1, body) }
    try reordering.end(body)
  }

  /// As people look a title up, "Ärzte" before "Zoo": an index has the letters by their numbers.
  private func forEachByTitle(
    _ db: Database, _ request: RowRequest, _ body: (ReminderDetails) throws -> Void
  ) throws {
    var all: [(title: String, place: Int, details: ReminderDetails)] = []
    try ReminderDetails.forEach(db, request) { details, _ in
      all.append((SearchFold.comparable(details.reminder.draft.title), all.count, details))
    }
    func isDone(_ details: ReminderDetails) -> Int {
      details.reminder.status == .completed ? 1 : 0
    }
    all.sort { (isDone($0.details), $0.title, $0.place) < (isDone($1.details), $1.title, $1.place) }
    for item in all { try body(item.details) }
  }
}

extension ReminderDetails {
  /// Reads the reminders that are asked for, in the order of the index, without what only a screen
  /// shows: whether they are sent, and who edited them.
  ///
  /// Nothing is joined, so that SQLite sorts nothing that an index has in order.
  ///
  /// - Parameter body: Takes a reminder, and whether its column for the due date has something,
  ///   which may be no date.
  static func forEach(
    _ db: Database, _ request: RowRequest, _ body: (ReminderDetails, _ hasDate: Bool) throws -> Void
  ) throws {
    let fields = try db.schemaVersion.columnFields
    let due = ownColumns.count + (fields.firstIndex(of: .due) ?? 0)
    let lists = Dictionary(
      try ListsQuery().fetch(db).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let columns = ownColumns + fields.map(\.column) + [tagsSQL(of: "reminders.id")]
    let rows = try Row.fetchCursor(
      db, sql: request.sql(selecting: columns.joined(separator: ", ")),
      arguments: request.arguments(nil))
    while let row = try rows.next() {
      var draft = ReminderDraft(row, fields)
      draft.tags = tags(row[columns.count - 1])
      // A row whose list is gone goes with the next transaction.
      guard let list = draft.listID.flatMap({ lists[$0] }) else { continue }
      try body(
        ReminderDetails(reminder: Reminder(row, draft), list: list), !row.hasNull(atIndex: due))
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
  private var held: [(key: DueOrder, details: ReminderDetails)] = []
  private var first = 0

  init(in time: LocalTime) {
    self.time = time
  }

  /// Takes the next row, and hands on those that come before all that may still come.
  mutating func take(
    _ details: ReminderDetails, hasDate: Bool, _ body: (ReminderDetails) throws -> Void
  ) throws {
    let reminder = details.reminder
    let key = DueOrder(
      reminder.status, reminder.draft.due, reminder.position, reminder.id, in: time)
    if let bound = bound(details, hasDate: hasDate, key) { try handOn(before: bound, body) }
    var place = held.endIndex
    while place > first, key < held[place - 1].key { place -= 1 }
    held.insert((key, details), at: place)
  }

  /// Hands on the rest.
  mutating func end(_ body: (ReminderDetails) throws -> Void) throws {
    for item in held[first...] { try body(item.details) }
    held = []
    first = 0
  }

  /// What is not greater than this row and all that come after it; nil when that is not known.
  private func bound(
    _ details: ReminderDetails, hasDate: Bool, _ key: DueOrder
  ) -> DueOrder? {
    let day: CalendarDay
    switch details.reminder.draft.due {
    // Rows without a date come in their exact order, after all others; so do those with a text
    // that is none, but these the index has among the dates.
    case nil: return hasDate ? nil : key
    case .day(let due): day = due
    case .moment(let moment):
      day = CalendarDay(
        number: moment.wholeSeconds.quotientAndRemainderFlooring(by: 86_400).quotient)
    }
    return DueOrder(
      details.reminder.status, .day(day.adding(days: -Self.slack)), -.infinity, "", in: time)
  }

  private mutating func handOn(
    before bound: DueOrder, _ body: (ReminderDetails) throws -> Void
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
