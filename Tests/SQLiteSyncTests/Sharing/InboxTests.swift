import Foundation
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// Inboxes, into which every Unix user may drop what he likes: nobody speaks for somebody else, and
/// nothing keeps the messages of others from being read.
struct InboxTests {
  private let cloud = CloudOfUsers()
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device
  private let cat: Device

  private static let annID = AccountID(userID: 1_001)
  private static let benID = AccountID(userID: 1_002)
  private static let catID = AccountID(userID: 1_003)

  /// Ann shares a list; ben writes there, and cat may read.
  init() throws {
    fleet = try Fleet(schema: .family)
    ann = try fleet.device(store: cloud.seen(by: "1001"), account: Self.annID)
    ben = try fleet.device(store: cloud.seen(by: "1002"), account: Self.benID)
    cat = try fleet.device(store: cloud.seen(by: "1003"), account: Self.catID)
    try ann.execute("INSERT INTO lists VALUES ('home', 'Home')")
    try ann.sync()
    let link = try ann.share([Self.benID: .write, Self.catID: .read])
    try fleet.settle()
    try ben.synchronizer.accept(link)
    try fleet.settle()
  }

  /// Drops a file into ann's inbox; by default one that is named like a message.
  private func drop(
    _ text: String, name: String? = nil, by user: StoreUser = "1003", mode: UInt32 = 0o644
  ) throws {
    let hash = ContentHash(of: Data(text.utf8))
    let message = CloudLayout.message(hash, number: 1, to: Self.annID)
    let key = name.map { name in
      StoreKey(message.prefix, listed: StoreEntry(name: name, byteCount: 0, modified: 0))
    }
    try cloud.put(Data(text.utf8), at: key ?? message, owner: user, mode: mode)
  }

  /// What somebody writes to somebody else about ann's list, in anybody's name.
  private func send(
    _ kind: ShareMessage.Kind, as sender: AccountID, from device: Device, to recipient: AccountID
  ) throws {
    let zone = try #require(ann.database.readSnapshot(SyncShare.all).first?.zone)
    try device.container.send(
      ShareMessage(kind, sender: sender, zone: zone, title: "Home"), to: recipient)
  }

  private func state(of account: AccountID) throws -> Share.Participant.State? {
    try ann.database.readSnapshot(SyncShare.all).first?.participants[account]?.state
  }

  /// Expects that cat's acceptance and ben's departure still reach ann.
  private func expectMailArrives(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let link = try ann.synchronizer.link(table: "lists", key: "home")
    try cat.synchronizer.accept(link)
    try ben.synchronizer.leave(table: "lists", key: "home")
    try fleet.settle()
    #expect(try state(of: Self.catID) == .accepted, sourceLocation: sourceLocation)
    #expect(try state(of: Self.benID) == .left, sourceLocation: sourceLocation)
    try fleet.expectExhausted(sourceLocation: sourceLocation)
  }

  @Test func nobodyLeavesForSomebodyElse() throws {
    try ben.execute("INSERT INTO reminders VALUES ('milk', 'Milk', 'home')")
    try send(.departure, as: Self.benID, from: cat, to: Self.annID)
    try ann.sync()
    #expect(try state(of: Self.benID) == .accepted)
    try fleet.settle()
    #expect(try ann.tree() == ["Home", "Home > Milk"])
    try expectMailArrives()
  }

  @Test func nobodyAcceptsForSomebodyElse() throws {
    try send(.acceptance, as: Self.catID, from: ben, to: Self.annID)
    try fleet.settle()
    #expect(try state(of: Self.catID) == .invited)
    try expectMailArrives()
  }

  @Test func nobodyInvitesInTheNameOfSomebodyElse() throws {
    for received in try cat.container.messages() { try cat.container.discard(received) }
    try send(.invitation, as: Self.annID, from: ben, to: Self.catID)
    #expect(try cat.synchronizer.invitations().isEmpty)
    try send(.invitation, as: Self.annID, from: ann, to: Self.catID)
    #expect(try cat.synchronizer.invitations().map(\.sender) == [Self.annID])
  }

  @Test func aFileThatCannotBeReadKeepsNothingFromAnybody() throws {
    try drop("secret", mode: 0)
    try ben.execute("INSERT INTO reminders VALUES ('milk', 'Milk', 'home')")
    try fleet.settle()
    #expect(try ann.tree() == ["Home", "Home > Milk"])
    try expectMailArrives()
  }

  @Test(arguments: [true, false])
  func filesThatAreNoMessagesHideNone(areNamedLikeMessages: Bool) throws {
    for number in 0...CloudLimits.messages {
      let digits = ZoneLayout.digits(Int64(number), count: 64)
      try drop("junk", name: areNamedLikeMessages ? "\(digits)-00000000" : digits)
    }
    try expectMailArrives()
  }
}

extension InboxTests {
  private func inbox() throws -> [StoreEntry] {
    try cloud.seen(by: "1001").list(CloudLayout.inbox(of: Self.annID), after: nil, limit: .max) {
      _ in
      true
    }
  }

  @Test func whatIsNoMessageIsDeletedByItsReader() throws {
    try drop("junk")
    try drop("secret", mode: 0)
    try drop(String(repeating: "x", count: CloudLimits.messageBytes + 1))
    try send(.departure, as: Self.benID, from: cat, to: Self.annID)
    let newer = #"{"f":"message","kind":"greeting","v":1}"# + "\n"
    try drop(newer)
    try drop("notes", name: "notes.txt")
    try ann.sync()
    #expect(
      try Set(inbox().map(\.name)) == [
        "notes.txt",
        CloudLayout.message(ContentHash(of: Data(newer.utf8)), number: 1, to: Self.annID).name,
      ], "foreign files and messages of later versions stay")
  }

  @Test func nobodysMessagesHideThoseOfSomebodyElse() throws {
    let zone = ZoneID(name: "forged", owner: Self.catID)
    for number in 0...CloudLimits.messages + 100 {
      try cat.container.send(
        ShareMessage(.invitation, sender: Self.catID, zone: zone, title: "\(number)"),
        to: Self.benID)
    }
    try ann.execute("INSERT INTO lists VALUES ('work', 'Work')")
    try fleet.settle()
    _ = try ann.synchronizer.share(
      table: "lists", key: "work", title: "Work", participants: [Self.benID: .write],
      publicPermission: .none)
    try fleet.settle()
    #expect(try ben.synchronizer.invitations().map(\.sender) == [Self.annID])
    #expect(try ben.container.messages().count == 1, "there is no such zone")
  }

  @Test func staleInvitationsGo() throws {
    let link = try ann.synchronizer.link(table: "lists", key: "home")
    for _ in 1...3 { try send(.invitation, as: Self.annID, from: ann, to: Self.catID) }
    #expect(try cat.synchronizer.invitations().map(\.link) == [link])
    #expect(try cat.container.messages().count == 1)
    try cat.synchronizer.accept(link)
    try send(.invitation, as: Self.annID, from: ann, to: Self.catID)
    #expect(try cat.synchronizer.invitations() == [])
    #expect(try cat.container.messages().isEmpty)
  }
}

/// A cloud in memory that knows, as a file system does, whose its files are and who may read them.
private final class CloudOfUsers: Sendable {
  private let base = MemoryStore()
  private let files = Mutex<[StoreKey: File]>([:])

  private struct File {
    let owner: StoreUser
    let mode: UInt32
  }

  /// The cloud as the processes of one Unix user see it.
  func seen(by user: StoreUser) -> some ObjectStore { View(cloud: self, user: user) }

  /// Puts a file there.
  func put(_ bytes: Data, at key: StoreKey, owner: StoreUser, mode: UInt32) throws {
    guard case .created = base.createIfAbsent(key, bytes) else {
      throw CloudError(.invalidArguments, "\(key) is there.")
    }
    files.withLock { $0[key] = File(owner: owner, mode: mode) }
  }

  private final class View: ObjectStore, UnguardedUsers {
    private let cloud: CloudOfUsers
    private let user: StoreUser

    init(cloud: CloudOfUsers, user: StoreUser) {
      self.cloud = cloud
      self.user = user
    }

    var users: (any StoreUsers)? { self }

    func read(_ key: StoreKey, limit: Int) throws -> Data? {
      let file = cloud.files.withLock { $0[key] }
      guard let file, file.owner != user, file.mode & 0o004 == 0 else {
        return cloud.base.read(key, limit: limit)
      }
      throw CloudError(.permissionFailure, "Reading \(key): Permission denied.")
    }

    func createIfAbsent(_ key: StoreKey, _ bytes: Data) -> CreateOutcome {
      let outcome = cloud.base.createIfAbsent(key, bytes)
      if case .created = outcome {
        cloud.files.withLock { $0[key] = File(owner: user, mode: 0o644) }
      }
      return outcome
    }

    func list(
      _ prefix: StorePrefix, after name: String?, limit: Int, where isWanted: (String) -> Bool
    ) throws -> [StoreEntry] {
      cloud.base.list(prefix, after: name, limit: limit, where: isWanted).map { entry in
        StoreEntry(
          name: entry.name, byteCount: entry.byteCount, modified: entry.modified, kind: entry.kind,
          owner: cloud.files.withLock { $0[StoreKey(prefix, listed: entry)]?.owner })
      }
    }

    func delete(_ key: StoreKey) throws { cloud.base.delete(key) }

    func barrier(_ prefix: StorePrefix) throws { cloud.base.barrier(prefix) }

    func now(in prefix: StorePrefix) -> Int64? { cloud.base.now(in: prefix) }

    func watch(
      _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
    ) -> StoreWatch {
      cloud.base.watch(prefixes, onChange: onChange)
    }
  }
}
