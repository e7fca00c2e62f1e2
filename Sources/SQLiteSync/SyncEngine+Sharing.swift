import GRDB
import SQLiteSyncCloud
import Synchronization

/// Sharing rows with other people on the same cloud.
///
/// A row that depends on nothing can be shared; what depends on it by single foreign keys travels
/// with it. Every method throws `SyncError` with the reason when it cannot be done, and errors of
/// the cloud when that cannot be reached. `SyncShare.all` lists what is shared, and the view
/// `sync_metadata` says it for every row.
///
/// An engine that runs sends what came of it at once. One that was not started does with the next
/// `syncChanges()`: so a program that only shares something, and ends, starts nothing.
extension SyncEngine {
  /// Shares a row, or changes the share that there is, and returns the link to it.
  ///
  /// - Parameters:
  ///   - table: The name of the row's table.
  ///   - key: The primary key of the row.
  ///   - title: What is shared, in words.
  ///   - participants: Who is invited, and what they may do.
  ///   - publicPermission: What anyone may do who has the link.
  @discardableResult
  public func share(
    table: String, key: String, title: String,
    participants: [AccountID: Share.Permission] = [:],
    publicPermission: Share.Permission = .none
  ) async throws -> ShareLink {
    try await sharing {
      try $0.share(
        table: table, key: key, title: title, participants: participants,
        publicPermission: publicPermission)
    }
  }

  /// The link to a row that this account shares.
  public func link(table: String, key: String) async throws -> ShareLink {
    try await reading { try $0.link(table: table, key: key) }
  }

  /// Stops sharing a row: it and what depends on it stay this account's alone.
  public func unshare(table: String, key: String) async throws {
    try await sharing { try $0.unshare(table: table, key: key) }
  }

  /// Changes what people may do with a row that is shared; `none` removes somebody.
  ///
  /// Who does not take part yet, or has left, is invited. A full share makes room to shut somebody
  /// out by letting go of whoever left and of others who came by the link; where all are there by
  /// permissions of their own, `Share.Permission.none` as `publicPermission` shuts out the rest.
  ///
  /// - Parameters:
  ///   - table: The name of the row's table.
  ///   - key: The primary key of the row.
  ///   - participants: Whose permissions change, and to what; the others' stay.
  ///   - publicPermission: What anyone may do who has the link; nil leaves it.
  public func setPermissions(
    table: String, key: String, participants: [AccountID: Share.Permission],
    publicPermission: Share.Permission? = nil
  ) async throws {
    try await sharing {
      try $0.setPermissions(
        table: table, key: key, participants: participants, publicPermission: publicPermission)
    }
  }

  /// Accepts what somebody shares.
  ///
  /// It is looked at first: what is gone, or cannot be read, is not followed. It is here when this
  /// returns, and on the account's other devices when they synchronize.
  ///
  /// - Throws: `SyncError` with `otherCloud`, `ownShare` or `notShared`; with `ownRow` when this
  ///   account has a row of its own of the name, as after it was restored: what depends on that is
  ///   private, so the two are not made one.
  public func acceptShare(_ link: ShareLink) async throws {
    try await sharing { try $0.accept(link) }
  }

  /// Declines an invitation: it is gone from the account's inbox, and its sender is told.
  ///
  /// - Throws: `SyncError` with `otherCloud`, or with `notShared` where no such invitation waits.
  public func declineShare(_ link: ShareLink) async throws {
    try await sharing { try $0.decline(link) }
  }

  /// Leaves what somebody else shares: only this account's copy goes.
  ///
  /// Deleting the row does the same.
  public func leaveShare(table: String, key: String) async throws {
    try await sharing { try $0.leave(table: table, key: key) }
  }

  /// The invitations in the account's inbox, with the links to accept them, oldest first.
  public func invitations() async throws -> [ShareInvitation] {
    try await reading { try $0.invitations() }
  }

  /// What came of it is sent at once, where the engine runs.
  private func sharing<Result: Sendable>(
    _ work: @escaping @Sendable (Synchronizer) throws -> Result
  ) async throws -> Result {
    let value = try await reading(work)
    core.wake()
    return value
  }

  /// Nothing is to be sent after it: whoever looks after each fetch must not bring about the next.
  func reading<Result: Sendable>(
    _ work: @escaping @Sendable (Synchronizer) throws -> Result
  ) async throws -> Result {
    let result = Mutex<Result?>(nil)
    try await core.perform { synchronizer in
      let value = try work(synchronizer)
      result.withLock { $0 = value }
    }
    guard let value = result.withLock({ $0 }) else {
      throw SyncError(.stopped, "Synchronization was stopped meanwhile.")
    }
    return value
  }
}

/// An invitation to what somebody shares.
public struct ShareInvitation: Hashable, Sendable {
  /// The link with which to accept it.
  public let link: ShareLink
  /// Who invites.
  public let sender: AccountID
  /// What is shared, in words.
  public let title: String
}
