import GRDB
import SQLiteSyncCloud

/// A zone that this device keeps in step with: its number, and its log.
struct SyncZone {
  /// The number of its row.
  let id: Int64
  let log: ZoneLog
  /// What this account may do in it.
  let access: ZoneAccess
  /// What is called otherwise in its log.
  var names = CloudNames()

  /// The row of the account's own zone, in which everything lives that is not shared.
  static let defaultID: Int64 = 1

  /// Where a record is that left a zone, as long as it is not known where to: below every zone, so
  /// that it is known from where.
  static func nowhere(from zoneID: Int64) -> Int64 { -abs(zoneID) }

  /// An SQL condition on records: those that left a zone, and it is not known where to.
  ///
  /// Version 0.1.0 wrote 0, and did not say from where.
  static let isNowhere = "zoneID <= 0"

  /// An SQL condition on records, true outside the default zone.
  ///
  /// The index of those has it, and SQLite takes that index where a query says it word for word.
  static let isElsewhere = "zoneID <> \(defaultID)"

  /// The zones of a database: those of the account, its own one first, and then those of others.
  ///
  /// What is in both is the account's own, so that is read first. One of somebody else that is
  /// being left is not among them.
  ///
  /// - Parameter names: What is called otherwise in their logs, for who reads or writes them.
  static func all(
    in db: Database, container: CloudContainer, names: CloudNames = CloudNames()
  ) throws -> [SyncZone] {
    try Zones(db: db).followed(by: container.account).map { id, zone, access in
      SyncZone(id: id, log: container.zone(zone), access: access, names: names)
    }
  }
}

extension RecordMetadata {
  /// Whether the record left a zone, and it is not known where to.
  var isNowhere: Bool { zoneID <= 0 }

  /// The zone that it lives in, or has left last.
  var lastZoneID: Int64 { abs(zoneID) }
}

extension SyncZone {
  /// Whether an answer means that a zone of this account has not been made yet.
  func isNew(_ error: CloudError, account: AccountID) -> Bool {
    error.code == .zoneNotFound && log.id.owner == account
  }
}

/// A version of a record in one of several zones: a tag alone names it only within its zone.
struct ZoneVersion: Hashable, Comparable {
  let zoneID: Int64
  let tag: ChangeTag

  static func < (left: ZoneVersion, right: ZoneVersion) -> Bool {
    (left.zoneID, left.tag) < (right.zoneID, right.tag)
  }
}
