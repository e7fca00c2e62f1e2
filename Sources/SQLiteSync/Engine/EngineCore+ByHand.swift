import Synchronization

/// What somebody asks the engine to do now: see `SyncEngine.syncChanges`.
extension EngineCore {
  /// Runs one piece of work asked for by hand, between the engine's own.
  ///
  /// When its task is cancelled or the engine is stopped, it ends between two pages or batches.
  ///
  /// Throws `CancellationError` when it ended before its end.
  @discardableResult
  func perform(
    _ work: @escaping @Sendable (Synchronizer) throws -> Void
  ) async throws -> SyncResult {
    let order = ByHand(stops: stops.withLock { $0 })
    try await withTaskCancellationHandler {
      try await onQueue { core in
        guard !core.isRevoked(order) else { throw CancellationError() }
        try core.performNow(order, work)
        guard !core.isRevoked(order) else { throw CancellationError() }
      }
    } onCancel: {
      order.isCancelled.withLock { $0 = true }
    }
    return order.tally.withLock { $0.result }
  }

  /// What somebody has asked for.
  final class ByHand: Sendable {
    let isCancelled = Mutex(false)
    /// What has come of it so far.
    let tally = Mutex(SyncTally())
    /// How often the engine had been stopped by then.
    let stops: Int

    init(stops: Int) {
      self.stops = stops
    }
  }

  func isRevoked(_ order: ByHand) -> Bool {
    order.isCancelled.withLock { $0 } || stops.withLock { $0 } != order.stops
  }

  private func performNow(_ order: ByHand, _ work: (Synchronizer) throws -> Void) throws {
    let isOpen = lock != nil
    // Fetching and sending show in the status meanwhile; then it is what it was.
    defer { phaseChanged() }
    do {
      try holdingLock(else: "It sends and fetches on its own; there is nothing to do.") {
        if !isOpen { try followAccount() }
        guard let synchronizer else { throw SyncAccount.nobody }
        if !isOpen { try synchronizer.open() }
        (byHand, synchronizer.occasion) = (order, .manual)
        defer { (byHand, synchronizer.occasion) = (nil, .scheduled) }
        try work(synchronizer)
        try synchronizer.reportDistrust()
      }
      succeed()
    } catch {
      fail(error)
      throw error
    }
  }
}
