import Foundation
import GRDB
import SQLiteSyncCloud

/// The zones that this device keeps in step with: `sync_zones`.
struct Zones {
  let db: Database

  static let table = "sync_zones"

  // MARK: - One zone

  /// All that is known of a zone: what `ZoneShare` and `ZonePosition` read.
  func row(of id: Int64) throws -> Row? {
    try Row.fetchOne(
      db.cachedStatement(sql: "SELECT * FROM sync_zones WHERE id = ?"), arguments: [id])
  }

  func exists(_ id: Int64) throws -> Bool {
    try isAny("id = ?", [id])
  }

  /// Whose zone it is.
  func owner(of id: Int64) throws -> AccountID? {
    try String.fetchOne(
      db.cachedStatement(sql: "SELECT owner FROM sync_zones WHERE id = ?"), arguments: [id]
    ).flatMap(AccountID.init(rawValue:))
  }

  /// What this account may do in a zone.
  func access(to id: Int64) throws -> ZoneAccess? {
    try String.fetchOne(
      db.cachedStatement(sql: "SELECT access FROM sync_zones WHERE id = ?"), arguments: [id]
    ).flatMap(ZoneAccess.init)
  }

  /// The number of a zone of this account.
  func ownID(_ zone: ZoneID) throws -> Int64? {
    try Int64.fetchOne(
      db, sql: "SELECT id FROM sync_zones WHERE access = 'owner' AND owner = ? AND name = ?",
      arguments: [zone.owner.rawValue, zone.name])
  }

  /// Notes a zone, unless it is there.
  ///
  /// - Parameter id: Its number; nil for the next one.
  func add(
    _ zone: ZoneID, id: Int64? = nil, access: ZoneAccess = .owner, mail: ShareMail? = nil
  ) throws {
    try db.execute(
      sql: """
        INSERT INTO sync_zones (id, name, owner, access, mail) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING
        """,
      arguments: [id, zone.name, zone.owner.rawValue, access.rawValue, mail?.description])
  }

  func remove(_ id: Int64) throws {
    try db.execute(sql: "DELETE FROM sync_zones WHERE id = ?", arguments: [id])
  }

  func remove(_ zone: ZoneID) throws {
    try db.execute(
      sql: "DELETE FROM sync_zones WHERE owner = ? AND name = ?",
      arguments: [zone.owner.rawValue, zone.name])
  }

  // MARK: - Where it was fetched to, and its share

  func save(_ position: ZonePosition) throws {
    try db.cachedStatement(
      sql: "UPDATE sync_zones SET token = ?, pass = ?, fullFetch = ? WHERE id = ?"
    ).execute(
      arguments: [
        position.token?.description, position.pass, position.fullFetch?.rawValue, position.zoneID,
      ])
  }

  func save(_ share: ZoneShare) throws {
    try db.cachedStatement(
      sql: """
        UPDATE sync_zones
        SET share = ?, shareTag = ?, shareEdit = ?, access = ?, isShareForged = ?, trustedShare = ?
        WHERE id = ?
        """
    ).execute(
      arguments: [
        share.record?.encoded, share.tag?.description, share.edited?.encoded,
        share.access.rawValue, share.isForged, share.trusted?.encoded, share.zoneID,
      ])
  }

  /// Calls the records that are shared by other names.
  func rename(_ names: CloudNames) throws {
    let columns = ["share", "shareEdit", "trustedShare"]
    for row in try Row.fetchAll(db, sql: "SELECT * FROM sync_zones") {
      for column in columns {
        guard let share = try row.read(column) as Data? else { continue }
        try db.execute(
          sql: "UPDATE sync_zones SET \(column) = ? WHERE id = ?",
          arguments: try [
            names.local(CloudRecord(stored: share, in: "sync_zones.\(column)")).encoded,
            row.read("id") as Int64,
          ])
      }
    }
    try SharedZones(db: db).rename(names)
  }

  /// The share record is to be fetched again: it may not be there any more.
  func forgetShareTag(of id: Int64) throws {
    try db.execute(sql: "UPDATE sync_zones SET shareTag = NULL WHERE id = ?", arguments: [id])
  }

  /// Has its owner send a share record again that a full fetch did not mention.
  func sendLostShare(of id: Int64) throws {
    try db.execute(
      sql: """
        UPDATE sync_zones
        SET shareEdit = coalesce(
          shareEdit, CASE WHEN isShareForged THEN trustedShare ELSE share END)
        WHERE id = ? AND shareTag IS NULL AND access = 'owner'
        """, arguments: [id])
  }

  // MARK: - What is to be told

  /// What is to be told to others about a zone.
  func mail(about id: Int64) throws -> ShareMail? {
    try String.fetchOne(db, sql: "SELECT mail FROM sync_zones WHERE id = ?", arguments: [id])
      .flatMap(ShareMail.init)
  }

  /// All that is to be told of shares that have been sent themselves.
  func allMail() throws -> [(id: Int64, mail: ShareMail)] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: "SELECT id, mail FROM sync_zones WHERE mail IS NOT NULL AND shareEdit IS NULL")
    ).compactMap { row in try ShareMail(row.read(1)).map { try (row.read(0), $0) } }
  }

  func set(mail: ShareMail?, about id: Int64) throws {
    try db.execute(
      sql: "UPDATE sync_zones SET mail = ? WHERE id = ?", arguments: [mail?.description, id])
  }

  func set(mail: ShareMail, about zone: ZoneID) throws {
    try db.execute(
      sql: "UPDATE sync_zones SET mail = ? WHERE owner = ? AND name = ?",
      arguments: [mail.description, zone.owner.rawValue, zone.name])
  }

  // MARK: - Many zones

  /// Whether anything was ever synchronized.
  func isAny() throws -> Bool { try isAny("true") }

  /// Whether there is a zone besides the account's own one: who shares nothing pays nothing.
  func isAnyShared() throws -> Bool { try isAny(Self.isBesides) }

  /// Whether there is one that may only be read.
  func isAnyReadOnly() throws -> Bool { try isAny("access = 'read'") }

  /// Whether a zone may only be read.
  func isReadOnly(_ id: Int64) throws -> Bool { try isAny("access = 'read' AND id = ?", [id]) }

  /// Whether there is one of which a full fetch is under way or to come.
  func isAnyFetchedWhole() throws -> Bool { try isAny("fullFetch IS NOT NULL") }

  /// Whether this account shares anything.
  func isAnyShareOwn() throws -> Bool { try isAny("access = 'owner' AND \(Self.isBesides)") }

  private func isAny(_ condition: String, _ arguments: StatementArguments = []) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM sync_zones WHERE \(condition))"),
      arguments: arguments) ?? false
  }

  /// All of them, by number.
  func all() throws -> [Int64] {
    try Int64.fetchAll(db.cachedStatement(sql: "SELECT id FROM sync_zones ORDER BY id"))
  }

  /// Those of the account and those that it takes part in, the ones of `account` first.
  func followed(by account: AccountID) throws -> [(id: Int64, zone: ZoneID, access: ZoneAccess)] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT id, name, owner, access FROM sync_zones
          WHERE access = 'owner' OR \(Self.path()) IN (\(SharedZones.paths))
          ORDER BY owner <> ?, id
          """), arguments: [account.rawValue]
    ).compactMap { row in
      try Self.zone(row.read(1), row.read(2)).map {
        try (row.read(0), $0, ZoneAccess(rawValue: row.read(3)) ?? .read)
      }
    }
  }

  /// Those of which something was fetched.
  func fetched() throws -> [ZoneID] {
    guard try db.hasTable("sync_zones") else { return [] }
    return try Row.fetchAll(
      db, sql: "SELECT name, owner FROM sync_zones WHERE token IS NOT NULL"
    ).compactMap { try Self.zone($0.read(0), $0.read(1)) }
  }

  /// Those of the account of which everything is here, and up to where.
  ///
  /// Also those whose log another one took the place of: what the former held is here, and of the
  /// new one what was fetched so far, which can be nothing.
  func complete() throws -> [(zone: ZoneID, token: ChangeToken?)] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT name, owner, token FROM sync_zones z WHERE access = 'owner'
          AND CASE WHEN fullFetch IS NULL THEN token IS NOT NULL
            ELSE fullFetch = '\(FullFetch.rebuilt.rawValue)' END
          AND NOT \(Quarantine.isAny(inZone: "z.id"))
          AND NOT \(KnownAssets.isAnyMissing(zone: "z.id"))
        ORDER BY id
        """
    ).compactMap { row in
      try Self.zone(row.read(0), row.read(1)).map {
        try ($0, (row.read(2) as String?).flatMap(ChangeToken.init))
      }
    }
  }

  /// Zones of others that are shared with this account.
  func ofOthers() throws -> [Int64] {
    try Int64.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT id FROM sync_zones
          WHERE access <> 'owner' AND \(Self.path()) IN (\(SharedZones.paths))
          """))
  }

  /// Zones of others that are not shared with this account any more, and of which nothing is to be
  /// told; and those that were left here and are shared with it again since, elsewhere.
  func ended() throws -> [Int64] {
    try Int64.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT id FROM sync_zones WHERE access <> 'owner'
            AND (coalesce(mail, '') = 'departure') = (\(Self.path()) IN (\(SharedZones.paths)))
          """))
  }

  /// Zones of others that were left, which their owners are still to be told.
  func left() throws -> [(id: Int64, zone: ZoneID)] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT id, name, owner FROM sync_zones
          WHERE access <> 'owner' AND mail = 'departure'
            AND \(Self.path()) NOT IN (\(SharedZones.paths))
          """)
    ).compactMap { row in try Self.zone(row.read(1), row.read(2)).map { try (row.read(0), $0) } }
  }

  /// The zones of this account besides its own one, and whether they are shared.
  func own() throws -> [(id: Int64, isShared: Bool)] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT id, \(Self.path()) IN (\(SharedZones.paths)) FROM sync_zones
          WHERE access = 'owner' AND \(Self.isBesides) ORDER BY id
          """)
    ).map { try ($0.read(0), $0.read(1)) }
  }

  /// The zones of this account that are not shared any more, and of which the cloud knows it.
  func closed() throws -> [Int64] {
    try Int64.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT id FROM sync_zones z WHERE access = 'owner' AND \(Self.isBesides)
            AND shareEdit IS NULL AND \(Self.path("z")) NOT IN (\(SharedZones.paths))
            AND NOT \(StaleCopies.isLeaving(zone: "z.id"))
          """))
  }

  private static func zone(_ name: String, _ owner: String) -> ZoneID? {
    AccountID(rawValue: owner).map { ZoneID(name: name, owner: $0) }
  }

  // MARK: - In other questions

  /// True for a zone that is not the account's own one.
  private static let isBesides = "id <> \(SyncZone.defaultID)"

  /// A zone as `sync_shares` writes it, as an SQL expression.
  static func path(_ zone: String? = nil) -> String {
    let prefix = zone.map { $0 + "." } ?? ""
    return "\(prefix)owner || '/' || \(prefix)name"
  }

  /// Beside the row of a record `r`, that of its zone.
  static func join(_ zone: String = "z", of zoneID: String = "r.zoneID") -> String {
    "JOIN sync_zones \(zone) ON \(zone).id = \(zoneID)"
  }

  /// Beside the row of a share `s`, that of its zone.
  static let joinShared = "JOIN sync_zones z ON \(path("z")) = s.zone"

  /// The zones of which a share, or something that others are to be told, is unsent.
  static let unsent = """
    SELECT id FROM sync_zones WHERE shareEdit IS NOT NULL OR \(ShareMail.isUnsentSQL)
    """
}

/// The zones beside the account's own one, and what each shares: `sync_shares`.
///
/// A synchronized table like the app's, so that all devices of the account agree on them.
struct SharedZones {
  let db: Database

  static let table = "sync_shares"

  /// Whether the database is of a version that has them.
  func isInstalled() throws -> Bool { try db.hasTable(Self.table) }

  func contains(_ zone: ZoneID) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM sync_shares WHERE zone = ?)"),
      arguments: [zone.path]) ?? false
  }

  /// - Parameter root: The name of the record that is shared; nil for what somebody else shares.
  func add(_ zone: ZoneID, root: String? = nil) throws {
    try db.execute(
      sql: "INSERT INTO sync_shares (zone, root) VALUES (?, ifnull(?, ''))",
      arguments: [zone.path, root])
  }

  func remove(_ zone: ZoneID) throws {
    try db.execute(sql: "DELETE FROM sync_shares WHERE zone = ?", arguments: [zone.path])
  }

  /// Leaves what somebody else shares, and has that told to its owner.
  func leave(_ zone: ZoneID) throws {
    try remove(zone)
    try Zones(db: db).set(mail: .departure, about: zone)
  }

  /// Calls the records that are shared by other names: in the cloud nothing changes.
  func rename(_ names: CloudNames) throws {
    try DeviceState(db: db).muted {
      for row in try Row.fetchAll(db, sql: "SELECT zone, root FROM sync_shares WHERE root <> ''") {
        try db.execute(
          sql: "UPDATE sync_shares SET root = ? WHERE zone = ?",
          arguments: try [names.local(row.read(1) as String), row.read(0) as String])
      }
    }
  }

  /// Those that are not followed yet.
  func unfollowed() throws -> [ZoneID] {
    try String.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT zone FROM sync_shares
          WHERE zone NOT IN (SELECT \(Zones.path()) FROM sync_zones) ORDER BY zone
          """)
    ).compactMap(ZoneID.init(path:))
  }

  /// The zone in which this account shares a record, by its name.
  ///
  /// - Parameter isKnown: Whether only one counts of which it is known how it is shared.
  func zone(ofRoot root: String, isKnown: Bool = false) throws -> Int64? {
    try Int64.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT z.id FROM sync_shares s \(Zones.joinShared)
          WHERE s.root = ? AND z.access = 'owner'
            AND (NOT ? OR z.share NOTNULL OR z.shareEdit NOTNULL)
          ORDER BY s.zone LIMIT 1
          """), arguments: [root, isKnown])
  }

  /// All that are followed, by number, those of this account first.
  func followed() throws -> [Int64] {
    try Int64.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT z.id FROM sync_shares s \(Zones.joinShared)
          ORDER BY z.access = 'owner' DESC, z.id
          """))
  }

  /// Their zones, as `Zones.path` writes them.
  static let paths = "SELECT zone FROM sync_shares"
}
