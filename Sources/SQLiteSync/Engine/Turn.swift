import Synchronization

/// A call that waits for its turn on the engine's queue, behind work that may take long.
///
/// Cancelled before its turn it ends at once, and what it was to do is not done.
final class Turn: Sendable {
  typealias Continuation = CheckedContinuation<Void, any Error>

  private enum State {
    case new
    case waiting(Continuation)
    case over
  }

  private let state = Mutex(State.new)

  /// Begins to wait; ends at once when it was cancelled before.
  func wait(_ continuation: Continuation) {
    let isOver = state.withLock { state in
      guard case .new = state else { return true }
      state = .waiting(continuation)
      return false
    }
    if isOver { continuation.resume(throwing: CancellationError()) }
  }

  /// Who waits, when its turn has come; nil when it does not wait any more.
  func take() -> Continuation? {
    state.withLock { state in
      defer { state = .over }
      return if case .waiting(let continuation) = state { continuation } else { nil }
    }
  }

  /// Ends the waiting, unless its turn has come.
  func cancel() {
    take()?.resume(throwing: CancellationError())
  }
}
