import Foundation
import RemindersTestSupport
import SQLiteSyncCloudConformance
import Synchronization
import Testing

@testable import SQLiteSyncCloud

/// What the cloud asks the users of a store, and does where it has none.
@Suite struct StoreUsersTests {
  private let clock = TestTime()
  private let ann = AccountID(userID: 1_001)
  private let ben = AccountID(userID: 1_002)
  private let zone = "share-1"

  private func container(
    _ account: AccountID, on store: any ObjectStore, seed: UInt64 = 1
  ) throws -> CloudContainer {
    let container = CloudContainer(
      store: store, account: account, device: UUID(seed), app: "test 1",
      environment: .deterministic(seed: seed, clock: clock))
    try container.open()
    return container
  }

  /// A zone of ann that ben may write into, with one record.
  private func share(_ owner: CloudContainer, with person: AccountID) throws -> Device {
    let log = owner.zone(ZoneID(name: zone, owner: owner.account))
    try log.create()
    let device = Device(log)
    try device.save("list", "Family")
    let record = invitation(of: person).record(over: nil) { clock in
      clock.edited(atMilliseconds: TestTime.beginning, device: 1)
    }
    _ = try device.modify([.save(record, base: nil)])
    return device
  }

  private func invitation(of person: AccountID) -> Share {
    Share(root: "list", title: "Family", participants: [person: .init(permission: .write)])
  }

  // MARK: - Without users

  /// Whoever has a number is an account like another one.
  @Test func aStoreWithoutUsersDoesAllButKeepPeopleApart() throws {
    let store = MemoryStore(now: { [clock] in clock.now })
    let owner = try container(ann, on: store)
    try owner.requireAccess(for: [ben], isPublic: true)
    let device = try share(owner, with: ben)
    try device.log.protect(for: invitation(of: ben))
    let other = try container(ben, on: store, seed: 2)
    try owner.send(
      ShareMessage(.invitation, sender: ann, zone: device.log.id, title: "Family"), to: ben)
    #expect(try other.messages().map(\.message.sender) == [ann])
    let visitor = Device(other.zone(device.log.id))
    try visitor.fetch()
    try visitor.save("milk", "Milk", parent: "list")
    try device.fetch()
    let copy = try #require(device.copies["milk"])
    #expect(copy.author == ben && copy.isAuthentic)
    #expect(try CloudCheck(owner).run().findings.isEmpty)
    try device.log.reset(reason: "a test")
  }

  /// As in a bucket to which a cloud of Unix users was copied.
  @Test func whereNothingCanBeSharedThatIsSaidToWhoDoes() throws {
    let store = LockedStore()
    let owner = try container(ann, on: store)
    #expect(throws: LockedStore.refusal) { try owner.requireAccess(for: [ben]) }
    #expect(throws: LockedStore.refusal) { try owner.requireAccess(for: [], isPublic: true) }
    try owner.requireAccess(for: [ann])
    let device = try share(owner, with: ben)
    try device.log.protect(for: nil)
    #expect(throws: LockedStore.refusal) { try device.log.protect(for: invitation(of: ben)) }
    #expect(
      try CloudCheck(owner).run().findings.map(\.problem) == [
        "The user with whom this is shared cannot be let in: Here are only keys."
      ])
    // Accounts that are only names are kept apart by nobody, anywhere.
    try device.log.protect(for: invitation(of: ownAccount("cat")))
    let report = try CloudCopy(from: store, to: LockedStore()).run()
    #expect(report.sharing == LockedStore.refusal)
  }

  // MARK: - Other users than those of Unix

  /// A store whose users are access keys is one like another: who owns a file decides.
  @Test func anAuthorIsWhoeverTheStoreSaysAndNotWhoTheFileSays() throws {
    let keys = KeyStore(key: "AKIA/ann", clock: clock)
    let (ann, ben) = (ownAccount("ann"), ownAccount("ben"))
    let owner = try container(ann, on: keys)
    let device = try share(owner, with: ben)
    // Ben, as himself and as ann.
    for (name, author) in [("own", ben), ("forged", ann)] {
      let writer = Device(
        try container(author, on: keys.seen(by: "AKIA/ben"), seed: 2).zone(device.log.id))
      try writer.fetch()
      try writer.save(name, name, parent: "list")
    }
    try device.fetch()
    #expect(device.copies["own"]?.isAuthentic == true)
    #expect(device.copies["forged"]?.isAuthentic == false)
    #expect(device.copies["forged"]?.author == ann)
    _ = try device.log.maintain(MaintenanceTests.eager)
    let fresh = Device(device.log)
    try fresh.fetch()
    #expect(fresh.copies["forged"]?.author == ben, "a checkpoint names the owner of the file")
    #expect(fresh.copies["own"]?.author == ben)
  }

  @Test func aStoreOfKeysKeepsThePromises() throws {
    for check in StoreCheck.all {
      let keys = KeyStore(key: "AKIA/ann", clock: clock)
      try check.run { keys }
    }
  }

  @Test func aStoreThatTellsOwnersAndHasNoUsersIsRefused() {
    let refused = StoreCheck.all.filter { check in
      let keys = KeyStore(key: "AKIA/ann", clock: clock, hidesUsers: true)
      do {
        try check.run { keys }
        return false
      } catch {
        return error is StoreFailure
      }
    }
    #expect(refused.map(\.name) == ["objects are somebody's only where there are users"])
  }

  @Test func directoriesHaveNoUserOfAnotherNameThanANumber() throws {
    let directory = try TemporaryDirectory()
    let store = DirectoryStore(directory: directory.url)
    for name in ["AKIA", "+1", "01", "-1", "4294967296", ""] {
      let access = StoreAccess(users: [StoreUser(name): .read])
      let error = #expect(throws: CloudError.self) {
        try store.allow(access, in: CloudLayout.inbox(of: CloudFixture.ann))
      }
      #expect(error?.code == .permissionFailure)
    }
    #expect(StoreUser("4294967295").number == .max)
    #expect(StoreUser("e\u{301}") != StoreUser("\u{e9}"))
  }

  // MARK: - Permissions that a check warns of

  @Test(
    arguments: [
      (0o444, .file, []), (0o644, .file, []), (0o446, .file, [.writableByAll]),
      (0o4444, .file, [.special]), (0o2446, .file, [.writableByAll, .special]),
      (0o755, .directory, []), (0o777, .directory, [.writableByAll]), (0o1777, .directory, []),
      (0o2755, .directory, []), (0o777, .link, []), (0o666, .other, [.writableByAll]),
    ] as [(UInt32, StoreEntry.Kind, Set<StoreEntry.PermissionIssue>)])
  func aModeSaysWhatIsWrong(
    mode: UInt32, kind: StoreEntry.Kind, issues: Set<StoreEntry.PermissionIssue>
  ) {
    #expect(Set(mode: mode, of: kind) == issues)
  }

  @Test func aCheckTellsOfPermissionsThatNothingInACloudNeeds() throws {
    let fixture = try CheckFixture()
    try fixture.device.save("a", "1")
    let file = fixture.url(fixture.commit(1)).path
    try #require(chmod(file, 0o2446) == 0)
    try #require(chmod(fixture.url("accounts").path, 0o1777) == 0)
    let findings = try fixture.check().findings
    #expect(
      Set(findings.map(\.problem)) == [
        "Everybody on this machine may write to it.",
        "It has special permissions that no file of a cloud has.",
      ])
    #expect(findings.allSatisfy { $0.path == "\(fixture.commit(1))" && $0.severity == .warning })
  }
}

/// A cloud in memory in which nothing can be shared.
private final class LockedStore: ObjectStore {
  static let refusal = CloudError(.permissionFailure, "Here are only keys.")

  private let base = MemoryStore()

  var sharingRefusal: CloudError? { Self.refusal }

  func read(_ key: StoreKey, limit: Int) -> Data? { base.read(key, limit: limit) }

  func createIfAbsent(_ key: StoreKey, _ bytes: Data) -> CreateOutcome {
    base.createIfAbsent(key, bytes)
  }

  func list(
    _ prefix: StorePrefix, after name: String?, limit: Int, where isWanted: (String) -> Bool
  ) -> [StoreEntry] {
    base.list(prefix, after: name, limit: limit, where: isWanted)
  }

  func delete(_ key: StoreKey) { base.delete(key) }

  func barrier(_ prefix: StorePrefix) {}

  func now(in prefix: StorePrefix) -> Int64? { base.now(in: prefix) }

  func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch {
    base.watch(prefixes, onChange: onChange)
  }
}

/// A cloud in memory whose users are access keys, as the holder of one sees it.
///
/// It knows whose everything is, and keeps nobody out.
private final class KeyStore: ObjectStore, StoreUsers {
  private final class Shared: Sendable {
    let base: MemoryStore
    let objects = Mutex<[StoreKey: StoreUser]>([:])
    let directories = Mutex<[StorePrefix: StoreUser]>([:])
    let access = Mutex<[StorePrefix: StoreAccess]>([:])

    init(_ base: MemoryStore) { self.base = base }
  }

  private let shared: Shared
  private let key: StoreUser
  private let hidesUsers: Bool

  init(key: StoreUser, clock: TestTime, hidesUsers: Bool = false) {
    (self.key, self.hidesUsers) = (key, hidesUsers)
    shared = Shared(MemoryStore(now: { clock.now }))
  }

  private init(_ shared: Shared, key: StoreUser) {
    (self.shared, self.key, hidesUsers) = (shared, key, false)
  }

  func seen(by key: StoreUser) -> KeyStore { KeyStore(shared, key: key) }

  var users: (any StoreUsers)? { hidesUsers ? nil : self }

  func read(_ key: StoreKey, limit: Int) -> Data? { shared.base.read(key, limit: limit) }

  func object(_ key: StoreKey, limit: Int) -> StoredObject? {
    read(key, limit: limit).map { bytes in
      StoredObject(bytes: bytes, owner: shared.objects.withLock { $0[key] })
    }
  }

  func createIfAbsent(_ key: StoreKey, _ bytes: Data) -> CreateOutcome {
    let outcome = shared.base.createIfAbsent(key, bytes)
    if outcome.isCreated {
      shared.objects.withLock { $0[key] = self.key }
      shared.directories.withLock { $0[key.prefix] = $0[key.prefix] ?? self.key }
    }
    return outcome
  }

  func list(
    _ prefix: StorePrefix, after name: String?, limit: Int, where isWanted: (String) -> Bool
  ) -> [StoreEntry] {
    shared.base.list(prefix, after: name, limit: limit, where: isWanted).map { entry in
      StoreEntry(
        name: entry.name, byteCount: entry.byteCount, modified: entry.modified, kind: entry.kind,
        owner: shared.objects.withLock { $0[StoreKey(prefix, listed: entry)] })
    }
  }

  func delete(_ key: StoreKey) { shared.base.delete(key) }

  func barrier(_ prefix: StorePrefix) {}

  func now(in prefix: StorePrefix) -> Int64? { shared.base.now(in: prefix) }

  func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch {
    shared.base.watch(prefixes, onChange: onChange)
  }

  // MARK: - Users

  func owner(of prefix: StorePrefix) -> StoreUser? { shared.directories.withLock { $0[prefix] } }

  func user(of account: AccountID) -> StoreUser? {
    ["ann", "ben"].contains(account) ? StoreUser("AKIA/\(account)") : nil
  }

  func account(of user: StoreUser) -> AccountID {
    AccountID(name: String(user.name.dropFirst(5))) ?? "nobody"
  }

  func allow(_ access: StoreAccess, in prefix: StorePrefix) {
    shared.access.withLock { $0[prefix] = access }
  }

  func access(in prefix: StorePrefix) -> StoreAccess? {
    shared.access.withLock { $0[prefix] }
  }

  func canCreate(in prefix: StorePrefix) -> Bool { true }
}
