import SQLiteSyncCloud

/// Another account signs in than the one whose data is here.
public struct SyncAccountChange: Hashable, Sendable {
  /// Whose data is here.
  public let from: AccountID
  /// Who signs in.
  public let to: AccountID
  /// How many records have edits that the cloud does not have: what `clear` would lose for good.
  public let pending: Int
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
