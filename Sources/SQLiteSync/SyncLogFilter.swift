/// Leaves the fetches and sends that found nothing out of a log.
///
/// An engine looks into the cloud every few seconds. What happened yesterday would soon be buried.
struct SyncLogFilter {
  /// A beginning of which it is not known yet whether something follows.
  private var held: SyncEvent?

  /// What belongs into the log, now that `event` came.
  mutating func events(after event: SyncEvent) -> [SyncEvent] {
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
