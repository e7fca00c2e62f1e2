import Cloud
import Foundation
import GRDB

/// Reads and writes `sync_parked`.
extension MetadataStore {
  /// A version that could not be applied here: it must not be overwritten by the row's older one.
  ///
  /// One that will never be applied is.
  func parked(_ id: Int64) throws -> CloudRecord? {
    try Data.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT image FROM sync_parked
          WHERE recordID = ? AND reason <> '\(ParkingReason.undeletable.rawValue)'
            AND (reason <> '\(ParkingReason.ignored.rawValue)' OR needs NOTNULL)
          """),
      arguments: [id]
    ).map(CloudRecord.init(encoded:))
  }

  /// Keeps a record aside, or the deletion of one; a record that is kept already keeps its age.
  func park(
    _ id: Int64, _ record: CloudRecord?, reason: ParkingReason, needs: String? = nil,
    error: String? = nil, now: Int64
  ) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO sync_parked (recordID, reason, needs, error, image, since)
        VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET reason = excluded.reason, needs = excluded.needs,
          error = excluded.error, image = excluded.image
        """
    ).execute(arguments: [id, reason.rawValue, needs, error, record?.encoded ?? Data(), now])
  }

  /// Keeps a record aside whose table is taken out, and that it has a row now.
  ///
  /// If the row is gone when the table comes back, it was deleted meanwhile.
  func parkRow(_ id: Int64, _ image: CloudRecord, now: Int64) throws {
    try park(id, image, reason: .unknownTable, now: now)
    try db.cachedStatement(sql: "UPDATE sync_parked SET hadRow = 1, since = ? WHERE recordID = ?")
      .execute(arguments: [now, id])
  }

  /// Forgets a version that does not belong where the record was: it says nothing about the record
  /// elsewhere.
  func forgetIgnored(_ id: Int64) throws {
    try db.cachedStatement(sql: "DELETE FROM sync_parked WHERE recordID = ? AND reason = ?")
      .execute(arguments: [id, ParkingReason.ignored.rawValue])
  }
}
