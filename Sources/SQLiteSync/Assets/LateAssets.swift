import Foundation
import GRDB

/// Bytes that come after the record that names them: they were too many to be read with it, or were
/// not there yet.
extension Applier {
  /// Writes them into the row, or notes that they are to be looked for again at `retry`.
  mutating func fill(_ entry: KnownAssets.Entry, with bytes: Data?, retry: Int64) throws {
    let known = KnownAssets(db: db)
    // Another version of the field came meanwhile.
    guard try known.entry(recordID: entry.recordID, field: entry.field) == entry else { return }
    let record = try store.record(id: entry.recordID)
    let table = tables.tables.first { $0.id == record?.tableID }
    if let record, !record.isTombstone, table?.columnsByName[entry.field] == nil {
      try keep(entry, bytes, retry: retry)
      return
    }
    if let record, let table, try !RowStore(db: db, table: table).exists(key: record.key),
      try quarantine.entry(of: entry.recordID)?.reason == .missingValue
    {
      try keep(entry, bytes, retry: retry)
      if bytes != nil { try DeviceState(db: db).muted { try retryQuarantined(entry.recordID) } }
      return
    }
    guard let record, let table, record.clock(of: entry.field) == entry.clock,
      try RowStore(db: db, table: table).exists(key: record.key)
    else {
      try known.forget(recordID: entry.recordID, field: entry.field)
      return
    }
    var isWritten = false
    if let bytes {
      isWritten = try write(bytes, of: entry.field, to: record, of: table)
    } else {
      report.missingAssets.append(entry.reference.name)
    }
    try known.save(
      KnownAssets.Entry(
        recordID: entry.recordID, field: entry.field, clock: entry.clock,
        reference: entry.reference, isMissing: !isWritten, attempts: entry.attempts + 1),
      nextAttempt: retry)
  }

  /// False when a constraint refuses the bytes.
  private mutating func write(
    _ bytes: Data, of field: String, to record: RecordMetadata, of table: TableSchema
  ) throws -> Bool {
    let name = table.recordName(of: record.key)
    return try DeviceState(db: db).muted {
      do {
        try RowStore(db: db, table: table).update(
          key: record.key, [field: bytes.databaseValue])
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
        report.quarantined.append((name, error.message ?? "\(error)"))
        return false
      }
      report.modified.append(
        ApplyReport.Item(type: table.name, name: name, fields: [field]))
      return true
    }
  }
}
