import Foundation
import RemindersTestSupport

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// Somebody who writes to the cloud without our engine: another version, program, an attacker.
struct Stranger {
  private let zone: ZoneLog
  private let clock: TestClock

  /// Somebody who is signed in as an account, and writes to a zone: by default to that account's
  /// own.
  ///
  /// - Parameters:
  ///   - store: The cloud as the Unix user sees it who it really is; nil is the fleet's.
  ///   - device: Which device it says to be; nil is one of its own.
  init(
    _ fleet: Fleet, account: AccountID? = nil, zone: ZoneID? = nil,
    store: (any ObjectStore)? = nil, device: UUID? = nil
  ) throws {
    clock = fleet.clock
    let account = account ?? fleet.account
    let container = CloudContainer(
      store: store ?? fleet.store, account: account, device: device ?? clock.makeID(),
      app: "stranger", environment: clock.environment)
    try container.open()
    self.zone = container.zone(zone ?? ZoneID(name: "default", owner: account))
  }

  /// The clock of an edit made now.
  var now: FieldClock { FieldClock(milliseconds: clock.now, device: 0xbeef) }

  /// Saves a record of a row, over whatever is there; nothing need be true of what it hangs on.
  func save(
    _ table: String, _ key: String, _ values: [String: CloudValue] = [:], type: String? = nil,
    parent: String? = nil
  ) throws {
    clock.advance()
    var record = record(table, key, values, type: type)
    record.parent = parent
    try save(record)
  }

  /// Deletes a row, whether it is there or not, at any time.
  func delete(_ table: String, _ key: String, at clock: FieldClock) throws {
    let name = RecordName(key: key, table: table).description
    // What is not there is not deleted: so it is made first.
    if try tag(name) == nil { try save(table, key) }
    try modify([.delete(Tombstone(name: name, type: table, clock: clock), base: try tag(name))])
  }

  /// Saves many rows in few commits.
  func save(_ table: String, _ keys: [String], _ values: [String: CloudValue]) throws {
    clock.advance()
    var rest = keys[...]
    while !rest.isEmpty {
      let batch = rest.prefix(CloudLimits.operationsPerCommit)
      rest = rest.dropFirst(batch.count)
      try modify(batch.map { .save(record(table, $0, values), base: nil) })
    }
  }

  /// Saves a record as it was, with so many other fields.
  func save(_ record: CloudRecord, with count: Int, named prefix: String) throws {
    clock.advance()
    var record = record
    for number in 0..<count {
      record.fields["\(prefix)\(number)"] = CloudField(.integer(1), now)
    }
    try save(record)
  }

  /// Saves any record.
  func save(_ record: CloudRecord) throws {
    try modify([.save(record, base: try tag(record.name))])
  }

  /// Deletes a row and rows of another table in one commit, the first one first.
  func delete(_ table: String, _ key: String, andOf other: String, _ keys: String...) throws {
    clock.advance()
    let names =
      [RecordName(key: key, table: table)] + keys.map { RecordName(key: $0, table: other) }
    try modify(
      names.map { name in
        .delete(
          Tombstone(name: name.description, type: name.table, clock: now),
          base: try tag(name.description))
      })
  }

  /// Puts any bytes in the place of the next commit, and returns its number.
  func putNextCommit(_ bytes: Data) throws -> Int64 {
    let prefix = ZoneLayout(zone.id).log(epoch: 1)
    let last = try zone.store.list(prefix, after: nil, limit: .max).last
    let number = (last.flatMap { ZoneLayout.number(inFileName: $0.name) } ?? 0) + 1
    _ = zone.store.createIfAbsent(ZoneLayout(zone.id).commit(number, epoch: 1), bytes)
    return number
  }

  /// The cloud's image of a record, if it is there and lives.
  func record(_ name: String) throws -> CloudRecord? {
    guard case .record(let record)? = try copies()[name]?.content else { return nil }
    return record
  }

  /// The names of the living records.
  func names() throws -> Set<String> {
    Set(
      try copies().values.compactMap { copy in
        if case .record(let record) = copy.content { record.name } else { nil }
      })
  }

  private func record(
    _ table: String, _ key: String, _ values: [String: CloudValue], type: String? = nil
  ) -> CloudRecord {
    CloudRecord(
      name: RecordName(key: key, table: table).description, type: type ?? table, life: now,
      fields: values.mapValues { CloudField($0, now) })
  }

  private func tag(_ name: String) throws -> ChangeTag? {
    try copies()[name]?.tag
  }

  private func copies() throws -> [String: ServerCopy] {
    var copies: [String: ServerCopy] = [:]
    var token: ChangeToken?
    while true {
      let known = copies
      let changes = try zone.changes(
        after: token, limit: CloudLimits.commitsPerFetch, view: Self.view(of: known))
      for copy in changes.copies { copies[copy.name] = copy }
      token = changes.token
      if !changes.moreComing { return copies }
    }
  }

  private func modify(_ changes: [CloudChange]) throws {
    let result = try zone.modify(
      changes, after: nil, view: Self.view(of: [:]), atomically: true)
    if let failure = result.failures.values.first { throw failure }
  }

  private static func view(of copies: [String: ServerCopy]) -> ServerView {
    ServerView(
      record: { name in
        copies[name].map { copy in
          switch copy.content {
          case .record(let record):
            RecordState(type: record.type, parent: record.parent, tag: copy.tag)
          case .tombstone(let tombstone):
            RecordState(
              type: tombstone.type, parent: nil, tag: copy.tag, deleted: tombstone.clock)
          }
        }
      },
      children: { parent in
        copies.values.compactMap { copy in
          if case .record(let record) = copy.content, record.parent == parent {
            record.name
          } else {
            nil
          }
        }
      },
      share: { copies[Share.recordName]?.share })
  }
}
