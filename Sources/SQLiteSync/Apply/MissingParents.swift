import GRDB
import SQLiteSyncCloud

/// Rows that SQLite refuses because a parent is missing.
extension Applier {
  /// Does what is decided about a row that SQLite refused because a parent is missing.
  mutating func resolveMissingParent(_ change: RowChange, error: DatabaseError) throws {
    var latest = change.merge.record.latest
    if change.hasRow {
      latest = max(latest, try latestBelow(table: change.table, key: change.key))
    }
    let parents = try missingParents(of: change)
    switch Orphaned.of(parents, latest: latest) {
    case .wait(let needs):
      try keepInQuarantine(change, reason: .missingParent, needs: needs, error: nil)
    case .die(let death): try die(change, latest: latest, with: parents.first, death: death)
    case .letGo(_, _, let death) where try isReadOnly(change.merge.record):
      try die(change, latest: latest, with: parents.first, death: death)
    case .letGo(let column, let value, let death):
      try retry(change, column: column, value, death: death)
    case .refuse:
      try keepInQuarantine(change, reason: .refused, needs: nil, error: error.message ?? "\(error)")
    }
  }

  func missingParents(of change: RowChange) throws -> [Orphaned.Parent] {
    try change.table.foreignKeys.compactMap { foreignKey in
      guard let table = tables[foreignKey.table] else { return nil }
      let value =
        foreignKey.column == change.table.key
        ? change.key
        : change.record.fields[foreignKey.column].flatMap {
          String.fromDatabaseValue(DatabaseValue($0.value))
        }
      guard let key = value.map(table.foldedKey),
        try !RowStore(db: db, table: table).exists(key: key)
      else { return nil }
      let name = table.recordName(of: key)
      // A row that refers to itself brings that one along.
      guard name != change.record.name else { return nil }
      let record = try store.record(tableID: table.id, key: key)
      return Orphaned.Parent(
        name: name, recordID: record?.id, death: try record.flatMap(timeOfDeletion),
        isWaiting: try isWaiting(name), column: foreignKey.column,
        replacement: record?.isAlive == false
          ? try tables.value(of: foreignKey, in: change.table, losing: key, in: db) : nil)
    }
  }

  /// When the deletion was made that a record did not survive; nil when it lives, or nobody knows
  /// that it does not.
  ///
  /// Where that names another record, on which it depended, its own death says only how much was
  /// known of it.
  func timeOfDeletion(of record: RecordMetadata) throws -> FieldClock? {
    guard var death = record.death, !record.isAlive, !record.isDeathInferred else { return nil }
    var seen: Set<Int64> = []
    var next = record
    while next.death?.isOrphans == true, let id = next.parentID, seen.insert(id).inserted,
      let parent = try store.record(id: id), !parent.isAlive
    {
      death = max(death, parent.death ?? .zero)
      next = parent
    }
    return death
  }

  /// When a row died that went with its parent.
  ///
  /// What lives in another zone, as a person's own tags do, can come back with the parent, and then
  /// has to be later than its deletion: devices may read it first.
  ///
  /// - Parameters:
  ///   - record: The row's record.
  ///   - latest: Its latest edit, or that of a row below it.
  ///   - parentID: The parent's record.
  ///   - death: When the parent was deleted.
  func death(
    ofOrphan record: RecordMetadata, latest: FieldClock, below parentID: Int64?, death: FieldClock
  ) throws -> FieldClock {
    let own = latest.orphaned(by: death)
    let parent = try parentID.flatMap(store.record)
    return parent?.zoneID == record.zoneID ? own : max(own, death)
  }

  private mutating func die(
    _ change: RowChange, latest: FieldClock, with parent: Orphaned.Parent?, death: FieldClock
  ) throws {
    if change.hasRow {
      let refusal = try refusal { applier in
        try applier.removeRow(
          table: change.table, key: change.key, local: change.local, death: death, by: change.copy)
      }
      if let refusal {
        try keepInQuarantine(change, reason: .refused, needs: nil, error: refusal)
        return
      }
      // The row went as it was before the version.
      try amendImage(of: change)
    } else {
      // Nobody has seen it here, and elsewhere it may have been seen by a device that signed out.
      try History(db: db, now: now).addRow(
        of: change.table, key: change.key, values: values(of: change),
        clock: change.merge.record.latest, death: death)
    }
    // What waits for it goes with it, too.
    let latest = max(latest, try quarantine.latestWaiting(forRecord: change.merge.record.id))
    let own = try self.death(
      ofOrphan: change.merge.record, latest: latest, below: parent?.recordID, death: death)
    try storeOrphan(
      change.merge.record, below: parent?.recordID, death: own, table: change.table)
    // To what waits for it happens what happens to rows that depend on it.
    try retryQuarantined(waitingFor: change.record.name)
  }

  /// Writes the row with the foreign key's own action done to it.
  private mutating func retry(
    _ change: RowChange, column: String, _ value: DatabaseValue, death: FieldClock
  ) throws {
    var image = change.record
    let clock = image.fields[column]?.clock ?? .zero
    image.fields[column] = CloudField(value.cloudValue, clock.orphaned(by: death))
    let copy = change.copy
    let defers = rivals.mode
    // What is unsent of it is noted below.
    rivals.mode = .contending
    defer { rivals.mode = defers }
    try apply(
      image,
      of: ServerCopy(
        content: .record(image), tag: copy.tag, author: copy.author, device: copy.device),
      name: RecordName.parsing(image.name), table: change.table, belonging: .here)
    guard let record = try store.record(tableID: change.table.id, key: change.key),
      let id = record.id
    else { return }
    try store.outbox.add([column], of: id, tableID: change.table.id, now: now)
  }
}

extension FieldClock {
  /// The clock of what the deletion of a parent does to a row that is not named with it, or to that
  /// row's foreign key: just after this one, which is the latest that is known.
  ///
  /// The device that deleted the parent did not know of the row, or had it said what becomes of it.
  /// So an edit that nobody has heard of yet, which may put the row elsewhere, is not one that the
  /// deletion came after. The same on every device, and later than no edit but this one.
  func orphaned(by death: FieldClock) -> FieldClock {
    guard self > .zero else { return death }
    let next = edited(atMilliseconds: 0, device: 0)
    return self < death ? min(next, death) : next
  }

  /// Whether it is when a row was deleted that the deletion of its parent does not name.
  var isOrphans: Bool { device == 0 && self > .zero }
}
