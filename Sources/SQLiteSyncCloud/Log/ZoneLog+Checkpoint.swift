import Foundation

// Writing a checkpoint: the log folded, as a new device reads it and so that commits can go.

extension ZoneLog {
  /// Folds everything up to the head and announces it.
  ///
  /// The announcement in `meta` is what counts: its number decides between two who do this at once.
  func compact(
    _ manifest: ZoneManifest, _ policy: MaintenancePolicy, _ now: Int64,
    _ report: inout MaintenanceReport
  ) throws {
    let folded = FoldedLog(
      pageBytes: policy.spooledBytes, lastForgettable: lastForgettable(policy, manifest))
    let before: Set<String>?
    let token: ChangeToken
    do {
      before = try manifest.checkpoint.map { named in
        try load(named.checkpoint, manifest, into: folded, &report)
      }
      token = try fold(into: folded, manifest, policy, &report)
    } catch let error as CloudError where [.tokenExpired, .rebuilt(id)].contains(error) {
      return  // Another maintainer was faster, or the log was begun anew.
    }
    guard token.sequence > manifest.checkpoint?.checkpoint.sequence ?? 0 else { return }
    // Its owner's devices say again what somebody else has said in their name; then it is folded.
    guard !folded.isShareForged else { return }
    let limit = oldestDeletion(policy, now)
    var parts: [Checkpoint.Part] = []
    try forEachPart(of: folded, at: token, forgettingBefore: limit) { file in
      try publish(file, epoch: token.epoch)
      parts.append(file.part)
    }
    let checkpoint = Checkpoint(
      sequence: token.sequence, hash: token.hash, parts: parts,
      floor: try floor(upTo: token.sequence, manifest, policy, now))
    try publishMeta { current in
      guard let current, current.epoch == manifest.epoch, current.deletion == nil,
        current.checkpoint?.checkpoint.sequence ?? 0 < token.sequence
      else { return nil }
      return (current.epoch, .checkpoint(checkpoint))
    }
    // If this device slept meanwhile, a collector took its parts for a dead writer's leftovers.
    let isComplete = try parts.allSatisfy { try isThere($0, epoch: token.epoch) }
    if !isComplete {
      try forEachPart(of: folded, at: token, forgettingBefore: limit) { file in
        if try !isThere(file.part, epoch: token.epoch) { try publish(file, epoch: token.epoch) }
      }
    }
    report.checkpoint = token.sequence
    if let before {
      try collectAssets(live: before.union(folded.assets()), policy, now, &report)
    }
  }

  /// Brings the checkpoint in; returns the names of the assets in it.
  private func load(
    _ checkpoint: Checkpoint, _ manifest: ZoneManifest, into folded: FoldedLog,
    _ report: inout MaintenanceReport
  ) throws -> Set<String> {
    for part in checkpoint.parts {
      var lines: [(ServerCopy, ArraySlice<UInt8>)] = []
      try readPart(part, epoch: manifest.epoch) { lines.append(($0, $1)) }
      report.recordsAtOnce = max(report.recordsAtOnce, lines.count)
      for (copy, line) in lines { try folded.put(copy, operation: line) }
    }
    return try folded.assets()
  }

  /// Brings the commits after the checkpoint in, a page at a time.
  private func fold(
    into folded: FoldedLog, _ manifest: ZoneManifest, _ policy: MaintenancePolicy,
    _ report: inout MaintenanceReport
  ) throws -> ChangeToken {
    let start = ChangeToken(
      zone: manifest.identity, epoch: manifest.epoch,
      sequence: manifest.start.sequence, hash: manifest.start.hash)
    var token = start
    var ahead = ReadAhead(log: self, epoch: manifest.epoch)
    while true {
      let page = try FoldPage(after: token.sequence, of: policy) { try ahead.commit($0) }
      guard !page.commits.isEmpty else { break }
      let known = try folded.look(up: page.names, childrenOf: page.deleted)
      report.recordsAtOnce = max(report.recordsAtOnce, page.operationCount + known.count)
      var cursor = LogCursor(zone: id, from: token, view: known.view)
      for commit in page.commits { try append(commit.file, to: &cursor) }
      for latest in cursor.fold.latest {
        // A checkpoint is its writer's word: under a name that nothing vouches for it would lie.
        let owner = latest.isAuthentic ? nil : page.owner(of: latest.tag)
        let copy =
          try owner.map { latest.written(by: try store.accessControl.account(of: $0)) } ?? latest
        try folded.put(
          copy, operation: page.line(of: copy),
          overwriting: known.versions[ExactString(copy.name)])
      }
      token = cursor.token
    }
    try settle(from: start, to: token, since: manifest)
    return token
  }

  /// Makes the files of the checkpoint one after the other, the same each time.
  private func forEachPart(
    of folded: FoldedLog, at token: ChangeToken, forgettingBefore limit: Int64,
    _ body: (CheckpointPart.File) throws -> Void
  ) throws {
    var writer = CheckpointPart.Writer(epoch: token.epoch, sequence: token.sequence)
    try folded.forEachLine(forgettingBefore: limit) { line in
      if let file = writer.add(line) { try body(file) }
    }
    if let file = writer.finish() { try body(file) }
  }

  private func isThere(_ part: Checkpoint.Part, epoch: Int64) throws -> Bool {
    try store.read(layout.part(part, epoch: epoch), limit: 0) != nil
  }

  private func publish(_ file: CheckpointPart.File, epoch: Int64) throws {
    let key = layout.part(file.part, epoch: epoch)
    guard try publish(key, file.bytes, limit: CloudLimits.readBytes + 1) else {
      throw CloudError.damaged("\(key) is not what its name says.")
    }
  }
}

/// Commits that are folded at once.
struct FoldPage {
  struct Commit {
    var file: CommitFile
    /// Where the lines of the operations are.
    var lines: [Range<Int>] = []
  }

  private(set) var commits: [Commit] = []
  /// What the rules may ask of the state before: of records with these names, and of the children
  /// of those that are deleted.
  private(set) var names: Set<ExactString> = []
  private(set) var deleted: Set<ExactString> = []
  private(set) var operationCount = 0
  private let first: Int64

  /// Reads commits until there is none, or they are as many as are folded at once.
  init(
    after number: Int64, of policy: MaintenancePolicy, _ read: (Int64) throws -> CommitFile?
  ) rethrows {
    first = number + 1
    var byteCount = 0
    while operationCount < policy.operationsAtOnce, byteCount < policy.bytesAtOnce,
      let file = try read(first + Int64(commits.count))
    {
      byteCount += file.bytes.count
      add(file)
    }
  }

  private mutating func add(_ file: CommitFile) {
    var commit = Commit(file: file)
    commit.file.decode { change, range in
      commit.lines.append(range)
      names.insert(ExactString(change.name))
      switch change {
      case .save(let record, _): if let parent = record.parent { names.insert(ExactString(parent)) }
      case .delete(let tombstone, _): deleted.insert(ExactString(tombstone.name))
      }
    }
    operationCount += commit.lines.count
    commits.append(commit)
  }

  func owner(of tag: ChangeTag) -> StoreUser? { self[tag].file.owner }

  /// The line of a version in the checkpoint.
  func line(of copy: ServerCopy) -> ArraySlice<UInt8> {
    // Of a record that was deleted twice, the later clock counts, which may be another line's.
    if case .tombstone(let tombstone) = copy.content {
      return SQLiteSyncCloud.Commit.line(.delete(tombstone, base: nil))[...]
    }
    let commit = self[copy.tag]
    return commit.file.bytes[commit.lines[copy.tag.index]]
  }

  private subscript(tag: ChangeTag) -> Commit { commits[Int(tag.sequence - first)] }
}
