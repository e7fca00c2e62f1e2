import Cloud
import Foundation
import GRDB

/// The share record of a zone: its columns in `sync_zones`.
///
/// Only the owner's devices edit it. It is merged field by field, as rows are.
struct ZoneShare: Equatable {
  let zoneID: Int64
  let zone: ZoneID
  /// The cloud's version.
  var record: CloudRecord?
  var tag: ChangeTag?
  /// What is to be sent: the cloud's version with this device's edits.
  var edited: CloudRecord?
  var access: ZoneAccess

  /// The share as it is shown.
  var share: Share? { (edited ?? record).flatMap { Share($0) } }

  /// The share that the cloud's rules go by.
  var shareInCloud: Share? { tag == nil ? nil : record.flatMap { Share($0) } }

  /// Reads the share record of a zone; nil when there is no such zone.
  init?(of zoneID: Int64, in db: Database) throws {
    let row = try Row.fetchOne(
      db.cachedStatement(sql: "SELECT * FROM sync_zones WHERE id = ?"), arguments: [zoneID])
    guard let row, let owner = AccountID(rawValue: row["owner"]) else { return nil }
    self.zoneID = zoneID
    zone = ZoneID(name: row["name"], owner: owner)
    record = try (row["share"] as Data?).map(CloudRecord.init(encoded:))
    edited = try (row["shareEdit"] as Data?).map(CloudRecord.init(encoded:))
    tag = (row["shareTag"] as String?).flatMap(ChangeTag.init)
    access = ZoneAccess(rawValue: row["access"]) ?? .read
  }

  /// Stores it.
  func save(in db: Database) throws {
    try db.cachedStatement(
      sql: "UPDATE sync_zones SET share = ?, shareTag = ?, shareEdit = ?, access = ? WHERE id = ?"
    ).execute(
      arguments: [
        record?.encoded, tag?.description, edited?.encoded, access.rawValue, zoneID,
      ])
  }

  /// Edits the share, to be sent.
  mutating func edit(now: Int64, device: UInt16, _ change: (inout Share) -> Void) {
    guard var share else { return }
    change(&share)
    put(share, now: now, device: device)
  }

  /// Puts a share in place of what is there, to be sent.
  mutating func put(_ share: Share, now: Int64, device: UInt16) {
    let known = edited ?? record
    let next = share.record(over: known) { $0.edited(atMilliseconds: now, device: device) }
    guard next != known else { return }
    edited = next
  }

  /// Takes a copy from the cloud in.
  mutating func merge(_ copy: ServerCopy, account: AccountID) {
    tag = copy.tag
    guard case .record(let theirs) = copy.content else {
      record = nil
      return
    }
    record = theirs
    if let mine = edited { edited = Self.merged(mine, over: theirs) }
    guard zone.owner != account else { return }
    access = Share(theirs)?.permission(of: account) == .write ? .write : .read
  }

  /// The cloud's version with the later fields of the edited one; nil when there are none.
  private static func merged(_ mine: CloudRecord, over theirs: CloudRecord) -> CloudRecord? {
    var result = theirs
    result.life = max(mine.life, theirs.life)
    for (name, field) in mine.fields where field.clock > theirs.fields[name]?.clock ?? .zero {
      result.fields[name] = field
    }
    return result == theirs ? nil : result
  }
}

extension Applier {
  /// Takes in the share record of the zone.
  func apply(shareOf copy: ServerCopy) throws {
    guard var share = try ZoneShare(of: zoneID, in: db) else { return }
    let access = share.access
    share.merge(copy, account: try account())
    try share.save(in: db)
    if share.access != access { try WritePermission(db: db, tables: tables).install() }
  }

  /// A share record that a full fetch did not mention is sent again by its owner.
  func sendLostShare() throws {
    try db.execute(
      sql: """
        UPDATE sync_zones SET shareEdit = coalesce(shareEdit, share)
        WHERE id = ? AND shareTag IS NULL AND access = 'owner'
        """, arguments: [zoneID])
  }

  private func account() throws -> AccountID {
    let text = try String.fetchOne(
      db.cachedStatement(sql: "SELECT account FROM sync_state"))
    return text.flatMap(AccountID.init(rawValue:)) ?? AccountID(userID: 0)
  }
}

extension ZoneID {
  /// How a zone is written in `sync_shares`.
  var path: String { owner.rawValue + "/" + name }

  /// Reads a zone as it is written in `sync_shares`; nil when it is none.
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
