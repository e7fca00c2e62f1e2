import Cloud
import Foundation
import GRDB

/// Sending: batches of the outbox, each in one commit, until the cloud has everything.
extension Synchronizer {
  /// Sends what the cloud does not have yet.
  ///
  /// Returns whether anything was sent.
  @discardableResult
  func sendChanges() throws -> Bool {
    emit(.willSendChanges)
    defer { emit(.didSendChanges) }
    var anything = false
    var fullFetches = 0
    while !shouldStop() {
      // What to send is known only when the zone is known whole.
      let position = try database.read(ZonePosition.init)
      guard position.fullFetch == nil else {
        try fetchChanges()
        continue
      }
      do {
        guard try hasLocalChanges(), try sendBatch(at: position) else { break }
        anything = true
      } catch let error as CloudError where FullFetch(after: error.code) != nil {
        fullFetches += 1
        guard fullFetches <= Self.fullFetchesAtOnce else { throw error }
        try beginFullFetch(after: error, at: position)
      }
    }
    return anything
  }

  private func sendBatch(at position: ZonePosition) throws -> Bool {
    let batch = try write { db in
      try BatchBuilder(
        db: db, tables: tables, now: configuration.now(), limit: batchLimit
      ).next()
    }
    guard !batch.items.isEmpty else { return false }
    emit(.nextRecordZoneChangeBatch(batch.items.map(\.event)))
    let (items, refused) = try publishAssets(of: batch.items)
    let result: ModifyResult
    do {
      result = try zone.modify(
        items.map(\.change), after: position.token, view: view(at: position), atomically: true)
    } catch let error as CloudError where error.code == .limitExceeded && items.count > 1 {
      // The estimate was too low: a text can grow when it is written as JSON.
      batchLimit = items.count / 2
      return true
    }
    let failures = result.failures.merging(refused) { $1 }
    try apply(result.changes, sent: batch.items, failures: failures)
    report(batch.items, failures: failures)
    return true
  }

  private func report(_ items: [OutgoingBatch.Item], failures: [String: CloudError]) {
    let taken = items.filter { failures[$0.name] == nil }
    sentCount += taken.count
    emit(
      .sentRecordZoneChanges(
        saved: taken.filter { !$0.isDeletion }.map(\.event.record),
        deleted: taken.filter(\.isDeletion).map(\.event.record),
        failed: items.compactMap { item in
          failures[item.name].map {
            SyncEvent.Failure(
              record: item.event.record, isDeletion: item.isDeletion, error: $0)
          }
        }))
  }

  /// Deletions of what the cloud never had are not committed, so no copy of them comes back.
  func forgetNeedless(
    _ sent: [OutgoingBatch.Item], changes: ZoneChanges, failures: [String: CloudError],
    in db: Database
  ) throws {
    let committed = Set(changes.copies.map(\.name))
    let store = MetadataStore(db: db)
    for item in sent where item.isDeletion && failures[item.name] == nil {
      guard !committed.contains(item.name), try store.record(id: item.recordID)?.tag == nil,
        try store.pending(of: item.recordID)?.kind == .delete
      else { continue }
      try store.forget(id: item.recordID)
    }
  }

  /// Writes down why changes were not taken, and when they are to be tried again.
  func note(
    _ failures: [String: CloudError], of sent: [OutgoingBatch.Item], in db: Database
  ) throws {
    let now = configuration.now()
    for item in sent {
      guard let error = failures[item.name] else { continue }
      if item.isDeletion, error.code == .invalidArguments {
        // What the cloud refuses to name it cannot have.
        try MetadataStore(db: db).forget(id: item.recordID)
        continue
      }
      switch SendFailures.disposition(of: error.code, batchCount: sent.count) {
      case .retryNow: continue
      case .splitBatch: batchLimit = max(1, min(batchLimit, sent.count) / 2)
      case .fetchWhole, .backOffEngine: throw error
      case .retryOnce: try postpone(item, error, in: db) { $0 == 1 ? now : now + backOff($0) }
      case .publishAgain:
        try publishAgain(item, in: db)
        try postpone(item, error, in: db) { $0 == 1 ? now : now + backOff($0) }
      case .retryLater: try postpone(item, error, in: db) { now + backOff($0) }
      case .hold: try postpone(item, error, in: db) { _ in now + SendFailures.holdMilliseconds }
      }
    }
    if failures.isEmpty { batchLimit = CloudLimits.operationsPerCommit }
  }

  /// Notes the error; `next` says when to try again, given the number of attempts so far.
  private func postpone(
    _ item: OutgoingBatch.Item, _ error: CloudError, in db: Database, until next: (Int) -> Int64
  ) throws {
    let before = try Int.fetchOne(
      db, sql: "SELECT attempts FROM sync_pending WHERE recordID = ?", arguments: [item.recordID])
    // The merge may have made the change needless.
    guard let attempts = before.map({ $0 + 1 }) else { return }
    try db.execute(
      sql: "UPDATE sync_pending SET attempts = ?, nextAttempt = ?, error = ? WHERE recordID = ?",
      arguments: [attempts, next(attempts), error.description, item.recordID])
  }
}
