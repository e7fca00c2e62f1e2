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
    let rows = pending.map { ($0.table, $0.key) } + waiting.map { ($0.table, $0.key) }
    let titles = try Titles(
      db, of: conflicts,
      and: rows.compactMap { table, key in AppTable(named: table).map { RowID($0, key) } })
    func title(_ table: String, _ key: String) -> String {
      AppTable(named: table).map { titles[RowID($0, key)] } ?? String(key.prefix(8))
    }
    var value = Value()
    value.pending = pending.map { PendingItem($0, title: title($0.table, $0.key)) }
    value.waiting = waiting.map { WaitingItem($0, title: title($0.table, $0.key)) }
    value.conflicts = conflicts.compactMap { HistoryEntry($0, titles: titles) }
    value.outcomes = try ConflictOutcome.all(of: conflicts, db)
    value.lists = titles.lists
    return value
  }
}

/// A change that the cloud does not have yet.
public struct PendingItem: Hashable, Sendable {
  /// The table.
  public let table: String
  /// What the row is called.
  public let title: String
  /// Whether it was deleted.
  public let isDeletion: Bool
  /// The columns that were edited; nil for a new row, and before the engine has looked at it.
  public let columns: [String]?
  /// Since when it waits.
  public let since: Date
  /// How many times the cloud refused it.
  public let attempts: Int
  /// When it is tried again; nil for at once.
  public let nextAttempt: Date?
  /// Why the cloud refused it.
  public let error: String?

  fileprivate init(_ change: SyncPendingChange, title: String) {
    table = change.table
    self.title = title
    isDeletion = change.isDeletion
    columns = change.columns
    since = Date(milliseconds: change.since)
    attempts = change.attempts
    nextAttempt = change.nextAttempt == 0 ? nil : Date(milliseconds: change.nextAttempt)
    // The code before it is for programs.
    error = change.error.map { String($0.trimmingPrefix(#/[A-Za-z]+ \([0-9]+\): /#)) }
  }
}

/// A record that was fetched and cannot be a row yet.
public struct WaitingItem: Hashable, Sendable {
  /// The table.
  public let table: String
  /// What the row is called.
  public let title: String
  /// Whether it can only be helped by someone: a constraint refuses it.
  public let isQuarantined: Bool
  /// Why it waits.
  public let reason: String
  /// Since when it waits.
  public let since: Date

  fileprivate init(_ record: SyncWaitingRecord, title: String) {
    table = record.table
    self.title = title
    since = Date(milliseconds: record.since)
    switch record.reason {
    case .parent(let name): (isQuarantined, reason) = (false, "needs \(name)")
    case .constraint(let message): (isQuarantined, reason) = (true, message)
    case .value(let column): (isQuarantined, reason) = (true, "has no value for \(column)")
    case .duplicate(let other):
      (isQuarantined, reason) = (true, "has the same values as \(other ?? "another row")")
    case .unknownTable: (isQuarantined, reason) = (false, "for a newer version of reminders")
    }
  }
}
