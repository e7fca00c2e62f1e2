import GRDB
import SQLiteSyncCloud

/// What waits, when all zones were read.
extension Synchronizer {
  /// Gives up after a while what waits for a row that no zone has, and sets aside the rows of
  /// earlier versions whose latest waits for what is kept aside.
  func settleWaiting() throws {
    let since = configuration.now() - Applier.patience
    if try database.readSnapshot({ try Quarantine(db: $0).isAnyWaiting(since: since) }) {
      say(try applying { try $0.giveUpWaiting() })
    }
    guard mayHaveWaitingRows else { return }
    if try database.readSnapshot({ try Quarantine(db: $0).mayHaveWaitingRows() }) {
      say(try applying { try $0.setAsideWaitingRows() })
    }
    mayHaveWaitingRows = false
  }
}

extension Applier {
  /// How long a row of this account's own waits for one that was shared with it: an hour.
  ///
  /// A device that has just accepted a share may have sent what depends on it first.
  static let patience: Int64 = 60 * 60 * 1000

  /// Gives up waiting for what was shared with this account and is in no zone any more, when all of
  /// them have been read.
  ///
  /// Devices that had it when it went have done to the rows that depended on it what their foreign
  /// keys say. Where none had it, those rows come from the account's own zone for ever after.
  mutating func giveUpWaiting() throws {
    for (id, name) in try quarantine.orphans(since: now - Self.patience) {
      guard let record = try store.record(id: id), let table = tables[name.table],
        table.canBeShared
      else { continue }
      var parent = try localRecord(name, table: table)
      let isAnywhere =
        try parent.id.map { try StaleCopies(db: db).isAnywhere(recordID: $0) } ?? false
      guard !parent.isAlive, parent.tag == nil || parent.isTombstone, !isAnywhere else { continue }
      let latest = max(record.latest, try quarantine.latestWaiting(forRecord: record.id))
      parent.death = clock(after: max(latest, parent.death ?? .zero))
      try store.save(parent)
      try DeviceState(db: db).muted { try retryParked(id) }
    }
  }
}
