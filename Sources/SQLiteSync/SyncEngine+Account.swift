import GRDB
import SQLiteSyncCloud

/// Who is signed in: remembered in the database, so that a restart changes nothing about it.
///
/// An engine signs its account in by itself the first time that its database meets a cloud. Once
/// somebody has signed out, only `signIn` ends that. Rows that are written while nobody is signed
/// in belong to nobody yet: they are captured, and go to the account that signs in next, merged
/// with what it has. An app that does not want that for another person's account asks
/// before (see `SyncAccount` and `SyncCounts`).
extension SyncEngine {
  /// Signs an account in and, if the engine was started, begins to synchronize.
  ///
  /// What is here is sent, what the cloud has comes; both without a restart. While data of another
  /// account is here, the delegate says what becomes of it (`SyncAccountDecision`).
  ///
  /// - Parameter container: The cloud as the account sees it.
  /// - Throws: `SyncError` with `accountChanged` while another account is signed in or its data is
  ///   here and stays, with `runsElsewhere` while another process synchronizes the database;
  ///   `CloudError` when the cloud cannot be reached. Nothing has changed then.
  public func signIn(_ container: CloudContainer) async throws {
    do {
      try await core.onQueue { try $0.signIn(container) }
    } catch let error as SyncError where error.reason == .accountChanged {
      let known = try core.setup.database.readSnapshot(SyncAccount.init)
      guard let delegate, let former = known.id else { throw error }
      let change = SyncAccountChange(
        from: former, to: container.account,
        pending: try core.setup.database.readSnapshot(SyncCounts.init).pending)
      switch await delegate.syncEngine(self, decideAbout: change) {
      case .keep: throw error
      case .clear: try await signOut(discarding: .max, needingCloud: false)
      case .merge: try await leave { try $0.handOver() }
      }
      try await core.onQueue { try $0.signIn(container) }
    }
  }

  /// Signs out: the rows of the synchronized tables and all that is known of them leave this
  /// device, and only this device.
  ///
  /// Tables that are not synchronized keep their rows; the history goes with the rest. Signing in
  /// again brings everything back that was sent: so edits that were not sent are the question.
  /// `status.pending` says how many records have some. The cloud is asked whether it still has what
  /// was sent: where its log was begun anew, nothing is sent before the next sync. It is read whole
  /// for that, but for the bytes of assets.
  ///
  /// - Parameters:
  ///   - accepted: How many records with unsent edits may be lost: what the person was told and
  ///     agreed to. An edit that comes in between is not lost by it.
  ///   - isCloudNeeded: Whether to refuse when the cloud cannot be asked, or another one is there:
  ///     what is here may be the last copy. An app asks the person then, and passes false after a
  ///     yes.
  /// - Throws: `SyncError` with `unsentEdits` when there are more than accepted, with
  ///   `cloudUnconfirmed` when the cloud is needed and does not confirm that it has what was sent,
  ///   with `runsElsewhere` while another process synchronizes the database, with `localReference`
  ///   when rows of other tables cannot be without these. Nothing has changed then.
  public func signOut(
    discarding accepted: Int = 0, needingCloud isCloudNeeded: Bool = true
  ) async throws {
    try await leave {
      try $0.signOut(discarding: accepted, needingCloud: isCloudNeeded, keepingRows: false)
    }
  }

  /// Signs out and leaves all rows here, for an app that shows them also while nobody is signed in.
  ///
  /// They stay the account's: edits go on being captured and are sent when it signs in again.
  /// Another account can only sign in after `signOut`, which removes them.
  public func signOutKeepingRows() async throws {
    try await leave {
      try $0.signOut(discarding: 0, needingCloud: false, keepingRows: true)
    }
  }

  /// Goes on at another cloud with what is here, as when the one before is lost for good.
  ///
  /// All rows stay and are sent there as edits made now; what that cloud has of the account already
  /// is merged with them. So each device of the account can do it, and they agree again. What
  /// others shared becomes one's own, what was shared is not any more, and the history is
  /// forgotten.
  ///
  /// A cloud that is still there is better moved: see `CloudCopy`. At the cloud that this data is
  /// of nothing happens.
  ///
  /// - Parameter container: The other cloud as the account sees it; begun where there is none.
  /// - Throws: `CloudError` when it cannot be reached, and with `notAuthenticated` when nobody is
  ///   signed in; `SyncError` with `runsElsewhere` while another process synchronizes the database.
  ///   Nothing has changed then.
  public func changeCloud(to container: CloudContainer) async throws {
    try await leave { try $0.change(to: container) }
  }

  private func leave(_ signOut: @escaping @Sendable (EngineCore) throws -> Void) async throws {
    let core = core
    // A fetch that takes long ends after the page that it is at.
    core.isLeaving.withLock { $0 += 1 }
    defer { core.isLeaving.withLock { $0 -= 1 } }
    try await core.onQueue(signOut)
  }
}
