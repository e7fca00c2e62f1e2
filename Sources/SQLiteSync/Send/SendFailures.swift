import SQLiteSyncCloud

/// What becomes of a change that the cloud did not take.
enum Disposition: Equatable {
  /// The answer's merge has changed it: send what is there now, at once.
  case retryNow
  /// The answer's merge may have mended what stands in the way: send at once, then later.
  case retryOnce
  /// Keep it and try again later, after an exponential back-off.
  case retryLater
  /// Keep it; only a change of the row or of the app can help.
  case hold
  /// Publish the assets that it names once more, at once and then later.
  case publishAgain
  /// Send fewer at a time.
  case splitBatch
  /// Fetch the zone whole first, made again if need be.
  case fetchWhole
  /// The whole engine must wait: the cloud, the account or the zone is the matter.
  case backOffEngine
}

/// The decision table for refusals: one row for each code of the cloud.
enum SendFailures {
  /// What to do with one change of a batch of `batchCount`.
  static func disposition(of code: CloudError.Code, batchCount: Int) -> Disposition {
    switch code {
    case .serverRecordChanged, .unknownItem, .batchRequestFailed: .retryNow
    case .referenceViolation: .retryOnce
    case .assetFileNotFound: .publishAgain
    // Of one record it is the asset that has no room; a commit that has none ends the attempt.
    case .assetNotAvailable, .quotaExceeded: .retryLater
    case .limitExceeded: batchCount > 1 ? .splitBatch : .hold
    case .invalidArguments, .permissionFailure: .hold
    case .changeTokenExpired, .zoneNotFound, .userDeletedZone: .fetchWhole
    case .internalError, .networkUnavailable, .badContainer, .notAuthenticated,
      .incompatibleVersion, .accountTemporarilyUnavailable:
      .backOffEngine
    }
  }

  /// Milliseconds until the next try: 1 s, 2 s, 4 s … at most 5 minutes, give or take a quarter.
  static func backOff(attempts: Int, random: UInt64) -> Int64 {
    let base = min(Int64(1000) << Int64(min(max(attempts - 1, 0), 9)), 300_000)
    return base * 3 / 4 + Int64(random % UInt64(base / 2 + 1))
  }

  /// How long a change is held that only a person can mend: a day.
  static let holdMilliseconds: Int64 = 24 * 60 * 60 * 1000
}
