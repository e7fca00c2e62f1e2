import SQLiteSync

/// What the screens may ask of the sync engine.
///
/// Closures and not the engine itself, so that the app also runs where there is no cloud. Make it
/// before the engine is started: the log shows what happens from then on.
public struct SyncControl: Sendable {
  /// Whose cloud it is.
  public var account: String
  /// Where the cloud is, for people.
  public var place: String
  /// Starts the engine.
  public var start: @Sendable () -> Void
  /// Stops it; edits go on being captured.
  public var stop: @Sendable () -> Void
  /// Fetches and sends now.
  public var syncNow: @Sendable () async throws -> Void
  /// How synchronization stands: as it is now, and each time it changes.
  public var statuses: AsyncStream<SyncStatus>
  /// Every fact.
  public var events: AsyncStream<SyncEvent>

  /// A control made of its parts.
  public init(
    account: String, place: String, start: @escaping @Sendable () -> Void,
    stop: @escaping @Sendable () -> Void, syncNow: @escaping @Sendable () async throws -> Void,
    statuses: AsyncStream<SyncStatus>, events: AsyncStream<SyncEvent>
  ) {
    self.account = account
    self.place = place
    self.start = start
    self.stop = stop
    self.syncNow = syncNow
    self.statuses = statuses
    self.events = events
  }

  /// The control of an engine.
  public init(_ engine: SyncEngine, account: String, place: String) {
    self.init(
      account: account, place: place, start: { engine.start() }, stop: { engine.stop() },
      syncNow: { try await engine.syncChanges() }, statuses: engine.statuses,
      events: engine.events)
  }
}
