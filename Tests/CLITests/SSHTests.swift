import Foundation
import Testing

private let server = "/usr/lib/openssh/sftp-server"
private let isServerThere = FileManager.default.isExecutableFile(atPath: server)

/// A cloud on another machine: OpenSSH's own server, reached by a stand-in for ssh.
@Suite(.enabled(if: isServerThere, "the package openssh-sftp-server is not installed"))
struct SSHTests {
  private let desk: Program
  private let laptop: Program

  init() throws {
    desk = try Program(account: nil)
    laptop = Program(beside: desk, device: "laptop")
  }

  /// Says how a cloud is reached: by a program called ssh that does as told.
  private func variables(ssh script: String) throws -> [String: String] {
    let directory = try desk.makeDirectory("bin")
    let ssh = directory.appending(path: "ssh")
    try Data("#!/bin/sh\n\(script)\n".utf8).write(to: ssh)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: ssh.path)
    return [
      "PATH": "\(directory.path):/usr/bin:/bin",
      "REMINDERS_CLOUD": "ssh://ann@box\(desk.directory.path)/far/cloud",
    ]
  }

  @Test func `two devices and one on that machine itself have the same cloud`() throws {
    let far = try variables(
      ssh: "echo \"$@\" > \(desk.directory.path)/arguments; exec \(server)")
    #expect(try desk.run("add", "Haircut", environment: far).status == 0)
    #expect(try desk.run("sync", environment: far).output == "Sent 2, fetched 0.\n")
    #expect(try laptop.run("sync", environment: far).output == "Sent 0, fetched 2.\n")
    #expect(try laptop.run("list", environment: far).output.contains("Haircut"))
    #expect(try laptop.run("check", "--cloud", environment: far).status == 0)
    let arguments = try String(
      contentsOf: desk.directory.appending(path: "arguments"), encoding: .utf8)
    #expect(arguments.contains("BatchMode=yes"))
    #expect(arguments.hasSuffix("-l ann -s -- box sftp\n"))

    let host = Program(beside: desk, device: "host")
    let near = ["REMINDERS_CLOUD": desk.directory.appending(path: "far/cloud").path]
    let synced = try host.run("sync", environment: near)
    #expect(synced.output == "Sent 0, fetched 2.\n", "\(synced.errors)")
  }

  @Test func `why the machine cannot be reached is said, and edits are kept`() throws {
    let far = try variables(ssh: "echo 'ann@box: Permission denied (publickey).' >&2; exit 255")
    #expect(try desk.run("add", "Haircut", environment: far).status == 0)
    let synced = try desk.run("sync", environment: far)
    #expect(synced.status == 77)
    #expect(synced.errors.contains("ann@box: Permission denied (publickey)."))
    #expect(synced.errors.contains("ssh-add"))
    #expect(try desk.run("status", environment: far).output.contains("pending      2"))
  }

  @Test(.timeLimit(.minutes(5)))
  func
    `ssh does not outlive the program, not even one that was killed while the server was silent`()
    throws
  {
    let pipe = desk.directory.appending(path: "alive").path
    try #require(mkfifo(pipe, 0o600) == 0)
    let far = try variables(ssh: "exec 9>\(pipe); echo >&9; exec sleep 1000")
    let syncing = try desk.start(["sync"], environment: far)
    let alive = try #require(FileHandle(forReadingAtPath: pipe))
    #expect(try alive.read(upToCount: 1) == Data("\n".utf8))
    kill(syncing.processIdentifier, SIGKILL)
    // The end comes when nobody can write there any more.
    #expect(try alive.readToEnd() ?? Data() == Data())
  }

  @Test func `what is no address of ssh is refused`() throws {
    let refused = try desk.run("--cloud", "ssh://-oProxyCommand=true/srv", "list")
    #expect(refused.status == 64)
    #expect(refused.errors.contains("is not an address that ssh can go to"))
    let secret = try desk.run("--cloud", "ssh://ann:sesame@box/srv", "list")
    #expect(secret.status == 64)
    #expect(!secret.errors.contains("sesame") && !secret.output.contains("sesame"))
  }
}

/// OpenSSH at both ends, which do not trust each other.
@Suite(.enabled(if: SSHServer.isThere, Comment(rawValue: SSHServer.absence)))
struct SSHTrustTests {
  private let desk: Program
  private let directory: URL
  private let far: [String: String]

  init() throws {
    desk = try Program(account: nil)
    directory = try desk.makeDirectory("ssh")
    let server = try SSHServer(in: directory)
    // Where the user there may make it.
    far = ["PATH": server.path, "REMINDERS_CLOUD": "ssh://ann@box/tmp/reminders-\(UUID())"]
    #expect(try desk.run("add", "Haircut", environment: far).status == 0)
  }

  /// Puts another text in the place of a file while something is done.
  private func replacing(
    _ name: String, _ change: (String) -> String, _ body: () throws -> Void
  ) throws {
    let file = directory.appending(path: name)
    let text = try String(contentsOf: file, encoding: .utf8)
    // Not a new file, which others could read: ssh takes no such key.
    try change(text).write(to: file, atomically: false, encoding: .utf8)
    defer { #expect(throws: Never.self) { try Data(text.utf8).write(to: file) } }
    try body()
  }

  @Test func `a host with another key and a user without one are told apart, and nothing is lost`()
    throws
  {
    let cloud = try #require(far["REMINDERS_CLOUD"]?.firstMatch(of: /\/tmp.*/)?.output)
    defer { try? FileManager.default.removeItem(atPath: String(cloud)) }  // It is the system's.
    #expect(try desk.run("sync", environment: far).output == "Sent 2, fetched 0.\n")
    #expect(try desk.run("add", "Milk", environment: far).status == 0)
    let other = try String(contentsOf: directory.appending(path: "user.pub"), encoding: .utf8)
    try replacing("known_hosts", { $0.split(separator: " ")[0] + " " + other }) {
      let refused = try desk.run("sync", environment: far)
      #expect(refused.status == 69)
      #expect(refused.errors.contains("is another one than ssh knows"), "\(refused.errors)")
      #expect(refused.errors.contains("ssh-keygen -R"))
    }
    try replacing("user", { _ in "no key" }) {
      let refused = try desk.run("sync", environment: far)
      #expect(refused.status == 77)
      #expect(refused.errors.contains("Permission denied (publickey"), "\(refused.errors)")
    }
    #expect(try desk.run("sync", environment: far).output == "Sent 1, fetched 0.\n")
  }
}
