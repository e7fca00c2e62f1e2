import Foundation
import GRDB
import SQLiteSyncCloud

/// A table that is listed again: its records are in quarantine, and its rows may have been here all
/// the time.
struct ReinstatedTable {
  let db: Database
  let table: TableSchema
  let device: UUID
  let now: Int64

  private var store: MetadataStore { MetadataStore(db: db) }
  private var rows: RowStore { RowStore(db: db, table: table) }

  /// What differs from the quarantined records of a table that was here all the time is an edit
  /// like any other, made now; a row that is gone was deleted when the table was taken out.
  ///
  /// So whoever has edited it elsewhere since brings it back. One that never was here comes.
  func adoptEdits() throws {
    let quarantine = Quarantine(db: db)
    for entry in try quarantine.records(ofUnknownTable: table.id) {
      guard let record = try store.record(id: entry.id), record.isAlive,
        let image = try quarantine.version(of: entry.id)
      else { continue }
      if let row = try rows.values(ofKey: record.key) {
        _ = try AdoptedEdits(db: db, table: table, device: device, now: now)
          .adopt(row, insteadOf: image, of: record, id: entry.id)
      } else if entry.hadRow {
        try adoptDeletion(of: record, id: entry.id, image: image, at: entry.since)
      }
    }
  }

  /// When a row was deleted nobody knows; it was there when the table was taken out.
  private func adoptDeletion(
    of known: RecordMetadata, id: Int64, image: CloudRecord, at time: Int64
  ) throws {
    var record = known
    let death = max(record.latest, record.death ?? .zero)
      .edited(atMilliseconds: time, device: device.clockBits)
    guard image.latestClock < death else { return }
    let values = try table.columns.reduce(into: [:]) { values, column in
      values[column.name] = try image.fields[column.name].flatMap {
        try value(of: $0, named: column.name, recordID: id)
      }
    }
    try History(db: db, now: now).addRow(
      of: table, key: record.key, values: values, clock: record.latest, death: death)
    record.death = death
    try store.save(record)
    try store.outbox.set(
      record.tag == nil ? nil : PendingChange(kind: .delete, fields: []), id: id,
      tableID: table.id, now: now)
    try Quarantine(db: db).remove(id)
    try KnownAssets(db: db).dropBytes(recordID: id)
  }

  /// The value that a column had; nil where that cannot be told.
  private func value(
    of field: CloudField, named name: String, recordID: Int64
  ) throws -> DatabaseValue? {
    guard case .asset(let reference) = field.value else { return DatabaseValue(field.value) }
    return try KnownAssets(db: db).keptBytes(recordID: recordID, field: name, of: reference)
      .map(\.databaseValue)
  }

  /// Its unsent edits.
  func unsentSaves() throws -> [(edit: PendingChange, id: Int64)] {
    try store.outbox.records(ofTable: table.id, .save).compactMap { id in
      try store.outbox.change(of: id).map { ($0, id) }
    }
  }

  /// Sends them: nothing of what is applied is to be sent otherwise.
  func send(_ saves: [(edit: PendingChange, id: Int64)]) throws {
    for (edit, id) in saves where try store.outbox.change(of: id) == nil {
      guard try store.record(id: id)?.isAlive == true else { continue }
      try store.outbox.set(edit, id: id, tableID: table.id, now: now)
    }
  }

  /// Lets the rows go that were deleted elsewhere while it was here and not listed.
  func bury(with applier: inout Applier) throws {
    for id in try store.deadIDs(ofTable: table.id) {
      guard let record = try store.record(id: id) else { continue }
      try applier.retryDeletion(of: record, id: id)
    }
  }
}
