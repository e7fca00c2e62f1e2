import GRDB
import SQLiteSyncCloud

/// Deletions, and what depends on a deleted row.
///
/// A record that lives keeps its parent alive: if a row below a deleted one was created, moved or
/// edited later than the deletion, the deleted row is revived with that row's clock, the same on
/// every device. Otherwise the foreign key's own action happens, just after the row's latest edit.
extension Applier {
  /// A deletion, with what it takes along.
  struct Removal {
    /// The rows that are being deleted, each with those below it.
    var dying: Set<RowName> = []
    /// Those of them, and of the rows that go with them, that the history has already.
    var kept: Set<RowName> = []
    /// Whether it can be put off: see `refusal`.
    var canWait = false
  }

  /// Does what is decided about the deletion of a record.
  mutating func apply(_ tombstone: Tombstone, of copy: ServerCopy) throws {
    let name = RecordName.parsing(tombstone.name)
    let table = name.table == tombstone.type ? tables[name.table] : nil
    let known = try known(tombstone, of: copy, name: name, table: table)
    // The zone has no other version of it, also where that was put aside and lives nowhere.
    if let id = known.metadata.id { try StaleCopies(db: db).forget(recordID: id, in: zoneID) }
    if known.elsewhere == nil, table != nil, known.metadata.tag == copy.tag {
      report.known.insert(tombstone.name)
    }
    switch Deletion.of(tombstone, in: copy, known: known) {
    case .ignore: break
    case .delete(let merge): try delete(known, merge, by: copy)
    case .outlive(let merge):
      try store.outbox.set(
        merge.pending, id: store.save(merge.record), tableID: merge.record.tableID, now: now)
      report.lost.insert(tombstone.name)
    case .revive(let record):
      try revive(record, name: tombstone.name, type: tombstone.type)
      if known.elsewhere == nil {
        report.lost.insert(tombstone.name)
      } else if let id = record.id {
        try quarantine.remove(id)
      }
    case .bury(let record): try table.map { try bury(record, table: $0, by: copy) }
    case .note(let record): try store.save(record)
    case .moveAway: try noteMovedAway(known.metadata)
    case .forget(let record, let keepsEdit): try forgetUnknown(record, keepsEdit: keepsEdit)
    }
  }

  /// Deletes what the cloud has deleted, and its row if it has one; what SQLite refuses is kept.
  private mutating func delete(
    _ known: KnownRecord, _ merge: RecordMerge, by copy: ServerCopy
  ) throws {
    let record = merge.record
    if known.hasRow, let table = known.table, let death = record.death,
      let refusal = try refusal(of: { applier in
        try applier.removeRow(
          table: table, key: record.key, local: known.metadata, death: death, by: copy)
      })
    {
      try keepUndeletable(record, table: table, error: refusal)
      report.lost.insert(copy.name)
      return
    }
    let id = try store.save(record)
    try store.outbox.set(merge.pending, id: id, tableID: record.tableID, now: now)
    if let table = known.table { try release(losersTo: record, of: table) }
    try quarantine.remove(id)
    try KnownAssets(db: db).dropBytes(recordID: id)
    // What waits for it was let go of in the log, by a device that does not know its table.
    if known.table != nil { try retryQuarantined(waitingFor: copy.name) }
  }

  /// The latest edit of the rows that refer to this one, directly or by others.
  func latestBelow(table: TableSchema, key: String) throws -> FieldClock {
    var seen: Set = [RowName(table, key)]
    return try latestBelow(table: table, key: key, seen: &seen)
  }

  private func latestBelow(
    table: TableSchema, key: String, seen: inout Set<RowName>
  ) throws -> FieldClock {
    var latest = FieldClock.zero
    for (child, _, childKey) in try rowsBelow(table, key: key)
    where seen.insert(RowName(child, childKey)).inserted {
      latest = max(latest, try store.record(tableID: child.id, key: childKey)?.latest ?? .zero)
      latest = max(latest, try latestBelow(table: child, key: childKey, seen: &seen))
    }
    return latest
  }

  /// The rows that refer to a row directly, each with its folded key; not the row itself.
  ///
  /// Rows of one table may refer to each other in a circle: two devices can make one together.
  func rowsBelow(
    _ table: TableSchema, key: String
  ) throws -> [(table: TableSchema, foreignKey: TableSchema.ForeignKey, key: String)] {
    try tables.references(to: table.name).flatMap { child, foreignKey in
      try RowStore(db: db, table: child).keys(referringTo: key.databaseValue, by: foreignKey)
        .map { (child, foreignKey, child.foldedKey($0)) }
        .filter { child.name != table.name || $0.2 != key }
    }
  }

  /// Deletes a row and does to the rows below what their foreign keys say.
  mutating func removeRow(
    table: TableSchema, key: String, local: RecordMetadata, death: FieldClock, by copy: ServerCopy
  ) throws {
    let rows = RowStore(db: db, table: table)
    // None when it is below itself, and on its way already.
    guard removal.dying.insert(RowName(table, key)).inserted else { return }
    defer {
      removal.dying.remove(RowName(table, key))
      if removal.dying.isEmpty { removal.kept = [] }
    }
    try keepDying(table: table, key: key, clock: local.latest, winner: death, by: copy)
    for (child, foreignKey, childKey) in try rowsBelow(table, key: key) {
      if let value = try value(of: foreignKey, in: child, key: childKey, losing: key) {
        try loseParent(
          child, key: childKey, column: foreignKey.column, value, death: death, by: copy)
      } else {
        try cascade(to: child, key: childKey, below: local.id, death: death, by: copy)
      }
    }
    try rows.delete(key: key)
    try release(losersTo: local, of: table)
    if isAnyUnique, let id = local.id { try quarantine.release(losersBelow: id) }
    report.deleted.append(ApplyReport.Item(type: table.name, name: table.recordName(of: key)))
  }

  /// Keeps a row that is about to be deleted, and all that will go with it.
  ///
  /// Before any of them goes: in a circle, SQLite's own cascade takes rows that nobody has come to
  /// yet.
  ///
  /// - Parameters:
  ///   - table: Its table.
  ///   - key: Its key.
  ///   - clock: When it was last edited.
  ///   - winner: When it was deleted.
  ///   - copy: The deletion.
  ///   - isWhole: Whether nothing below stays, whatever the foreign keys say.
  ///   - comesAgain: Whether it comes from another zone, with all that it has.
  mutating func keepDying(
    table: TableSchema, key: String, clock: FieldClock, winner: FieldClock, by copy: ServerCopy,
    isWhole: Bool = false, comesAgain: Bool = false
  ) throws {
    guard removal.kept.insert(RowName(table, key)).inserted else { return }
    if !comesAgain {
      try noteDeleted(table: table, key: key, clock: clock, winner: winner, by: copy)
    }
    for (child, foreignKey, childKey) in try rowsBelow(table, key: key)
    where try isWhole || value(of: foreignKey, in: child, key: childKey, losing: key) == nil {
      let record = try store.record(tableID: child.id, key: childKey)
      try keepDying(
        table: child, key: childKey, clock: record?.latest ?? .zero, winner: winner, by: copy,
        isWhole: isWhole, comesAgain: record.map(isOnItsWay) ?? false)
    }
  }

  /// What a row's foreign key becomes when its parent is deleted; nil when the row goes too.
  ///
  /// Where it may only be read, nobody can be told of another value.
  private func value(
    of foreignKey: TableSchema.ForeignKey, in table: TableSchema, key: String,
    losing parentKey: String
  ) throws -> DatabaseValue? {
    guard let value = try tables.value(of: foreignKey, in: table, losing: parentKey, in: db)
    else { return nil }
    let record = try store.record(tableID: table.id, key: key)
    return try record.map(isReadOnly) == true ? nil : value
  }

  /// Keeps a row that is about to be deleted because it was deleted elsewhere.
  private func noteDeleted(
    table: TableSchema, key: String, clock: FieldClock, winner: FieldClock, by copy: ServerCopy
  ) throws {
    guard !table.isEngines else { return }
    try History(db: db, now: now).addRow(
      of: table, key: key, clock: clock, death: winner, by: copy.author)
  }

  /// A row dies with its parent.
  mutating func cascade(
    to table: TableSchema, key: String, below parentID: Int64?, death: FieldClock,
    by copy: ServerCopy
  ) throws {
    let record = try localRecord(RecordName(key: key, table: table.name), table: table)
    guard !record.isNowhere else {
      return try removeOnItsWay(record, table: table, death: death, by: copy)
    }
    let latest = max(record.latest, try latestBelow(table: table, key: key))
    let own = try self.death(ofOrphan: record, latest: latest, below: parentID, death: death)
    // Where the parent may only be read, what is later than its deletion does not bring it back.
    try removeRow(
      table: table, key: key, local: record, death: latest <= death ? death : own, by: copy)
    try storeOrphan(record, below: parentID, death: own, table: table)
  }

  /// Stores a record whose row went with its parent's.
  ///
  /// If the cloud still has it, the deletion is to be sent by somebody who may.
  mutating func storeOrphan(
    _ record: RecordMetadata, below parentID: Int64?, death: FieldClock, table: TableSchema
  ) throws {
    if record.tag == nil, let id = record.id { try noteWithdrawn(record, id: id, table: table) }
    if try isToBeHeld(record) {
      try holdOrphan(record, below: parentID)
    } else {
      try storeDead(record, death: death, table: table)
    }
  }

  /// Stores a record whose row is gone, and sends its deletion if the cloud still has it, or has it
  /// that it was deleted earlier.
  ///
  /// The cloud may have it only in a zone that it was about to leave: it is deleted there.
  func storeDead(_ record: RecordMetadata, death: FieldClock, table: TableSchema) throws {
    let back = try record.tag == nil ? StaleCopies(db: db).movedBack(record) : nil
    let record = back ?? record
    var dead = record
    dead.death = max(record.death ?? .zero, death)
    let id = try store.save(dead)
    let before = try store.outbox.change(of: id)?.kind
    let isKnown = record.isTombstone && dead.death == record.death && before != .delete
    try store.outbox.set(
      record.tag == nil || isKnown ? nil : PendingChange(kind: .delete, fields: []), id: id,
      tableID: table.id, now: now)
  }

  /// A row whose parent dies and that lives on: its foreign key changes at the clock of the
  /// deletion.
  private mutating func loseParent(
    _ table: TableSchema, key: String, column: String, _ value: DatabaseValue, death: FieldClock,
    by copy: ServerCopy
  ) throws {
    let rows = RowStore(db: db, table: table)
    let old = try rows.values(ofKey: key)?[column] ?? .null
    var record = try localRecord(RecordName(key: key, table: table.name), table: table)
    let clock = record.clock(of: column)
    do {
      try rows.update(key: key, [column: value])
    } catch let error as DatabaseError
      where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE && table.isUnique
    {
      let field = CloudField(value.cloudValue, clock.orphaned(by: death))
      try setAside(record, of: table, with: field, in: column)
    }
    record.setClock(clock.orphaned(by: death), of: column)
    try History(db: db, now: now).add(
      .init(
        field: column, value: old, clock: clock, winner: value,
        winnerClock: record.clock(of: column)),
      tableID: table.id, key: key, winner: copy.author)
    try store.outbox.add([column], of: store.save(record), tableID: table.id, now: now)
  }
}

extension Applier {
  /// A deletion that no device has written, as a version: the owner of the zone stands for its
  /// author.
  func deletion(
    of record: RecordMetadata, in table: TableSchema, at clock: FieldClock, fromZone zoneID: Int64,
    tag: ChangeTag = .ofNoCommit
  ) throws -> ServerCopy {
    let name = table.recordName(of: record.key)
    return ServerCopy(
      content: .tombstone(Tombstone(name: name, type: table.name, clock: clock)), tag: tag,
      author: try zoneOwner(of: zoneID), device: "")
  }
}

extension ChangeTag {
  /// The tag of a version that no commit contains: it is earlier than all others.
  static let ofNoCommit = ChangeTag(epoch: 0, sequence: 0, index: 0)
}

/// A row by its table and folded key.
struct RowName: Hashable {
  private let tableID: Int64
  private let key: String

  init(_ table: TableSchema, _ key: String) {
    tableID = table.id
    self.key = key
  }
}
