import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

@Suite struct SyncLogFilterTests {
  private func filtered(_ events: [SyncEvent]) -> [SyncEvent] {
    var filter = SyncLogFilter()
    return events.flatMap { filter.events(after: $0) }
  }

  @Test func fetchesAndSendsThatFoundNothingAreLeftOut() {
    let idle: [SyncEvent] = [
      .willFetchChanges(.scheduled), .didFetchChanges, .willSendChanges(.scheduled),
      .didSendChanges,
    ]
    #expect(filtered([.started] + idle + idle + [.stopped]) == [.started, .stopped])
  }

  @Test func thoseThatFoundSomethingAreWhole() {
    let events: [SyncEvent] = [
      .willFetchChanges(.scheduled), .failed(message: "No disk.", hint: nil),
      .willSendChanges(.scheduled), .merged([]),
      .didSendChanges, .didFetchChanges,
    ]
    #expect(filtered(events) == events)
  }

  @Test func recordsOfTheEngineAreLeftOut() {
    let list = SyncEvent.Record(type: "lists", name: "l:lists")
    let own = [
      SyncEvent.Record(type: "sync_shares", name: "u1/z:sync_shares"),
      SyncEvent.Record(type: Share.recordType, name: Share.recordName),
    ]
    #expect(
      filtered([
        .fetchedRecordZoneChanges(modified: own, deleted: own),
        .sentRecordZoneChanges(saved: own + [list], deleted: own, failed: []),
        .nextRecordZoneChangeBatch(own.map { .init(record: $0, isDeletion: false) }),
      ]) == [.sentRecordZoneChanges(saved: [list], deleted: [], failed: [])])
  }
}
