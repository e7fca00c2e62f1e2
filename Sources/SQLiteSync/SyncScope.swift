import GRDB
import SQLiteSyncCloud

/// Which zones a fetch or a send that is asked for by hand looks at.
///
/// What is shared lives in zones of its own, each with a row and what depends on it; everything
/// else is in the account's own zone.
public enum SyncScope: Hashable, Sendable {
  /// All of them.
  case all
  /// The account's own zone: what is shared with nobody.
  case unshared
  /// What an account shares, this one or another one.
  case shared(by: AccountID)
  /// The zone that a row lives in.
  case row(SyncMetadata.ID)
}

extension Synchronizer {
  /// Does some work in no other zones than these.
  func within<Result>(_ scope: SyncScope, _ work: () throws -> Result) throws -> Result {
    let before = scopeOfWork
    scopeOfWork = scope
    defer { scopeOfWork = before }
    return try work()
  }

  /// The zones to look at, of those that this device keeps in step with.
  func zonesInScope(_ zones: [SyncZone]) throws -> [SyncZone] {
    switch scopeOfWork {
    case .all: return zones
    case .unshared: return zones.filter { $0.id == SyncZone.defaultID }
    case .shared(let owner):
      return zones.filter { $0.id != SyncZone.defaultID && $0.log.id.owner == owner }
    case .row(let row):
      let home = try database.readSnapshot { db in
        try tables[called: row.table].flatMap { table in
          try MetadataStore(db: db).record(tableID: table.id, key: table.foldedKey(row.key))
        }?.lastZoneID
      }
      return zones.filter { $0.id == home }
    }
  }
}
