import Foundation
import GRDB
import SQLiteSyncCloud

/// Fetching: pages of each zone, each applied in one transaction with its change token.
extension Synchronizer {
  /// Records that are dealt with in one transaction at the end of a full fetch.
  private static let recordsPerReconciliation = 2_000

  /// How often a full fetch is begun again before it is left to the next time.
  static let fullFetchesAtOnce = 3

  /// Fetches and applies what is new.
  ///
  /// Returns whether anything was.
  @discardableResult
  func fetchChanges() throws -> Bool {
    beginWork()
    emit(.willFetchChanges(occasion))
    defer {
      emit(.didFetchChanges)
      endWork()
    }
    try refuseShadows()
    try settleRivals()
    try say(reviveParents())
    try readMail()
    var quiet: Set<Int64> = []
    let isNew = try inEveryZone(isReading: true) { zone in
      quiet.remove(zone.id)
      let (isNew, isAtEnd) = try fetchChanges(of: zone)
      if isAtEnd, !isNew { quiet.insert(zone.id) }
      return isNew
    }
    // Not when it was cut short: what is missing here may be in the rest.
    if try quiet.isSuperset(of: zones().map(\.id)) { try settleZones() }
    try retryRefused()
    try fetchAssets()
    try settleAssetFailures()
    return isNew
  }

  /// Looks into what lost to rows that were edited or deleted here since.
  func settleRivals() throws {
    try foldEdits()
    guard try database.readSnapshot({ try !Quarantine(db: $0).contenders().isEmpty }) else {
      return
    }
    say(try applying { _ in })
  }

  /// Does some work in each zone until a round over all of them brings nothing new.
  ///
  /// A zone's failure does not stop the others' work; it is thrown in the end. Returns whether
  /// there was anything to do.
  ///
  /// - Parameter isReading: Whether the work only reads: who may not write any more may read still.
  func inEveryZone(isReading: Bool, _ work: (SyncZone) throws -> Bool) throws -> Bool {
    var anything = false
    var isQuiet = false
    repeat {
      try followShares()
      if isReading { try takeArrived() }
      let zones = try zones()
      zoneFailures.forgetAll(but: zones)
      var failure: (any Error)?
      var isNew = false
      let now = configuration.now()
      for zone in try zonesInScope(zones)
      where !(leavesFailures && zoneFailures.isWaiting(zone, at: now)) {
        // Those of this account that it has just heard of are read before those of others.
        if isNew, failure == nil, zone.access != .owner, try hasMoreOwnZones(than: zones) { break }
        do {
          if try work(zone) { isNew = true }
          if isReading { zoneFailures.forget(zone) }
        } catch let error as CloudError {
          let isOver = isReading || error.code != .permissionFailure
          if try isOver && endShare(of: zone, after: error) {
            isNew = true
          } else if try !isAwaited(zone, after: error) {
            zoneFailures.note(error, of: zone) { now + backOff($0) }
            failure = failure ?? error
          }
        }
      }
      if let failure { throw failure }
      anything = anything || isNew
      // What one zone brings can be something to do for another.
      try followShares()
      isQuiet = try !isNew || zones.count == 1 && self.zones().count == 1
    } while !isQuiet && !shouldStop()
    return anything
  }

  /// Takes what is held and belongs where it is since a zone ended, before another zone has
  /// something else to say about it.
  private func takeArrived() throws {
    do {
      try takeHeld(includingMovedAway: false)
    } catch is CloudError {
      // Reading that zone finds the same, and says what follows from it.
    }
  }

  private func hasMoreOwnZones(than zones: [SyncZone]) throws -> Bool {
    try followShares()
    let known = Set(zones.map(\.id))
    return try self.zones().contains { $0.access == .owner && !known.contains($0.id) }
  }

  /// Fetches what is new in one zone, to its end unless the engine is to stop.
  private func fetchChanges(of zone: SyncZone) throws -> (isNew: Bool, isAtEnd: Bool) {
    var isNew = false
    var (pages, bytes, fullFetches) = (0, 0, 0)
    let next = NextPage()
    defer { progress = nil }
    while try !shouldStop() && isFollowed(zone) {
      let position = try position(in: zone)
      let changes: ZoneChanges
      do {
        changes = try zone.changes(
          after: position.token, limit: configuration.pageLimit,
          view: view(at: position), readingAhead: next)
      } catch let error as CloudError {
        fullFetches += 1
        guard fullFetches <= Self.fullFetchesAtOnce else { throw error }
        try beginFullFetch(of: zone, after: error, at: position)
        continue
      }
      if changes.token != position.token || !changes.copies.isEmpty {
        guard try apply(changes, of: zone, from: position) != nil else {
          fullFetches += 1
          // Its reason is thrown when everything else is done.
          guard fullFetches <= Self.fullFetchesAtOnce else { return (true, false) }
          continue
        }
        fetchedCount += changes.copies.count { !$0.isDeviceName }
        isNew = true
      }
      if changes.moreComing {
        (pages, bytes) = (pages + 1, bytes + changes.byteCount)
        advance(zone, to: changes, pages: pages, bytes: bytes)
        continue
      }
      if let fullFetch = position.fullFetch { try end(fullFetch, of: zone) }
      return (isNew, true)
    }
    return (isNew, false)
  }

  /// Whether the device keeps in step with a zone still.
  ///
  /// What was read of another zone may have ended it since it was listed. It has no position to
  /// store any more, so reading it would begin again for ever.
  func isFollowed(_ zone: SyncZone) throws -> Bool {
    try database.readSnapshot { try Zones(db: $0).exists(zone.id) }
  }

  /// How far a zone was fetched.
  func position(in zone: SyncZone) throws -> ZonePosition {
    try database.readSnapshot { try ZonePosition(in: $0, zone: zone.id) }
  }

  /// Goes back to the beginning of the zone, if that is what an error asks for; else throws it.
  ///
  /// A zone that is not there any more is made again first.
  func beginFullFetch(
    of zone: SyncZone, after error: CloudError, at position: ZonePosition
  ) throws {
    guard let fullFetch = FullFetch(after: error.code) else { throw error }
    let isHere = try zone.log.exists()
    // It ended since, and the next answer says so.
    if !isHere, error.code == .changeTokenExpired { return }
    // One that is shared ends with its zone.
    guard isHere || zone.id == SyncZone.defaultID || zone.isNew(error, account: container.account)
    else { throw error }
    // From the beginning there is nowhere to go back to. But the beginning may be another since:
    // somebody has folded the log and removed what was being read.
    guard position.token != nil || !isHere || fullFetch == .expired else { throw error }
    try createZone(zone)
    if fullFetch == .rebuilt, isHere { try takeRemains(of: zone, at: position) }
    try begin(fullFetch, of: zone, at: position)
    emit(
      .fetchedDatabaseChanges(
        zone: zone.log.id.name, owner: zone.log.id.owner.description,
        change: error.code == .userDeletedZone
          ? .deleted : fullFetch == .expired ? .expired : .rebuilt))
  }

  private func begin(_ fullFetch: FullFetch, of zone: SyncZone, at position: ZonePosition) throws {
    protected[zone.id] = nil
    var position = position
    position.begin(fullFetch)
    try database.write { db in
      try position.save(in: db)
      try Zones(db: db).forgetShareTag(of: zone.id)
    }
  }

  /// Deals with what a full fetch did not mention, then ends it.
  private func end(_ fullFetch: FullFetch, of zone: SyncZone) throws {
    if fullFetch == .rebuilt, zone.id == SyncZone.defaultID { try endRestoredZones() }
    var isDone = false
    while !isDone, !shouldStop() {
      let report = try applying(in: zone) { applier in
        isDone = try applier.reconcile(fullFetch, limit: Self.recordsPerReconciliation)
        guard isDone else { return }
        var position = try ZonePosition(in: applier.db, zone: zone.id)
        position.end()
        try position.save(in: applier.db)
        try RebuiltTables(db: applier.db, device: applier.device, now: configuration.now()).end()
        try applier.sendLostShare()
      }
      sayRemoved(report, in: zone)
    }
  }

  /// Applies a page, or what came back of a request to change records.
  ///
  /// Returns what came of it; nil when nothing was applied and the zone is to be fetched whole.
  ///
  /// - Parameters:
  ///   - before: The position from which the changes were read.
  ///   - folds: How often edits had been folded when the batch was built.
  func apply(
    _ changes: ZoneChanges, of zone: SyncZone, from before: ZonePosition,
    sent: [OutgoingBatch.Item] = [], builtAfter folds: Int = 0,
    failures: [String: CloudError] = [:]
  ) throws -> ApplyReport? {
    let assets = try readAssets(of: changes.copies, in: zone)
    let deleted = try deletedParents(of: changes.copies)
    let versions = try versionsBefore(changes.copies, in: zone)
    var objection: SyncError?
    var newDevice: UUID?
    var adopted: [SyncEvent.Record] = []
    var report = try applying(in: zone, assets: assets, versionsBefore: versions) { applier in
      var position = try ZonePosition(in: applier.db, zone: zone.id)
      objection = self.objection(to: changes, of: zone, from: before, now: position)
      guard objection == nil else {
        return try ZonePosition.begin(.rebuilt, ofZone: zone.id, in: applier.db)
      }
      if before.fullFetch != nil {
        adopted = try RebuiltTables(
          db: applier.db, device: applier.device, now: configuration.now()
        ).adoptEdits(from: changes.copies, of: zone, tables)
      }
      if try before.fullFetch == nil
        && applier.meetsTwin(in: changes, sent: sent, failures: failures)
      {
        newDevice = try DeviceIdentity.renew(in: applier.db)
        newDevice.map { applier.device = $0 }
      }
      let isUnchanged = failures.isEmpty && deleted.isEmpty && foldCount == folds
      if try !(isUnchanged && applier.acknowledge(changes.copies, of: sent)) {
        try applier.revive(deleted)
        try applier.apply(changes.copies)
      }
      position.token = changes.token
      try position.save(in: applier.db)
      try note(failures, of: sent, to: zone, in: applier.db)
      try forgetNeedless(
        sent, to: zone, changes: changes, failures: failures, in: applier.db)
    }
    if let newDevice { try take(newDevice) }
    for void in changes.voids {
      emit(.ignoredCommit(zone: zone.log.id.name, number: void.number, reason: void.reason))
    }
    if !adopted.isEmpty { emit(.adopted(adopted)) }
    if let objection {
      noteDistrust(objection, of: zone)
      return nil
    }
    report.append(try reviveParents())
    let silent = Set(sent.filter { failures[$0.name] == nil }.map(\.name))
      .union(report.known).union(report.lost)
    sayFetched(changes.copies.filter { !silent.contains($0.name) }, in: zone)
    say(report)
    emit(.stateUpdate(token: changes.token.description))
    return report
  }

  /// The cloud's copies of records that were deleted here, unsent, and that come back with these.
  private func deletedParents(of copies: [ServerCopy]) throws -> [ServerCopy] {
    try foldEdits()
    let versions = try database.readSnapshot { db in
      try Applier(db: db, tables: tables, now: 0, device: container.device)
        .versionsToRevive(for: copies)
    }
    let found = try self.copies(of: Set(versions))
    return found.keys.sorted().compactMap { found[$0] }
  }

  /// Versions of records, read again; without those that are gone from their logs.
  ///
  /// - Parameter later: See `ZoneLog.copies`.
  func copies(
    of versions: Set<ZoneVersion>, overwrittenBy later: [ZoneVersion: ChangeTag] = [:]
  ) throws -> [ZoneVersion: ServerCopy] {
    guard !versions.isEmpty else { return [:] }
    var copies: [ZoneVersion: ServerCopy] = [:]
    for zone in try zones() {
      let wanted = versions.filter { $0.zoneID == zone.id }
      guard !wanted.isEmpty else { continue }
      var laterTags: [ChangeTag: ChangeTag] = [:]
      for version in wanted { laterTags[version.tag] = later[version] }
      let found: [ChangeTag: ServerCopy]
      do {
        found = try zone.copies(at: Set(wanted.map(\.tag)), overwrittenBy: laterTags)
      } catch let error as CloudError where error.code == .userDeletedZone {
        continue  // It is told when it is that zone's turn.
      }
      for version in wanted { copies[version] = found[version.tag] }
    }
    return copies
  }

  /// Takes back unsent deletions of records that a waiting one depends on.
  ///
  /// Such a record may itself depend on a deleted one.
  private func reviveParents() throws -> ApplyReport {
    var report = ApplyReport()
    var tried: Set<ZoneVersion> = []
    while true {
      let versions = try database.readSnapshot { db in
        try Applier(db: db, tables: tables, now: 0, device: container.device).versionsToRevive()
      }.filter { tried.insert($0).inserted }
      guard !versions.isEmpty else { return report }
      let copies = try copies(of: Set(versions))
      report.append(try applying { try $0.revive(versions.compactMap { copies[$0] }) })
    }
  }
}

// MARK: - What is said about it

extension Synchronizer {
  /// Says what came of a transaction.
  func say(_ report: ApplyReport) {
    if !report.conflicts.isEmpty {
      emit(
        .merged(
          report.conflicts.map {
            .init(record: .init(type: $0.type, name: $0.name), theirs: $0.theirs, mine: $0.mine)
          }))
    }
    if !report.revived.isEmpty { emit(.revived(report.revived.map(\.event))) }
    if !report.withdrawn.isEmpty { emit(.withdrawn(report.withdrawn.map(\.event))) }
    if !report.waiting.isEmpty || !report.quarantined.isEmpty { mayHaveWaitingRows = true }
    for (name, needs) in report.waiting {
      sayOnce(.waiting(.init(type: RecordName.parsing(name).table, name: name), needs: needs))
    }
    for (name, error) in report.quarantined {
      sayOnce(.quarantined(.init(type: RecordName.parsing(name).table, name: name), error: error))
    }
    for asset in report.missingAssets { emit(.assetMissing(asset)) }
    if !report.ignored.isEmpty { emit(.ignoredRecords(report.ignored)) }
  }

  /// Tells what came of a report whose deletions stand in no log.
  func sayRemoved(_ report: ApplyReport, in zone: SyncZone? = nil) {
    say(report)
    sayFetched(modified: [], deleted: report.deleted.map(\.event), in: zone)
  }

  func sayFetched(_ copies: [ServerCopy], in zone: SyncZone) {
    var modified: [SyncEvent.Record] = []
    var deleted: [SyncEvent.Record] = []
    for copy in copies {
      switch copy.content {
      case .record(let image): modified.append(.init(type: image.type, name: image.name))
      // What moved to another zone is told of when it is out of reach there.
      case .tombstone(let stone) where stone.clock == .zero: break
      case .tombstone(let stone): deleted.append(.init(type: stone.type, name: stone.name))
      }
    }
    sayFetched(modified: modified, deleted: deleted, in: zone)
  }

  /// - Parameter zone: The zone of the records; nil when they may be of several.
  func sayFetched(
    modified: [SyncEvent.Record], deleted: [SyncEvent.Record], in zone: SyncZone? = nil
  ) {
    guard !modified.isEmpty || !deleted.isEmpty else { return }
    emit(
      .fetchedRecordZoneChanges(
        modified: modified, deleted: deleted, zone: zone.map { event(of: $0) }))
  }

  /// How events name a zone.
  func event(of zone: SyncZone) -> SyncEvent.Zone {
    let owner = zone.log.id.owner
    return SyncEvent.Zone(
      name: zone.log.id.name, sharedBy: owner == container.account ? nil : owner.displayName)
  }
}

extension ApplyReport.Item {
  fileprivate var event: SyncEvent.Record { .init(type: type, name: name) }
}
