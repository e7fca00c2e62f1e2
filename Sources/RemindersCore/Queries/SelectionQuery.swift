import Foundation
import GRDB

/// Finds what a command on several reminders needs to know of them.
public struct SelectionQuery: Query {
  /// Where they are marked; those that are not shown there any more are not found.
  public let source: RowSource
  /// Which they are.
  public let ids: Set<Reminder.ID>

  /// The query for reminders of a list, or among hits.
  public init(_ ids: Set<Reminder.ID>, in source: RowSource) {
    self.ids = ids
    self.source = source.whole
  }

  /// Finds it, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> SelectedReminders {
    let json = String(decoding: try JSONEncoder().encode(Array(ids)), as: UTF8.self)
    let (condition, order) = try source.shown(db)
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT id, \(SQL.beginning(of: "title")) AS title, isFlagged, priority,
          remindersListID
        FROM reminders
        WHERE \(condition.sql) AND +id IN (SELECT value FROM json_each(?))
        ORDER BY \(order.sql(of: "reminders", common: condition.common))
        """, arguments: condition.arguments + [json])
    var selected = SelectedReminders()
    while let row = try rows.next() {
      try selected.add(
        row.read("id"), title: row.read("title"), isFlagged: row.read("isFlagged"),
        priority: Reminder.Priority(stored: row.read("priority")),
        listID: row.read("remindersListID"))
    }
    let tags = try Row.fetchAll(
      db,
      sql: """
        SELECT tags.title, count(DISTINCT reminderID) AS n
        FROM reminderTags JOIN tags ON tags.title = tagTitle
        WHERE reminderID IN (SELECT value FROM json_each(?)) GROUP BY tags.title
        """, arguments: [json])
    for row in tags { try selected.tagCounts[row.read("title")] = row.read("n") }
    return selected
  }
}

/// Finds the ids of all reminders of a list or a search, in its window and outside.
public struct IDsQuery: Query {
  /// What found them.
  public let source: RowSource

  /// The query for a list, or for hits.
  public init(_ source: RowSource) {
    self.source = source.whole
  }

  /// Finds it, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> Set<Reminder.ID> {
    let condition = try source.shown(db).condition
    return try String.fetchSet(
      db, sql: "SELECT id FROM reminders WHERE \(condition.sql)", arguments: condition.arguments)
  }
}

/// Several reminders, as far as a command on all of them needs to know them.
public struct SelectedReminders: Equatable, Sendable {
  /// Which they are, in the order in which they are shown.
  public private(set) var ids: [Reminder.ID] = []
  /// Their titles, in the same order.
  public private(set) var titles: [String] = []
  /// Whether each of them is flagged.
  public private(set) var areAllFlagged = true
  /// The priorities that occur among them; nil for none.
  public private(set) var priorities: Set<Reminder.Priority?> = []
  /// The lists that they are in.
  public private(set) var listIDs: Set<RemindersList.ID> = []
  /// How many of them carry a tag.
  public fileprivate(set) var tagCounts: [Tag.ID: Int] = [:]

  /// None.
  public init() {}

  /// A single one.
  public init(_ row: ReminderRow) {
    add(
      row.id, title: row.title, isFlagged: row.isFlagged, priority: row.priority,
      listID: row.list.id)
    tagCounts = Dictionary(row.tags.map { ($0, 1) }, uniquingKeysWith: { first, _ in first })
  }

  fileprivate mutating func add(
    _ id: Reminder.ID, title: String, isFlagged: Bool, priority: Reminder.Priority?,
    listID: RemindersList.ID
  ) {
    ids.append(id)
    titles.append(title)
    areAllFlagged = areAllFlagged && isFlagged
    priorities.insert(priority)
    listIDs.insert(listID)
  }
}
