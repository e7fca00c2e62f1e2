import Foundation
import Glibc

/// What another program took, from its start to its end.
struct ChildRun: Codable {
  /// In its own code and in the system's; its memory is all that it had.
  let resources: Resources
  /// Seconds until the first byte of its output was there; nil when there was none.
  let firstByte: Double?

  /// Runs a program and measures it, out of a process that is small.
  ///
  /// To Linux, the peak of a program's memory begins with that of the process it was started from:
  /// of this one, which may have had more than any of the programs. So this program is started once
  /// more, and starts the other.
  static func measure(_ program: String, _ arguments: [String]) throws -> ChildRun {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    process.arguments = [word, program] + arguments
    process.standardOutput = output
    try process.run()
    let answer = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw ChildFailed(command: ([program] + arguments).joined(separator: " "))
    }
    return try JSONDecoder().decode(ChildRun.self, from: answer)
  }

  /// What this program is started with to start another.
  private static let word = "measure"

  /// Measures the program that the arguments name and prints the answer; false when this was not
  /// started for that.
  static func answer(_ arguments: [String]) throws -> Bool {
    guard arguments.dropFirst().first == word else { return false }
    let run = try run(Array(arguments.dropFirst(2)))
    FileHandle.standardOutput.write(try JSONEncoder().encode(run))
    return true
  }

  private static func run(_ arguments: [String]) throws -> ChildRun {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
    let start = ContinuousClock.now
    let child = try spawn(arguments, output: ends)
    close(ends[1])
    var firstByte: Double?
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while read(ends[0], &buffer, buffer.count) > 0 {
      firstByte = firstByte ?? (ContinuousClock.now - start).seconds
    }
    // Until it is waited for, Linux still knows what it has written.
    var info = siginfo_t()
    waitid(P_PID, id_t(child), &info, WEXITED | WNOWAIT)
    let written = try ProcessFile.number("wchar", in: "/proc/\(child)/io")
    var (status, usage): (Int32, rusage) = (0, rusage())
    guard wait4(child, &status, 0, &usage) == child, status == 0 else {
      throw ChildFailed(command: arguments.joined(separator: " "))
    }
    return ChildRun(
      resources: Resources(
        processor: seconds(usage.ru_utime) + seconds(usage.ru_stime), written: Double(written),
        memory: Double(usage.ru_maxrss) * 1024),
      firstByte: firstByte)
  }

  /// Starts a program whose input is empty, and whose messages nobody reads.
  private static func spawn(_ arguments: [String], output ends: [Int32]) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    for end in ends { posix_spawn_file_actions_addclose(&actions, end) }
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    let argv = arguments.map { strdup($0) } + [nil]
    let envp = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, arguments[0], &actions, nil, argv, envp)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .ENOENT) }
    return child
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }
}

/// A program that is measured did not end well.
struct ChildFailed: Error, CustomStringConvertible {
  let command: String
  var description: String { "This failed: \(command)" }
}
