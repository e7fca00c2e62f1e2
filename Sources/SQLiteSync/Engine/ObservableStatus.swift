import Observation

/// The status of an engine, for streams and for the Observation framework.
///
/// What an app watches most is watched by itself: a counter that changes is no news to who wants to
/// know whether the engine runs.
final class ObservableStatus: Observable, Sendable {
  private let current = CurrentValue(SyncStatus())
  private let registrar = ObservationRegistrar()

  var value: SyncStatus { watched(\.value) { $0 } }
  var isRunning: Bool { watched(\.isRunning, \.isRunning) }
  var isFetching: Bool { watched(\.isFetching) { $0.phase == .fetching } }
  var isSending: Bool { watched(\.isSending) { $0.phase == .sending } }

  private func watched<Member>(
    _ path: KeyPath<ObservableStatus, Member>, _ member: (SyncStatus) -> Member
  ) -> Member {
    registrar.access(self, keyPath: path)
    return member(current.value)
  }

  /// A new stream: the status now, and each time it changes.
  func stream() -> AsyncStream<SyncStatus> { current.stream() }

  /// Observers hear of it when the new value can be read.
  func update(_ change: (inout SyncStatus) -> Void) {
    var (before, after) = (SyncStatus(), SyncStatus())
    let isOther = current.update { status in
      before = status
      change(&status)
      after = status
    }
    guard isOther else { return }
    tell(\.value)
    if before.isRunning != after.isRunning { tell(\.isRunning) }
    if (before.phase == .fetching) != (after.phase == .fetching) { tell(\.isFetching) }
    if (before.phase == .sending) != (after.phase == .sending) { tell(\.isSending) }
  }

  private func tell<Member>(_ path: KeyPath<ObservableStatus, Member>) {
    registrar.withMutation(of: self, keyPath: path) {}
  }

  func finish() {
    current.finish()
  }
}
