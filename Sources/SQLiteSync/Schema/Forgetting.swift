import Foundation
import GRDB
import SQLiteSyncCloud

/// Takes columns and tables out of synchronization, with what the cloud is still to hear of them.
enum Forgetting {
  typealias RawTable = SchemaInspection.RawTable

  /// Takes columns, or all of a table, out of synchronization: see `SyncEngine.forget`.
  static func forget(_ columns: [String]?, of name: String, now: Int64, in db: Database) throws {
    let table = try SchemaInspection.table(name, in: db)
    // In a new installation all migrations run before the first engine: nothing is known yet.
    guard try EditEntries(db: db).exists() else { return }
    let device = try SyncEngine.device(of: db).clockBits
    // The values that are kept need their clocks.
    try EditLog(tables: TableOrder([]), device: device, now: now).fold(in: db)
    try CaptureTriggers().remove(from: table.name, in: db)
    let tableID = try SchemaRegistry.tableID(table.name, in: db)
    guard let columns else {
      try setAside(table, tableID: tableID, now: now, in: db)
      // It is as good as dropped: what it holds when it comes back is not compared.
      try SchemaRegistry.drop(nil, ofTable: tableID, in: db)
      return
    }
    for column in columns {
      let column = table.columns.called(column)?.name ?? column
      try setAside(column, of: table, tableID: tableID, in: db)
      try SchemaRegistry.drop(column, ofTable: tableID, in: db)
    }
  }

  /// Keeps a column's values as those of a column that this version does not know.
  private static func setAside(
    _ column: String, of table: RawTable, tableID: Int64, in db: Database
  ) throws {
    guard let key = table.key, table.columns.contains(where: { $0.name == column }) else { return }
    let store = MetadataStore(db: db)
    let rows = try Row.fetchCursor(
      db.cachedStatement(
        sql: """
          SELECT \(key.name.quotedIdentifier), \(column.quotedIdentifier)
          FROM \(table.name.quotedIdentifier)
          """))
    while let row = try rows.next() {
      let written: String = try row.read(0)
      let name = table.isKeyFolded ? written.asciiLowercased : written
      guard var record = try store.record(tableID: tableID, key: name), let id = record.id else {
        continue
      }
      let clock = record.clock(of: column)
      record.exceptions[column] = nil
      let value = try value(row[1], of: column, recordID: id, clock: clock, in: db)
      if clock > .zero {
        let recordName = RecordName(key: name, table: table.name).description
        var unknown =
          record.unknown
          ?? CloudRecord(name: recordName, type: table.name, life: .zero, fields: [:])
        unknown.fields[column] = CloudField(value, clock)
        record.unknown = unknown
      }
      try store.save(record)
    }
  }

  /// A value as the cloud has it.
  ///
  /// The bytes of an asset are kept: until they are sent, if they were not yet, and for when the
  /// column comes back. Those that are missing go on being looked for.
  static func value(
    _ value: DatabaseValue, of column: String, recordID: Int64, clock: FieldClock, in db: Database
  ) throws -> CloudValue {
    let known = KnownAssets(db: db)
    let bytes: Data? = if case .blob(let bytes) = value.storage { bytes } else { nil }
    guard let entry = try known.entry(recordID: recordID, field: column), entry.clock == clock
    else {
      guard let bytes, bytes.count > CloudLimits.inlineBytes else { return value.cloudValue }
      let entry = KnownAssets.Entry(
        recordID: recordID, field: column, clock: clock, reference: .unpublished(bytes),
        isMissing: false)
      try known.save(entry, keeping: bytes)
      return .asset(entry.reference)
    }
    if !entry.isMissing, let bytes { try known.save(entry, keeping: bytes) }
    return .asset(entry.reference)
  }
}
