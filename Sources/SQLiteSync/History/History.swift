import Foundation
import GRDB
import SQLiteSyncCloud

/// Keeps what loses: values that a merge overwrites, and rows deleted from elsewhere.
///
/// Values overwritten and rows deleted here are kept by the triggers that note the edit.
/// `SyncHistory` reads all.
struct History {
  let db: Database
  let now: Int64

  /// A value that lost to another.
  struct Loss {
    let field: String
    let value: DatabaseValue
    let clock: FieldClock
    let winner: DatabaseValue
    let winnerClock: FieldClock
    /// Whether both were edits that the other side had not seen.
    var isConflict = false
    /// Whether what won was merged of both.
    var isMerged = false
  }

  /// What an entry says of two edits that did not know of each other: 2 is that they were merged.
  private static func conflict(_ loss: Loss) -> Int { loss.isMerged ? 2 : loss.isConflict ? 1 : 0 }

  /// Keeps one value.
  ///
  /// - Parameter account: Whose commit the winner came with; nil when it was made here.
  func add(_ loss: Loss, tableID: Int64, key: String, winner account: AccountID?) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO sync_history (tableID, primaryKey, field, value, clock, winnerValue,
          winnerClock, winner, isConflict, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        tableID, key, loss.field, loss.value, loss.clock.rawValue, loss.winner,
        loss.winnerClock.rawValue, account?.rawValue, Self.conflict(loss), now,
      ])
  }

  /// Lets two fields of a table have each other's names.
  static func exchange(
    field one: String, with other: String, ofTable id: Int64, in db: Database
  ) throws {
    try db.exchange(one, other, in: "field", of: "sync_history", where: "tableID = ?", [id])
  }

  /// Keeps a row that is about to be deleted.
  func addRow(
    of table: TableSchema, key: String, clock: FieldClock, death: FieldClock, by account: AccountID
  ) throws {
    let name = table.name.quotedIdentifier
    try db.cachedStatement(
      sql: """
        INSERT INTO sync_history (tableID, primaryKey, clock, winnerClock, winner, at,
          \(RowImage.columns(of: table)))
        SELECT ?, ?, ?, ?, ?, ?, \(RowImage.values(of: table, row: name))
        FROM \(name) WHERE \(table.key.quotedIdentifier) = ?
        """
    ).execute(
      arguments: [
        table.id, key, clock.rawValue, death.rawValue, account.rawValue, now, key,
      ])
  }

  /// Has those rows of a zone count as out of reach that were deleted here: who leaves it by
  /// deleting its root deletes nothing of what others see.
  func leave(zone id: Int64, as account: AccountID) throws {
    try db.cachedStatement(
      sql: """
        UPDATE sync_history AS h SET winner = ? WHERE field IS NULL AND winner IS NULL AND EXISTS (
          \(MetadataStore.select(tableID: "h.tableID", key: "h.primaryKey")) AND zoneID = ?)
        """
    ).execute(arguments: [account.rawValue, id])
  }

  /// Keeps a row that came from elsewhere and never was here, because what it depends on is gone.
  ///
  /// - Parameter values: What the row would have been.
  func addRow(
    of table: TableSchema, key: String, values: [String: DatabaseValue], clock: FieldClock,
    death: FieldClock
  ) throws {
    // A table may have nothing but its key.
    let columns = ["NULL"] + table.columns.map { "? AS \($0.name.quotedIdentifier)" }
    try db.cachedStatement(
      sql: """
        INSERT INTO sync_history (tableID, primaryKey, clock, winnerClock, at,
          \(RowImage.columns(of: table)))
        SELECT ?, ?, ?, ?, ?, \(RowImage.values(of: table, row: "image"))
        FROM (SELECT \(columns.joined(separator: ", "))) AS image
        """
    ).execute(
      arguments: [table.id, key, clock.rawValue, death.rawValue, now]
        + StatementArguments(table.columns.map { values[$0.name] ?? .null }))
  }

  /// The entry of the latest deletion of a row, unless a device of an account did it: that one said
  /// itself what else was deleted.
  ///
  /// - Parameters:
  ///   - account: Who is signed in.
  ///   - device: This device, with whose clock goes what is out of reach.
  func deletionFromElsewhere(
    of table: TableSchema, key: String, besides account: AccountID?, on device: UUID
  ) throws -> Int64? {
    try Int64.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT id FROM sync_history h
          WHERE tableID = ?1 AND primaryKey = ?2 AND field IS NULL AND winner IS NOT NULL
            AND (winner IS NOT ?3 OR winnerClock & 65535 = ?4)
            AND NOT EXISTS (
              SELECT 1 FROM sync_history d
              WHERE d.id > h.id AND d.tableID = ?1 AND d.primaryKey = ?2 AND d.field IS NULL)
          """), arguments: [table.id, key, account?.rawValue, Int64(device.clockBits)])
  }

  /// The row of a record as it was last deleted, unless more of it was edited since than is known
  /// of it.
  func lastImage(
    of table: TableSchema, in record: RecordMetadata
  ) throws -> (id: Int64, values: [String: DatabaseValue])? {
    let row = try Row.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT id, clock, \(RowImage.columns(of: table)) FROM sync_history
          WHERE tableID = ? AND primaryKey = ? AND field IS NULL ORDER BY id DESC LIMIT 1
          """), arguments: [table.id, record.key])
    guard let row else { return nil }
    let clock: Int64 = try row.read("clock")
    // What a trigger keeps has no clock.
    guard clock == 0 || clock == record.latest.rawValue else { return nil }
    let names = Dictionary(uniqueKeysWithValues: table.columns.map { ($0.number, $0.name) })
    return (try row.read("id"), RowImage.values(in: row, names: names))
  }

  /// The values that were kept though they are later than those that are known of a record: it had
  /// no row to take them up.
  func laterLosses(of record: RecordMetadata) throws -> [Loss] {
    let rows = try Row.fetchCursor(
      db.cachedStatement(
        sql: """
          SELECT field, value, max(clock), winnerValue, winnerClock FROM sync_history
          WHERE tableID = ? AND primaryKey = ? AND field IS NOT NULL AND clock > winnerClock
          GROUP BY field, winnerClock
          """), arguments: [record.tableID, record.key])
    var losses: [Loss] = []
    while let row = try rows.next() {
      let loss = try Loss(
        field: row.read(0), value: row[1], clock: FieldClock(rawValue: row.read(2)),
        winner: row[3], winnerClock: FieldClock(rawValue: row.read(4)))
      if loss.winnerClock == record.clock(of: loss.field) { losses.append(loss) }
    }
    return losses
  }

  /// The keys of records that may have such a value of a field.
  func keysOfLaterLosses(in field: String, tableID: Int64) throws -> [String] {
    try String.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT DISTINCT primaryKey FROM sync_history INDEXED BY sync_history_later
          WHERE tableID = ? AND field = ? AND field IS NOT NULL AND clock > winnerClock
          ORDER BY primaryKey
          """), arguments: [tableID, field])
  }

  /// Puts later values into the image of a deleted row.
  ///
  /// - Parameter clock: The latest edit of the row with them.
  func amend(
    _ id: Int64, of table: TableSchema, _ values: [String: DatabaseValue], clock: FieldClock
  ) throws {
    let columns = table.columns.filter { values[$0.name] != nil }
    let assignments = ["clock = ?"] + columns.map { "\(RowImage.column($0.number)) = ?" }
    try db.execute(
      sql: "UPDATE sync_history SET \(assignments.joined(separator: ", ")) WHERE id = ?",
      arguments: [clock.rawValue] + StatementArguments(columns.map { values[$0.name] }) + [id])
  }

  /// The statement with which a trigger keeps a row that is deleted here.
  ///
  /// Without clocks: a trigger that looked up the record's would cost twice as much, nothing is
  /// merged by them, and when it was says `at`. See `winnerClock`.
  static func keep(deletedRowOf table: TableSchema, atSQL time: String) -> String {
    """
      INSERT INTO sync_history (tableID, primaryKey, clock, winnerClock, at,
        \(RowImage.columns(of: table)))
      VALUES (\(table.id), \(table.keyExpression(of: "OLD")), 0, 0, \(time),
        \(RowImage.values(of: table, row: "OLD")));
    """
  }

  /// The statement with which a trigger keeps the values that an update overwrites here.
  ///
  /// Without clocks, for the same reason.
  static func keep(
    overwrittenIn columns: [TableSchema.Column], of table: TableSchema, atSQL time: String
  ) -> String {
    let isOtherClass =
      columns.contains(where: \.keepsStorageClass) ? " OR typeof(lost) <> typeof(kept)" : ""
    let values = columns.map { column in
      let name = column.name.quotedIdentifier
      return
        "SELECT \(column.name.quotedLiteral) AS field, OLD.\(name) AS lost, NEW.\(name) AS kept"
    }
    return """
        INSERT INTO sync_history (tableID, primaryKey, field, value, clock, winnerValue,
          winnerClock, at)
        SELECT \(table.id), \(table.keyExpression(of: "NEW")), field, lost, 0, kept, 0, \(time)
        FROM (\(values.joined(separator: "\nUNION ALL ")))
        WHERE lost IS NOT kept COLLATE BINARY\(isOtherClass);
      """
  }

  /// Has what is kept meanwhile say that it was lost at another time.
  func asOf<Value>(_ time: Int64, _ work: () throws -> Value) throws -> Value {
    let last = try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(id) FROM sync_history")) ?? 0
    let value = try work()
    try db.cachedStatement(sql: "UPDATE sync_history SET at = ? WHERE id > ?")
      .execute(arguments: [time, last])
    return value
  }

  /// The clock of what won, as an SQL expression, given an entry's name.
  ///
  /// That of what was done here is made of the time, and has no device's bits.
  static func winnerClock(of entry: String) -> String {
    "iif(\(entry).winnerClock = 0, \(entry).at << 16, \(entry).winnerClock)"
  }
}

// MARK: - How long

extension History {
  /// Milliseconds between two looks for what is too old: a day.
  static let pruneInterval: Int64 = 24 * 60 * 60 * 1000

  /// For so many days an entry is kept: one more than `SyncHistory.lifetime` has, because a clock
  /// that is wrong for an hour makes one.
  private static let keptDays = SyncHistory.lifetime / pruneInterval + 1

  /// Forgets what was kept for `SyncHistory.lifetime`; writes once a day, and nothing while there
  /// is nothing to keep.
  ///
  /// An entry's age is the number of days that were counted since, and a look at the clock counts
  /// one at most. What the clock says alone, and said when the entry was made, is not believed: one
  /// that was wrong for an hour would empty the history.
  static func prune(_ database: some DatabaseWriter, now: Int64) throws {
    let isDue = try database.readSnapshot { db in
      try Bool.fetchOne(
        db,
        sql: """
          SELECT EXISTS (SELECT 1 FROM sync_history) AND NOT EXISTS (
            SELECT 1 FROM (SELECT at FROM sync_history_days ORDER BY id DESC LIMIT 1)
            WHERE at > ?1 - ?2 AND at <= ?1)
          """, arguments: [now, pruneInterval])
    }
    guard isDue == true else { return }
    try database.write { db in
      // Set back: the day is that of the clock as it is now.
      try db.execute(sql: "UPDATE sync_history_days SET at = ?1 WHERE at > ?1", arguments: [now])
      guard db.changesCount == 0 else { return }
      try db.execute(
        sql: """
          INSERT INTO sync_history_days (at, lastEntry)
          SELECT ?, coalesce(max(id), 0) FROM sync_history
          """, arguments: [now])
      try forget(in: db)
    }
  }

  private static func forget(in db: Database) throws {
    let row = try Row.fetchOne(
      db, sql: "SELECT id, lastEntry FROM sync_history_days ORDER BY id DESC LIMIT 1 OFFSET ?",
      arguments: [keptDays])
    guard let row else { return }
    let (day, last): (Int64, Int64) = try (row.read("id"), row.read("lastEntry"))
    // SQLite gives the numbers again once all entries are gone.
    try db.execute(
      sql: """
        DELETE FROM sync_history WHERE id <= :last;
        DELETE FROM sync_history_days WHERE id <= :day;
        UPDATE sync_history_days SET lastEntry = 0 WHERE lastEntry <= :last;
        """, arguments: ["last": last, "day": day])
  }
}
