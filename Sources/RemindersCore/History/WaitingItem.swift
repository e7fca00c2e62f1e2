import Foundation
import SQLiteSync

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

  init(_ change: SyncPendingChange, title: String) {
    table = change.table
    self.title = title
    isDeletion = change.isDeletion
    columns = change.columns
    since = change.since
    attempts = change.attempts
    nextAttempt = change.nextAttempt
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

  /// - Parameters:
  ///   - record: What waits.
  ///   - titles: What it and the rows that it refers to are called.
  init(_ record: SyncWaitingRecord, titles: Titles) {
    table = record.table
    title = titles.title(of: record.table, record.key)
    since = record.since
    switch record.reason {
    case .parent(let name):
      let kind = RowID(recordName: name).map { FieldName.word(forRowOf: $0.table.name) } ?? "record"
      let parent = titles.words(for: name) ?? "a \(kind) that is not here yet"
      (isQuarantined, reason) = (false, "needs \(parent)")
    case .constraint(let message): (isQuarantined, reason) = (true, message)
    case .value(let column):
      (isQuarantined, reason) = (true, "has no value for \(FieldName.word(for: column))")
    case .duplicate(let other):
      let rival = other.flatMap(titles.words(for:)) ?? "another row"
      (isQuarantined, reason) = (true, "has the same values as \(rival)")
    case .asset(let column):
      (isQuarantined, reason) = (false, "its \(FieldName.word(for: column)) is not in the cloud")
    case .unknownTable, .unknownForeignKey:
      (isQuarantined, reason) = (false, "for a newer version of reminders")
    }
  }
}

extension SyncWaitingRecord {
  /// The rows that are named when it is shown: its own, and the one that it refers to.
  var rows: [RowID] {
    let other: String? =
      switch reason {
      case .parent(let name): name
      case .duplicate(let name): name
      case .constraint, .value, .asset, .unknownTable, .unknownForeignKey: nil
      }
    return [AppTable(named: table).map { RowID($0, key) }, other.flatMap(RowID.init(recordName:))]
      .compactMap { $0 }
  }
}

extension RowID {
  /// The row of a record; nil for one of a table that this version does not have.
  init?(recordName name: String) {
    guard let table = name.split(separator: ":").last.flatMap({ AppTable(named: String($0)) })
    else { return nil }
    self.init(table, SyncEvent.Record(type: table.name, name: name).primaryKey)
  }
}

extension Titles {
  /// What a row of any table is called; the beginning of its key for one that this version does not
  /// know.
  func title(of table: String, _ key: String) -> String {
    AppTable(named: table).map { self[RowID($0, key)] } ?? String(key.prefix(8))
  }

  /// A row by its record's name, such as `the list “Home”`; nil where nothing is known of it.
  fileprivate func words(for recordName: String) -> String? {
    guard let row = RowID(recordName: recordName), let title = known(row) else { return nil }
    return "the \(FieldName.word(forRowOf: row.table.name)) “\(title)”"
  }
}
