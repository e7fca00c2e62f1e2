import CSQLiteSyncPosix
import Foundation

extension ZoneLog {
  /// Folds the log into a checkpoint when that is due, and deletes what nobody needs any more.
  ///
  /// For the owner of the zone, when idle or when the log has grown by `maintenanceInterval`;
  /// harmless beside readers, writers and other maintainers.
  ///
  /// - Parameter token: How far the log had been read `daysOfDeletions` days ago, by days
  ///   that somebody has counted: those up to there are forgotten; nil for none.
  public func maintain(forgettingDeletionsUpTo token: ChangeToken?) throws -> MaintenanceReport {
    var policy = environment.maintenance
    policy.forgettable = .upTo(token)
    let report = try maintain(policy)
    // A program that goes on running would keep the memory of the pages that were folded.
    if report.checkpoint != nil { cposix_release_memory() }
    return report
  }

  /// For how many days a deletion is remembered.
  public static let daysOfDeletions = Int(MaintenancePolicy.standard.tombstoneAge / 86_400_000)

  /// How many commits make it worth a look whether maintenance is due.
  public var maintenanceInterval: Int64 { Int64(environment.maintenance.commits) }

  func maintain(_ policy: MaintenancePolicy) throws -> MaintenanceReport {
    try container.requireWritable()
    guard id.owner == container.account else {
      throw CloudError(.permissionFailure, "Only \(id.owner) can maintain the zone \(id.name).")
    }
    guard let manifest = try container.manifest(of: id, in: layout) else {
      throw CloudError.noZone(id)
    }
    var report = MaintenanceReport()
    let now = try storeTime()
    try collect(manifest, policy, now, &report)
    guard manifest.deletion == nil else { return report }
    try manifest.requireWritable(id)
    let tail = try listCommits(after: manifest.checkpoint?.checkpoint.sequence ?? 0, manifest)
    let folded = manifest.checkpoint?.checkpoint.parts.reduce(0) { $0 + $1.byteCount } ?? 0
    let size = tail.reduce(0) { $0 + $1.byteCount }
    if policy.isDue(commits: tail.count, bytes: size, checkpointBytes: folded) {
      try compact(manifest, policy, now, &report)
    }
    return report
  }

  /// The time by which the ages of files are told: that of the clock which has dated them.
  private func storeTime() throws -> Int64 {
    try store.now(in: layout.meta) ?? environment.now()
  }

  /// The commits after a number that are listed now.
  func listCommits(after number: Int64, _ manifest: ZoneManifest) throws -> [StoreEntry] {
    try store.list(
      layout.log(epoch: manifest.epoch), after: ZoneLayout.fileName(number), limit: .max
    ) { ZoneLayout.number(inFileName: $0) != nil }
  }

  // MARK: Collecting

  /// Deletes commits below the floor, parts of checkpoints that no one names, leftovers of writers
  /// that died, and epochs that are over.
  private func collect(
    _ manifest: ZoneManifest, _ policy: MaintenancePolicy, _ now: Int64,
    _ report: inout MaintenanceReport
  ) throws {
    let isLeftOver = { (entry: StoreEntry) in now - entry.modified >= policy.leftoverAge }
    try deleteAll(in: layout.stage, &report, where: isLeftOver)
    for prefix in layout.all(epoch: manifest.epoch) {
      // Where a mount does not let the stage be used, a writer stages beside the file.
      try deleteAll(in: prefix, named: { $0.hasPrefix(".") }, &report, where: isLeftOver)
    }
    let metaAge = try age(ofMetaEntry: manifest.number, now: now)
    for epoch in try epochs() where epoch < manifest.epoch || manifest.deletion != nil {
      guard metaAge >= policy.leftoverAge else { break }
      for prefix in [
        layout.log(epoch: epoch), layout.checkpoints(epoch: epoch), layout.assets(epoch: epoch),
      ] {
        try deleteAll(in: prefix, &report)
      }
    }
    guard manifest.deletion == nil else { return }
    // In ascending order: what is there is always the end of the log.
    let floor = try announcedFloor(manifest, policy, now: now)
    let isFolded = { (name: String) in
      ZoneLayout.number(inFileName: name).map { $0 <= floor } ?? false
    }
    try deleteFolded(manifest, isFolded, &report)
    let named = Set(manifest.checkpoints.flatMap { $0.checkpoint.parts.map(\.name) })
    let isUnnamed = { (name: String) in Checkpoint.Part.isName(name) && !named.contains(name) }
    try deleteAll(
      in: layout.checkpoints(epoch: manifest.epoch), named: isUnnamed, &report, where: isLeftOver)
  }

  /// Deletes commits that the checkpoint replaces, if it can be read: else they are the last to
  /// have what is in it.
  private func deleteFolded(
    _ manifest: ZoneManifest, _ isFolded: (String) -> Bool, _ report: inout MaintenanceReport
  ) throws {
    let log = layout.log(epoch: manifest.epoch)
    guard try !store.list(log, after: nil, limit: 1, where: isFolded).isEmpty else { return }
    do {
      for part in manifest.checkpoint?.checkpoint.parts ?? [] {
        try readPart(part, epoch: manifest.epoch) { _, _ in }
      }
    } catch let error as CloudError {
      report.failures.append(error)
      return
    }
    try deleteAll(in: log, named: isFolded, &report)
  }

  /// Deletes old assets that neither the checkpoint before nor the new one names, nor any commit
  /// that is still there: so they were garbage twice, a checkpoint apart.
  func collectAssets(
    live: Set<String>, _ policy: MaintenancePolicy, _ now: Int64,
    _ report: inout MaintenanceReport
  ) throws {
    let manifest = try manifest()
    let prefix = layout.assets(epoch: manifest.epoch)
    let old = try store.list(prefix, after: nil, limit: .max) { name in
      AssetReference.isName(name) && !live.contains(name)
    }.filter { now - $0.modified >= policy.assetAge }
    guard !old.isEmpty else { return }
    var named: Set<String> = []
    for entry in try listCommits(after: manifest.floor, manifest) {
      guard let number = ZoneLayout.number(inFileName: entry.name),
        let file = try readCommit(number, epoch: manifest.epoch)
      else { continue }
      // Nobody knows what a commit names that is damaged, and that a backup may bring back.
      guard let assets = Commit.assets(file.bytes) else { return }
      named.formUnion(assets)
    }
    for entry in old where !named.contains(entry.name) {
      delete(StoreKey(prefix, listed: entry), &report)
    }
  }

  /// The epochs that have directories.
  func epochs() throws -> [Int64] {
    try store.list(layout.zone, after: nil, limit: .max) {
      ZoneLayout.epoch(inDirectoryName: $0) != nil
    }.compactMap { $0.isRegular ? nil : ZoneLayout.epoch(inDirectoryName: $0.name) }
  }

  private func deleteAll(
    in prefix: StorePrefix, named isCandidate: (String) -> Bool = { _ in true },
    _ report: inout MaintenanceReport, where isGarbage: (StoreEntry) -> Bool = { _ in true }
  ) throws {
    for entry in try store.list(prefix, after: nil, limit: .max, where: isCandidate)
    where entry.isRegular && isGarbage(entry) {
      delete(StoreKey(prefix, listed: entry), &report)
    }
  }

  private func delete(_ key: StoreKey, _ report: inout MaintenanceReport) {
    do {
      try store.delete(key)
      report.deletedFiles += 1
    } catch let error as CloudError {
      report.failures.append(error)
    } catch {
      report.failures.append(CloudError(.internalError, "\(error)"))
    }
  }
}

extension Commit {
  /// The names of the assets that a file names, void or not; nil when it is not a commit.
  static func assets(_ bytes: [UInt8]) -> Set<String>? {
    var names: Set<String> = []
    do {
      _ = try read(SealedFile(bytes)) { change, _ in
        if case .save(let record, _) = change { names.formUnion(record.assets.map(\.name)) }
      }
    } catch {
      return nil
    }
    return names
  }
}
