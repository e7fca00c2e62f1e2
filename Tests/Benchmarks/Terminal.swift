import Foundation
import Glibc

/// A program on a terminal of its own: keys in, the bytes of its screen out.
final class Terminal {
  private let process: pid_t
  private let descriptor: Int32
  private var output: [UInt8] = []

  /// Starts a program; its environment is this one's, with a terminal that shows everything.
  init(_ path: String, _ arguments: [String], columns: Int = 100, rows: Int = 30) throws {
    var environment = ProcessInfo.processInfo.environment
    environment["TERM"] = "xterm-256color"
    // Made before the fork: afterwards, only exec is safe.
    let argv = ([path] + arguments).map { strdup($0) } + [nil]
    let envp = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var size = winsize()
    (size.ws_col, size.ws_row) = (UInt16(columns), UInt16(rows))
    var master: Int32 = -1
    process = forkpty(&master, nil, nil, &size)
    if process == 0 {
      execve(path, argv, envp)
      _exit(127)
    }
    guard process > 0 else { throw POSIXError(.EAGAIN) }
    descriptor = master
  }

  /// Kills the program, if it still runs.
  deinit {
    kill(process, SIGKILL)
    var status: Int32 = 0
    waitpid(process, &status, 0)
    close(descriptor)
  }

  /// Presses keys and returns the seconds until `text` is written, or throws after a while.
  @discardableResult
  func press(_ keys: String = "", until text: String, within seconds: Double = 30) throws -> Double
  {
    let start = ContinuousClock.now
    // What was written before answers nothing.
    if !keys.isEmpty { _ = read(for: 0) }
    output = []
    send(keys)
    let wanted = Array(text.utf8)
    while true {
      if contains(wanted) { return (ContinuousClock.now - start).seconds }
      let left = seconds - (ContinuousClock.now - start).seconds
      guard left > 0, read(for: left) else { throw NothingCame(text: text) }
    }
  }

  /// Presses keys and returns the seconds until the last byte before a silence.
  @discardableResult
  func press(_ keys: String, silence: Double) -> Double {
    answer(to: keys, silence: silence, within: 1)?.end ?? 0
  }

  /// Presses keys and returns the seconds until the first byte and until the last one before a
  /// silence; nil when nothing is written in time.
  func answer(
    to keys: String, silence: Double, within seconds: Double
  ) -> (start: Double, end: Double)? {
    _ = read(for: 0)
    let start = ContinuousClock.now
    send(keys)
    var answer: (start: Double, end: Double)?
    while read(for: answer == nil ? seconds : silence) {
      let moment = (ContinuousClock.now - start).seconds
      answer = (answer?.start ?? moment, moment)
    }
    output = []
    return answer
  }

  /// Reads and forgets what is written until nothing came for a while.
  func settle(silence: Double = 0.5) {
    while read(for: silence) { output = [] }
  }

  private func send(_ keys: String) {
    let bytes = Array(keys.utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }

  private func contains(_ wanted: [UInt8]) -> Bool {
    output.count >= wanted.count
      && output.indices.dropLast(wanted.count - 1).contains { start in
        output[start] == wanted[0] && output[start..<start + wanted.count].elementsEqual(wanted)
      }
  }

  /// Reads once; false when nothing comes in time.
  private func read(for seconds: Double) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, Int32(seconds * 1000)) > 0 else { return false }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    guard count > 0 else { return false }
    output += buffer.prefix(count)
    return true
  }

  // MARK: - What it costs

  /// Bytes of memory that are its own or shared, now.
  var memory: Double {
    get throws {
      Double(try ProcessFile.number("VmRSS", in: "/proc/\(process)/status")) * 1024
    }
  }

  /// How often each of its threads has been woken.
  var wakeUps: [String: Int] {
    get throws {
      let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
      return try threads.reduce(into: [:]) {
        $0[$1] = try ProcessFile.number(
          "voluntary_ctxt_switches", in: "/proc/\(process)/task/\($1)/status")
      }
    }
  }
}

/// The program did not write what was waited for.
struct NothingCame: Error, CustomStringConvertible {
  let text: String
  var description: String { "“\(text)” was not written in time." }
}
