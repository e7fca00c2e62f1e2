import CRemindersNcurses
import Glibc

/// Gives the terminal back when the program ends in a way that it did not choose, and tells about
/// signals on the main queue.
///
/// A Swift trap prints its reason before it ends the process, which would be lost on the screen
/// that is about to disappear; so stderr goes to a file while the screen is up, and what was
/// written is repeated once the terminal is restored.
@MainActor
final class TerminalGuard {
  private let terminal: Int32
  private let log: Int32?
  private let signals: Int32

  /// - Parameters:
  ///   - terminal: the descriptor of the terminal, in the modes to come back to.
  ///   - errorLog: the file for stderr; only used when stderr is a terminal.
  /// - Throws: `TerminalError` when the terminal has no modes, or the file cannot be opened.
  init(terminal: Int32, errorLog: String?) throws {
    guard cn_guard_remember(terminal) else {
      throw TerminalError(
        "Keys cannot be read: the input is not a terminal.",
        hint: "Start reminders in a terminal, or use its commands: reminders help.")
    }
    log = isatty(STDERR_FILENO) == 1 ? try errorLog.map(TerminalGuard.open) : nil
    signals = cn_guard_install()
    guard signals >= 0 else {
      throw TerminalError(
        "Signals cannot be watched: \(String(cString: strerror(errno))).",
        hint: "Close some files or raise ulimit -n.")
    }
    self.terminal = terminal
  }

  /// Where the numbers of signals arrive.
  var signalDescriptor: Int32 { signals }

  /// The signals that arrived since the last call.
  func pendingSignals() -> [Int32] {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(signals, &bytes, bytes.count)
    return bytes.prefix(max(0, count)).map(Int32.init)
  }

  /// From now on the screen is up: `sequence` leaves it.
  func arm(restoringBy sequence: String) {
    let bytes = sequence.utf8CString.dropLast()
    bytes.withUnsafeBufferPointer { cn_guard_arm($0.baseAddress, $0.count) }
    cn_guard_catch_stop()
    if let log { cn_stderr_divert(log) }
  }

  /// The screen was left in good order.
  func disarm() {
    cn_guard_disarm()
    cn_stderr_restore()
  }

  /// Stops the process and the others of its job, until the shell continues them.
  func stop(by signal: Int32) { cn_guard_stop(signal) }

  /// Another program has the terminal: Ctrl-Z there stops this one as well.
  func letStop() { cn_guard_let_stop() }

  /// Watches nothing any more.
  func remove() { cn_guard_remove() }

  /// Ends the process as the signal would have without a handler.
  func die(by signal: Int32) { cn_guard_die(signal) }

  private static func open(_ path: String) throws -> Int32 {
    let flags = O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let descriptor = Glibc.open(path, flags, 0o600)
    var facts = stat()
    guard descriptor >= 0, fstat(descriptor, &facts) == 0 else {
      throw cannotKeep(path, String(cString: strerror(errno)))
    }
    // A pipe that nobody reads would stop the program that writes to it.
    guard facts.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw cannotKeep(path, "it is not an ordinary file")
    }
    // Whatever the umask, and an earlier version, made of it; others' files stay as they are.
    if facts.st_uid == geteuid() { _ = fchmod(descriptor, 0o600) }
    return descriptor
  }
  private static func cannotKeep(_ path: String, _ reason: String) -> TerminalError {
    TerminalError(
      "Error messages cannot be kept in \(path): \(reason).",
      hint: "Check the directory, or choose another with XDG_STATE_HOME.")
  }
}
