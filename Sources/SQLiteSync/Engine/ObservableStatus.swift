import Observation

/// The status of an engine, for streams and for the Observation framework.
final class ObservableStatus: Observable, Sendable {
  private let current = CurrentValue(SyncStatus())
  private let registrar = ObservationRegistrar()

  var value: SyncStatus {
    registrar.access(self, keyPath: \.value)
    return current.value
  }

  /// A new stream: the status now, and each time it changes.
  func stream() -> AsyncStream<SyncStatus> { current.stream() }

  /// Observers hear of it when the new value can be read.
  func update(_ change: (inout SyncStatus) -> Void) {
    guard current.update(change) else { return }
    registrar.withMutation(of: self, keyPath: \.value) {}
  }

  func finish() {
    current.finish()
  }
}
