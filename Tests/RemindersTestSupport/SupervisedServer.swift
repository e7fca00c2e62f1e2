import Foundation

/// A server of tests, started by a script that lives as long as this process and ends it then.
///
/// The script says one line when the server runs; each line that it gets kills the server and
/// starts it again. It ends, and removes what it has made, when its input does.
final class SupervisedServer: Sendable {
  private let input: FileHandle
  private let output: FileHandle
  private let name: String
  /// What the script has said first.
  let greeting: String

  /// Runs a script.
  ///
  /// - Parameters:
  ///   - name: What it starts, for the error.
  ///   - command: The script, with its arguments.
  ///   - directory: Where it runs; nil where this process does.
  init(_ name: String, _ command: [String], in directory: String? = nil) throws {
    let (process, toScript, fromScript) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    if let directory { process.currentDirectoryURL = URL(filePath: directory) }
    process.standardInput = toScript
    process.standardOutput = fromScript
    (input, output) = (toScript.fileHandleForWriting, fromScript.fileHandleForReading)
    // Otherwise the programs that tests start would keep it open.
    _ = fcntl(input.fileDescriptor, F_SETFD, FD_CLOEXEC)
    try process.run()
    self.name = name
    greeting = try Self.line(of: output, name)
  }

  /// A new directory for a server, whose path is short enough for a socket's address.
  static func makeDirectory(_ name: String) throws -> String {
    var template = Array("/tmp/reminders-\(name)-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(reason: String(cString: strerror(errno))) }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Starts the server again, and waits until it runs.
  func restart() throws {
    try input.write(contentsOf: Data("restart\n".utf8))
    _ = try Self.line(of: output, name)
  }

  private static func line(of output: FileHandle, _ name: String) throws -> String {
    var line = Data()
    while line.last != UInt8(ascii: "\n") {
      let more = output.availableData
      guard !more.isEmpty else { throw Failure(reason: "\(name) did not start.") }
      line += more
    }
    return String(decoding: line.dropLast(), as: UTF8.self)
  }

  struct Failure: Error { let reason: String }
}
