import GRDB
import SQLiteSync

/// Finds what records are called: what the log of synchronization names.
public struct RecordTitlesQuery: Query {
  /// The records.
  public var records: Set<SyncEvent.Record>

  /// What these records are called.
  public init(_ records: Set<SyncEvent.Record>) {
    self.records = records
  }

  /// Finds it, with one snapshot of the database.
  ///
  /// - Returns: The titles of the records that are rows of this app, deleted ones too.
  public func fetch(_ db: Database) throws -> [SyncEvent.Record: String] {
    let rows = records.reduce(into: [SyncEvent.Record: RowID]()) { rows, record in
      rows[record] = AppTable(named: record.type).map { RowID($0, record.primaryKey) }
    }
    let titles = try Titles(db, of: [], and: Array(rows.values))
    return rows.mapValues { titles[$0] }
  }
}
