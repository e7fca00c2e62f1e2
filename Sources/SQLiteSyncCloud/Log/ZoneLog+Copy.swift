import Foundation

extension ZoneLog {
  /// The versions of records that tags name, read again from their commits or the checkpoint; each
  /// file is read once.
  ///
  /// Those that are gone are left out: folded into a checkpoint and not the latest there, of an
  /// earlier epoch, or in a file that is damaged, which is told when it is its turn. For a caller
  /// who keeps tags and not images, and needs rows back.
  ///
  /// - Parameters:
  ///   - tags: The versions.
  ///   - later: Later versions of the same records, where they are known. A checkpoint that holds
  ///     them, or versions after them, is not searched.
  public func copies(
    at tags: Set<ChangeTag>, overwrittenBy later: [ChangeTag: ChangeTag] = [:]
  ) throws -> [ChangeTag: ServerCopy] {
    try container.requireOpen()
    let found = try copiesInLog(at: tags)
    let missing = tags.filter { found[$0] == nil }
    guard !missing.isEmpty else { return found }
    return try found.merging(copiesInCheckpoint(at: missing, later)) { first, _ in first }
  }

  private func copiesInLog(at tags: Set<ChangeTag>) throws -> [ChangeTag: ServerCopy] {
    var found: [ChangeTag: ServerCopy] = [:]
    for (epoch, tags) in Dictionary(grouping: tags, by: \.epoch) {
      for (sequence, tags) in Dictionary(grouping: tags, by: \.sequence) {
        guard let (commit, owner) = try leavingOut({ try commit(sequence, epoch: epoch) }) else {
          continue
        }
        let isAuthentic = try container.vouches(owner, for: commit.origin.author)
        for tag in tags where commit.operations.indices.contains(tag.index) {
          found[tag] = commit.copy(at: tag, isAuthentic: isAuthentic)
        }
      }
    }
    return found
  }

  func commit(_ number: Int64, epoch: Int64) throws -> (Commit, owner: StoreUser?)? {
    guard let file = try readCommit(number, epoch: epoch) else { return nil }
    do {
      return (try Commit.read(SealedFile(file.bytes)), file.owner)
    } catch {
      return nil
    }
  }

  /// Nil for what is damaged; that the cloud cannot be reached is thrown, since it may be soon.
  func leavingOut<Found>(_ read: () throws -> Found?) throws -> Found? {
    do {
      return try read()
    } catch let error as CloudError where error.code == .internalError {
      return nil
    }
  }

  private func copiesInCheckpoint(
    at tags: Set<ChangeTag>, _ later: [ChangeTag: ChangeTag]
  ) throws -> [ChangeTag: ServerCopy] {
    let manifest = try manifest()
    guard let checkpoint = manifest.checkpoint?.checkpoint else { return [:] }
    let wanted = tags.filter { tag in
      tag.epoch == manifest.epoch && tag.sequence <= checkpoint.sequence
        && later[tag].map { $0.sequence > checkpoint.sequence } ?? true
    }
    var found: [ChangeTag: ServerCopy] = [:]
    for part in checkpoint.parts where found.count < wanted.count {
      try leavingOut {
        try readPart(part, epoch: manifest.epoch) { copy, _ in
          if wanted.contains(copy.tag) { found[copy.tag] = copy }
        }
      }
    }
    return found
  }
}

extension Commit {
  /// One of its versions, which a tag names.
  func copy(at tag: ChangeTag, isAuthentic: Bool) -> ServerCopy {
    ServerCopy(
      content: operations[tag.index].content, tag: tag, author: origin.author,
      device: origin.device, isAuthentic: isAuthentic)
  }
}
