import Foundation
import GRDB
import SQLiteSyncCloud

/// Assets that come when they are asked for, and that rows let go of again: see `SyncAssetPolicy`.
extension Synchronizer {
  /// The bytes of a column, from its row or from the cloud; the row has them then.
  func asset(_ column: String, of row: SyncMetadata.ID) throws -> Data? {
    try foldEdits()
    let (entry, zoneID, value) = try database.readSnapshot { db in
      guard let table = tables[called: row.table] else {
        throw SyncError(
          .unknownRow, table: row.table, "The table “\(row.table)” is not synchronized.")
      }
      guard let column = table.column(called: column)?.name else {
        throw SyncError(
          .unknownRow, table: table.name, "No column “\(column)” of the table is synchronized.")
      }
      let key = table.foldedKey(row.key)
      guard let values = try RowStore(db: db, table: table).values(ofKey: key) else {
        throw SyncError(.unknownRow, table: row.table, "There is no row with the key \(row.key).")
      }
      let record = try MetadataStore(db: db).record(tableID: table.id, key: key)
      let entry = try record.flatMap { try KnownAssets(db: db).entry(of: $0, field: column) }
      return (entry, record?.zoneID, values[column])
    }
    guard let entry, let zoneID, let zone = try zones().first(where: { $0.id == zoneID }) else {
      return value.flatMap(Data.fromDatabaseValue)
    }
    guard entry.isMissing else {
      try database.write { try KnownAssets(db: $0).touch(entry) }
      return value.flatMap(Data.fromDatabaseValue)
    }
    let bytes = try zone.log.readAsset(entry.reference)
    let report = try applying { try $0.fill(entry, with: bytes, retry: .max) }
    sayFetched(
      modified: report.modified.map { .init(type: $0.type, name: $0.name) }, deleted: [], in: zone)
    say(report)
    try letGoOfAssets()
    return bytes
  }

  /// Lets what was held back come by itself, as far as the policy wants it now.
  func awaitHeldBackAssets() throws {
    let limit = configuration.assetPolicy.byteLimit
    guard try database.readSnapshot({ try KnownAssets(db: $0).isAnyHeldBack(upTo: limit) }) else {
      return
    }
    try database.write { try KnownAssets(db: $0).awaitHeldBack(upTo: limit) }
  }

  /// Lets the rows keep no more of the large assets than they may: those that were used last.
  ///
  /// Each of the others is read in the cloud before. What is not there, or not as it was published,
  /// may be here alone, and stays.
  func letGoOfAssets() throws {
    let policy = configuration.assetPolicy
    guard policy.keptBytes < .max else { return }
    let large = try database.readSnapshot {
      try KnownAssets(db: $0).inRows(above: policy.byteLimit)
    }
    var byteCount = 0
    let zones = try zones()
    for (number, (entry, zoneID)) in large.enumerated() {
      byteCount += entry.reference.byteCount
      guard number > 0, byteCount > policy.keptBytes, !shouldStop() else { continue }
      guard let zone = zones.first(where: { $0.id == zoneID }),
        try readAsset(entry.reference, in: zone) != nil
      else { continue }
      _ = try applying { try $0.letGo(entry) }
    }
  }

  /// Puts into a record's zone the bytes that it names and this device does not have: the record
  /// was in another zone, or its log was begun anew.
  ///
  /// Nothing else would, when everybody who reads the zone has let go of them.
  func carryAssets(of item: OutgoingBatch.Item, to zone: SyncZone) throws -> OutgoingBatch.Item {
    guard !item.absentAssets.isEmpty, case .save(var record, let base) = item.change else {
      return item
    }
    var item = item
    for entry in item.absentAssets where try !zone.log.hasAsset(entry.reference) {
      guard let bytes = try formerAsset(entry.reference, of: zone) else { continue }
      let reference = try zone.log.publishAsset(bytes)
      record.fields[entry.field] = CloudField(.asset(reference), entry.clock)
      let published = KnownAssets.Entry(
        recordID: entry.recordID, field: entry.field, clock: entry.clock, reference: reference,
        isMissing: true)
      // As when bytes of this device are published.
      try database.write { try KnownAssets(db: $0).save(published, nextAttempt: .max) }
    }
    item.change = .save(record, base: base)
    return item
  }

  /// The bytes as another zone or an earlier log of this one has them.
  private func formerAsset(_ reference: AssetReference, of zone: SyncZone) throws -> Data? {
    if let bytes = try zone.log.readEarlierAsset(reference) { return bytes }
    for other in try zones() where other.id != zone.id {
      if let bytes = try readAsset(reference, in: other) { return bytes }
    }
    return nil
  }
}

extension Applier {
  /// Takes the bytes of an asset out of its row again, unless they are newer than the cloud's.
  func letGo(_ entry: KnownAssets.Entry) throws {
    let known = KnownAssets(db: db)
    guard try known.entry(recordID: entry.recordID, field: entry.field) == entry,
      let record = try store.record(id: entry.recordID),
      record.clock(of: entry.field) == entry.clock,
      let table = tables[id: record.tableID],
      assetPolicy.holdsBack(entry.reference.byteCount, from: table.columnsByName[entry.field]),
      try store.outbox.change(of: entry.recordID) == nil,
      let value = try RowStore(db: db, table: table).values(ofKey: record.key)?[entry.field],
      Data.fromDatabaseValue(value)?.count == entry.reference.byteCount
    else { return }
    do {
      try DeviceState(db: db).muted {
        try RowStore(db: db, table: table).update(key: record.key, [entry.field: .null])
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      return  // The app's own rules want the bytes.
    }
    try known.save(
      KnownAssets.Entry(
        recordID: entry.recordID, field: entry.field, clock: entry.clock,
        reference: entry.reference, isMissing: true), nextAttempt: .max)
  }
}
