import Foundation
import TestSupport
import Testing

@testable import Cloud

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
    StoreAccess(users: [4_001: .read]), StoreAccess(users: [4_001: .write, 65_534: .read]),
    StoreAccess(users: [4_001: .none, 4_002: .write], others: .read),
  ])
  func whatIsAllowedIsWhatIsRead(access: StoreAccess) throws {
    try store.allow(access, in: prefix)
    #expect(try store.access(in: prefix) == access)
    try store.allow(StoreAccess(), in: prefix)
    #expect(try store.access(in: prefix) == StoreAccess())
  }

  @Test func aListHasTheBytesThatTheKernelAsksFor() {
    let list = AccessControlList(StoreAccess(users: [258: .read], others: .none))
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

  @Test func whereOthersMayWriteTheyCannotRemoveWhatIsNotTheirs() {
    #expect(StoreAccess(users: [1: .write]).mode == 0o1700)
    #expect(StoreAccess(others: .drop).mode == 0o1733)
    #expect(StoreAccess(users: [1: .read], others: .read).mode == 0o755)
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
    var protection = ZoneProtection(share)
    #expect(protection.reading == StoreAccess(users: [1: .read, 2: .read]))
    #expect(protection.writing == StoreAccess(users: [1: .read, 2: .write]))
    #expect(protection.staging == StoreAccess(users: [2: .write]))
    share.participants[ben]?.state = .gone
    share.publicPermission = .read
    protection = ZoneProtection(share)
    #expect(protection.writing == StoreAccess(users: [1: .read], others: .read))
    #expect(ZoneProtection(nil).reading == StoreAccess())
  }
}

/// File systems without access control lists.
struct NoAccessListsTests {
  @Test func aFileSystemSaysWhetherUsersCanBeLetIn() throws {
    let directory = try TemporaryDirectory()
    #expect(try DirectoryStore(directory: directory.url).canLetUsersIn(CloudLayout.root))
    let proc = DirectoryStore(directory: URL(filePath: "/proc/self"))
    #expect(try !proc.canLetUsersIn(CloudLayout.root))
  }
}
