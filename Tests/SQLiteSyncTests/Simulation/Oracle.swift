import GRDB
import RemindersTestSupport
import SQLiteSyncCloud

@testable import SQLiteSync

/// Remembers the greatest clock that each device ever wrote to each field, and with which value.
///
/// Also what was written to a row before it was deleted: it has that if it comes back.
struct Oracle {
  private struct Edit {
    var clock: FieldClock
    var value: DatabaseValue
  }

  private struct Field: Hashable, CustomStringConvertible {
    let record: Record
    let name: String

    var description: String { "\(record.table)/\(record.key).\(name)" }
  }

  private struct Record: Hashable {
    let table: String
    let key: String
  }

  private var edits: [Field: [ObjectIdentifier: Edit]] = [:]
  /// When records were deleted, at the latest, anywhere.
  private var deaths: [Record: FieldClock] = [:]
  /// The fields that records have which a forger has made anew, and when those were deleted.
  private var madeAnew: [Record: [(fields: Set<String>, death: FieldClock)]] = [:]
  /// When records were deleted that the cloud never had, by device.
  private var unheard: [ObjectIdentifier: [Record: FieldClock]] = [:]

  /// Folds what was edited on a device, and notes it.
  mutating func note(_ device: Device) throws {
    let edited = try device.database.inDatabase { db in
      try Row.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT tableID, primaryKey, max(mask = \(CaptureTriggers.newKeyMask)) FROM sync_edits
            GROUP BY tableID, primaryKey
            """))
    }
    try device.database.inDatabase { try forgetUnheard(of: device, $0) }
    guard !edited.isEmpty else { return }
    try device.synchronizer.foldEdits()
    try device.database.inDatabase { db in
      for row in edited {
        if row[2] { forget(device, tableID: row[0], key: row[1]) }
        try note(device, tableID: row[0], key: row[1], db)
      }
    }
  }

  /// Notes that a forger has made a record anew: what was deleted with it stays in the history, but
  /// for the fields that it names.
  mutating func note(_ forged: Forger.MadeAnew) {
    let record = Record(table: forged.table, key: forged.key)
    madeAnew[record, default: []].append(
      (forged.fields, forged.death ?? deaths[record] ?? .zero))
  }

  private mutating func note(_ device: Device, tableID: Int64, key: String, _ db: Database) throws {
    guard let table = device.synchronizer.tables.tables.first(where: { $0.id == tableID }),
      let metadata = try MetadataStore(db: db).record(tableID: tableID, key: key)
    else { return }
    let (record, by) = (Record(table: table.name, key: key), ObjectIdentifier(device))
    if let death = metadata.death { deaths.merge([record: death], uniquingKeysWith: max) }
    let row = try RowStore(db: db, table: table).values(ofKey: key)
    if row == nil, metadata.tag == nil { unheard[by, default: [:]][record] = metadata.death }
    let values = try row ?? History(db: db, now: 0).lastImage(of: table, in: metadata)?.values
    for (name, value) in values ?? [:] {
      let field = Field(record: record, name: name)
      let clock = metadata.clock(of: name)
      if clock > edits[field]?[by]?.clock ?? .zero {
        edits[field, default: [:]][by] = Edit(clock: clock, value: value)
      }
    }
  }

  /// Forgets what a device did to a row that it gave another key: that has it now.
  private mutating func forget(_ device: Device, tableID: Int64, key: String) {
    guard let table = device.synchronizer.tables[id: tableID] else { return }
    forget(device, Record(table: table.name, key: key))
  }

  private mutating func forget(_ device: Device, _ record: Record) {
    for field in edits.keys where field.record == record {
      edits[field]?[ObjectIdentifier(device)] = nil
    }
  }

  /// Forgets what a device did to rows that were made and deleted between two sends: nobody else
  /// ever hears of them, and the device keeps nothing of them.
  private mutating func forgetUnheard(of device: Device, _ db: Database) throws {
    let by = ObjectIdentifier(device)
    for (record, death) in unheard[by] ?? [:] {
      guard let table = device.synchronizer.tables[record.table] else { continue }
      let metadata = try MetadataStore(db: db).record(tableID: table.id, key: record.key)
      if metadata?.death ?? .zero < death { forget(device, record) }
      if metadata?.tag != nil || metadata?.death ?? .zero < death { unheard[by]?[record] = nil }
    }
  }

  /// Every field of a living row has at least the greatest clock that was noted for it, and its
  /// value if it is that very edit; a record that is gone was deleted later than all its edits.
  ///
  /// Of what was written before a row was deleted `isGivenUp` says what may be missing.
  mutating func check(_ devices: [Device]) throws -> [String] {
    for device in devices {
      try deaths.merge(Self.deaths(of: device), uniquingKeysWith: max)
      try device.database.inDatabase { try forgetUnheard(of: device, $0) }
    }
    guard let device = devices.first else { return [] }
    return try device.database.readSnapshot { db in
      try edits.compactMap { field, edits in
        guard let edit = edits.values.max(by: { $0.clock < $1.clock }) else { return nil }
        return try loss(of: edit, to: field, on: device, db)
      }
    }.sorted()
  }

  private func loss(
    of edit: Edit, to field: Field, on device: Device, _ db: Database
  ) throws -> String? {
    let death = deaths[field.record] ?? .zero
    guard let table = device.synchronizer.tables[field.record.table],
      let record = try MetadataStore(db: db).record(tableID: table.id, key: field.record.key),
      let values = try RowStore(db: db, table: table).values(ofKey: field.record.key)
    else {
      return death >= edit.clock ? nil : "\(field) is gone since \(death), and \(edit) was written"
    }
    let clock = record.clock(of: field.name)
    if clock < edit.clock, try death == .zero || !isGivenUp(edit, field, record, on: device, db) {
      return "\(field) has clock \(clock), was deleted at \(death), and \(edit) was written"
    }
    let value = values[field.name] ?? .null
    return clock == edit.clock && value != edit.value
      ? "\(field) is \(value), and \(edit) was written" : nil
  }

  /// Whether a field of a row that was deleted and came back has an earlier edit than one that
  /// somebody made, and is to have it.
  private func isGivenUp(
    _ edit: Edit, _ field: Field, _ record: RecordMetadata, on device: Device, _ db: Database
  ) throws -> Bool {
    let tables = device.synchronizer.tables
    guard let table = tables[field.record.table] else { return false }
    // Whoever brings a row back spells its key as they do.
    if field.name == table.key { return true }
    let isForgotten = madeAnew[field.record]?.contains {
      !$0.fields.contains(field.name) && edit.clock <= $0.death
    }
    if isForgotten == true { return true }
    // It referred to a row that was deleted since, which may have come back later than this one.
    if let foreignKey = table.foreignKeys.first(where: { $0.column == field.name }),
      let parent = tables[foreignKey.table],
      let key = String.fromDatabaseValue(edit.value).map(parent.foldedKey)
    {
      let death = deaths[Record(table: parent.name, key: key)] ?? .zero
      if try death > edit.clock || !RowStore(db: db, table: parent).exists(key: key) { return true }
    }
    // An app without the column has made the row anew since: in all columns that it has.
    let known = table.columns.map(\.name).filter { !SimulatedSchema.newColumns.contains($0) }
    return SimulatedSchema.newColumns.contains(field.name)
      && known.allSatisfy { record.clock(of: $0) > edit.clock }
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
