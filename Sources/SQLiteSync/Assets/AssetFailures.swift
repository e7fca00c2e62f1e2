import GRDB
import SQLiteSyncCloud

/// What was the matter last with bytes that could not be sent or fetched, while all else went on.
struct AssetFailures {
  /// Of what is to be sent.
  var sending: CloudError?
  /// Of what is to be fetched.
  var fetching: CloudError?

  /// What is told of them.
  var error: CloudError? { sending ?? fetching }
}

extension Synchronizer {
  /// Forgets what was the matter with bytes when none of them wait for that any more: they were
  /// sent or fetched, or nobody wants them.
  func settleAssetFailures() throws {
    guard assetFailures.error != nil else { return }
    let (isSending, isFetching) = try database.readSnapshot { db in
      try (
        Outbox(db: db).isAnyPostponed(with: .quotaExceeded), KnownAssets(db: db).isAnyPostponed()
      )
    }
    if !isSending { assetFailures.sending = nil }
    if !isFetching { assetFailures.fetching = nil }
  }

  /// What was put off is tried at once, because somebody asks: changes that were refused for now,
  /// and bytes that were looked for in vain.
  func retryPostponed() throws {
    let isAny = try database.readSnapshot { db in
      try Outbox(db: db).isAnyPostponed() || KnownAssets(db: db).isAnyPostponed()
    }
    guard isAny else { return }
    try database.write { db in
      try Outbox(db: db).retryNow()
      try KnownAssets(db: db).retryNow()
    }
  }
}
