import Foundation
import GRDB
import SQLiteSyncCloud

/// One thing in a database that is not as it should be, and what can be done.
public struct DatabaseFinding: Hashable, Sendable {
  /// How bad it is.
  public let severity: CheckFinding.Severity
  /// The table it is about, or the file.
  public let place: String
  /// What is wrong, in a sentence.
  public let problem: String
  /// What can be done, in a sentence.
  public let advice: String
  /// Whether a repair would do it.
  public let isRepairable: Bool

  /// A finding.
  public init(
    _ severity: CheckFinding.Severity, _ place: String, _ problem: String, advice: String,
    isRepairable: Bool = false
  ) {
    self.severity = severity
    self.place = place
    self.problem = problem
    self.advice = advice
    self.isRepairable = isRepairable
  }
}

extension SyncEngine {
  /// Verifies that the metadata and the rows of the synchronized tables are of one mind: every row
  /// is known and can be sent, every living record has its row or waits for it, and every edit is
  /// captured.
  ///
  /// Finds nothing in a database that no engine has opened yet.
  public static func check(_ db: Database) throws -> [DatabaseFinding] {
    guard try db.hasTable("sync_tables") else { return [] }
    var findings = try StoredTypes.findings(in: db)
    // Nothing else can be told of what cannot be read.
    guard findings.isEmpty else { return findings }
    for table in try MetadataCheck.tables(in: db) {
      let check = try MetadataCheck(db: db, table: table)
      findings += try [
        check.captureFinding(), check.unknownRows(), check.missingRows(), check.unsendableRows(),
      ].compactMap { $0 }
    }
    return try findings + MetadataCheck.refusedRows(in: db) + MetadataCheck.strayEntries(in: db)
  }

  /// Takes in the rows that the metadata does not know, as edits made now.
  ///
  /// - Parameters:
  ///   - db: The database.
  ///   - now: Milliseconds since 1970.
  public static func adoptUnknownRows(_ db: Database, now: Int64) throws {
    for table in try MetadataCheck.tables(in: db) {
      try MetadataCheck(db: db, table: table).adoptUnknownRows(now: now)
    }
  }
}

/// What a synchronized table and its metadata must have in common.
struct MetadataCheck {
  let db: Database
  let table: TableSchema
  let knowsRefusals: Bool

  init(db: Database, table: TableSchema) throws {
    self.db = db
    self.table = table
    knowsRefusals = try Refusals(db: db).isInstalled()
  }

  /// The synchronized tables as they are now; one that is gone is the next engine's affair.
  static func tables(in db: Database) throws -> [TableSchema] {
    let known = try Row.fetchAll(
      db, sql: "SELECT id, name FROM sync_tables WHERE isSynchronized = 1 ORDER BY name")
    return try known.compactMap { row in
      let name: String = try row.read("name")
      guard try db.hasTable(name) else { return nil }
      let raw = try SchemaInspection.table(name, in: db)
      guard let key = raw.columns.first(where: { $0.keyPosition > 0 }) else { return nil }
      return try TableSchema(
        id: row.read("id"), name: name, key: key.name, isKeyFolded: raw.isKeyFolded, columns: [],
        foreignKeys: [], isPrivate: false)
    }
  }

  private static let isLiving = "(r.death IS NULL OR r.latest > r.death)"

  /// The table by a name that is not one of those beside it, whatever it is called.
  private var rows: String { "\(table.name.quotedIdentifier) AS sync_row" }
  private var key: String { table.keyExpression(of: "sync_row") }
  private var edited: String {
    "(SELECT primaryKey FROM sync_edits WHERE tableID = \(table.id))"
  }

  /// Files of an earlier version do not know which rows are refused.
  private var isPermitted: String {
    knowsRefusals ? Refusals.permits(tableID: "\(table.id)", key: key) : "1"
  }

  /// The rows that are neither known nor noted as edited.
  var unknownRowsSQL: String {
    """
    SELECT \(key) AS key FROM \(rows)
    WHERE \(key) NOT IN \(edited) AND \(isPermitted) AND NOT EXISTS (
      SELECT 1 FROM sync_records r
      WHERE r.tableID = \(table.id) AND r.primaryKey = \(key) AND (\(Self.isLiving)
        OR r.id IN (SELECT recordID FROM sync_parked WHERE reason = 'undeletable')))
    """
  }

  func hasUnknownRows() throws -> Bool {
    try Bool.fetchOne(db, sql: "SELECT EXISTS (\(unknownRowsSQL))") ?? false
  }

  /// Notes them as edits.
  func adoptUnknownRows(now: Int64) throws {
    try db.execute(
      sql: """
        \(EditEntries.insertion)
        SELECT ?1, key, \(CaptureTriggers.Kind.insert.rawValue), -1, ?2 FROM (\(unknownRowsSQL))
        """, arguments: [table.id, now])
  }

  func unknownRows() throws -> DatabaseFinding? {
    try finding(
      unknownRowsSQL, "rows are not known to synchronization",
      advice: "A repair takes them in as edits made now, so that the other devices get them.",
      isRepairable: true)
  }

  /// Of a record that the cloud has where it lives, or where it came from; what somebody else put
  /// where it does not belong has no row.
  func missingRows() throws -> DatabaseFinding? {
    try finding(
      """
      SELECT r.primaryKey AS key FROM sync_records r
      WHERE r.tableID = \(table.id) AND \(Self.isLiving) AND r.primaryKey NOT IN \(edited)
        AND (r.tag NOTNULL OR r.id IN (SELECT recordID FROM sync_leftovers WHERE NOT isHeld))
        AND r.id NOT IN (SELECT recordID FROM sync_parked)
        AND NOT EXISTS (SELECT 1 FROM \(rows) WHERE \(key) = r.primaryKey)
      """, "records have no row on this device",
      advice: "They are safe in the cloud; a new database fetches everything again.")
  }

  /// The records that were never sent and have no row: nobody has anything of them.
  func recordsOfNothing() throws -> [Int64] {
    try Int64.fetchAll(
      db,
      sql: """
        SELECT r.id FROM sync_records r
        WHERE r.tableID = \(table.id) AND r.tag ISNULL AND \(Self.isLiving)
          AND r.id NOT IN (SELECT recordID FROM sync_leftovers)
          AND r.id NOT IN (SELECT recordID FROM sync_parked)
          AND NOT EXISTS (SELECT 1 FROM \(rows) WHERE \(key) = r.primaryKey)
        """)
  }

  /// Without its triggers a table's edits are not noted.
  func captureFinding() throws -> DatabaseFinding? {
    guard try CaptureTriggers.areMissing(from: table.name, in: db) else { return nil }
    return DatabaseFinding(
      .damage, table.name, "Edits of this table are not noted: its triggers are missing.",
      advice: "The next start of synchronization recreates them, and compares with the cloud."
    )
  }

  private func finding(
    _ sql: String, _ problem: String, advice: String, isRepairable: Bool = false
  ) throws -> DatabaseFinding? {
    let row = try Row.fetchOne(db, sql: "SELECT count(*) AS n, min(key) AS first FROM (\(sql))")
    guard let row, row["n"] > 0 else { return nil }
    let (count, key): (Int, DatabaseValue) = (row["n"], row["first"])
    // A table that is not STRICT may have keys that are not texts.
    let first = String.fromDatabaseValue(key) ?? "\(key)"
    return DatabaseFinding(
      .damage, table.name, "\(count) \(problem), of which one is \(first).", advice: advice,
      isRepairable: isRepairable)
  }

  /// What stays on this device.
  static func refusedRows(in db: Database) throws -> [DatabaseFinding] {
    let refusals = Dictionary(grouping: try SyncRefusal.all(db), by: \.table)
    return refusals.sorted { $0.key < $1.key }.map { table, refusals in
      DatabaseFinding(
        .damage, table,
        refusals.count == 1
          ? "The row \(refusals[0].key) cannot be synchronized."
          : "\(refusals.count) rows cannot be synchronized, of which one is \(refusals[0].key).",
        advice: refusals[0].reason)
    }
  }

  /// Rows that the cloud will not take, and that nobody has tried to send yet.
  func unsendableRows() throws -> DatabaseFinding? {
    var (count, example, reason) = (0, "", "")
    // Those that travel: what is generated is nobody's text.
    let columns = try SchemaInspection.table(table.name, in: db).columns.map {
      "sync_row.\($0.name.quotedIdentifier)"
    }
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT \(([key] + columns).joined(separator: ", ")) FROM \(rows)
        WHERE \(isPermitted) AND NOT EXISTS (
          SELECT 1 FROM sync_records r JOIN sync_pending p ON p.recordID = r.id
          WHERE r.tableID = \(table.id) AND r.primaryKey = \(key) AND p.isHeld)
        """)
    while let row = try rows.next() {
      guard let objection = try objection(to: row) else { continue }
      if count == 0 { (example, reason) = try (row.read(0) ?? "", objection) }
      count += 1
    }
    guard count > 0 else { return nil }
    return DatabaseFinding(
      .damage, table.name,
      count == 1
        ? "The row \(example) cannot be sent: \(reason)."
        : "\(count) rows cannot be sent, of which one is \(example): \(reason).",
      advice: "Write another text; until then the row stays as it is, here only.")
  }

  /// What of a row, after its key, the cloud cannot hold; nil when there is nothing.
  private func objection(to row: Row) throws -> String? {
    var byteCount = 0
    for (index, column) in row.columnNames.enumerated().dropFirst() {
      guard case .string(let text) = (row[index] as DatabaseValue).storage else { continue }
      byteCount += text.utf8.count
      if try !row.withUnsafeData(atIndex: index, { text.isExactly($0 ?? Data()) }) {
        return "the text in \(column) holds NUL, or is not UTF-8"
      }
    }
    let most = CloudLimits.recordBytes
    return byteCount <= most
      ? nil : "its texts have \(byteCount) bytes, and at most \(most) can be sent"
  }

  /// Entries about records that are not there.
  static func strayEntries(in db: Database) throws -> [DatabaseFinding] {
    try ["sync_pending", "sync_parked", "sync_assets"].compactMap { table in
      let count =
        try Int.fetchOne(
          db,
          sql: """
            SELECT count(*) FROM \(table) WHERE recordID NOT IN (SELECT id FROM sync_records)
            """) ?? 0
      guard count > 0 else { return nil }
      return DatabaseFinding(
        .warning, table, "\(count) entries are about no record.",
        advice: "Nothing depends on them; please report how this came about.")
    }
  }
}
