import Foundation
import GRDB
import SQLiteSyncCloud
import SQLiteSyncHashing

/// Where the bytes of fields lie in the cloud, and which rows still lack them: `sync_assets`.
///
/// Of a field that this version has no column for it keeps the bytes themselves, too.
struct KnownAssets {
  let db: Database

  /// What is known of one field's bytes.
  struct Entry: Equatable {
    let recordID: Int64
    let field: String
    /// The clock of the edit whose bytes these are.
    let clock: FieldClock
    let reference: AssetReference
    /// Whether the bytes are not here yet.
    let isMissing: Bool
    /// How often they were looked for in vain.
    var attempts = 0
  }

  /// Not the kept bytes, which may be many.
  private static let columns = "recordID, field, clock, name, byteCount, isMissing, attempts"

  /// What is known of a field, if anything.
  func entry(recordID: Int64, field: String) throws -> Entry? {
    let statement = try db.cachedStatement(
      sql: "SELECT \(Self.columns) FROM sync_assets WHERE recordID = ? AND field = ?")
    return try Row.fetchOne(statement, arguments: [recordID, field]).map(decode)
  }

  /// What is known of the newest value of a record's field, if that is an asset.
  func entry(of record: RecordMetadata, field: String) throws -> Entry? {
    guard let id = record.id, let entry = try entry(recordID: id, field: field) else { return nil }
    return entry.clock == record.clock(of: field) ? entry : nil
  }

  /// What is known of a record's fields.
  func entries(recordID: Int64) throws -> [Entry] {
    let statement = try db.cachedStatement(
      sql: "SELECT \(Self.columns) FROM sync_assets WHERE recordID = ?")
    return try Row.fetchAll(statement, arguments: [recordID]).map(decode)
  }

  /// Forgets what is known of a record's fields, kept bytes included.
  func forget(recordID: Int64) throws {
    try db.cachedStatement(sql: "DELETE FROM sync_assets WHERE recordID = ?")
      .execute(arguments: [recordID])
  }

  /// Forgets where the bytes of a record's fields lie, but for those that are missing or kept here.
  func forgetPlaces(recordID: Int64) throws {
    try db.cachedStatement(
      sql: "DELETE FROM sync_assets WHERE recordID = ? AND NOT isMissing AND bytes IS NULL"
    ).execute(arguments: [recordID])
  }

  /// True for a record of which anything is known.
  static func isAny(recordID: String) -> String {
    "EXISTS (SELECT 1 FROM sync_assets WHERE recordID = \(recordID))"
  }

  /// Whether records in a zone lack bytes, in SQL.
  static func isAnyMissing(zone: String) -> String {
    """
    EXISTS (
      SELECT 1 FROM sync_assets a \(MetadataStore.join(of: "a.recordID"))
      WHERE r.zoneID = \(zone) AND a.isMissing)
    """
  }

  /// The missing ones that are to be looked for at a time, in milliseconds since 1970.
  ///
  /// No more than `byteLimit` bytes, but at least one.
  ///
  /// Each with the zone that its record lives in.
  func due(at now: Int64, byteLimit: Int) throws -> [(entry: Entry, zoneID: Int64)] {
    let rows = try Row.fetchCursor(
      db.cachedStatement(
        sql: """
          SELECT \(Self.columns), zoneID FROM sync_assets \(MetadataStore.join(of: "recordID"))
          WHERE isMissing AND nextAttempt <= ? ORDER BY nextAttempt LIMIT 400
          """), arguments: [now])
    var due: [(entry: Entry, zoneID: Int64)] = []
    var byteCount = 0
    while let row = try rows.next() {
      let entry = try decode(row)
      byteCount += entry.reference.byteCount
      guard byteCount <= byteLimit || due.isEmpty else { break }
      try due.append((entry, row.read("zoneID")))
    }
    return due
  }

  /// Missing bytes that were looked for in vain, and are looked for again later.
  private static let isPostponed =
    "isMissing AND attempts > 0 AND nextAttempt BETWEEN 1 AND \(Int64.max - 1)"

  /// Whether any bytes were looked for in vain, and are looked for again later.
  func isAnyPostponed() throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM sync_assets WHERE \(Self.isPostponed))")) ?? false
  }

  /// They are looked for again at once.
  func retryNow() throws {
    try db.cachedStatement(sql: "UPDATE sync_assets SET nextAttempt = 0 WHERE \(Self.isPostponed)")
      .execute()
  }

  /// Those whose bytes are in rows and are more than `byteLimit`, the last used first, each with
  /// the zone that its record lives in.
  func inRows(above byteLimit: Int) throws -> [(entry: Entry, zoneID: Int64)] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT \(Self.columns), zoneID FROM sync_assets a \(MetadataStore.join(of: "recordID"))
          WHERE NOT isMissing AND bytes IS NULL AND byteCount > ? ORDER BY a.rowid DESC
          """), arguments: [byteLimit]
    ).map { try (decode($0), $0.read("zoneID")) }
  }

  /// Notes that the bytes in a row are used: they come first in `inRows`, whose order is that of
  /// the latest changes.
  func touch(_ entry: Entry) throws {
    guard try self.entry(recordID: entry.recordID, field: entry.field) == entry else { return }
    try save(entry)
  }

  /// Missing bytes that wait until somebody asks, up to a size.
  private static let heldBack = "isMissing AND nextAttempt = \(Int64.max) AND byteCount <= ?"

  func isAnyHeldBack(upTo byteLimit: Int) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM sync_assets WHERE \(Self.heldBack))"),
      arguments: [byteLimit]) ?? false
  }

  /// Lets them come by themselves.
  func awaitHeldBack(upTo byteLimit: Int) throws {
    try db.cachedStatement(sql: "UPDATE sync_assets SET nextAttempt = 0 WHERE \(Self.heldBack)")
      .execute(arguments: [byteLimit])
  }

  /// Stores what is known of a field; missing bytes are looked for at `nextAttempt`, by nobody but
  /// who asks when that is the last moment there is.
  ///
  /// - Parameter bytes: The bytes themselves, when there is no row to have them.
  func save(_ entry: Entry, keeping bytes: Data? = nil, nextAttempt: Int64 = 0) throws {
    try db.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO sync_assets (\(Self.columns), nextAttempt, bytes)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    )
    .execute(arguments: [
      entry.recordID, entry.field, entry.clock.rawValue, entry.reference.name,
      entry.reference.byteCount, entry.isMissing, entry.attempts, nextAttempt, bytes,
    ])
  }

  /// What is known of a field, with all that is stored.
  struct Stored {
    let entry: Entry
    fileprivate let nextAttempt: Int64
    fileprivate let bytes: Data?
  }

  /// All that is stored of a record's fields.
  func stored(recordID: Int64) throws -> [Stored] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: "SELECT \(Self.columns), nextAttempt, bytes FROM sync_assets WHERE recordID = ?"),
      arguments: [recordID]
    ).map { row in
      try Stored(
        entry: decode(row), nextAttempt: row.read("nextAttempt"), bytes: row.read("bytes"))
    }
  }

  /// Stores it of another record, as of an edit of that one.
  func save(_ stored: Stored, of recordID: Int64, clock: FieldClock) throws {
    let entry = stored.entry
    try save(
      Entry(
        recordID: recordID, field: entry.field, clock: clock, reference: entry.reference,
        isMissing: entry.isMissing, attempts: entry.attempts),
      keeping: stored.bytes, nextAttempt: stored.nextAttempt)
  }

  /// The bytes that were kept of a field, if they are those of this asset.
  func keptBytes(recordID: Int64, field: String, of reference: AssetReference) throws -> Data? {
    let statement = try db.cachedStatement(
      sql: "SELECT bytes FROM sync_assets WHERE recordID = ? AND field = ? AND name = ?")
    return try Data.fetchOne(statement, arguments: [recordID, field, reference.name])
  }

  /// The bytes with a hash, from a row that has them or from those that were kept.
  func bytes(sha256: String) throws -> Data? {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT a.field, a.bytes, r.primaryKey, t.name, c.name IS NOT NULL AS hasColumn
        FROM sync_assets a \(MetadataStore.join(of: "a.recordID"))
          \(SchemaRegistry.join())
          LEFT JOIN pragma_table_info(t.name) c ON c.name = a.field
        WHERE a.name GLOB ? AND NOT a.isMissing
        """, arguments: ["\(sha256)-*"])
    while let row = try rows.next() {
      let kept: Data? = try row.read("bytes")
      let found = try kept ?? (row.read("hasColumn") ? self.bytes(in: row) : nil)
      if let found, SHA256.digest(of: found).hexadecimal == sha256 { return found }
    }
    return nil
  }

  /// The bytes that a column of a row has.
  private func bytes(in row: Row) throws -> Data? {
    let (table, column): (String, String) = try (row.read("name"), row.read("field"))
    guard let key = try db.primaryKey(table).columns.first else { return nil }
    return try Data.fetchOne(
      db,
      sql: """
        SELECT \(column.quotedIdentifier) FROM \(table.quotedIdentifier)
        WHERE \(key.quotedIdentifier) = ? AND typeof(\(column.quotedIdentifier)) = 'blob'
        """, arguments: [row.read("primaryKey") as String])
  }

  /// Lets go of the bytes that were kept of a field, or of all of a record's: its row has them, or
  /// it is gone.
  func dropBytes(recordID: Int64, field: String? = nil) throws {
    try db.cachedStatement(
      sql: """
        UPDATE sync_assets SET bytes = NULL
        WHERE recordID = ?1 AND field = coalesce(?2, field) AND bytes IS NOT NULL
        """
    ).execute(arguments: [recordID, field])
  }

  /// Lets two fields of a table's records have each other's names.
  func exchange(field one: String, with other: String, ofTable id: Int64) throws {
    try db.exchange(
      one, other, in: "field", of: "sync_assets",
      where: "recordID IN (\(MetadataStore.ids(where: "tableID", is: "?")))", [id])
  }

  /// Forgets what is known of a field.
  func forget(recordID: Int64, field: String) throws {
    try db.cachedStatement(sql: "DELETE FROM sync_assets WHERE recordID = ? AND field = ?")
      .execute(arguments: [recordID, field])
  }

  /// No value in SQLite is larger.
  static let sizes = 0..<1 << 31

  private func decode(_ row: Row) throws -> Entry {
    try Entry(
      recordID: row.read("recordID"), field: row.read("field"),
      clock: FieldClock(rawValue: row.read("clock")),
      reference: AssetReference(
        name: row.read("name"),
        byteCount: row.read("byteCount", of: "sync_assets", in: Self.sizes)),
      isMissing: row.read("isMissing"), attempts: min(row.read("attempts"), 1000))
  }
}

extension AssetReference {
  /// Stands for bytes that lie in no cloud yet, and are kept here because there is no column for
  /// them any more.
  ///
  /// It never leaves the device: `BatchBuilder` puts the bytes in its place.
  static func unpublished(_ bytes: Data) -> AssetReference {
    AssetReference(name: unpublishedName, byteCount: bytes.count)
  }

  /// Whether its bytes lie in no cloud yet.
  var isUnpublished: Bool { name == Self.unpublishedName }

  /// No bytes have this hash.
  private static let unpublishedName = String(repeating: "0", count: 64) + "-00000000"
}

// MARK: - What is lost

extension KnownAssets {
  /// Those that were looked for in vain, and are looked for still: they are not, or not yet, or not
  /// any more, where the cloud should have them.
  ///
  /// Of a record that waits whole for its bytes, the quarantine tells.
  func lost() throws -> [SyncWaitingRecord] {
    guard try db.hasTable("sync_assets") else { return [] }
    let store = MetadataStore(db: db)
    return try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT t.name, r.primaryKey, a.field, a.clock, r.id
          FROM sync_assets a \(MetadataStore.join(of: "a.recordID")) \(SchemaRegistry.join())
          WHERE a.isMissing AND a.nextAttempt < \(Int64.max) AND a.attempts > 0
            AND NOT \(Quarantine.keeps("r.id"))
          """)
    ).compactMap { row in
      let (field, clock) = try (row.read(2) as String, FieldClock(rawValue: row.read(3)))
      // One that was overwritten, or went, is forgotten when it is its time to be looked for.
      guard let record = try store.record(id: row.read(4)), record.isAlive,
        record.clock(of: field) == clock
      else { return nil }
      return try SyncWaitingRecord(
        table: row.read(0), key: row.read(1), reason: .asset(column: field),
        since: Date(millisecondsSince1970: clock.milliseconds))
    }
  }
}
