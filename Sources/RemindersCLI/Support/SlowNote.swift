import Dispatch
import Glibc
import Synchronization

/// Says what takes long: at once in a terminal, elsewhere once a second has passed.
final class SlowNote: Sendable {
  private let text: String
  private let isDone = Mutex(true)

  init(_ text: String) { self.text = text }

  /// Hears that it begins, and that it ends.
  func hear(isRunning: Bool) {
    isDone.withLock { $0 = !isRunning }
    guard isRunning else { return }
    guard isatty(STDERR_FILENO) == 0 else { return Messages.write(text) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) { [self] in
      if isDone.withLock({ !$0 }) { Messages.write(text) }
    }
  }
}
