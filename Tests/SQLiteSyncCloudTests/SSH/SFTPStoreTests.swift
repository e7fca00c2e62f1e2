import Foundation
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSyncCloud

/// A store behind OpenSSH's server, and behind ones that do not do as they should.
///
/// What every store must do is in `ObjectStoreTests`.
@Suite(.enabled(if: SFTPServer.isThere, "the package openssh-sftp-server is not installed"))
struct SFTPStoreTests {
  private let directory: TemporaryDirectory
  private let store: SFTPStore
  private let layout = ZoneLayout(ZoneID(name: "test", owner: CloudFixture.ann))
  private var key: StoreKey { layout.commit(1, epoch: 1) }

  init() throws {
    directory = try TemporaryDirectory()
    store = SFTPServer.store(of: directory)
  }

  private func store(_ script: String, patience: Int32 = 30_000) -> SFTPStore {
    SFTPServer.store(of: directory, command: SFTPServer.shell(script), patience: patience)
  }

  @Test func theFilesAreThoseOfADirectory() throws {
    let local = DirectoryStore(directory: directory.url)
    let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    #expect(store.createIfAbsent(key, bytes).isCreated)
    #expect(try local.read(key, limit: .max) == bytes)
    #expect(local.createIfAbsent(layout.commit(2, epoch: 1), bytes).isCreated)
    #expect(try store.read(layout.commit(2, epoch: 1), limit: .max) == bytes)
    #expect(try store.read(layout.commit(2, epoch: 1), limit: 50_000) == bytes.prefix(50_000))
    let (here, there) = (
      try local.list(key.prefix, after: nil, limit: 9),
      try store.list(key.prefix, after: nil, limit: 9)
    )
    #expect(here.map(\.name) == there.map(\.name))
    #expect(here.map(\.owner) == there.map(\.owner))
    #expect(here.map(\.permissionIssues) == there.map(\.permissionIssues))
    for key in [key, layout.commit(2, epoch: 1)] {
      let file = directory.url.appending(path: "\(key)").path
      let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
      #expect(mode == 0o444)
    }
    #expect(try local.list(layout.stage, after: nil, limit: 9).isEmpty)
    #expect(try store.owner(of: key.prefix) == StoreUser(number: geteuid()))
  }

  /// Each connection has a server of its own, and all of them are killed at once.
  @Test func nothingIsLostNorDoubledWhenTheServersAreKilledUnderEightWriters() throws {
    let servers = try TemporaryDirectory()
    let command = SFTPServer.shell("touch '\(servers.url.path)'/$$; exec $server")
    let directory = directory
    try KilledServer.expectNothingLost(rounds: 6) {
      SFTPServer.store(of: directory, command: command)
    } kill: {
      for name in try FileManager.default.contentsOfDirectory(atPath: servers.url.path) {
        // Before it is forgotten: nobody else has its number yet.
        if let pid = pid_t(name) { kill(pid, SIGKILL) }
        try FileManager.default.removeItem(at: servers.url.appending(path: name))
      }
    }
  }

  @Test func aCloudIsUsedFromHereAndThere() throws {
    let cloud = try CloudFixture(over: store)
    let there = try CloudFixture(over: DirectoryStore(directory: directory.url))
    #expect(try cloud.container.open() == there.container.open())
  }

  @Test func whatIsNoFileIsNotOpened() throws {
    try store.makeRoot()
    _ = store.createIfAbsent(layout.commit(2, epoch: 1), Data([1]))
    let path = directory.url.appending(path: key.description).path
    #expect(mkfifo(path, 0o600) == 0)
    #expect(try store.read(key, limit: 10) == Data())
    #expect(unlink(path) == 0 && symlink("/etc/passwd", path) == 0)
    #expect(try store.read(key, limit: 10) == Data())
    guard case .exists = store.createIfAbsent(key, Data([1])) else {
      Issue.record("a link was replaced")
      return
    }
  }

  @Test func aLinkInThePlaceOfADirectoryIsNotFollowed() throws {
    let outside = try TemporaryDirectory()
    try FileManager.default.createSymbolicLink(
      at: directory.url.appending(path: "accounts"), withDestinationURL: outside.url)
    guard case .failed(let error) = store.createIfAbsent(key, Data([1])) else {
      Issue.record("something was created")
      return
    }
    #expect(error.code == .internalError && error.reason.contains("in the place of a directory"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside.url.path).isEmpty)
  }

  @Test func nobodyMakesTheDirectoryOfAnother() throws {
    let other = AccountID(userID: getuid() + 1)
    guard case .failed(let error) = store.createIfAbsent(CloudLayout.accountFile(other), Data([1]))
    else {
      Issue.record("something was created")
      return
    }
    #expect(error.code == .permissionFailure)
    let accounts = directory.url.appending(path: "accounts").path
    #expect(try FileManager.default.contentsOfDirectory(atPath: accounts) == [])
  }

  // MARK: - No server, or a strange one

  @Test(arguments: [
    ("echo 'Host key verification failed.' >&2; exit 255", "Host key verification failed."),
    (
      "echo '@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @' >&2; "
        + "echo 'Host key verification failed.' >&2; exit 255", "is another one than ssh knows"
    ),
    ("echo 'ann@host: Permission denied (publickey).' >&2; exit 255", "Permission denied"),
    ("exit 127", "The connection was closed."),
    ("echo 'No route' >&2; echo 'Warning: Permanently added it.' >&2; exit 255", "No route"),
    ("echo Welcome to this host; cat >/dev/null", "does not speak SFTP"),
    ("head -c 100000 /dev/urandom; cat >/dev/null", "does not speak SFTP"),
  ])
  func whyThereIsNoServerIsSaid(script: String, reason: String) throws {
    let store = store(script)
    for _ in 1...3 {
      let error = try #require(throws: CloudError.self) { try store.read(key, limit: 1) }
      let isRefused = reason == "Permission denied"
      #expect(error.code == (isRefused ? .notAuthenticated : .networkUnavailable))
      #expect(error.reason.hasPrefix("ssh://test/cloud cannot be reached: "), "\(error)")
      #expect(error.reason.contains(reason), "\(error)")
      #expect(error.hint != nil)
    }
    guard case .failed = store.createIfAbsent(key, Data([1])) else {
      Issue.record("nothing can have been created")
      return
    }
  }

  @Test func aMachineWithoutSSHIsToldWhatToInstall() throws {
    let store = SFTPServer.store(of: directory, command: ["no such ssh"])
    let error = try #require(throws: CloudError.self) { try store.read(key, limit: 1) }
    #expect(error.reason.contains("no such ssh cannot be started"), "\(error)")
    #expect(error.hint?.contains("openssh-client") == true, "\(error)")
  }

  @Test func aServerThatIsSilentIsGivenUp() throws {
    let error = try #require(throws: CloudError.self) {
      try store("sleep 1000", patience: 50).read(key, limit: 1)
    }
    #expect(error.reason.contains("has not answered"))
  }

  @Test func aServerWithoutHardLinksIsRefused() throws {
    // One that greets and offers nothing: length 5, VERSION, 3.
    let error = try #require(throws: CloudError.self) {
      try store(#"printf '\0\0\0\5\2\0\0\0\3'; cat >/dev/null"#).read(key, limit: 1)
    }
    #expect(error.reason.contains("hardlink@openssh.com"))
  }

  @Test func aDirectoryThatIsMissingIsNoCloudAndIsMadeWhenAsked() throws {
    let root = directory.url.appending(path: "a/b").path
    let store = SFTPStore(command: SFTPServer.command, root: root, place: "ssh://test/a/b")
    let error = try #require(throws: CloudError.self) { try store.read(key, limit: 1) }
    #expect(error.code == .accountTemporarilyUnavailable)
    try store.makeRoot()
    try store.makeRoot()
    #expect(try store.read(key, limit: 1) == nil)
  }

  @Test(.enabled(if: geteuid() == 0, "only the superuser gives a directory away"))
  func whoMadeTheDirectoryOfAnAccountIsNamed() throws {
    let accounts = directory.url.appending(path: "accounts").path
    let own = AccountID(userID: getuid())
    try #require(mkdir(accounts, 0o777) == 0 && mkdir("\(accounts)/\(own.rawValue)", 0o777) == 0)
    try #require(chown("\(accounts)/\(own.rawValue)", 4_003, 4_003) == 0)
    let key = CloudLayout.accountFile(own)
    let error = try #require(throws: CloudError.self) { try store.read(key, limit: 1) }
    #expect(error.code == .permissionFailure && error.reason.contains("belongs to u4003"))
    guard case .failed(error) = store.createIfAbsent(key, Data([1])) else {
      Issue.record("it was created in somebody else's directory")
      return
    }
    let container = CloudContainer(store: store, account: own, device: UUID(1), app: "test")
    let finding = try CloudCheck(container).run().findings.first { $0.path.hasSuffix(own.rawValue) }
    #expect(finding?.problem.contains("It belongs to u4003") == true)
    #expect(finding?.severity == .damage)
  }

  @Test(arguments: ["file", "file/cloud"])
  func aFileInThePlaceOfTheCloudIsSaid(path: String) throws {
    let file = directory.url.appending(path: "file").path
    try Data().write(to: URL(filePath: file))
    let root = directory.url.appending(path: path).path
    let store = SFTPStore(command: SFTPServer.command, root: root, place: "ssh://test/a")
    let near = DirectoryStore(directory: URL(filePath: root))
    for work in [
      { try store.makeRoot() }, { _ = try near.read(key, limit: 1) },
    ] + (path == "file" ? [{ _ = try store.read(key, limit: 1) }] : []) as [() throws -> Void] {
      let error = try #require(throws: CloudError.self) { try work() }
      #expect(error.code == .badContainer && error.reason.contains("not a directory"), "\(error)")
    }
  }

  @Test func aConnectionThatWentAwayMeanwhileIsMadeAnew() throws {
    #expect(store.createIfAbsent(key, Data([1])).isCreated)
    // Each connection ends after some reads.
    let cut = SFTPServer.store(of: directory, command: SFTPServer.cut(after: 3_000, .toServer))
    for _ in 1...40 { #expect(try cut.read(key, limit: 1) == Data([1])) }
  }

  /// Whatever is known of the outcome is true, and what was created is whole.
  @Test(arguments: SFTPServer.Direction.allCases)
  func aConnectionMayBreakAfterAnyByte(direction: SFTPServer.Direction) throws {
    let bytes = Data(repeating: 7, count: 500)
    var isDone = false
    var outcomes: Set<String> = []
    for count in stride(from: 1, to: 6_000, by: isThorough ? 1 : 83) where !isDone {
      let key = layout.commit(Int64(count), epoch: 1)
      let cut = SFTPServer.store(of: directory, command: SFTPServer.cut(after: count, direction))
      let outcome = cut.createIfAbsent(key, bytes)
      let found = try store.read(key, limit: 999)
      #expect(found == nil || found == bytes, "torn after \(count) bytes")
      switch outcome {
      case .created: #expect(found == bytes, "\(count)")
      case .failed: #expect(found == nil, "\(count)")
      case .exists: Issue.record("nobody else has created it: \(count)")
      case .unknown: break
      }
      outcomes.insert("\(outcome)".prefix { $0.isLetter }.description)
      isDone = outcome.isCreated
      _ = store.createIfAbsent(key, bytes)
      #expect(try store.read(key, limit: 999) == bytes)
    }
    #expect(isDone && outcomes.isSuperset(of: ["failed", "unknown", "created"]), "\(outcomes)")
  }
}
