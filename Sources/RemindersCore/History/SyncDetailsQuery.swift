import Foundation
import GRDB
import SQLiteSync

/// Finds what the sync screen lists: pending changes, and the conflicts that were resolved here.
public struct SyncDetailsQuery: Query {
  /// At most so many of each kind.
  public var limit: Int

  /// The query.
  public init(limit: Int = 200) {
    self.limit = limit
  }

  /// What was found.
  public struct Value: Hashable, Sendable {
    /// What the cloud does not have yet, refused changes first.
    public var pending: [PendingItem] = []
    /// What was fetched and has no row yet.
    public var waiting: [WaitingItem] = []
    /// The values that lost where this device met edits of one field by two devices, the newest
    /// first.
    public var conflicts: [HistoryEntry] = []
    /// What has become of those whose kept value is not there any more.
    public var outcomes: [HistoryEntry.ID: ConflictOutcome] = [:]
    /// The titles of the lists that the values name, by id.
    public var lists: [RemindersList.ID: String] = [:]

    /// Nothing.
    public init() {}
  }

  /// Finds it, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> Value {
    let pending = try SyncPendingChange.all(db, limit: limit)
    let waiting = try SyncWaitingRecord.all(db, limit: limit)
    let conflicts = try SyncHistory.entries(db, onlyConflicts: true, limit: limit)
    let rows =
      pending.compactMap { change in AppTable(named: change.table).map { RowID($0, change.key) } }
      + waiting.flatMap(\.rows)
    let titles = try Titles(db, of: conflicts, and: rows)
    var value = Value()
    value.pending = pending.map { PendingItem($0, title: titles.title(of: $0.table, $0.key)) }
    value.waiting = waiting.map { WaitingItem($0, titles: titles) }
    value.conflicts = conflicts.compactMap { HistoryEntry($0, titles: titles) }
    value.outcomes = try ConflictOutcome.all(of: conflicts, db)
    value.lists = titles.lists
    return value
  }
}
