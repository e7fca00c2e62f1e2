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
    let zone = FoldedZone<CheckpointPart.Line>()
    let before: Set<String>?
    let token: ChangeToken
    do {
      for part in manifest.checkpoint?.checkpoint.parts ?? [] {
        try readPart(part, epoch: manifest.epoch) { copy, line in
          zone.put(copy, operation: line)
        }
      }
      before = manifest.checkpoint == nil ? nil : zone.assets
      token = try fold(into: zone, manifest)
    } catch let error as CloudError where [.tokenExpired, .rebuilt(id)].contains(error) {
      return  // Another maintainer was faster, or the log was begun anew.
    }
    guard token.sequence > manifest.checkpoint?.checkpoint.sequence ?? 0 else { return }
    // Its owner's devices say again what somebody else has said in their name; then it is folded.
    guard !zone.isShareForged else { return }
    zone.forgetDeletions(before: oldestDeletion(policy, now))
    let files = CheckpointPart.files(zone.lines, epoch: token.epoch, sequence: token.sequence)
    let checkpoint = Checkpoint(
      sequence: token.sequence, hash: token.hash, parts: files.map(\.part),
      floor: try floor(upTo: token.sequence, manifest, policy, now))
    try publish(files, epoch: token.epoch)
    try publishMeta { current in
      guard let current, current.epoch == manifest.epoch, current.deletion == nil,
        current.checkpoint?.checkpoint.sequence ?? 0 < token.sequence
      else { return nil }
      return (current.epoch, .checkpoint(checkpoint))
    }
    // If this device slept meanwhile, a collector took its parts for a dead writer's leftovers.
    try publish(
      files.filter { try store.read(layout.part($0.part, epoch: token.epoch), limit: 0) == nil },
      epoch: token.epoch)
    report.checkpoint = token.sequence
    if let before { try collectAssets(live: before.union(zone.assets), policy, now, &report) }
  }

  /// Brings the commits after the checkpoint in.
  private func fold(into zone: FoldedZone<CheckpointPart.Line>, _ manifest: ZoneManifest) throws
    -> ChangeToken
  {
    let start = ChangeToken(
      zone: manifest.identity, epoch: manifest.epoch,
      sequence: manifest.start.sequence, hash: manifest.start.hash)
    var cursor = LogCursor(zone: id, from: start, view: zone.view)
    var lines: [ChangeTag: [UInt8]] = [:]
    var owners: [Int64: StoreUser] = [:]
    var ahead = ReadAhead(log: self, epoch: manifest.epoch)
    while let file = try ahead.commit(cursor.token.sequence + 1) {
      let sequence = cursor.token.sequence + 1
      owners[sequence] = file.owner
      var index = 0
      let bytes = file.bytes
      try append(file, to: &cursor) { _, range in
        lines[ChangeTag(epoch: manifest.epoch, sequence: sequence, index: index)] =
          Array(bytes[range])
        index += 1
      }
    }
    try settle(from: start, to: cursor.token, since: manifest)
    for latest in cursor.fold.latest {
      // A checkpoint is its writer's word: under a name that nothing vouches for it would lie.
      let owner = latest.isAuthentic ? nil : owners[latest.tag.sequence]
      let copy =
        try owner.map { latest.written(by: try store.accessControl.account(of: $0)) } ?? latest
      // Of a record that was deleted twice, the later clock counts, which may be another line's.
      if case .tombstone(let tombstone) = copy.content {
        zone.put(copy, operation: Commit.line(.delete(tombstone, base: nil))[...])
      } else if let line = lines[copy.tag] {
        zone.put(copy, operation: line[...])
      }
    }
    return cursor.token
  }

  private func publish(_ files: [(part: Checkpoint.Part, bytes: Data)], epoch: Int64) throws {
    for (part, bytes) in files {
      let key = layout.part(part, epoch: epoch)
      guard try publish(key, bytes, limit: CloudLimits.readBytes + 1) else {
        throw CloudError.damaged("\(key) is not what its name says.")
      }
    }
  }
}
