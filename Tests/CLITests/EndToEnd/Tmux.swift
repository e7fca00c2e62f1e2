import Foundation
import Glibc
import Testing

/// A shell in a terminal: a pane of a tmux server of its own, seen as a person sees it.
///
/// The test is a client in tmux's control mode. tmux tells it when the pane writes, so a test waits
/// for what it expects on the screen without asking again and again.
actor Tmux {
  private let executor = QueueExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let client = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()
  /// How many commands the shell was given.
  private var commandCount = 0

  /// Where `app` leaves the number of its process.
  private let pidFile: URL
  let program: Program

  /// How long something may take on a machine that is busy with other things.
  private static let patience: Duration = .seconds(60)

  /// Opens a terminal of a size, with a shell in it whose `app` is the program.
  init(
    _ program: Program, columns: Int = 100, rows: Int = 30, environment: [String: String] = [:]
  ) async throws {
    self.program = program
    let directory = try program.makeDirectory("tmux-\(UUID().uuidString.prefix(8))")
    pidFile = directory.appending(path: "pid")
    try Self.writeApp(to: directory, pidFile: pidFile)
    let path = "\(directory.path):\(program.executable.deletingLastPathComponent().path)"
    let variables = ["TERM": "tmux-256color", "PS1": "[$?]\\#$ ", "HISTFILE": ""]
      .merging(program.environment) { $1 }.merging(environment) { $1 }
      .merging(["PATH": "\(path):\(environment["PATH"] ?? "/usr/bin:/bin")"]) { $1 }
      .map { "\($0)='\($1)'" }
    let shell = program.launcher + ["env", "-i"] + variables + ["bash", "--norc", "--noprofile"]
    try start([
      "-S", directory.appending(path: "s").path, "-f", "/dev/null", "-C",
      "new-session", "-x", "\(columns)", "-y", "\(rows)", "-c", program.directory.path,
      "exec \(shell.joined(separator: " "))", ";", "set", "window-size", "manual",
    ])
    // Until then a command has no session to be about.
    let deadline = ContinuousClock.now + Self.patience
    while try !readLine(before: deadline).hasPrefix("%session-changed ") {}
    try ends(with: 0)
    // What is left of a test that fails or is killed goes with its client.
    try command("set -g destroy-unattached on")
  }

  deinit {
    // A pipe without a reader is no client any more; then there is nothing left to close.
    try? input.fileHandleForWriting.close()
  }

  /// A script that says which process it becomes, so that a test can send it a signal.
  private static func writeApp(to directory: URL, pidFile: URL) throws {
    let script = directory.appending(path: "app")
    try Data("#!/bin/sh\necho $$ > '\(pidFile.path)'\nexec reminders \"$@\"\n".utf8)
      .write(to: script)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
  }

  private func start(_ arguments: [String]) throws {
    client.executableURL = URL(filePath: "/usr/bin/tmux")
    client.arguments = arguments
    client.environment = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "xterm-256color"]
    client.standardInput = input
    client.standardOutput = output
    client.standardError = FileHandle.nullDevice
    try client.run()
  }

  // MARK: - The keyboard

  /// Types text as it is.
  func type(_ text: String) throws {
    let codes = text.utf8.map { String($0, radix: 16) }.joined(separator: " ")
    try command("send-keys -H \(codes)")
  }

  /// Presses keys by tmux's names for them: `Enter`, `Escape`, `C-c`, `Space`.
  func press(_ keys: String...) throws {
    for key in keys { try command("send-keys '\(key)'") }
  }

  /// Types a command for the shell.
  func run(_ line: String) throws {
    commandCount += 1
    try type(line)
    try press("Enter")
  }

  /// Opens the app and waits for its first screen.
  func open(_ arguments: String = "") throws {
    try run("app \(arguments)")
    try shows("? help")
  }

  /// Sends a signal to the app that was started last.
  func signal(_ number: Int32) throws {
    let pid = try #require(pid_t(try text(of: pidFile)))
    #expect(kill(pid, number) == 0)
  }

  /// Where the app that was started last has its standard error.
  func errorFile() throws -> URL {
    URL(filePath: "/proc/\(try text(of: pidFile))/fd/2")
  }

  private func text(of file: URL) throws -> String {
    try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  func resize(columns: Int, rows: Int) throws {
    try command("resize-window -x \(columns) -y \(rows)")
  }

  // MARK: - The screen

  /// Waits until the screen shows a text.
  @discardableResult
  func shows(_ text: String) throws -> [String] {
    try shows("“\(text)”") { lines in lines.contains { $0.contains(text) } }
  }

  /// Waits until the screen shows a text no more.
  func showsNoMore(_ text: String) throws {
    try shows("no “\(text)”") { lines in !lines.contains { $0.contains(text) } }
  }

  /// Waits until the shell asks for the next command, the last one having ended with a status.
  ///
  /// Its prompt shows that status and the number of the command.
  @discardableResult
  func ends(with status: Int32) throws -> [String] {
    let prompt = "[\(status)]\(commandCount + 1)$"
    return try shows("the prompt of the shell after status \(status)") { lines in
      lines.last { !$0.isEmpty } == prompt
    }
  }

  /// Waits until the screen is as described; the lines have no blanks at their ends.
  @discardableResult
  func shows(
    _ description: String, where isSo: @Sendable ([String]) -> Bool
  ) throws -> [String] {
    let deadline = ContinuousClock.now + Self.patience
    while true {
      let lines = try ask("capture-pane -p", before: deadline).map {
        String($0.reversed().drop { $0 == " " }.reversed())
      }
      if isSo(lines) { return lines }
      do {
        while try !readLine(before: deadline).hasPrefix("%output") {}
      } catch {
        throw Missing(what: description, screen: lines)
      }
    }
  }

  /// What tmux knows of the pane, by its format: `#{alternate_on}`.
  func facts(_ format: String) throws -> String {
    try command("display-message -p '\(format)'").joined()
  }

  /// Has tmux, as the terminal, take what is copied.
  func takeClipboard() throws { try command("set -s set-clipboard on") }

  /// What was copied last.
  func clipboard() throws -> [String] { try command("show-buffer") }

  /// The screen did not come to show what was expected.
  struct Missing: Error, CustomStringConvertible {
    let what: String
    let screen: [String]

    var description: String {
      "The terminal did not show \(what) but\n| " + screen.joined(separator: "\n| ")
    }
  }

  // MARK: - Control mode

  @discardableResult
  private func command(_ line: String) throws -> [String] {
    try ask(line, before: .now + Self.patience)
  }

  /// Sends a command and returns the lines of its reply, which comes between two marks.
  ///
  /// The replies to the commands with which the client was started have other flags.
  private func ask(_ line: String, before deadline: ContinuousClock.Instant) throws -> [String] {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    while true {
      let begin = try readLine(before: deadline)
      guard begin.hasPrefix("%begin"), begin.hasSuffix(" 1") else { continue }
      let number = begin.split(separator: " ")[2]
      var reply: [String] = []
      while true {
        let line = try readLine(before: deadline)
        if line.hasPrefix("%end "), line.split(separator: " ")[2] == number { return reply }
        if line.hasPrefix("%error ") { throw Missing(what: "“\(line)”", screen: reply) }
        reply.append(line)
      }
    }
  }

  private func readLine(before deadline: ContinuousClock.Instant) throws -> String {
    let handle = output.fileHandleForReading
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread.removeSubrange(...end) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      let left = ContinuousClock.now.duration(to: deadline).components.seconds
      var state = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard left > 0, poll(&state, 1, Int32(left * 1000)) > 0 else {
        throw Missing(what: "any change in time", screen: [])
      }
      let data = handle.availableData
      if data.isEmpty { throw Missing(what: "anything: tmux has ended", screen: []) }
      unread.append(data)
    }
  }
}

/// Runs an actor's work on a queue, where it may wait for another process.
private final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "tmux")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }
}
