import Foundation

// How long a log keeps what a checkpoint holds already: for slow readers, and so that a deletion is
// heard of by devices that were away.

extension ZoneLog {
  /// Up to where commits may go: what is kept, by number or by age, whichever is more, stays.
  func floor(
    upTo sequence: Int64, _ manifest: ZoneManifest, _ policy: MaintenancePolicy, _ now: Int64
  ) throws -> Int64 {
    let limit = now - policy.keptCommitAge
    var floor = manifest.floor
    for entry in try listCommits(after: manifest.floor, manifest) {
      guard let number = ZoneLayout.number(inFileName: entry.name), entry.modified <= limit,
        number <= sequence - policy.keptCommits
      else { break }
      floor = number
    }
    return floor
  }

  /// The floor that was announced long enough ago for everybody to have seen it.
  func announcedFloor(
    _ manifest: ZoneManifest, _ policy: MaintenancePolicy, now: Int64
  ) throws -> Int64 {
    for named in manifest.checkpoints
    where try age(ofMetaEntry: named.number, now: now) >= policy.announcement {
      return named.checkpoint.floor
    }
    return 0
  }

  /// How long ago an entry of `meta` was written, by the store's time.
  func age(ofMetaEntry number: Int64, now: Int64) throws -> Int64 {
    let before = ZoneLayout.fileName(number - 1)
    let entry = try store.list(layout.meta, after: before, limit: 1).first
    return entry.map { now - $0.modified } ?? 0
  }

  /// Deletions with an earlier clock are left out of a checkpoint.
  ///
  /// Clocks are those of devices, and this device's is no better than the store's: the earlier
  /// counts.
  func oldestDeletion(_ policy: MaintenancePolicy, _ now: Int64) -> Int64 {
    min(now, environment.now()) - policy.tombstoneAge
  }

  /// The last commit whose deletions may be left out.
  ///
  /// A clock that is wrong makes no day pass. So it does not decide alone.
  func lastForgettable(_ policy: MaintenancePolicy, _ manifest: ZoneManifest) -> Int64 {
    switch policy.forgettable {
    case .all: .max
    case .upTo(let token?) where token.zone == manifest.identity && token.epoch == manifest.epoch:
      token.sequence
    case .upTo: 0
    }
  }
}
