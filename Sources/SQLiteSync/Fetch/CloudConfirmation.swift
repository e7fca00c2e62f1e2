import GRDB
import SQLiteSyncCloud

/// Whether the cloud can give back what is here, before it leaves the device.
extension Synchronizer {
  /// Looks whether the logs that this account writes to still are those that this device has read.
  ///
  /// One that was begun anew or restored may lack what was sent: it is fetched whole from now on,
  /// and what is here counts as unsent until then.
  func noticeRebuiltZones() throws {
    try openKnown(database.readSnapshot(SyncAccount.init).cloud)
    for zone in try zones() where zone.access != .read {
      do {
        try noticeRebuilt(zone)
      } catch let error as CloudError where zone.access != .owner && error.refusesZone {
        continue  // Nobody takes anything there any more.
      }
    }
  }

  /// What a new device of the account would not get of what is here: what this one does not read
  /// again, because it has it, may be damaged since.
  func firstLoss() throws -> CheckFinding? {
    for zone in try zones() where zone.access != .read {
      guard try position(in: zone).token != nil else { continue }
      do {
        let loss = try CloudCheck(container, following: [zone.log.id]).losses(in: zone.log.id).first
        if let loss { return loss }
      } catch let error as CloudError where zone.access != .owner && error.refusesZone {
        continue  // Nobody takes anything there any more.
      }
    }
    return nil
  }

  private func noticeRebuilt(_ zone: SyncZone) throws {
    let position = try position(in: zone)
    guard position.token != nil else { return }
    do {
      _ = try zone.changes(after: position.token, limit: 0, view: view(at: position))
    } catch let error as CloudError {
      guard let fullFetch = FullFetch(after: error.code) else { throw error }
      // What was deleted was not lost.
      if fullFetch == .rebuilt { try beginFullFetch(of: zone, after: error, at: position) }
    }
  }
}
