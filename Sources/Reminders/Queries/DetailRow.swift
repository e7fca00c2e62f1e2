import GRDB
import SQLiteSync

/// One reminder in a list of them.
public struct DetailRow: Identifiable, Hashable, Sendable {
  /// The reminder's id.
  public var id: Reminder.ID
  /// Its title.
  public var title: String
  /// The beginning of its notes, in one line.
  public var notesPreview: String
  /// When it is due.
  public var due: DueDate?
  /// Marked by hand.
  public var isFlagged: Bool
  /// How much it matters.
  public var priority: Reminder.Priority?
  /// Whether it is done.
  public var status: Reminder.Status
  /// Its place in the manual order.
  public var position: Double
  /// A link that belongs to it.
  public var url: String?
  /// The list it is in.
  public var list: ListLabel
  /// Its tags by title.
  public var tags: [Tag.ID]
  /// Whether the cloud does not have its latest edit yet.
  public var isNotSent: Bool

  /// A row; tests make them by hand.
  public init(
    id: Reminder.ID, title: String, notesPreview: String = "", due: DueDate? = nil,
    isFlagged: Bool = false, priority: Reminder.Priority? = nil,
    status: Reminder.Status = .incomplete, position: Double = 0, url: String? = nil,
    list: ListLabel, tags: [Tag.ID] = [], isNotSent: Bool = false
  ) {
    self.id = id
    self.title = title
    self.notesPreview = notesPreview
    self.due = due
    self.isFlagged = isFlagged
    self.priority = priority
    self.status = status
    self.position = position
    self.url = url
    self.list = list
    self.tags = tags
    self.isNotSent = isNotSent
  }
}

/// What is shown of a list beside one of its reminders.
public struct ListLabel: Hashable, Sendable {
  /// The list's id.
  public var id: RemindersList.ID
  /// Its title.
  public var title: String
  /// `0xRRGGBB`.
  public var color: Int

  /// A label.
  public init(id: RemindersList.ID, title: String, color: Int) {
    self.id = id
    self.title = title
    self.color = color
  }
}

extension DetailRow {
  /// The rows of the reminders that meet a condition, in an order.
  static func fetch(
    _ db: Database, where condition: Condition, order: RowOrder, limit: Int?
  ) throws -> [DetailRow] {
    let rows = try Row.fetchAll(
      db,
      sql: SQL.remindersWithListAndTags(
        "id, title, substr(notes, 1, 200) AS notes, dueDate, isFlagged, priority, status, "
          + "position, url, remindersListID",
        where: condition, order: order, limit: limit), arguments: condition.arguments
    ).map(DetailRow.init(row:))
    guard case .due(let time) = order else { return rows }
    return rows.sorted { DueOrder($0.status, $0.due, $0.position, $0.id, in: time) }
  }

  private init(row: Row) {
    self.init(
      id: row["id"], title: row["title"],
      notesPreview: (row["notes"] as String).oneLine, due: DueDate(stored: row["dueDate"]),
      isFlagged: row["isFlagged"], priority: Reminder.Priority(stored: row["priority"]),
      status: Reminder.Status(stored: row["status"]), position: row["position"] ?? 0,
      url: row["url"],
      list: ListLabel(
        id: row["remindersListID"], title: row["listTitle"], color: row["listColor"]),
      tags: SQL.tags(in: row), isNotSent: row["isNotSent"])
  }
}

extension SQL {
  /// Stands between tags in one column; a control character, which no tag contains.
  private static let tagSeparator: Character = "\u{1F}"

  /// Finds reminders by a condition and joins each with its list and its tags.
  ///
  /// The inner query finds the rows, by an index; only those it found are joined.
  static func remindersWithListAndTags(
    _ columns: String, where condition: Condition, order: RowOrder, limit: Int?
  ) -> String {
    """
    SELECT found.*, remindersLists.title AS listTitle, remindersLists.color AS listColor,
      remindersLists.position AS listPosition, (
        SELECT group_concat(title, '\(tagSeparator)') FROM (
          SELECT DISTINCT tags.title FROM reminderTags JOIN tags ON tags.title = tagTitle
          WHERE reminderID = found.id ORDER BY tags.title
        )
      ) AS tags, \(isNotSent) AS isNotSent
    FROM (
      SELECT \(columns) FROM reminders WHERE \(condition.sql)
      ORDER BY \(order.sql(of: "reminders", common: condition.common)) LIMIT \(limit ?? -1)
    ) AS found
    JOIN remindersLists ON remindersLists.id = found.remindersListID
    ORDER BY \(order.sql(of: "found", common: condition.common))
    """
  }

  private static let isNotSent = SyncEngine.hasPendingChange(
    table: Reminder.databaseTableName, key: "found.id")

  /// The tags in a row of such a query.
  static func tags(in row: Row) -> [Tag.ID] {
    (row["tags"] as String?)?.split(separator: tagSeparator).map(String.init) ?? []
  }
}

extension String {
  /// The text with every run of white space, line ends too, made one space.
  var oneLine: String {
    split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
