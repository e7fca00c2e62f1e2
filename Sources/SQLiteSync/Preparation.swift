import Cloud
import Foundation
import GRDB

extension SyncEngine {
  /// Creates the engine's tables in a database that no engine has opened yet.
  ///
  /// For an app's migration, before triggers or queries of its own that use the expressions here.
  /// Capture begins with the first engine; it takes in the rows that are there by then.
  public static func prepare(_ db: Database) throws {
    try MetadataSchema.install(in: db, device: UUID())
  }

  /// Takes the engine's triggers off a table, for a migration that drops a column of it.
  ///
  /// SQLite refuses to drop a column that a trigger names. The next engine puts the triggers back;
  /// what the rest of the migration writes to this table is not captured.
  public static func prepareToDropColumns(of table: String, in db: Database) throws {
    try CaptureTriggers().remove(from: table, in: db)
  }

  /// The device that a database is, in every cloud: given when its tables were created.
  public static func device(of db: Database) throws -> UUID {
    let text = try String.fetchOne(db, sql: "SELECT device FROM sync_state")
    guard let device = text.flatMap(UUID.init(uuidString:)) else {
      throw SyncError(.stopped, "The database does not say which device it is.")
    }
    return device
  }

  /// The id of the cloud that a database has been in step with, or nil before the first time.
  public static func cloud(of db: Database) throws -> String? {
    try String.fetchOne(db, sql: "SELECT cloud FROM sync_state")
  }

  /// What a device holds of its zone.
  public typealias CloudState = CloudCheck.DeviceState

  /// What a database holds of its zone, for a check of the cloud.
  ///
  /// Nil unless it holds all of it: not before the first fetch, and not while fetched records wait
  /// for something or the bytes of an asset are missing.
  public static func cloudState(of db: Database) throws -> CloudState? {
    guard try db.tableExists("sync_zones"),
      let row = try Row.fetchOne(
        db,
        sql: """
          SELECT name, owner, token FROM sync_zones WHERE id = 1
            AND NOT EXISTS (SELECT 1 FROM sync_parked)
            AND NOT EXISTS (SELECT 1 FROM sync_assets WHERE isMissing)
          """),
      let owner = AccountID(rawValue: row["owner"]),
      let token = (row["token"] as String?).flatMap(ChangeToken.init)
    else { return nil }
    return CloudState(zone: ZoneID(name: row["name"], owner: owner), token: token)
  }

  /// An SQL expression, true when the cloud does not have the latest edit of a row yet.
  ///
  /// - Parameters:
  ///   - table: The name of a table.
  ///   - key: An SQL expression for the primary key of the row.
  public static func hasPendingChange(table: String, key: String) -> String {
    let tableID = "(SELECT id FROM sync_tables WHERE name = '\(table)')"
    return """
      (\(key) IN (SELECT primaryKey FROM sync_edits WHERE tableID = \(tableID)) OR EXISTS (
        SELECT 1 FROM sync_records JOIN sync_pending ON sync_pending.recordID = sync_records.id
        WHERE sync_records.tableID = \(tableID) AND sync_records.primaryKey = \(key)
      ))
      """
  }
}
