import SQLiteSyncCloud

/// The zones that could not be read or written lately: each waits for a time of its own, longer
/// with every failure, and holds up no other.
struct ZoneFailures {
  private struct Failure {
    var attempts = 0
    var nextAttempt: Int64 = 0
    var error: CloudError
  }

  private var failures: [Int64: Failure] = [:]

  /// What is the matter with the first of them; nil when nothing is with any.
  var error: CloudError? { failures.min { $0.key < $1.key }?.value.error }

  /// Whether each of these zones has failed.
  func areAll(_ zones: [SyncZone]) -> Bool {
    zones.allSatisfy { failures[$0.id] != nil }
  }

  /// Whether it is too early to try a zone again.
  func isWaiting(_ zone: SyncZone, at now: Int64) -> Bool {
    failures[zone.id].map { $0.nextAttempt > now } ?? false
  }

  /// Notes what went wrong in a zone, if that concerns no other; `next` says when to try again,
  /// given the number of failures so far.
  mutating func note(_ error: CloudError, of zone: SyncZone, until next: (Int) -> Int64) {
    guard error.concernsOneZone else { return }
    var failure = failures[zone.id] ?? Failure(error: error)
    failure.attempts += 1
    failure.nextAttempt = next(failure.attempts)
    failure.error = error
    failures[zone.id] = failure
  }

  /// Forgets what went wrong in a zone: it was read.
  mutating func forget(_ zone: SyncZone) {
    failures[zone.id] = nil
  }

  /// Forgets the zones that are not followed any more.
  mutating func forgetAll(but zones: [SyncZone]) {
    guard !failures.isEmpty else { return }
    let ids = Set(zones.map(\.id))
    failures = failures.filter { ids.contains($0.key) }
  }
}

extension CloudError {
  /// Whether the cloud can be reached, and only a zone in it cannot be read or written.
  var concernsOneZone: Bool {
    switch code {
    case .internalError, .incompatibleVersion, .permissionFailure, .zoneNotFound: true
    // What is to be sent there is the matter.
    case .invalidArguments, .limitExceeded: true
    default: false
    }
  }

  /// Whether it can mean that a zone of somebody else is not shared with this account any more.
  ///
  /// Not that the zone is not there: its owner deletes it by saying so in its `meta` log. What is
  /// lost comes back when a device of its owner's synchronizes.
  var endsShare: Bool {
    [.permissionFailure, .userDeletedZone, .unknownItem].contains(code)
  }

  /// Whether nobody takes anything in a zone of somebody else, for now or for ever.
  var refusesZone: Bool { endsShare || code == .zoneNotFound }
}
