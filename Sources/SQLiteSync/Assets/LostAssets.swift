import Foundation
import GRDB
import SQLiteSyncCloud

extension KnownAssets {
  /// Those that were looked for in vain, and are looked for still: they are not, or not yet, or not
  /// any more, where the cloud should have them.
  ///
  /// Of a record that waits whole for its bytes, the quarantine tells.
  func lost() throws -> [SyncWaitingRecord] {
    guard try db.hasTable("sync_assets") else { return [] }
    let store = MetadataStore(db: db)
    return try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT t.name, r.primaryKey, a.field, a.clock, r.id
          FROM sync_assets a \(MetadataStore.join(of: "a.recordID")) \(SchemaRegistry.join())
          WHERE a.isMissing AND a.nextAttempt < \(Int64.max) AND a.attempts > 0
            AND NOT \(Quarantine.keeps("r.id"))
          """)
    ).compactMap { row in
      let (field, clock) = (row[2] as String, FieldClock(rawValue: row[3]))
      // One that was overwritten, or went, is forgotten when it is its time to be looked for.
      guard let record = try store.record(id: row[4]), record.isAlive,
        record.clock(of: field) == clock
      else { return nil }
      return SyncWaitingRecord(
        table: row[0], key: row[1], reason: .asset(column: field),
        since: Date(millisecondsSince1970: clock.milliseconds))
    }
  }
}
