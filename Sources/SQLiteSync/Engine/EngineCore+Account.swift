import GRDB
import SQLiteSyncCloud

/// Signing in and out, on the queue.
extension EngineCore {
  func signIn(_ container: CloudContainer) throws {
    let known = try setup.database.readSnapshot(SyncAccount.init)
    if hasSynchronizer, !known.isSignedOut, known.id == container.account {
      return try requireKnownCloud(of: container, known)
    }
    try holdingLock(else: Self.lockHint) { use(try setup.signIn(container)) }
    hear(.signIn(account: container.account.displayName))
    accountChanged(.signedIn)
  }

  /// Makes sure that who is signed in already does not mean another cloud.
  ///
  /// One that cannot be reached now may be the one that is known.
  private func requireKnownCloud(of container: CloudContainer, _ known: SyncAccount) throws {
    guard known.hasData, let cloud = known.cloud else { return }
    do {
      try Synchronizer.requireSame(cloud: container.open(expecting: cloud), as: cloud)
    } catch is CloudError {}
  }

  func signOut(discarding accepted: Int, needingCloud: Bool, keepingRows: Bool) throws {
    let account = try setup.database.readSnapshot(SyncAccount.init).id
    try holdingLock(else: Self.lockHint) {
      if !keepingRows { try noticeRebuiltZones(needingCloud: needingCloud) }
      try setup.signOut(discarding: accepted, keepingRows: keepingRows)
    }
    use(nil)
    hear(.signOut(account: account?.displayName ?? ""))
    accountChanged(.signedOut)
  }

  /// Removes the account's data; the account stays.
  func deleteLocalData(discarding accepted: Int) throws {
    guard let synchronizer else { throw SyncAccount.nobody }
    try holdingLock(else: Self.lockHint) {
      do {
        try synchronizer.noticeRebuiltZones()
      } catch is CloudError {
        // What is not there is fetched when the cloud can be reached again.
      }
      try setup.deleteLocalData(of: synchronizer, discarding: accepted)
      use(try setup.synchronizer(for: synchronizer.container))
    }
    // An engine that runs opens the cloud anew.
    accountChanged(.signedOut)
    accountChanged(.signedIn)
  }

  /// Signs out, and leaves the rows that are here to the account that signs in next.
  func handOver() throws {
    let account = try setup.database.readSnapshot(SyncAccount.init).id
    try holdingLock(else: Self.lockHint) { try setup.handOver() }
    use(nil)
    hear(.signOut(account: account?.displayName ?? ""))
    accountChanged(.signedOut)
  }

  /// Goes on at another cloud with the rows that are here.
  func change(to container: CloudContainer) throws {
    let known = try setup.database.readSnapshot(SyncAccount.init)
    guard !known.isSignedOut else { throw SyncAccount.nobody }
    // Makes it where there is none, and fails before anything is forgotten.
    guard try container.open() != known.cloud else { return }
    try handOver()
    try signIn(container)
  }

  /// A cloud that cannot be asked, and one in whose place another is, are taken to have what they
  /// had, unless the cloud is needed: it may be away for ever, and the person decides.
  private func noticeRebuiltZones(needingCloud: Bool) throws {
    do {
      try synchronizer?.noticeRebuiltZones()
      if needingCloud, let loss = try synchronizer?.firstLoss() {
        throw Self.unconfirmed("\(loss.path): \(loss.problem)")
      }
    } catch let error as CloudError {
      if needingCloud { throw Self.unconfirmed(error.reason) }
    } catch let error as SyncError where error.reason == .cloudChanged {
      if needingCloud { throw Self.unconfirmed(error.message) }
    }
  }

  private static func unconfirmed(_ reason: String) -> SyncError {
    SyncError(
      .cloudUnconfirmed, "\(reason) What is on this device may be the last copy.",
      hint: "Synchronize first; or export it; or sign out all the same and lose it.")
  }

  /// Another process may have signed somebody in: then there is work for that account.
  func noticeSignIn() {
    do {
      if try followAccount() { handle(.signedIn) }
    } catch {
      fail(error)
    }
  }

  /// Works for whoever the database says is signed in; returns whether that is somebody else than
  /// before.
  ///
  /// While the engine had no lock, another process may have signed people in and out.
  @discardableResult
  func followAccount() throws -> Bool {
    let known = try setup.database.readSnapshot(SyncAccount.init)
    guard !known.isSignedOut, let account = known.id, let cloud,
      !hasSynchronizer || cloud.account != account
    else { return false }
    use(try setup.synchronizer(for: cloud.seen(by: account)))
    hear(.signIn(account: account.displayName))
    forgetStatus()
    return true
  }

  private static let lockHint = "Sign in and out there, or end it first."

  private func accountChanged(_ event: EngineState.Event) {
    forgetStatus()
    handle(event)
  }

  /// What was counted and said was about another account.
  private func forgetStatus() {
    update { status in
      let phase = status.phase
      status = SyncStatus()
      status.phase = phase
    }
    updateCounts()
  }
}
