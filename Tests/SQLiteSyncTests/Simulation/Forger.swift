import Foundation
import RemindersTestSupport

@testable import SQLiteSyncCloud

/// Somebody with write access to the account's directory who puts a file at the next number of the
/// log that is no commit, or one that counts for nothing.
///
/// Everybody follows its bytes, and nothing comes of it, but for a record that was deleted and is
/// made anew.
struct Forger {
  /// What the file is.
  enum Kind: CaseIterable {
    /// Not even sealed.
    case junk, empty
    /// The commit before once more: the right seal at the wrong place.
    case again
    /// The first half of it.
    case torn
    /// A right commit, but for its edit of a version that never was.
    ///
    /// Of a record that is deleted readers do not ask for the version: see `CommitRules.Role`.
    case stale
    /// A right commit, but for the parent that its record does not have.
    case parentless
    /// A right commit, by somebody who has no say in the zone.
    case stranger
  }

  private let store: any ObjectStore
  private let zone: ZoneLog
  private let clock: TestClock

  init(_ fleet: Fleet) throws {
    store = fleet.store
    clock = fleet.clock
    let container = CloudContainer(
      store: fleet.store, account: fleet.account, device: clock.makeID(), app: "forger",
      environment: clock.environment)
    try container.open()
    zone = container.zone(ZoneID(name: "default", owner: fleet.account))
  }

  /// What came of it.
  struct Forgery {
    /// Where the file is.
    let path: String
    /// The record that it makes anew, by its table and key, and the fields that it names.
    var madeAnew: MadeAnew?
  }

  struct MadeAnew {
    let table: String
    let key: String
    let fields: Set<String>
    /// When it was deleted, where the log still knows.
    let death: FieldClock?
  }

  /// Puts it there; returns nil when there is no commit yet to follow.
  func forge(_ kind: Kind) throws -> Forgery? {
    let epoch = try zone.manifest().epoch
    let log = zone.layout.log(epoch: epoch)
    let numbers = try store.list(log, after: nil, limit: .max) { _ in true }
      .compactMap { ZoneLayout.number(inFileName: $0.name) }
    guard let last = numbers.max(), let before = try zone.readCommit(last, epoch: epoch)
    else { return nil }
    let key = zone.layout.commit(last + 1, epoch: epoch)
    let madeAnew = kind == .stale ? try madeAnew() : nil
    _ = store.createIfAbsent(key, bytes(kind, after: before.bytes, number: last + 1, epoch: epoch))
    return Forgery(path: "\(key)", madeAnew: madeAnew)
  }

  /// What `stale` makes anew: nothing while the record lives.
  private func madeAnew() throws -> MadeAnew? {
    let record = record("lists", "l0")
    let copy = try CloudImage.copies(in: zone)[record.name]
    var death: FieldClock?
    switch copy?.content {
    case .record: return nil
    case .tombstone(let tombstone): death = tombstone.clock
    case nil: break
    }
    return MadeAnew(
      table: record.type, key: "l0", fields: Set(record.fields.keys), death: death)
  }

  private func bytes(_ kind: Kind, after before: [UInt8], number: Int64, epoch: Int64) -> Data {
    switch kind {
    case .junk: Data("{\"f\":\"commit\"}\n".utf8)
    case .empty: Data()
    case .again: Data(before)
    case .torn: Data(before.prefix(before.count / 2))
    case .stale:
      commit(
        .save(record("lists", "l0"), base: ChangeTag(epoch: epoch, sequence: number, index: 9)),
        after: before, number: number, epoch: epoch)
    case .parentless:
      commit(
        .save(record("reminders", "forged", parent: "nowhere:lists"), base: nil), after: before,
        number: number, epoch: epoch)
    case .stranger:
      commit(
        .save(record("lists", "forged"), base: nil), by: AccountID(userID: 2000), after: before,
        number: number, epoch: epoch)
    }
  }

  private func record(_ table: String, _ key: String, parent: String? = nil) -> CloudRecord {
    let now = FieldClock(milliseconds: clock.now, device: 0xbad)
    return CloudRecord(
      name: "\(key):\(table)", type: table, parent: parent, life: now,
      fields: ["title": CloudField(.text("Forged"), now)])
  }

  private func commit(
    _ change: CloudChange, by author: AccountID? = nil, after before: [UInt8], number: Int64,
    epoch: Int64
  ) -> Data {
    var origin = zone.origin()
    if let author { origin.author = author }
    return Commit(
      origin: origin, zone: zone.id.name, epoch: epoch, sequence: number,
      previous: ContentHash(of: before), operations: [change]
    ).encoded
  }
}
