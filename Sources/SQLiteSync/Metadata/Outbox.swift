import GRDB
import SQLiteSyncCloud

/// A change that the cloud does not have yet.
struct PendingChange: Equatable {
  enum Kind: Int {
    case save = 0
    case delete = 1
  }

  let kind: Kind
  /// The fields with unsent edits; nil for all of them (a new record).
  let fields: Set<String>?

  /// Whether it is an unsent edit of a field.
  func includes(_ field: String) -> Bool {
    kind == .save && fields?.contains(field) ?? true
  }

  /// What of it was unsent before.
  func within(_ before: PendingChange?) -> PendingChange? {
    guard kind == .save, let known = before?.fields else { return before == nil ? nil : self }
    return PendingChange(kind: kind, fields: fields?.intersection(known) ?? known)
  }
}

/// What is to be sent: `sync_pending`.
///
/// A change leaves it when the cloud has it, or when a merge has made it needless.
struct Outbox {
  let db: Database

  // MARK: - One record

  /// The unsent change of a record.
  func change(of id: Int64) throws -> PendingChange? {
    let statement = try db.cachedStatement(
      sql: "SELECT kind, fields FROM sync_pending WHERE recordID = ?")
    return try Row.fetchOne(statement, arguments: [id]).flatMap { row in
      try PendingChange.Kind(rawValue: row.read(0)).map {
        try PendingChange(kind: $0, fields: MetadataStore.decodeNames(row.read(1)))
      }
    }
  }

  /// Puts a change into the outbox, or takes it out.
  ///
  /// A change that is there keeps its age; its error and back-off are cleared, because it is
  /// another change now.
  func set(_ change: PendingChange?, id: Int64, tableID: Int64, now: Int64) throws {
    guard let change else { return try remove(id) }
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO sync_pending (recordID, tableID, kind, fields, since) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (recordID) DO UPDATE SET kind = excluded.kind, fields = excluded.fields,
          attempts = 0, nextAttempt = 0, error = NULL, isHeld = 0
        """)
    try statement.execute(
      arguments: [
        id, tableID, change.kind.rawValue, MetadataStore.encode(names: change.fields), now,
      ]
    )
  }

  /// Fields of a record are to be sent, with what is unsent of it.
  func add(_ fields: Set<String>, of id: Int64, tableID: Int64, now: Int64) throws {
    let before = try change(of: id)
    let names = before.map { $0.fields?.union(fields) } ?? fields
    try set(PendingChange(kind: .save, fields: names), id: id, tableID: tableID, now: now)
  }

  /// Calls the fields of an unsent change by other names; nothing else about it changes.
  func setFields(_ fields: Set<String>, of id: Int64) throws {
    try db.cachedStatement(sql: "UPDATE sync_pending SET fields = ? WHERE recordID = ?")
      .execute(arguments: [MetadataStore.encode(names: fields), id])
  }

  /// Nothing of a record is unsent any more.
  func remove(_ id: Int64) throws {
    try db.cachedStatement(sql: "DELETE FROM sync_pending WHERE recordID = ?")
      .execute(arguments: [id])
    try MergeBases(db: db).forget(recordID: id)
  }

  // MARK: - Many records

  /// All of the records is unsent whose numbers are greater.
  func add(recordsAfter last: Int64, now: Int64) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO sync_pending (recordID, tableID, kind, since)
        SELECT id, tableID, \(PendingChange.Kind.save.rawValue), ? FROM (
          \(MetadataStore.records(after: "?")))
        """
    ).execute(arguments: [now, last])
  }

  /// Nothing of these records is unsent any more; returns of how many something was.
  func remove(_ ids: [Int64]) throws -> Int {
    try db.cachedStatement(
      sql: """
        DELETE FROM sync_pending WHERE recordID IN (\(databaseQuestionMarks(count: ids.count)))
        """
    ).execute(arguments: StatementArguments(ids))
    return db.changesCount
  }

  /// The records of a table with an unsent change, of one kind if given.
  func records(ofTable tableID: Int64, _ kind: PendingChange.Kind? = nil) throws -> [Int64] {
    try Int64.fetchAll(
      db.cachedStatement(
        sql: "SELECT recordID FROM sync_pending WHERE tableID = ? AND kind = ifnull(?, kind)"),
      arguments: [tableID, kind?.rawValue])
  }

  /// Whether any change of a kind is unsent.
  func hasAny(_ kind: PendingChange.Kind) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM sync_pending WHERE kind = ?)"),
      arguments: [kind.rawValue]) ?? false
  }

  /// Whether any change of a kind is unsent in a table.
  func hasAny(_ kind: PendingChange.Kind, ofTable tableID: Int64) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM sync_pending WHERE kind = ? AND tableID = ?)"),
      arguments: [kind.rawValue, tableID]) ?? false
  }

  /// How many changes the cloud refuses for good.
  func heldCount() throws -> Int {
    try Int.fetchOne(db.cachedStatement(sql: "SELECT count(*) FROM sync_pending WHERE isHeld")) ?? 0
  }

  /// The records of a table and a zone whose changes of a kind are to be sent next.
  func due(
    _ kind: PendingChange.Kind, tableID: Int64, zoneID: Int64, now: Int64, limit: Int
  ) throws -> [Int64] {
    guard limit > 0 else { return [] }
    return try Int64.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT p.recordID FROM sync_pending p \(MetadataStore.join(of: "p.recordID"))
          WHERE p.kind = ? AND p.tableID = ? AND p.nextAttempt <= ? AND r.zoneID = ?
          ORDER BY p.recordID LIMIT ?
          """), arguments: [kind.rawValue, tableID, now, zoneID, limit])
  }

  /// The records of a table and a zone whose edits are to be sent next, each with all that is sent
  /// of it, in one go: `MetadataStore.columns`, the version in the quarantine, whether it has
  /// assets, whether it has a row, and the row's columns.
  func dueSaves(
    of table: TableSchema, zoneID: Int64, now: Int64, limit: Int
  ) throws -> RowCursor {
    let columns =
      MetadataStore.columns.map { "r." + $0 } + [
        Quarantine.version(ofRecord: "r.id"), KnownAssets.isAny(recordID: "r.id"),
        "data.\(table.key.quotedIdentifier) NOTNULL",
      ]
      + table.columns.map { "data." + $0.name.quotedIdentifier }
    return try Row.fetchCursor(
      db.cachedStatement(
        sql: """
          SELECT \(columns.joined(separator: ", ")) FROM sync_pending p
          CROSS \(MetadataStore.join(of: "p.recordID"))
          LEFT JOIN \(table.name.quotedIdentifier) data
            ON data.\(table.key.quotedIdentifier) = r.primaryKey
          WHERE p.kind = ? AND p.tableID = ? AND p.nextAttempt <= ? AND r.zoneID = ?
          ORDER BY p.recordID LIMIT ?
          """), arguments: [PendingChange.Kind.save.rawValue, table.id, now, zoneID, limit])
  }

  // MARK: - What the cloud refused

  /// Keeps a change that only a person can mend, and counts it as not synchronized.
  func hold(_ id: Int64, _ error: CloudError, until next: Int64) throws {
    try db.execute(
      sql: """
        UPDATE sync_pending SET attempts = attempts + 1, nextAttempt = ?, error = ?, isHeld = 1
        WHERE recordID = ?
        """, arguments: [next, error.description, id])
  }

  /// Notes the error; `next` says when to try again, given the number of attempts so far.
  func postpone(_ id: Int64, _ error: CloudError, until next: (Int) -> Int64) throws {
    let before = try Int.fetchOne(
      db, sql: "SELECT min(attempts, 1000) FROM sync_pending WHERE recordID = ?",
      arguments: [id])
    // The merge may have made the change needless.
    guard let attempts = before.map({ $0 + 1 }) else { return }
    try db.execute(
      sql: "UPDATE sync_pending SET attempts = ?, nextAttempt = ?, error = ? WHERE recordID = ?",
      arguments: [attempts, next(attempts), error.description, id])
  }

  /// Counts a change as not synchronized that was refused so often, though it is tried again: what
  /// its row depends on may be here, and in the cloud, some day.
  func countAsHeld(_ id: Int64, afterAttempts attempts: Int) throws {
    try db.execute(
      sql: "UPDATE sync_pending SET isHeld = 1 WHERE recordID = ? AND attempts >= ?",
      arguments: [id, attempts])
  }

  /// What was refused in a zone is tried again at once.
  func retryNow(inZone id: Int64) throws {
    try db.cachedStatement(
      sql: """
        UPDATE sync_pending SET nextAttempt = 0
        WHERE nextAttempt > 0 AND recordID IN (\(MetadataStore.ids(where: "zoneID", is: "?")))
        """
    ).execute(arguments: [id])
  }

  /// What the cloud refused for now is tried again at once.
  func retryNow() throws {
    try db.cachedStatement(sql: "UPDATE sync_pending SET nextAttempt = 0 WHERE \(Self.isPostponed)")
      .execute()
  }

  /// Whether anything was refused for now.
  func isAnyPostponed() throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM sync_pending WHERE \(Self.isPostponed))")) ?? false
  }

  /// Whether anything was refused for now with such an error.
  func isAnyPostponed(with code: CloudError.Code) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT EXISTS (SELECT 1 FROM sync_pending WHERE \(Self.isPostponed) AND error GLOB ?)
          """), arguments: [CloudError(code, "").label + "*"]) ?? false
  }

  /// True for what the cloud refused, and not for good.
  private static let isPostponed = "nextAttempt > 0 AND NOT isHeld"

  // MARK: - In other questions

  /// True for a record that has an unsent change.
  static func isPending(_ recordID: String) -> String {
    "EXISTS (SELECT 1 FROM sync_pending WHERE recordID = \(recordID))"
  }

  /// The records with an unsent change.
  static let records = "SELECT recordID FROM sync_pending"

  /// True for a table that has unsent changes.
  static func isPending(anyOfTable id: String) -> String {
    "EXISTS (SELECT 1 FROM sync_pending WHERE tableID = \(id))"
  }

  /// True when a change is to be sent by a moment, the statement's next argument.
  static let isAnyDue = "EXISTS (SELECT 1 FROM sync_pending WHERE nextAttempt <= ?)"

  /// True when a row has an unsent change that was folded, by SQL for the number of its table and
  /// its key.
  static func isPending(tableID: String, key: String) -> String {
    """
    EXISTS (
      SELECT 1 FROM sync_pending
      WHERE recordID = (\(MetadataStore.select("id", tableID: tableID, key: key))))
    """
  }

  /// How many records have an unsent change, with those the triggers noted since the last fold.
  static let count = """
    (SELECT count(*) FROM sync_pending) - (
      SELECT count(*) FROM sync_pending WHERE kind = \(PendingChange.Kind.save.rawValue)
        AND tableID = \(SchemaRegistry.number(ofTable: DeviceNames.table))
    ) + (
      SELECT count(*) FROM \(EditEntries.unfolded(where: DeviceNames.isOther("tableID"))) e
      WHERE NOT \(isPending(tableID: "e.tableID", key: "e.primaryKey")))
    """

  /// The unsent changes, and what the triggers noted since, in the order of `SyncPendingChange`.
  ///
  /// CROSS JOIN hands on what was noted as it is grouped, without a copy of all in memory.
  static let changes = """
    SELECT * FROM (
      SELECT t.name, r.primaryKey,
        ifnull(e.isDeletion, p.kind = \(PendingChange.Kind.delete.rawValue)),
        iif(e.tableID IS NULL, p.fields, NULL), p.since AS since, p.attempts, p.nextAttempt,
        p.error AS error
      FROM sync_pending p \(MetadataStore.join(of: "p.recordID"))
      \(SchemaRegistry.join())
      LEFT JOIN \(EditEntries.unfolded()) e ON e.tableID = r.tableID AND e.primaryKey = r.primaryKey
      WHERE \(DeviceNames.isOther("p.tableID"))
      UNION ALL
      SELECT t.name, e.primaryKey, e.isDeletion, NULL, e.since, 0, 0, NULL
      FROM \(EditEntries.unfolded()) e CROSS \(SchemaRegistry.join(of: "e.tableID"))
      WHERE NOT \(isPending(tableID: "e.tableID", key: "e.primaryKey"))
        AND \(DeviceNames.isOther("e.tableID"))
    ) ORDER BY error IS NULL, since
    """

  /// What the cloud refuses for good: the name of the table, the key, and why.
  static let held = """
    SELECT t.name, r.primaryKey, p.error
    FROM sync_pending p \(MetadataStore.join(of: "p.recordID"))
    \(SchemaRegistry.join()) WHERE p.isHeld
    """

  /// The records with a change in a zone that may only be read, as `SELECT` of what is asked for.
  static func inReadOnlyZones(_ columns: String) -> String {
    """
    SELECT \(columns) FROM sync_pending p \(MetadataStore.join(of: "p.recordID"))
    \(Zones.join()) \(SchemaRegistry.join())
    WHERE z.access = 'read'
    """
  }
}
