import Foundation
import GRDB
import SQLiteSync

/// What has become of a conflict since it was settled, when what was kept is not there any more.
public enum ConflictOutcome: Hashable, Sendable {
  /// What lost is there again.
  case restored
  /// Another value is there.
  case edited(StoredValue)
  /// What it is about was deleted.
  case deleted
}

extension ConflictOutcome {
  /// What has become of conflicts; nothing of those that stand as they were settled.
  ///
  /// Runs the same statements whatever there is, for observation.
  static func all(
    of conflicts: [SyncHistory.Entry], _ db: Database
  ) throws -> [HistoryEntry.ID: ConflictOutcome] {
    var rows: [RowID: Row] = [:]
    for table in AppTable.allCases where try db.tableExists(table.name) {
      let keys = conflicts.filter { $0.table == table.name }.map(\.key)
      let cursor = try Row.fetchCursor(
        db,
        sql: """
          SELECT * FROM \(table.name) WHERE \(table.key) IN (SELECT value FROM json_each(?))
          """, arguments: [String(decoding: try JSONEncoder().encode(keys), as: UTF8.self)])
      while let row = try cursor.next() {
        try rows[RowID(table, row.read(table.key))] = row.copy()
      }
    }
    return conflicts.reduce(into: [:]) { outcomes, conflict in
      guard let table = AppTable(named: conflict.table) else { return }
      outcomes[conflict.id] = conflict.outcome(in: rows[RowID(table, conflict.key)])
    }
  }
}

extension SyncHistory.Entry {
  /// What has become of it, given the row as it is; nil when the value that was kept is there.
  fileprivate func outcome(in row: Row?) -> ConflictOutcome? {
    guard case .value(let column, let lost, let kept) = loss else { return nil }
    guard let row else { return .deleted }
    guard let present = row[column] as DatabaseValue?, present != kept else { return nil }
    return present == lost ? .restored : .edited(StoredValue(present))
  }
}
