import Foundation
import Testing

/// What the app writes is nobody else's to read, and what is no file of its own is not waited for.
@Suite struct PrivacyTests {
  private let program: Program

  init() throws { program = try Program() }

  /// Runs the program as a shell with this umask starts it; returns its exit code.
  @discardableResult
  private func run(umask: String, _ arguments: String...) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments =
      ["-c", "umask \(umask); exec \"$@\"", "sh", program.executable.path] + arguments
    process.environment = program.environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  private func permissions(_ url: URL) throws -> Int {
    try #require(
      try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int)
  }

  /// The files in the data directory by name, with their permissions.
  private func files() throws -> [String: Int] {
    let names = try FileManager.default.contentsOfDirectory(atPath: program.dataDirectory.path)
      .filter { $0 != "undo" }
    return Dictionary(
      uniqueKeysWithValues: try names.map {
        ($0, try permissions(program.dataDirectory.appending(path: $0)))
      })
  }

  @Test(arguments: ["000", "022"])
  func nobodyElseCanReadWhatTheAppWrites(umask: String) throws {
    #expect(try run(umask: umask, "add", "Secret") == 0)
    #expect(try run(umask: umask, "sync") == 0)
    #expect(try permissions(program.dataDirectory) == 0o700)
    for place in ["", "accounts"] {
      #expect(try permissions(program.cloudDirectory.appending(path: place)) & 0o022 == 0)
    }
    let files = try files()
    #expect(files.keys.contains("reminders.sqlite") && files.keys.contains("sync.log"))
    for (name, permissions) in files { #expect(permissions == 0o600, "\(name)") }
    let undo = program.dataDirectory.appending(path: "undo")
    #expect(try permissions(undo) == 0o700)
    #expect(try permissions(undo.appending(path: "1.json")) == 0o600)
  }

  @Test func databaseThatCouldNotBeWrittenForAWhileCanBeWrittenAgain() throws {
    let program = try Program(isOrdinary: true)
    try program.run("add", "Before")
    let path = program.dataDirectory.appending(path: "reminders.sqlite").path
    for permissions in [0o444, 0o600] {
      try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
      for command in ["add", "sync"] {
        let result = try program.run([command] + (command == "add" ? ["Milk"] : []))
        #expect(result.status == (permissions == 0o444 ? 73 : 0), "\(result.errors)")
      }
    }
  }

  @Test func whatAnEarlierVersionLeftOpenIsClosed() throws {
    try program.run("add", "Secret")
    try program.run("sync")
    for name in try files().keys {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o644],
        ofItemAtPath: program.dataDirectory.appending(path: name).path)
    }
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o777], ofItemAtPath: program.dataDirectory.path)
    #expect(try run(umask: "000", "sync") == 0)
    for (name, permissions) in try files() { #expect(permissions == 0o600, "\(name)") }
  }

  @Test func whatSomebodyOpenedInTheCloudIsClosedByTheNextSync() throws {
    let program = try Program(account: nil)
    try program.run("add", "Secret")
    try program.run("sync")
    let accounts = program.cloudDirectory.appending(path: "accounts")
    let directories = try FileManager.default.subpathsOfDirectory(atPath: accounts.path)
      .filter { $0.contains("/zones/") && !$0.hasSuffix(".json") }
      .map { accounts.appending(path: $0) }
    try #require(directories.count > 5)
    for directory in directories {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o777], ofItemAtPath: directory.path)
    }
    #expect(try program.run("check", "--cloud").output.contains("everybody may do other things"))
    #expect(try program.run("sync").status == 0)
    for directory in directories {
      #expect(try permissions(directory) & 0o077 == 0, "\(directory)")
    }
    #expect(try !program.run("check", "--cloud").output.contains("everybody may do"))
  }

  @Test(arguments: ["reminders.sqlite", "reminders.sqlite-wal", "sync.log", "legacy.sqlite"])
  func aPipeIsRefusedAndNotWaitedFor(name: String) throws {
    try program.run("lists")
    let path = program.dataDirectory.appending(path: name).path
    unlink(path)
    try #require(mkfifo(path, 0o600) == 0)
    let arguments =
      switch name {
      case "sync.log": ["sync"]
      case "legacy.sqlite": ["import-legacy", path]
      default: ["list"]
      }
    let result = try program.run(arguments)
    #expect([1, 73].contains(result.status))
    #expect(result.errors.contains(name) && !result.errors.contains("SQLite refused"))
  }

  @Test(arguments: ["--data-dir", "--cloud", "--account", "--device"])
  func anEmptyNameIsRefusedAndNotTheWorkingDirectory(option: String) throws {
    let result = try program.run("list", option, "")
    #expect(result.status == 64)
    #expect(result.errors.contains(option))
    #expect(try program.run(option + "=", "list").status == 64)
  }

  @Test func emptyVariablesCountAsNotSet() throws {
    let home = try program.makeDirectory("home")
    let result = try program.run(
      ["add", "Haircut"],
      environment: [
        "HOME": home.path, "REMINDERS_DATA_DIR": "", "REMINDERS_CLOUD": "", "REMINDERS_ACCOUNT": "",
        "REMINDERS_DEVICE": "",
      ])
    #expect(result.status == 0, "\(result.errors)")
    let file = home.appending(path: ".local/share/reminders/reminders.sqlite")
    #expect(FileManager.default.fileExists(atPath: file.path))
  }
}
