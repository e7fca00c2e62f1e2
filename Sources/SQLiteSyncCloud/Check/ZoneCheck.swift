import Foundation

/// Reads everything in one zone and verifies it.
final class ZoneCheck {
  let store: any ObjectStore
  let layout: ZoneLayout
  let owner: AccountID
  let device: CloudCheck.DeviceState?
  /// Whether the zone belongs to the account that checks, which may repair it then.
  let isOwn: Bool
  /// Whether the device that checks keeps in step with it.
  let isFollowed: Bool
  private let bytes: CloudCheck.HeldBytes
  let policy: MaintenancePolicy
  let now: Int64
  let scope: Scope
  let notes = CheckNotes()

  /// Files that should be there, as a hash in another file says.
  private var losses: [Loss] = []
  /// Whether the log cannot be read past a place, and nothing tells what belongs there.
  private var isBroken = false
  /// Commits that cannot be read, and of which nothing tells whether they ever could.
  private var unreadable: [Int64] = []
  /// Files that may be copies of lost ones.
  private var candidates: [StoreKey] = []

  /// What is looked for.
  enum Scope {
    case everything
    /// What nobody can read any more; assets are looked for and not read.
    case losses
  }

  /// A file that is missing or not what it was.
  struct Loss {
    let key: StoreKey
    let hash: ContentHash
    let problem: String
    /// Whether the log cannot be read past it.
    let blocksLog: Bool
    /// Whether it is bytes of a row, which a device may have.
    var isAsset = false
  }

  init(
    store: any ObjectStore, layout: ZoneLayout, owner: AccountID,
    device: CloudCheck.DeviceState?, isOwn: Bool, isFollowed: Bool,
    bytes: @escaping CloudCheck.HeldBytes, policy: MaintenancePolicy, now: Int64,
    scope: Scope = .everything
  ) {
    self.store = store
    self.layout = layout
    self.owner = owner
    self.device = device
    self.isOwn = isOwn
    self.isFollowed = isFollowed
    self.bytes = bytes
    self.policy = policy
    self.now = now
    self.scope = scope
  }

  func run() throws {
    guard try !isBlocked(in: layout.zone, where: Self.isDirectory) else { return }
    let epochs = try checkDirectories()
    try checkAside()
    guard let (zone, manifest) = try checkMeta(hasLogs: !epochs.isEmpty) else { return }
    checkEpochs(epochs, manifest)
    guard manifest.deletion == nil else { return }
    if !manifest.needs.write.isEmpty {
      notes.add(
        newerFormatSeverity, layout.zone,
        "Writing to the zone needs \(manifest.needs.write.joined(separator: ", ")), which this "
          + "version does not have.",
        "Install the newest version.")
    }
    guard manifest.needs.read.isEmpty else {
      notes.add(
        newerFormatSeverity, layout.zone,
        "The zone needs \(manifest.needs.read.joined(separator: ", ")), which this version does "
          + "not have; only its `meta` log was read.",
        "Check with the newest version.")
      return
    }
    let parts = ["log", "cp", "assets"]
    guard try !isBlocked(in: layout.epoch(manifest.epoch), where: parts.contains) else { return }
    _ = try folder(layout.epoch(manifest.epoch)) { entry in
      entry.kind == .directory && parts.contains(entry.name)
    }
    var walk = LogWalk(self, zone: zone, manifest: manifest)
    try walk.run()
    notes.count { $0.records += walk.state?.versions.count ?? 0 }
    try checkAssets(walk, epoch: manifest.epoch)
    if scope == .everything {
      try checkWritability(epoch: manifest.epoch)
      if let state = walk.state {
        try checkProtection(state.view.share(), of: zone, epoch: manifest.epoch)
      }
    }
    try reportLosses(walk, zone: zone)
  }

  /// How bad it is that a zone is beyond this version: nothing is wrong with it, but this device
  /// may be kept from synchronizing.
  var newerFormatSeverity: CheckFinding.Severity { isOwn || isFollowed ? .damage : .warning }

  // MARK: Directories

  /// Lists a directory and reports what does not belong there.
  func folder(
    _ prefix: StorePrefix, expecting isExpected: (StoreEntry) -> Bool
  ) throws -> CheckedFolder {
    var folder = CheckedFolder(prefix, store: store, policy: policy, now: now)
    try folder.list()
    folder.expect(isExpected)
    folder.report(to: notes)
    let strangers =
      prefix == layout.quarantine ? folder.expected : folder.foreign + folder.leftovers
    candidates += strangers.filter(\.isRegular).map { StoreKey(prefix, listed: $0) }
    return folder
  }

  /// Lists what readers never look at, and others than the owner may not look at.
  private func checkAside() throws {
    guard isOwn else { return }
    _ = try folder(layout.stage) { _ in false }
    _ = try folder(layout.quarantine) { _ in true }
  }

  /// The epochs that have directories.
  private func checkDirectories() throws -> [Int64] {
    let folder = try folder(layout.zone) { entry in
      entry.kind == .directory && Self.isDirectory(entry.name)
    }
    return folder.expected.compactMap { ZoneLayout.epoch(inDirectoryName: $0.name) }
  }

  /// Whether a name in the zone is that of a directory.
  private static func isDirectory(_ name: String) -> Bool {
    ["meta", "stage", "quarantine"].contains(name)
      || ZoneLayout.epoch(inDirectoryName: name) != nil
  }

  private func checkEpochs(_ epochs: [Int64], _ manifest: ZoneManifest) {
    for epoch in epochs where epoch != manifest.epoch || manifest.deletion != nil {
      let isOver = epoch <= manifest.epoch
      notes.add(
        isOver ? .note : .warning, "\(layout.zone)/e\(epoch)",
        isOver ? "It is from before the log was reset." : "No `meta` entry has begun this epoch.",
        isOver ? "The owner's device removes it a day later." : "Nobody reads it.")
    }
  }

  // MARK: Losses

  /// Notes that a file whose hash is known is missing or altered.
  func lost(
    _ key: StoreKey, _ hash: ContentHash, _ problem: String, blocksLog: Bool
  ) {
    guard !isLost(key) else { return }
    losses.append(Loss(key: key, hash: hash, problem: problem, blocksLog: blocksLog))
  }

  /// Notes that an asset is missing or altered; `equals` are others that have the same bytes by
  /// their names.
  func lostAsset(_ key: StoreKey, _ hash: ContentHash, _ problem: String, equals: [StoreKey]) {
    losses.append(Loss(key: key, hash: hash, problem: problem, blocksLog: false, isAsset: true))
    candidates += equals
  }

  /// Notes that a commit cannot be read, and that nothing tells more of it.
  func unreadable(_ number: Int64, _ key: StoreKey, _ failure: FormatError) {
    unreadable.append(number)
    notes.add(
      .damage, key,
      "The commit cannot be read, and what it held is lost to whoever has not fetched it: "
        + "\(failure).",
      "Restore it from a backup; if it never was a commit, the next change passes over it.")
  }

  /// Notes that commits do not follow each other, and no hash tells which file would mend that.
  func broken(_ key: StoreKey, _ problem: String, _ advice: String, blocksLog: Bool) {
    isBroken = isBroken || blocksLog
    notes.add(.damage, key, problem, advice)
  }

  /// Whether a file was noted as missing or altered.
  func isLost(_ key: StoreKey) -> Bool {
    losses.contains { $0.key == key }
  }

  /// Compares a commit with the one that this device has read.
  func compareWithDevice(_ number: Int64, _ hash: ContentHash, epoch: Int64) {
    guard let token = device?.token, token.epoch == epoch, token.sequence == number,
      token.hash != hash, token.checkpoint == nil
    else { return }
    lost(
      layout.commit(number, epoch: epoch), token.hash,
      "It is not the commit that this device has read: it was altered.", blocksLog: true)
  }

  /// Reports the losses, each with the copy that proves to be the lost file, if there is one.
  private func reportLosses(_ walk: LogWalk, zone: ZoneID) throws {
    let copies = losses.isEmpty ? [:] : try copies(of: Set(losses.map(\.hash)))
    for loss in losses {
      if let copy = copies[loss.hash] {
        notes.add(
          .damage, loss.key, loss.problem, "\(copy) is the lost file: a repair puts it back.",
          repair: isOwn ? .restore(loss.key, from: copy, in: layout) : nil)
      } else if try isOwn && loss.isAsset && bytes("\(loss.hash)") != nil {
        notes.add(
          .damage, loss.key, loss.problem, "This device has the bytes: a repair puts them back.",
          repair: .publish(loss.key, loss.hash, in: layout))
      } else {
        notes.add(
          .damage, loss.key, loss.problem,
          loss.isAsset
            ? "Repair the cloud on a device of \(owner) that has the bytes, "
              + "or restore it from a backup; its SHA-256 is \(loss.hash)."
            : "Restore it from a backup; its SHA-256 is \(loss.hash).")
      }
    }
    let end = walk.position.readableHead?.sequence ?? 0
    let isBlocked =
      isBroken || losses.contains { $0.blocksLog && copies[$0.hash] == nil }
    // The latest one may be a file that was never a commit: the next change passes over it.
    guard isBlocked || unreadable.contains(where: { $0 < end }) else { return }
    // A file that is put back tells which one belongs before it.
    let isMendedFirst = losses.contains { $0.blocksLog && copies[$0.hash] != nil }
    let mayBeginAnew = isOwn && device?.zone == zone && !isMendedFirst
    let proof = mayBeginAnew ? proof(after: walk) : nil
    let isOfAnotherLog = mayBeginAnew && device?.token.map(walk.manifest.continues) == false
    notes.add(
      .damage, layout.zone,
      isBlocked
        ? "The log cannot be read whole, so a new device does not get everything."
        : "A new device will not receive what the unreadable commit contained.",
      proof.map { "\($0): a repair resets the log, and every device uploads what it has." }
        ?? "Restore the files from a backup, or "
        + (isOfAnotherLog
          ? "synchronize this device, which has read another log, and repair the cloud then."
          : "repair the cloud on a device of \(owner) that was in step: it has everything, and "
            + "can reset the log."),
      repair: proof == nil ? nil : .beginAnew(zone))
  }

  /// Why nothing is lost when the log is begun anew; nil where something may be.
  private func proof(after walk: LogWalk) -> String? {
    guard let head = walk.position.head, let device else { return nil }
    let manifest = walk.manifest
    // What it has of another log it sends again, and of this one it has read nothing.
    guard let token = device.token, manifest.continues(token) else {
      let parts = manifest.checkpoint?.checkpoint.parts ?? []
      let isUnreadable =
        walk.position.beforeBlocks.contains(manifest.beginning)
        || parts.contains { isLost(layout.part($0, epoch: manifest.epoch)) }
      return isUnreadable ? "Nobody can read anything of it" : nil
    }
    // Where the latest file cannot be read, there is nothing in it that the device could lack.
    let isAtEnd =
      token.zone == head.zone && token.epoch == head.epoch && token.sequence == head.sequence
    if token == head || (isAtEnd && token.checkpoint == nil && walk.position.failure != nil) {
      return "This device has everything that was in it"
    }
    // Nobody can read on from there.
    guard walk.position.beforeBlocks.contains(token) else { return nil }
    return "This device has everything up to there, and devices take what can be read of the rest"
  }

  /// Where files with these hashes lie.
  func copies(of hashes: Set<ContentHash>) throws -> [ContentHash: StoreKey] {
    var copies: [ContentHash: StoreKey] = [:]
    for key in candidates {
      guard let bytes = try store.read(key, limit: CloudLimits.assetBytes + 1) else { continue }
      let hash = ContentHash(of: bytes)
      if hashes.contains(hash) { copies[hash] = key }
    }
    return copies
  }
}
