import Foundation

/// How synchronization stands: a value for a header or a status line.
public struct SyncStatus: Hashable, Sendable {
  /// What the engine is doing.
  public enum Phase: Hashable, Sendable {
    /// Nothing: it was stopped, or not started yet.
    case stopped
    /// Opening the cloud.
    case starting
    /// Waiting for something to do.
    case idle
    /// Reading the cloud, and applying what is new in it.
    case fetching
    /// Writing pending changes to the cloud.
    case sending
    /// Waiting to try again, after this many failures in a row.
    case backingOff(attempts: Int)
    /// Another process runs the engine on this database.
    case elsewhere
    /// Started, but nobody is signed in: edits are captured and wait.
    case signedOut
    /// The data here belongs to another cloud than the one that is there.
    ///
    /// Nothing is removed; it is looked at again from time to time.
    case accountChanged
  }

  /// What the engine is doing.
  public var phase: Phase = .stopped
  /// Who is signed in; nil while nobody is.
  public var account: String?
  /// How far a fetch or send is that takes long; nil while there is none.
  public var progress: SyncProgress?
  /// Records with edits that the cloud does not have yet.
  public var pending = 0
  /// Records that wait for something that may come: see `SyncCounts`.
  public var waiting = 0
  /// Records that a local constraint refuses.
  public var quarantined = 0
  /// Those of the pending records that cannot be synchronized, or that the cloud refuses for good:
  /// see `SyncRefusal`.
  public var notSynchronized = 0
  /// The tables of the database that are neither synchronized nor said to be only here: their rows
  /// stay on this device.
  public var unlistedTables: [String] = []
  /// When a fetch last succeeded.
  public var lastFetch: Date?
  /// When a send last succeeded.
  public var lastSend: Date?
  /// Records fetched since the engine was created, or somebody signed in or out.
  public var fetched = 0
  /// Records sent since then.
  public var sent = 0
  /// The last failure, until something succeeds.
  public var lastError: String?
  /// What to do about it.
  public var hint: String?

  /// A stopped engine that has done nothing.
  public init() {}

  /// Whether the engine is on: started and not stopped.
  public var isRunning: Bool { phase != .stopped }
}
