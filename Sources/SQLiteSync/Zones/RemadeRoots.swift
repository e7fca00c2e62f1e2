import GRDB
import SQLiteSyncCloud

/// Roots of zones of others that are made anew before their deletion was looked at.
///
/// Deleting such a row is leaving, whatever follows: the new row is this account's own. Otherwise
/// it would be an edit in the owner's zone, beside the deletions of all that depended on the row.
struct RemadeRoots {
  let db: Database
  private var found: [(recordID: Int64, share: ZoneShare)] = []

  init(db: Database) { self.db = db }

  /// Notes a record that was folded, if it is one.
  mutating func note(_ id: Int64, _ edit: FoldedEdit, over known: RecordMetadata) throws {
    guard known.zoneID != SyncZone.defaultID, !edit.isDeletion,
      edit.deletedAt != nil || known.isDeletedUnsent,
      let share = try ZoneShare(of: known.zoneID, in: db), share.access != .owner,
      try MetadataStore(db: db).name(ofRecord: id) == share.share?.root
    else { return }
    found.append((id, share))
  }

  /// Leaves the zones: their rows go before anything else is applied, see `leaveDeparted`.
  ///
  /// After the edit log was emptied, because what it captures is another edit.
  func leave() throws {
    let store = MetadataStore(db: db)
    for (id, share) in found {
      guard var record = try store.record(id: id) else { continue }
      // Without a stale copy: that would be deleted in the owner's zone.
      record.move(to: SyncZone.defaultID, over: nil)
      try store.save(record)
      // Nor is what the owner's version still lacks of it to come into the row.
      try Quarantine(db: db).remove(id)
      try KnownAssets(db: db).forget(recordID: id)
      try SharedZones(db: db).leave(share.zone)
    }
  }
}
