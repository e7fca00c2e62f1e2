import Foundation
import Glibc
import RemindersTestSupport
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
  let executable: URL
  /// What the program is started by: nothing, or what takes a superuser's rights from it.
  let launcher: [String]
  private let device: String
  /// Who is named in the environment.
  private let account: String?
  private let isOwner: Bool

  /// - Parameter isOrdinary: whether the program runs as an ordinary user also where the tests run
  ///   as the superuser, whom no permission stops.
  /// - Parameter account: who is named in the environment.
  init(isOrdinary: Bool = false, account: String? = "ann") throws {
    self.account = account
    directory = FileManager.default.temporaryDirectory
      .appending(path: "reminders-cli-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    device = "desk"
    isOwner = true
    guard isOrdinary, geteuid() == 0 else {
      launcher = []
      executable = Self.built
      return
    }
    launcher = UnixUser.launcher(65_534)
    // Where it was built, others may not be allowed to look.
    executable = directory.appending(path: "reminders")
    try Self.copyProgram(to: executable)
    try giveToOrdinaryUser(directory)
  }

  /// Another device on the same cloud, of the same account or another.
  init(beside other: Program, device: String, account: String? = nil) {
    directory = other.directory
    executable = other.executable
    launcher = other.launcher
    self.account = account ?? other.account
    self.device = device
    isOwner = false
  }

  /// The device of a Unix user, on a cloud that all users may use; the tests' user must be the
  /// superuser to become another.
  init(user: UInt32, beside other: Program? = nil) throws {
    directory =
      other?.directory
      ?? FileManager.default.temporaryDirectory
      .appending(path: "reminders-users-\(UUID().uuidString)")
    executable = directory.appending(path: "reminders")
    launcher = UnixUser.launcher(user)
    device = "u\(user)"
    account = nil
    isOwner = other == nil
    let files = FileManager.default
    if isOwner {
      let cloud = directory.appending(path: "cloud")
      try files.createDirectory(at: cloud, withIntermediateDirectories: true)
      try files.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: cloud.path)
      try Self.copyProgram(to: executable)
    }
    try files.createDirectory(at: dataDirectory, withIntermediateDirectories: true)
    try files.setAttributes(
      [.ownerAccountID: user, .groupOwnerAccountID: user, .posixPermissions: 0o700],
      ofItemAtPath: dataDirectory.path)
  }

  /// Copies the program, by a process of its own.
  ///
  /// What this process writes is open for writing, too, in each child that another test starts in
  /// that moment, and the system runs no program that somebody may be writing.
  private static func copyProgram(to url: URL) throws {
    #expect(try exitCode(of: "cp", built.path, url.path) == 0)
  }

  deinit {
    // Left-over temporary files say nothing about the program.
    if isOwner { try? FileManager.default.removeItem(at: directory) }
  }

  var dataDirectory: URL { directory.appending(path: device) }
  var cloudDirectory: URL { directory.appending(path: "cloud") }

  /// Makes a directory beside the program's own, in which it may write.
  func makeDirectory(_ name: String) throws -> URL {
    let url = directory.appending(path: name)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    if !launcher.isEmpty { try giveToOrdinaryUser(url) }
    return url
  }

  private func giveToOrdinaryUser(_ url: URL) throws {
    try FileManager.default.setAttributes([.ownerAccountID: 65534], ofItemAtPath: url.path)
  }

  /// The variables that the program runs with.
  var environment: [String: String] {
    let variables = [
      "HOME": directory.path, "PATH": "/usr/bin:/bin", "TZ": "Europe/Berlin", "LANG": "C.UTF-8",
      "REMINDERS_DATA_DIR": dataDirectory.path, "REMINDERS_CLOUD": cloudDirectory.path,
      "REMINDERS_DEVICE": device,
    ]
    return variables.merging(account.map { ["REMINDERS_ACCOUNT": $0] } ?? [:]) { $1 }
  }

  /// Runs the program to its end.
  @discardableResult
  func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Result {
    try run(arguments, environment: environment)
  }

  /// Runs the program to its end.
  ///
  /// - Parameter input: What it reads.
  @discardableResult
  func run(
    _ arguments: [String], input: String? = nil, environment: [String: String] = [:]
  ) throws -> Result {
    // Files and not pipes: no output is too long for them.
    let output = try file("output")
    let errors = try file("errors")
    var read = FileHandle.nullDevice
    if let input {
      let file = try file("input")
      try Data(input.utf8).write(to: file)
      read = try FileHandle(forReadingFrom: file)
    }
    let process = try start(
      arguments, environment: environment, input: read, output: FileHandle(forWritingTo: output),
      errors: FileHandle(forWritingTo: errors))
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus,
      output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
  }

  /// Runs the program in a terminal; returns all that it wrote there.
  func runInTerminal(_ arguments: String..., environment: [String: String] = [:]) throws -> String {
    let output = try file("terminal")
    let process = Process()
    let words = (launcher + [executable.path] + arguments).map { "'\($0)'" }
    process.executableURL = URL(filePath: "/usr/bin/script")
    process.arguments = ["-qec", words.joined(separator: " "), "/dev/null"]
    process.environment = self.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    try process.run()
    process.waitUntilExit()
    return String(decoding: try Data(contentsOf: output), as: UTF8.self)
  }

  /// Starts the program.
  func start(
    _ arguments: [String], environment: [String: String] = [:],
    input: FileHandle = .nullDevice, output: FileHandle = .nullDevice,
    errors: FileHandle = .nullDevice
  ) throws -> Process {
    let process = Process()
    let words = launcher + [executable.path] + arguments
    process.executableURL = URL(filePath: words[0])
    process.arguments = Array(words.dropFirst())
    process.environment = self.environment.merging(environment) { $1 }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    return process
  }

  /// Runs the program and reads the JSON document it prints.
  func json<Value>(
    _ arguments: [String], as type: Value.Type = Value.self, input: String? = nil
  ) throws -> Value {
    let result = try run(arguments, input: input)
    try #require(result.status == 0, "\(arguments): \(result.errors)")
    return try #require(Self.json(result.output) as? Value)
  }

  /// Writes into the database as another program does.
  func sql(_ statements: String) throws {
    try SQLiteShell.run(statements, on: database)
  }

  /// Whether a process is writing into the database.
  var isLocked: Bool {
    // It is refused for that reason alone.
    (try? SQLiteShell.run("BEGIN IMMEDIATE; ROLLBACK", on: database, patience: 0)) == nil
  }

  private var database: String { dataDirectory.appending(path: "reminders.sqlite").path }

  static func json(_ text: String) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
  }

  private func file(_ name: String) throws -> URL {
    let url = directory.appending(path: "\(name)-\(UUID().uuidString)")
    try Data().write(to: url)
    return url
  }

  /// Beside the test bundle, where the build puts it.
  private static let built = URL(filePath: CommandLine.arguments[0])
    .deletingLastPathComponent().appending(path: "reminders")
}
