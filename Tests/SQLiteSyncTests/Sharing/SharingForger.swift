import Foundation
import RemindersTestSupport

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// Somebody who writes into a cloud whatever bytes the file system lets him, in whose name he
/// likes, and knows the names of all zones, lists, rows and devices.
struct SharingForger {
  /// What he writes.
  enum Kind: CaseIterable {
    case junk, empty, again, torn, unreadable, junkAhead
    case share, root, removal, end, save, move, deletion, deletionOfRoot, message
    /// A file of any name in any directory of a zone, and the next entry of its `meta`: of a zone
    /// of his own the file system lets him.
    case strange, meta
  }

  /// What he knows.
  struct World {
    let people: [AccountID]
    let zones: [ZoneID]
    /// The names of the records of rows.
    let names: [String]
    let devices: [UUID]
  }

  let store: GuardedStore
  let clock: TestClock
  let account: AccountID
  let world: World

  /// Writes something somewhere, and says what came of it.
  func forge(_ kind: Kind, using random: inout SplitMix64) -> String {
    do {
      guard kind != .message else { return try message(using: &random) }
      let own = ZoneID(name: "default", owner: account)
      guard let zone = (world.zones + world.zones + [own]).randomElement(using: &random) else {
        return "nothing there"
      }
      return try forge(kind, in: zone, using: &random)
    } catch {
      return (error as? CloudError)?.label ?? "\(error)"
    }
  }

  private func forge(
    _ kind: Kind, in id: ZoneID, using random: inout SplitMix64
  ) throws -> String {
    let author =
      [id.owner, id.owner, account, world.people.randomElement(using: &random)]
      .compactMap { $0 }.randomElement(using: &random) ?? account
    let zone = try log(id, as: id.owner, device: clock.makeID())
    let epoch = try zone.manifest().epoch
    let numbers = try store.list(zone.layout.log(epoch: epoch), after: nil, limit: .max)
      .compactMap { ZoneLayout.number(inFileName: $0.name) }
    guard let last = numbers.max(), let before = try zone.readCommit(last, epoch: epoch) else {
      return "nothing there"
    }
    let bytes: Data
    switch kind {
    case .strange:
      return strange(in: zone.layout, epoch: epoch, using: &random)
    case .meta:
      let number = try zone.manifest().number + 1
      return outcome(zone.layout.metaEntry(number), Data("{\"f\":\"meta\"}\n".utf8))
    case .junk, .unreadable, .junkAhead: bytes = Data("{\"f\":\"commit\"}\n".utf8)
    case .empty: bytes = Data()
    case .again: bytes = Data(before.bytes)
    case .torn: bytes = Data(before.bytes.prefix(before.bytes.count / 2))
    default:
      let changes = try changes(kind, in: zone, using: &random)
      guard !changes.isEmpty else { return "nothing there" }
      let device = world.devices.randomElement(using: &random) ?? clock.makeID()
      bytes =
        Commit(
          origin: try log(id, as: author, device: device).origin(), zone: id.name, epoch: epoch,
          sequence: last + 1, previous: before.hash, operations: changes
        ).encoded
    }
    let key = zone.layout.commit(last + (kind == .junkAhead ? 2 : 1), epoch: epoch)
    let outcome = outcome(key, bytes)
    guard outcome == "\(key)" else { return outcome }
    if kind == .unreadable { store.makeUnreadable(key) }
    return "\(key) as \(author)"
  }

  /// Creates a file; its name, or why there is none.
  private func outcome(_ key: StoreKey, _ bytes: Data) -> String {
    switch store.createIfAbsent(key, bytes) {
    case .created: "\(key)"
    case .exists: "exists"
    case .failed(let error), .unknown(let error): error.label
    }
  }

  /// A file of a name that nobody expects.
  private func strange(
    in layout: ZoneLayout, epoch: Int64, using random: inout SplitMix64
  ) -> String {
    let prefixes = layout.all(epoch: epoch) + [layout.stage, layout.zone, layout.epoch(epoch)]
    let names = [
      "README", ".hidden", "1.json", "0000000000000001.json.bak", "9999999999999999.json",
      "\(ContentHash(of: [UInt8(1)]))-01234567",
    ]
    guard let prefix = prefixes.randomElement(using: &random),
      let name = names.randomElement(using: &random)
    else { return "nothing there" }
    let entry = StoreEntry(name: name, byteCount: 0, modified: 0, kind: .file)
    return outcome(StoreKey(prefix, listed: entry), Data("strange".utf8))
  }

  private func log(_ zone: ZoneID, as author: AccountID, device: UUID) throws -> ZoneLog {
    let container = CloudContainer(
      store: store, account: author, device: device, app: "forger", environment: clock.environment)
    try container.open()
    return container.zone(zone)
  }

  // MARK: - Commits

  private func changes(
    _ kind: Kind, in zone: ZoneLog, using random: inout SplitMix64
  ) throws -> [CloudChange] {
    let copies = try CloudImage.copies(in: zone)
    let share = copies[Share.recordName]
    switch kind {
    case .share, .root, .removal:
      guard case .record(let record)? = share?.content, var forged = Share(record) else {
        return []
      }
      change(&forged, kind, using: &random)
      let now = now(using: &random)
      return [.save(forged.record(over: record) { _ in now }, base: share?.tag)]
    case .end:
      return share.map { [deletion(of: $0.name, Share.recordType, over: $0, using: &random)] } ?? []
    case .deletionOfRoot:
      guard let root = share?.share?.root else { return [] }
      return [deletion(of: root, "lists", over: copies[root], using: &random)]
    case .deletion:
      let names = copies.keys.sorted() + world.names
      guard let name = names.randomElement(using: &random) else { return [] }
      let type = RecordName.parsing(name).table
      return [deletion(of: name, type, over: copies[name], using: &random)]
    default:
      return (0..<Int.random(in: 1...3, using: &random)).compactMap { _ in
        save(kind, over: copies, using: &random)
      }.reduce(into: []) { all, next in
        if !all.contains(where: { $0.name == next.name }) { all.append(next) }
      }
    }
  }

  private func change(_ share: inout Share, _ kind: Kind, using random: inout SplitMix64) {
    switch kind {
    case .root:
      share.root =
        world.names.filter { $0.hasSuffix(":lists") }.randomElement(using: &random) ?? share.root
    case .removal:
      for account in world.people where account != self.account {
        share.participants[account] = .init(permission: .none, state: .gone)
      }
    default:
      for account in world.people { share.participants[account] = .init(permission: .write) }
      share.publicPermission = .write
    }
  }

  private func deletion(
    of name: String, _ type: String, over copy: ServerCopy?, using random: inout SplitMix64
  ) -> CloudChange {
    .delete(Tombstone(name: name, type: type, clock: now(using: &random)), base: copy?.tag)
  }

  /// A row with the name of somebody's, or one that is in the zone, below something.
  private func save(
    _ kind: Kind, over copies: [String: ServerCopy], using random: inout SplitMix64
  ) -> CloudChange? {
    let own = copies.keys.sorted().filter { $0 != Share.recordName }
    let names = kind == .move ? own : world.names + own
    let name = RecordName.parsing(names.randomElement(using: &random) ?? "forged:lists")
    let now = now(using: &random)
    var record = CloudRecord(name: name.description, type: name.table, life: now)
    if case .record(let known)? = copies[record.name]?.content, kind == .move { record = known }
    record.fields["title"] = CloudField(.text("Forged"), now)
    let column = ["reminders": "listID", "subtasks": "reminderID"][name.table]
    let parents = own + world.names
    if let column, let parent = parents.randomElement(using: &random).map(RecordName.parsing) {
      record.fields[column] = CloudField(.text(parent.key), now)
      record.parent = Bool.random(using: &random) ? parent.description : record.parent
    }
    return .save(record, base: copies[record.name]?.tag)
  }

  /// Mostly now; sometimes a day ahead, long ago, or the latest there is.
  private func now(using random: inout SplitMix64) -> FieldClock {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: FieldClock(milliseconds: clock.now + 86_400_000, device: 0xbad)
    case 1: FieldClock(milliseconds: 1, device: 0xbad)
    case 2: FieldClock(milliseconds: 4_102_444_800_000, device: 0)
    default: FieldClock(milliseconds: clock.now, device: 0xbad)
    }
  }

  // MARK: - Messages

  private func message(using random: inout SplitMix64) throws -> String {
    let kinds: [ShareMessage.Kind] = [.invitation, .acceptance, .departure]
    guard let kind = kinds.randomElement(using: &random),
      let sender = world.people.randomElement(using: &random),
      let recipient = world.people.randomElement(using: &random),
      let zone = world.zones.randomElement(using: &random)
    else { return "nothing there" }
    let bytes = ShareMessage(kind, sender: sender, zone: zone, title: "Forged").encoded
    let key = CloudLayout.message(
      ContentHash(of: Array(bytes)), number: random.next(), to: recipient)
    return "\(kind) of \(sender) to \(recipient): \(store.createIfAbsent(key, bytes))"
  }
}
