import Foundation
import GRDB
import SQLiteSyncCloud

/// What a row takes along under another key though it is in no column: the assets whose bytes are
/// not here, and the fields that only other versions of the app have a column for.
///
/// Another key is another record, and the triggers note the columns.
struct KeyChanges {
  private let db: Database
  private let tables: TableOrder
  private var baggage: [Place: Baggage] = [:]

  private struct Place: Hashable {
    let tableID: Int64
    let key: ExactString
  }

  private struct Baggage {
    /// Of columns, and of unknown fields.
    let assets: [KnownAssets.Stored]
    let unknown: [String: CloudField]
  }

  /// Finds it by what the triggers noted: before that is folded.
  init(db: Database, tables: TableOrder) throws {
    self.db = db
    self.tables = tables
    let entries = EditEntries(db: db)
    guard try entries.hasKeyChanges() else { return }
    for table in tables.tables {
      let deletions = try entries.deletions(tableID: table.id)
      while let entry = try deletions.next() {
        let (key, newKey): (String, String?) = try (entry.read(0), entry.read(2))
        let former = Place(tableID: table.id, key: ExactString(key))
        let carried = try baggage.removeValue(forKey: former) ?? baggage(of: key, in: table)
        if let carried, let newKey {
          baggage[Place(tableID: table.id, key: ExactString(newKey))] = carried
        }
      }
    }
  }

  private func baggage(of key: String, in table: TableSchema) throws -> Baggage? {
    guard let record = try MetadataStore(db: db).record(tableID: table.id, key: key),
      let id = record.id, record.isAlive
    else { return nil }
    // What says which edits are in a value says so of the former record's.
    let unknown = (record.unknown?.fields ?? [:]).filter { !MergeNote.isField($0.key) }
    let assets = try KnownAssets(db: db).stored(recordID: id).filter { asset in
      let entry = asset.entry
      if let field = unknown[entry.field] { return field.value == .asset(entry.reference) }
      return entry.isMissing && table.columnsByName[entry.field] != nil
        && entry.clock == record.clock(of: entry.field)
    }
    return assets.isEmpty && unknown.isEmpty ? nil : Baggage(assets: assets, unknown: unknown)
  }

  /// Gives it to the records that were made of the rows: after all is folded.
  func settle() throws {
    let store = MetadataStore(db: db)
    for (place, baggage) in baggage {
      guard let table = tables[id: place.tableID],
        var record = try store.record(tableID: table.id, key: place.key.string),
        let id = record.id, record.isAlive,
        let row = try RowStore(db: db, table: table).values(ofKey: place.key.string)
      else { continue }
      let life = record.life
      if !baggage.unknown.isEmpty {
        record.unknown = CloudRecord(
          name: table.recordName(of: record.key), type: table.name, life: .zero,
          fields: baggage.unknown.mapValues { CloudField($0.value, life) })
        try store.save(record)
      }
      for asset in baggage.assets {
        let field = asset.entry.field
        // Nobody has written anything else since.
        guard
          baggage.unknown[field] != nil
            || row[field]?.isNull == true && record.clock(of: field) == life
        else { continue }
        try KnownAssets(db: db).save(asset, of: id, clock: life)
      }
    }
  }
}
