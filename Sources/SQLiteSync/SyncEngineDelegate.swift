import SQLiteSyncCloud

/// Decides what an engine cannot decide.
///
/// `SyncEngine.signIn` asks it, and nothing else does: an initializer that is given another account
/// than that of the data throws `accountChanged`.
public protocol SyncEngineDelegate: AnyObject, Sendable {
  /// What becomes of the data of one account on this device when another one signs in: see
  /// `SyncEngine.signIn`.
  ///
  /// An app asks the person. Where this is not implemented the data stays, and the other account is
  /// refused.
  func syncEngine(
    _ engine: SyncEngine, decideAbout change: SyncAccountChange
  ) async -> SyncAccountDecision
}

extension SyncEngineDelegate {
  /// The data stays.
  public func syncEngine(
    _ engine: SyncEngine, decideAbout change: SyncAccountChange
  ) async -> SyncAccountDecision {
    .keep
  }
}

/// Holds a delegate and does not keep it.
struct WeakDelegate: Sendable {
  weak var value: (any SyncEngineDelegate)?
}
