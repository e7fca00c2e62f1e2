import Foundation
import GRDB

/// What reminders name: the lists that they are in, and the reminders that they are parts of.
///
/// Each is read once, however many reminders name it: a title of a megabyte may come from another
/// person, and to join it to each row takes as long as to read it for each.
struct NamedRows {
  private struct Parent {
    let title: String
    let listID: RemindersList.ID
  }

  private let lists: [RemindersList.ID: RemindersList]
  private let parents: [Reminder.ID: Parent]

  /// Looks up what some rows name.
  init(
    by rows: [ReminderRow], _ request: RowRequest, _ schema: SchemaVersion, _ db: Database
  ) throws {
    // Also where there is no row: what is watched is what is read the first time.
    lists = try Self.lists(Set(rows.map(\.list.id)), title: request.listTitle, schema, db)
    parents = try Self.parents(Set(rows.compactMap(\.parentID)), db)
  }

  /// Lists by their ids.
  ///
  /// - Parameter title: An SQL expression for as much as is wanted of the title of `list`.
  static func lists(
    _ ids: Set<RemindersList.ID>, title: String, _ schema: SchemaVersion, _ db: Database
  ) throws -> [RemindersList.ID: RemindersList] {
    let lists = try RemindersList.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT id, \(title) AS title, color, position FROM \(SQL.lists(in: schema)) AS list
          WHERE id IN (SELECT value FROM json_each(?))
          """), arguments: [try json(ids)])
    return Dictionary(lists.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private static func parents(
    _ ids: Set<Reminder.ID>, _ db: Database
  ) throws -> [Reminder.ID: Parent] {
    guard !ids.isEmpty else { return [:] }
    let rows = try Row.fetchCursor(
      db.cachedStatement(
        sql: """
          SELECT id, \(SQL.beginning(of: "title")), remindersListID FROM reminders
          WHERE id IN (SELECT value FROM json_each(?)) AND +parentID IS NULL
          """), arguments: [try json(ids)])
    var parents: [Reminder.ID: Parent] = [:]
    while let row = try rows.next() {
      try parents[row.read(0)] = Parent(title: row.read(1), listID: row.read(2))
    }
    return parents
  }

  private static func json(_ ids: Set<String>) throws -> String {
    String(decoding: try JSONEncoder().encode(ids.sorted()), as: UTF8.self)
  }

  /// The rows with what they name, without those whose list is gone: they go with the next
  /// transaction.
  func complete(_ rows: [ReminderRow]) -> [ReminderRow] {
    rows.compactMap { row in
      guard let list = lists[row.list.id] else { return nil }
      var row = row
      row.list = list
      if let parent = row.parentID.flatMap({ parents[$0] }), parent.listID == list.id {
        row.parentTitle = parent.title
      }
      return row
    }
  }
}
