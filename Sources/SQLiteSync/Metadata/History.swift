import Cloud
import Foundation
import GRDB

/// Keeps what loses a merge: overwritten values and rows deleted from elsewhere.
struct History {
  let db: Database
  let now: Int64

  /// Milliseconds that an entry is kept: 30 days.
  static let lifetime: Int64 = 30 * 24 * 60 * 60 * 1000

  /// Keeps one value.
  func add(
    tableID: Int64, key: String, field: String, value: DatabaseValue, clock: FieldClock,
    winner: FieldClock, by copy: ServerCopy
  ) throws {
    try insert(tableID, key, field, value, clock, winner, copy)
  }

  /// Keeps a whole row, as an encoded record.
  func add(
    tableID: Int64, key: String, row: [String: DatabaseValue], clock: FieldClock,
    winner: FieldClock, by copy: ServerCopy
  ) throws {
    let image = CloudRecord(
      name: key, type: "row", life: clock,
      fields: row.mapValues { CloudField($0.cloudValue, clock) })
    try insert(tableID, key, nil, image.encoded.databaseValue, clock, winner, copy)
  }

  /// Forgets what is older than `lifetime`.
  func prune() throws {
    try db.execute(sql: "DELETE FROM sync_history WHERE at < ?", arguments: [now - Self.lifetime])
  }

  private func insert(
    _ tableID: Int64, _ key: String, _ field: String?, _ value: DatabaseValue,
    _ clock: FieldClock, _ winner: FieldClock, _ copy: ServerCopy
  ) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO sync_history (tableID, primaryKey, field, value, clock, winnerClock, winner, at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        tableID, key, field, value, clock.rawValue, winner.rawValue, copy.author.rawValue, now,
      ])
  }
}
