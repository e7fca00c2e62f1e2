import Foundation
import GRDB
import SQLiteSyncCloud

/// Bytes of fields that this version of the app has no column for: kept for the version that has,
/// which shows them without a download.
extension Applier {
  /// Keeps the bytes of a record's fields, those of a table's columns left out; of what has not
  /// been read yet it notes that it is missing.
  func keepAssets(
    of fields: [String: CloudField], besides table: TableSchema? = nil, id: Int64
  ) throws {
    let known = KnownAssets(db: db)
    for entry in try known.entries(recordID: id)
    where table?.columnsByName[entry.field] == nil
      && fields[entry.field]?.value != .asset(entry.reference)
    {
      try known.forget(recordID: id, field: entry.field)
    }
    for (name, field) in fields {
      guard case .asset(let reference) = field.value, table?.columnsByName[name] == nil else {
        continue
      }
      let bytes = assets[reference.name]
      let entry = try known.entry(recordID: id, field: name)
      let isNoted = entry?.reference == reference && entry?.clock == field.clock
      if isNoted, entry?.isMissing == false || bytes == nil { continue }
      try known.save(
        KnownAssets.Entry(
          recordID: id, field: name, clock: field.clock, reference: reference,
          isMissing: bytes == nil),
        keeping: bytes)
    }
  }

  /// Keeps the bytes of a record that cannot be a row yet.
  ///
  /// It may lack others, which are looked for.
  func awaitAssets(of change: RowChange, id: Int64) throws {
    let known = KnownAssets(db: db)
    for (name, field) in change.record.fields {
      guard case .asset(let reference) = field.value, change.merge.written.contains(name) else {
        continue
      }
      let bytes = try bytes(of: name, reference, id: id)
      let entry = try known.entry(recordID: id, field: name)
      let isNoted = entry?.reference == reference && entry?.clock == field.clock
      if isNoted, entry?.isMissing == (bytes == nil) { continue }
      try known.save(
        KnownAssets.Entry(
          recordID: id, field: name, clock: field.clock, reference: reference,
          isMissing: bytes == nil),
        keeping: bytes,
        nextAttempt: bytes == nil
          ? firstAttempt(reference, in: change.table.columnsByName[name]) : 0)
    }
  }

  /// When missing bytes are looked for first; those that are held back are not.
  func firstAttempt(_ reference: AssetReference, in column: TableSchema.Column?) -> Int64 {
    assetPolicy.holdsBack(reference.byteCount, from: column) ? .max : 0
  }

  /// Bytes that came late.
  mutating func keep(_ entry: KnownAssets.Entry, _ bytes: Data?, retry: Int64) throws {
    if bytes == nil { report.missingAssets.append(entry.reference.name) }
    try KnownAssets(db: db).save(
      KnownAssets.Entry(
        recordID: entry.recordID, field: entry.field, clock: entry.clock,
        reference: entry.reference, isMissing: bytes == nil, attempts: entry.attempts + 1),
      keeping: bytes, nextAttempt: retry)
  }
}
