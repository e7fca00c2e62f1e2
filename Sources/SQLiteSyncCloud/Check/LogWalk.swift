/// Reads the commits of a zone in their order and verifies each: its file, its number, that it
/// follows the one before, the rules, and that the checkpoints are what comes of them.
struct LogWalk {
  /// How far the files were read, whatever they come to.
  struct Position {
    /// The end of the log.
    var head: ChangeToken?
    /// The latest commit that could be read.
    var readableHead: ChangeToken?
    /// The latest commit that is there, and the hash of its file.
    var last: (number: Int64, hash: ContentHash)?
    /// Why the latest commit cannot be read; nil when it can.
    var failure: FormatError?
    /// Where the log stood before each place at which nobody can read on, also with what could not
    /// be read right before it.
    var beforeBlocks: [ChangeToken] = []
  }

  private(set) var position = Position()
  /// The state at the end of the log; nil when it cannot be known.
  private(set) var state: FoldedZone?
  /// The assets that any commit names, void or not.
  private(set) var namedAssets: Set<String> = []
  /// Whether every commit could be read, so that nothing else is named.
  private(set) var isWhole = true

  private let check: ZoneCheck
  private let zone: ZoneID
  let manifest: ZoneManifest
  /// Where `state` stands.
  private var stateToken: ChangeToken?
  private var checkpointsRead: Set<Int64> = []

  init(_ check: ZoneCheck, zone: ZoneID, manifest: ZoneManifest) {
    self.check = check
    self.zone = zone
    self.manifest = manifest
  }

  private var layout: ZoneLayout { check.layout }
  private var newest: Int64 { manifest.checkpoint?.checkpoint.sequence ?? 0 }

  mutating func run() throws {
    try check.checkParts(manifest)
    let folder = try check.folder(layout.log(epoch: manifest.epoch)) { entry in
      ZoneLayout.number(inFileName: entry.name) != nil
    }
    for entry in folder.expected {
      // Every expected name has a number.
      guard let number = ZoneLayout.number(inFileName: entry.name) else { continue }
      try read(number, entry)
    }
    try finish()
  }

  // MARK: A commit

  private mutating func read(_ number: Int64, _ entry: StoreEntry) throws {
    let key = layout.commit(number, epoch: manifest.epoch)
    // Removed since it was listed.
    guard let bytes = try bytes(of: key, number), try !isJunk(bytes, at: number) else { return }
    let sealed = SealedFile(bytes)
    check.notes.count { $0.commits += 1 }
    var lines: [ContentHash] = []
    var named: Set<String> = []
    let commit: Result<Commit, FormatError>
    do {
      commit = .success(
        try Commit.read(sealed) { change, range in
          lines.append(ContentHash(of: bytes[range]))
          if case .save(let record, _) = change { named.formUnion(record.assets.map(\.name)) }
        })
    } catch {
      commit = .failure(error)
      isWhole = false
    }
    namedAssets.formUnion(named)
    let hash = sealed.hash
    try begin(before: number)
    checkChain(number, commit)
    check.compareWithDevice(number, hash, epoch: manifest.epoch)
    if case .success(let commit) = commit { try checkAuthor(commit, of: entry, key) }
    try apply(commit, hash, lines, at: number, ownedBy: entry.owner)
    position.last = (number, hash)
    position.failure = if case .failure(let error) = commit { error } else { nil }
    position.head = ChangeToken(
      zone: manifest.identity, epoch: manifest.epoch, sequence: number, hash: hash)
    if position.failure == nil { position.readableHead = position.head }
    try meetCheckpoint(at: number)
  }

  /// The bytes of a commit; nil when there are none that can be read.
  private mutating func bytes(of key: StoreKey, _ number: Int64) throws -> [UInt8]? {
    do {
      return try check.store.read(key, limit: CloudLimits.readBytes + 1).map(Array.init)
    } catch let error as CloudError where error.code == .internalError {
      noteBlock()
      check.broken(
        key, error.reason, "Its owner can allow it again: chmod 444.", blocksLog: number > newest)
      return nil
    }
  }

  /// Whether a file lies at a number that is still to come, and is not a commit of this log.
  ///
  /// Readers do not see it until its number comes, and then it counts as a void commit.
  private func isJunk(_ bytes: [UInt8], at number: Int64) throws -> Bool {
    let end = max(position.last?.number ?? 0, newest, manifest.floor)
    let file = CommitFile(bytes: bytes, owner: nil)
    guard number > end + 1,
      !file.isCommit(number: number, epoch: manifest.epoch, zone: zone.name),
      try !isFollowed(bytes, at: number)
    else { return false }
    let key = layout.commit(number, epoch: manifest.epoch)
    check.notes.add(
      .warning, key,
      "The file is not a commit of this log, and lies at a number that is still to come.",
      "It is in nobody's way; ask who made it. A repair puts it aside.",
      repair: check.isOwn ? .setAside(key, in: layout) : nil)
    return true
  }

  /// Whether the next commit was written after these bytes: they counted, as a void commit.
  private func isFollowed(_ bytes: [UInt8], at number: Int64) throws -> Bool {
    let next = layout.commit(number + 1, epoch: manifest.epoch)
    do {
      let following = try check.store.read(next, limit: CloudLimits.readBytes + 1)
      return try following.map { try Commit.read(SealedFile(Array($0))).previous }
        == SealedFile(bytes).hash
    } catch is FormatError {
      return false
    } catch let error as CloudError where error.code == .internalError {
      return false
    }
  }

  private mutating func noteBlock() {
    position.beforeBlocks += [position.head, position.readableHead].map { $0 ?? manifest.beginning }
  }

  /// Finds the state before a commit, where it is not known: empty, or that of a checkpoint.
  private mutating func begin(before number: Int64) throws {
    if let stateToken, stateToken.sequence == number - 1 { return }
    stateToken = nil
    state = nil
    if number == 1 {
      stateToken = manifest.beginning
      state = FoldedZone()
    } else {
      try meetCheckpoint(at: number - 1)
    }
  }

  private mutating func apply(
    _ commit: Result<Commit, FormatError>, _ hash: ContentHash, _ lines: [ContentHash],
    at number: Int64, ownedBy owner: StoreUser?
  ) throws {
    guard let stateToken, let state else { return }
    var cursor = LogCursor(zone: zone, from: stateToken, view: state.view)
    try cursor.append(commit, hash: hash)
    if let reason = cursor.voids.first?.reason, case .success(let commit) = commit,
      commit.previous == stateToken.hash
    {
      check.notes.add(
        .warning, layout.commit(number, epoch: manifest.epoch),
        "The commit changes nothing, for anybody: \(reason.hasSuffix(".") ? reason : reason + ".")",
        position.beforeBlocks.isEmpty
          ? "No program that keeps the rules writes such a commit: ask "
            + "\(try writer(of: commit, ownedBy: owner))."
          : "What it builds on may be in the commit before it that cannot be read.")
    }
    for copy in cursor.fold.latest { state.put(copy, lineHash: lines[copy.tag.index]) }
    self.stateToken = cursor.token
  }

  /// Whom to ask: whoever owns the file may say to be somebody else.
  private func writer(of commit: Commit, ownedBy owner: StoreUser?) throws -> AccountID {
    let author = commit.origin.author
    let users = check.store.accessControl
    guard let owner, try users.user(of: author) != nil else { return author }
    return try users.account(of: owner)
  }

  /// The author is decided by what the file says; who could have written it only warns.
  private func checkAuthor(_ commit: Commit, of entry: StoreEntry, _ key: StoreKey) throws {
    let users = check.store.accessControl
    guard let owner = entry.owner, let author = try users.user(of: commit.origin.author),
      let zoneOwner = try users.user(of: zone.owner), owner != author, owner != zoneOwner
    else { return }
    let stranger = try users.account(of: owner)
    check.notes.add(
      .warning, key,
      "It says that \(commit.origin.author) wrote it, and \(stranger) owns the file.",
      "Ask both; if it is not \(commit.origin.author)'s, end the sharing with \(stranger).")
  }

  // MARK: The chain

  private func previousHash(of number: Int64) -> ContentHash? {
    if number == 1 { return manifest.genesis }
    return position.last?.number == number - 1 ? position.last?.hash : nil
  }

  private mutating func checkChain(_ number: Int64, _ commit: Result<Commit, FormatError>) {
    let before = number - 1
    let previous: ContentHash? =
      if case .success(let commit) = commit { commit.previous } else { nil }
    if let last = position.last, last.number < before {
      reportUnreadable()
      if before > newest { noteBlock() }
      reportGap(last.number + 1...before, hash: previous)
    } else if position.last == nil, before > manifest.floor {
      if before > newest { noteBlock() }
      reportGap(manifest.floor + 1...before, hash: previous)
    } else if let expected = previousHash(of: number), let previous, previous != expected {
      reportBreak(number, previous)
    } else if previous == nil {
      reportUnreadable()
    } else if let failure = position.failure {
      // The next writer has seen it as it is.
      check.notes.add(
        .warning, layout.commit(before, epoch: manifest.epoch),
        "The commit cannot be read, and could not be when the next was written: \(failure).",
        "It changes nothing, for anybody; ask who made it.")
    }
  }

  /// Says of the latest commit so far that it cannot be read, and that nothing tells more.
  private func reportUnreadable() {
    guard let failure = position.failure, let last = position.last else { return }
    check.unreadable(last.number, layout.commit(last.number, epoch: manifest.epoch), failure)
  }

  private mutating func reportBreak(_ number: Int64, _ previous: ContentHash) {
    let before = number - 1
    guard before > 0 else {
      check.notes.add(
        .damage, layout.commit(number, epoch: manifest.epoch),
        "It does not follow the `meta` entry that began the log.",
        "It belongs to another zone or epoch; restore the right one from a backup.")
      return
    }
    if before > newest { noteBlock() }
    guard position.failure != nil else {
      // A restored backup or a power cut has replaced one, or somebody has forged one.
      return check.broken(
        layout.commit(number, epoch: manifest.epoch),
        "It was not written after commit \(before) as it is: one of the two does not belong to "
          + "this log.",
        "Restore the right one from a backup; a device in step knows which.",
        blocksLog: before > newest)
    }
    check.lost(
      layout.commit(before, epoch: manifest.epoch), previous,
      "It was altered: commit \(number) was written after another file.",
      blocksLog: before > newest)
  }

  private func reportGap(_ gap: ClosedRange<Int64>, hash: ContentHash?) {
    let isFolded = gap.upperBound <= newest
    let consequence =
      isFolded
      ? "the checkpoint has what they did, but a device that stands before them cannot go on"
      : "later ones are there, and nobody can read past the gap"
    let count = gap.count == 1 ? "The commit is" : "\(gap.count) commits up to this one are"
    let key = layout.commit(gap.upperBound, epoch: manifest.epoch)
    let problem = "\(count) missing: \(consequence)."
    if let hash {
      check.lost(key, hash, problem, blocksLog: !isFolded)
    } else {
      // What comes after the gap is not a commit, and says nothing of the file before it.
      check.broken(key, problem, "Restore them from a backup.", blocksLog: !isFolded)
    }
  }

  // MARK: Checkpoints

  /// Reads the checkpoint of a commit, if there is one, and compares it with the state or makes it
  /// the state.
  private mutating func meetCheckpoint(at number: Int64) throws {
    for named in manifest.checkpoints where named.checkpoint.sequence == number {
      let checkpoint = named.checkpoint
      guard checkpointsRead.insert(named.number).inserted || stateToken == nil else { continue }
      if let last = position.last, last.number == number, last.hash != checkpoint.hash {
        check.lost(
          layout.commit(number, epoch: manifest.epoch), checkpoint.hash,
          "It is not the commit up to which the log was folded.", blocksLog: false)
      }
      guard
        let loaded = try check.readCheckpoint(
          checkpoint, epoch: manifest.epoch, isNewest: number == newest)
      else { continue }
      if let state, stateToken?.sequence == number {
        check.compare(loaded, with: state, named)
      } else if stateToken?.sequence ?? 0 < number {
        state = loaded
        stateToken = ChangeToken(
          zone: manifest.identity, epoch: manifest.epoch, sequence: number, hash: checkpoint.hash)
      }
    }
  }

  /// Reads the checkpoints that the commits did not come by.
  private mutating func finish() throws {
    if let checkpoint = manifest.checkpoint?.checkpoint, position.last?.number ?? 0 < newest {
      state = nil
      stateToken = nil
      let first = max(position.last?.number ?? 0, manifest.floor) + 1
      if first <= newest { reportGap(first...newest, hash: checkpoint.hash) }
      position.head = ChangeToken(
        zone: manifest.identity, epoch: manifest.epoch, sequence: newest, hash: checkpoint.hash)
    }
    if !check.isLost(layout.commit(position.last?.number ?? 0, epoch: manifest.epoch)) {
      reportUnreadable()
    }
    for named in manifest.checkpoints.reversed() where !checkpointsRead.contains(named.number) {
      try meetCheckpoint(at: named.checkpoint.sequence)
    }
    if stateToken?.sequence != position.head?.sequence { state = nil }
    if position.head == nil { state = FoldedZone() }
  }
}
