import Foundation

extension ZoneLog {
  /// Appends one commit of those changes that the cloud accepts.
  ///
  /// Reads to the end of the log first, however much that is, so the caller should have fetched.
  /// When another writer is faster, only what is new is checked again.
  ///
  /// - Parameters:
  ///   - changes: At most `CloudLimits.operationsPerCommit`, of records that differ.
  ///   - token: The position of the caller.
  ///   - view: What the caller knows of the zone at `token`.
  ///   - atomically: Whether to commit nothing when one of the changes is refused.
  /// - Throws: `limitExceeded` when the changes are too many for one commit, `changeTokenExpired`
  ///   as `changes` does, and whatever the store says.
  public func modify(
    _ changes: [CloudChange], after token: ChangeToken?, view: ServerView, atomically: Bool
  ) throws -> ModifyResult {
    guard changes.count <= CloudLimits.operationsPerCommit else {
      throw CloudError(
        .limitExceeded, "\(changes.count) changes are too many for one request.",
        hint: "At most \(CloudLimits.operationsPerCommit).")
    }
    try container.requireWritable()
    let manifest = try manifest()
    try manifest.requireWritable(id)
    var cursor = try cursor(after: token, manifest: manifest, view: view)
    let first = cursor.token
    var durable = first.sequence
    var request = ModifyRequest(changes, permissions: permissions)
    request.failures = try missingAssets(of: changes, epoch: manifest.epoch)
    var contention = Contention(environment: environment)
    while true {
      while try !advance(&cursor, limit: .max, manifest: manifest) {}
      let draft = try request.draft(onto: cursor.fold, atomically: atomically)
      if draft.lines.isEmpty {
        try settle(from: first, to: cursor.token, since: manifest)
        return ModifyResult(failures: draft.failures, changes: cursor.changes(moreComing: false))
      }
      if cursor.token.sequence > durable {
        // Otherwise a power cut could take back what our commit follows, and keep ours.
        try store.barrier(layout.log(epoch: manifest.epoch))
        durable = cursor.token.sequence
      }
      if let bytes = try commit(draft.lines, after: cursor.token) {
        try cursor.append(CommitFile(bytes: bytes, owner: nil))
        try requireCounting(cursor)
        try settle(from: first, to: cursor.token, since: manifest, isDurable: true)
        let late = try missingAssets(of: draft.changes, epoch: manifest.epoch)
        return ModifyResult(
          failures: draft.failures.merging(late) { early, _ in early },
          changes: cursor.changes(moreComing: false))
      }
      try contention.lost(layout.commit(cursor.token.sequence + 1, epoch: manifest.epoch))
    }
  }

  /// Makes sure that the commit written just now counts.
  ///
  /// It was made to; but the caller's view may have changed meanwhile, when another process works
  /// on the same database. Then nothing of it is taken for sent.
  private func requireCounting(_ cursor: LogCursor) throws {
    guard let void = cursor.voids.last, void.number == cursor.token.sequence else { return }
    throw CloudError.damaged(
      "Commit \(void.number) of the zone \(id.name), written by this device, does not count: "
        + "\(void.reason).")
  }

  /// Publishes a commit after a position; nil when the number was another writer's.
  private func commit(_ lines: [[UInt8]], after token: ChangeToken) throws -> [UInt8]? {
    let header = Commit(
      origin: origin(), zone: id.name, epoch: token.epoch, sequence: token.sequence + 1,
      previous: token.hash, operations: [])
    let file = Commit.file(header: header, lines: lines)
    guard file.count <= CloudLimits.commitBytes else {
      throw CloudError(
        .limitExceeded, "\(file.count) bytes are too many for one request.",
        hint: "At most \(CloudLimits.commitBytes).")
    }
    let key = layout.commit(header.sequence, epoch: token.epoch)
    let isOurs = try publish(key, file, limit: CloudLimits.readBytes + 1)
    return isOurs ? Array(file) : nil
  }

  /// The records that name an asset which is not there.
  private func missingAssets(
    of changes: [CloudChange], epoch: Int64
  ) throws -> [String: CloudError] {
    var failures: [String: CloudError] = [:]
    for case .save(let record, _) in changes {
      for case .asset(let reference) in record.fields.values.map(\.value) {
        guard let key = layout.asset(reference, epoch: epoch) else { continue }
        if try store.read(key, limit: 0) == nil {
          failures[record.name] = CloudError.missingAsset(reference)
        }
      }
    }
    return failures
  }
}
