import CRemindersNcurses
import Dispatch
import Glibc

/// A program that takes over the terminal for a while, such as an editor.
///
/// It runs in this program's process group. With one of its own, as Foundation's `Process` would
/// give it, it could not read the terminal.
public enum ForegroundProgram {
  /// Runs a program, found by `PATH`, and waits for its end; call it inside `runExternal`.
  ///
  /// - Returns: Its exit status, or 128 and the number of the signal that ended it.
  /// - Throws: `TerminalError` when it cannot be started.
  public static func run(_ arguments: [String]) async throws -> Int32 {
    let (error, status) = await withCheckedContinuation { continuation in
      // Waiting takes as long as the person edits, so no thread of Swift's own may do it.
      DispatchQueue.global().async { continuation.resume(returning: wait(for: arguments)) }
    }
    if error == 0 { return status }
    throw TerminalError(
      "“\(arguments.first ?? "")” cannot be started: \(String(cString: strerror(error))).",
      hint: "Check that it is installed and that its name is right.")
  }

  private static func wait(for arguments: [String]) -> (error: Int32, status: Int32) {
    if arguments.isEmpty { return (EINVAL, 0) }
    var words = arguments.map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var status: Int32 = 0
    let error = cn_run(&words, &status)
    return (error, status)
  }
}
