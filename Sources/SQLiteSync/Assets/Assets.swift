import Foundation
import GRDB
import SQLiteSyncCloud

/// Bytes that lie beside the log: read before the transaction that writes them, published before
/// the commit that names them.
extension Synchronizer {
  /// Bytes of assets that are in memory at once, unless one alone has more.
  static let assetBudget = 32 << 20

  /// Reads the assets that records name and their rows do not have, as far as the budget goes.
  ///
  /// The rest, and what is not there yet, is fetched after the records.
  func readAssets(of copies: [ServerCopy], in zone: SyncZone) throws -> [String: Data] {
    let wanted = try database.readSnapshot { db in try copies.flatMap { try missing($0, in: db) } }
    var assets: [String: Data] = [:]
    var byteCount = 0
    for reference in wanted {
      byteCount += reference.byteCount
      guard byteCount <= Self.assetBudget else { break }
      assets[reference.name] = try readAsset(reference, in: zone)
    }
    return assets
  }

  private func missing(_ copy: ServerCopy, in db: Database) throws -> [AssetReference] {
    guard case .record(let record) = copy.content else { return [] }
    return try record.fields.compactMap { field, content in
      guard case .asset(let reference) = content.value else { return nil }
      let name = RecordName.parsing(record.name)
      let id = try MetadataStore(db: db).record(named: name, in: tables)?.id
      let entry = try id.flatMap { try KnownAssets(db: db).entry(recordID: $0, field: field) }
      let isHere = entry?.reference == reference && entry?.clock == content.clock
      let column = tables[name.table]?.columnsByName[field]
      let isHeldBack = configuration.assetPolicy.holdsBack(reference.byteCount, from: column)
      return isHere || isHeldBack ? nil : reference
    }
  }

  /// Fetches the bytes that rows still lack, if it is time to look for them.
  func fetchAssets() throws {
    while !shouldStop() {
      let now = configuration.now()
      let due = try database.readSnapshot { db in
        try KnownAssets(db: db).due(at: now, byteLimit: Self.assetBudget)
      }
      guard !due.isEmpty else { return }
      let zones = try zones()
      let found = try due.map { entry, zoneID in
        let zone = zones.first { $0.id == zoneID }
        return (entry: entry, bytes: try zone.flatMap { try readAsset(entry.reference, in: $0) })
      }
      let report = try applying { applier in
        for (entry, bytes) in found {
          try applier.fill(entry, with: bytes, retry: now + backOff(entry.attempts + 1))
        }
      }
      sayFetched(
        modified: report.modified.map { .init(type: $0.type, name: $0.name) }, deleted: [])
      say(report)
    }
  }

  /// Nil when the asset itself is the matter: synchronization goes on without it.
  func readAsset(_ reference: AssetReference, in zone: SyncZone) throws -> Data? {
    do {
      return try zone.log.readAsset(reference)
    } catch let error as CloudError {
      switch error.code {
      // Not there, or not yet: it is waited for, see `SyncWaitingRecord`.
      case .assetFileNotFound: return nil
      case .assetNotAvailable, .permissionFailure:
        assetFailures.fetching = error
        return nil
      default: throw error
      }
    }
  }

  /// Publishes the assets of a batch.
  ///
  /// A record with one that is too large is left out, with its error.
  func publishAssets(
    of items: [OutgoingBatch.Item], in zone: SyncZone
  ) throws -> (items: [OutgoingBatch.Item], failures: [String: CloudError]) {
    var failures: [String: CloudError] = [:]
    let items = try items.compactMap { item in
      do {
        return try publishAssets(of: carryAssets(of: item, to: zone), in: zone)
      } catch let error as CloudError
        where [.limitExceeded, .quotaExceeded].contains(error.code)
      {
        failures[item.name] = error
        return nil
      }
    }
    // What is small may have room where an asset has none; else there is none at all.
    if let full = failures.values.first(where: { $0.code == .quotaExceeded }) {
      assetFailures.sending = full
      if items.isEmpty { throw full }
    }
    return (items, failures)
  }

  private func publishAssets(
    of item: OutgoingBatch.Item, in zone: SyncZone
  ) throws -> OutgoingBatch.Item {
    guard !item.assets.isEmpty, case .save(var record, let base) = item.change else { return item }
    var item = item
    for (name, bytes) in item.assets {
      let reference = try zone.log.publishAsset(bytes)
      let clock = record.fields[name]?.clock ?? .zero
      record.fields[name] = CloudField(.asset(reference), clock)
      let entry = KnownAssets.Entry(
        recordID: item.recordID, field: name, clock: clock, reference: reference, isMissing: false)
      // Stored at once: a send that fails after this must not upload the bytes again.
      try database.write { try Self.remember(entry, bytes, in: $0) }
    }
    item.change = .save(record, base: base)
    return item
  }

  /// Notes where the bytes of a field lie now.
  ///
  /// Those that no row has go on being kept, now under their name.
  private static func remember(
    _ entry: KnownAssets.Entry, _ bytes: Data, in db: Database
  ) throws {
    let (store, known) = (MetadataStore(db: db), KnownAssets(db: db))
    let unpublished = CloudField(.asset(.unpublished(bytes)), entry.clock)
    if var record = try store.record(id: entry.recordID),
      record.unknown?.fields[entry.field] == unpublished
    {
      record.unknown?.fields[entry.field]?.value = .asset(entry.reference)
      try store.save(record)
      try known.save(entry, keeping: bytes)
    } else if var image = try Quarantine(db: db).version(of: entry.recordID),
      image.fields[entry.field] == unpublished
    {
      image.fields[entry.field]?.value = .asset(entry.reference)
      // It has waited already, and keeps its age.
      try Quarantine(db: db).keep(entry.recordID, image, reason: .unknownTable, now: 0)
      try known.save(entry, keeping: bytes)
    } else {
      try known.save(entry)
    }
  }

  /// Assets that a record names are gone from the cloud.
  ///
  /// Bytes that the row has are published again. A field whose bytes are not here either is left
  /// out: a device that has them finds it missing, and sends it.
  func publishAgain(_ item: OutgoingBatch.Item, in db: Database) throws {
    let store = MetadataStore(db: db)
    let known = KnownAssets(db: db)
    guard case .save(let sent, _) = item.change, var record = try store.record(id: item.recordID)
    else { return }
    var unsent: Set<String> = []
    for entry in try known.entries(recordID: item.recordID)
    where sent.fields[entry.field]?.value == .asset(entry.reference) {
      guard tables[item.type]?.columnsByName[entry.field] != nil else { continue }
      try known.forget(recordID: item.recordID, field: entry.field)
      if entry.isMissing {
        record.setClock(.zero, of: entry.field)
      } else {
        unsent.insert(entry.field)
      }
    }
    if var unknown = record.unknown {
      unknown.fields = unknown.fields.filter { !$0.value.value.isAsset }
      record.unknown = unknown.fields.isEmpty ? nil : unknown
    }
    try store.save(record)
    // It may have been found out only after the commit.
    let pending = try store.outbox.change(of: item.recordID)
    let fields = pending.map { $0.fields?.union(unsent) } ?? unsent
    let isNoted = pending.map { $0.fields == fields } ?? unsent.isEmpty
    guard !isNoted, let tableID = tables[item.type]?.id else { return }
    try store.outbox.set(
      PendingChange(kind: .save, fields: fields), id: item.recordID, tableID: tableID,
      now: configuration.now())
  }
}
