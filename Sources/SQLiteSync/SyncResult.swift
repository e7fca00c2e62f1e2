/// What came of a fetch, a send or both that were asked for by hand.
public struct SyncResult: Hashable, Sendable {
  /// Records whose rows were written or deleted.
  public var fetched = 0
  /// Records that the cloud took, deletions among them.
  public var sent = 0
  /// Records with unsent edits that met another version and are one with it now.
  public var merged = 0
  /// Records that the cloud refused to take.
  public var refused = 0
  /// Fetched records that a constraint refuses, or that wait for a parent.
  public var keptAside = 0

  /// Nothing came of it.
  public init() {}

  /// Counts an event.
  mutating func count(_ event: SyncEvent) {
    switch event {
    case .fetchedRecordZoneChanges(let modified, let deleted, _):
      fetched += modified.count + deleted.count
    case .sentRecordZoneChanges(let saved, let deleted, let failed, _):
      sent += saved.count + deleted.count
      refused += failed.count { !$0.isConflict && !$0.isHeldBack }
    case .merged(let conflicts): merged += conflicts.count
    case .quarantined, .waiting: keptAside += 1
    default: break
    }
  }
}
