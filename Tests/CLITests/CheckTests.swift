import Foundation
import Testing

@Suite struct CheckTests {
  let program: Program

  init() throws {
    program = try Program()
    try program.run("add", "Milk")
    try program.run("sync")
  }

  private var cloud: URL { program.cloudDirectory }

  private func commit() throws -> URL {
    let names = try FileManager.default.subpathsOfDirectory(atPath: cloud.path)
    let name = try #require(names.first { $0.contains("/log/") })
    return cloud.appending(path: name)
  }

  @Test func `data in order is said to be so`() throws {
    for arguments in [["check"], ["check", "--cloud"], ["check", "--repair"]] {
      let result = try program.run(arguments)
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.lines.count == 1)
      #expect(result.output.contains("all in order"))
    }
    #expect(try program.run("check", "--cloud").output.contains("1 zone with 1 commit, "))
  }

  @Test(.enabled(if: SmallDisk.isPossible, "This user may not mount a disk."))
  func `a full disk ends sync with 73, is no damage, and loses nothing`() throws {
    let program = try Program()
    try FileManager.default.createDirectory(
      at: program.cloudDirectory, withIntermediateDirectories: true)
    let disk = try SmallDisk(at: program.cloudDirectory)
    try program.run("add", "Milk")
    try #require(try program.run("sync").status == 0)
    try disk.fill()
    try program.run("add", "Bread")
    let sync = try program.run("sync")
    #expect(sync.status == 73 && sync.errors.contains("Free some space"), "\(sync.errors)")
    let check = try program.run("check", "--cloud")
    #expect(check.status == 1 && check.output.contains("Is the disk full"), "\(check.output)")
    #expect(check.output.contains("blocked  ") && !check.output.contains("damage"))
    #expect(check.errors.contains("Nothing is damaged, but this device cannot send anything"))
    try disk.clear()
    #expect(try program.run("sync").output == "Sent 1, fetched 0.\n")
    #expect(try program.run("check", "--cloud").status == 0)
  }

  @Test func `the directory of the cloud can be given as elsewhere`() throws {
    let other = try Program()
    for arguments in [
      ["check", "--cloud", cloud.path], ["check", "--cloud=\(cloud.path)", "--json"],
      ["--cloud", cloud.path, "check", "--cloud"],
    ] {
      let result = try other.run(arguments)
      #expect(result.status == 0, "\(result.errors)")
      #expect(!result.output.contains("\"zones\" : 0") && !result.output.contains("0 zones"))
    }
    #expect(!FileManager.default.fileExists(atPath: other.cloudDirectory.path))
  }

  @Test func `damage is named, exits with 1, and is JSON when asked for`() throws {
    let commit = try commit()
    let bytes = try Data(contentsOf: commit)
    try FileManager.default.removeItem(at: commit)
    try bytes.dropLast(9).write(to: commit)
    let result = try program.run("check", "--cloud")
    #expect(result.status == 1)
    #expect(result.output.contains(commit.lastPathComponent))
    #expect(result.errors.contains("--repair"))

    let json = try program.run("check", "--cloud", "--json")
    let report = try #require(try Program.json(json.output) as? [String: Any])
    let findings = try #require(report["findings"] as? [[String: Any]])
    #expect(findings.contains { ($0["path"] as? String)?.hasSuffix(".json") == true })
    #expect(findings.allSatisfy { $0["place"] as? String == "cloud" })
    #expect(try Program.json(json.errors) is [String: Any])
  }

  @Test func `a sync says what of the cloud cannot be read, and the status goes on saying it`()
    throws
  {
    let commit = try commit()
    let bytes = try Data(contentsOf: commit)
    try FileManager.default.removeItem(at: commit)
    try bytes.dropLast(9).write(to: commit)
    let other = Program(beside: program, device: "laptop")
    #expect(try other.run("sync").output.contains("1 commit cannot be read"))
    try other.run("sync")
    #expect(try other.run("status").output.contains("commit 1 of default"))
    let status: [String: Any] = try other.json(["status", "--json"])
    #expect(status["lastFailure"] is NSNull && status["ignored"] is String)
  }

  @Test func `the status says that the last sync failed, and why, until one succeeds`() throws {
    func failure() throws -> Any? {
      try program.json(["status", "--json"], as: [String: Any].self)["lastFailure"]
    }
    #expect(try failure() is NSNull)
    let away = cloud.appendingPathExtension("away")
    try FileManager.default.moveItem(at: cloud, to: away)
    try Data().write(to: cloud)
    #expect(try program.run("sync").status != 0)
    #expect(try failure() is String)
    #expect(try program.run("status").lines.contains { $0.hasPrefix("sync failed") })
    try FileManager.default.removeItem(at: cloud)
    try FileManager.default.moveItem(at: away, to: cloud)
    #expect(try program.run("sync").status == 0)
    #expect(try failure() is NSNull)
  }

  @Test func `a leftover is removed by a repair alone`() throws {
    let stage = try commit().deletingLastPathComponent().appending(path: "../../stage")
      .standardizedFileURL
    let leftover = stage.appending(path: UUID().uuidString.lowercased())
    try Data("x".utf8).write(to: leftover)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: leftover.path)
    #expect(try program.run("check", "--cloud").status == 0)
    #expect(FileManager.default.fileExists(atPath: leftover.path))
    let result = try program.run("check", "--cloud", "--repair")
    #expect(result.status == 0)
    #expect(result.lines.contains { $0.hasPrefix("repaired") })
    #expect(!FileManager.default.fileExists(atPath: leftover.path))
  }

  @Test func `without a cloud there is nothing to check there`() throws {
    try FileManager.default.removeItem(at: cloud)
    #expect(try program.run("check", "--cloud").status == 69)
    #expect(try program.run("check").status == 0)
  }

  @Test func `what another device wrote never commands the terminal`() throws {
    let hostile = "\u{1B}]0;owned\u{07}\u{1B}[2J\u{9B}31m\u{202E}txt"
    try program.run("lists", "add", hostile)
    try program.run("add", hostile, "--list", hostile, "--notes", hostile)
    let other = Program(beside: program, device: "laptop")
    try program.run("sync")
    for arguments in [
      ["sync"], ["list"], ["lists"], ["tags"], ["search", "owned"], ["log"], ["status"], [],
      ["list", "--list", hostile + "?"], ["show", hostile], ["done", hostile],
      ["check", "--cloud"],
    ] {
      let result = try other.run(arguments)
      let scalars = (result.output + result.errors).unicodeScalars
      #expect(!scalars.contains { "\u{1B}\u{07}\u{9B}\u{202E}".unicodeScalars.contains($0) })
    }
  }

  @Test func `what another program writes meanwhile is no failure`() throws {
    let program = try Program()
    try program.run("add", "Milk")
    let (shell, input, output) = (Process(), Pipe(), Pipe())
    shell.executableURL = URL(filePath: "/usr/bin/sqlite3")
    shell.arguments = [program.dataDirectory.appending(path: "reminders.sqlite").path]
    shell.standardInput = input
    shell.standardOutput = output
    try shell.run()
    try input.fileHandleForWriting.write(
      contentsOf: Data(
        """
        UPDATE reminders SET title = 'Bread';
        BEGIN IMMEDIATE; UPDATE reminders SET title = 'Eggs'; SELECT 'writing';

        """.utf8))
    #expect(output.fileHandleForReading.availableData == Data("writing\n".utf8))
    let result = try program.run("check")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("another program is writing"))
    try input.fileHandleForWriting.close()
    shell.waitUntilExit()
    #expect(try program.run("check").output == "Checked this device: all in order.\n")
  }
}
