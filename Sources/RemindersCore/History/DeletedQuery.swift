import GRDB
import SQLiteSync

/// Finds the lists, reminders and tags that were deleted, here or elsewhere, the latest first.
public struct DeletedQuery: Query {
  /// At most so many of each kind.
  public var limit: Int

  /// A query for what was deleted within the last 30 days.
  public init(limit: Int = 500) {
    self.limit = limit
  }

  /// Finds it, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> [DeletedItem] {
    let lists = try SyncHistory.deletedRows(db, of: RemindersList.databaseTableName, limit: limit)
    let open = try Self.completionsTakenBack(db)
    let reminders = try SyncHistory.deletedRows(db, of: Reminder.databaseTableName, limit: limit)
      .filter { !open.contains($0.key) && !open.contains($0.text(of: "parentID") ?? "") }
    let tags = try SyncHistory.deletedRows(db, of: Tag.databaseTableName, limit: limit)
    let titles = try Titles(db, of: lists + reminders)
    func item(_ entry: SyncHistory.Entry, _ kind: HistoryEntry.Subject.Kind) -> DeletedItem {
      let list = entry.text(of: "remindersListID").map { RowID(.remindersLists, $0) }
      return DeletedItem(
        id: entry.id,
        subject: HistoryEntry.Subject(
          kind: kind, key: entry.key, title: entry.title ?? entry.key),
        listTitle: list.map { titles[$0] }, deletion: EditStamp(winnerOf: entry),
        withList: lists.first { $0.key == list?.key && $0.winner == entry.winner }?.id)
    }
    let items =
      lists.map { item($0, .list) } + reminders.map { item($0, .reminder) }
      + tags.map { item($0, .tag) }
    return items.sorted { ($0.deletion.moment, $0.id) > ($1.deletion.moment, $1.id) }
  }

  /// What would stay of the occurrences that are open, if they were completed.
  ///
  /// Where one was deleted, a completion was taken back. Nobody misses that, and restored it would
  /// complete the occurrence again.
  static func completionsTakenBack(_ db: Database) throws -> Set<Reminder.ID> {
    guard try db.schemaVersion.fields.contains(.recurrence) else { return [] }
    let series = try Row.fetchCursor(
      db.cachedStatement(
        sql: "SELECT id, occurrence FROM reminders WHERE \(SQL.isOpenSeries)"))
    var completed: Set<Reminder.ID> = []
    while let row = try series.next() {
      try completed.insert(Occurrence.completedID(stored: row.read(1), series: row.read(0)))
    }
    return completed
  }
}

/// A list, a reminder or a tag that was deleted.
public struct DeletedItem: Identifiable, Hashable, Sendable {
  /// The number by which it is restored.
  public let id: HistoryEntry.ID
  /// What was deleted.
  public let subject: HistoryEntry.Subject
  /// The list that a reminder was in.
  public let listTitle: String?
  /// Who deleted it, and when.
  public let deletion: EditStamp
  /// The list that it was deleted with, and comes back with.
  public let withList: HistoryEntry.ID?
}

extension AppDatabase {
  /// The reminder, there or deleted, whose id begins with what was typed.
  ///
  /// - Throws: `AppError` when there is none, or more than one.
  public func reminderID(everMatching prefix: String) throws -> Reminder.ID {
    do {
      return try reminderID(matching: prefix)
    } catch {
      let deleted = try fetch(DeletedQuery(limit: .max)).filter {
        $0.subject.kind == .reminder && $0.subject.key.hasPrefix(prefix.lowercased())
      }
      // What is wrong with it among those that are there says more than that nothing was deleted.
      guard deleted.count == 1, prefix.count >= 4 else { throw error }
      return deleted[0].subject.key
    }
  }

  /// What was deleted and has an id that begins with what was typed, four characters at least; or
  /// is the tag of that name.
  ///
  /// - Throws: `AppError` when there is none, or more than one.
  public func deletedItem(matching typed: String) throws -> DeletedItem {
    let prefix = typed.lowercased()
    let deleted = try fetch(DeletedQuery(limit: .max))
    let tag = deleted.filter { $0.subject.kind == .tag && "#" + $0.subject.key == prefix }
    let exact = deleted.filter { $0.subject.kind != .tag && $0.subject.key == prefix }
    let alike = deleted.filter {
      prefix.count >= 4 && $0.subject.kind != .tag && $0.subject.key.hasPrefix(prefix)
    }
    guard let found = [tag, exact, alike].first(where: { !$0.isEmpty }) else {
      throw AppError(
        .noSuchItem, "Nothing that was deleted has the id “\(typed)”.",
        hint: "`reminders history` shows what can be restored.")
    }
    guard found.count == 1 else {
      throw AppError(
        .noSuchItem, "“\(typed)” is the beginning of several ids.",
        hint: "Give more characters of it.")
    }
    return found[0]
  }
}
