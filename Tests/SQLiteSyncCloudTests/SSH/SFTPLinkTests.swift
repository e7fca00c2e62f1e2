import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSyncCloud

/// What a store does about links that are far, silent or gone, and about disks.
@Suite(.enabled(if: SFTPServer.isThere, "the package openssh-sftp-server is not installed"))
struct SFTPLinkTests {
  private let directory: TemporaryDirectory
  private let store: SFTPStore
  private let layout = ZoneLayout(ZoneID(name: "test", owner: CloudFixture.ann))
  private var key: StoreKey { layout.commit(1, epoch: 1) }

  init() throws {
    directory = try TemporaryDirectory()
    store = SFTPServer.store(of: directory)
  }

  // MARK: - Distance

  @Test func severalObjectsAreReadInTheTimeOfOne() throws {
    let keys = (1...20).map { layout.commit($0, epoch: 1) }
    let bytes = (1...20).map { Data(repeating: UInt8($0), count: 40 * $0) }
    for (key, bytes) in zip(keys, bytes) { #expect(store.createIfAbsent(key, bytes).isCreated) }
    let far = SFTPServer.store(of: directory, command: SFTPServer.together(20), patience: 60_000)
    #expect(try far.objects(keys, limit: 400).map(\.?.bytes) == bytes.map { $0.prefix(400) })
  }

  @Test func objectsOfAllKindsAreReadTogether() throws {
    let keys = (1...6).map { layout.commit($0, epoch: 1) }
    let large = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    for (number, bytes) in [(1, large), (2, Data()), (3, large), (6, Data([1]))] {
      #expect(store.createIfAbsent(keys[number - 1], bytes).isCreated)
    }
    let path = directory.url.appending(path: keys[4].description).path
    #expect(mkfifo(path, 0o600) == 0)
    #expect(
      try store.objects(keys, limit: .max).map(\.?.bytes)
        == [large, Data(), large, nil, Data(), Data([1])])
    #expect(try store.objects([], limit: 1).isEmpty)
    let other = layout.metaEntry(1)
    #expect(try store.objects([keys[5], other], limit: 9).map(\.?.bytes) == [Data([1]), nil])
  }

  /// A server lets nobody have more than so many files open.
  @Test func whatWasReadIsClosed() throws {
    let keys = (1...30).map { layout.commit($0, epoch: 1) }
    for key in keys { #expect(store.createIfAbsent(key, Data([1])).isCreated) }
    let few = SFTPServer.store(
      of: directory, command: SFTPServer.shell("ulimit -n 80; exec $server"))
    for _ in 1...9 { #expect(try few.objects(keys, limit: 9).compactMap(\.self).count == 30) }
    for _ in 1...90 {
      #expect(try few.list(key.prefix, after: nil, limit: 99).count == 30)
      try few.barrier(key.prefix)
    }
  }

  // MARK: - Silence

  /// A server that greets, and is silent from then on.
  private func silent(_ log: String) -> [String] {
    SFTPServer.shell("echo >> '\(log)'; head -c 9 | $server; exec sleep 1000")
  }

  @Test func afterASilenceNobodyWaitsForASecondOne() throws {
    let log = directory.url.appending(path: "log").path
    let silent = SFTPServer.store(of: directory, command: silent(log), patience: 500)
    let error = try #require(throws: CloudError.self) { try silent.read(key, limit: 1) }
    #expect(error.code == .networkUnavailable && error.reason.contains("has not answered"))
    #expect(try String(contentsOfFile: log, encoding: .utf8) == "\n", "it was asked again")
  }

  /// As a `ControlMaster` is after the machine slept.
  @Test(.timeLimit(.minutes(5)))
  func afterASilenceNoConnectionIsSharedWithAnotherSSH() throws {
    let log = directory.url.appending(path: "log").path
    let route = SSHRoute(
      .init(session: silent(log), running: nil),
      alone: .init(session: ["not shared"], running: nil))
    let store = SFTPStore(
      route, root: directory.url.path(percentEncoded: false), place: "ssh://test/cloud",
      patience: 500)
    var reasons: [String] = []
    while !reasons.contains(where: { $0.contains("not shared cannot be started") }) {
      let error = try #require(throws: CloudError.self) { try store.read(key, limit: 1) }
      reasons.append(error.reason)
    }
    #expect(reasons[0].contains("has not answered"))
  }

  @Test func aSharedConnectionIsUsedAgainWhereNoOtherIsLetIn() throws {
    let route = try #require(SSHAddress("ssh://ann@host:22/srv")).route
    func isAlone() -> Bool {
      let commands = route.commands
      let all = [commands.session, commands.running?(["true"]) ?? []]
      #expect(all[0].contains("ControlPath=none") == all[1].contains("ControlPath=none"))
      return all[0].contains("ControlPath=none")
    }
    #expect(!isAlone())
    route.wasSilent()
    #expect(isAlone())
    route.wasRefused()
    #expect(!isAlone())
    route.wasSilent()
    route.wasSilent()
    #expect(!isAlone(), "neither answers")
  }

  // MARK: - Users

  @Test func theServerTellsTheNamesOfItsUsers() throws {
    let session = try SFTPProcess(command: SFTPServer.command, patience: 30_000)
    guard session.offers(.names) else { return }  // OpenSSH before 9.0
    let channel = SFTPOperations(session: session, root: directory.url.path, known: [])
    let nobody: UInt32 = 4_294_967_000
    #expect(try channel.names(of: [nobody, 0]) == [0: "root"])
    #expect(try channel.names(of: []).isEmpty)
  }

  @Test func whoseFilesAreReadIsNoticed() throws {
    #expect(store.createIfAbsent(key, Data([1])).isCreated)
    let session = try SFTPProcess(command: SFTPServer.command, patience: 30_000)
    for isListed in [false, true] {
      let channel = SFTPOperations(session: session, root: directory.url.path, known: [])
      if isListed {
        _ = try channel.entries(of: key.prefix)
      } else {
        _ = try channel.object(key, limit: 1)
      }
      #expect(channel.owners == [getuid()])
    }
  }

  // MARK: - What is there

  @Test func aDirectoryThatIsTakenAwayIsMissed() throws {
    #expect(store.createIfAbsent(key, Data([1])).isCreated)
    try FileManager.default.removeItem(at: directory.url)
    for _ in 1...2 {
      let error = try #require(throws: CloudError.self) {
        try store.list(key.prefix, after: nil, limit: 1)
      }
      #expect(error.code == .accountTemporarilyUnavailable)
      #expect(error.reason == "There is no directory ssh://test/cloud.")
    }
    guard case .failed(let error) = store.createIfAbsent(key, Data([1])) else {
      Issue.record("it was created")
      return
    }
    #expect(error.code == .accountTemporarilyUnavailable)
  }

  @Test(.enabled(if: SFTPServer.mayMount, "nothing can be mounted"))
  func aFullDiskIsSaidWhileThereIsSomeRoomLeft() throws {
    let full = SFTPServer.store(
      of: directory,
      command: SFTPServer.mounting("mount -t tmpfs -o size=200k none \"$1\"", at: directory))
    #expect(full.createIfAbsent(key, Data(repeating: 1, count: 90_000)).isCreated)
    for number in 2...3 as ClosedRange<Int64> {
      let next = layout.commit(number, epoch: 1)
      guard case .failed(let error) = full.createIfAbsent(next, Data(count: 150_000)) else {
        Issue.record("it was created")
        return
      }
      #expect(error.code == .quotaExceeded, "\(error)")
    }
    #expect(full.createIfAbsent(layout.commit(2, epoch: 1), Data([1])).isCreated)
  }

  @Test(.enabled(if: SFTPServer.mayMount, "nothing can be mounted"))
  func aCloudThatCanOnlyBeReadIsRead() throws {
    let zone = ZoneLayout(ZoneID(name: "test", owner: AccountID(userID: getuid())))
    let key = zone.commit(1, epoch: 1)
    #expect(store.createIfAbsent(key, Data([1])).isCreated)
    let mounting = "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\""
    let reader = SFTPServer.store(
      of: directory, command: SFTPServer.mounting(mounting, at: directory))
    #expect(try reader.read(key, limit: 9) == Data([1]))
    #expect(try reader.ownAccount(else: nil) == AccountID(userID: getuid()))
    try reader.barrier(key.prefix)
    #expect(try !reader.canCreate(in: key.prefix))
    let next = zone.commit(2, epoch: 1)
    guard case .failed(let error) = reader.createIfAbsent(next, Data([1])) else {
      Issue.record("it was created")
      return
    }
    #expect(error.code == .permissionFailure && error.reason.contains("can only be read"))
    let new = SFTPStore(
      command: SFTPServer.mounting(mounting, at: directory),
      root: directory.url.appending(path: "new/cloud").path, place: "ssh://test/new/cloud")
    let refusal = try #require(throws: CloudError.self) { try new.makeRoot() }
    #expect(refusal.code == .permissionFailure, "\(refusal)")
    #expect(refusal.reason.contains("can only be read"), "\(refusal)")
  }
}
