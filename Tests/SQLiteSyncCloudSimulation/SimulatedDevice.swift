import Foundation
import RemindersTestSupport

@testable import SQLiteSyncCloud

/// A device of a schedule: the production log, and the least engine that can use it.
final class SimulatedDevice {
  private static let account = AccountID(userID: 1000)

  /// What is in its database: survives its death.
  struct Saved {
    /// The rows: as they are on the device.
    var rows: [String: CloudChange.Content] = [:]
    /// The last known records, and the position at which they were the cloud's.
    var copies: [String: ServerCopy] = [:]
    var token: ChangeToken?
    /// What was fetched so far since the token expired.
    var refetch: Refetch?
    var cloudID: String?
  }

  enum Work {
    case fetch, send, maintain
  }

  struct Refetch {
    var copies: [String: ServerCopy] = [:]
    var token: ChangeToken?
  }

  let number: Int
  let skew: Int64
  unowned let schedule: Schedule
  private(set) var saved = Saved()
  private var isDead = false
  private(set) var work = Work.fetch
  private var store: SimulatedStore?
  private var openLog: ZoneLog?
  private let worker: Worker
  /// The calls until the work stalls; nil when it runs through.
  private var callsUntilStall: Int?

  init(number: Int, skew: Int64, worker: Worker, schedule: Schedule) {
    self.number = number
    self.skew = skew
    self.worker = worker
    self.schedule = schedule
  }

  // MARK: Life

  var isStalled: Bool { worker.isStalled }

  /// The process dies: its work ends at the next call, and what it remembers is lost.
  func die() {
    isDead = true
    openLog = nil
    while isStalled { resume(callsUntilStall: nil) }
    isDead = false
  }

  /// Does some work, which stalls after a number of calls, or runs through.
  func begin(stallAfter calls: Int?, _ work: @escaping (SimulatedDevice) throws -> Void) {
    callsUntilStall = calls
    guard calls != nil else { return run(work) }
    worker.start { [unowned self] in run(work) }
  }

  func resume(callsUntilStall calls: Int?) {
    callsUntilStall = calls
    worker.resume()
  }

  /// Stalls when it is time; returns whether the process lives.
  func mayCall() -> Bool {
    if let calls = callsUntilStall {
      callsUntilStall = calls - 1
      if calls <= 0 { worker.stall() }
    }
    return !isDead
  }

  private func run(_ work: (SimulatedDevice) throws -> Void) {
    store?.lies.workBegins()
    do {
      try work(self)
    } catch let error as CloudError {
      schedule.failed(error, on: self)
    } catch {
      schedule.ledger.violate("an error of another type: \(error)")
    }
  }

  private func log() throws -> ZoneLog {
    if let openLog { return openLog }
    let store = SimulatedStore(device: self, schedule: schedule)
    let container = CloudContainer(
      store: store, account: Self.account, device: UUID(UInt64(number)), app: "simulation",
      environment: store.environment)
    self.store = store
    let id = try container.open(expecting: saved.cloudID)
    if isDead { throw SimulatedStore.dead }
    if let known = saved.cloudID, known != id { schedule.ledger.violate("another cloud") }
    saved.cloudID = id
    let log = container.zone(ZoneID(name: "test", owner: Self.account))
    try log.create()
    openLog = log
    return log
  }

  // MARK: Work

  /// Fetches until there is nothing more.
  func fetch() throws {
    let log = try log()
    work = .fetch
    var isMore = true
    var attempts = 0
    while isMore, attempts < 3 {
      let refetch = saved.refetch
      let copies = refetch?.copies ?? saved.copies
      do {
        let changes = try log.changes(
          after: refetch == nil ? saved.token : refetch?.token, limit: 3, view: view(copies))
        guard !isDead else { return }
        apply(changes)
        isMore = changes.moreComing
      } catch let error as CloudError where error == .tokenExpired {
        guard !isDead else { return }
        attempts += 1
        schedule.ledger.mark(pending.isEmpty ? .expired : .expiredWithUnsentEdit)
        saved.refetch = Refetch()
      }
    }
  }

  /// Fetches and sends, and again as long as the cloud has news.
  func synchronize() throws {
    try fetch()
    for _ in 0..<4 where !isDead {
      let changes = pending
      guard !changes.isEmpty else { return }
      guard try send(changes) else { return try fetch() }
    }
  }

  /// Sends; returns whether the token still stands.
  private func send(_ changes: [CloudChange]) throws -> Bool {
    let log = try log()
    let before = saved.token
    work = .send
    do {
      let result = try log.modify(
        changes, after: saved.token, view: view(saved.copies), atomically: false)
      guard !isDead else { return true }
      apply(result.changes)
      for change in changes where result.failures[change.name] == nil {
        acknowledge(change)
      }
      return true
    } catch let error as CloudError where error == .tokenExpired {
      guard !isDead else { return true }
      if before != nil { schedule.ledger.mark(.writerExpired) }
      schedule.ledger.mark(.expiredWithUnsentEdit)
      saved.refetch = Refetch()
      return false
    }
  }

  func maintain() throws {
    let log = try log()
    work = .maintain
    let report = try log.maintain(schedule.policy)
    if report.checkpoint != nil { schedule.ledger.mark(.compaction) }
  }

  // MARK: The engine's rules

  /// Where it stands, also while it fetches everything again.
  var position: ChangeToken? { saved.refetch == nil ? saved.token : saved.refetch?.token }

  private func view(_ copies: [String: ServerCopy]) -> ServerView {
    ServerView(record: { name in copies[name].map { RecordState($0) } }, children: { _ in [] })
  }

  /// What the cloud does not have yet.
  var pending: [CloudChange] {
    guard saved.refetch == nil else { return [] }
    return saved.rows.sorted { $0.key < $1.key }.compactMap { name, row in
      let copy = saved.copies[name]
      switch (row, copy?.content) {
      case (.record(let own), .record(let known)?) where own == known: return nil
      case (.record(let own), _): return .save(own, base: copy?.tag)
      case (.tombstone(let own), .tombstone(let known)?) where own.clock <= known.clock:
        return nil
      case (.tombstone(let own), _): return .delete(own, base: copy?.tag)
      }
    }
  }

  private func acknowledge(_ change: CloudChange) {
    guard case .delete(let tombstone, _) = change,
      saved.rows[tombstone.name] == .tombstone(tombstone)
    else { return }
    if case .record? = saved.copies[tombstone.name]?.content {
      schedule.ledger.violate("\(number): the cloud said that \(tombstone.name) is deleted")
    }
    saved.rows[tombstone.name] = nil
  }

  /// Brings in what was read, and the token with it: one transaction.
  private func apply(_ changes: ZoneChanges) {
    schedule.ledger.read(changes, by: self)
    if var refetch = saved.refetch {
      for copy in changes.copies { refetch.copies[copy.name] = copy }
      refetch.token = changes.token
      saved.refetch = refetch
      if !changes.moreComing { finish(refetch) }
      return
    }
    for copy in changes.copies { bring(copy) }
    saved.token = changes.token
  }

  /// Everything is here again: what was known and is not there any more was deleted.
  private func finish(_ refetch: Refetch) {
    schedule.ledger.mark(.refetched)
    saved.refetch = nil
    saved.token = refetch.token
    for (name, known) in saved.copies where refetch.copies[name] == nil {
      if case .record(let record) = known.content, saved.rows[name] == .record(record),
        !schedule.bugs.contains(.noReconciliation)
      {
        saved.rows[name] = nil
        schedule.ledger.mark(.reconciled)
      }
      saved.copies[name] = nil
    }
    for copy in refetch.copies.values { bring(copy) }
  }

  /// Merges the cloud's version of a record with the row.
  private func bring(_ copy: ServerCopy) {
    let name = copy.name
    let known = saved.copies[name]?.content
    saved.copies[name] = copy
    switch (saved.rows[name], copy.content) {
    case (nil, .record(let record)): saved.rows[name] = .record(record)
    case (nil, .tombstone): break
    case (.record(let row)?, .record(let record)):
      saved.rows[name] = .record(merge(row, record, known: known))
    case (.record(let row)?, .tombstone(let tombstone)):
      if row.latestClock <= tombstone.clock { saved.rows[name] = nil }
    case (.tombstone(let row)?, .record(let record)):
      if record.latestClock > row.clock { saved.rows[name] = .record(record) }
    case (.tombstone(let row)?, .tombstone(let tombstone)):
      if row.clock <= tombstone.clock { saved.rows[name] = nil }
    }
  }

  /// The cloud's version with the edits that it does not have: of two the greater clock wins, of
  /// equal ones ours, since its commit is yet to come.
  private func merge(
    _ row: CloudRecord, _ record: CloudRecord, known: CloudChange.Content?
  ) -> CloudRecord {
    var sent: CloudRecord?
    if case .record(let record)? = known { sent = record }
    let earlierWins = schedule.bugs.contains(.earlierWins)
    var merged = record
    if row.life != sent?.life { merged.life = max(row.life, record.life) }
    for (name, own) in row.fields {
      let other = record.fields[name]
      let isUnsent = sent?.fields[name] != own
      let isTie = own.clock == other?.clock
      let isKept =
        isUnsent
        ? other.map { own.clock > $0.clock } ?? true || isTie && !earlierWins
        : isTie && earlierWins
      if isKept { merged.fields[name] = own }
    }
    return merged
  }

  // MARK: Edits

  /// Writes a field, and the record with it when there is none.
  func write(_ name: String, field: String, value: Int64, at time: Int64) {
    var record: CloudRecord
    if case .record(let row)? = saved.rows[name] {
      record = row
    } else {
      var last = FieldClock.zero
      if case .tombstone(let row)? = saved.rows[name] { last = row.clock }
      if case .tombstone(let known)? = saved.copies[name]?.content {
        last = max(last, known.clock)
      }
      record = CloudRecord(name: name, type: "t", life: clock(after: last, at: time))
    }
    let last = record.fields[field]?.clock ?? record.life
    record.fields[field] = CloudField(.integer(value), clock(after: last, at: time))
    saved.rows[name] = .record(record)
    schedule.ledger.wrote(record, field: field, on: self)
  }

  func delete(_ name: String, at time: Int64) {
    guard case .record(let row)? = saved.rows[name] else { return }
    let tombstone = Tombstone(
      name: name, type: "t", clock: clock(after: row.latestClock, at: time))
    saved.rows[name] = .tombstone(tombstone)
    if case .tombstone(let known)? = saved.copies[name]?.content, known.clock >= tombstone.clock {
      saved.rows[name] = nil
    }
    schedule.ledger.deleted(tombstone)
  }

  private func clock(after last: FieldClock, at time: Int64) -> FieldClock {
    let device = UInt16(number)
    return schedule.bugs.contains(.wallClock)
      ? FieldClock(milliseconds: time, device: device)
      : last.edited(atMilliseconds: time, device: device)
  }
}

extension CloudChange {
  /// A row, or what is left of it.
  typealias Content = ServerCopy.Content
}
