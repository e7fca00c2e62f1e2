/// What a zone shares.
public struct SharedRoot: Hashable, Sendable {
  /// What it is, in words.
  public let title: String
  /// Whether the record that is shared was deleted.
  public let isDeleted: Bool
}

extension ZoneLog {
  /// Looks at what somebody else shares, before it is followed: reads the zone to its end.
  ///
  /// - Throws: `zoneNotFound` or `userDeletedZone` when it is gone, `permissionFailure` when it is
  ///   not shared with this account, and whatever keeps it from being read.
  public func sharedRoot() throws -> SharedRoot {
    let (cursor, manifest) = try readWhole()
    let share = try cursor.fold.trustedShare()
    try permissions.requireReadable(
      share, isAnew: manifest.epoch > 1)
    guard let share else { throw CloudError.noZone(id) }
    return SharedRoot(
      title: share.title, isDeleted: try cursor.fold.state(of: share.root)?.deleted != nil)
  }

  /// Lets in whom the share in the log names, and keeps all others out; nothing without a share.
  func protectAgain() throws {
    let (cursor, _) = try readWhole()
    guard let share = try cursor.fold.trustedShare() else { return }
    try protect(for: share)
  }

  private func readWhole() throws -> (LogCursor, ZoneManifest) {
    try container.requireOpen()
    let manifest = try manifest()
    var cursor = LogCursor(zone: id, from: manifest.start, view: nil)
    while try !advance(&cursor, limit: CloudLimits.commitsPerFetch, manifest: manifest) {}
    return (cursor, manifest)
  }
}
