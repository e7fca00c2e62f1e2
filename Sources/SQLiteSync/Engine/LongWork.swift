import Cloud

/// What is told of fetches and sends that take long enough to be waited for.
extension Synchronizer {
  /// Bytes of files from which on a fetch is long.
  static let longFetch = 1 << 20
  /// Records from which on a send is long.
  static let longSend = 1_000

  /// A page was fetched, and there is more.
  func advance(_ zone: SyncZone, by page: ZoneChanges) throws {
    if let progress {
      self.progress?.completed = progress.completed + page.byteCount
    } else {
      let rest = try zone.log.byteCount(after: page.token)
      if page.byteCount + rest >= Self.longFetch {
        progress = SyncProgress(completed: page.byteCount, total: page.byteCount + rest)
      }
    }
  }

  /// A batch was sent.
  func advance(bySent count: Int) throws {
    if let progress {
      self.progress?.completed = progress.completed + count
    } else {
      let rest = try database.readSnapshot(SyncCounts.init).pending
      if rest >= Self.longSend { progress = SyncProgress(completed: count, total: count + rest) }
    }
  }
}
