import Foundation
import RemindersTestSupport
import Synchronization

@testable import SQLiteSyncCloud

/// A cloud over a store, with devices whose clock, ids and random numbers are the test's.
struct CloudFixture {
  static let ann = ownAccount("ann")

  let store: any ObjectStore
  let clock: TestTime
  let container: CloudContainer
  let log: ZoneLog
  let device: Device

  init(
    over store: any ObjectStore = MemoryStore(), seed: UInt64 = 1, clock: TestTime = TestTime(),
    zone: String = "test"
  ) throws {
    self.store = store
    self.clock = clock
    container = CloudContainer(
      store: store, account: Self.ann, device: UUID(seed), app: "test 1",
      environment: .deterministic(seed: seed, clock: clock))
    try container.open()
    log = container.zone(ZoneID(name: zone, owner: Self.ann))
    device = Device(log)
  }

  /// Another device of the same account on the same cloud, with its zone created.
  func other(_ seed: UInt64 = 2) throws -> CloudFixture {
    try CloudFixture(over: store, seed: seed, clock: clock, zone: log.id.name)
  }
}

func ownAccount(_ name: String) -> AccountID {
  guard let account = AccountID(name: name) else { preconditionFailure("not a name: \(name)") }
  return account
}

/// What an engine keeps of a zone: the copies and the token, as rows would hold them.
final class Device {
  let log: ZoneLog
  private(set) var copies: [String: ServerCopy] = [:]
  var token: ChangeToken?
  private(set) var voided = 0

  init(_ log: ZoneLog) {
    self.log = log
  }

  var view: ServerView {
    ServerView(
      record: { name in self.copies[name].map { RecordState($0) } },
      children: { parent in
        self.copies.values.compactMap { copy in
          if case .record(let record) = copy.content, record.parent == parent {
            record.name
          } else {
            nil
          }
        }
      },
      share: { self.copies[Share.recordName]?.share })
  }

  /// The living records.
  var records: [String: CloudRecord] {
    copies.compactMapValues { copy in
      if case .record(let record) = copy.content { record } else { nil }
    }
  }

  func tag(_ name: String) -> ChangeTag? {
    copies[name]?.tag
  }

  @discardableResult
  func fetch(limit: Int = CloudLimits.commitsPerFetch) throws -> ZoneChanges {
    while true {
      let changes = try log.changes(after: token, limit: limit, view: view)
      apply(changes)
      if !changes.moreComing { return changes }
    }
  }

  @discardableResult
  func modify(_ changes: [CloudChange], atomically: Bool = false) throws -> ModifyResult {
    let result = try log.modify(changes, after: token, view: view, atomically: atomically)
    apply(result.changes)
    return result
  }

  func apply(_ changes: ZoneChanges) {
    for copy in changes.copies { copies[copy.name] = copy }
    voided += changes.voids.count
    token = changes.token
  }

  /// Saves a record with one field over the version that the device has seen.
  @discardableResult
  func save(_ name: String, _ value: String, parent: String? = nil, at clock: Int64 = 1) throws
    -> ModifyResult
  {
    try modify([.save(.test(name, value, parent: parent, at: clock), base: tag(name))])
  }

  @discardableResult
  func delete(_ name: String, at clock: Int64 = TestTime.beginning) throws -> ModifyResult {
    try modify([.delete(.test(name, at: clock), base: tag(name))])
  }
}

extension CloudRecord {
  static func test(
    _ name: String, _ value: String = "", parent: String? = nil, at clock: Int64 = 1
  ) -> CloudRecord {
    let clock = FieldClock(milliseconds: clock, device: 7)
    return CloudRecord(
      name: name, type: "t", parent: parent, life: clock,
      fields: ["title": CloudField(.text(value), clock)])
  }
}

extension Tombstone {
  static func test(_ name: String, at clock: Int64 = TestTime.beginning) -> Tombstone {
    Tombstone(name: name, type: "t", clock: FieldClock(milliseconds: clock, device: 7))
  }
}

/// A clock that the test moves.
final class TestTime: Sendable {
  /// A day in November 2023.
  static let beginning: Int64 = 1_700_000_000_000

  private let milliseconds = Mutex(beginning)

  var now: Int64 { milliseconds.withLock { $0 } }

  func advance(hours: Int64) {
    milliseconds.withLock { $0 += hours * 3_600_000 }
  }
}

extension CloudEnvironment {
  /// Everything from a seed; pauses take no time.
  static func deterministic(seed: UInt64, clock: TestTime) -> CloudEnvironment {
    let random = Mutex(SplitMix64(seed: seed))
    return CloudEnvironment(
      now: { clock.now },
      makeID: { UUID(random.withLock { $0.next() }) },
      random: { random.withLock { $0.next() } },
      pause: { _ in })
  }
}
