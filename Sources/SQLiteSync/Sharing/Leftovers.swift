import Cloud
import GRDB

/// What zones still have of records that live in another zone: `sync_leftovers`.
///
/// A record that moves leaves its version behind. That version is deleted once the cloud has the
/// record in its new place, with a clock that kills nothing, so whoever sees only the deletion
/// knows that the record moved away.
struct Leftovers {
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
  }

  /// What one zone has of a record that lives elsewhere.
  func version(ofRecord id: Int64, in zoneID: Int64) throws -> Version? {
    let statement = try db.cachedStatement(
      sql: "SELECT * FROM sync_leftovers WHERE recordID = ? AND zoneID = ?")
    return try Row.fetchOne(statement, arguments: [id, zoneID]).flatMap(decode)
  }

  /// What some zone has of a record beside the one that it lives in.
  func anyVersion(ofRecord id: Int64) throws -> Version? {
    let statement = try db.cachedStatement(
      sql: "SELECT * FROM sync_leftovers WHERE recordID = ? ORDER BY zoneID LIMIT 1")
    return try Row.fetchOne(statement, arguments: [id]).flatMap(decode)
  }

  /// Stores what a zone has of a record.
  func save(_ version: Version, ofRecord id: Int64) throws {
    try db.cachedStatement(
      sql: "INSERT OR REPLACE INTO sync_leftovers VALUES (?, ?, ?, ?, ?, 0)"
    ).execute(arguments: [
      id, version.zoneID, version.tag.description, version.parentID, version.pass,
    ])
  }

  /// Forgets what a zone has of a record.
  func forget(recordID id: Int64, in zoneID: Int64) throws {
    try db.cachedStatement(sql: "DELETE FROM sync_leftovers WHERE recordID = ? AND zoneID = ?")
      .execute(arguments: [id, zoneID])
  }

  /// Whether a zone still has versions of records that live elsewhere.
  func areAny(in zoneID: Int64) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: "SELECT EXISTS (SELECT 1 FROM sync_leftovers WHERE zoneID = ?)")
    return try Bool.fetchOne(statement, arguments: [zoneID]) ?? false
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

  /// Leftovers that can be deleted, given the time in milliseconds.
  ///
  /// CROSS JOIN begins with them: there are few, and all records of a table may be very many.
  static let deletable = """
    FROM sync_leftovers l CROSS JOIN sync_records r ON r.id = l.recordID
    JOIN sync_zones z ON z.id = l.zoneID
    WHERE l.nextAttempt <= ? AND z.access <> 'read'
      AND r.tag IS NOT NULL AND r.zoneID <> \(SyncZone.nowhereID)
    """

  private func decode(_ row: Row) -> Version? {
    (row["tag"] as String?).flatMap(ChangeTag.init).map {
      Version(
        zoneID: row["zoneID"], tag: $0, parentID: row["parentID"], pass: row["pass"])
    }
  }
}

extension RecordMetadata {
  /// What is left when the record moves away from where it lives.
  ///
  /// Nil when the cloud has nothing of it there.
  var leftover: Leftovers.Version? {
    guard !isTombstone, zoneID != SyncZone.nowhereID else { return nil }
    return tag.map {
      Leftovers.Version(zoneID: zoneID, tag: $0, parentID: parentID, pass: pass)
    }
  }

  /// Goes to live in another zone, of which this version is known, if any.
  mutating func move(to zoneID: Int64, over version: Leftovers.Version?) {
    self.zoneID = zoneID
    tag = version?.tag
    parentID = version?.parentID
    isTombstone = false
    pass = version?.pass ?? 0
  }
}
