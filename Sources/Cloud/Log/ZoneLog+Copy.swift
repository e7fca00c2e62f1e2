import Foundation

extension ZoneLog {
  /// The version of a record that a tag names, read again from its commit or the checkpoint.
  ///
  /// Nil when it is gone: it was folded into a checkpoint and is not the latest there, or it is of
  /// an earlier epoch. For a caller who keeps tags and not images, and needs a row back.
  public func copy(at tag: ChangeTag) throws -> ServerCopy? {
    try container.requireOpen()
    return try copyInLog(at: tag) ?? copyInCheckpoint(at: tag)
  }

  private func copyInLog(at tag: ChangeTag) throws -> ServerCopy? {
    guard let bytes = try readCommit(tag.sequence, epoch: tag.epoch) else { return nil }
    let commit: Commit
    do {
      commit = try Commit.read(SealedFile(bytes))
    } catch {
      throw CloudError.damaged(
        "\(layout.commit(tag.sequence, epoch: tag.epoch)) cannot be read: \(error).")
    }
    guard commit.operations.indices.contains(tag.index) else { return nil }
    return ServerCopy(
      content: commit.operations[tag.index].content, tag: tag, author: commit.origin.author,
      device: commit.origin.device)
  }

  private func copyInCheckpoint(at tag: ChangeTag) throws -> ServerCopy? {
    let manifest = try manifest()
    guard tag.epoch == manifest.epoch else { return nil }
    var found: ServerCopy?
    for part in manifest.checkpoint?.checkpoint.parts ?? [] where found == nil {
      try readPart(part, epoch: tag.epoch) { copy, _ in
        if copy.tag == tag { found = copy }
      }
    }
    return found
  }
}
