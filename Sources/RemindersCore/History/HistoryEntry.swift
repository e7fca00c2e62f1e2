import Foundation
import GRDB
import SQLiteSync

/// Something that can be brought back: a value that another edit overwrote, or a list, a reminder
/// or a tag that was deleted.
public struct HistoryEntry: Identifiable, Hashable, Sendable {
  /// What it is about.
  public struct Subject: Hashable, Sendable {
    /// The kinds of things that people know.
    public enum Kind: String, Hashable, Sendable {
      case list, reminder, tag
    }

    /// What kind of thing.
    public let kind: Kind
    /// Its primary key.
    public let key: String
    /// What it is called now, or was when it was deleted.
    public let title: String
  }

  /// What was overwritten or deleted.
  public enum Content: Hashable, Sendable {
    /// A value of a column, and what took its place then.
    case value(column: String, lost: StoredValue, kept: StoredValue)
    /// The thing itself was deleted.
    case deletion
    /// The completed occurrence of what comes again went, because it is open again.
    case completionUndone
    /// A tag was taken off a reminder.
    case tag(Tag.ID)
  }

  /// The number by which it is restored.
  public let id: Int64
  /// What it is about.
  public let subject: Subject
  /// What was overwritten or deleted.
  public let content: Content
  /// Who made what was overwritten, if that is known.
  public let loser: EditStamp?
  /// Who overwrote or deleted it.
  public let winner: EditStamp
  /// Whether both were edited without knowledge of each other.
  public let isConflict: Bool

  /// The column whose value was overwritten; nil for a deletion.
  public var column: String? {
    if case .value(let column, _, _) = content { column } else { nil }
  }
}

/// Who edited something, and when.
public struct EditStamp: Hashable, Sendable {
  /// When, by the clock of the device.
  public let moment: Date
  /// Whether it was on this device.
  public let isHere: Bool
  /// Whether a row went because it is not shared any more, or was moved out of sight.
  public let isOutOfReach: Bool
  /// The device's id, if it is known.
  public let device: UUID?
  /// What people call the device, if it has told.
  public let deviceName: String?
  /// Whose edit it was, if that is known.
  public let account: String?

  /// What won over what an entry is about.
  init(winnerOf entry: SyncHistory.Entry) {
    self.init(entry.winner, isOutOfReach: entry.isOutOfReach)
  }

  init(_ edit: SyncEdit, isOutOfReach: Bool = false) {
    moment = Date(milliseconds: edit.milliseconds)
    self.isOutOfReach = isOutOfReach
    // Nobody knows who took it away: what this device did is to notice.
    isHere = edit.isHere && !isOutOfReach
    device = isOutOfReach ? nil : edit.device
    deviceName = isOutOfReach ? nil : edit.deviceName
    account = isOutOfReach ? nil : edit.account
  }

  /// `here`, or `ann, laptop`; where the device has told no name, `ann, device 9f1c`.
  public var who: String {
    if isOutOfReach { return "moved away or unshared" }
    if isHere { return "here" }
    let parts = [account, deviceName ?? device?.deviceLabel].compactMap { $0 }
    return parts.isEmpty ? "elsewhere" : parts.joined(separator: ", ")
  }
}

extension HistoryEntry {
  /// An entry about something that people know; nil for one they do not, such as a manual order.
  ///
  /// - Parameter undone: The completed occurrences that are open again.
  init?(_ entry: SyncHistory.Entry, titles: Titles, undone: Set<Reminder.ID> = []) {
    let content: Content
    let owner: RowID
    switch (AppTable(named: entry.table), entry.loss) {
    case (.reminderTags, .row(let row)):
      guard let reminder = row.text("reminderID"),
        let tag = row.text("tagTitle")
      else { return nil }
      (owner, content) = (RowID(.reminders, reminder), .tag(tag))
    case (.reminders, .row(let row))
    where undone.contains(entry.key)
      || undone.contains(row.text("parentID") ?? ""):
      (owner, content) = (RowID(.reminders, entry.key), .completionUndone)
    case (let table?, .row) where Subject.Kind(table) != nil:
      (owner, content) = (RowID(table, entry.key), .deletion)
    // A cover that was cleared; those of deleted lists go and come with them.
    case (.remindersListAssets, .row(let row)) where titles.isPresent(list: entry.key):
      let cover = row["coverImage"] ?? .null
      guard !cover.isNull else { return nil }
      owner = RowID(.remindersLists, entry.key)
      content = .value(column: "coverImage", lost: StoredValue(cover), kept: StoredValue(.null))
    case (.remindersListAssets, .value(let column, let lost, let kept)):
      owner = RowID(.remindersLists, entry.key)
      content = .value(column: column, lost: StoredValue(lost), kept: StoredValue(kept))
    case (let table?, .value(let column, let lost, let kept))
    where FieldName.isShown(column) && !entry.isEveryday(column):
      owner = RowID(table, entry.key)
      content = .value(column: column, lost: StoredValue(lost), kept: StoredValue(kept))
    default: return nil
    }
    guard let kind = Subject.Kind(owner.table) else { return nil }
    self.init(
      id: entry.id,
      subject: Subject(kind: kind, key: owner.key, title: entry.title ?? titles[owner]),
      content: content,
      loser: entry.loser.map { EditStamp($0) },
      winner: EditStamp(winnerOf: entry),
      isConflict: entry.isConflict)
  }
}

extension HistoryEntry.Subject.Kind {
  /// The kind of thing that a row is; nil for what only belongs to another.
  init?(_ table: AppTable) {
    switch table {
    case .remindersLists: self = .list
    case .reminders: self = .reminder
    case .tags: self = .tag
    case .remindersListAssets, .reminderTags, .reminderAlarms, .reminderNotices, .savedSearches,
      .listViews:
      return nil
    }
  }

  var table: AppTable {
    switch self {
    case .list: .remindersLists
    case .reminder: .reminders
    case .tag: .tags
    }
  }
}

/// What rows are called, those that were deleted too.
struct Titles {
  private var titles: [RowID: String] = [:]
  private var presentLists: Set<RemindersList.ID> = []

  /// Finds the titles of what these entries, and these rows, are about.
  ///
  /// Runs the same statements whatever there is, for observation.
  init(_ db: Database, of entries: [SyncHistory.Entry], and rows: [RowID] = []) throws {
    for table in [AppTable.remindersLists, .reminders, .savedSearches]
    where try db.tableExists(table.name) {
      for deleted in try SyncHistory.deletedRows(db, of: table.name, limit: Self.deletedLimit) {
        titles[RowID(table, deleted.key)] = deleted.title
      }
      let present = try Row.fetchAll(
        db,
        sql: """
          SELECT id, \(SQL.beginning(of: "title")) AS title FROM \(table.name)
          WHERE id IN (SELECT value FROM json_each(?))
          """, arguments: [try Self.keys(of: table, in: entries, and: rows)])
      for row in present { try titles[RowID(table, row.read("id"))] = row.read("title") }
      if table == .remindersLists {
        presentLists = try Set(present.map { try $0.read("id") })
      }
    }
    for table in AppTable.partsOfReminders where try db.tableExists(table.name) {
      try addTitles(of: table, db, among: rows)
    }
  }

  /// What belongs to a reminder, such as the join of a tag with it, is called as the reminder is.
  private mutating func addTitles(
    of table: AppTable, _ db: Database, among rows: [RowID]
  ) throws {
    for deleted in try SyncHistory.deletedRows(db, of: table.name, limit: Self.deletedLimit) {
      guard let reminder = deleted.text(of: "reminderID") else { continue }
      titles[RowID(table, deleted.key)] = titles[RowID(.reminders, reminder)]
    }
    let present = try Row.fetchAll(
      db,
      sql: """
        SELECT part.id, \(SQL.beginning(of: "reminders.title")) AS title
        FROM \(table.name) AS part
        JOIN reminders ON reminders.id = reminderID
        WHERE part.id IN (SELECT value FROM json_each(?))
        """, arguments: [try Self.keys(of: table, in: [], and: rows)])
    for row in present { try titles[RowID(table, row.read("id"))] = row.read("title") }
  }

  /// Whether a list that an entry is about is there.
  func isPresent(list: RemindersList.ID) -> Bool { presentLists.contains(list) }

  /// What a row is called; the beginning of its key where nothing more is known.
  subscript(row: RowID) -> String { known(row) ?? String(row.key.prefix(8)) }

  /// What a row is called, for tags their key; nil where nothing is known of it.
  func known(_ row: RowID) -> String? {
    switch row.table {
    case .tags: row.key
    case .remindersListAssets, .listViews: known(RowID(.remindersLists, row.key))
    case .remindersLists, .reminders, .reminderTags, .reminderAlarms, .reminderNotices,
      .savedSearches:
      titles[row]
    }
  }

  /// The titles of all lists among them, by id.
  var lists: [RemindersList.ID: String] {
    Dictionary(
      uniqueKeysWithValues: titles.filter { $0.key.table == .remindersLists }
        .map { ($0.key.key, $0.value) })
  }

  /// Enough for what anybody scrolls through.
  private static let deletedLimit = 500

  private static func keys(
    of table: AppTable, in entries: [SyncHistory.Entry], and rows: [RowID]
  ) throws -> String {
    // A cover is called as its list is, also where only a later schema has the table of covers.
    let tables = table == .remindersLists ? [table, .remindersListAssets, .listViews] : [table]
    var keys = Set(rows.filter { tables.contains($0.table) }.map(\.key))
    for entry in entries {
      switch (table, AppTable(named: entry.table), entry.loss) {
      case (.remindersLists, .remindersLists, _), (.remindersLists, .remindersListAssets, _),
        (.reminders, .reminders, _):
        keys.insert(entry.key)
      case (.reminders, .reminderTags, .row(let row)):
        if let key = row.text("reminderID") { keys.insert(key) }
      default: break
      }
      guard table == .remindersLists else { continue }
      keys.formUnion(entry.listIDs)
    }
    return String(decoding: try JSONEncoder().encode(keys.sorted()), as: UTF8.self)
  }
}

extension SyncHistory.Entry {
  /// Whether somebody here has completed or flagged something: done and taken back every day, and
  /// nothing of it is lost.
  func isEveryday(_ column: String) -> Bool {
    winner.isHere && !isConflict && ["status", "isFlagged"].contains(column)
  }

  /// What the deleted row was called.
  var title: String? {
    guard case .row(let row) = loss else { return nil }
    return row.text("title")
  }

  /// The value of a column of a deleted row.
  func text(of column: String) -> String? {
    guard case .row(let row) = loss else { return nil }
    return row.text(column)
  }

  /// The lists that it names.
  fileprivate var listIDs: [RemindersList.ID] {
    let column = "remindersListID"
    switch loss {
    case .value(column, let lost, let kept):
      return [lost, kept].compactMap(String.fromDatabaseValue)
    case .value: return []
    case .row: return text(of: column).map { [$0] } ?? []
    }
  }
}

extension AppTable {
  /// The table with a name; nil for one that a newer version may have.
  init?(named name: String) {
    guard let table = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = table
  }
}
