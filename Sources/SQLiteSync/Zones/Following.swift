import Cloud
import GRDB

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

  /// Zones of others whose root was deleted here: so one leaves.
  static func departures(in db: Database) throws -> [(id: Int64, zone: ZoneID)] {
    try Zones(db: db).ofOthers().compactMap { id in
      guard let share = try ZoneShare(of: id, in: db),
        let root = try root(of: share, in: db), !root.isAlive, !root.isTombstone
      else { return nil }
      return (id, share.zone)
    }
  }

  /// Zones of others that are not shared with this account any more, and of which nothing is to be
  /// told.
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
        isOver = try !isClosed || hasRecords(share.zoneID, in: db)
      }
      return isOver ? (share.zoneID, share.zone) : nil
    }
  }

  /// Zones of this account that nobody needs any more: closed in the cloud, and empty.
  static func deletable(in db: Database) throws -> [(id: Int64, zone: ZoneID)] {
    try Zones(db: db).closed().compactMap { id in
      guard let share = try ZoneShare(of: id, in: db), try !hasRecords(id, in: db) else {
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

  /// Whether anything lives in a zone, or is to be deleted there yet.
  ///
  /// A deletion is remembered also where the cloud does not have the record any more.
  private static func hasRecords(_ zoneID: Int64, in db: Database) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT EXISTS (
            SELECT 1 FROM sync_records
            WHERE zoneID = ? AND \(SyncZone.isElsewhere) AND CASE WHEN tag IS NULL
              THEN latest > coalesce(death, 0) ELSE NOT isTombstone END)
          """), arguments: [zoneID]) ?? false
  }

  private static func root(of share: ZoneShare, in db: Database) throws -> RecordMetadata? {
    guard let name = share.share.flatMap({ RecordName($0.root) }) else { return nil }
    let row = try Row.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT r.id FROM sync_records r \(SchemaRegistry.join())
          WHERE t.name = ? AND r.primaryKey = ? AND r.zoneID = ?
          """), arguments: [name.table, name.key, share.zoneID])
    return try row.flatMap { try MetadataStore(db: db).record(id: $0["id"]) }
  }
}

extension Share {
  /// Whether nobody but the owner may do anything.
  var isClosed: Bool {
    publicPermission == .none && participants.values.allSatisfy { !$0.takesPart }
  }
}
