import GRDB
import SQLiteSyncCloud
import SQLiteSyncHashing

/// What to do when this device may be wrong about what the cloud has: fetch the zone whole, judging
/// every commit by the log alone, and send again what it lacks.
///
/// Verdicts on new commits are taken from the metadata, so wrong metadata make wrong verdicts. It
/// must not happen, whatever the cause; when it does, nothing may be lost silently.
extension Synchronizer {
  /// Throws what gave rise to a full fetch since the last time, if anything did.
  ///
  /// The edits are safe by then, but somebody should hear of it.
  func reportDistrust() throws {
    guard let error = distrust else { return }
    distrust = nil
    throw error
  }

  /// Why changes that were read from `position` on are not to be applied; nil when they are.
  func objection(
    to changes: ZoneChanges, of zone: SyncZone, from position: ZonePosition, now: ZonePosition
  ) -> SyncError? {
    guard position == now else {
      return SyncError(
        .runsElsewhere, "Something else synchronized this database at the same time.",
        hint: "Everything is fetched again, and what the cloud lacks is sent again.")
    }
    // A full fetch judges by the log alone: what it finds void is void, and its edits are pending
    // again when it is over.
    guard position.fullFetch == nil,
      let void = changes.voids.first(where: isOwn)
    else { return nil }
    return SyncError(
      .voidCommit,
      "Commit \(void.number) of this device in the zone \(zone.log.id.name) counts for nothing: "
        + "\(void.reason).",
      hint: "Everything is fetched again, and what the cloud lacks is sent again.")
  }

  /// Whether this device wrote a commit that is void, and nobody else in its name.
  private func isOwn(_ void: VoidCommit) -> Bool {
    void.isAuthentic && void.author == container.account
      && void.device == container.device.lowercaseString
  }

  /// Tells of changes that were not applied.
  func noteDistrust(_ error: SyncError, of zone: SyncZone) {
    distrust = error
    protected[zone.id] = nil
    emit(
      .fetchedDatabaseChanges(
        zone: zone.log.id.name, owner: zone.log.id.owner.description, change: .rebuilt))
  }
}
