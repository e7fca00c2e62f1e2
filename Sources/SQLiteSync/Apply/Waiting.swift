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

/// When what a constraint refuses is tried again.
struct RefusedRetries {
  /// How much had been fetched and edited then.
  var changeCount = 0
  /// In milliseconds since 1970.
  var time: Int64 = 0
  /// The last one that was tried.
  var last: Int64 = 0
  /// How many are tried in a round that nobody asked for.
  static let limit = 100
}

extension Synchronizer {
  /// Tries again what a constraint of this device refused.
  ///
  /// That is all of it when somebody asks for a round. Else it is some of it in turn, when anything
  /// has changed or after an hour.
  func retryRefused() throws {
    let (now, changeCount) = (configuration.now(), foldCount + fetchedCount)
    let isAsked = occasion == .manual
    guard
      isAsked || changeCount != refusedRetries.changeCount
        || now - refusedRetries.time >= Applier.patience
    else { return }
    let (last, limit) = isAsked ? (0, Int.max) : (refusedRetries.last, RefusedRetries.limit)
    let ids = try database.readSnapshot {
      try Quarantine(db: $0).refused(after: last, limit: limit)
    }
    if !ids.isEmpty { say(try applying { try $0.retryRefused(ids) }) }
    refusedRetries = RefusedRetries(
      changeCount: foldCount + fetchedCount, time: now,
      last: ids.count < limit ? 0 : ids.last ?? 0)
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
      try DeviceState(db: db).muted { try retryQuarantined(id) }
    }
  }
}
