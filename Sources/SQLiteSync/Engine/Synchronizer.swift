import Foundation
import GRDB
import SQLiteSyncCloud

/// The work of synchronization without threads or timers: fetch, apply, send.
///
/// `EngineCore` runs it on its queue; the simulation runs it step by step. Every method may fail at
/// any point and be called again: what counts is stored in the app's database, in one transaction
/// with what it is about.
final class Synchronizer {
  let database: any DatabaseWriter
  /// The cloud as this device sees it.
  private(set) var container: CloudContainer
  let configuration: SyncConfiguration
  let tables: TableOrder
  /// What is called otherwise in the cloud: it changes only with a migration.
  private let cloudNames: CloudNames
  /// Hears every fact.
  var emit: (SyncEvent) -> Void = { _ in }
  /// Asked between batches: whether to stop where we are.
  ///
  /// Nothing is lost by it.
  var shouldStop: () -> Bool = { false }
  /// Hears how far a long fetch or send is; nil when it is over.
  var progressed: (SyncProgress?) -> Void = { _ in }
  /// How far the fetch or send under way is; nil while it is not long.
  var progress: SyncProgress? {
    didSet { if progress != oldValue { progressed(progress) } }
  }
  /// Records fetched and sent so far.
  var fetchedCount = 0
  var sentCount = 0
  /// Why a zone was fetched whole, until somebody hears of it: see `reportDistrust`.
  var distrust: SyncError?
  /// What was the matter last with single assets.
  var assetFailures = AssetFailures()
  /// The zones that could not be read lately.
  var zoneFailures = ZoneFailures()
  /// Whether zones that failed are left alone until it is their time.
  private(set) var leavesFailures = false
  /// What was said of records that are kept aside, by the work under way.
  private var said: Set<SyncEvent> = []
  /// How many pieces of work are under way, one in another.
  private var workDepth = 0
  /// Why it works now, for the log.
  var occasion = SyncEvent.Occasion.scheduled
  /// Which zones are looked at now: see `within`.
  var scopeOfWork = SyncScope.all
  /// How often edits were folded.
  private(set) var foldCount = 0
  /// How many changes to send at once.
  var batchLimit = CloudLimits.operationsPerCommit
  /// What is held, though its parent is there: it does not belong there, and is not read again.
  var refusedHere: Set<ZoneVersion> = []
  /// Whether rows may be here whose latest versions wait for others: nobody has looked since the
  /// start, or since anything was kept aside.
  var mayHaveWaitingRows = true
  /// When what a constraint refuses was tried last.
  var refusedRetries = RefusedRetries()
  /// The shares by which zones are protected, nil for nobody else: see `protectZones`.
  var protected: [Int64: Share?] = [:]
  private var maintenance = MaintenanceSchedule()
  private var prunedAt: Int64 = 0
  private var installed: InstalledSchema

  /// Validates the tables and installs metadata and triggers, in one transaction.
  ///
  /// Throws `SyncError` for a table that cannot be synchronized, and changes nothing then.
  init(
    database: any DatabaseWriter, tables names: [String], privateTables: [String],
    container: CloudContainer, configuration: SyncConfiguration
  ) throws {
    self.database = database
    self.configuration = configuration
    let zoneID = ZoneID(name: configuration.zone, owner: container.account)
    let now = configuration.now()
    let (known, device): (UUID?, UUID)
    (self.tables, cloudNames, installed, known, device) = try database.write { db in
      let known = try DeviceState(db: db).device()
      try MetadataSchema.install(in: db, device: container.device)
      let device = try SyncEngine.device(of: db)
      let tables = try Installation(
        db: db, device: device, now: now, timeSQL: configuration.editTimeSQL,
        mergePolicies: configuration.mergePolicies
      ).install(names, private: privateTables)
      let account = try SyncAccount(db)
      try account.requireFree(for: container.account)
      if !account.isSignedOut { try SyncAccount.signIn(container.account, zone: zoneID, in: db) }
      return (tables, try CloudNames(in: db), try InstalledSchema(in: db), known, device)
    }
    // Whoever asked for the identity before this may have got that of the original.
    let isFormer = known != device && container.device == known
    self.container = isFormer ? container.used(on: device) : container
  }

  /// The log of the account's own zone.
  var zone: ZoneLog {
    container.zone(ZoneID(name: configuration.zone, owner: container.account))
  }

  /// Works as another device from now on; the cloud has to be opened again.
  func become(_ device: UUID) throws {
    container = container.used(on: device)
    try container.open(expecting: database.readSnapshot(SyncAccount.init).cloud)
  }

  /// Throws when this connection would write to temporary tables, and read from them.
  func refuseShadows() throws {
    try database.readSnapshot { try refuseShadows(in: $0) }
  }

  private func refuseShadows(in db: Database) throws {
    try TemporaryShadow.refuse(in: db, tables: tables.tables.lazy.map(\.name))
  }

  /// Opens the cloud and makes the zone if need be.
  ///
  /// Throws `notAuthenticated` when somebody signed out meanwhile, `accountChanged` when another
  /// account signed in (an engine works for that one then), `cloudChanged` when another cloud is
  /// there than the one that this data is of.
  func open() throws {
    let known = try database.readSnapshot(SyncAccount.init)
    try known.requireSignedIn(container.account)
    let cloud = try openKnown(known.cloud)
    if known.cloud == nil {
      try database.write { try SyncAccount.remember(cloud: cloud, in: $0) }
      emit(.signIn(account: container.account.displayName))
    }
    try createZone(SyncZone(id: SyncZone.defaultID, log: zone, access: .owner))
    try awaitHeldBackAssets()
    let rebuilt = try database.readSnapshot { db in
      let ids = try SchemaRegistry.rebuilt(in: db)
      return tables.tables.filter { ids.contains($0.id) }.map(\.name)
    }
    if !rebuilt.isEmpty { emit(.rebuiltTables(rebuilt)) }
  }

  /// Opens the cloud, and returns its name.
  ///
  /// Throws `cloudChanged` when it is another one than the one that is known.
  @discardableResult
  func openKnown(_ known: String?) throws -> String {
    let cloud = try container.open(expecting: known)
    if let known, known != cloud { try adopt(cloud, insteadOf: known) }
    return cloud
  }

  /// Goes on in a cloud that has got another name: it is the same if its log is the one that was
  /// read here.
  ///
  /// Throws `cloudChanged` when it is another cloud.
  private func adopt(_ cloud: String, insteadOf known: String) throws {
    let token = try position(in: SyncZone(id: SyncZone.defaultID, log: zone, access: .owner)).token
    guard let token, try zone.continues(token) else {
      return try Self.requireSame(cloud: cloud, as: known)
    }
    try database.write { try SyncAccount.remember(cloud: cloud, in: $0) }
    emit(
      .failed(
        message: "CLOUD.json was recreated; the cloud is the same.",
        hint: "This device goes on under the new name; links to shared lists must be sent again."))
  }

  /// Makes the zone if it is not there, or not any more.
  func createZone(_ zone: SyncZone) throws {
    guard try !zone.log.exists() else { return }
    try zone.log.create()
    emit(
      .sentDatabaseChanges(zone: zone.log.id.name, owner: zone.log.id.owner.description))
  }

  /// The zones that this device keeps in step with, the account's own one first.
  func zones() throws -> [SyncZone] {
    try database.readSnapshot {
      try SyncZone.all(in: $0, container: container, names: cloudNames)
    }
  }

  /// Calls back when the cloud may have changed.
  func watchCloud(onChange: @escaping @Sendable () -> Void) throws -> StoreWatch {
    try container.watch(zones().map(\.log.id), onChange: onChange)
  }

  /// Work begins, within which `sayOnce` says nothing twice.
  func beginWork() { workDepth += 1 }

  func endWork() {
    workDepth -= 1
    if workDepth == 0 { said = [] }
  }

  /// Says what a record that is met several times over would say each time.
  func sayOnce(_ event: SyncEvent) {
    if workDepth == 0 || said.insert(event).inserted { emit(event) }
  }

  /// Fetches and sends until both are quiet.
  func syncChanges() throws {
    beginWork()
    defer { endWork() }
    try pruneHistory()
    // What is for other zones does not wait until somebody has mended one that cannot be read.
    guard let failure = try failureOfOneZone({ try fetchChanges() }) else {
      return try sendChanges()
    }
    do {
      try sendChanges()
    } catch {
      // The same zone's failure again: it is told below.
    }
    throw failure
  }

  /// Fetches and sends until both are quiet, without the zones that failed lately.
  ///
  /// - Throws: what `syncChanges` throws; not what these zones failed with before.
  func syncDueChanges() throws {
    leavesFailures = true
    defer { leavesFailures = false }
    try syncChanges()
  }

  /// Fetches and sends because somebody asked.
  ///
  /// Nothing may come after it, so it looks after the logs that have grown, too.
  func syncChangesByHand() throws {
    // Whoever cannot read what is shared asks its owner to do this.
    protected = [:]
    try retryPostponed()
    let before = try logLengths()
    try syncChanges()
    let after = try logLengths()
    for zone in try zones() where zone.access == .owner {
      guard
        MaintenanceSchedule.isDue(
          from: before[zone.id] ?? 0, to: after[zone.id] ?? 0, every: zone.log.maintenanceInterval)
      else { continue }
      maintaining { try maintain(zone) }
    }
  }

  /// How many commits of each zone this device knows.
  private func logLengths() throws -> [Int64: Int64] {
    try database.readSnapshot { db in
      let zones = try SyncZone.all(in: db, container: container)
      return try zones.reduce(into: [:]) { lengths, zone in
        lengths[zone.id] = try ZonePosition(in: db, zone: zone.id).token?.sequence
      }
    }
  }

  /// Counts the day, and forgets what the history has kept long enough: looks once a day.
  private func pruneHistory() throws {
    let now = configuration.now()
    // A clock may have been set back.
    guard !(0..<History.pruneInterval).contains(now - prunedAt) else { return }
    try History.prune(database, now: now)
    try countDay(at: now)
    prunedAt = now
  }

  /// Folds what the triggers noted.
  ///
  /// Fetching and sending do it too; by itself it shows what is pending.
  func foldEdits() throws {
    if try hasUnfoldedEdits() { try write { _ in } }
  }

  /// Whether the triggers have noted anything since the last fold.
  func hasUnfoldedEdits() throws -> Bool {
    try !database.readSnapshot { try EditEntries(db: $0).isEmpty() }
  }

  /// Whether local edits wait to be folded or sent.
  func hasLocalChanges() throws -> Bool {
    let now = configuration.now()
    return try database.readSnapshot { db in
      try Bool.fetchOne(
        db.cachedStatement(
          sql: """
            SELECT \(EditEntries.isAny)
              OR \(Outbox.isAnyDue)
              OR EXISTS (\(Zones.unsent))
              OR EXISTS (SELECT 1 \(StaleCopies.deletable))
              OR \(MetadataStore.isAnyNowhere)
            """), arguments: [now, now]) ?? false
    }
  }

  /// Looks after the cloud's logs from time to time, when the engine has nothing else to do.
  func maintainIfDue() {
    guard maintenance.isDue(at: configuration.now(), random: configuration.random()) else { return }
    maintaining {
      for zone in try zones() where zone.access == .owner { try maintain(zone) }
    }
  }

  /// A failure of maintenance does not stop synchronization; it is told, and tried again later.
  private func maintaining(_ work: () throws -> Void) {
    do {
      try work()
    } catch {
      emit(.failed(error))
    }
  }

  /// Folds a log of this account if it has grown long, and deletes what nobody needs any more.
  private func maintain(_ zone: SyncZone) throws {
    let old = try database.readSnapshot { try LogDays(db: $0).oldToken(ofZone: zone.id) }
    let report = try zone.log.maintain(forgettingDeletionsUpTo: old)
    if report.checkpoint != nil || report.deletedFiles > 0 {
      emit(.maintained(folded: report.checkpoint != nil, deletedFiles: report.deletedFiles))
    }
    for error in report.failures { emit(.failed(error)) }
  }

  // MARK: - The database

  /// Runs a transaction in which every edit is folded.
  func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
    var refusing: [String] = []
    let result = try database.write { db in
      try refuseShadows(in: db)
      try installed.requireCurrent(in: db)
      if try !EditEntries(db: db).isEmpty() {
        foldCount += 1
        refusing = try EditLog(
          tables: tables, device: SyncEngine.device(of: db).clockBits, now: configuration.now(),
          bulk: configuration.bulkOfEdits, part: configuration.partOfEdits
        ).fold(in: db)
      }
      return try body(db)
    }
    for table in refusing {
      emit(
        .failed(
          message: "A row of \(table) has a primary key that is not text: it is not synchronized.",
          hint: "Give it a key that is text."))
    }
    return result
  }

  /// Runs a transaction on what was fetched, and says what came of it.
  func applying(
    in zone: SyncZone? = nil, assets: [String: Data] = [:],
    versionsBefore: [String: CloudRecord] = [:], _ body: (inout Applier) throws -> Void
  ) throws -> ApplyReport {
    try write { db in
      var applier = try Applier(
        db: db, tables: tables, zoneID: zone?.id ?? SyncZone.defaultID, now: configuration.now(),
        device: container.device, assets: assets, versionsBefore: versionsBefore)
      applier.plainRun = configuration.plainRun
      applier.assetPolicy = configuration.assetPolicy
      try leaveDeparted(with: &applier)
      try body(&applier)
      try applier.settleRivals()
      try applier.bringBackTakenAlong()
      return applier.report
    }
  }

  /// What the cloud may ask about the zone's state at a position.
  func view(at position: ZonePosition) -> ServerView {
    ZoneMirror.view(of: database, tables: tables, at: position, names: cloudNames)
  }

  /// Milliseconds until the next attempt after so many.
  func backOff(_ attempts: Int) -> Int64 {
    SendFailures.backOff(attempts: attempts, random: configuration.random())
  }

  /// Throws `cloudChanged` when the cloud that is there is not the one that the data is of.
  static func requireSame(cloud: String, as known: String?) throws {
    guard let known, known != cloud else { return }
    throw SyncError(
      .cloudChanged, "This data belongs to a different cloud from the one found here.",
      hint: "Use that cloud again; or change to this one, with what is here.")
  }
}
