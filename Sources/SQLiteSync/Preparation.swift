import Foundation
import GRDB
import SQLiteSyncCloud

extension SyncEngine {
  /// Creates the engine's tables in a database that no engine has opened yet.
  ///
  /// For an app's migration, before triggers or queries of its own that use the expressions here.
  /// Capture begins with the first engine; it takes in the rows that are there by then.
  public static func prepare(_ db: Database) throws {
    try MetadataSchema.install(in: db, device: UUID())
  }

  /// Brings metadata and capture up to the tables, as every engine does when it is created.
  ///
  /// For an app whose migrations run without an engine. What came before for columns and tables
  /// that are new is in them afterwards, without a cloud.
  ///
  /// - Parameters:
  ///   - db: The database.
  ///   - tables: The tables to synchronize.
  ///   - privateTables: Tables that are synchronized and never shared.
  ///   - mergePolicies: Those of the engine: see `SyncConfiguration`.
  /// - Throws: `SyncError` for a table that cannot be synchronized; nothing is changed then.
  public static func prepare(
    _ db: Database, tables: [any TableRecord.Type], privateTables: [any TableRecord.Type] = [],
    mergePolicies: [String: [String: MergePolicy]] = [:]
  ) throws {
    try prepare(db)
    try Installation(
      db: db, device: try device(of: db), now: SyncConfiguration().now(), timeSQL: nil,
      mergePolicies: mergePolicies
    ).install(
      tables.map { $0.databaseTableName }, private: privateTables.map { $0.databaseTableName })
  }

  /// Whether the edits of all these tables are captured, and what they overwrite is kept.
  ///
  /// - Throws: errors of the database.
  public static func captures(
    _ db: Database, tables: [any TableRecord.Type]
  ) throws -> Bool {
    try tables.allSatisfy { try !CaptureTriggers.areMissing(from: $0.databaseTableName, in: db) }
  }

  /// The device that a database is, in every cloud: given when its tables were created.
  public static func device(of db: Database) throws -> UUID {
    guard let device = try DeviceState(db: db).device() else {
      throw SyncError(.stopped, "The database does not say which device it is.")
    }
    return device
  }

  /// The id of the cloud that a database has been in step with, or nil before the first time.
  public static func cloud(of db: Database) throws -> String? {
    try DeviceState(db: db).cloud()
  }

  /// Takes columns, or a whole table, out of synchronization, before a migration drops them.
  ///
  /// One that renames them calls `rename(_:table:to:)` or `rename(_:column:to:of:)` instead.
  ///
  /// Other versions of the app may still have them: the values that are here go on being sent with
  /// their rows, as those of any column that this version does not know, and so do the unsent edits
  /// of a table. Without this an engine refuses a database that lacks what was synchronized before.
  ///
  /// - Parameters:
  ///   - db: The database.
  ///   - table: A synchronized table.
  ///   - columns: The columns; nil for the table.
  /// - Throws: `SyncError` when there is no such table; errors of the database.
  public static func forget(
    _ db: Database, table: any TableRecord.Type, columns: [String]? = nil
  ) throws {
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    try SchemaRemovals.forget(columns, of: table.databaseTableName, now: now, in: db)
  }

  /// An SQL expression for the DEFAULT of a key: a random UUID of version 4 in lower case.
  ///
  /// It uses no function of ours, so that any program can insert rows.
  public static let randomUUID = """
    lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' \
    || substr(hex(randomblob(2)), 2) || '-' || substr('89ab', 1 + (random() & 3), 1) \
    || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))
    """

  /// What SQLite says of a row whose key cannot be part of a record's name; the write that makes
  /// it fails.
  ///
  /// A record's name has at most 255 bytes and no underscore in front. It is ASCII: other letters
  /// of a key are spelled with percent signs in it, and count nine or twelve bytes.
  public static let invalidRecordNameError =
    "A synchronized row's key must be short UTF-8 without NUL, and begin with no underscore."

  /// What SQLite says of a row whose key is bytes; the write that makes it fails.
  ///
  /// A `TEXT` column of a table that is not `STRICT` holds what it is given, and GRDB gives a
  /// `UUID` as 16 bytes unless it is told otherwise.
  public static let keyIsNotTextError =
    "A synchronized row's key must be text: store a UUID as its 36 characters, not as 16 bytes "
    + "(in GRDB by databaseUUIDEncodingStrategy)."

  /// Whether a row of a table can have this key.
  public static func isValidKey(_ key: String, of table: String) -> Bool {
    RecordName.isValid(key: key, table: table)
  }

  /// An SQL expression, true when a row of a table with the key that another expression gives
  /// cannot be a record.
  ///
  /// For the `WHEN` of a trigger of an app's own, which refuses such rows also before the app is
  /// synchronized for the first time, with `invalidRecordNameError`.
  public static func isInvalidKey(_ key: String, of table: String) -> String {
    RecordName.objectionSQL(key: key, table: table)
  }

  /// What a device holds of a zone of its account.
  public typealias CloudState = CloudCheck.DeviceState

  /// What a database holds of the zones of its account, for a check of the cloud.
  ///
  /// Those of which it holds everything: not before the first fetch, and not while fetched records
  /// wait for something or the bytes of an asset are missing.
  public static func cloudStates(of db: Database) throws -> [CloudState] {
    // Files of an earlier version have no shares.
    guard try SharedZones(db: db).isInstalled() else { return [] }
    return try Zones(db: db).complete().map { CloudState(zone: $0.zone, token: $0.token) }
  }

  /// A zone of the cloud: its name and its owner.
  public typealias CloudZone = ZoneID

  /// The zones that a database is in step with, for a check of the cloud.
  public static func followedZones(of db: Database) throws -> Set<CloudZone> {
    try Set(Zones(db: db).fetched())
  }

  /// The bytes with a SHA-256 that a row has, or that are kept for a column to come; nil when there
  /// are none.
  ///
  /// - Parameters:
  ///   - sha256: The hash in lower-case hexadecimal digits.
  ///   - db: The database.
  public static func bytes(ofAsset sha256: String, in db: Database) throws -> Data? {
    try KnownAssets(db: db).bytes(sha256: sha256)
  }

  /// An SQL expression for who edited a row that is shared last, as the cloud writes accounts: see
  /// `SyncAccount.name(of:)`.
  ///
  /// NULL when that was this account, and for rows that are not shared.
  ///
  /// - Parameters:
  ///   - table: The name of a table.
  ///   - key: An SQL expression for the primary key of the row; a column with its table.
  public static func latestEditor(table: String, key: String) -> String {
    let record = MetadataStore.select(
      KnownDevices.otherAuthor(ofClock: "latest"),
      tableID: SchemaRegistry.number(ofTable: table), key: key)
    return "(\(record) AND zoneID <> \(SyncZone.defaultID))"
  }

  /// An SQL expression, true when the cloud does not have the latest edit of a row yet.
  ///
  /// Where a query shows some rows of many, name them: thousands of edits may be unsent, such as
  /// those of an import while synchronization is stopped.
  ///
  /// ```swift
  /// let isPending = SyncEngine.hasPendingChange(
  ///   table: "plants", key: "shown.id", among: "SELECT id FROM shown")
  /// let sql = """
  ///   WITH shown AS (SELECT * FROM plants ORDER BY name LIMIT 100)
  ///   SELECT *, \(isPending) FROM shown
  ///   """
  /// ```
  ///
  /// - Parameters:
  ///   - table: The name of a table.
  ///   - key: An SQL expression for the primary key of the row; a column with its table.
  ///   - keys: An SQL query for the keys of the rows that are asked about; nil is any.
  public static func hasPendingChange(
    table: String, key: String, among keys: String? = nil
  ) -> String {
    let tableID = SchemaRegistry.number(ofTable: table)
    let isAmong = keys.map { "primaryKey IN (\($0)) AND " } ?? ""
    return """
      (\(key) IN (
        SELECT primaryKey FROM \(EditEntries.unfolded(where: "\(isAmong)tableID = \(tableID)"))
      ) OR \(Outbox.isPending(tableID: tableID, key: key)))
      """
  }
}
