import Foundation
import GRDB
import SQLiteSyncHashing

/// The engine's own tables, in the app's database file and under the prefix `sync_`.
///
/// One file because two attached WAL files neither commit together in a crash nor read
/// consistently. Ordinary rowid tables because observation does not see others.
enum MetadataSchema {
  /// Creates what is missing, brings what an earlier version made up to this one, and gives the
  /// device its identity.
  ///
  /// Throws `newerMetadata` for a database that a later version has written.
  static func install(in db: Database, device: UUID) throws {
    try TemporaryShadow.refuse(in: db, tables: [])
    let version = try version(of: db)
    guard version <= steps.count else {
      throw SyncError(
        .newerMetadata, "A newer version has synchronized this database.",
        hint: "Use that version, or another database.")
    }
    guard version >= 0 else { throw SyncError.damage("version", holds: "\(version)") }
    if version < steps.count {
      try bringUp(db, from: version)
      try db.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS sync_version (
            id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL
          );
          INSERT OR REPLACE INTO sync_version VALUES (1, \(steps.count));
          """)
    }
    try MetadataLoss.refuseMissing(in: db)
    // Files of 0.1.0 have no such column.
    let columns = try String.fetchSet(
      db.cachedStatement(sql: "SELECT name FROM pragma_table_info('sync_state')"))
    if !columns.contains("isSignedOut") {
      try db.execute(
        sql: "ALTER TABLE sync_state ADD COLUMN isSignedOut INTEGER NOT NULL DEFAULT 0")
    }
    try MetadataLoss.refuseEmptied(in: db)
    try db.execute(
      sql:
        "INSERT INTO sync_state (id, isApplying, device) VALUES (1, 0, ?) ON CONFLICT DO NOTHING",
      arguments: [device.lowercaseString])
    try DeviceIdentity.renewIfCopied(in: db)
  }

  /// Runs the steps that a database does not have behind it.
  private static func bringUp(_ db: Database, from version: Int) throws {
    if try version == 0 && !isAnything(in: db) {
      for statement in try whole.get() { try db.execute(sql: statement) }
      return
    }
    // The number alone was lost.
    if version == 0, try isWhole(in: db) { return }
    do {
      for statement in steps[version...].joined() { try db.execute(sql: statement) }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      throw SyncError.damage(
        "its tables are not those of version \(version) of the metadata "
          + "(\(error.message ?? "\(error)"))")
    }
  }

  /// Whether there is any of the engine's tables.
  private static func isAnything(in db: Database) throws -> Bool {
    try ["sync_state", "sync_records"].contains(where: db.hasTable)
  }

  /// Whether a database has every column that all steps make.
  private static func isWhole(in db: Database) throws -> Bool {
    let sql = """
      SELECT t.name || '.' || c.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c
      WHERE t.schema = 'main' AND t.name GLOB 'sync_*' AND t.name <> 'sync_version'
      """
    let wanted = try DatabaseQueue().write { db in
      for statement in try whole.get() { try db.execute(sql: statement) }
      return try String.fetchSet(db, sql: sql)
    }
    return try wanted.isSubset(of: String.fetchSet(db, sql: sql))
  }

  /// The engine's tables, and the view over them.
  static let tableNames = [
    "sync_assets", "sync_bases", "sync_columns", "sync_device_names", "sync_devices", "sync_edits",
    "sync_history", "sync_history_days", "sync_leftovers", "sync_log_days", "sync_metadata",
    "sync_names", "sync_parked", "sync_pending", "sync_records", "sync_refusals", "sync_shares",
    "sync_state", "sync_tables", "sync_version", "sync_zones",
  ]

  /// The tables that are not about records: the others are the account's.
  static let ofDevice: Set<String> = [
    "sync_version", "sync_state", "sync_tables", "sync_columns", "sync_names",
  ]

  /// What each version of the metadata added to the one before it.
  private static let steps = [
    beginning, zones, keptAssets, heldStaleCopies, livingRecords, rowImages, forgedShares, refusals,
    rowsSetAside, names, neededRecords, lastingZones,
    deletionsByOthers, mergeBases, rebuiltTables, keys, deviceNames,
    ownVersions, conflicts, heldChanges, historyDays, laterLosses,
    logDays, historyImages,
  ]

  /// What all steps make of a database that has no metadata yet.
  ///
  /// They are taken once, in memory: in an app's database each `ALTER TABLE` makes SQLite read the
  /// whole schema again, which can be large.
  private static let whole = Result {
    try DatabaseQueue().write { db in
      for statement in steps.joined() { try db.execute(sql: statement) }
      return try String.fetchAll(
        db,
        sql: """
          SELECT sql FROM sqlite_schema WHERE sql NOTNULL AND name NOT GLOB 'sqlite_*'
          ORDER BY rowid
          """) + [Refusals.beginning]
    }
  }

  /// The version that has `ownVersions`.
  static let versionWithOwnVersions = 18

  /// Whether a database has so many of the steps behind it.
  static func isAtLeast(_ wanted: Int, in db: Database) throws -> Bool {
    try version(of: db) >= wanted
  }

  /// How many of the steps a database has behind it.
  ///
  /// The first versions did not say; they had the tables of the first step.
  private static func version(of db: Database) throws -> Int {
    guard try db.hasTable("sync_version") else { return 0 }
    return try Int.fetchOne(db, sql: "SELECT version FROM sync_version") ?? 0
  }

  private static let beginning = [
    // The flag that mutes capture, who this device is, and whose data is here: see SyncAccount.
    """
    CREATE TABLE IF NOT EXISTS sync_state (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      isApplying INTEGER NOT NULL,
      device TEXT NOT NULL,
      cloud TEXT,
      account TEXT,
      isSignedOut INTEGER NOT NULL DEFAULT 0
    )
    """,
    // Numbers for tables and columns, stable over migrations. A table that only the cloud knows has
    // isSynchronized = 0.
    """
    CREATE TABLE IF NOT EXISTS sync_tables (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      isSynchronized INTEGER NOT NULL DEFAULT 0
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS sync_columns (
      id INTEGER PRIMARY KEY,
      tableID INTEGER NOT NULL,
      number INTEGER NOT NULL,
      name TEXT NOT NULL,
      isDropped INTEGER NOT NULL DEFAULT 0,
      UNIQUE (tableID, number),
      UNIQUE (tableID, name)
    )
    """,
    // How far a zone was fetched: see ZonePosition. One that was never fetched is fetched whole.
    """
    CREATE TABLE IF NOT EXISTS sync_zones (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      owner TEXT NOT NULL,
      token TEXT,
      pass INTEGER NOT NULL DEFAULT 0,
      fullFetch TEXT DEFAULT 'expired',
      UNIQUE (owner, name)
    )
    """,
    // What the triggers append to: see CaptureTriggers.
    """
    CREATE TABLE IF NOT EXISTS sync_edits (
      sequence INTEGER PRIMARY KEY,
      tableID INTEGER NOT NULL,
      primaryKey TEXT NOT NULL,
      kind INTEGER NOT NULL,
      mask INTEGER NOT NULL,
      at INTEGER NOT NULL
    )
    """,
    // One row for each record that this device knows of, deleted ones included: see RecordMetadata.
    """
    CREATE TABLE IF NOT EXISTS sync_records (
      id INTEGER PRIMARY KEY,
      tableID INTEGER NOT NULL,
      primaryKey TEXT NOT NULL,
      zoneID INTEGER NOT NULL DEFAULT 1,
      life INTEGER NOT NULL DEFAULT 0,
      latest INTEGER NOT NULL DEFAULT 0,
      death INTEGER,
      clocks TEXT,
      unknown BLOB,
      tag TEXT,
      parentID INTEGER,
      isTombstone INTEGER NOT NULL DEFAULT 0,
      pass INTEGER NOT NULL DEFAULT 0,
      UNIQUE (tableID, primaryKey)
    )
    """,
    """
    CREATE INDEX IF NOT EXISTS sync_records_parent ON sync_records (parentID)
    WHERE parentID IS NOT NULL
    """,
    // The outbox. A row leaves it when the cloud has the change or a merge made it obsolete.
    """
    CREATE TABLE IF NOT EXISTS sync_pending (
      recordID INTEGER PRIMARY KEY,
      tableID INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      fields TEXT,
      since INTEGER NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      nextAttempt INTEGER NOT NULL DEFAULT 0,
      error TEXT
    )
    """,
    "CREATE INDEX IF NOT EXISTS sync_pending_order ON sync_pending (kind, tableID)",
    // Fetched records that have no row yet: their parent is missing, a local constraint refuses
    // them, or this version of the app has no such table.
    """
    CREATE TABLE IF NOT EXISTS sync_parked (
      recordID INTEGER PRIMARY KEY,
      reason TEXT NOT NULL,
      needs TEXT,
      error TEXT,
      image BLOB NOT NULL,
      since INTEGER NOT NULL
    )
    """,
    "CREATE INDEX IF NOT EXISTS sync_parked_needs ON sync_parked (needs)",
    // Whole tables can be quarantined, and only some reasons are looked at again and again.
    "CREATE INDEX IF NOT EXISTS sync_parked_reason ON sync_parked (reason)",
    // Where the bytes of a field lie in the cloud, and whether the row still lacks them.
    // Valid while `clock` is the field's clock.
    """
    CREATE TABLE IF NOT EXISTS sync_assets (
      recordID INTEGER NOT NULL,
      field TEXT NOT NULL,
      clock INTEGER NOT NULL,
      name TEXT NOT NULL,
      byteCount INTEGER NOT NULL,
      isMissing INTEGER NOT NULL DEFAULT 0,
      attempts INTEGER NOT NULL DEFAULT 0,
      nextAttempt INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (recordID, field)
    )
    """,
    """
    CREATE INDEX IF NOT EXISTS sync_assets_missing ON sync_assets (nextAttempt) WHERE isMissing
    """,
    // Values that lost, and rows that were deleted, without a field: see RowImage.
    """
    CREATE TABLE IF NOT EXISTS sync_history (
      id INTEGER PRIMARY KEY,
      tableID INTEGER NOT NULL,
      primaryKey TEXT NOT NULL,
      field TEXT,
      value BLOB,
      clock INTEGER NOT NULL,
      winnerValue BLOB,
      winnerClock INTEGER NOT NULL,
      winner TEXT,
      isConflict INTEGER NOT NULL DEFAULT 0,
      at INTEGER NOT NULL
    )
    """,
    // Without the deleted rows, which a trigger adds: an index would double what that costs.
    """
    CREATE INDEX IF NOT EXISTS sync_history_field ON sync_history (tableID, primaryKey)
    WHERE field IS NOT NULL
    """,
    // Whose device has which bits in a clock.
    """
    CREATE TABLE IF NOT EXISTS sync_devices (
      bits INTEGER PRIMARY KEY,
      device TEXT NOT NULL,
      account TEXT NOT NULL
    )
    """,
  ]
}
