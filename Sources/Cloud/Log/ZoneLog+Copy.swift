import Foundation

extension ZoneLog {
  /// The version of a record that a tag names, read from its commit again.
  ///
  /// Nil when the commit is gone: folded into a checkpoint, or of an earlier epoch. For a caller
  /// who keeps tags and not images, and needs a row back.
  public func copy(at tag: ChangeTag) throws -> ServerCopy? {
    try container.requireOpen()
    let key = layout.commit(tag.sequence, epoch: tag.epoch)
    guard let bytes = try store.read(key, limit: CloudLimits.readBytes + 1) else { return nil }
    let commit: Commit
    do {
      commit = try Commit.read(Array(bytes))
    } catch {
      throw CloudError(.internalError, "\(key) cannot be read: \(error).")
    }
    guard commit.operations.indices.contains(tag.index) else { return nil }
    return ServerCopy(
      content: commit.operations[tag.index].content, tag: tag, author: commit.origin.author,
      device: commit.origin.device)
  }
}
