import GRDB
import RemindersTestSupport

@testable import SQLiteSync
@testable import SQLiteSyncCloud

extension Fleet {
  /// Lets a device send, folds the log, and deletes all of it that is folded.
  ///
  /// - Parameter forgettingDeletions: As if the deletions were half a year old.
  func compact(after device: Device, forgettingDeletions: Bool = false) throws {
    clock.advance()
    try device.sync()
    var policy = MaintenancePolicy.eager
    if forgettingDeletions { policy.tombstoneAge = -MaintenancePolicy.days(36_500) }
    let zone = device.container.zone(ZoneID(name: "default", owner: device.container.account))
    _ = try zone.maintain(policy)
    _ = try zone.maintain(policy)
  }

  /// What went wrong on the way, over all devices.
  var troubles: Set<Trouble> { devices.reduce(into: []) { $0.formUnion($1.troubles) } }
}

extension MaintenancePolicy {
  /// Folds whenever there is something, and keeps nothing, however young.
  static let eager: MaintenancePolicy = {
    var policy = MaintenancePolicy()
    policy.manyCommits = 1
    policy.keptCommits = 0
    policy.keptCommitAge = -days(36_500)
    policy.announcement = -days(36_500)
    return policy
  }()
}

extension Device {
  /// What this device was told of its zone as a whole.
  var zoneChanges: [SyncEvent.ZoneChange] {
    events.compactMap { event in
      if case .fetchedDatabaseChanges(_, _, let change) = event { change } else { nil }
    }
  }

  /// Whether no full fetch is under way.
  func isWhole() throws -> Bool {
    try database.readSnapshot { try ZonePosition(in: $0).fullFetch == nil }
  }
}
