import GRDB
import SQLiteSync

/// Finds what lost, of everything or of one reminder, the newest first.
public struct HistoryQuery: Query {
  /// Only of this reminder.
  public var reminderID: Reminder.ID?
  /// At most so many entries.
  public var limit: Int
  /// Whether all of the notes is read, and not only as much as a screen shows.
  public var readsWholeNotes = true

  /// A query for everything, or for one reminder, whether or not it exists.
  public init(of reminderID: Reminder.ID? = nil, limit: Int = 500) {
    self.reminderID = reminderID
    self.limit = limit
  }

  /// What was found.
  public struct Value: Hashable, Sendable {
    /// The reminder as it is; nil when there is none, or it is not for one.
    public var reminder: ReminderRow?
    /// The latest edit of each column of the reminder, the newest first.
    public var fields: [FieldEdit] = []
    /// What lost, the newest first.
    public var entries: [HistoryEntry] = []
    /// The titles of the lists that the values name, by id.
    public var lists: [RemindersList.ID: String] = [:]

    /// Nothing.
    public init() {}
  }

  /// Finds it, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> Value {
    let losses = try losses(db)
    let titles = try Titles(db, of: losses)
    var value = Value()
    let undone = try DeletedQuery.completionsTakenBack(db)
    value.entries = losses.compactMap { HistoryEntry($0, titles: titles, undone: undone) }
    value.lists = titles.lists
    guard let reminderID else { return value }
    let shown = readsWholeNotes ? nil : ReminderRow.shownNotes
    value.reminder = try ReminderQuery(reminderID).fetch(db, notes: shown)
    value.fields = try FieldEdit.all(
      of: reminderID, db, notes: shown.map { "substr(notes, 1, \($0))" } ?? "notes")
    value.lists.merge(
      try ListsQuery().fetch(db).map { ($0.id, $0.title) }, uniquingKeysWith: { $1 })
    return value
  }

  /// An entry as people see it; nil for one that no history shows, such as a tag that went with its
  /// reminder.
  static func shown(_ entry: SyncHistory.Entry, _ db: Database) throws -> HistoryEntry? {
    let deletions = try entry.text(of: "reminderID").map {
      try SyncHistory.entries(db, of: Reminder.databaseTableName, key: $0)
    }
    guard withoutTagsOfDeleted([entry] + (deletions ?? [])).first?.id == entry.id else {
      return nil
    }
    return HistoryEntry(entry, titles: try Titles(db, of: [entry]))
  }

  private func losses(_ db: Database) throws -> [SyncHistory.Entry] {
    guard let reminderID else {
      return Self.withoutTagsOfDeleted(try SyncHistory.entries(db, limit: limit))
    }
    let own = try SyncHistory.entries(
      db, of: Reminder.databaseTableName, key: reminderID, limit: limit)
    let tags = try SyncHistory.deletedRows(
      db, of: ReminderTag.databaseTableName, where: ("reminderID", reminderID), limit: limit)
    return Self.withoutTagsOfDeleted((own + tags).sorted { $0.id > $1.id })
  }

  /// Without the tags that went with their reminder, and come back with it.
  private static func withoutTagsOfDeleted(
    _ entries: [SyncHistory.Entry]
  ) -> [SyncHistory.Entry] {
    let deletions = Dictionary(
      grouping: entries.filter { $0.isRow && $0.table == Reminder.databaseTableName }, by: \.key)
    return entries.filter { entry in
      guard let reminder = entry.text(of: "reminderID") else { return true }
      return deletions[reminder]?.contains { $0.winner == entry.winner } != true
    }
  }
}

/// Who set a column of a reminder last, and to what.
public struct FieldEdit: Hashable, Sendable {
  /// The column.
  public let column: String
  /// Its value.
  public let value: StoredValue
  /// Who set it.
  public let edit: EditStamp
}

extension FieldEdit {
  /// The edits of a reminder that is there, none of one that is not.
  ///
  /// - Parameter notes: An SQL expression for how much of the notes is wanted.
  static func all(
    of id: Reminder.ID, _ db: Database, notes: String = "notes"
  ) throws -> [FieldEdit] {
    let edits = try SyncRowEdits(db, of: Reminder.databaseTableName, key: id).fields
    let columns = try db.columns(in: Reminder.databaseTableName).map(\.name).map {
      $0 == "notes" ? "\(notes) AS notes" : $0
    }
    guard
      let row = try Row.fetchOne(
        db, sql: "SELECT \(columns.joined(separator: ", ")) FROM reminders WHERE id = ?",
        arguments: [id])
    else { return [] }
    return
      edits
      .filter { FieldName.isShown($0.key) && row.hasColumn($0.key) }
      .map { column, edit in
        FieldEdit(
          column: column, value: StoredValue(row[column] as DatabaseValue), edit: EditStamp(edit))
      }
      .sorted { ($1.edit.moment, $0.column) < ($0.edit.moment, $1.column) }
  }
}

extension SyncHistory.Entry {
  fileprivate var isRow: Bool {
    if case .row = loss { true } else { false }
  }
}
