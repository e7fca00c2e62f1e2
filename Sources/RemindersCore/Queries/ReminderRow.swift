import Foundation
import GRDB
import SQLiteSync

/// A reminder that a query found, with its list, whether the cloud has it as it is, and who changed
/// it.
@dynamicMemberLookup
public struct ReminderRow: Identifiable, Hashable, Sendable {
  /// The reminder; its members are those of the details.
  public var reminder: Reminder
  /// The list it is in.
  public var list: RemindersList
  /// Whether the cloud does not have its latest edit yet.
  public var isNotSent: Bool
  /// Who else changed it last, where the list is shared; nil when that was this account.
  public var editor: String?
  /// The title of the reminder that it is a part of; nil for an ordinary one, such as one whose
  /// parent is gone or in another list.
  public var parentTitle: String?
  /// The reminders that are parts of it; nil when there are none.
  public var subtasks: Subtasks?
  /// Until when it is or was snoozed, as long as it is due then.
  public var snoozedUntil: Date?
  /// Whether it stands below its parent.
  public var isUnderParent = false

  /// The reminder's id.
  public var id: Reminder.ID { reminder.id }

  /// A reminder with what belongs to it; tests make them by hand.
  public init(
    reminder: Reminder, list: RemindersList, isNotSent: Bool = false, editor: String? = nil
  ) {
    self.reminder = reminder
    self.list = list
    self.isNotSent = isNotSent
    self.editor = editor
  }

  /// What the reminder is.
  @inlinable
  public subscript<Value>(dynamicMember path: WritableKeyPath<Reminder, Value>) -> Value {
    get { reminder[keyPath: path] }
    set { reminder[keyPath: path] = newValue }
  }

  /// What people say of it: at once, as a path through the other subscript would be made anew each
  /// time that a row is drawn.
  @inlinable
  public subscript<Value>(dynamicMember path: WritableKeyPath<ReminderDraft, Value>) -> Value {
    get { reminder.draft[keyPath: path] }
    set { reminder.draft[keyPath: path] = newValue }
  }

  /// The beginning of its notes, in one line.
  public var notesPreview: String { reminder.notes.oneLine }
}

extension ReminderRow {
  /// As much of the notes as a row shows.
  static let shownNotes = 200

  /// The reminders that are asked for, those in a window or all, in the order of the index.
  static func fetch(
    _ db: Database, _ request: RowRequest, _ window: RowWindow? = nil
  ) throws -> [ReminderRow] {
    var found: [ReminderRow] = []
    let schema = try db.schemaVersion
    let rows = try Row.fetchCursor(
      db.cachedStatement(sql: sql(request, schema)), arguments: request.arguments(window))
    let (columns, fields) = (schema.ownColumns, schema.columnFields.map(\.kind))
    while let row = try rows.next() {
      try found.append(ReminderRow(row, columns, fields))
    }
    return try NamedRows(by: found, request, schema, db).complete(found)
  }

  // The first query finds the rows, by an index; only those it found are looked up among the unsent
  // edits. The columns are read below in the order in which they stand here: by name they take
  // three times as long.
  private static func sql(_ request: RowRequest, _ schema: SchemaVersion) -> String {
    let fields = schema.columnFields.map(request.sql(of:))
    let columns = schema.ownColumns + fields
    return """
      WITH found AS (\(request.sql(selecting: columns.joined(separator: ", "))))
      SELECT found.*, \(tagsSQL(of: "found.id")), \(isNotSent), \(editor),
        \(Subtasks.counts(of: "found", in: schema)),
        \(Alarm.columnSQL(of: "found.id", in: schema)),
        \(Snooze.columnSQL(of: "found.id", in: schema))
      FROM found ORDER BY \(request.order.sql(of: "found", common: request.condition.common))
      """
  }

  private init(_ row: Row, _ columns: [String], _ fields: [ReminderField.Kind]) throws {
    var draft = try ReminderDraft(row, fields, after: columns)
    let next = columns.count + fields.count
    // What else it says is looked up for all rows of a list at once.
    list = RemindersList(id: draft.listID ?? "", title: "", position: 0)
    draft.tags = try Self.tags(row.read(next))
    isNotSent = try row.read(next + 1)
    editor = try (row.read(next + 2) as String?).map(SyncAccount.name(of:))
    subtasks = try Subtasks(total: row.read(next + 3), done: row.read(next + 4))
    draft.alarms = try Alarm.list(row.read(next + 5))
    reminder = try Reminder(row, columns, draft)
    snoozedUntil = try Snooze.moment(row.read(next + 6), of: reminder)
  }

  /// An SQL expression for all tags of a reminder, some of them perhaps twice: a table to find that
  /// out would be made for each reminder.
  static func tagsSQL(of id: String) -> String {
    """
    (
      SELECT group_concat(tags.title, '\(tagSeparator)')
      FROM reminderTags JOIN tags ON tags.title = tagTitle WHERE reminderID = \(id)
    )
    """
  }

  static func tags(_ titles: String?) -> [Tag.ID] {
    guard let titles, !titles.isEmpty else { return [] }
    // Most have one tag.
    guard titles.utf8.contains(where: { $0 == tagSeparator.asciiValue }) else { return [titles] }
    let tags = titles.split(separator: tagSeparator).map(String.init)
    return tags.count > 1 ? Set(tags).inAlphabeticalOrder : tags
  }

  /// Stands between tags in one column; a control character, which no tag contains.
  private static let tagSeparator: Character = "\u{1F}"

  private static let isNotSent = SyncEngine.hasPendingChange(
    table: Reminder.databaseTableName, key: "found.id", among: "SELECT id FROM found")
  private static let editor = SyncEngine.latestEditor(
    table: Reminder.databaseTableName, key: "found.id")
}

extension ReminderDraft {
  /// Reads the fields from their places after the reminder's own columns; all but the tags.
  ///
  /// Of each only the kind: to have all of it at hand takes longer than to read it.
  init(_ row: Row, _ fields: [ReminderField.Kind], after columns: [String]) throws {
    self.init()
    for (index, field) in fields.enumerated() {
      try field.read(row, at: columns.count + index, into: &self)
    }
  }
}

extension Reminder {
  /// Reads its own columns.
  init(_ row: Row, _ columns: [String], _ draft: ReminderDraft) throws {
    let status = try Status(stored: row.read(1))
    // An earlier schema reopens a reminder without knowing of the time.
    let isTimed = status == .completed && columns.count > 5
    try self.init(
      id: row.read(0), draft, status: status, position: row.read(2) ?? 0,
      createdAt: Date(milliseconds: row.read(3)),
      updatedAt: (row.read(4) as Int64?).map(Date.init(milliseconds:)),
      completedAt: isTimed ? (row.read(5) as Int64?).map(Date.init(milliseconds:)) : nil)
  }
}

extension String {
  /// The text with every run of white space, line ends too, made one space.
  package var oneLine: String {
    split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
