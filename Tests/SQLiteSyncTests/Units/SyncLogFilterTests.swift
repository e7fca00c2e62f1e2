import Testing

@testable import SQLiteSync

@Suite struct SyncLogFilterTests {
  private func filtered(_ events: [SyncEvent]) -> [SyncEvent] {
    var filter = SyncLogFilter()
    return events.flatMap { filter.events(after: $0) }
  }

  @Test func fetchesAndSendsThatFoundNothingAreLeftOut() {
    let idle: [SyncEvent] = [
      .willFetchChanges, .didFetchChanges, .willSendChanges, .didSendChanges,
    ]
    #expect(filtered([.started] + idle + idle + [.stopped]) == [.started, .stopped])
  }

  @Test func thoseThatFoundSomethingAreWhole() {
    let events: [SyncEvent] = [
      .willFetchChanges, .failed(message: "No disk.", hint: nil), .willSendChanges, .merged([]),
      .didSendChanges, .didFetchChanges,
    ]
    #expect(filtered(events) == events)
  }
}
