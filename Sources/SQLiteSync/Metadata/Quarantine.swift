import Foundation
import GRDB
import SQLiteSyncCloud

/// What was fetched and cannot be a row now: `sync_parked`.
///
/// It is kept whole, with the reason, and survives a relaunch; it is applied without a download
/// when what it needs is there.
struct Quarantine {
  let db: Database

  /// Where the records themselves are.
  static let imageColumn = "sync_parked.image"

  // MARK: - One record

  /// A version that could not be applied here: it must not be overwritten by the row's older one.
  ///
  /// One that will never be applied is.
  func version(of id: Int64) throws -> CloudRecord? {
    try Data.fetchOne(
      db.cachedStatement(sql: "SELECT \(Self.version(ofRecord: "?"))"), arguments: [id]
    ).map { try CloudRecord(stored: $0, in: Self.imageColumn) }
  }

  /// That version, encoded, in SQL.
  static func version(ofRecord id: String) -> String {
    """
    (SELECT image FROM sync_parked
      WHERE recordID = \(id) AND reason <> '\(Reason.undeletable.rawValue)'
        AND (reason <> '\(Reason.ignored.rawValue)' OR needs NOTNULL))
    """
  }

  /// Why a record is kept aside, and its version, encoded; nil when it is not.
  func entry(of id: Int64) throws -> (reason: Reason?, image: Data)? {
    let statement = try db.cachedStatement(
      sql: "SELECT reason, image FROM sync_parked WHERE recordID = ?")
    return try Row.fetchOne(statement, arguments: [id])
      .map { try (Reason(rawValue: $0.read(0)), $0.read(1)) }
  }

  /// What a constraint said when it refused to let a record's row go.
  func errorOfDeletion(of id: Int64) throws -> String? { try error(of: id, .undeletable) }

  /// What a constraint said when it refused a record's row; nil when none does.
  func refusal(of id: Int64) throws -> String? { try error(of: id, .refused) }

  private func error(of id: Int64, _ reason: Reason) throws -> String? {
    try String.fetchOne(
      db.cachedStatement(sql: "SELECT error FROM sync_parked WHERE recordID = ? AND reason = ?"),
      arguments: [id, reason.rawValue])
  }

  /// Keeps a record aside, or the deletion of one; a record that is kept already keeps its age.
  func keep(
    _ id: Int64, _ record: CloudRecord?, reason: Reason, needs: String? = nil,
    error: String? = nil, now: Int64
  ) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO sync_parked (recordID, reason, needs, error, image, since)
        VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET reason = excluded.reason, needs = excluded.needs,
          error = excluded.error, image = excluded.image
        """
    ).execute(arguments: [id, reason.rawValue, needs, error, record?.encoded ?? Data(), now])
  }

  /// Keeps a record aside whose table is taken out, and that it has a row now.
  ///
  /// If the row is gone when the table comes back, it was deleted meanwhile.
  func keepRow(_ id: Int64, _ image: CloudRecord, now: Int64) throws {
    try keep(id, image, reason: .unknownTable, now: now)
    try db.cachedStatement(sql: "UPDATE sync_parked SET hadRow = 1, since = ? WHERE recordID = ?")
      .execute(arguments: [now, id])
  }

  /// Keeps a record aside whose row goes because of another row.
  func keepSetAside(
    _ id: Int64, _ image: CloudRecord, reason: Reason, needs: String?, now: Int64
  ) throws {
    try keep(id, image, reason: reason, needs: needs, now: now)
    try noteSetAside(id)
  }

  /// Notes that a record that is kept, if it is, had a row.
  func noteSetAside(_ id: Int64) throws {
    try db.cachedStatement(sql: "UPDATE sync_parked SET hadRow = 1 WHERE recordID = ?")
      .execute(arguments: [id])
  }

  /// Those that depend on a record.
  func setAside(below id: Int64) throws -> [Int64] {
    try Int64.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT recordID FROM sync_parked
          WHERE \(Self.isSetAside)
            AND recordID IN (\(MetadataStore.ids(where: "parentID", is: "?")))
          ORDER BY recordID
          """), arguments: [id])
  }

  private static let isSetAside = "(reason = 'duplicate' OR reason = 'waiting' AND hadRow)"

  /// What is kept of a record that may have no row on any device, because of another row.
  func setAside(_ id: Int64) throws -> (image: CloudRecord, reason: Reason, needs: String?)? {
    let statement = try db.cachedStatement(
      sql: """
        SELECT image, reason, needs FROM sync_parked
        WHERE recordID = ? AND \(Self.isSetAside)
        """)
    return try Row.fetchOne(statement, arguments: [id]).map { row in
      try (
        CloudRecord(stored: row.read(0), in: Self.imageColumn),
        Reason(rawValue: row.read(1)) ?? .duplicate, row.read(2)
      )
    }
  }

  /// Calls records by other names.
  func rename(_ names: CloudNames) throws {
    for row in try Row.fetchAll(db, sql: "SELECT recordID, needs, image FROM sync_parked") {
      let (image, needs): (Data, String?) = try (row.read(2), row.read(1))
      // That of a deletion has none.
      let renamed =
        try image.isEmpty
        ? image : names.local(CloudRecord(stored: image, in: Self.imageColumn)).encoded
      try db.cachedStatement(sql: "UPDATE sync_parked SET needs = ?, image = ? WHERE recordID = ?")
        .execute(arguments: [needs.map { names.local($0) }, renamed, row.read(0) as Int64])
    }
  }

  /// Takes a record out.
  func remove(_ id: Int64) throws {
    try db.cachedStatement(sql: "DELETE FROM sync_parked WHERE recordID = ?")
      .execute(arguments: [id])
  }

  /// Forgets a version that does not belong where the record was: it says nothing about the record
  /// elsewhere.
  func removeIgnored(_ id: Int64) throws {
    let reasons = Reason.list { $0 == .ignored || $0 == .misplaced }
    try db.cachedStatement(
      sql: "DELETE FROM sync_parked WHERE recordID = ? AND reason IN \(reasons)"
    ).execute(arguments: [id])
  }

  /// True when a record is kept aside, or another that needs it, in SQL.
  static func concerns(recordID: String, name: String) -> String {
    "EXISTS (SELECT 1 FROM sync_parked WHERE recordID = \(recordID) OR needs = \(name))"
  }

  /// True when a record is kept aside, in SQL.
  static func keeps(_ id: String) -> String {
    "EXISTS (SELECT 1 FROM sync_parked kept WHERE kept.recordID = \(id))"
  }

  // MARK: - Missing parents

  /// The name of the record that one waits for.
  func missingParent(of id: Int64) throws -> RecordName? {
    let statement = try db.cachedStatement(
      sql: "SELECT needs FROM sync_parked WHERE recordID = ? AND reason = 'waiting'")
    return try String.fetchOne(statement, arguments: [id]).map(RecordName.parsing)
  }

  /// The names of the records that others wait for.
  func missingParents() throws -> [RecordName] {
    try String.fetchAll(
      db.cachedStatement(
        sql: "SELECT DISTINCT needs FROM sync_parked WHERE reason = 'waiting' ORDER BY needs")
    ).map(RecordName.parsing)
  }

  /// The records that need the one of a name to be there.
  func records(needing name: String) throws -> [Int64] {
    try Int64.fetchAll(
      db.cachedStatement(
        sql: "SELECT recordID FROM sync_parked WHERE needs = ? AND reason <> 'duplicate'"),
      arguments: [name])
  }

  /// Whether any record waits for its parent that was not set aside: it may have a row.
  func mayHaveWaitingRows() throws -> Bool {
    let statement = try db.cachedStatement(
      sql: "SELECT EXISTS (SELECT 1 FROM sync_parked WHERE reason = 'waiting' AND NOT hadRow)")
    return try Bool.fetchOne(statement) ?? false
  }

  /// The records of a table that wait for their parents, and have the rows of earlier versions.
  func waitingRows(of table: TableSchema) throws -> [(id: Int64, needs: String?)] {
    let name = table.name.quotedIdentifier
    return try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT p.recordID, p.needs FROM sync_parked p \(MetadataStore.join(of: "p.recordID"))
          WHERE p.reason = 'waiting' AND NOT p.hadRow AND r.tableID = ?
            AND r.primaryKey IN (SELECT \(table.keyExpression(of: name)) FROM \(name))
          ORDER BY p.recordID
          """), arguments: [table.id]
    ).map { try ($0.read(0), $0.read(1)) }
  }

  /// Whether anything has waited for its parent since then, in milliseconds, or longer.
  func isAnyWaiting(since: Int64) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: "SELECT EXISTS (SELECT 1 FROM sync_parked WHERE reason = 'waiting' AND since <= ?)")
    return try Bool.fetchOne(statement, arguments: [since]) ?? false
  }

  /// What has waited that long in the account's own zones for a parent that nobody has, and does
  /// not depend on it in the log, if it is there: but on nothing, or on what its writer says.
  func orphans(since: Int64) throws -> [(id: Int64, parent: RecordName)] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT p.recordID, p.needs FROM sync_parked p \(MetadataStore.join(of: "p.recordID"))
            \(Zones.join(of: "r.zoneID"))
          WHERE p.reason = 'waiting' AND p.since <= ? AND z.access = 'owner'
            AND (r.tag IS NULL OR p.needs IS NOT (\(MetadataStore.name(of: "r.parentID"))))
          ORDER BY p.recordID
          """), arguments: [since]
    ).map { try ($0.read(0), RecordName.parsing($0.read(1) ?? "")) }
  }

  /// The latest edit of what waits for a record, directly or for what waits for it.
  func latestWaiting(forRecord id: Int64?) throws -> FieldClock {
    let latest = try Int64.fetchOne(
      db.cachedStatement(
        sql: """
          WITH RECURSIVE waiting (id) AS (
            SELECT ? UNION
            SELECT p.recordID FROM waiting
              \(MetadataStore.join(of: "waiting.id")) \(SchemaRegistry.join())
              JOIN sync_parked p ON p.needs = r.primaryKey || ':' || t.name
          )
          SELECT max(r.latest) FROM waiting \(MetadataStore.join(of: "waiting.id"))
          """), arguments: [id])
    return latest.map(FieldClock.init(rawValue:)) ?? .zero
  }

  // MARK: - UNIQUE

  /// Whether any record lost its row to another.
  func hasLosers() throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM sync_parked WHERE reason = 'duplicate')")) ?? false
  }

  /// Has those looked into again that lost to a row, and one that is kept itself.
  func release(losersTo name: String, orRecord id: Int64? = nil) throws {
    try db.cachedStatement(
      sql: """
        UPDATE sync_parked SET needs = NULL
        WHERE reason = 'duplicate' AND (needs = ? OR recordID = ?)
        """
    ).execute(arguments: [name, id])
  }

  /// Has those looked into again that lost to a row and depend on a record.
  func release(losersBelow id: Int64) throws {
    try db.cachedStatement(
      sql: """
        UPDATE sync_parked SET needs = NULL WHERE reason = 'duplicate' AND recordID IN (
          \(MetadataStore.ids(where: "parentID", is: "?")))
        """
    ).execute(arguments: [id])
  }

  /// What lost to rows that are gone or have changed, the oldest first.
  func contenders() throws -> [Int64] {
    try Int64.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT p.recordID FROM sync_parked p \(MetadataStore.join(of: "p.recordID"))
          WHERE p.reason = 'duplicate' AND p.needs ISNULL ORDER BY r.life, p.recordID
          """))
  }

  // MARK: - Trying again

  /// What a constraint refused and whose row was edited since, and every refused deletion: what
  /// keeps a row is elsewhere.
  func recordsToRetry() throws -> [Int64] {
    // A `+` keeps SQLite from looking each pending record up among those that are kept.
    try Int64.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT recordID FROM sync_parked
          WHERE reason IN \(Reason.list(\.endsWithEdit)) AND (
            reason = 'undeletable' OR +recordID IN (\(Outbox.records))
          ) ORDER BY recordID
          """))
  }

  /// What a constraint refuses, in the order of numbers, after one of them.
  func refused(after id: Int64, limit: Int) throws -> [Int64] {
    try Int64.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT recordID FROM sync_parked WHERE reason = ? AND recordID > ?
          ORDER BY recordID LIMIT ?
          """), arguments: [Reason.refused.rawValue, id, limit])
  }

  /// Everything that need not wait for a parent, with its table: another version of the app may
  /// take it.
  func recordsToRetryAtStart() throws -> [(id: Int64, table: String)] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT p.recordID, t.name FROM sync_parked p
        \(MetadataStore.join(of: "p.recordID")) \(SchemaRegistry.join())
        WHERE p.reason <> 'waiting'
        """
    ).map { try ($0.read(0), $0.read(1)) }
  }

  // MARK: - Tables that this version does not have

  /// What is kept of a table: whether there was a row, and since when.
  func records(ofUnknownTable id: Int64) throws -> [(id: Int64, hadRow: Bool, since: Int64)] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT r.id, hadRow, since FROM sync_parked \(MetadataStore.join(of: "recordID"))
        WHERE tableID = ? AND reason = ?
        """, arguments: [id, Reason.unknownTable.rawValue]
    ).map { try ($0.read(0), $0.read(1), $0.read(2)) }
  }

  /// The records that depend on one in the log, are in the cloud, and are kept for a reason.
  func children(ofRecord id: Int64, _ reason: Reason, limit: Int) throws -> [Int64] {
    try Int64.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT r.id FROM sync_parked \(MetadataStore.join(of: "recordID"))
          WHERE parentID = ? AND reason = ? AND tag IS NOT NULL AND NOT isTombstone
          ORDER BY r.id LIMIT ?
          """), arguments: [id, reason.rawValue, limit])
  }

  /// What waited for something waits for the table now; a row that could not go is nobody's.
  func setAside(tableID: Int64) throws {
    try db.execute(
      sql: """
        DELETE FROM sync_parked WHERE reason = ?2
          AND recordID IN (\(MetadataStore.ids(where: "tableID", is: "?1")))
        """, arguments: [tableID, Reason.undeletable.rawValue])
    try db.execute(
      sql: """
        UPDATE sync_parked SET reason = ?2, needs = NULL, error = NULL, hadRow = 0
        WHERE reason IN \(Reason.list(\.isOfVersion))
          AND recordID IN (\(MetadataStore.ids(where: "tableID", is: "?1")))
        """, arguments: [tableID, Reason.unknownTable.rawValue])
  }

  // MARK: - For people

  /// How many are kept for reasons of a kind.
  func count(_ kind: Reason.Kind) throws -> Int {
    let reasons = Reason.list { $0.kind == kind }
    return try Int.fetchOne(
      db.cachedStatement(sql: "SELECT count(*) FROM sync_parked WHERE reason IN \(reasons)")) ?? 0
  }

  /// What is kept and may be a row one day, the oldest first.
  func all(limit: Int) throws -> [SyncWaitingRecord] {
    guard try db.hasTable("sync_parked") else { return [] }
    return try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT t.name, r.primaryKey, p.reason, p.needs, p.error, p.since
          FROM sync_parked p \(MetadataStore.join(of: "p.recordID"))
          \(SchemaRegistry.join())
          WHERE p.reason <> '\(Reason.ignored.rawValue)'
          ORDER BY p.since, p.recordID LIMIT \(limit)
          """)
    ).map { row in
      let reason = try Reason(rawValue: row.read(2))?
        .shown(needs: row.read(3), error: row.read(4))
      return try SyncWaitingRecord(
        table: row.read(0), key: row.read(1), reason: reason ?? .unknownTable,
        since: Date(millisecondsSince1970: row.read(5)))
    }
  }

  /// SQL: whether anything of a zone is kept that belongs there.
  static func isAny(inZone zone: String) -> String {
    """
    EXISTS (SELECT 1 FROM sync_parked p \(MetadataStore.join(of: "p.recordID"))
      WHERE r.zoneID = \(zone) AND p.reason <> '\(Reason.ignored.rawValue)')
    """
  }
}
