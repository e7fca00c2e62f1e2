import Foundation
import GRDB
import SQLiteSyncCloud

/// The next changes to send: parents before children, then deletions, children first.
struct OutgoingBatch {
  /// One change, with what must be published before it is committed.
  struct Item {
    /// What a change is about.
    enum Kind {
      /// An edit or a deletion of a row.
      case edit
      /// Who may do what in the zone.
      case share
      /// What is left of a record that lives in another zone.
      case staleCopy
    }

    var kind = Kind.edit
    /// The number of the record; 0 for a share.
    let recordID: Int64
    let type: String
    var change: CloudChange
    /// Fields whose bytes are too many for a commit.
    var assets: [String: Data] = [:]
    /// What the record names and this device does not have.
    var absentAssets: [KnownAssets.Entry] = []
    /// Whether it is what the row and its metadata say, and nothing besides: see
    /// `Applier.acknowledge`.
    var isPlain = false

    var name: String {
      switch change {
      case .save(let record, _): record.name
      case .delete(let tombstone, _): tombstone.name
      }
    }

    var isDeletion: Bool {
      if case .delete = change { true } else { false }
    }

    var event: SyncEvent.Change {
      SyncEvent.Change(record: .init(type: type, name: name), isDeletion: isDeletion)
    }
  }

  /// A row that cannot be written down in the cloud without altering it.
  struct Unsendable {
    let recordID: Int64
    let record: SyncEvent.Record
    let error: CloudError
  }

  /// What comes of looking at a pending save.
  fileprivate enum Save {
    case item(Item)
    case unsendable(Unsendable)
    /// There is nothing to send of the record any more.
    case needless(Int64)
  }

  var items: [Item] = []
  /// What stays here, with its reason.
  var unsendable: [Unsendable] = []
  /// Why the zone's share cannot be sent.
  var refusedShare: CloudError?
  /// Bytes of the values of saves, roughly.
  fileprivate var byteCount = 0
  /// Bytes that are to be published for them.
  fileprivate var assetByteCount = 0

  /// Bytes of values in one batch: half of what a commit may have, because JSON needs more.
  static let byteBudget = CloudLimits.commitBytes / 2
  /// Bytes that are in memory at once to be published, unless one record alone has more.
  static let assetBudget = 32 << 20
}

/// Builds batches from the outbox.
struct BatchBuilder {
  let db: Database
  let tables: TableOrder
  /// The zone to send to.
  let zoneID: Int64
  let now: Int64
  var limit = CloudLimits.operationsPerCommit

  var store: MetadataStore { MetadataStore(db: db) }

  /// The next batch.
  ///
  /// Changes that came to nothing leave the outbox here.
  func next() throws -> OutgoingBatch {
    var batch = OutgoingBatch()
    guard try addShare(to: &batch) else { return batch }
    for table in tables.tables {
      // To compile the query for a table takes longer than to ask whether there is anything.
      guard batch.items.count < limit, try store.outbox.hasAny(.save, ofTable: table.id) else {
        continue
      }
      let rows = try store.outbox.dueSaves(
        of: table, zoneID: zoneID, now: now, limit: limit - batch.items.count)
      let (isFull, needless) = try batch.add { try rows.next().map { try save($0, table: table) } }
      for id in needless { try store.outbox.remove(id) }
      if isFull { return batch }
    }
    for tableID in try takenOut() {
      var ids = try pending(.save, tableID: tableID, limit: limit - batch.items.count)
        .makeIterator()
      let (isFull, needless) = try batch.add {
        try ids.next().map { try quarantinedSave($0).map { .item($0) } ?? .needless($0) }
      }
      for id in needless { try store.outbox.remove(id) }
      if isFull { return batch }
      let deletions = try pending(.delete, tableID: tableID, limit: limit - batch.items.count)
      batch.items += try deletions.compactMap { try quarantinedDeletion($0, tableID: tableID) }
    }
    for table in tables.tables.reversed() {
      for id in try pending(.delete, tableID: table.id, limit: limit - batch.items.count) {
        guard let item = try deletion(id, table: table) else { continue }
        batch.items += try held(below: id, limit: limit - batch.items.count)
        for reason in [Quarantine.Reason.unknownTable, .missingParent] {
          batch.add(try detached(childrenOf: id, reason, limit: limit - batch.items.count))
        }
        // Full: the deletion comes with the next one.
        guard batch.items.count < limit else { return batch }
        batch.items.append(item)
      }
    }
    for table in tables.tables.reversed() {
      for item in try staleCopies(of: table, limit: limit - batch.items.count) {
        batch.add(
          try detached(
            childrenOf: item.recordID, .missingParent, limit: limit - batch.items.count))
        guard batch.items.count < limit else { return batch }
        batch.items.append(item)
      }
    }
    return batch
  }

  /// Adds what is to be said of the zone's share; returns whether anything else may be sent there.
  ///
  /// Not as long as the cloud does not know the share at all: what is in the zone would belong
  /// nowhere.
  private func addShare(to batch: inout OutgoingBatch) throws -> Bool {
    guard var share = try ZoneShare(of: zoneID, in: db), share.edited != nil else { return true }
    if share.mend() { try share.save(in: db) }
    if let refusal = share.refusal {
      batch.refusedShare = refusal
      return share.tag != nil
    }
    guard let record = share.edited else { return true }
    batch.items.append(
      OutgoingBatch.Item(
        kind: .share, recordID: 0, type: record.type, change: .save(record, base: share.tag)))
    return true
  }

  /// The versions of records that live in another zone by now.
  private func staleCopies(of table: TableSchema, limit: Int) throws -> [OutgoingBatch.Item] {
    let ids = try StaleCopies(db: db).deletable(
      in: zoneID, tableID: table.id, now: now, limit: limit)
    return try ids.compactMap { try staleCopy(ofRecord: $0) }
  }

  /// Versions that are held and depend on a record that is deleted, children first: it cannot go
  /// before them, and nobody else may be there to delete them.
  private func held(below id: Int64, limit: Int) throws -> [OutgoingBatch.Item] {
    let death = try store.record(id: id)?.death ?? .zero
    return try StaleCopies(db: db).held(below: id, in: zoneID).prefix(limit).compactMap {
      try staleCopy(ofRecord: $0, deadSince: death)
    }
  }

  /// The deletion of what the zone has of a record: one that lives elsewhere is deleted with a
  /// clock that kills nothing.
  private func staleCopy(
    ofRecord id: Int64, deadSince death: FieldClock = .zero
  ) throws -> OutgoingBatch.Item? {
    guard let record = try store.record(id: id), let name = try store.name(ofRecord: id),
      let version = try StaleCopies(db: db).version(ofRecord: id, in: zoneID)
    else { return nil }
    let tombstone = Tombstone(
      name: name, type: RecordName.parsing(name).table,
      clock: record.isAlive ? StaleCopies.clock : max(death, record.death ?? .zero))
    return OutgoingBatch.Item(
      kind: .staleCopy, recordID: id, type: tombstone.type,
      change: .delete(tombstone, base: version.tag))
  }

  private func pending(
    _ kind: PendingChange.Kind, tableID: Int64, limit: Int
  ) throws -> [Int64] {
    try store.outbox.due(kind, tableID: tableID, zoneID: zoneID, now: now, limit: limit)
  }

  /// - Parameter row: See `Outbox.dueSaves`.
  private func save(_ row: Row, table: TableSchema) throws -> OutgoingBatch.Save {
    let metadata = try store.decode(row)
    let start = MetadataStore.columns.count
    let (id, hasRow): (Int64, Bool) = try (row.read(0), row.read(start + 2))
    guard hasRow else {
      // It was set aside with what is unsent of it.
      let isKept = try Quarantine(db: db).setAside(id) != nil
      return try (isKept ? quarantinedSave(id) : nil).map { .item($0) } ?? .needless(id)
    }
    let (values, garbled) = try RowStore(db: db, table: table).exactValues(in: row, from: start + 3)
    let name = table.recordName(of: metadata.key)
    if let garbled {
      return .unsendable(
        .init(
          recordID: id, record: .init(type: table.name, name: name),
          error: CloudError(
            .invalidArguments, "The text in \(garbled) holds NUL, or is not UTF-8.",
            hint: "Write another text; until then the row stays as it is, here only.")))
    }
    var record = CloudRecord(
      name: name, type: table.name,
      parent: try EarlierParent(db: db, tables: tables).inLog(of: metadata, in: table) { name in
        zip(table.columns, values).first { $0.0.name == name }?.1
      },
      life: metadata.life, fields: metadata.unknown?.fields ?? [:])
    var item = OutgoingBatch.Item(
      recordID: id, type: table.name, change: .save(record, base: metadata.tag))
    let hasAssets: Bool = try row.read(start + 1)
    let entries = hasAssets ? try KnownAssets(db: db).entries(recordID: id) : []
    for (column, value) in zip(table.columns, values) {
      let clock = metadata.clock(of: column.name)
      // A column that nobody has written yet is left out: absent, not its default.
      guard clock > .zero else { continue }
      if case .blob(let bytes) = value.storage, bytes.count > CloudLimits.inlineBytes {
        // Where the bytes lie already, if nobody has edited the field since.
        let entry = entries.first { $0.field == column.name }
        let isThere = entry?.clock == clock && entry?.reference.isUnpublished == false
        let reference = isThere ? entry?.reference : nil
        if reference == nil { item.assets[column.name] = bytes }
        record.fields[column.name] = CloudField(reference.map { .asset($0) } ?? .null, clock)
      } else {
        record.fields[column.name] = CloudField(value.cloudValue, clock)
      }
    }
    let kept = try (row.read(start) as Data?).map(MetadataStore.unknown)?.fields
    for (name, field) in kept ?? [:] where field.clock > record.fields[name]?.clock ?? .zero {
      record.fields[name] = field
    }
    // The row has older bytes than the cloud, which keeps the newer.
    for entry in entries where entry.isMissing && record.fields[entry.field]?.clock == entry.clock {
      record.fields[entry.field] = CloudField(.asset(entry.reference), entry.clock)
      item.absentAssets.append(entry)
    }
    try takeUnpublished(from: &record, into: &item)
    item.isPlain =
      try !addNotes(to: &record, of: metadata, in: table) && kept == nil && entries.isEmpty
      && item.assets.isEmpty && metadata.isPlain(in: table)
    item.change = .save(record, base: metadata.tag)
    return .item(item)
  }

  /// Bytes of a column that was taken out before they were sent are kept, and are sent like those
  /// of a row.
  func takeUnpublished(
    from record: inout CloudRecord, into item: inout OutgoingBatch.Item
  ) throws {
    let known = KnownAssets(db: db)
    for (name, field) in record.fields {
      guard case .asset(let reference) = field.value, reference.isUnpublished else { continue }
      item.assets[name] = try known.keptBytes(recordID: item.recordID, field: name, of: reference)
      // Without them there is nothing to say of the field.
      record.fields[name] = item.assets[name] == nil ? nil : CloudField(.null, field.clock)
    }
  }

  private func deletion(_ id: Int64, table: TableSchema) throws -> OutgoingBatch.Item? {
    guard let metadata = try store.record(id: id), let death = metadata.death else {
      try store.outbox.set(nil, id: id, tableID: table.id, now: now)
      return nil
    }
    let tombstone = Tombstone(
      name: table.recordName(of: metadata.key), type: table.name, clock: death)
    return OutgoingBatch.Item(
      recordID: id, type: table.name, change: .delete(tombstone, base: metadata.tag))
  }

  /// Lets go of children that are kept for a reason.
  ///
  /// If this version has no table for them, what their foreign key does when the parent is deleted
  /// only a version that has it knows, and that one does it when it fetches the deletion. And those
  /// that wait for another parent: whoever wrote them said in the log that they depend on this one.
  private func detached(
    childrenOf id: Int64, _ reason: Quarantine.Reason, limit: Int
  ) throws -> [OutgoingBatch.Item] {
    let quarantine = Quarantine(db: db)
    return try quarantine.children(ofRecord: id, reason, limit: limit).compactMap { child in
      guard var record = try quarantine.version(of: child),
        let known = try store.record(id: child), let tag = known.tag,
        // Those in another zone do not keep it from being deleted in this one.
        known.zoneID == zoneID
      else { return nil }
      record.parent = nil
      return OutgoingBatch.Item(
        recordID: child, type: record.type, change: .save(record, base: tag))
    }
  }
}

extension RecordMetadata {
  /// Whether the record is what its row and its clocks say, and lives.
  fileprivate func isPlain(in table: TableSchema) -> Bool {
    unknown == nil && isAlive && death != .limit
      && exceptions.keys.allSatisfy { table.columnsByName[$0] != nil }
  }
}

extension OutgoingBatch {
  /// Adds changes of records that have none in the batch already.
  fileprivate mutating func add(_ others: [Item]) {
    let ids = others.isEmpty ? [] : Set(items.map(\.recordID))
    items += others.filter { !ids.contains($0.recordID) }
  }

  /// Adds saves as far as there is room; returns whether there was not enough for all, and the
  /// records of which there is nothing to send any more.
  fileprivate mutating func add(
    _ next: () throws -> Save?
  ) throws -> (isFull: Bool, needless: [Int64]) {
    var needless: [Int64] = []
    while let save = try next() {
      let item: Item
      switch save {
      case .item(let found): item = found
      case .unsendable(let found):
        unsendable.append(found)
        continue
      case .needless(let id):
        needless.append(id)
        continue
      }
      byteCount += item.byteEstimate
      assetByteCount += item.assets.values.reduce(0) { $0 + $1.count }
      let isFull = byteCount > Self.byteBudget || assetByteCount > Self.assetBudget
      if isFull, !items.isEmpty { return (true, needless) }
      items.append(item)
    }
    return (false, needless)
  }
}

extension OutgoingBatch.Item {
  /// Roughly the bytes of this change in a commit file.
  fileprivate var byteEstimate: Int {
    guard case .save(let record, _) = change else { return 200 }
    return record.fields.reduce(200) { total, field in
      switch field.value.value {
      case .text(let text): total + field.key.utf8.count + text.utf8.count + 30
      case .bytes(let bytes): total + field.key.utf8.count + bytes.count * 4 / 3 + 30
      default: total + field.key.utf8.count + 40
      }
    }
  }
}
