/// What came of a fetch, a send or both that were asked for by hand.
public struct SyncResult: Hashable, Sendable {
  /// Records that came from the cloud, deletions among them; those that are kept aside count there,
  /// too.
  ///
  /// A record that came before, and becomes a row now, is none of them.
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
}

/// What comes of work by hand, event by event.
///
/// A record can be refused, merged or kept aside several times over, and counts once.
struct SyncTally {
  private(set) var result = SyncResult()
  private var merged: Set<SyncEvent.Record> = []
  private var refused: Set<SyncEvent.Record> = []
  private var keptAside: Set<SyncEvent.Record> = []

  /// Counts an event.
  mutating func count(_ event: SyncEvent) {
    switch event {
    case .fetchedRecordZoneChanges(let modified, let deleted, _):
      result.fetched += (modified + deleted).count { !$0.isDeviceName }
    case .sentRecordZoneChanges(let saved, let deleted, let failed, _):
      result.sent += (saved + deleted).count { !$0.isDeviceName }
      refused.subtract(saved + deleted)
      refused.formUnion(failed.filter { !$0.isConflict && !$0.isHeldBack }.map(\.record))
    case .merged(let conflicts): merged.formUnion(conflicts.map(\.record))
    case .quarantined(let record, _), .waiting(let record, _): keptAside.insert(record)
    default: return
    }
    (result.merged, result.refused, result.keptAside) =
      (merged.count, refused.count, keptAside.count)
  }
}
