import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSyncCloud

private let hasLists = FileManager.default.isExecutableFile(atPath: "/usr/bin/setfacl")

/// Other users of a server: the shell there is this machine's.
@Suite(.enabled(if: SFTPServer.isThere && hasLists, "openssh-sftp-server or acl is not installed"))
struct SSHShellTests {
  private let directory: TemporaryDirectory
  private let local: DirectoryStore
  private let ann = AccountID(userID: getuid())
  private var prefix: StorePrefix { CloudLayout.inbox(of: ann) }

  init() throws {
    directory = try TemporaryDirectory()
    local = DirectoryStore(directory: directory.url)
  }

  private func store(_ root: String? = nil, running script: String? = nil) -> SFTPStore {
    SFTPStore(
      command: SFTPServer.command, running: { script.map { ["sh", "-c", $0] } ?? $0 },
      root: root ?? directory.url.path(percentEncoded: false), place: "ssh://test/cloud")
  }

  /// Everything that the operating system knows about who may do what in a directory.
  private func permissions(_ prefix: StorePrefix) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/getfacl")
    process.arguments = ["-pn", directory.url.appending(path: "\(prefix)").path]
    process.standardOutput = output
    try process.run()
    process.waitUntilExit()
    return String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
  }

  @Test(arguments: [
    StoreAccess(), StoreAccess(others: .drop), StoreAccess(others: .read),
    StoreAccess(users: ["4001": .read]), StoreAccess(users: ["4001": .write, "65534": .read]),
    StoreAccess(users: ["4001": .none, "4002": .write], others: .read),
  ])
  func whatIsAllowedFromAfarIsWhatIsAllowedThere(access: StoreAccess) throws {
    let far = store()
    for before in [StoreAccess(), StoreAccess(users: ["4003": .write], others: .read)] {
      try local.allow(before, in: prefix)
      try local.allow(access, in: prefix)
      let expected = try permissions(prefix)
      #expect(try far.access(in: prefix) == access)
      try local.allow(before, in: prefix)
      try far.allow(access, in: prefix)
      #expect(try permissions(prefix) == expected)
      #expect(try local.access(in: prefix) == access)
    }
  }

  /// The kernel reads the mode first: whoever found that of before, and then no list, would be kept
  /// out.
  @Test func aListStaysAlsoWhereItNamesNobody() throws {
    for owner: any StoreUsers in [local, store()] {
      try owner.allow(StoreAccess(users: ["4001": .read]), in: prefix)
      try owner.allow(StoreAccess(others: .read), in: prefix)
      #expect(try permissions(prefix).contains("mask::r-x"))
    }
  }

  /// Who takes the list away, or its mask, keeps nobody out for good.
  @Test func onlyAListKeepsAUserOut() throws {
    let far = store()
    let zone = ZoneLayout(ZoneID(name: "share-0", owner: ann)).zone
    func change(_ words: String...) throws {
      let path = directory.url.appending(path: "\(zone)").path
      let process = try Process.run(URL(filePath: "/usr/bin/env"), arguments: words + [path])
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
    for owner: any StoreUsers in [local, far] {
      try owner.allow(StoreAccess(users: ["4001": .read]), in: zone)
      #expect(try !far.isClosed(zone, to: 4_001))
      #expect(try far.isClosed(zone, to: 4_002))
      try change("chmod", "700")
      #expect(try !far.isClosed(zone, to: 4_001))
      try owner.allow(StoreAccess(users: ["4001": .read]), in: zone)
      #expect(try owner.access(in: zone) == StoreAccess(users: ["4001": .read]))
      try owner.allow(StoreAccess(), in: zone)
      #expect(try far.isClosed(zone, to: 4_001))
      #expect(try owner.access(in: zone) == StoreAccess())
      try owner.allow(StoreAccess(others: .read), in: zone)
      try change("chmod", "700")
      #expect(try !far.isClosed(zone, to: 4_001))
      try change("setfacl", "-b")
      #expect(try !far.isClosed(zone, to: 4_001))
    }
  }

  @Test func aFileSystemSaysWhetherUsersCanBeLetIn() throws {
    try local.allow(StoreAccess(), in: prefix)
    #expect(try store().userRefusal(in: prefix) == nil)
    #expect(
      try FileManager.default.contentsOfDirectory(
        atPath: directory.url.appending(path: "\(prefix)").path) == [])
    #expect(try store("/proc/self").userRefusal(in: CloudLayout.root) == .noAccessLists)
  }

  @Test(arguments: [
    ("echo 'This service allows sftp connections only.'; exit 1", "sftp connections only."),
    (SFTPServer.command[0], "does not run"),
    ("PATH=/nowhere; " + SSHShell.script, "not found"),
  ])
  func aServerWithoutAShellLetsNobodyInAndSaysWhy(script: String, reason: String) throws {
    let far = store(running: script)
    try far.allow(StoreAccess(others: .drop), in: prefix)
    #expect(try local.access(in: prefix) == StoreAccess(others: .drop))
    let named = StoreAccess(users: ["4001": .read])
    let error = try #require(throws: CloudError.self) { try far.allow(named, in: prefix) }
    #expect(error.code == .permissionFailure && error.reason.contains(reason), "\(error)")
    #expect(try far.userRefusal(in: prefix)?.reason.contains(reason) == true)
    #expect(throws: CloudError.self) { try far.account(loginName: "root") }
  }

  @Test func aShellThatEndedIsStartedAgain() throws {
    let once = SSHShell.script.replacing("done", with: "[ \"$verb\" = hello ] || exit\ndone")
    let far = store(running: once)
    for _ in 1...3 { #expect(try far.account(loginName: "root") == AccountID(userID: 0)) }
  }

  /// What a shell could take for something else than a name.
  @Test(arguments: [
    "a b", "a'b", "a\"b", "$(touch it)", "`touch it`", "a;touch it", "-R", "*", "a\\b", "é", "#",
  ])
  func noNameIsReadAsACommand(name: String) throws {
    try FileManager.default.createDirectory(
      at: directory.url.appending(path: name), withIntermediateDirectories: false)
    let root = directory.url.appending(path: name).path
    let access = StoreAccess(users: ["4001": .write])
    try store(root).allow(access, in: prefix)
    #expect(try store(root).access(in: prefix) == access)
    let inside = DirectoryStore(directory: directory.url.appending(path: name))
    #expect(try inside.access(in: prefix) == access)
    #expect(try store().account(loginName: name) == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == [name])
  }

  @Test func aNameOfTwoLinesIsNotAsked() throws {
    for name in ["root\nuser", "root\n\n\nuser\n\nroot", "root\0"] {
      #expect(throws: CloudError.self) { try store().account(loginName: name) }
    }
  }

  @Test func anAccountIsTheServersUser() throws {
    let name = try #require(AccountID(name: "ann"))
    try store().makeRoot()
    #expect(try store().ownAccount(else: name) == ann)
    // A cloud of before has it by its name.
    _ = store().createIfAbsent(CloudLayout.accountFile(name), Data([1]))
    #expect(try store().ownAccount(else: name) == name)
    #expect(try store().ownAccount(else: AccountID(name: "ben")) == ann)
    _ = store().createIfAbsent(CloudLayout.accountFile(ann), Data([1]))
    #expect(try store().ownAccount(else: name) == ann)
    #expect(
      try FileManager.default.contentsOfDirectory(
        atPath: directory.url.appending(path: "accounts").path
      ).sorted() == ["@ann", "u\(getuid())"])
  }
}
