import Foundation
import GRDB
import SQLiteSyncCloud

/// Columns of a table that came later than a row, and that nobody has edited there since.
///
/// The record has no value for them, so that elsewhere its row has the default. Where the row has
/// something else here, a migration put it there without being noted: it copied a value of its own,
/// or what was the default before.
struct UntouchedColumns {
  let db: Database
  let table: TableSchema
  let device: UUID
  let now: Int64

  /// Makes edits of the values that are not the default.
  func adoptEdits() throws {
    let (store, rows, zones) = (
      MetadataStore(db: db), RowStore(db: db, table: table), Zones(db: db)
    )
    for id in try store.ids(ofTable: table.id) {
      guard var record = try store.record(id: id), record.isAlive, record.life > .zero else {
        continue
      }
      let untouched = table.columns.map(\.name).filter { record.clock(of: $0) == .zero }
      // Nobody takes an edit of what may only be read.
      guard !untouched.isEmpty, try !zones.isReadOnly(record.zoneID) else { continue }
      let filled = try rows.columnsFilled(ofKey: record.key).intersection(untouched)
      guard !filled.isEmpty else { continue }
      for column in filled {
        record.setClock(.ofMigration(of: record.life, device: device), of: column)
      }
      try store.save(record)
      try store.outbox.add(filled, of: id, tableID: table.id, now: now)
    }
  }
}

extension FieldClock {
  /// The clock of what a migration has put into a row, into a column that nobody has edited.
  ///
  /// As old as the row: who has edited the column since has edited it later. With the bits of this
  /// device: what others' migrations have put there may be something else.
  static func ofMigration(of life: FieldClock, device: UUID) -> FieldClock {
    FieldClock(milliseconds: life.milliseconds, device: device.clockBits).clamped
  }
}
