import GRDB
import RemindersTestSupport
import SQLiteSyncCloud

@testable import SQLiteSync

/// Remembers the greatest clock that was ever written to each field, and with which value.
struct Oracle {
  private struct Edit {
    var clock: FieldClock
    var value: String
  }

  private struct Field: Hashable {
    let table: String
    let key: String
    let name: String
  }

  private struct Record: Hashable {
    let table: String
    let key: String
  }

  private var greatest: [Field: Edit] = [:]
  /// When records were deleted, at the latest, anywhere: an edit may have been lost to that.
  private var deaths: [Record: FieldClock] = [:]

  /// Folds what was edited on a device, and notes it.
  mutating func note(_ device: Device) throws {
    let edited = try device.database.inDatabase { db in
      try Row.fetchAll(
        db.cachedStatement(sql: "SELECT DISTINCT tableID, primaryKey FROM sync_edits"))
    }
    guard !edited.isEmpty else { return }
    try device.synchronizer.foldEdits()
    try device.database.inDatabase { db in
      for row in edited { try note(device, tableID: row[0], key: row[1], db) }
    }
  }

  private mutating func note(_ device: Device, tableID: Int64, key: String, _ db: Database) throws {
    guard let table = device.synchronizer.tables.tables.first(where: { $0.id == tableID }),
      let record = try MetadataStore(db: db).record(tableID: tableID, key: key)
    else { return }
    if let death = record.death {
      deaths.merge([Record(table: table.name, key: key): death], uniquingKeysWith: max)
    }
    guard let values = try RowStore(db: db, table: table).values(ofKey: key) else { return }
    for (name, value) in values {
      let field = Field(table: table.name, key: key, name: name)
      let clock = record.clock(of: name)
      if clock > greatest[field]?.clock ?? .zero {
        greatest[field] = Edit(clock: clock, value: "\(value)")
      }
    }
  }

  /// Every field of a living row has at least the greatest clock that was noted for it, and its
  /// value if it is that very edit; a record that is gone was deleted later than all its edits.
  ///
  /// A row that was deleted in between and made again may have lost an edit to the deletion. Of a
  /// record that was made and deleted between two sends nobody else ever hears, and its metadata
  /// goes: made again while the wall clock stands still, it gets the same clock.
  mutating func check(_ devices: [Device]) throws -> [String] {
    for device in devices { try deaths.merge(Self.deaths(of: device), uniquingKeysWith: max) }
    guard let device = devices.first else { return [] }
    return try device.database.readSnapshot { db in
      try greatest.compactMap { field, edit in
        let death = deaths[Record(table: field.table, key: field.key)]
        guard let table = device.synchronizer.tables[field.table],
          let record = try MetadataStore(db: db).record(tableID: table.id, key: field.key),
          let values = try RowStore(db: db, table: table).values(ofKey: field.key)
        else {
          return death ?? .zero >= edit.clock
            ? nil : "\(field) is gone since \(death ?? .zero), and \(edit) was written"
        }
        let clock = record.clock(of: field.name)
        if clock < edit.clock, death == nil {
          return "\(field) has clock \(clock), and \(edit) was written"
        }
        let value = values[field.name].map { "\($0)" }
        return clock == edit.clock && value != edit.value && death ?? .zero < edit.clock
          ? "\(field) is \(value ?? "absent"), and \(edit) was written" : nil
      }
    }.sorted()
  }

  private static func deaths(of device: Device) throws -> [Record: FieldClock] {
    try device.database.readSnapshot { db in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT t.name, r.primaryKey, r.death FROM sync_records r
          JOIN sync_tables t ON t.id = r.tableID WHERE r.death IS NOT NULL
          """)
      return Dictionary(
        uniqueKeysWithValues: rows.map {
          (Record(table: $0[0], key: $0[1]), FieldClock(rawValue: $0[2]))
        })
    }
  }
}
