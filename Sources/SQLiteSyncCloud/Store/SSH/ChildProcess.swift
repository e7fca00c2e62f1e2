import CSQLiteSyncPosix
import Foundation

/// A program that runs beside this one, and ends with it.
///
/// Foundation's `Process` is not used, because its children block the signals that the thread which
/// starts them blocks. Threads of Dispatch block them all: such a child would be ended by SIGKILL
/// alone, and outlive a program that has no time for it. It also crashes where more than about
/// 1,300 files are open.
package struct ChildProcess: ~Copyable {
  private let id: pid_t

  /// Starts a program, found by `PATH`.
  ///
  /// - Parameters:
  ///   - command: Its name and its arguments.
  ///   - input: A file that it reads from; there is nothing to read without.
  ///   - output: A file that it writes to; it is thrown away without.
  ///   - complaints: What its standard error is, likewise.
  /// - Throws: `POSIXError` when it cannot be started.
  package init(
    _ command: [String], input: Int32 = -1, output: Int32, complaints: Int32 = -1
  ) throws {
    var words = command.map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var id: pid_t = 0
    let error = cposix_start_child(&words, [input, output, complaints], &id)
    guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
    self.id = id
  }

  deinit {
    kill()
    // It may be in a call of the system that no signal ends.
    Thread.detachNewThread { [id] in _ = Self.wait(for: id) }
  }

  /// Ends it and what it has started.
  package func kill() { _ = Foundation.kill(-id, SIGKILL) }

  /// Waits for its end.
  ///
  /// - Returns: Its exit status, or 128 and the number of the signal that ended it.
  package consuming func waitUntilExit() -> Int32 {
    let id = id
    // Its number may be another's from then on.
    discard self
    return Self.wait(for: id)
  }

  private static func wait(for id: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) == -1 && errno == EINTR {}
    let signal = status & 0x7f
    return signal == 0 ? status >> 8 & 0xff : 128 + signal
  }
}
