import GRDB
import SQLiteSyncCloud

/// Zones of this account that have ended, and that a cloud restored from a backup has again: with
/// the rows that were in them, for the people who could read them.
extension Synchronizer {
  /// Ends them once more.
  ///
  /// One that cannot be ended is told, and holds up nothing.
  func endRestoredZones() throws {
    let zones = try container.zones()
    let ended = try database.readSnapshot { db in try zones.filter { try hasEnded($0, in: db) } }
    for zone in ended {
      let log = container.zone(zone)
      // Where the system keeps nobody out it is ended all the same.
      for step in [{ try log.protect(for: nil) }, { try log.delete(reason: Self.reasonToEnd) }] {
        do {
          try step()
        } catch let error as CloudError {
          emit(.failed(error))
        }
      }
    }
  }

  /// Whether this device has heard that a zone has ended, and has nothing to do with it any more.
  private func hasEnded(_ zone: ZoneID, in db: Database) throws -> Bool {
    guard let table = tables[SharedZones.table],
      let record = try MetadataStore(db: db).record(tableID: table.id, key: zone.path)
    else { return false }
    return try !record.isAlive && record.death ?? .zero > .zero && !record.isDeathInferred
      && Zones(db: db).ownID(zone) == nil
  }
}
