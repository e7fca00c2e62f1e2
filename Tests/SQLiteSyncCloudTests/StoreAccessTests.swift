import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSyncCloud

/// Directories that other Unix users are let into.
struct StoreAccessTests {
  private let directory: TemporaryDirectory
  private let store: DirectoryStore
  private let prefix = CloudLayout.inbox(of: AccountID(userID: getuid()))

  init() throws {
    directory = try TemporaryDirectory()
    store = DirectoryStore(directory: directory.url)
  }

  @Test(arguments: [
    StoreAccess(), StoreAccess(others: .drop), StoreAccess(others: .read),
    StoreAccess(users: ["4001": .read]), StoreAccess(users: ["4001": .write, "65534": .read]),
    StoreAccess(users: ["4001": .none, "4002": .write], others: .read),
  ])
  func whatIsAllowedIsWhatIsRead(access: StoreAccess) throws {
    try store.allow(access, in: prefix)
    #expect(try store.access(in: prefix) == access)
    try store.allow(StoreAccess(), in: prefix)
    #expect(try store.access(in: prefix) == StoreAccess())
  }

  @Test func aLogThatIsBegunAnewIsOpenToTheSamePeople() throws {
    let ann = AccountID(userID: getuid())
    let container = CloudContainer(store: store, account: ann, device: UUID(), app: "test")
    try container.open()
    let zone = container.zone(ZoneID(name: "share-1", owner: ann))
    try zone.create()
    var share = Share(root: "list", title: "Family")
    share.participants[AccountID(userID: 4_001)] = .init(permission: .write)
    share.participants[AccountID(userID: 4_002)] = .init(permission: .read)
    try zone.protect(for: share)
    try zone.reset(reason: "a test")
    let wanted = ZoneProtection(share, user: store.user).directories(of: zone.layout, epoch: 2)
    for (prefix, access) in wanted { #expect(try store.access(in: prefix) == access, "\(prefix)") }
  }

  @Test(.enabled(if: geteuid() == 0, "Only the superuser can give files to other users."))
  func aMessageCountsIfItsSenderOrItsRecipientOwnsTheFile() throws {
    let ann = AccountID(userID: getuid())
    let container = CloudContainer(store: store, account: ann, device: UUID(), app: "test")
    try container.open()
    let ben = AccountID(userID: 4_001)
    let zone = ZoneID(name: "share-1", owner: ann)
    try container.send(ShareMessage(.departure, sender: ben, zone: zone, title: ""), to: ann)
    let name = try #require(store.list(prefix, after: nil, limit: 9).first?.name)
    let file = directory.url.appending(path: "\(prefix)/\(name)").path
    for (owner, counts) in [(getuid(), true), (4_001, true), (4_002, false)] {
      try #require(chown(file, owner, owner) == 0)
      #expect(try container.messages().map(\.message.sender) == (counts ? [ben] : []))
    }
  }

  @Test func aListHasTheBytesThatTheKernelAsksFor() throws {
    let list = try AccessControlList(StoreAccess(users: ["258": .read], others: .none))
    let bytes: [UInt8] = [
      2, 0, 0, 0,
      0x01, 0, 7, 0, 0xff, 0xff, 0xff, 0xff,
      0x02, 0, 5, 0, 2, 1, 0, 0,
      0x04, 0, 0, 0, 0xff, 0xff, 0xff, 0xff,
      0x10, 0, 5, 0, 0xff, 0xff, 0xff, 0xff,
      0x20, 0, 0, 0, 0xff, 0xff, 0xff, 0xff,
    ]
    #expect(list.bytes == bytes)
    #expect(AccessControlList(bytes, others: 0)?.access == list.access)
    #expect(AccessControlList(Array(bytes.dropLast()), others: 0) == nil)
  }

  @Test func whereOthersMayWriteTheyCannotRemoveWhatIsNotTheirs() throws {
    func mode(_ access: StoreAccess) throws -> UInt32 { try AccessControlList(access).mode }
    #expect(try mode(StoreAccess(users: ["1": .write])) == 0o1700)
    #expect(try mode(StoreAccess(others: .drop)) == 0o1733)
    #expect(try mode(StoreAccess(users: ["1": .read], others: .read)) == 0o755)
  }

  @Test func aShareLetsItsUnixUsersIn() throws {
    let ann = AccountID(userID: 1)
    let ben = AccountID(userID: 2)
    let carla = try #require(AccountID(name: "carla"))
    var share = Share(
      root: "r", title: "",
      participants: [
        ann: .init(permission: .read), ben: .init(permission: .write),
        carla: .init(permission: .write),
      ])
    var protection = ZoneProtection(share, user: store.user)
    #expect(protection.reading == StoreAccess(users: ["1": .read, "2": .read]))
    #expect(protection.writing == StoreAccess(users: ["1": .read, "2": .write]))
    #expect(protection.staging == StoreAccess(users: ["2": .write]))
    share.participants[ben]?.state = .gone
    share.publicPermission = .read
    protection = ZoneProtection(share, user: store.user)
    #expect(protection.writing == StoreAccess(users: ["1": .read, "2": .none], others: .read))
    #expect(ZoneProtection(nil, user: store.user).reading == StoreAccess())
  }
}

/// Somebody who reads what is shared while its owner changes who may do what.
@Suite(.enabled(if: geteuid() == 0, "Only the superuser can become other users."))
struct LastingAccessTests {
  private let directory: TemporaryDirectory
  private let store: DirectoryStore
  private let prefix = CloudLayout.inbox(of: AccountID(userID: 0))
  private static let reader: StoreUser = "4001"

  init() throws {
    directory = try TemporaryDirectory()
    // Others pass through to what is shared.
    chmod(directory.url.path, 0o755)
    store = DirectoryStore(directory: directory.url)
  }

  /// A process of another user that looks into the directory until a file is there, and fails the
  /// first time that it cannot; it has begun when this returns.
  private func reader(until stop: URL) throws -> Process {
    let path = directory.url.appending(path: prefix.components.joined(separator: "/")).path
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/setpriv")
    process.arguments = [
      "--reuid", "\(Self.reader)", "--regid", "\(Self.reader)", "--clear-groups", "/bin/sh", "-c",
      "echo begun; until [ -e '\(stop.path)' ]; do cd '\(path)' || exit 1; cd /; done",
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "begun\n")
    return process
  }

  @Test func aReaderIsNeverKeptOutWhileOthersAreLetInOrOut() throws {
    let alone = StoreAccess(users: [Self.reader: .read])
    let all: [StoreAccess] = [
      StoreAccess(users: [Self.reader: .read, "4002": .write]), alone, StoreAccess(others: .read),
      StoreAccess(users: [Self.reader: .write]), alone,
    ]
    try store.allow(alone, in: prefix)
    let stop = directory.url.appending(path: "stop")
    let process = try reader(until: stop)
    for _ in 0..<200 {
      for access in all { try store.allow(access, in: prefix) }
    }
    try Data().write(to: stop)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}

/// File systems without access control lists.
struct NoAccessListsTests {
  @Test func aFileSystemSaysWhetherUsersCanBeLetIn() throws {
    let directory = try TemporaryDirectory()
    #expect(try DirectoryStore(directory: directory.url).userRefusal(in: CloudLayout.root) == nil)
    let proc = DirectoryStore(directory: URL(filePath: "/proc/self"))
    #expect(try proc.userRefusal(in: CloudLayout.root) == .noAccessLists)
  }
}
