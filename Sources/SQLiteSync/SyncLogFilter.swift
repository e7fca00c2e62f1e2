import SQLiteSyncCloud

/// Leaves the fetches and sends that found nothing out of a log.
///
/// An engine looks into the cloud every few seconds. What happened yesterday would soon be buried.
struct SyncLogFilter {
  /// A beginning of which it is not known yet whether something follows.
  private var held: SyncEvent?

  /// What belongs in the log, now that `event` came.
  mutating func events(after event: SyncEvent) -> [SyncEvent] {
    guard let event = event.withoutEnginesRecords else { return [] }
    let before = held
    held = nil
    switch (before, event) {
    case (.willFetchChanges?, .didFetchChanges), (.willSendChanges?, .didSendChanges):
      return []
    case (_, .willFetchChanges), (_, .willSendChanges):
      held = event
      return before.map { [$0] } ?? []
    default:
      return (before.map { [$0] } ?? []) + [event]
    }
  }
}

extension SyncEvent {
  /// The event for a log that people read: without the engine's own records, which mean nothing to
  /// them; nil when it is about no others.
  public var withoutEnginesRecords: SyncEvent? {
    func isApps(_ record: Record) -> Bool {
      !record.type.hasPrefix("sync_") && record.type != Share.recordType
    }
    switch self {
    case .fetchedRecordZoneChanges(let modified, let deleted, let zone)
    where !(modified + deleted).allSatisfy(isApps):
      let (modified, deleted) = (modified.filter(isApps), deleted.filter(isApps))
      guard !modified.isEmpty || !deleted.isEmpty else { return nil }
      return .fetchedRecordZoneChanges(modified: modified, deleted: deleted, zone: zone)
    case .nextRecordZoneChangeBatch(let changes, let zone)
    where !changes.map(\.record).allSatisfy(isApps):
      let changes = changes.filter { isApps($0.record) }
      return changes.isEmpty ? nil : .nextRecordZoneChangeBatch(changes, zone: zone)
    case .sentRecordZoneChanges(let saved, let deleted, let failed, let zone)
    where !(saved + deleted).allSatisfy(isApps):
      let (saved, deleted) = (saved.filter(isApps), deleted.filter(isApps))
      // What went wrong is to be seen, whatever it was about.
      guard !saved.isEmpty || !deleted.isEmpty || !failed.isEmpty else { return nil }
      return .sentRecordZoneChanges(saved: saved, deleted: deleted, failed: failed, zone: zone)
    case .merged(let conflicts) where !conflicts.map(\.record).allSatisfy(isApps):
      let conflicts = conflicts.filter { isApps($0.record) }
      return conflicts.isEmpty ? nil : .merged(conflicts)
    case .revived(let records) where !records.allSatisfy(isApps):
      let records = records.filter(isApps)
      return records.isEmpty ? nil : .revived(records)
    case .withdrawn(let records) where !records.allSatisfy(isApps):
      let records = records.filter(isApps)
      return records.isEmpty ? nil : .withdrawn(records)
    case .waiting(let record, _): return isApps(record) ? self : nil
    default: return self
    }
  }
}
