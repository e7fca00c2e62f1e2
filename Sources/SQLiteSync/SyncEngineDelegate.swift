import SQLiteSyncCloud

/// Decides what an engine cannot decide.
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

/// Another account signs in than the one whose data is here.
public struct SyncAccountChange: Hashable, Sendable {
  /// Whose data is here.
  public let from: AccountID
  /// Who signs in.
  public let to: AccountID
}

/// What becomes of the data of the account before.
public enum SyncAccountDecision: Hashable, Sendable {
  /// It stays that account's, and the other one is not signed in.
  case keep
  /// It leaves this device, unsent edits too; in the cloud and on other devices it stays.
  case clear
  /// It becomes the other account's, too, merged with what that has: rows with one key are one.
  case merge
}

/// Holds a delegate and does not keep it.
struct WeakDelegate: Sendable {
  weak var value: (any SyncEngineDelegate)?
}
