import GRDB
import RemindersTestSupport

@testable import SQLiteSync

extension Device {
  /// What the device knows of the records with a key: for `WATCH=key make simulate SEED=…`.
  func watch(_ key: String) throws -> String {
    // Not a transaction: a process that died refuses to end one.
    try database.inDatabase { db in
      let ids = try Int64.fetchAll(
        db, sql: "SELECT id FROM sync_records WHERE primaryKey = ?", arguments: [key])
      return try ids.map { id in
        let record = try MetadataStore(db: db).record(id: id)
        let pending = try Outbox(db: db).change(of: id)
        let table = synchronizer.tables.tables.first { $0.id == record?.tableID }
        let row = try table.flatMap { try RowStore(db: db, table: $0).values(ofKey: key) }
        let elsewhere = try String.fetchAll(
          db,
          sql: """
            SELECT zoneID || ' ' || tag || iif(isHeld, ' held', '') FROM sync_leftovers
            WHERE recordID = ?
            """, arguments: [id])
        return "\(table?.name ?? "?") \(row ?? [:]) life \(record?.life.rawValue ?? 0) "
          + "death \(record?.death?.rawValue ?? 0) "
          + "\(record?.exceptions.mapValues(\.rawValue) ?? [:]) "
          + "zone \(record?.zoneID ?? 0) "
          + "tag \(record?.tag?.description ?? "-") \(pending.map { "\($0)" } ?? "sent") "
          + "also in \(elsewhere)"
      }.joined(separator: " / ")
    }
  }
}
