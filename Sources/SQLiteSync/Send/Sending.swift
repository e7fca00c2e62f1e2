import Foundation
import GRDB
import SQLiteSyncCloud

/// Sending: batches of the outbox, each in one commit, until the cloud has everything.
extension Synchronizer {
  /// Sends what the cloud does not have yet.
  func sendChanges() throws {
    beginWork()
    emit(.willSendChanges(occasion))
    defer {
      emit(.didSendChanges)
      endWork()
    }
    try refuseShadows()
    try settleRivals()
    if let willSend = configuration.willSend, try hasLocalChanges() { try write(willSend) }
    try nameDevice()
    // By the hash of the names: a first upload has many.
    var attempts: [Int: Int] = [:]
    let failure = try failureOfOneZone {
      _ = try inEveryZone(isReading: false) { try sendChanges(to: $0, &attempts) }
    }
    if !shouldStop() {
      try revertReadOnly()
      try protectZones()
      try sendMail()
      try deleteClosedZones()
    }
    try settleAssetFailures()
    if let failure { throw failure }
  }

  /// Does some work in the zones, and returns what is the matter with one of them: the rest is done
  /// all the same.
  func failureOfOneZone(_ work: () throws -> Void) throws -> CloudError? {
    do {
      try work()
      return nil
    } catch let error as CloudError where error.concernsOneZone {
      return error
    }
  }

  /// Tells the account's other devices what this one is called, with the next change: a name alone
  /// makes no commit.
  private func nameDevice() throws {
    guard scopeOfWork == .all || scopeOfWork == .unshared,
      let name = container.deviceName.flatMap(DeviceNames.cleaned), try hasLocalChanges()
    else { return }
    let device = container.device
    guard try database.readSnapshot({ try DeviceNames(db: $0).name(of: device) }) != name
    else { return }
    try write { try DeviceNames(db: $0).set(name, of: device) }
  }

  /// How often a batch of the same records is tried: the cloud takes nothing of it, or takes it and
  /// the outbox is no emptier.
  ///
  /// Then the next round tries again: neither whoever forges copies nor what is damaged here must
  /// bring about a sync without end.
  private static let attemptsAtOnce = 20

  /// Sends what one zone does not have yet; returns whether it may have more to send.
  ///
  /// - Parameters:
  ///   - zone: The zone.
  ///   - attempts: How often which batches were tried.
  private func sendChanges(to zone: SyncZone, _ attempts: inout [Int: Int]) throws -> Bool {
    guard zone.access != .read else { return false }
    var anything = false
    var fullFetches = 0
    // After how many folds the outbox was placed; nil when records of others came since. To place
    // all of a long one again for each batch would be work for its square.
    var placed: Int?
    defer { progress = nil }
    while try !shouldStop() && isFollowed(zone) {
      // What to send is known only when the zone is known whole.
      let position = try position(in: zone)
      guard position.fullFetch == nil else {
        try fetchChanges()
        placed = nil
        guard try self.position(in: zone).fullFetch == nil else { break }
        continue
      }
      do {
        guard try hasLocalChanges() else { break }
        guard let names = try sendBatch(to: zone, at: position, &placed) else { break }
        let batch = ([zone.log.id.path] + names).hashValue
        attempts[batch, default: 0] += 1
        guard attempts[batch, default: 0] < Self.attemptsAtOnce else { return false }
        anything = true
      } catch let error as CloudError where FullFetch(after: error.code) != nil {
        fullFetches += 1
        guard fullFetches <= Self.fullFetchesAtOnce else { throw error }
        try beginFullFetch(of: zone, after: error, at: position)
      }
    }
    return anything
  }

  /// Sends the next changes of a zone; returns of which records, and nil when there are none.
  func sendBatch(
    to zone: SyncZone, at position: ZonePosition, _ placed: inout Int?
  ) throws -> [String]? {
    var folds = 0
    let batch = try write { db in
      folds = foldCount
      guard try !Following.departures(in: db).contains(where: { $0.id == zone.id }) else {
        return OutgoingBatch()
      }
      if placed != foldCount {
        try Placement(db: db, tables: tables, now: configuration.now()).placePending()
        placed = foldCount
      }
      let batch = try BatchBuilder(
        db: db, tables: tables, zoneID: zone.id, now: configuration.now(), limit: batchLimit
      ).next()
      for item in batch.unsendable { try hold(item.recordID, item.error, in: db) }
      return batch
    }
    if !batch.unsendable.isEmpty { report(batch.unsendable, in: zone) }
    guard !batch.items.isEmpty else {
      guard batch.unsendable.isEmpty else { return batch.unsendable.map(\.record.name) }
      if let refusal = batch.refusedShare { throw refusal }
      return nil
    }
    let names = batch.items.map(\.name)
    emit(.nextRecordZoneChangeBatch(batch.items.map(\.event), zone: event(of: zone)))
    let (items, refused) = try publishAssets(of: batch.items, in: zone)
    let result: (failures: [String: CloudError], changes: ZoneChanges)
    do {
      result = try zone.modify(
        items.map(\.change), after: position.token, view: view(at: position))
    } catch let error as CloudError where error.code == .limitExceeded && items.count > 1 {
      // The estimate was too low: a text can grow when it is written as JSON.
      batchLimit = items.count / 2
      return names
    }
    let failures = result.failures.merging(refused) { $1 }
    guard
      let applied = try apply(
        result.changes, of: zone, from: position, sent: batch.items, builtAfter: folds,
        failures: failures)
    else { return names }
    report(batch.items, failures: failures, in: zone)
    if batch.items.contains(where: { $0.kind == .staleCopy && failures[$0.name] == nil }) {
      // What was refused because that was below it.
      try write { try Outbox(db: $0).retryNow(inZone: zone.id) }
    }
    let touched =
      result.changes.copies.map(\.name)
      + (applied.modified + applied.deleted + applied.revived).map(\.name)
    if !failures.isEmpty || !Set(names).isSuperset(of: touched) { placed = nil }
    if batch.items.count >= batchLimit { try advance(bySent: batch.items.count) }
    return names
  }

  private func report(_ unsendable: [OutgoingBatch.Unsendable], in zone: SyncZone) {
    emit(
      .sentRecordZoneChanges(
        saved: [], deleted: [],
        failed: unsendable.map {
          SyncEvent.Failure(record: $0.record, isDeletion: false, error: $0.error)
        }, zone: event(of: zone)))
  }

  private func report(
    _ items: [OutgoingBatch.Item], failures: [String: CloudError], in zone: SyncZone
  ) {
    let taken = items.filter { failures[$0.name] == nil }
    sentCount += taken.count { !$0.event.record.isDeviceName }
    emit(
      .sentRecordZoneChanges(
        saved: taken.filter { !$0.isDeletion }.map(\.event.record),
        deleted: taken.filter(\.isDeletion).map(\.event.record),
        failed: items.compactMap { item in
          failures[item.name].map {
            SyncEvent.Failure(
              record: item.event.record, isDeletion: item.isDeletion, error: $0)
          }
        }, zone: event(of: zone)))
  }

  /// Deletions of what the cloud never had are not committed, so no copy of them comes back.
  func forgetNeedless(
    _ sent: [OutgoingBatch.Item], to zone: SyncZone, changes: ZoneChanges,
    failures: [String: CloudError], in db: Database
  ) throws {
    let committed = Set(changes.copies.map(\.name))
    let store = MetadataStore(db: db)
    for item in sent where item.isDeletion && failures[item.name] == nil {
      guard !committed.contains(item.name) else { continue }
      if item.kind == .staleCopy {
        try StaleCopies(db: db).forget(recordID: item.recordID, in: zone.id)
      } else if try store.record(id: item.recordID)?.tag == nil,
        try store.outbox.change(of: item.recordID)?.kind == .delete
      {
        try store.forget(id: item.recordID)
      }
    }
  }

  /// Writes down why changes were not taken, and when they are to be tried again.
  func note(
    _ failures: [String: CloudError], of sent: [OutgoingBatch.Item], to zone: SyncZone,
    in db: Database
  ) throws {
    let (now, outbox) = (configuration.now(), Outbox(db: db))
    for item in sent {
      guard let error = failures[item.name] else { continue }
      guard item.kind == .edit else {
        try note(error, ofOther: item, of: zone, in: db)
        continue
      }
      if item.isDeletion, error.code == .invalidArguments {
        // What the cloud refuses to name it cannot have.
        try MetadataStore(db: db).forget(id: item.recordID)
        continue
      }
      switch SendFailures.disposition(of: error.code, batchCount: sent.count) {
      case .retryNow: continue
      case .splitBatch: batchLimit = max(1, min(batchLimit, sent.count) / 2)
      case .fetchWhole, .backOffEngine: throw error
      case .retryOnce:
        try outbox.postpone(item.recordID, error) { $0 == 1 ? now : now + backOff($0) }
        try outbox.countAsHeld(item.recordID, afterAttempts: 2)
      case .publishAgain:
        try publishAgain(item, in: db)
        try outbox.postpone(item.recordID, error) { $0 == 1 ? now : now + backOff($0) }
      case .retryLater: try outbox.postpone(item.recordID, error) { now + backOff($0) }
      case .hold: try hold(item.recordID, error, in: db)
      }
    }
    if failures.isEmpty { batchLimit = CloudLimits.operationsPerCommit }
  }

  /// A stale copy that cannot be deleted is tried again later; without its share a zone cannot be
  /// sent to.
  private func note(
    _ error: CloudError, ofOther item: OutgoingBatch.Item, of zone: SyncZone, in db: Database
  ) throws {
    switch SendFailures.disposition(of: error.code, batchCount: 1) {
    case .retryNow: break
    case .fetchWhole, .backOffEngine: throw error
    case .retryOnce, .publishAgain, .retryLater, .hold, .splitBatch:
      guard item.kind == .staleCopy else { throw error }
      try StaleCopies(db: db).postpone(recordID: item.recordID, in: zone.id) {
        configuration.now() + backOff($0)
      }
      guard error.code == .referenceViolation, let table = tables[item.type],
        let record = try MetadataStore(db: db).record(id: item.recordID)
      else { return }
      let placement = Placement(db: db, tables: tables, now: configuration.now())
      // What depends on it there may have come here after it moved, or after it was deleted.
      if record.isAlive {
        try placement.placeBelow(table, key: record.key)
      } else {
        try placement.moveBack(record, id: item.recordID, to: zone.id)
      }
    }
  }

  /// Keeps a change that only a person can mend, and counts it as not synchronized.
  func hold(_ recordID: Int64, _ error: CloudError, in db: Database) throws {
    let next = configuration.now() + SendFailures.holdMilliseconds
    try Outbox(db: db).hold(recordID, error, until: next)
  }
}
