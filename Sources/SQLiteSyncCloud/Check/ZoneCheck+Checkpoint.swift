extension ZoneCheck {
  /// Reads a checkpoint and verifies it by itself; nil when it cannot be read whole.
  func readCheckpoint(
    _ checkpoint: Checkpoint, epoch: Int64, isNewest: Bool
  ) throws -> FoldedZone? {
    let zone = FoldedZone()
    var last: ChangeTag?
    var isWhole = true
    for (index, part) in checkpoint.parts.enumerated() {
      let key = layout.part(part, epoch: epoch)
      guard let file = try readPart(part, key, isNewest: isNewest) else {
        isWhole = false
        continue
      }
      var count: Int64 = 0
      var objection: String?
      do {
        try CheckpointPart.read(file) { copy, line in
          count += 1
          objection =
            objection ?? self.objection(to: copy, after: last, in: zone, checkpoint, epoch)
          last = copy.tag
          zone.put(copy, lineHash: ContentHash(of: line))
        }
      } catch {
        objection = "\(error)"
      }
      if count != part.recordCount {
        objection = objection ?? "it has \(count) lines, not \(part.recordCount)"
      }
      if part.name
        != Checkpoint.Part.name(
          sequence: checkpoint.sequence, hash: part.hash, number: index + 1)
      {
        objection = objection ?? "its name is that of another part"
      }
      guard let objection else { continue }
      notes.add(
        .damage, key, "The part breaks a rule: \(objection).",
        "A device in step makes a new checkpoint in time; until then new devices lack records.")
    }
    return isWhole ? zone : nil
  }

  private func readPart(
    _ part: Checkpoint.Part, _ key: StoreKey, isNewest: Bool
  ) throws -> SealedFile? {
    guard let bytes = try store.read(key, limit: CloudLimits.readBytes + 1) else {
      lost(key, part.hash, "A part of a checkpoint is missing.", blocksLog: isNewest)
      return nil
    }
    let file = SealedFile(Array(bytes))
    guard file.hash == part.hash else {
      lost(key, part.hash, "A part of a checkpoint is not what was written.", blocksLog: isNewest)
      return nil
    }
    return file
  }

  private func objection(
    to copy: ServerCopy, after last: ChangeTag?, in zone: FoldedZone,
    _ checkpoint: Checkpoint, _ epoch: Int64
  ) -> String? {
    if let last, !(last < copy.tag) { return "the tag \(copy.tag) is not after \(last)" }
    if copy.tag.epoch != epoch || copy.tag.sequence > checkpoint.sequence {
      return "the tag \(copy.tag) is none of what was folded"
    }
    return zone.versions[ExactString(copy.name)] == nil ? nil : "\(copy.name) is there twice"
  }

  /// Compares a checkpoint with the log folded up to it.
  func compare(
    _ checkpoint: FoldedZone, with log: FoldedZone,
    _ named: ZoneManifest.Named
  ) {
    var differing = checkpoint.versions.filter { name, version in
      guard let folded = log.versions[name] else { return true }
      // A tombstone is written anew: the later of two deletions counts.
      return folded.state != version.state
        || (version.state.deleted == nil && folded.lineHash != version.lineHash)
    }.map(\.key.string)
    // Old tombstones are left out.
    differing += log.versions.filter { name, version in
      version.state.deleted == nil && checkpoint.versions[name] == nil
    }.map(\.key.string)
    guard let example = differing.min() else { return }
    notes.add(
      .damage, layout.metaEntry(named.number),
      "The checkpoint is not the log folded: \(differing.count) records differ, of which one is "
        + "\(example).",
      "Devices that began with it differ from the others; a device in step that edits these "
        + "records repairs them.")
  }

  /// Reports parts that no checkpoint names.
  func checkParts(_ manifest: ZoneManifest) throws {
    let folder = try folder(layout.checkpoints(epoch: manifest.epoch)) { entry in
      Checkpoint.Part.isName(entry.name)
    }
    let named = Set(manifest.checkpoints.flatMap { $0.checkpoint.parts.map(\.name) })
    for entry in folder.expected
    where !named.contains(entry.name) && now - entry.modified >= policy.leftoverAge {
      notes.add(
        .note, folder.path(of: entry), "No checkpoint names this part.",
        "It can be removed.",
        repair: isOwn && entry.isRegular
          ? .remove(StoreKey(folder.prefix, listed: entry)) : nil)
    }
  }
}
