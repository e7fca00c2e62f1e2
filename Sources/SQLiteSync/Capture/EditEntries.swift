import GRDB

/// What the capture triggers noted and nobody has folded yet: `sync_edits`.
struct EditEntries {
  let db: Database

  static let table = "sync_edits"

  /// Whether there is a log: an engine has prepared the database.
  func exists() throws -> Bool { try db.hasTable(Self.table) }

  func isEmpty() throws -> Bool {
    try Bool.fetchOne(db.cachedStatement(sql: "SELECT NOT \(Self.isAny)")) ?? true
  }

  // MARK: - Folding

  /// Records by table and key: those from one on and before another.
  struct Part {
    fileprivate struct Place {
      let tableID: Int64
      let key: String

      /// Byte for byte, as SQLite compares them.
      func isBefore(_ other: Place) -> Bool {
        tableID < other.tableID
          || tableID == other.tableID && key.utf8.lexicographicallyPrecedes(other.key.utf8)
      }
    }

    fileprivate let start, end: Place

    /// All records: tables are numbered from 1 on.
    static let all = Part(
      start: Place(tableID: 0, key: ""), end: Place(tableID: .max, key: ""))

    /// Arguments for `isInside`.
    var arguments: StatementArguments { [start.tableID, start.key, end.tableID, end.key] }
  }

  private static let isInside = """
    (tableID, primaryKey) >= (?, ?) AND (tableID, primaryKey) < (?, ?)
    """

  /// All records that anything is noted of, in parts of about so many entries and in the order of
  /// folding.
  ///
  /// SQLite sorts in memory (`temp_store`), and does not put aside what is too much for it.
  func parts(of count: Int) throws -> [Part] {
    guard try has(atLeast: 2 * count) else { return [.all] }
    // A prime number, as rows of two tables may take turns.
    let stride = count < 10 * 1_499 ? 1 : 1_499
    let samples = try Row.fetchCursor(
      db.cachedStatement(
        sql: """
          SELECT tableID, primaryKey FROM sync_edits
          WHERE sequence % ? = 0 AND typeof(primaryKey) = 'text' ORDER BY tableID, primaryKey
          """), arguments: [stride])
    var parts: [Part] = []
    var (start, passed) = (Part.all.start, 0)
    while let sample = try samples.next() {
      passed += stride
      let end = Part.Place(tableID: try sample.read(0), key: try sample.read(1))
      guard passed >= count, start.isBefore(end) else { continue }
      parts.append(Part(start: start, end: end))
      (start, passed) = (end, 0)
    }
    return parts + [Part(start: start, end: Part.all.end)]
  }

  /// All of a part that can be folded, by record and in its order:
  /// `tableID, primaryKey, kind, mask, at`.
  ///
  /// - Parameter last: Without the records after the one of this number; nil is without none.
  func foldable(_ part: Part, ofRecordsUpTo last: Int64? = nil) throws -> RowCursor {
    try Row.fetchCursor(
      db.cachedStatement(
        sql: """
          SELECT tableID, primaryKey, kind, mask, at FROM sync_edits
          WHERE \(Self.isInside) AND \(Self.permits)
            \(last == nil ? "" : "AND NOT (\(Self.record("id > ?")))")
          ORDER BY tableID, primaryKey, sequence
          """), arguments: part.arguments + (last.map { [$0] } ?? []))
  }

  private static let permits =
    Refusals.permits(tableID: "sync_edits.tableID", key: "sync_edits.primaryKey")

  /// True when there is such a record of an entry.
  private static func record(_ condition: String) -> String {
    """
    EXISTS (\(MetadataStore.select(tableID: "sync_edits.tableID", key: "sync_edits.primaryKey"))
      AND \(condition))
    """
  }

  /// Whether there are as many.
  func has(atLeast count: Int) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: "SELECT count(*) >= ?1 FROM (SELECT 1 FROM sync_edits LIMIT ?1)"), arguments: [count])
      ?? false
  }

  /// A query for the rows of a part that nothing is known of, and of which nothing is noted but
  /// that they were made, in the order of folding: `tableID, primaryKey, at`.
  ///
  /// What was changed by the statement that made a row, as an app's triggers do, is part of that.
  static let inserts = """
    SELECT tableID, primaryKey, max(at) AS at FROM sync_edits
    WHERE \(isInside) AND \(permits) AND NOT \(record("true"))
    GROUP BY tableID, primaryKey
    HAVING min(sequence) = max(sequence) FILTER (WHERE \(isOf(.insert)))
      AND max(at) = max(at) FILTER (WHERE \(isOf(.insert)))
      AND min(\(isOf(.insert)) OR \(isOf(.update)))
    ORDER BY tableID, primaryKey
    """

  /// Those of some records of a table, by their keys.
  ///
  /// It is a log, without an index: it is read once for all of them.
  func entries(tableID: Int64, keys: [String]) throws -> [ExactString: [EditLog.Entry]] {
    guard !keys.isEmpty else { return [:] }
    let wanted = Set(keys.map(ExactString.init))
    // Of a few SQLite finds them sooner.
    let few = keys.count <= 8 ? keys : []
    let isWanted =
      few.isEmpty ? "" : "AND primaryKey IN (\(databaseQuestionMarks(count: few.count)))"
    let rows = try Row.fetchCursor(
      db.cachedStatement(
        sql: """
          SELECT kind, mask, at, primaryKey FROM sync_edits WHERE tableID = ? \(isWanted)
          ORDER BY sequence
          """), arguments: [tableID] + StatementArguments(few))
    var entries: [ExactString: [EditLog.Entry]] = [:]
    while let row = try rows.next() {
      let key = try ExactString(row.read(3))
      guard wanted.contains(key) else { continue }
      try entries[key, default: []].append(EditLog.Entry(row, from: 0))
    }
    return entries
  }

  func removeAll() throws { try db.cachedStatement(sql: "DELETE FROM sync_edits").execute() }

  /// Notes the rows of a table that nothing is known of, as if they were made now.
  func add(rowsOf table: TableSchema, now: Int64) throws {
    let name = table.name.quotedIdentifier
    let key = table.keyExpression(of: name)
    try db.execute(
      sql: """
        \(Self.insertion)
        SELECT ?1, \(key), \(CaptureTriggers.Kind.insert.rawValue), -1, ?2
        FROM \(name) WHERE \(Refusals.permits(tableID: "?1", key: key))
          AND NOT EXISTS (\(MetadataStore.select(tableID: "?1", key: key)))
        """, arguments: [table.id, now])
  }

  // MARK: - Deletions

  /// Makes deletions of what was noted of rows that REPLACE takes away and that are gone.
  ///
  /// What was noted of the others says nothing: the statement failed, or was not a REPLACE.
  func noteReplacedRows() throws {
    let ids = try Int64.fetchAll(
      db.cachedStatement(
        sql: "SELECT DISTINCT tableID FROM sync_edits WHERE \(Self.isReplaceable)"))
    for id in ids {
      guard let name = try SchemaRegistry.names(in: "\(id)", db).first, try db.hasTable(name),
        let key = try SchemaInspection.table(name, in: db).key?.name
      else { continue }
      try db.execute(
        sql: """
          UPDATE sync_edits SET kind = \(CaptureTriggers.Kind.delete.rawValue)
          WHERE tableID = ? AND \(Self.isReplaceable) AND NOT EXISTS (
            SELECT 1 FROM \(name.quotedIdentifier) other
            WHERE other.\(key.quotedIdentifier) = sync_edits.primaryKey)
          """, arguments: [id])
    }
  }

  private static let isReplaceable = """
    kind = \(CaptureTriggers.Kind.update.rawValue) AND mask = \(CaptureTriggers.replaceableMask)
    """

  /// The tables of which rows were deleted, by number.
  func tablesWithDeletions() throws -> Set<Int64> {
    try Int64.fetchSet(
      db.cachedStatement(sql: "SELECT DISTINCT tableID FROM sync_edits WHERE \(Self.isDeletion)"))
  }

  /// Whether any row got another key.
  func hasKeyChanges() throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT EXISTS (
            SELECT 1 FROM sync_edits
            WHERE \(Self.isDeletion) AND mask = \(CaptureTriggers.newKeyMask))
          """)) ?? false
  }

  /// The deletions in a table in their order, as `key, at` and the key that the row got instead.
  func deletions(tableID: Int64) throws -> RowCursor {
    try Row.fetchCursor(
      db.cachedStatement(
        sql: """
          SELECT primaryKey, at, iif(mask = \(CaptureTriggers.newKeyMask), (
            SELECT next.primaryKey FROM sync_edits next WHERE next.sequence = e.sequence + 1), NULL)
          FROM sync_edits e
          WHERE tableID = ? AND \(Self.isDeletion) AND typeof(primaryKey) = 'text'
          ORDER BY sequence
          """), arguments: [tableID])
  }

  private static let isDeletion = "kind = \(CaptureTriggers.Kind.delete.rawValue)"

  /// Has what is noted meanwhile say that it was done at another time.
  func asOf<Value>(_ time: Int64, _ work: () throws -> Value) throws -> Value {
    let last =
      try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(sequence) FROM sync_edits")) ?? 0
    let value = try work()
    try db.cachedStatement(sql: "UPDATE sync_edits SET at = ? WHERE sequence > ?")
      .execute(arguments: [time, last])
    return value
  }

  // MARK: - In other questions

  /// The beginning of a statement that notes an edit, to be followed by values.
  static let insertion = "INSERT INTO sync_edits (tableID, primaryKey, kind, mask, at)"

  /// True when there is any.
  static let isAny = "EXISTS (SELECT 1 FROM sync_edits)"

  /// The records that were edited: `tableID, primaryKey`.
  static let records = "SELECT DISTINCT tableID, primaryKey FROM sync_edits"

  /// The keys of a table's rows that were deleted; its number is the statement's next argument.
  static let deletedKeys = "SELECT primaryKey FROM sync_edits WHERE tableID = ? AND \(isDeletion)"

  /// The records of which the last that is noted is their deletion: `tableID, primaryKey`.
  static let lastDeleted = """
    SELECT tableID, primaryKey FROM (
      -- The columns beside max() are those of its row (https://sqlite.org/lang_select.html).
      SELECT tableID, primaryKey, kind, max(sequence) FROM sync_edits GROUP BY tableID, primaryKey
    ) WHERE \(isOf(.delete))
    """

  /// A subquery for the records that the entries come to something for, as they will be folded:
  /// `tableID, primaryKey, isDeletion`, and `since` when.
  ///
  /// What changes nothing is left out: an update to the same values, an insert of what is there, a
  /// row that is gone before anybody knew of it.
  ///
  /// - Parameter isWanted: True for the entries of the records in question. Others are read, but
  ///   not grouped, which takes ten times as long. (An index would spare the reading too, and make
  ///   inserts slower by half.)
  static func unfolded(where isWanted: String = "TRUE") -> String {
    let (inserted, edited) = (latest(.insert), latest(.update, "AND mask > 0"))
    let deleted = latest(.delete)
    let wasThere = "min(sequence) = min(sequence) FILTER (WHERE \(isOf(.replace)))"
    return """
      (
        SELECT tableID, primaryKey, min(at) AS since,
          ifnull(\(deleted), 0) > max(ifnull(\(inserted), 0), ifnull(\(edited), 0)) AS isDeletion
        FROM sync_edits WHERE (\(isWanted)) AND typeof(primaryKey) = 'text'
        GROUP BY tableID, primaryKey
        HAVING \(edited) > ifnull(\(deleted), 0)
          OR \(inserted) > ifnull(\(deleted), 0) AND NOT (
            (\(wasThere)) IS 1 AND \(deleted) IS NULL
            AND \(latest(.replace, "AND mask <> 0")) IS NULL)
          OR \(deleted) IS NOT NULL AND \(record("true"))
      )
      """
  }

  private static func latest(_ kind: CaptureTriggers.Kind, _ condition: String = "") -> String {
    "max(sequence) FILTER (WHERE \(isOf(kind)) \(condition))"
  }

  private static func isOf(_ kind: CaptureTriggers.Kind) -> String {
    "kind % \(CaptureTriggers.Kind.count) = \(kind.rawValue)"
  }
}

extension EditLog.Entry {
  /// The entry in a row, given where in it `kind, mask, at` begin.
  init(_ row: Row, from start: Int) throws {
    let kind: Int = try row.read(start)
    guard CaptureTriggers.kinds.contains(kind) else {
      throw SyncError.damage("sync_edits.kind", holds: "\(kind)")
    }
    self.init(kind: kind, mask: try row.read(start + 1), at: try row.read(start + 2))
  }
}
