import Cloud
import Foundation
import GRDB

/// Fetching: pages of the zone, each applied in one transaction with its change token.
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
    emit(.willFetchChanges)
    defer { emit(.didFetchChanges) }
    var isNew = false
    var fullFetches = 0
    try say(reviveParents())
    while !shouldStop() {
      let position = try database.read(ZonePosition.init)
      let changes: ZoneChanges
      do {
        changes = try zone.changes(
          after: position.token, limit: configuration.commitsPerTransaction,
          view: view(at: position))
      } catch let error as CloudError {
        fullFetches += 1
        guard fullFetches <= Self.fullFetchesAtOnce else { throw error }
        try beginFullFetch(after: error, at: position)
        continue
      }
      if changes.token != position.token || !changes.copies.isEmpty {
        try apply(changes)
        fetchedCount += changes.copies.count
        isNew = true
      }
      if changes.moreComing { continue }
      if let fullFetch = position.fullFetch { try end(fullFetch) }
      break
    }
    try fetchAssets()
    return isNew
  }

  /// Goes back to the beginning of the zone, if that is what an error asks for; else throws it.
  ///
  /// A zone that is not there any more is made again first.
  func beginFullFetch(after error: CloudError, at position: ZonePosition) throws {
    guard let fullFetch = FullFetch(after: error.code) else { throw error }
    let isHere = try zone.exists()
    // From the beginning there is nowhere to go back to.
    guard position.token != nil || !isHere else { throw error }
    try createZone()
    var position = position
    position.begin(fullFetch)
    try database.write { try position.save(in: $0) }
    emit(
      .fetchedDatabaseChanges(
        zone: zone.id.name, owner: zone.id.owner.description,
        change: error.code == .userDeletedZone
          ? .deleted : fullFetch == .expired ? .expired : .rebuilt))
  }

  /// Deals with what a full fetch did not mention, then ends it.
  private func end(_ fullFetch: FullFetch) throws {
    var isDone = false
    while !isDone, !shouldStop() {
      let report = try applying { applier in
        isDone = try applier.reconcile(fullFetch, limit: Self.recordsPerReconciliation)
        guard isDone else { return }
        var position = try ZonePosition(in: applier.db)
        position.end()
        try position.save(in: applier.db)
      }
      say(report)
      sayFetched(modified: [], deleted: report.deleted.map(\.event))
    }
  }

  /// Applies a page, or what came back of a request to change records.
  func apply(
    _ changes: ZoneChanges, sent: [OutgoingBatch.Item] = [], failures: [String: CloudError] = [:]
  ) throws {
    let assets = try readAssets(of: changes.copies)
    let deleted = try deletedParents(of: changes.copies)
    let versions = try versionsBefore(changes.copies)
    var report = try applying(assets: assets, versionsBefore: versions) { applier in
      try applier.revive(deleted)
      try applier.apply(changes.copies)
      var position = try ZonePosition(in: applier.db)
      position.token = changes.token
      try position.save(in: applier.db)
      try note(failures, of: sent, in: applier.db)
      try forgetNeedless(sent, changes: changes, failures: failures, in: applier.db)
    }
    report.append(try reviveParents())
    let own = Set(sent.filter { failures[$0.name] == nil }.map(\.name))
    sayFetched(changes.copies.filter { !own.contains($0.name) && !report.known.contains($0.name) })
    say(report)
    for void in changes.voids {
      emit(.ignoredCommit(zone: zone.id.name, number: void.number, reason: void.reason))
    }
    emit(.stateUpdate(token: changes.token.description))
  }

  /// The cloud's copies of records that were deleted here, unsent, and that come back with these.
  private func deletedParents(of copies: [ServerCopy]) throws -> [ServerCopy] {
    if try !database.read(EditLog.isEmpty) { try foldEdits() }
    let tags = try database.read { db in
      try Applier(db: db, tables: tables, now: 0, device: container.device)
        .versionsToRevive(for: copies)
    }
    return try Set(tags).sorted().compactMap { try zone.copy(at: $0) }
  }

  /// Takes back unsent deletions of records that a waiting one hangs on.
  ///
  /// Such a record may itself hang on a deleted one.
  private func reviveParents() throws -> ApplyReport {
    var report = ApplyReport()
    var tried: Set<ChangeTag> = []
    while true {
      let tags = try database.read { db in
        try Applier(db: db, tables: tables, now: 0, device: container.device).versionsToRevive()
      }.filter { tried.insert($0).inserted }
      guard !tags.isEmpty else { return report }
      let copies = try tags.compactMap { try zone.copy(at: $0) }
      report.append(try applying { try $0.revive(copies) })
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
    for (name, needs) in report.waiting {
      emit(.waiting(.init(type: RecordName.parsing(name).table, name: name), needs: needs))
    }
    for (name, error) in report.quarantined {
      emit(.quarantined(.init(type: RecordName.parsing(name).table, name: name), error: error))
    }
    for asset in report.missingAssets { emit(.assetMissing(asset)) }
  }

  private func sayFetched(_ copies: [ServerCopy]) {
    var modified: [SyncEvent.Record] = []
    var deleted: [SyncEvent.Record] = []
    for copy in copies {
      switch copy.content {
      case .record(let image): modified.append(.init(type: image.type, name: image.name))
      case .tombstone(let stone): deleted.append(.init(type: stone.type, name: stone.name))
      }
    }
    sayFetched(modified: modified, deleted: deleted)
  }

  func sayFetched(modified: [SyncEvent.Record], deleted: [SyncEvent.Record]) {
    guard !modified.isEmpty || !deleted.isEmpty else { return }
    emit(.fetchedRecordZoneChanges(modified: modified, deleted: deleted))
  }
}

extension ApplyReport.Item {
  fileprivate var event: SyncEvent.Record { .init(type: type, name: name) }
}
