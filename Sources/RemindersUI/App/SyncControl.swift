import RemindersCore
import SQLiteSync

/// What the screens may ask of the sync engine.
///
/// Closures and not the engine itself, so that the app also runs where there is no cloud. Make it
/// before the engine is started, which the app does: the log shows what happens from then on.
public struct SyncControl: Sendable {
  /// Where the cloud is, for people.
  public var place: String
  /// Starts the engine.
  public var start: @Sendable () -> Void
  /// Stops it; edits go on being captured.
  public var stop: @Sendable () -> Void
  /// Sends what is not sent yet, if the engine runs, and waits a moment for it.
  public var flush: @Sendable () -> Void = {}
  /// Sends what is not sent yet, and ends with the app.
  public var end: @Sendable () -> Void = {}
  /// Fetches and sends now.
  public var syncNow: @Sendable () async throws -> Void
  /// Signs an account in, by its name.
  public var signIn: @Sendable (String) async throws -> Void
  /// Signs out, losing at most so many unsent edits, and not without the cloud if that is needed.
  public var signOut: @Sendable (_ losing: Int, _ isCloudNeeded: Bool) async throws -> Void
  /// Does something about sharing.
  public var share: @Sendable (ShareRequest) async throws -> Void
  /// Finds the invitations that wait for an answer.
  public var invitations: @Sendable () async throws -> [ListInvitation]
  /// How synchronization stood when the control was made.
  public var status: SyncStatus
  /// How synchronization stands: as it is now, and each time it changes.
  public var statuses: AsyncStream<SyncStatus>
  /// What the engine tells.
  ///
  /// Also the fetches that find nothing: an invitation may have come.
  public var events: AsyncStream<SyncEvent>

  /// A control made of its parts.
  public init(
    place: String, start: @escaping @Sendable () -> Void,
    stop: @escaping @Sendable () -> Void, syncNow: @escaping @Sendable () async throws -> Void,
    signIn: @escaping @Sendable (String) async throws -> Void,
    signOut: @escaping @Sendable (_ losing: Int, _ isCloudNeeded: Bool) async throws -> Void,
    share: @escaping @Sendable (ShareRequest) async throws -> Void,
    invitations: @escaping @Sendable () async throws -> [ListInvitation], status: SyncStatus,
    statuses: AsyncStream<SyncStatus>, events: AsyncStream<SyncEvent>
  ) {
    self.place = place
    self.start = start
    self.stop = stop
    self.syncNow = syncNow
    self.signIn = signIn
    self.signOut = signOut
    self.share = share
    self.invitations = invitations
    self.status = status
    self.statuses = statuses
    self.events = events
  }

  /// The control of an engine.
  ///
  /// Only the caller can tell where an account's cloud is, and whom a name stands for.
  public init(
    _ engine: SyncEngine, place: String, signIn: @escaping @Sendable (String) async throws -> Void,
    share: @escaping @Sendable (ShareRequest) async throws -> Void,
    invitations: @escaping @Sendable () async throws -> [ListInvitation]
  ) {
    let events = EngineEvents(of: engine)
    self.init(
      place: place, start: { engine.start() }, stop: { events.stopEngine() },
      syncNow: { try await engine.syncChanges() }, signIn: signIn,
      signOut: { try await engine.signOut(discarding: $0, needingCloud: $1) },
      share: share, invitations: invitations, status: engine.status,
      statuses: engine.statuses, events: events.shown)
    flush = { engine.flush(within: .milliseconds(500)) }
    // A cloud that does not respond never blocks the exit: pending changes are sent the next time.
    end = {
      guard engine.flush(within: .seconds(1)) else { return engine.stop() }
      engine.stop(within: .seconds(1))
    }
  }
}

extension EngineEvents {
  /// What it tells, without what is about the engine's own records.
  fileprivate var shown: AsyncStream<SyncEvent> {
    let events = stream
    return AsyncStream {
      for await event in events {
        if let event = event.withoutEnginesRecords { return event }
      }
      return nil
    }
  }
}

/// Makes what synchronizes: it takes longer than to show the first reminders, which come before.
public typealias SyncMaker = @Sendable () throws -> SyncControl
