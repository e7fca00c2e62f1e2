import Foundation
import GRDB
import SQLiteSyncCloud

/// What this device knows of the records: `sync_records`.
struct MetadataStore {
  let db: Database

  static let table = "sync_records"

  /// What of the records is unsent.
  var outbox: Outbox { Outbox(db: db) }

  func record(tableID: Int64, key: String) throws -> RecordMetadata? {
    let statement = try db.cachedStatement(
      sql: "\(Self.selection) WHERE tableID = ? AND primaryKey = ?")
    return try Row.fetchOne(statement, arguments: [tableID, key]).map(decode)
  }

  /// What is known of a record, also of one whose table this version does not have.
  func record(named name: RecordName, in tables: TableOrder) throws -> RecordMetadata? {
    let tableID = try tables[name.table]?.id ?? SchemaRegistry.knownTableID(name.table, in: db)
    return try tableID.flatMap { try record(tableID: $0, key: name.key) }
  }

  func record(id: Int64) throws -> RecordMetadata? {
    let statement = try db.cachedStatement(sql: "\(Self.selection) WHERE id = ?")
    return try Row.fetchOne(statement, arguments: [id]).map(decode)
  }

  /// Whether any record is known, or the cloud has any.
  func isAny(sent: Bool = false) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM sync_records\(sent ? " WHERE tag NOTNULL" : ""))"))
      ?? false
  }

  /// The name of a record, as the cloud knows it.
  func name(ofRecord id: Int64) throws -> String? {
    let statement = try db.cachedStatement(
      sql: """
        SELECT \(RecordName.sql(key: "r.primaryKey", table: "t.name")) FROM sync_records r
        \(SchemaRegistry.join()) WHERE r.id = ?
        """)
    return try String.fetchOne(statement, arguments: [id])
  }

  /// Whether there are rows and living records of a table, and no column holds the key of a single
  /// one of these.
  func areAllElsewhere(tableID: Int64, than column: String, of table: String) throws -> Bool {
    let (table, key) = (table.quotedIdentifier, column.quotedIdentifier)
    let isLiving = "tableID = ?1 AND latest > coalesce(death, 0)"
    return try Bool.fetchOne(
      db,
      sql: """
        SELECT EXISTS (SELECT 1 FROM \(table))
          AND EXISTS (SELECT 1 FROM sync_records WHERE \(isLiving))
          AND NOT EXISTS (
            SELECT 1 FROM sync_records JOIN \(table) AS t ON t.\(key) = primaryKey
            WHERE \(isLiving))
        """, arguments: [tableID]) ?? false
  }

  /// Stores a record and returns its row.
  @discardableResult
  func save(_ record: RecordMetadata) throws -> Int64 {
    let values: [(any DatabaseValueConvertible)?] = [
      record.zoneID, record.life.rawValue, record.latest.rawValue, record.death?.rawValue,
      Self.encode(record.exceptions), record.unknown?.encoded, record.tag?.description,
      record.parentID, record.isTombstone, record.pass,
    ]
    if let id = record.id {
      let statement = try db.cachedStatement(
        sql: """
          UPDATE sync_records SET zoneID = ?, life = ?, latest = ?, death = ?, clocks = ?,
            unknown = ?, tag = ?, parentID = ?, isTombstone = ?, pass = ? WHERE id = ?
          """)
      try statement.execute(arguments: StatementArguments(values + [id]))
      return id
    }
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO sync_records (zoneID, life, latest, death, clocks, unknown, tag, parentID,
          isTombstone, pass, tableID, primaryKey) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    try statement.execute(arguments: StatementArguments(values + [record.tableID, record.key]))
    return db.lastInsertedRowID
  }

  /// Forgets a record altogether, or all but the versions that zones of others have of its name.
  func forget(id: Int64) throws {
    try outbox.remove(id)
    try Quarantine(db: db).remove(id)
    try KnownAssets(db: db).forget(recordID: id)
    let staleCopies = StaleCopies(db: db)
    try staleCopies.forget(recordID: id)
    if try staleCopies.isAnywhere(recordID: id), let record = try record(id: id) {
      try save(RecordMetadata(id: id, tableID: record.tableID, key: record.key, life: .zero))
      return
    }
    // Its number may be given to another record.
    try staleCopies.forgetParent(id)
    try db.cachedStatement(sql: "UPDATE sync_records SET parentID = NULL WHERE parentID = ?")
      .execute(arguments: [id])
    try db.cachedStatement(sql: "DELETE FROM sync_records WHERE id = ?")
      .execute(arguments: [id])
  }

  /// In the order of `decode`: a column that is found by its name costs more than all the rest.
  static let columns = [
    "id", "tableID", "primaryKey", "zoneID", "life", "death", "clocks", "unknown", "tag",
    "parentID", "isTombstone", "pass",
  ]

  private static let selection = """
    SELECT \(columns.joined(separator: ", ")) FROM sync_records
    """

  /// The record in a row that begins with `columns`.
  func decode(_ row: Row) throws -> RecordMetadata {
    try RecordMetadata(
      id: row.read(0), tableID: row.read(1), key: row.read(2), zoneID: row.read(3),
      life: FieldClock(rawValue: row.read(4)),
      death: (row.read(5) as Int64?).map(FieldClock.init(rawValue:)),
      exceptions: Self.decodeClocks(row.read(6)),
      unknown: (row.read(7) as Data?).map(Self.unknown),
      tag: (row.read(8) as String?).flatMap(ChangeTag.init), parentID: row.read(9),
      isTombstone: row.read(10), pass: row.read(11))
  }
}

// MARK: - Questions over many records

extension MetadataStore {
  /// The records with some keys of which a zone may have a version: of the others nothing is known,
  /// or they live there and were never sent.
  func records(
    _ keys: [String], ofTable tableID: Int64, thatMayBeIn zoneID: Int64
  ) throws -> [RecordMetadata] {
    let statement = try db.cachedStatement(
      sql: """
        \(Self.selection)
        WHERE tableID = ? AND primaryKey IN (\(databaseQuestionMarks(count: keys.count)))
          AND (tag NOTNULL OR zoneID <> ?)
        """)
    let rows = try Row.fetchCursor(
      statement, arguments: [tableID] + StatementArguments(keys) + [zoneID])
    var found: [RecordMetadata] = []
    while let row = try rows.next() { try found.append(decode(row)) }
    return found
  }

  /// The records of a table.
  func ids(ofTable tableID: Int64) throws -> [Int64] {
    try Int64.fetchAll(
      db.cachedStatement(sql: "SELECT id FROM sync_records WHERE tableID = ?"),
      arguments: [tableID])
  }

  /// The records of a table that were deleted.
  func deadIDs(ofTable tableID: Int64) throws -> [Int64] {
    try Int64.fetchAll(
      db.cachedStatement(
        sql: "SELECT id FROM sync_records WHERE tableID = ? AND latest <= coalesce(death, 0)"),
      arguments: [tableID])
  }

  /// The records of a zone that is not the default one, or that left one and it is not known where
  /// to; those of one table, if given.
  func ids(inZone zoneID: Int64, table tableID: Int64? = nil) throws -> [Int64] {
    try Int64.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT id FROM sync_records
          WHERE zoneID = ?1 AND \(SyncZone.isElsewhere) AND coalesce(?2, tableID) = tableID
          ORDER BY id
          """), arguments: [zoneID, tableID])
  }

  /// The records of a zone that the cloud had, and that a full fetch did not mention.
  ///
  /// - Parameter tableID: Only those of this table; nil for all.
  func unmentioned(
    inZone zoneID: Int64, table tableID: Int64? = nil, pass: Int64, limit: Int
  ) throws -> [Int64] {
    try Int64.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT id FROM sync_records
          WHERE \(tableID == nil ? "?1 ISNULL" : "tableID = ?1") AND zoneID = ?2
            AND tag IS NOT NULL AND pass <> ?3 ORDER BY id LIMIT ?4
          """), arguments: [tableID, zoneID, pass, limit])
  }

  /// Whether anything lives in a zone, or is to be deleted there yet.
  ///
  /// A deletion is remembered also where the cloud does not have the record any more.
  func isAny(inZone zoneID: Int64) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT EXISTS (
            SELECT 1 FROM sync_records
            WHERE zoneID = ? AND \(SyncZone.isElsewhere) AND CASE WHEN tag IS NULL
              THEN latest > coalesce(death, 0) ELSE NOT isTombstone END)
          """), arguments: [zoneID]) ?? false
  }

  /// Whether a record outside of the default zone is to be sent.
  func isAnyPendingElsewhere() throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT EXISTS (
            SELECT 1 FROM sync_records
            WHERE zoneID > \(SyncZone.defaultID) AND \(SyncZone.isElsewhere)
              AND \(Outbox.isPending("sync_records.id")))
          """)) ?? false
  }

  /// Whether any record left its zone, and it is not known where to.
  func isAnyNowhere() throws -> Bool {
    try Bool.fetchOne(db.cachedStatement(sql: "SELECT \(Self.isAnyNowhere)")) ?? false
  }

  /// The places of such records: see `SyncZone.nowhere`.
  func nowheres() throws -> [Int64] {
    try Int64.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT DISTINCT zoneID FROM sync_records
          WHERE \(SyncZone.isNowhere) AND \(SyncZone.isElsewhere)
          """))
  }

  /// The names of the records that depend on one and that the cloud has in a zone.
  ///
  /// - Parameter pass: Only those that this full fetch has mentioned; nil for all.
  func children(ofRecord id: Int64, inZone zoneID: Int64, pass: Int64?) throws -> [String] {
    try String.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT \(RecordName.sql(key: "r.primaryKey", table: "t.name")) FROM sync_records r
          \(SchemaRegistry.join())
          WHERE r.parentID = ?1 AND r.zoneID = ?3 AND r.tag IS NOT NULL AND NOT r.isTombstone
            AND coalesce(?2, r.pass) = r.pass
          """), arguments: [id, pass, zoneID])
  }

  /// The cloud has nothing of a zone any more.
  func forgetVersions(inZone zoneID: Int64) throws {
    try db.execute(
      sql: "UPDATE sync_records SET tag = NULL, parentID = NULL, isTombstone = 0 WHERE zoneID = ?",
      arguments: [zoneID])
  }

  /// A version that this device has sent.
  struct SentVersion {
    let recordID: Int64
    let name: String
    let tag: ChangeTag
    /// The number of the table of the record that it depends on, and its key.
    let parent: (tableID: Int64, key: String)?
  }

  /// The cloud has these versions; returns of how many records: without those whose parent is not
  /// known, and those that the quarantine has something to do with.
  func acknowledge(_ versions: [SentVersion], pass: Int64) throws -> Int {
    let rows = Array(repeating: "(?, ?, ?, ?, ?)", count: versions.count).joined(separator: ", ")
    let values = versions.flatMap { version -> [(any DatabaseValueConvertible)?] in
      [
        version.recordID, version.name, version.tag.description, version.parent?.tableID,
        version.parent?.key,
      ]
    }
    try db.cachedStatement(
      sql: """
        WITH sent (recordID, name, tag, parentTable, parentKey) AS (VALUES \(rows))
        UPDATE sync_records SET tag = sent.tag, parentID = p.id, isTombstone = 0, pass = ?
        FROM sent LEFT JOIN sync_records p
          ON p.tableID = sent.parentTable AND p.primaryKey = sent.parentKey
        WHERE sync_records.id = sent.recordID AND (sent.parentKey ISNULL OR p.id NOTNULL)
          AND NOT \(Quarantine.concerns(recordID: "sent.recordID", name: "sent.name"))
        """
    ).execute(arguments: StatementArguments(values + [pass]))
    return db.changesCount
  }

  /// Adds records of which nothing is known, by a query: `position, key, life, latest, clocks, tag,
  /// parentKey`; returns how many, without those whose parent is not known.
  func add(
    _ staged: String, arguments: StatementArguments, of table: TableSchema, parentTable: Int64?,
    zoneID: Int64, pass: Int64
  ) throws -> Int {
    try db.cachedStatement(
      sql: """
        INSERT INTO sync_records (zoneID, life, latest, clocks, tag, parentID, isTombstone, pass,
          tableID, primaryKey)
        SELECT ?, s.life, s.latest, s.clocks, s.tag, p.id, 0, ?, ?, s.key
        FROM (\(staged)) s LEFT JOIN sync_records p
          ON p.tableID = ? AND p.primaryKey = s.parentKey
        WHERE s.parentKey ISNULL OR p.id NOTNULL ORDER BY s.position
        """
    ).execute(arguments: [zoneID, pass, table.id] + arguments + [parentTable])
    return db.changesCount
  }

  /// Adds records that were made on this device, by a query: `tableID, primaryKey, at`; returns the
  /// number of the last record before them.
  func add(made query: String, _ arguments: StatementArguments, device: UInt16) throws -> Int64 {
    let last = try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(id) FROM sync_records")) ?? 0
    try db.cachedStatement(
      sql: """
        INSERT INTO sync_records (tableID, primaryKey, life, latest)
        SELECT tableID, primaryKey, life, life FROM (
          SELECT *, \(FieldClock.sql(at: "at", device: "?")) AS life FROM (\(query)))
        """
    ).execute(arguments: [Int64(device)] + arguments)
    return last
  }

  /// Whether a row lives in a zone that may only be read.
  func isReadOnly(tableID: Int64, key: String) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(sql: "SELECT \(Self.isReadOnly(tableID: tableID, key: "?"))"),
      arguments: [key]) ?? false
  }

  // MARK: In other questions

  /// What was sent to a log that was begun anew or restored since, as far as the full fetch that
  /// finds it out has not come to it: the records `r`.
  static let lostByCloud = """
    FROM sync_records r \(Zones.join())
    WHERE z.fullFetch = '\(FullFetch.rebuilt.rawValue)' AND r.tag NOTNULL AND r.pass <> z.pass
      AND r.latest > coalesce(r.death, 0) AND NOT \(Outbox.isPending("r.id"))
    """

  /// Beside something that is about a record, the record.
  static func join(_ record: String = "r", of recordID: String) -> String {
    "JOIN sync_records \(record) ON \(record).id = \(recordID)"
  }

  /// The record of a row, as `SELECT` of what is asked for, by SQL for the number of its table and
  /// its key.
  static func select(_ columns: String = "1", tableID: String, key: String) -> String {
    """
    SELECT \(columns) FROM sync_records
    WHERE sync_records.tableID = \(tableID) AND sync_records.primaryKey = \(key)
    """
  }

  /// The records with a greater number, as SQL.
  static func records(after last: String) -> String {
    "SELECT id, tableID FROM sync_records WHERE id > \(last) ORDER BY id"
  }

  /// The keys of the same records of one table.
  static func keys(after last: String, ofTable id: String) -> String {
    "SELECT primaryKey FROM sync_records WHERE id > \(last) AND tableID = \(id)"
  }

  /// The number of a record's table and its key, as SQL.
  static func place(of id: String) -> String {
    "SELECT tableID, primaryKey FROM sync_records WHERE id = \(id)"
  }

  /// The name of a record by its number, as SQL; NULL for none.
  static func name(of id: String) -> String {
    """
    SELECT named.primaryKey || ':' || t.name FROM sync_records named
      \(SchemaRegistry.join(of: "named.tableID")) WHERE named.id = \(id)
    """
  }

  /// The numbers of a table's records, or a zone's, as SQL.
  static func ids(where column: String, is value: String) -> String {
    "SELECT id FROM sync_records WHERE \(column) = \(value)"
  }

  /// True when a record left its zone, and it is not known where to.
  static let isAnyNowhere = """
    EXISTS (
      SELECT 1 FROM sync_records WHERE \(SyncZone.isNowhere) AND \(SyncZone.isElsewhere))
    """

  /// True for the row of a record that lives in a zone which may only be read.
  static func isReadOnly(tableID: Int64, key: String) -> String {
    """
    EXISTS (
      SELECT 1 FROM sync_records r \(Zones.join())
      WHERE r.tableID = \(tableID) AND r.primaryKey = \(key) AND z.access = 'read'
        AND r.latest > coalesce(r.death, 0))
    """
  }
}
