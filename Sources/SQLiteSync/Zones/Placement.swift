import GRDB
import SQLiteSyncCloud

/// Where records live: with the root of their chain of parents.
///
/// A root lives in the zone that shares it, else in the account's own zone. So do joins of two
/// tables and the rows of private tables. What others share stays where it is unless its row is
/// given another parent.
struct Placement {
  let db: Database
  let tables: TableOrder
  let now: Int64

  private var store: MetadataStore { MetadataStore(db: db) }
  private var staleCopies: StaleCopies { StaleCopies(db: db) }
  private var quarantine: Quarantine { Quarantine(db: db) }

  /// Whether there is more than one place to be, or something is to be sent from one that is gone:
  /// a row that was deleted in it, and made anew since.
  ///
  /// A device that shares nothing pays nothing.
  static func isNeeded(in db: Database) throws -> Bool {
    try Zones(db: db).isAnyShared() || MetadataStore(db: db).isAnyPendingElsewhere()
  }

  /// Moves what is to be sent to where it belongs, also when it may not be written there: then it
  /// is taken back.
  func placePending() throws {
    guard try Self.isNeeded(in: db) else { return }
    for table in tables.tables {
      // Rows of one table can refer to each other in any order.
      while try placePending(of: table) {}
    }
  }

  private func placePending(of table: TableSchema) throws -> Bool {
    var hasMoved = false
    for id in try store.outbox.records(ofTable: table.id) {
      guard let record = try store.record(id: id) else { continue }
      if try store.outbox.change(of: id)?.kind == .delete {
        try placeDeletion(of: record, id: id)
      } else if try place(record, id: id, table: table) {
        hasMoved = true
      }
    }
    return hasMoved && table.parentKey?.table == table.name
  }

  /// A row that was deleted before it arrived in its new place is deleted in the old one; where the
  /// zone of the record has ended, nobody is left to be told.
  private func placeDeletion(of record: RecordMetadata, id: Int64) throws {
    guard try record.tag == nil || Zones(db: db).exists(record.zoneID) else {
      return try store.outbox.remove(id)
    }
    guard record.tag == nil, let back = try staleCopies.movedBack(record) else { return }
    try store.save(back)
  }

  /// Moves a record to where it belongs; returns whether it was elsewhere.
  ///
  /// - Parameter countsWaiting: See `home`.
  @discardableResult
  func place(
    _ record: RecordMetadata, id: Int64, table: TableSchema, countsWaiting: Bool = false
  ) throws -> Bool {
    guard !record.isNowhere,
      let home = try home(of: record, table: table, countsWaiting: countsWaiting),
      home != record.zoneID
    else { return false }
    try move(record, id: id, to: home)
    try store.outbox.set(
      PendingChange(kind: .save, fields: nil), id: id, tableID: table.id, now: now)
    try placeBelow(table, key: record.key)
    return true
  }

  /// What depends on a row that moved moves with it.
  func placeBelow(_ table: TableSchema, key: String) throws {
    for (child, foreignKey) in tables.references(to: table.name)
    where child.parentKey == foreignKey || child.isJoin {
      let keys = try RowStore(db: db, table: child).keys(
        referringTo: key.databaseValue, by: foreignKey)
      for childKey in keys {
        let record = try store.record(tableID: child.id, key: child.foldedKey(childKey))
        guard let record, let id = record.id, record.isAlive else { continue }
        try place(record, id: id, table: child)
      }
    }
    guard let id = try store.record(tableID: table.id, key: key)?.id else { return }
    for below in try quarantine.setAside(below: id) {
      guard let record = try store.record(id: below), record.isAlive,
        let child = tables[id: record.tableID]
      else { continue }
      try place(record, id: below, table: child)
    }
  }

  /// Moves what this account shares of tables to where it belongs by their present foreign keys.
  ///
  /// - Parameter countsWaiting: See `home`.
  func placeShared(of tables: [TableSchema], countsWaiting: Bool = false) throws {
    for (zone, _) in try Zones(db: db).own() {
      for table in tables where !table.isEngines {
        for id in try store.ids(inZone: zone, table: table.id) {
          guard let record = try store.record(id: id) else { continue }
          try place(record, id: id, table: table, countsWaiting: countsWaiting)
        }
      }
    }
  }

  /// Moves the records of tables that this version of the app does not have out of a zone that
  /// ends: each goes where the record is on which it depends.
  ///
  /// Nobody would look for them there: a new device does not read what is not shared any more. What
  /// depends on nothing was let go of when its parent was deleted. It goes to the account's own
  /// zone: whoever has its table does there what its foreign key says, and has it in the history.
  func placeUnknown(from zoneID: Int64) throws {
    let known = Set(tables.tables.map(\.id))
    let unknown = try store.ids(inZone: zoneID).compactMap { try store.record(id: $0) }
      .filter { !known.contains($0.tableID) && $0.isAlive }
    // They may refer to each other: those come after what they depend on.
    let below = Dictionary(grouping: unknown, by: \.parentID)
    var next = try unknown.filter { try homeOfParent(of: $0).map { $0 != zoneID } ?? false }
    while let record = next.popLast() {
      guard let id = record.id, let home = try homeOfParent(of: record), home != zoneID else {
        continue
      }
      try move(record, id: id, to: home)
      try store.outbox.set(
        PendingChange(kind: .save, fields: nil), id: id, tableID: record.tableID, now: now)
      next += below[id] ?? []
    }
  }

  /// Where the record lives on which one depends in the log; nil when that is dead.
  private func homeOfParent(of record: RecordMetadata) throws -> Int64? {
    guard let parentID = record.parentID else { return SyncZone.defaultID }
    return try store.record(id: parentID).flatMap {
      $0.isAlive && !$0.isNowhere ? $0.zoneID : nil
    }
  }

  /// A record that was deleted where it moved to, as the cloud knows, is deleted where it was
  /// before, as any other: what was made below it there since brings it back.
  func moveBack(_ record: RecordMetadata, id: Int64, to zoneID: Int64) throws {
    guard record.isTombstone, let version = try staleCopies.version(ofRecord: id, in: zoneID),
      !version.isHeld
    else { return }
    var record = record
    record.move(to: zoneID, over: version)
    try staleCopies.forget(recordID: id, in: zoneID)
    try store.save(record)
    try store.outbox.set(
      PendingChange(kind: .delete, fields: []), id: id, tableID: record.tableID, now: now)
  }

  /// The version in the old zone stays behind, and what the new zone has is what is saved over.
  func move(_ record: RecordMetadata, id: Int64, to zoneID: Int64) throws {
    var record = record
    let there = try staleCopies.version(ofRecord: id, in: zoneID)
    if let staleCopy = record.staleCopy { try staleCopies.save(staleCopy, ofRecord: id) }
    try staleCopies.forget(recordID: id, in: zoneID)
    record.move(to: zoneID, over: there)
    try store.save(record)
    try quarantine.removeIgnored(id)
    // Its rank is another one now.
    if try quarantine.hasLosers(), let name = try store.name(ofRecord: id) {
      try quarantine.release(losersTo: name, orRecord: id)
    }
    // Bytes lie beside the log of their zone: they are published again.
    try KnownAssets(db: db).forgetPlaces(recordID: id)
  }

  /// Whether this account may take a record out of one zone and put it into another.
  func mayMove(from zoneID: Int64, to home: Int64) throws -> Bool {
    try access(to: zoneID) != .read && access(to: home) != .read
  }

  private func access(to zoneID: Int64) throws -> ZoneAccess? {
    try Zones(db: db).access(to: zoneID)
  }

  /// Where a record belongs; nil when its row does not say so yet.
  ///
  /// - Parameter countsWaiting: Whether what came and is not applied yet decides where it can, and
  ///   else the row as it is: it is about to be applied.
  func home(
    of record: RecordMetadata, table: TableSchema, countsWaiting: Bool = false
  ) throws -> Int64? {
    let row = try RowStore(db: db, table: table).values(ofKey: record.key)
    // What is set aside belongs where its row did.
    let kept = try row == nil ? record.id.flatMap { try quarantine.setAside($0)?.image } : nil
    guard row != nil || kept != nil else { return nil }
    func value(_ column: String) -> DatabaseValue? {
      row?[column] ?? kept?.fields[column].map { DatabaseValue($0.value) }
    }
    let earlier = EarlierParent(db: db, tables: tables)
    if try earlier.isShared(record, in: table) { return record.zoneID }
    if try earlier.staysBelowAnother(record, in: table, value) { return record.zoneID }
    guard let foreignKey = table.parentKey else {
      let parent = try earlier.of(record, in: table, value)
      guard let parent else { return try homeOfRoot(record, table: table) }
      return parent.isNowhere ? nil : parent.zoneID
    }
    // What came and cannot be applied yet says otherwise, and later.
    let waiting = try record.id.flatMap(quarantine.version)?.fields[foreignKey.column]
    if kept == nil, let waiting, waiting.clock > record.clock(of: foreignKey.column) {
      guard countsWaiting else { return nil }
      let there = DatabaseValue(waiting.value)
      if let home = try homeOfParent(there, by: foreignKey, of: record) { return home }
    }
    return try homeOfParent(
      foreignKey.column == table.key
        ? record.key.databaseValue : value(foreignKey.column) ?? .null, by: foreignKey, of: record)
  }

  /// Where the row lives to which a foreign key refers by a value; nil when that is not known.
  private func homeOfParent(
    _ value: DatabaseValue, by foreignKey: TableSchema.ForeignKey, of record: RecordMetadata
  ) throws -> Int64? {
    guard let key = String.fromDatabaseValue(value), let parent = tables[foreignKey.table],
      parent.id != record.tableID || parent.foldedKey(key) != record.key
    else { return SyncZone.defaultID }
    return try store.record(tableID: parent.id, key: parent.foldedKey(key)).flatMap {
      $0.isNowhere ? nil : $0.zoneID
    }
  }

  /// The zone in which this account shares a row, once it is known how: nobody reads rows in a zone
  /// without a share record, and the device that was to send one may be gone.
  private func homeOfRoot(_ record: RecordMetadata, table: TableSchema) throws -> Int64 {
    guard table.isRoot || table.isPrivate else { return SyncZone.defaultID }
    let access = try access(to: record.zoneID)
    // Also of a table that is private since: the row is still theirs.
    if let access, access != .owner { return record.zoneID }
    guard table.isRoot else { return SyncZone.defaultID }
    return try SharedZones(db: db).zone(ofRoot: table.recordName(of: record.key), isKnown: true)
      ?? SyncZone.defaultID
  }
}

/// What this account may do in a zone.
enum ZoneAccess: String {
  case owner
  case write
  case read
}

extension TableSchema {
  /// Whether rows can be shared: they depend on nothing, and the table is not private.
  var isRoot: Bool { !isPrivate && foreignKeys.isEmpty }
}
