import Glibc
import RemindersCore
import Synchronization

/// Says that a store is tried out: at once in a terminal, elsewhere once a second has passed.
final class ProbeNote: Sendable {
  private let text: String
  private let note = Mutex<SlowNote?>(nil)

  init(_ text: String) { self.text = text }

  /// Hears that it begins, and that it ends.
  func hear(isRunning: Bool) {
    note.withLock { $0?.end() }
    guard isRunning else { return }
    guard isatty(STDERR_FILENO) == 0 else { return Messages.write(text) }
    note.withLock { $0 = SlowNote { [text] in Messages.write(text) } }
  }
}
