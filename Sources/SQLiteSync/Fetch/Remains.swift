import SQLiteSyncCloud

extension Synchronizer {
  /// Takes what can be read of a log that was begun anew, past the place where this device stood.
  ///
  /// A commit that was lost may have kept everybody from reading on, and the devices that wrote
  /// what comes after it may be gone.
  func takeRemains(of zone: SyncZone, at position: ZonePosition) throws {
    guard let token = position.token else { return }
    let share = try database.readSnapshot { try ZoneShare(of: zone.id, in: $0)?.lastShare }
    try zone.log.remains(after: token, sharedAs: share) { copies in
      try foldEdits()
      let assets = try readAssets(of: copies, in: zone)
      let versions = try versionsBefore(copies, in: zone)
      let report = try applying(in: zone, assets: assets, versionsBefore: versions) { applier in
        try applier.apply(copies)
      }
      sayFetched(copies, in: zone)
      say(report)
    }
  }
}
