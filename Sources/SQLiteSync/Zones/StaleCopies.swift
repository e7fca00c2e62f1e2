import Foundation
import GRDB
import SQLiteSyncCloud

/// What zones still have of records that live in another zone: `sync_leftovers`.
///
/// A record that moves leaves its version behind. That version is deleted once the cloud has the
/// record in its new place, with a clock that kills nothing, so whoever sees only the deletion
/// knows that the record moved away.
///
/// A version that is held was put there by somebody who may not write where the record lives: see
/// `Applier.mayTake`. It is known, and nothing is done with it.
struct StaleCopies {
  let db: Database

  /// The clock of the deletion of what moved away: before every edit.
  static let clock = FieldClock.zero

  /// A version that a zone has of a record.
  struct Version: Equatable {
    let zoneID: Int64
    var tag: ChangeTag
    var parentID: Int64?
    /// The full fetch of the zone during or after which it was last mentioned.
    var pass: Int64
    var isHeld = false
    /// The record with which a version that is held may come to belong in the zone.
    var needsID: Int64?
    /// Milliseconds since 1970 since when one that is held waits for another version of the app, in
    /// which it belongs where it is.
    var since: Int64?

    /// The same by its place alone.
    var inZone: ZoneVersion { ZoneVersion(zoneID: zoneID, tag: tag) }
  }

  /// What one zone has of a record that lives elsewhere.
  func version(ofRecord id: Int64, in zoneID: Int64) throws -> Version? {
    let statement = try db.cachedStatement(
      sql: "SELECT * FROM sync_leftovers WHERE recordID = ? AND zoneID = ?")
    return try Row.fetchOne(statement, arguments: [id, zoneID]).flatMap(decode)
  }

  /// Forgets what all zones have of a record, but for what is held.
  func forget(recordID id: Int64) throws {
    try db.cachedStatement(sql: "DELETE FROM sync_leftovers WHERE recordID = ? AND NOT isHeld")
      .execute(arguments: [id])
  }

  /// Forgets what a zone has of any record.
  func forgetAll(in zoneID: Int64) throws {
    try db.cachedStatement(sql: "DELETE FROM sync_leftovers WHERE zoneID = ?")
      .execute(arguments: [zoneID])
  }

  /// Forgets what a full fetch of a zone did not mention.
  func forgetUnmentioned(in zoneID: Int64, pass: Int64) throws {
    try db.cachedStatement(sql: "DELETE FROM sync_leftovers WHERE zoneID = ? AND pass <> ?")
      .execute(arguments: [zoneID, pass])
  }

  /// Forgets that anything depends on a record, or needs it.
  func forgetParent(_ id: Int64) throws {
    for column in ["parentID", "needsID"] {
      try db.cachedStatement(
        sql: "UPDATE sync_leftovers SET \(column) = NULL WHERE \(column) = ?"
      ).execute(arguments: [id])
    }
  }

  /// Whether any zone has a version of a record that lives in none, held or not.
  func isAnywhere(recordID id: Int64) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM sync_leftovers WHERE recordID = ?)"),
      arguments: [id]) ?? false
  }

  /// Whether a zone has any.
  func isAny(in zoneID: Int64) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM sync_leftovers WHERE zoneID = ?)"),
      arguments: [zoneID]) ?? false
  }

  /// What the zones have of a record that it came from.
  func versions(ofRecord id: Int64) throws -> [Version] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: "SELECT * FROM sync_leftovers WHERE recordID = ? AND NOT isHeld ORDER BY zoneID"),
      arguments: [id]
    ).compactMap(decode)
  }

  /// The record in a zone that it was about to leave, whose version is the record's again; nil when
  /// no zone has one.
  func movedBack(_ record: RecordMetadata) throws -> RecordMetadata? {
    guard let id = record.id, let version = try versions(ofRecord: id).first else { return nil }
    var record = record
    record.move(to: version.zoneID, over: version)
    try forget(recordID: id, in: version.zoneID)
    return record
  }

  /// Stores what a zone has of a record.
  func save(_ version: Version, ofRecord id: Int64) throws {
    try db.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO sync_leftovers (
          recordID, zoneID, tag, parentID, pass, isHeld, needsID, since
        ) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      id, version.zoneID, version.tag.description, version.parentID, version.pass, version.isHeld,
      version.needsID, version.since,
    ])
  }

  /// Forgets what a zone has of a record.
  func forget(recordID id: Int64, in zoneID: Int64) throws {
    try db.cachedStatement(sql: "DELETE FROM sync_leftovers WHERE recordID = ? AND zoneID = ?")
      .execute(arguments: [id, zoneID])
  }

  /// Notes since when a record waits of which versions are held.
  func wait(recordID id: Int64, since now: Int64) throws {
    try db.cachedStatement(
      sql: "UPDATE sync_leftovers SET since = coalesce(since, ?) WHERE recordID = ? AND isHeld"
    ).execute(arguments: [now, id])
  }

  /// How many versions are held.
  func heldCount() throws -> Int {
    try Int.fetchOne(
      db.cachedStatement(sql: "SELECT count(*) FROM sync_leftovers WHERE isHeld")) ?? 0
  }

  // MARK: - For people

  /// How many records have no row here, as only another version of the app knows why this account
  /// has put them where they are.
  func waitingCount() throws -> Int {
    guard try hasColumnSince() else { return 0 }
    return try Int.fetchOne(
      db.cachedStatement(sql: "SELECT count(DISTINCT l.recordID) \(Self.waiting)")) ?? 0
  }

  /// These records, the oldest first.
  func waitingRecords() throws -> [SyncWaitingRecord] {
    guard try hasColumnSince() else { return [] }
    return try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT t.name, r.primaryKey, min(l.since) \(Self.waiting)
          GROUP BY l.recordID ORDER BY min(l.since), l.recordID
          """)
    ).map {
      try SyncWaitingRecord(
        table: $0.read(0), key: $0.read(1), reason: .unknownForeignKey,
        since: Date(millisecondsSince1970: $0.read(2)))
    }
  }

  /// Not those that depend on a record of which another copy lives here, in another zone: that one
  /// went without them, and no version of the app would have them.
  private static let waiting = """
    FROM sync_leftovers l \(MetadataStore.join(of: "l.recordID")) \(SchemaRegistry.join())
    LEFT \(MetadataStore.join("p", of: "l.needsID"))
    WHERE l.since NOTNULL AND l.isHeld
      AND (r.latest <= coalesce(r.death, 0) OR r.\(SyncZone.isNowhere))
      AND (p.id ISNULL OR p.zoneID = l.zoneID OR p.latest <= coalesce(p.death, 0)
        OR p.\(SyncZone.isNowhere))
    """

  /// Files of an earlier version have none.
  private func hasColumnSince() throws -> Bool {
    try MetadataSchema.isAtLeast(MetadataSchema.versionWithOwnVersions, in: db)
  }

  // MARK: - What is held below a record

  /// The records of which a zone has versions that are held and depend on a record there, directly
  /// or by others that do: those first on which none depends.
  func held(below id: Int64, in zoneID: Int64) throws -> [Int64] {
    // Some may refer to each other in a circle.
    var (found, next) = ([Int64](), [id])
    var seen: Set = [id]
    while let parent = next.popLast() {
      let below = try Int64.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT recordID FROM sync_leftovers WHERE parentID = ? AND zoneID = ? AND isHeld
            ORDER BY recordID
            """), arguments: [parent, zoneID]
      ).filter { seen.insert($0).inserted }
      found += below
      next += below
    }
    return found.reversed()
  }

  /// The versions that are held of records which have left the place where they lived.
  func heldOfMovedAway() throws -> [ZoneVersion] {
    try versions(
      """
      SELECT l.zoneID, l.tag FROM sync_leftovers l \(MetadataStore.join(of: "l.recordID"))
      WHERE l.isHeld AND r.\(SyncZone.isNowhere) ORDER BY l.recordID, l.zoneID
      """)
  }

  /// The versions that are held of records which live nowhere, and whose parent the zone now has.
  ///
  /// As its own, also one that is to be deleted there, or as one that moved away just now. And
  /// those that were let go of in the log, and whose parent is known to be deleted by now. And
  /// those of records which live with that parent elsewhere: it moved there from the zone after
  /// all.
  func heldBelowArrived() throws -> [ZoneVersion] {
    try versions(
      """
      SELECT l.zoneID, l.tag FROM sync_leftovers l \(MetadataStore.join(of: "l.recordID"))
      \(MetadataStore.join("p", of: "coalesce(l.needsID, l.parentID)"))
      \(Zones.join(of: "l.zoneID"))
      WHERE l.isHeld AND r.latest <= coalesce(r.death, 0) AND (r.tag IS NULL OR r.isTombstone) AND (
        p.zoneID = l.zoneID
        AND (p.latest > coalesce(p.death, 0) OR p.tag NOTNULL AND NOT p.isTombstone)
        OR \(Self.isLeft("p.id"))
        OR l.parentID ISNULL AND z.access <> 'read'
        AND p.isTombstone AND p.death > 0 AND p.latest <= p.death)
      OR l.isHeld AND r.latest > coalesce(r.death, 0) AND r.parentID = l.parentID
        AND z.access <> 'read' AND \(Self.isLeft("l.parentID"))
      ORDER BY l.recordID, l.zoneID
      """)
  }

  /// Whether the zone of a version `l` has another record's, which has left it.
  private static func isLeft(_ id: String) -> String {
    """
    EXISTS (
      SELECT 1 FROM sync_leftovers v
      WHERE v.recordID = \(id) AND v.zoneID = l.zoneID AND NOT v.isHeld)
    """
  }

  private func versions(_ sql: String) throws -> [ZoneVersion] {
    try Row.fetchAll(db.cachedStatement(sql: sql)).compactMap { row in
      try (row.read("tag") as String?).flatMap(ChangeTag.init).map {
        try ZoneVersion(zoneID: row.read("zoneID"), tag: $0)
      }
    }
  }

  /// Writes down that the cloud refused to delete a version, and when to try again: later each
  /// time.
  func postpone(recordID id: Int64, in zoneID: Int64, until next: (Int) -> Int64) throws {
    let arguments: StatementArguments = [id, zoneID]
    let attempts = try Int.fetchOne(
      db,
      sql: "SELECT min(attempts, 1000) FROM sync_leftovers WHERE recordID = ? AND zoneID = ?",
      arguments: arguments)
    guard let attempts = attempts.map({ $0 + 1 }) else { return }
    try db.execute(
      sql: """
        UPDATE sync_leftovers SET attempts = ?, nextAttempt = ? WHERE recordID = ? AND zoneID = ?
        """, arguments: [attempts, next(attempts)] + arguments)
  }

  /// The records whose versions in a zone can be deleted now: the cloud has them where they live.
  func deletable(in zoneID: Int64, tableID: Int64, now: Int64, limit: Int) throws -> [Int64] {
    guard limit > 0 else { return [] }
    return try Int64.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT recordID \(Self.deletable) AND l.zoneID = ? AND r.tableID = ?
          ORDER BY recordID DESC LIMIT ?
          """), arguments: [now, zoneID, tableID, limit])
  }

  /// Stale copies that can be deleted, given the time in milliseconds.
  ///
  /// CROSS JOIN begins with them: there are few, and all records of a table may be very many.
  static let deletable = """
    FROM sync_leftovers l CROSS \(MetadataStore.join(of: "l.recordID"))
    \(Zones.join(of: "l.zoneID"))
    WHERE l.nextAttempt <= ? AND NOT l.isHeld AND z.access <> 'read'
      AND r.tag IS NOT NULL AND NOT r.\(SyncZone.isNowhere)
    """

  private func decode(_ row: Row) throws -> Version? {
    try (row.read("tag") as String?).flatMap(ChangeTag.init).map {
      try Version(
        zoneID: row.read("zoneID"), tag: $0, parentID: row.read("parentID"),
        pass: row.read("pass"), isHeld: row.read("isHeld"), needsID: row.read("needsID"),
        since: row.read("since"))
    }
  }
}

// MARK: - Questions over several tables

extension StaleCopies {
  /// Whether a zone has versions of records that the cloud does not have in their new place yet, in
  /// SQL.
  static func isLeaving(zone: String) -> String {
    """
    EXISTS (
      SELECT 1 FROM sync_leftovers l \(MetadataStore.join(of: "l.recordID"))
      WHERE l.zoneID = \(zone) AND r.tag IS NULL AND NOT l.isHeld)
    """
  }

  /// The names of the records whose versions in a zone depend on a record there.
  ///
  /// - Parameter pass: Only those that this full fetch has mentioned; nil for all.
  func children(ofRecord id: Int64, in zoneID: Int64, pass: Int64?) throws -> [String] {
    try String.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT \(RecordName.sql(key: "r.primaryKey", table: "t.name")) FROM sync_leftovers l
          \(MetadataStore.join(of: "l.recordID")) \(SchemaRegistry.join())
          WHERE l.parentID = ?1 AND l.zoneID = ?3 AND coalesce(?2, l.pass) = l.pass
          """), arguments: [id, pass, zoneID])
  }

  /// The versions in zones that can only be read, which this device cannot delete.
  func inReadOnlyZones() throws -> [(recordID: Int64, table: String, version: ZoneVersion?)] {
    let rows = try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT r.id AS id, t.name AS name, l.tag AS tag, l.zoneID AS zoneID
          FROM sync_leftovers l
          \(Zones.join(of: "l.zoneID")) \(MetadataStore.join(of: "l.recordID"))
          \(SchemaRegistry.join()) WHERE z.access = 'read' AND NOT l.isHeld
          """))
    return try rows.map { row in
      let tag = try (row.read("tag") as String?).flatMap(ChangeTag.init)
      return try (
        row.read("id"), row.read("name"),
        tag.map { try ZoneVersion(zoneID: row.read("zoneID"), tag: $0) }
      )
    }
  }

  /// Records that somebody else took back into a zone that can only be read, and whose versions
  /// where they were meanwhile are not deleted yet.
  func takenBackByOthers() throws -> [Int64] {
    try Int64.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT DISTINCT r.id FROM sync_leftovers l CROSS \(MetadataStore.join(of: "l.recordID"))
          \(Zones.join("there", of: "l.zoneID")) \(Zones.join("here"))
          WHERE NOT l.isHeld AND there.access <> 'read' AND here.access = 'read' ORDER BY r.id
          """))
  }
}

extension RecordMetadata {
  /// What is left when the record moves away from where it lives.
  ///
  /// Nil when the cloud has nothing of it there.
  var staleCopy: StaleCopies.Version? {
    guard !isTombstone, !isNowhere else { return nil }
    return tag.map {
      StaleCopies.Version(zoneID: zoneID, tag: $0, parentID: parentID, pass: pass)
    }
  }

  /// Goes to live in another zone, of which this version is known, if any.
  mutating func move(to zoneID: Int64, over version: StaleCopies.Version?) {
    self.zoneID = zoneID
    tag = version?.tag
    parentID = version?.parentID
    isTombstone = false
    pass = version?.pass ?? 0
  }
}
