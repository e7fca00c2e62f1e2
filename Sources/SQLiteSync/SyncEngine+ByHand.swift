import Foundation
import GRDB
import SQLiteSyncCloud

/// What an engine does because somebody asks, whether it was started or not.
///
/// Each ends between two pages or batches when its task is cancelled or the engine is stopped, and
/// throws `CancellationError` then. What was done until then stays done. One that still waits for
/// another ends at once when its task is cancelled.
extension SyncEngine {
  /// Fetches and applies what is new in the cloud.
  ///
  /// - Parameter scope: Which zones to look at.
  @discardableResult
  public func fetchChanges(_ scope: SyncScope = .all) async throws -> SyncResult {
    try await core.perform { synchronizer in
      try synchronizer.retryPostponed()
      try synchronizer.within(scope) { _ = try synchronizer.fetchChanges() }
    }
  }

  /// Sends what the cloud does not have yet.
  ///
  /// A zone that was never fetched to its end is fetched before.
  ///
  /// - Parameter scope: Which zones to send to.
  @discardableResult
  public func sendChanges(_ scope: SyncScope = .all) async throws -> SyncResult {
    try await core.perform { synchronizer in
      try synchronizer.retryPostponed()
      try synchronizer.within(scope) { try synchronizer.sendChanges() }
    }
  }

  /// Fetches, then sends; folds the cloud's log now and then.
  ///
  /// - Parameter scope: Which zones to look at.
  @discardableResult
  public func syncChanges(_ scope: SyncScope = .all) async throws -> SyncResult {
    try await core.perform { synchronizer in
      try synchronizer.within(scope) { try synchronizer.syncChangesByHand() }
    }
  }

  /// Throws away how far the zones were fetched, fetches all of them whole and sends what the cloud
  /// lacks: for a device of which somebody suspects that it lacks something.
  ///
  /// Rows with unsent edits stay, and so does every row that the cloud has. What was deleted
  /// elsewhere and is still here goes into the history.
  @discardableResult
  public func resynchronize() async throws -> SyncResult {
    try await core.perform { try $0.resynchronize() }
  }

  /// Takes the rows of the synchronized tables, and all that is known of them, off this device; the
  /// account stays signed in.
  ///
  /// The cloud and other devices keep everything: an engine that runs fetches it again, another one
  /// when it is started or asked to. Tables that are not synchronized keep their rows.
  ///
  /// - Parameter accepted: How many records with unsent edits may be lost: see `signOut`.
  /// - Throws: `SyncError` with `unsentEdits` when there are more than accepted, with
  ///   `cloudChanged` when another cloud is there, with `runsElsewhere` while another process
  ///   synchronizes the database, with `localReference` when rows of other tables cannot be without
  ///   these; `CloudError` with `notAuthenticated` while
  ///   nobody is signed in. Nothing has changed then.
  public func deleteLocalData(discarding accepted: Int = 0) async throws {
    let core = core
    // A fetch that takes long ends after the page that it is at.
    core.isLeaving.withLock { $0 += 1 }
    defer {
      core.isLeaving.withLock { $0 -= 1 }
      core.wake()
    }
    try await core.onQueue { try $0.deleteLocalData(discarding: accepted) }
  }

  /// The version of a row's record that the cloud had when this device last heard of it: read again
  /// from its log.
  ///
  /// Nil for a row that the cloud does not have, or whose version is gone from the log: a later one
  /// is there.
  ///
  /// - Parameter row: The row, also one that waits or has unsent edits.
  /// - Throws: errors of the cloud when it cannot be reached.
  public func lastKnownServerRecord(_ row: SyncMetadata.ID) async throws -> CloudRecord? {
    try await reading { try $0.lastKnownServerRecord(row) }
  }

  /// The bytes of an asset, fetched if they are not here: the row has them then.
  ///
  /// For large ones that come when somebody looks: see `SyncConfiguration.assetPolicy`. What the
  /// row has is answered from there, and counts as used. Where the cloud cannot be reached, a row
  /// whose bytes are here can be read as ever: `SyncAsset` tells.
  ///
  /// - Parameters:
  ///   - column: The column.
  ///   - row: The row.
  /// - Returns: Nil when the newest value is `NULL`.
  /// - Throws: `SyncError` with `unknownRow`; `CloudError` with `assetFileNotFound` when the cloud
  ///   does not have the bytes, and others when it cannot be reached.
  public func asset(_ column: String, of row: SyncMetadata.ID) async throws -> Data? {
    try await reading { try $0.asset(column, of: row) }
  }
}

extension Synchronizer {
  /// Fetches all zones whole, then sends.
  func resynchronize() throws {
    for zone in try zones() {
      // What is not mentioned was deleted: what is unsent stays.
      try database.write { try ZonePosition.begin(.expired, ofZone: zone.id, in: $0) }
    }
    try syncChangesByHand()
  }

  /// The version of a record that is known here, from its log.
  func lastKnownServerRecord(_ row: SyncMetadata.ID) throws -> CloudRecord? {
    let version = try database.readSnapshot { db in
      try tables[called: row.table].flatMap { table in
        try MetadataStore(db: db).record(tableID: table.id, key: table.foldedKey(row.key))
      }?.version
    }
    guard let version, case .record(let record)? = try copies(of: [version])[version]?.content
    else { return nil }
    return record
  }
}
