import Foundation
import GRDB
import SQLiteSyncCloud

/// What a database says of its synchronization, without an engine.
extension SyncEngine {
  /// The device that a database is, in every cloud: given when its tables were created.
  public static func device(of db: Database) throws -> UUID {
    guard let device = try DeviceState(db: db).device() else {
      throw SyncError(
        .stopped, "The database does not say which device it is.",
        hint: "Create an engine over it, or call SyncEngine.prepare(_:), before it is asked.")
    }
    return device
  }

  /// The id of the cloud that a database has been in step with, or nil before the first time.
  public static func cloud(of db: Database) throws -> String? {
    guard try EditEntries(db: db).exists() else { return nil }
    return try DeviceState(db: db).cloud()
  }

  /// Has the writes of a transaction count as edits that were made at another time.
  ///
  /// For what an app does by itself, which is not to win over what a person did since: tidying up,
  /// importing, completing what others began. A row that is deleted as of its last edit comes back
  /// wherever somebody edits it, or adds to it, without knowing of that. An edit is always later
  /// than the one that is known of the same field, however early its time.
  ///
  /// - Parameters:
  ///   - milliseconds: The time in milliseconds since 1970, as in `SyncEdit`.
  ///   - db: The database, in a transaction.
  ///   - work: What writes.
  /// - Returns: What `work` returns.
  /// - Throws: What `work` throws, and `DatabaseError`.
  public static func edit<Value>(
    asOf milliseconds: Int64, in db: Database, _ work: () throws -> Value
  ) throws -> Value {
    guard try EditEntries(db: db).exists() else { return try work() }
    return try EditLog.asOf(milliseconds, in: db, work)
  }

  /// What a device holds of a zone of its account.
  public typealias CloudState = CloudCheck.DeviceState

  /// What a database holds of the zones of its account, for a check of the cloud.
  ///
  /// Those of which it holds everything: not before the first fetch, and not while fetched records
  /// wait for something or the bytes of an asset are missing.
  public static func cloudStates(of db: Database) throws -> [CloudState] {
    // Files of an earlier version have no shares.
    guard try SharedZones(db: db).isInstalled() else { return [] }
    return try Zones(db: db).complete().map { CloudState(zone: $0.zone, token: $0.token) }
  }

  /// A zone of the cloud: its name and its owner.
  public typealias CloudZone = ZoneID

  /// The zones that a database is in step with, for a check of the cloud.
  public static func followedZones(of db: Database) throws -> Set<CloudZone> {
    try Set(Zones(db: db).fetched())
  }

  /// The bytes with a SHA-256 that a row has, or that are kept for a column to come; nil when there
  /// are none.
  ///
  /// - Parameters:
  ///   - sha256: The hash in lower-case hexadecimal digits.
  ///   - db: The database.
  public static func bytes(ofAsset sha256: String, in db: Database) throws -> Data? {
    try KnownAssets(db: db).bytes(sha256: sha256)
  }
}
