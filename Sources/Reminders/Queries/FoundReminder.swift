import Foundation
import GRDB
import SQLiteSync

/// A reminder that a query found, with its list, its tags, whether the cloud has it as it is, and
/// who changed it.
struct FoundReminder {
  let reminder: Reminder
  let list: RemindersList
  let tags: [Tag.ID]
  let isNotSent: Bool
  /// Who else edited it last, where the list is shared.
  let editor: String?
}

extension FoundReminder {
  /// The reminders that are asked for, those in a window or all, in the order of the index.
  static func fetch(
    _ db: Database, _ request: RowRequest, _ window: RowWindow? = nil
  ) throws -> [FoundReminder] {
    var found: [FoundReminder] = []
    let url = try db.schemaVersion.has(.links) ? "url" : "NULL AS url"
    let rows = try Row.fetchCursor(
      db.cachedStatement(sql: sql(request, url: url)), arguments: request.arguments(window))
    while let row = try rows.next() {
      var columns = ColumnReader(row)
      found.append(FoundReminder(&columns))
    }
    return found
  }

  // The inner query finds the rows, by an index; only those it found are joined. The columns are
  // read below in the order in which they stand here: by name they take three times as long.
  private static func sql(_ request: RowRequest, url: String) -> String {
    let columns = """
      id, title, \(request.notes), dueDate, isFlagged, priority, status, position, \(url),
        remindersListID, createdAt, updatedAt
      """
    return """
      SELECT found.*, list.id, list.title, list.color, list.position, (
          SELECT group_concat(title, '\(tagSeparator)') FROM (
            SELECT DISTINCT tags.title FROM reminderTags JOIN tags ON tags.title = tagTitle
            WHERE reminderID = found.id ORDER BY tags.title
          )
        ), \(isNotSent), \(editor)
      FROM (\(request.sql(selecting: columns))) AS found
      JOIN remindersLists AS list ON list.id = found.remindersListID
      ORDER BY \(request.order.sql(of: "found", common: request.condition.common))
      """
  }

  private init(_ columns: inout ColumnReader) {
    reminder = Reminder(
      id: columns.next(), title: columns.next(), notes: columns.next(),
      due: DueDate(stored: columns.nextIfAny()), isFlagged: columns.next(),
      priority: Reminder.Priority(stored: columns.nextIfAny()),
      status: Reminder.Status(stored: columns.next()), position: columns.nextIfAny() ?? 0,
      url: columns.nextIfAny(), remindersListID: columns.next(),
      createdAt: Date(milliseconds: columns.next()),
      updatedAt: (columns.nextIfAny() as Int64?).map(Date.init(milliseconds:)))
    list = RemindersList(
      id: columns.next(), title: columns.next(), color: columns.next(),
      position: columns.nextIfAny() ?? 0)
    let titles: String? = columns.nextIfAny()
    tags = titles?.split(separator: Self.tagSeparator).map(String.init) ?? []
    isNotSent = columns.next()
    editor = (columns.nextIfAny() as String?).map(SyncAccount.name(of:))
  }

  /// Stands between tags in one column; a control character, which no tag contains.
  private static let tagSeparator: Character = "\u{1F}"

  private static let isNotSent = SyncEngine.hasPendingChange(
    table: Reminder.databaseTableName, key: "found.id")
  private static let editor = SyncEngine.latestEditor(
    table: Reminder.databaseTableName, key: "found.id")
}

/// Reads the columns of a row one after the other.
private struct ColumnReader {
  private let row: Row
  private var index = 0

  init(_ row: Row) { self.row = row }

  mutating func next<Value: DatabaseValueConvertible & StatementColumnConvertible>() -> Value {
    defer { index += 1 }
    return row[index]
  }

  mutating func nextIfAny<Value: DatabaseValueConvertible & StatementColumnConvertible>() -> Value?
  {
    defer { index += 1 }
    return row[index]
  }
}
