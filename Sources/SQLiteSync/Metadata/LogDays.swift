import GRDB
import SQLiteSyncCloud

/// The days that this device has counted, with how far it had read the account's own logs on each:
/// `sync_log_days`.
///
/// By them it is told how long a deletion has been in a log. What the clock says alone, and said
/// when the row was deleted, is not believed: one that was wrong for an hour would have all
/// deletions forgotten, and a device that was away would bring the rows back.
struct LogDays {
  let db: Database

  /// One more than deletions are remembered, because a clock that is wrong for an hour makes one.
  private static let count = ZoneLog.daysOfDeletions + 1

  /// Whether a day is over since the last one, in milliseconds since 1970.
  func isDue(at now: Int64) throws -> Bool {
    try Bool.fetchOne(
      db,
      sql: """
        SELECT NOT EXISTS (
          SELECT 1 FROM (SELECT at FROM sync_log_days ORDER BY id DESC LIMIT 1)
          WHERE at > ?1 - ?2 AND at <= ?1)
        """, arguments: [now, History.pruneInterval]) ?? true
  }

  /// Counts a day: a look at the clock counts one at most.
  ///
  /// - Parameter tokens: How far each log was read, by the numbers of the zones.
  func add(_ tokens: [Int64: ChangeToken], at now: Int64) throws {
    // Set back: the day is that of the clock as it is now.
    try db.execute(sql: "UPDATE sync_log_days SET at = ?1 WHERE at > ?1", arguments: [now])
    guard db.changesCount == 0 else { return }
    for (zoneID, token) in tokens.sorted(by: { $0.key < $1.key }) {
      try db.execute(
        sql: """
          INSERT INTO sync_log_days (at, zoneID, token) VALUES (:now, :zone, :token);
          DELETE FROM sync_log_days WHERE zoneID = :zone AND id < (
            SELECT id FROM sync_log_days WHERE zoneID = :zone
            ORDER BY id DESC LIMIT 1 OFFSET :count);
          """,
        arguments: [
          "now": now, "zone": zoneID, "token": token.description, "count": Self.count,
        ])
    }
  }

  /// How far a log had been read so many days ago; nil when it was not known then.
  func oldToken(ofZone zoneID: Int64) throws -> ChangeToken? {
    try String.fetchOne(
      db,
      sql: """
        SELECT token FROM sync_log_days WHERE zoneID = ? ORDER BY id DESC LIMIT 1 OFFSET ?
        """, arguments: [zoneID, Self.count]
    ).flatMap(ChangeToken.init)
  }
}

extension Synchronizer {
  /// Counts the day if it is another one; what is being fetched whole was not read yet.
  func countDay(at now: Int64) throws {
    guard try database.readSnapshot({ try LogDays(db: $0).isDue(at: now) }) else { return }
    let zones = try zones().filter { $0.access == .owner }
    try database.write { db in
      var tokens: [Int64: ChangeToken] = [:]
      for zone in zones {
        let position = try ZonePosition(in: db, zone: zone.id)
        if position.fullFetch == nil { tokens[zone.id] = position.token }
      }
      try LogDays(db: db).add(tokens, at: now)
    }
  }
}
