import Foundation
import GRDB
import SQLiteSyncCloud
import SQLiteSyncHashing

/// Synchronized tables that lost their triggers, as every table does that a migration makes anew:
/// what was written since is noted nowhere.
///
/// What the rows were before only the cloud knows. So all is fetched again, and a value that
/// differs from the one in the cloud, though nobody has edited it, is an edit made now. Where the
/// cloud has none, see `UntouchedColumns`. Rows that nothing is known of are taken in. Those that
/// are gone come back: whoever leaves a row out of a copy may have overlooked it, and to delete it
/// elsewhere cannot be undone by the next version.
struct RebuiltTables {
  let db: Database
  let device: UUID
  let now: Int64

  /// Those of the tables that were synchronized before, and whose triggers are gone.
  static func find(
    among tables: [TableSchema], besides new: Set<String>, in db: Database
  ) throws -> [TableSchema] {
    try tables.filter { table in
      try !table.isEngines && !new.contains(table.name)
        && CaptureTriggers.areMissing(from: table.name, in: db)
    }
  }

  /// Takes in their rows that are not known, and has all zones fetched whole next.
  func begin(_ tables: [TableSchema]) throws {
    guard !tables.isEmpty else { return }
    for table in tables {
      let check = try MetadataCheck(db: db, table: table)
      try check.adoptUnknownRows(now: now)
      for id in try check.recordsOfNothing() { try MetadataStore(db: db).forget(id: id) }
      try UntouchedColumns(db: db, table: table, device: device, now: now).adoptEdits()
    }
    try SchemaRegistry.setRebuilt(tables.map(\.id), in: db)
    for zone in try Zones(db: db).all() {
      // What is not mentioned was deleted: no log has lost anything.
      try ZonePosition.begin(.expired, ofZone: zone, in: db)
    }
  }

  /// Makes edits of what differs from a page of a full fetch; returns the records.
  func adoptEdits(
    from copies: [ServerCopy], of zone: SyncZone, _ tables: TableOrder
  ) throws -> [SyncEvent.Record] {
    // Where it may only be read, the cloud's values come back.
    guard zone.access != .read else { return [] }
    let rebuilt = try SchemaRegistry.rebuilt(in: db)
    guard !rebuilt.isEmpty else { return [] }
    return try copies.compactMap { copy in
      guard case .record(let image) = copy.content, let table = tables[image.type],
        rebuilt.contains(table.id)
      else { return nil }
      let key = RecordName.parsing(image.name).key
      guard let record = try MetadataStore(db: db).record(tableID: table.id, key: key),
        let id = record.id, record.isAlive, record.zoneID == zone.id,
        let row = try RowStore(db: db, table: table).values(ofKey: key)
      else { return nil }
      let isEdited = try AdoptedEdits(db: db, table: table, device: device, now: now)
        .adopt(row, insteadOf: image, of: record, id: id)
      return isEdited ? SyncEvent.Record(type: image.type, name: image.name) : nil
    }
  }

  /// Ends the comparison, unless a zone is to be read still.
  func end() throws {
    guard try !Zones(db: db).isAnyFetchedWhole() else { return }
    try SchemaRegistry.setRebuilt([], in: db)
  }
}

/// What differs in a row from a version that has the clocks that are known here: it was written
/// while nobody took note.
struct AdoptedEdits {
  let db: Database
  let table: TableSchema
  let device: UUID
  let now: Int64

  /// Makes edits of it; returns whether there was any.
  func adopt(
    _ row: [String: DatabaseValue], insteadOf image: CloudRecord, of known: RecordMetadata,
    id: Int64
  ) throws -> Bool {
    let outbox = Outbox(db: db)
    let pending = try outbox.change(of: id)
    var record = known
    var edited: Set<String> = []
    for (name, field) in image.fields {
      // What came since has a later clock.
      guard field.clock == known.clock(of: name), pending?.includes(name) != true,
        let value = row[name], try differs(value, from: field, named: name, recordID: id)
      else { continue }
      let clock = field.clock.edited(atMilliseconds: now, device: device.clockBits)
      record.setClock(clock, of: name)
      edited.insert(name)
      try keep(field, named: name, overwrittenBy: value, at: clock, key: record.key)
    }
    guard !edited.isEmpty else { return false }
    try MetadataStore(db: db).save(record)
    try outbox.add(edited, of: id, tableID: table.id, now: now)
    return true
  }

  private func differs(
    _ value: DatabaseValue, from field: CloudField, named name: String, recordID: Int64
  ) throws -> Bool {
    guard case .asset(let reference) = field.value else {
      return !DatabaseValue(field.value).isSameBytes(as: value)
    }
    if case .blob(let bytes) = value.storage { return !reference.isName(of: bytes) }
    guard value.isNull else { return true }
    // Bytes that are not here yet are not an edit.
    let entry = try KnownAssets(db: db).entry(recordID: recordID, field: name)
    return entry.map { $0.reference == reference && !$0.isMissing } ?? false
  }

  private func keep(
    _ field: CloudField, named name: String, overwrittenBy value: DatabaseValue,
    at clock: FieldClock, key: String
  ) throws {
    // Bytes are in the log still, and nowhere here.
    if case .asset = field.value { return }
    try History(db: db, now: now).add(
      History.Loss(
        field: name, value: DatabaseValue(field.value), clock: field.clock, winner: value,
        winnerClock: clock),
      tableID: table.id, key: key, winner: nil)
  }
}

extension AssetReference {
  /// Whether these are its bytes.
  fileprivate func isName(of bytes: Data) -> Bool {
    bytes.count == byteCount && SHA256.digest(of: bytes).hexadecimal == sha256
  }
}
