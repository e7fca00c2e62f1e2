import Foundation
import GRDB

/// A change that the cloud does not have yet: why, and when it is tried again.
public struct SyncPendingChange: Hashable, Sendable {
  /// The table.
  public let table: String
  /// The primary key; in lower case where it compares without case.
  public let key: String
  /// Whether the row was deleted.
  public let isDeletion: Bool
  /// The columns that were edited, by name; nil for all of a new row, or when no engine has looked
  /// at the edit yet.
  public let columns: [String]?
  /// When the change began to wait.
  public let since: Date
  /// How many times the cloud refused it.
  public let attempts: Int
  /// When it is tried again; nil for at once.
  public let nextAttempt: Date?
  /// Why the cloud refused it last.
  public let error: String?

  /// What waits, the refused ones first and then the oldest first.
  public static func all(_ db: Database, limit: Int = .max) throws -> [SyncPendingChange] {
    var changes: [SyncPendingChange] = []
    try forEach(db, limit: limit) { changes.append($0) }
    return changes
  }

  /// Hands on what waits one by one, in the same order: before a first upload that is every row.
  ///
  /// - Parameters:
  ///   - db: A database that is synchronized, or has been.
  ///   - limit: How many at most.
  ///   - body: Takes a change. What it throws ends the reading.
  public static func forEach(
    _ db: Database, limit: Int = .max, _ body: (SyncPendingChange) throws -> Void
  ) throws {
    guard limit >= 0, try EditEntries(db: db).exists() else { return }
    let refused = try SyncRefusal.rows(db).prefix(limit)
    try refused.forEach(body)
    // With a limit, SQLite sorts them in a tree in memory, which takes more room.
    let rest = limit == .max ? "" : " LIMIT \(limit - refused.count)"
    // Of its own: who asks again meanwhile would let a cached one begin anew.
    let rows = try Row.fetchCursor(db.makeStatement(sql: Outbox.changes + rest))
    while let row = try rows.next() {
      let next: Int64 = try row.read(6)
      try body(
        SyncPendingChange(
          table: row.read(0), key: row.read(1), isDeletion: row.read(2),
          columns: MetadataStore.decodeNames(row.read(3))?.sorted(),
          since: Date(millisecondsSince1970: row.read(4)), attempts: row.read(5),
          nextAttempt: next == 0 ? nil : Date(millisecondsSince1970: next), error: row.read(7)))
    }
  }
}

/// A record that was fetched and cannot be a row yet, or not with all that it has, or whose row
/// cannot go yet.
public struct SyncWaitingRecord: Hashable, Sendable {
  /// Why it waits.
  public enum Reason: Hashable, Sendable {
    /// The record that it needs, by name, is not here yet.
    case parent(String)
    /// A local constraint refuses it or its deletion, with SQLite's message.
    case constraint(String)
    /// It has no value for this column, which is `NOT NULL` and has nothing in its place: a version
    /// of the app has made it that does not know the column.
    case value(column: String)
    /// Another row, given by its record's name, has what only one may have, by a `UNIQUE` index.
    ///
    /// The record comes when that row is deleted or changed. Nil until the engine has looked.
    /// `SyncEvent.Record` gives the key in such a name, where other letters than ASCII are escaped.
    case duplicate(of: String?)
    /// The bytes of this column were not where the cloud should have them, and are looked for: its
    /// row has what was there before, or `NULL`. It ends when they are found, or the column is
    /// written anew.
    case asset(column: String)
    /// This version of the app has no such table.
    case unknownTable
    /// A device with another version of the app has put it, or its latest version, with something
    /// that is shared, by a foreign key that this version does not have or does not go by.
    case unknownForeignKey
  }

  /// The table.
  public let table: String
  /// The primary key; in lower case where it compares without case.
  public let key: String
  /// Why it waits.
  public let reason: Reason
  /// When it began to wait; for an asset, when the value was written that names it.
  public let since: Date

  /// What waits, the oldest first.
  public static func all(_ db: Database, limit: Int = .max) throws -> [SyncWaitingRecord] {
    guard limit >= 0 else { return [] }
    let kept = try Quarantine(db: db).all(limit: limit)
    let others = try StaleCopies(db: db).waitingRecords() + KnownAssets(db: db).lost()
    guard !others.isEmpty else { return kept }
    return Array((kept + others).sorted { $0.since < $1.since }.prefix(limit))
  }
}
