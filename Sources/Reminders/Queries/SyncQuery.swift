import Foundation
import GRDB
import SQLiteSync

/// Finds what the file knows of synchronization, whether or not an engine runs.
public struct SyncQuery: Query {
  /// Which device the file is, and what waits to be synchronized.
  public struct Value: Hashable, Sendable {
    /// The device, in every cloud.
    public var device: UUID
    /// Whether the file has ever been in step with a cloud.
    public var hasCloud: Bool
    /// How many records wait for what.
    public var counts: SyncCounts
  }

  /// The query.
  public init() {}

  /// Finds it, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> Value {
    Value(
      device: try SyncEngine.device(of: db), hasCloud: try SyncEngine.cloud(of: db) != nil,
      counts: try SyncCounts(db))
  }
}

/// Finds what the file holds of the cloud, for a check of it; nil unless it holds all of it.
public struct CloudStateQuery: Query {
  /// The query.
  public init() {}

  /// Finds it.
  public func fetch(_ db: Database) throws -> SyncEngine.CloudState? {
    try SyncEngine.cloudState(of: db)
  }
}
