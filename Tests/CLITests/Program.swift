import Foundation
import Testing

/// The built program, run as a user would, with directories of its own.
final class Program: Sendable {
  struct Result {
    let status: Int32
    let output: String
    let errors: String

    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  let directory: URL
  private let device: String
  private let isOwner: Bool

  init() throws {
    directory = FileManager.default.temporaryDirectory
      .appending(path: "reminders-cli-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    device = "desk"
    isOwner = true
  }

  /// Another device on the same cloud.
  init(beside other: Program, device: String) {
    directory = other.directory
    self.device = device
    isOwner = false
  }

  deinit {
    // Left-over temporary files say nothing about the program.
    if isOwner { try? FileManager.default.removeItem(at: directory) }
  }

  var dataDirectory: URL { directory.appending(path: device) }
  var cloudDirectory: URL { directory.appending(path: "cloud") }

  /// Runs the program to its end.
  @discardableResult
  func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Result {
    try run(arguments, environment: environment)
  }

  /// Runs the program to its end.
  @discardableResult
  func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Result {
    let process = Process()
    process.executableURL = Self.executable
    process.arguments = arguments
    process.environment = [
      "HOME": directory.path, "PATH": "/usr/bin:/bin", "TZ": "Europe/Berlin", "LANG": "C.UTF-8",
      "REMINDERS_DATA_DIR": dataDirectory.path, "REMINDERS_CLOUD": cloudDirectory.path,
      "REMINDERS_ACCOUNT": "ann", "REMINDERS_DEVICE": device,
    ].merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    // Files and not pipes: no output is too long for them.
    let output = try file("output")
    let errors = try file("errors")
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus,
      output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
  }

  /// Runs the program and reads the JSON document it prints.
  func json<Value>(_ arguments: [String], as type: Value.Type = Value.self) throws -> Value {
    let result = try run(arguments)
    try #require(result.status == 0, "\(arguments): \(result.errors)")
    return try #require(Self.json(result.output) as? Value)
  }

  static func json(_ text: String) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
  }

  private func file(_ name: String) throws -> URL {
    let url = directory.appending(path: "\(name)-\(UUID().uuidString)")
    try Data().write(to: url)
    return url
  }

  /// Beside the test bundle, where the build puts it.
  private static let executable = URL(filePath: CommandLine.arguments[0])
    .deletingLastPathComponent().appending(path: "reminders")
}
