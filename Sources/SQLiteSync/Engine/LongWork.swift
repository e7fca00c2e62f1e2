import SQLiteSyncCloud

/// What is told of fetches and sends that take long enough to be waited for.
extension Synchronizer {
  /// Bytes of files from which on a fetch is long.
  static let longFetch = 1 << 20
  /// Pages after which it is worth looking how much more there is.
  private static let fewPages = 2
  /// Records from which on a send is long.
  static let longSend = 1_000

  /// So many pages were fetched, with so many bytes, and there is more.
  ///
  /// What is left is looked at once, and not for the sake of a page or two.
  func advance(_ zone: SyncZone, to page: ZoneChanges, pages: Int, bytes: Int) {
    if progress != nil {
      progress?.completed = bytes
    } else if pages == Self.fewPages {
      // What cannot be measured is fetched all the same.
      guard let rest = try? zone.log.byteCount(after: page.token) else { return }
      if bytes + rest >= Self.longFetch {
        progress = SyncProgress(completed: bytes, total: bytes + rest)
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
