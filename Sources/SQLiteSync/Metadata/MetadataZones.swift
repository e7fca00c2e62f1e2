extension MetadataSchema {
  /// The second version: several zones, those of others among them.
  static let zones = [
    // What this account may do in the zone: see ZoneAccess. The zone's share record, its version
    // in the cloud, and with edits that are unsent. What is to be told to others: see ShareMail.
    """
    ALTER TABLE sync_zones ADD COLUMN access TEXT NOT NULL DEFAULT 'owner'
    """,
    "ALTER TABLE sync_zones ADD COLUMN share BLOB",
    "ALTER TABLE sync_zones ADD COLUMN shareTag TEXT",
    "ALTER TABLE sync_zones ADD COLUMN shareEdit BLOB",
    "ALTER TABLE sync_zones ADD COLUMN mail TEXT",
    // The zones beside the account's own one, and the record that each shares: a synchronized
    // table like the app's, so that all devices of the account agree on them.
    """
    CREATE TABLE sync_shares (
      zone TEXT PRIMARY KEY NOT NULL,
      root TEXT NOT NULL ON CONFLICT REPLACE DEFAULT ''
    )
    """,
    // What a zone still has of a record that lives in another one: see StaleCopies.
    """
    CREATE TABLE sync_leftovers (
      recordID INTEGER NOT NULL,
      zoneID INTEGER NOT NULL,
      tag TEXT NOT NULL,
      parentID INTEGER,
      pass INTEGER NOT NULL,
      nextAttempt INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (recordID, zoneID)
    )
    """,
    "CREATE INDEX sync_leftovers_parent ON sync_leftovers (parentID) WHERE parentID IS NOT NULL",
    "CREATE INDEX sync_records_zone ON sync_records (zoneID) WHERE zoneID <> 1",
    "DROP VIEW IF EXISTS sync_metadata",
  ]

  /// The third version: the bytes of fields that the app has no column for.
  static let keptAssets = ["ALTER TABLE sync_assets ADD COLUMN bytes BLOB"]

  /// The fourth version: stale copies that the cloud refused to delete, and those of strangers.
  static let heldStaleCopies = [
    "ALTER TABLE sync_leftovers ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE sync_leftovers ADD COLUMN isHeld INTEGER NOT NULL DEFAULT 0",
  ]

  /// The eleventh version: with which record a version that is held is looked at again.
  static let neededRecords = [
    "ALTER TABLE sync_leftovers ADD COLUMN needsID INTEGER",
    "CREATE INDEX sync_leftovers_needed ON sync_leftovers (needsID) WHERE needsID IS NOT NULL",
  ]

  /// The fifth version: the view shows rows, and no names of which there is nothing else.
  static let livingRecords = [
    "DROP VIEW IF EXISTS sync_metadata",
    metadataView(share: "z.share"),
  ]

  /// The seventh version: share records that somebody else has written in the owner's name.
  static let forgedShares = [
    "ALTER TABLE sync_zones ADD COLUMN isShareForged INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE sync_zones ADD COLUMN trustedShare BLOB",
    "DROP VIEW IF EXISTS sync_metadata",
    metadataView(share: trustedShareRecord),
  ]

  /// The share record of a zone that its owner wrote, in SQL.
  private static let trustedShareRecord =
    "CASE WHEN z.isShareForged THEN z.trustedShare ELSE z.share END"

  /// The ninth version: which quarantined records had a row when their table was taken out.
  static let rowsSetAside = [
    "ALTER TABLE sync_parked ADD COLUMN hadRow INTEGER NOT NULL DEFAULT 0"
  ]

  /// The tenth version: what is called otherwise in the cloud: see `CloudNames`.
  static let names = [
    """
    CREATE TABLE sync_names (
      tableName TEXT NOT NULL,
      local TEXT NOT NULL,
      cloud TEXT NOT NULL,
      PRIMARY KEY (tableName, local)
    )
    """
  ]

  /// The twelfth version: numbers of zones that are never used again, as what an ended zone has
  /// left behind may still speak of its number.
  static let lastingZones = [
    "DROP VIEW sync_metadata",
    "ALTER TABLE sync_zones RENAME TO sync_zones_before",
    """
    CREATE TABLE sync_zones (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL,
      owner TEXT NOT NULL,
      token TEXT,
      pass INTEGER NOT NULL DEFAULT 0,
      fullFetch TEXT DEFAULT 'expired',
      access TEXT NOT NULL DEFAULT 'owner',
      share BLOB,
      shareTag TEXT,
      shareEdit BLOB,
      mail TEXT,
      isShareForged INTEGER NOT NULL DEFAULT 0,
      trustedShare BLOB,
      UNIQUE (owner, name)
    )
    """,
    """
    INSERT INTO sync_zones SELECT id, name, owner, token, pass, fullFetch, access, share, shareTag,
      shareEdit, mail, isShareForged, trustedShare FROM sync_zones_before
    """,
    "DROP TABLE sync_zones_before",
    // One that ended in an earlier version has its number no more, but its records may.
    """
    UPDATE sqlite_sequence
    SET seq = max(seq, (SELECT coalesce(max(abs(zoneID)), 0) FROM sync_records))
    WHERE name = 'sync_zones'
    """,
    metadataView(share: trustedShareRecord),
  ]

  /// The thirteenth version: rows that were deleted from elsewhere are found by their names, so
  /// that what went with them comes back with them.
  static let deletionsByOthers = [
    """
    CREATE INDEX sync_history_deletion ON sync_history (tableID, primaryKey)
    WHERE field IS NULL AND winner IS NOT NULL
    """
  ]

  /// The nineteenth version: conflicts, of which there are few, are found without the rest of the
  /// history: see `SyncHistory.entries`.
  static let conflicts = [
    """
    CREATE INDEX sync_history_conflict ON sync_history (tableID, field COLLATE NOCASE)
    WHERE isConflict > 0
    """
  ]

  /// The twentieth version: what the cloud refuses is counted after each batch without the rest of
  /// what waits: see `Outbox.heldCount`.
  static let heldChanges = [
    "CREATE INDEX sync_pending_held ON sync_pending (recordID) WHERE isHeld"
  ]

  /// The twenty-first version: the days by which the age of the history is counted, with the last
  /// entry that there was on each: see `History.prune`.
  static let historyDays = [
    """
    CREATE TABLE sync_history_days (
      id INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      lastEntry INTEGER NOT NULL
    )
    """
  ]

  /// The twenty-second version: values that wait in the history, of which there are few, are found
  /// without the rest of it: see `History.laterLosses`.
  static let laterLosses = [
    """
    CREATE INDEX sync_history_later ON sync_history (tableID, field)
    WHERE field IS NOT NULL AND clock > winnerClock
    """
  ]

  /// The twenty-third version: how far each log had been read on each of the last days: see
  /// `LogDays`.
  static let logDays = [
    """
    CREATE TABLE sync_log_days (
      id INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      zoneID INTEGER NOT NULL,
      token TEXT NOT NULL
    )
    """,
    "CREATE INDEX sync_log_days_zone ON sync_log_days (zoneID)",
  ]

  /// The twenty-fourth version: a deleted row is found by its name, whoever deleted it: see
  /// `History.lastImage`.
  static let historyImages = [
    "DROP INDEX sync_history_deletion",
    "CREATE INDEX sync_history_image ON sync_history (tableID, primaryKey) WHERE field IS NULL",
  ]

  /// The fourteenth version: what unsent edits were made of that are to be merged: see MergeBases.
  static let mergeBases = [
    """
    CREATE TABLE sync_bases (
      tableID INTEGER NOT NULL,
      primaryKey TEXT NOT NULL,
      field TEXT NOT NULL,
      kind INTEGER NOT NULL,
      clock INTEGER NOT NULL,
      value,
      PRIMARY KEY (tableID, primaryKey, field, kind, clock)
    )
    """,
    "CREATE INDEX sync_bases_captured ON sync_bases (kind) WHERE kind = 0",
  ]

  /// The queryable face of the metadata: join it with your own table on recordPrimaryKey.
  private static func metadataView(share: String) -> String {
    """
    CREATE VIEW sync_metadata AS
    SELECT
      r.id AS id,
      t.name AS recordType,
      r.primaryKey AS recordPrimaryKey,
      \(RecordName.sql(key: "r.primaryKey", table: "t.name")) AS recordName,
      z.name AS zoneName,
      z.owner AS ownerName,
      coalesce(z.shareEdit, \(share)) AS share,
      z.access AS permission,
      p.primaryKey AS parentRecordPrimaryKey,
      pt.name AS parentRecordType,
      \(RecordName.sql(key: "p.primaryKey", table: "pt.name")) AS parentRecordName,
      r.tag AS changeTag,
      r.latest >> 16 AS userModificationTime,
      o.recordID IS NOT NULL AS isPending,
      o.error AS error,
      o.attempts AS attempts,
      o.nextAttempt AS nextAttempt
    FROM sync_records r
    JOIN sync_tables t ON t.id = r.tableID
    LEFT JOIN sync_zones z ON z.id = r.zoneID
    LEFT JOIN sync_records p ON p.id = r.parentID
    LEFT JOIN sync_tables pt ON pt.id = p.tableID
    LEFT JOIN sync_pending o ON o.recordID = r.id
    WHERE r.latest > coalesce(r.death, 0) AND t.name NOT GLOB 'sync_*'
    """
  }

  /// The fifteenth version: which tables are compared with the cloud: see `RebuiltTables`.
  static let rebuiltTables = [
    "ALTER TABLE sync_tables ADD COLUMN isRebuilt INTEGER NOT NULL DEFAULT 0"
  ]

  /// The sixteenth version: by what the rows of a table were told apart when it was synchronized.
  static let keys = [
    "ALTER TABLE sync_tables ADD COLUMN keyColumn TEXT",
    "ALTER TABLE sync_tables ADD COLUMN keyCollation TEXT",
  ]

  /// The seventeenth version: what the account's devices are called: see `DeviceNames`.
  static let deviceNames = [
    """
    CREATE TABLE sync_device_names (
      device TEXT PRIMARY KEY NOT NULL,
      name TEXT NOT NULL ON CONFLICT REPLACE DEFAULT ''
    )
    """
  ]

  /// The eighteenth version: since when a version of this account's own waits for a version of the
  /// app that knows why it is in its zone.
  static let ownVersions = ["ALTER TABLE sync_leftovers ADD COLUMN since INTEGER"]

  /// The seventh version: what cannot be sent, and is counted.
  static let refusals = [
    // Rows that cannot be records, by their keys: see Refusals.
    """
    CREATE TABLE sync_refusals (
      tableID INTEGER NOT NULL,
      primaryKey NOT NULL,
      reason TEXT NOT NULL,
      since INTEGER NOT NULL,
      PRIMARY KEY (tableID, primaryKey)
    )
    """,
    Refusals.beginning,
    // Whether nothing but another edit of the row, or another version of the app, can help.
    "ALTER TABLE sync_pending ADD COLUMN isHeld INTEGER NOT NULL DEFAULT 0",
    // The file that has the device's identity: see DeviceIdentity.
    "ALTER TABLE sync_state ADD COLUMN file TEXT",
  ]

  /// The sixth version: deleted rows by column.
  ///
  /// More columns come with the tables: see `RowImage`.
  static let rowImages = ["ALTER TABLE sync_history ADD COLUMN \(RowImage.column(0))"]
}
