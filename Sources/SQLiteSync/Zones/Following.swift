import GRDB
import SQLiteSyncCloud

/// What differs between the zones that are kept in step with and what is shared.
enum Following {
  /// Whether anything does.
  static func isNeeded(in db: Database) throws -> Bool {
    try !beginning(in: db).isEmpty || !departures(in: db).isEmpty || !ended(in: db).isEmpty
      || !closing(in: db).isEmpty
  }

  /// Zones that are shared and not followed yet.
  static func beginning(in db: Database) throws -> [ZoneID] {
    try SharedZones(db: db).unfollowed()
  }

  /// Zones of others whose root was deleted here, which is how one leaves, and of which rows are
  /// still here.
  static func departures(in db: Database) throws -> [(id: Int64, zone: ZoneID)] {
    let departing = try Zones(db: db).ofOthers().compactMap { id -> (id: Int64, zone: ZoneID)? in
      guard let share = try ZoneShare(of: id, in: db),
        let root = try root(of: share, in: db), isLeft(root)
      else { return nil }
      return (id, share.zone)
    }
    // Those of roots that were made anew: see `RemadeRoots`.
    return try departing
      + Zones(db: db).left().filter { try MetadataStore(db: db).isAny(inZone: $0.id) }
  }

  /// Whether a zone is such a one, also by an edit that waits to be folded.
  static func isDeparting(from zoneID: Int64, in db: Database) throws -> Bool {
    guard zoneID != SyncZone.defaultID, let share = try ZoneShare(of: zoneID, in: db),
      share.access != .owner, let root = try root(of: share, in: db)
    else { return false }
    let edits = try EditEntries(db: db).entries(tableID: root.tableID, keys: [root.key])
    let names = try SchemaRegistry.columnNames(ofTable: root.tableID, in: db)
    let folded = try FoldedEdit(edits[ExactString(root.key)] ?? [], names: names)
      .applied(to: root, pending: nil, device: SyncEngine.device(of: db).clockBits)
    return isLeft(folded.record)
  }

  /// Whether the root of a zone of others was deleted here, and not by them.
  private static func isLeft(_ root: RecordMetadata) -> Bool {
    !root.isAlive && !root.isTombstone && !root.isDeathInferred
  }

  /// Zones of others that end here: see `Zones.ended`.
  static func ended(in db: Database) throws -> [Int64] {
    try Zones(db: db).ended()
  }

  /// Zones of this account that are not to be shared any more, and are not closed yet: the share is
  /// taken back, or its root deleted.
  static func closing(in db: Database) throws -> [(id: Int64, zone: ZoneID)] {
    try Zones(db: db).own().compactMap { id, isShared in
      guard let share = try ZoneShare(of: id, in: db) else { return nil }
      let isClosed = share.share?.isClosed ?? true
      let isOver: Bool
      if isShared {
        let root = try root(of: share, in: db)
        isOver = root.map { $0.isTombstone && !$0.isAlive } ?? false
      } else {
        isOver = try !isClosed || MetadataStore(db: db).isAny(inZone: share.zoneID)
      }
      return isOver ? (share.zoneID, share.zone) : nil
    }
  }

  /// Zones of this account that nobody needs any more: closed in the cloud, and empty.
  static func deletable(in db: Database) throws -> [(id: Int64, zone: ZoneID)] {
    try Zones(db: db).closed().compactMap { id in
      guard let share = try ZoneShare(of: id, in: db), try !MetadataStore(db: db).isAny(inZone: id)
      else {
        return nil
      }
      return (id, share.zone)
    }
  }

  /// Forgets a zone.
  static func forget(_ id: Int64, in db: Database) throws {
    try StaleCopies(db: db).forgetAll(in: id)
    try Zones(db: db).remove(id)
  }

  private static func root(of share: ZoneShare, in db: Database) throws -> RecordMetadata? {
    guard let name = share.share.flatMap({ RecordName($0.root) }),
      let tableID = try SchemaRegistry.knownTableID(name.table, in: db),
      let root = try MetadataStore(db: db).record(tableID: tableID, key: name.key)
    else { return nil }
    return root.zoneID == share.zoneID ? root : nil
  }
}

extension Share {
  /// Whether nobody but the owner may do anything.
  var isClosed: Bool {
    publicPermission == .none && participants.values.allSatisfy { !$0.takesPart }
  }
}
