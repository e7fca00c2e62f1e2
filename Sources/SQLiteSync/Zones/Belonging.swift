import GRDB
import SQLiteSyncCloud

/// Whether a record belongs in the zone in which it was found.
///
/// A zone that is shared holds the record that is shared and what depends on it by single foreign
/// keys. Whoever may write there can put anything into its log, also what has the name of a row
/// that others have elsewhere: that is known, for the rules of the log ask for it, and ignored.
enum Belonging: Equatable {
  case here
  /// It depends on a record that is not in the zone, or not yet.
  case notYet(needs: String)
  case never(reason: String)

  var isNever: Bool { if case .never = self { true } else { false } }

  /// Why it is ignored; nil when it is not.
  var objection: String? {
    switch self {
    case .here: nil
    case .notYet(let needs): "it needs \(needs), which is not in this zone"
    case .never(let reason): reason
    }
  }

  /// The record with which it may come to belong here.
  var needs: String? {
    if case .notYet(let needs) = self { needs } else { nil }
  }
}

extension Applier {
  /// Whether a record belongs in the zone that is being applied.
  ///
  /// - Parameters:
  ///   - table: Its table; nil for one that this version does not have.
  ///   - copy: Its version.
  func belonging(
    of record: CloudRecord, named name: RecordName, in table: TableSchema?, by copy: ServerCopy
  ) throws -> Belonging {
    guard zoneID != SyncZone.defaultID else { return .here }
    guard let table else {
      // What it depends on may be a field that the table, once it is here, says is a reference: a
      // record lets go of its parent in the log when that is deleted. It is decided again then.
      guard let parent = record.parent else { return .here }
      return try belonging(below: RecordName.parsing(parent))
    }
    if try record.parent == nil && isShared(record.name, in: table) { return .here }
    guard table.canBeShared else {
      if let parent = try earlierParent(of: record, named: name, in: table, by: copy) {
        return try belonging(below: parent)
      }
      return .never(reason: "rows of \(table.name) are never shared")
    }
    guard let foreignKey = table.parentKey, let parent = tables[foreignKey.table] else {
      return try belonging(ofRoot: record.name)
    }
    if let former = try formerParent(of: record, named: name, in: table) {
      return try belonging(below: former)
    }
    let value =
      foreignKey.column == table.key
      ? name.key : record.fields[foreignKey.column]?.value.text
    guard let key = value.map(parent.foldedKey), parent.name != table.name || key != name.key else {
      return .never(reason: "it depends on nothing that is shared")
    }
    let parentName = RecordName(key: key, table: parent.name)
    let belonging = try belonging(below: parentName)
    // Only of the parent that a record names do the rules of the log say that it is in the zone.
    guard parentName.description != record.parent else { return belonging }
    let known = try store.record(named: parentName, in: tables)
    // It was let go of because its parent was deleted, wherever that was by then: to it happens
    // here what its foreign key says.
    if record.parent == nil, let known, known.isDead { return .here }
    guard belonging == .here else {
      // Of its deletion nothing may be known yet.
      let mayBeDead = record.parent == nil && known?.isAlive == false
      return mayBeDead
        ? belonging : .never(reason: "it depends on \(parentName), which is not in this zone")
    }
    return known?.isKnown == true ? .here : .notYet(needs: parentName.description)
  }

  /// Whether a record is what the zone shares, although its table has a foreign key by now.
  private func isShared(_ name: String, in table: TableSchema) throws -> Bool {
    guard !table.isPrivate, !table.foreignKeys.isEmpty else { return false }
    return try ZoneShare(of: zoneID, in: db)?.share?.root == name
  }

  private func belonging(ofRoot name: String) throws -> Belonging {
    guard let share = try ZoneShare(of: zoneID, in: db)?.share else {
      return .notYet(needs: Share.recordName)
    }
    return share.root == name ? .here : .never(reason: "it is not what is shared")
  }

  /// A parent that is not known yet may come; one that is known must be here, or have been just
  /// now.
  private func belonging(below parent: RecordName) throws -> Belonging {
    guard let record = try store.record(named: parent, in: tables), let id = record.id,
      record.zoneID != zoneID, try record.isKnown || isHeld(id)
    else { return .here }
    let version = try StaleCopies(db: db).version(ofRecord: id, in: zoneID)
    return version?.isHeld == false ? .here : .notYet(needs: parent.description)
  }

  /// Whether a deletion can be of something that belongs in the zone.
  func canBelong(_ tombstone: Tombstone, in table: TableSchema) throws -> Bool {
    guard zoneID != SyncZone.defaultID else { return true }
    guard table.canBeShared else { return false }
    return try table.parentKey != nil || belonging(ofRoot: tombstone.name).objection == nil
  }

  /// Keeps in mind that the zone has a version of a record that does not belong there, or whose
  /// author has no say about it.
  ///
  /// - Parameters:
  ///   - parentID: The record on which the version depends in the log.
  ///   - belonging: Whether it belongs here.
  ///   - table: Its table; nil for one that this version does not have.
  mutating func hold(
    _ local: RecordMetadata, of copy: ServerCopy, parentID: Int64?, _ belonging: Belonging,
    table: TableSchema?, reason: String
  ) throws {
    let id = try local.zoneID == zoneID ? putAside(local) : local.id ?? store.save(local)
    let needed = belonging.needs.flatMap(RecordName.init)
      .flatMap { tables[$0.table] == nil ? nil : $0 }
    let staleCopies = StaleCopies(db: db)
    let known = try staleCopies.version(ofRecord: id, in: zoneID)
    // Another version of the app on a device of this account knows why: nobody else's word is
    // counted.
    let isWaiting =
      copy.isAuthentic && copy.author == account && parentID != nil
      && table.map { $0.isRoot || belonging.isNever && mayHaveShared(local, in: $0) } == true
    try staleCopies.save(
      StaleCopies.Version(
        zoneID: zoneID, tag: copy.tag, parentID: parentID, pass: pass, isHeld: true,
        needsID: needed.map { try recordID(mentionedAs: $0, inZone: SyncZone.defaultID) },
        since: known?.since ?? (isWaiting ? now : nil)),
      ofRecord: id)
    if known?.isHeld != true || known?.tag != copy.tag { ignore(copy, reason: reason) }
  }

  /// Whether another version of the app, by its foreign keys, may have put a record where it is.
  ///
  /// Anybody can make a new row of a join there; one that this account had before tells.
  private func mayHaveShared(_ local: RecordMetadata, in table: TableSchema) -> Bool {
    !table.isEngines && (!table.isJoin || !local.isMention)
  }

  /// Why a version of a row that lives in the zone is kept aside, since it does not belong there.
  ///
  /// Where the table of this version of the app is not shared, an earlier one put the row there.
  func reasonToKeepAside(in table: TableSchema) -> Quarantine.Reason {
    table.canBeShared ? .ignored : .misplaced
  }

  /// Keeps in mind that a zone has a version of a record whose row went with its parent's, and that
  /// this device has no say about it: see `isToBeHeld`.
  ///
  /// A device that has a say settles it: the row is deleted, or its parent comes back.
  func holdOrphan(_ record: RecordMetadata, below parentID: Int64?) throws {
    guard let tag = record.tag else { return }
    try StaleCopies(db: db).save(
      StaleCopies.Version(
        zoneID: record.zoneID, tag: tag, parentID: record.parentID, pass: record.pass,
        isHeld: true, needsID: parentID),
      ofRecord: putAside(record.withoutClocks))
  }

  /// Whether the cloud has a record in a zone that may only be read: what follows from a deletion
  /// is to be said by others.
  func isReadOnly(_ record: RecordMetadata) throws -> Bool {
    try record.tag != nil && !record.isTombstone && Zones(db: db).isReadOnly(record.zoneID)
  }

  /// Whether the cloud keeps a record whose row goes: in a zone that may only be read, or below
  /// what is none of this account's.
  func isToBeHeld(_ record: RecordMetadata) throws -> Bool {
    try record.tag != nil && !record.isTombstone && record.zoneID == heldZone || isReadOnly(record)
  }

  /// A row of that name that is made or comes elsewhere must not find this record, which has none.
  private func putAside(_ local: RecordMetadata) throws -> Int64 {
    var record = local
    record.move(to: SyncZone.defaultID, over: nil)
    if record.isAlive { record = record.withoutEdits }
    let id = try store.save(record)
    try quarantine.remove(id)
    try store.outbox.set(nil, id: id, tableID: record.tableID, now: now)
    return id
  }

  /// Notes that a version is ignored.
  mutating func ignore(_ copy: ServerCopy, reason: String) {
    report.ignored.append(
      SyncEvent.Ignored(
        record: .init(type: RecordName.parsing(copy.name).table, name: copy.name),
        author: copy.author.displayName, reason: reason))
  }
}

extension RecordMetadata {
  /// Whether it is more than a name that another record mentioned.
  fileprivate var isKnown: Bool { isAlive || tag != nil }

  /// Whether the cloud has it that it was deleted, and not just that it moved away.
  fileprivate var isDead: Bool { isTombstone && !isAlive && death ?? .zero > StaleCopies.clock }
}

extension TableSchema {
  /// Whether rows can live in a zone that is shared.
  var canBeShared: Bool {
    !isPrivate && !isEngines && (parentKey != nil || foreignKeys.isEmpty)
  }
}
