import Cloud
import Foundation
import GRDB

/// The work of synchronization without threads or timers: fetch, apply, send.
///
/// `SyncEngine` runs it on its queue; the simulation runs it step by step. Every method may fail at
/// any point and be called again: what counts is stored in the app's database, in one transaction
/// with what it is about.
final class Synchronizer {
  let database: any DatabaseWriter
  let container: CloudContainer
  let configuration: SyncConfiguration
  let tables: TableOrder
  /// Hears every fact.
  var emit: (SyncEvent) -> Void = { _ in }
  /// Asked between batches: whether to stop where we are.
  ///
  /// Nothing is lost by it.
  var shouldStop: () -> Bool = { false }
  /// Records fetched and sent so far.
  private(set) var fetchedCount = 0
  private(set) var sentCount = 0
  private let device: UUID
  private let zone: ZoneLog
  private var batchLimit = CloudLimits.operationsPerCommit
  private var prunedAt: Int64 = 0

  /// Validates the tables and installs metadata and triggers, in one transaction.
  ///
  /// Throws `SyncError` for a table that cannot be synchronized, and changes nothing then.
  init(
    database: any DatabaseWriter, tables names: [String], privateTables: [String],
    container: CloudContainer, configuration: SyncConfiguration
  ) throws {
    self.database = database
    self.container = container
    self.configuration = configuration
    let zoneID = ZoneID(name: configuration.zone, owner: container.account)
    self.zone = container.zone(zoneID)
    let now = configuration.now()
    (self.tables, self.device) = try database.write { db in
      try MetadataSchema.install(in: db, device: container.device)
      let device = try Self.device(in: db)
      let tables = try Installation(
        db: db, device: device, now: now, timeSQL: configuration.editTimeSQL
      ).install(names, private: privateTables)
      try Self.checkAccount(container.account, zone: zoneID, in: db)
      return (tables, device)
    }
  }

  /// Opens the cloud and makes the zone if need be.
  func open() throws {
    let known = try database.read { db in
      try String.fetchOne(db, sql: "SELECT cloud FROM sync_state")
    }
    let cloud = try container.open(expecting: known)
    if known == nil {
      try database.write { db in
        try db.execute(sql: "UPDATE sync_state SET cloud = ?", arguments: [cloud])
      }
      emit(.signIn(account: container.account.description))
    }
    if try !zone.exists() {
      try zone.create()
      emit(.sentDatabaseChanges(zone: zone.id.name, owner: zone.id.owner.description))
    }
  }

  /// Calls back when the cloud may have changed.
  func watchCloud(onChange: @escaping @Sendable () -> Void) -> StoreWatch {
    container.watch([zone.id], onChange: onChange)
  }

  /// Fetches and applies what is new.
  ///
  /// Returns whether anything was.
  @discardableResult
  func fetchChanges() throws -> Bool {
    emit(.willFetchChanges)
    defer { emit(.didFetchChanges) }
    var anything = false
    while !shouldStop() {
      let (known, changes) = try database.read { db in
        let token = try storedToken(in: db)
        return (
          token,
          try zone.changes(
            after: token, limit: configuration.commitsPerTransaction, view: view(in: db))
        )
      }
      if changes.token == known, changes.copies.isEmpty { break }
      try apply(changes)
      anything = true
      fetchedCount += changes.copies.count
      guard changes.moreComing else { break }
    }
    return anything
  }

  /// Sends what the cloud does not have yet.
  ///
  /// Returns whether anything was sent.
  @discardableResult
  func sendChanges() throws -> Bool {
    emit(.willSendChanges)
    defer { emit(.didSendChanges) }
    var anything = false
    while !shouldStop() {
      guard try sendBatch() else { break }
      anything = true
    }
    return anything
  }

  /// Fetches and sends until both are quiet.
  func syncChanges() throws {
    try pruneHistory()
    try fetchChanges()
    try sendChanges()
  }

  /// Forgets what the history has kept long enough: looks once a day.
  private func pruneHistory() throws {
    let now = configuration.now()
    guard now - prunedAt >= History.pruneInterval else { return }
    try History.prune(database, now: now)
    prunedAt = now
  }

  /// Folds what the triggers noted.
  ///
  /// Fetching and sending do it too; by itself it shows what is pending.
  func foldEdits() throws {
    try database.write { try fold(in: $0) }
  }

  /// Whether local edits wait to be folded or sent.
  func hasLocalChanges() throws -> Bool {
    let now = configuration.now()
    return try database.read { db in
      try Bool.fetchOne(
        db.cachedStatement(
          sql: """
            SELECT EXISTS (SELECT 1 FROM sync_edits)
              OR EXISTS (SELECT 1 FROM sync_pending WHERE nextAttempt <= ?)
            """), arguments: [now]) ?? false
    }
  }

  // MARK: - Sending

  private func sendBatch() throws -> Bool {
    let batch = try database.write { db in
      try fold(in: db)
      return try BatchBuilder(
        db: db, tables: tables, now: configuration.now(), limit: batchLimit
      ).next()
    }
    guard !batch.items.isEmpty else { return false }
    emit(.nextRecordZoneChangeBatch(batch.items.map(\.event)))
    let items = try publishAssets(of: batch.items)
    let result: ModifyResult
    do {
      result = try database.read { db in
        try zone.modify(
          items.map(\.change), after: try storedToken(in: db), view: view(in: db),
          atomically: true)
      }
    } catch let error as CloudError where error.code == .limitExceeded && items.count > 1 {
      // The estimate was too low: a text can grow when it is written as JSON.
      batchLimit = items.count / 2
      return true
    }
    try apply(result.changes, sent: items, failures: result.failures)
    report(items, failures: result.failures)
    return true
  }

  /// Assets are published before the commit that names them.
  private func publishAssets(of items: [OutgoingBatch.Item]) throws -> [OutgoingBatch.Item] {
    try items.map { item in
      guard !item.assets.isEmpty, case .save(var record, let base) = item.change else {
        return item
      }
      var item = item
      for (name, bytes) in item.assets {
        let reference = try zone.publishAsset(bytes)
        let clock = record.fields[name]?.clock ?? .zero
        record.fields[name] = CloudField(.asset(reference), clock)
        // Stored at once: a send that fails after this must not upload the bytes again.
        try database.write { db in
          try db.execute(
            sql: "INSERT OR REPLACE INTO sync_assets VALUES (?, ?, ?, ?, ?, 0)",
            arguments: [
              item.recordID, name, clock.rawValue, reference.name, reference.byteCount,
            ])
        }
      }
      item.change = .save(record, base: base)
      return item
    }
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

  // MARK: - Applying

  private func apply(
    _ changes: ZoneChanges, sent: [OutgoingBatch.Item] = [], failures: [String: CloudError] = [:]
  ) throws {
    let own = Set(sent.filter { failures[$0.name] == nil }.map(\.name))
    let report = try database.write { db in
      try fold(in: db)
      var applier = Applier(
        db: db, tables: tables, now: configuration.now(),
        device: container.device.uuidString.lowercased(),
        asset: readAsset,
        serverCopy: { [zone] in try zone.copy(at: $0) })
      try applier.apply(changes.copies)
      try storeToken(changes.token, in: db)
      try note(failures, of: sent, in: db)
      try forgetNeedless(sent, changes: changes, failures: failures, in: db)
      return applier.report
    }
    emitEvents(of: report, changes: changes, own: own)
  }

  /// Deletions of what the cloud never had are not committed, so no copy of them comes back.
  private func forgetNeedless(
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

  /// Writes down why a change was not taken, and when it is to be tried again.
  private func note(
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
      case .backOffEngine: throw error
      case .retryOnce: try postpone(item, error, in: db) { $0 == 1 ? now : now + backOff($0) }
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

  private func backOff(_ attempts: Int) -> Int64 {
    SendFailures.backOff(attempts: attempts, random: configuration.random())
  }

  private func fold(in db: Database) throws {
    try EditLog(tables: tables, device: device.clockBits, now: configuration.now()).fold(in: db)
  }

  private func readAsset(_ reference: AssetReference) throws -> Data? {
    do {
      return try zone.readAsset(reference)
    } catch let error as CloudError where error.code == .assetFileNotFound {
      return nil
    }
  }

  private func emitEvents(of report: ApplyReport, changes: ZoneChanges, own: Set<String>) {
    let record: (ApplyReport.Item) -> SyncEvent.Record = { .init(type: $0.type, name: $0.name) }
    var modified: [SyncEvent.Record] = []
    var deleted: [SyncEvent.Record] = []
    for copy in changes.copies where !own.contains(copy.name) {
      switch copy.content {
      case .record(let image): modified.append(.init(type: image.type, name: image.name))
      case .tombstone(let stone): deleted.append(.init(type: stone.type, name: stone.name))
      }
    }
    if !modified.isEmpty || !deleted.isEmpty {
      emit(.fetchedRecordZoneChanges(modified: modified, deleted: deleted))
    }
    if !report.conflicts.isEmpty {
      emit(
        .merged(
          report.conflicts.map {
            .init(record: .init(type: $0.type, name: $0.name), theirs: $0.theirs, mine: $0.mine)
          }))
    }
    if !report.revived.isEmpty { emit(.revived(report.revived.map(record))) }
    for (name, needs) in report.waiting {
      emit(.waiting(.init(type: RecordName(name)?.table ?? "", name: name), needs: needs))
    }
    for (name, error) in report.quarantined {
      emit(.quarantined(.init(type: RecordName(name)?.table ?? "", name: name), error: error))
    }
    for asset in report.missingAssets { emit(.assetMissing(asset)) }
    emit(.stateUpdate(token: changes.token.description))
  }

  // MARK: - What is stored

  private func storedToken(in db: Database) throws -> ChangeToken? {
    try String.fetchOne(
      db.cachedStatement(sql: "SELECT token FROM sync_zones WHERE id = 1")
    ).flatMap(ChangeToken.init)
  }

  private func storeToken(_ token: ChangeToken?, in db: Database) throws {
    try db.cachedStatement(sql: "UPDATE sync_zones SET token = ? WHERE id = 1")
      .execute(arguments: [token?.description])
  }

  private func view(in db: Database) -> ServerView {
    ZoneMirror(db: db, tables: tables).view
  }

  private static func device(in db: Database) throws -> UUID {
    let text = try String.fetchOne(db, sql: "SELECT device FROM sync_state")
    return text.flatMap(UUID.init(uuidString:)) ?? UUID()
  }

  private static func checkAccount(
    _ account: AccountID, zone: ZoneID, in db: Database
  ) throws {
    let known = try String.fetchOne(db, sql: "SELECT account FROM sync_state")
    guard known == nil || known == account.rawValue else {
      throw SyncError(
        .accountChanged,
        "This data belongs to the account \(known ?? ""), not to \(account.rawValue).",
        hint: "Use the account it belongs to, or another data directory.")
    }
    try db.execute(
      sql: "UPDATE sync_state SET account = ?", arguments: [account.rawValue])
    try db.execute(
      sql: "INSERT INTO sync_zones (id, name, owner) VALUES (1, ?, ?) ON CONFLICT DO NOTHING",
      arguments: [zone.name, zone.owner.rawValue])
  }
}
