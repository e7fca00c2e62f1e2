import Foundation
import Synchronization

/// Hears what is created in directories of another machine, from a shell that runs there.
///
/// A thread of its own runs until the watch is cancelled. When the connection goes away it is made
/// anew, at the latest half a minute after the server is back. Where the server lets nobody run
/// anything, it looks itself: every 15 seconds, and more often while something happens.
final class SSHWatcher: Sendable {
  private let command: @Sendable () -> [String]?
  private let patience: Int
  /// How long to wait between two attempts to connect.
  private let backOff: BackOff
  private let onSilence: @Sendable () -> Void
  private let look: @Sendable () -> [UInt32?]?
  private let onChange: @Sendable () -> Void
  private let isCancelled = Mutex(false)
  private let bell = Bell()

  /// How many seconds pass at most between two lines of the shell.
  private static let patience = 90
  /// What ssh itself ends with when it cannot connect: see its manual.
  private static let noConnection: Int32 = 255

  /// What runs there, with the directories as arguments.
  ///
  /// It says `changed` when the names in the directories are others than before, and something from
  /// time to time, so that it ends when nobody is there to hear it. Where there is no `inotifywait`
  /// it looks every second.
  static let script = """
    n=0
    while :; do
      new=$(ls -A -- "$@" 2>&1 | cksum)
      [ "$new" = "$old" ] || { echo changed || exit; old=$new; n=0; }
      [ $n -lt 30 ] || { echo still || exit; n=0; }
      inotifywait -qq -t 30 -e create -e moved_to -e delete -- "$@" 2>/dev/null
      case $? in
        0) continue ;;
        2) n=30; continue ;;
      esac
      sleep 1
      n=$((n + 1))
    done
    """

  /// - Parameters:
  ///   - command: Runs `script` there, asked for each connection; nil where nothing can be run.
  ///   - look: Asks when names in the directories last changed; nil while nobody can tell.
  ///   - onSilence: Is told when nothing was heard for that long.
  ///   - patience: How many seconds it may be silent.
  ///   - backOff: How long to wait between two attempts to connect.
  init(
    command: @autoclosure @escaping @Sendable () -> [String]?, patience: Int = patience,
    backOff: BackOff = BackOff(), onSilence: @escaping @Sendable () -> Void = {},
    look: @escaping @Sendable () -> [UInt32?]?, onChange: @escaping @Sendable () -> Void
  ) {
    (self.command, self.patience, self.backOff) = (command, patience, backOff)
    (self.onSilence, self.look, self.onChange) = (onSilence, look, onChange)
  }

  /// Begins to watch.
  func watch() -> StoreWatch {
    Thread.detachNewThread { [self] in run() }
    return StoreWatch { [self] in
      isCancelled.withLock { $0 = true }
      bell.ring()
    }
  }

  private func run() {
    var backOff = backOff
    while !isCancelled.withLock(\.self) {
      switch hear() {
      case .wasThere: backOff.reset()
      case .neverCame: break
      case .isRefused: return lookFromTimeToTime()
      }
      _ = bell.wait(beside: nil, seconds: backOff.next())
    }
  }

  private func lookFromTimeToTime() {
    var (known, quiet) = (look(), 0)
    onChange()
    while !isCancelled.withLock(\.self) {
      _ = bell.wait(beside: nil, seconds: Self.wait(quiet: quiet))
      guard let found = look(), found != known else {
        quiet += 1
        continue
      }
      (known, quiet) = (found, 0)
      onChange()
    }
  }

  /// How many seconds pass between two looks, so many of which found nothing.
  static func wait(quiet: Int) -> Int { min(15, 1 << min(quiet, 4)) }

  /// What came of running the command.
  enum Outcome {
    case wasThere, neverCame, isRefused

    /// - Parameter status: What the command ended with; nil when it was silent for too long.
    init(hasSpoken: Bool, status: Int32?) {
      self = hasSpoken ? .wasThere : status == SSHWatcher.noConnection ? .neverCame : .isRefused
    }
  }

  /// Runs the command until it ends, is silent for too long, or the watch is cancelled.
  private func hear() -> Outcome {
    guard let (socket, there) = SocketPair.make() else { return .isRefused }
    defer { close(socket) }
    guard let child = start(output: there) else { return .isRefused }
    _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    var (speech, isSilent) = (Speech(), false)
    while !isCancelled.withLock(\.self), !isSilent {
      let isAwake = bell.wait(beside: socket, seconds: patience)
      guard let text = Self.read(socket) else {
        isSilent = !isAwake
        continue
      }
      guard !text.isEmpty else { break }
      if speech.tellsOfChange(in: text) { onChange() }
    }
    // One that has said all ends by itself. One that runs something else instead, as a server that
    // only lets files through, goes on.
    if isSilent { onSilence() }
    if isSilent || isCancelled.withLock(\.self) { child.kill() }
    let status = child.waitUntilExit()
    return Outcome(hasSpoken: speech.hasBegun, status: isSilent ? nil : status)
  }

  /// The lines of the script, among whatever else comes from there.
  ///
  /// A server that runs nothing may say so on standard output, and a shell may greet: neither means
  /// that the script runs.
  struct Speech {
    /// Whether a line of the script was heard.
    private(set) var hasBegun = false
    private var unfinished: Substring = ""

    /// Whether a line in what was received says that something has changed.
    mutating func tellsOfChange(in text: String) -> Bool {
      let lines = (unfinished + text).split(separator: "\n", omittingEmptySubsequences: false)
      // Longer than any line of the script is enough to tell that it is none of them.
      unfinished = lines.last?.prefix(16) ?? ""
      let words = lines.dropLast().map { $0.hasSuffix("\r") ? $0.dropLast() : $0 }
      hasBegun = hasBegun || words.contains("changed") || words.contains("still")
      return words.contains("changed")
    }
  }

  private func start(output: Int32) -> ChildProcess? {
    // Its end would not be the end of the connection.
    defer { close(output) }
    guard let command = command() else { return nil }
    return try? ChildProcess(command, output: output)  // what cannot be run is not asked again
  }

  /// What is there; nothing at the end, nil when there may be more later.
  private static func read(_ socket: Int32) -> String? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = buffer.withUnsafeMutableBytes { Foundation.read(socket, $0.baseAddress, $0.count) }
    if count < 0, [EAGAIN, EINTR].contains(errno) { return nil }
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }
}
