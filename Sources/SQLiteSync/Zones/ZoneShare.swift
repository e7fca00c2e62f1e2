import Foundation
import GRDB
import SQLiteSyncCloud

/// The share record of a zone.
///
/// Only the owner's devices edit it. It is merged field by field, as rows are. A version that
/// somebody else has written in the owner's name is known, because the next one must name it, and
/// changes nothing: the owner's devices say again what they have said.
struct ZoneShare: Equatable {
  let zoneID: Int64
  let zone: ZoneID
  /// The cloud's version.
  var record: CloudRecord?
  var tag: ChangeTag?
  /// Whether somebody else than the owner has written the cloud's version: it is good for the rules
  /// of the log, which must not depend on who owns a file, and for nothing else.
  private(set) var isForged = false
  /// The latest version of the owner's, where the cloud's is forged.
  private(set) var trusted: CloudRecord?
  /// What is to be sent: the cloud's version with this device's edits.
  var edited: CloudRecord?
  var access: ZoneAccess

  /// The cloud's version as its owner has said it.
  private var own: CloudRecord? { isForged ? trusted : record }

  /// The share as it is shown.
  var share: Share? { (edited ?? own).flatMap { Share($0) } }

  /// The share that is in the cloud, as its owner has said it.
  var shareInCloud: Share? { tag == nil ? nil : own.flatMap { Share($0) } }

  /// The share as its owner has said it last: also while a log that was begun anew does not say it
  /// again yet.
  var lastShare: Share? { own.flatMap { Share($0) } }

  /// The share that the rules of the log go by.
  var shareInLog: Share? { tag == nil ? nil : record.flatMap { Share($0) } }

  /// Reads the share record of a zone; nil when there is no such zone.
  init?(of zoneID: Int64, in db: Database) throws {
    guard let row = try Zones(db: db).row(of: zoneID) else { return nil }
    try self.init(row, zoneID: zoneID)
  }

  /// Decodes what `Zones.row` reads.
  init?(_ row: Row, zoneID: Int64) throws {
    guard let owner = try AccountID(rawValue: row.read("owner")) else { return nil }
    self.zoneID = zoneID
    zone = try ZoneID(name: row.read("name"), owner: owner)
    record = try Self.record(in: "share", of: row)
    edited = try Self.record(in: "shareEdit", of: row)
    tag = try (row.read("shareTag") as String?).flatMap(ChangeTag.init)
    isForged = try row.read("isShareForged")
    trusted = try Self.record(in: "trustedShare", of: row)
    access = try ZoneAccess(rawValue: row.read("access")) ?? .read
  }

  private static func record(in column: String, of row: Row) throws -> CloudRecord? {
    try (row.read(column) as Data?).map {
      try CloudRecord(stored: $0, in: "\(Zones.table).\(column)")
    }
  }

  /// Stores it.
  func save(in db: Database) throws {
    try Zones(db: db).save(self)
  }

  /// Edits the share, to be sent.
  mutating func edit(now: Int64, device: UInt16, _ change: (inout Share) -> Void) {
    guard var share else { return }
    change(&share)
    put(share, now: now, device: device)
  }

  /// Puts a share in place of what is there, to be sent.
  mutating func put(_ share: Share, now: Int64, device: UInt16) {
    let known = edited ?? own
    let next = share.record(over: known) { $0.edited(atMilliseconds: now, device: device) }
    guard next != known else { return }
    edited = next
  }

  /// Takes a copy from the cloud in.
  ///
  /// - Parameter edit: Makes the clock of an edit from the one that the field has.
  mutating func merge(
    _ copy: ServerCopy, account: AccountID, edit: (FieldClock) -> FieldClock
  ) {
    let isOwners = copy.isAuthentic && copy.author == zone.owner
    let known = own
    trusted = isOwners ? nil : known
    isForged = !isOwners
    tag = copy.tag
    guard case .record(let theirs) = copy.content else {
      record = nil
      if isForged, zone.owner == account { edited = edited ?? trusted }
      return
    }
    record = theirs
    guard !isForged else {
      if zone.owner == account { restore(over: theirs, edit: edit) }
      return
    }
    // A log that was restored from a backup may say less than its owner has said already.
    if let mine = edited ?? (zone.owner == account ? known : nil) {
      edited = Self.merged(mine, over: theirs)
    }
    guard zone.owner != account else { return }
    access = Share(theirs)?.permission(of: account) == .write ? .write : .read
  }

  /// Says again what the owner has said, over what somebody else has said in their name.
  private mutating func restore(over theirs: CloudRecord, edit: (FieldClock) -> FieldClock) {
    guard var mine = edited ?? trusted else { return }
    for name in Set(mine.fields.keys).union(theirs.fields.keys) {
      let forged = theirs.fields[name]
      guard mine.fields[name] != forged else { continue }
      let value = mine.fields[name]?.value ?? .null
      mine.fields[name] = CloudField(
        value, edit(max(mine.fields[name]?.clock ?? .zero, forged?.clock ?? .zero)))
    }
    mine.life = max(mine.life, theirs.life)
    edited = mine
  }

  /// The cloud's version with the later fields of the edited one; nil when there are none.
  private static func merged(_ mine: CloudRecord, over theirs: CloudRecord) -> CloudRecord? {
    var result = theirs
    result.life = max(mine.life, theirs.life)
    for (name, field) in mine.fields where field.clock > theirs.fields[name]?.clock ?? .zero {
      result.fields[name] = field
    }
    result = result.withRoomForPeople
    return result == theirs ? nil : result
  }
}

extension Applier {
  /// Takes in the share record of the zone.
  mutating func apply(shareOf copy: ServerCopy) throws {
    guard let account, var share = try ZoneShare(of: zoneID, in: db) else { return }
    let access = share.access
    share.merge(copy, account: account) {
      $0.edited(atMilliseconds: now, device: device.clockBits)
    }
    if share.isForged { ignore(copy, reason: "only its owner says with whom something is shared") }
    try share.save(in: db)
    // What was refused under the share of before may be taken under this one.
    try store.outbox.retryNow(inZone: zoneID)
    if share.access != access { try WritePermission(db: db, tables: tables).install() }
  }

  /// A share record that a full fetch did not mention is sent again by its owner.
  func sendLostShare() throws {
    try Zones(db: db).sendLostShare(of: zoneID)
  }
}

extension ZoneID {
  /// How a zone is written in the list of shares.
  var path: String { owner.rawValue + "/" + name }

  /// Reads a zone as it is written in the list of shares; nil when it is none.
  init?(path: String) {
    guard let slash = path.firstIndex(of: "/"),
      let owner = AccountID(rawValue: String(path[..<slash])),
      path.index(after: slash) < path.endIndex
    else { return nil }
    self.init(name: String(path[path.index(after: slash)...]), owner: owner)
  }
}

extension Share {
  /// Nobody may do anything any more.
  mutating func close() {
    publicPermission = .none
    for account in participants.keys {
      participants[account] = Participant(permission: .none, state: .gone)
    }
  }
}
