import Foundation
import RemindersTestSupport
import SQLiteSyncCloudConformance
import Synchronization
import Testing

@testable import SQLiteSyncCloud

/// What every store promises, kept over a network that does harm, by somebody who tries again.
@Suite struct BrokenNetworkTests {
  typealias Kind = ObjectStoreTests.Kind

  enum Harm: CaseIterable, Sendable {
    /// Every other connection ends after some bytes that it has sent or got, another number each
    /// time.
    case cuts
    /// What is sent arrives a few bytes at a time.
    case delays
    /// Each request arrives twice; ssh and PostgreSQL send streams, of which nothing can.
    case repeats
  }

  private static let kinds = Kind.allCases.filter { [.sftp, .s3, .postgres].contains($0) }
  private static let cases = kinds.flatMap { kind in
    Harm.allCases.filter { $0 != .repeats || kind == .s3 }.map { (kind, $0) }
  }

  @Test(arguments: cases, StoreCheck.all)
  func everyPromiseIsKept(over network: (kind: Kind, harm: Harm), check: StoreCheck) throws {
    let directory = try TemporaryDirectory()
    let connect = try Self.connect(network.kind, network.harm, to: directory)
    let created = CreatedObjects()
    try check.run { PersistentStore(connect, created) }
    withExtendedLifetime(directory) {}
  }

  /// What connects to a place, each time over a network that does something else.
  private static func connect(
    _ kind: Kind, _ harm: Harm, to directory: TemporaryDirectory
  ) throws -> StoreCheck.Connect {
    let cuts = Cuts()
    switch (kind, harm) {
    case (.s3, _):
      let proxy = try Proxy {
        switch harm {
        case .cuts:
          cuts.next().map { .cut(after: $0.count, $0.isSent ? .toServer : .fromServer) } ?? .none
        case .delays: .pieces(of: 7)
        case .repeats: .twice
        }
      }
      let prefix = directory.url.lastPathComponent
      return { try MotoServer.store(prefix, port: proxy.port) }
    case (.postgres, _):
      let database = try ObjectStoreTests.database.get()
      let proxy = try PostgresProxy(before: PostgresServer.shared.get())
      if harm == .delays { proxy.pass(inPiecesOf: 7) }
      return {
        if harm == .cuts {
          let cut = cuts.next()
          proxy.cut(after: cut?.count, cut?.isSent == true ? .toServer : .fromServer)
        }
        return try database.store(as: "ann", directory: proxy.directory)
      }
    default:
      return {
        guard harm == .cuts else {
          return SFTPServer.store(of: directory, command: SFTPServer.inPieces(of: 7))
        }
        guard let cut = cuts.next() else { return SFTPServer.store(of: directory) }
        return SFTPServer.store(
          of: directory,
          command: SFTPServer.cut(after: cut.count, cut.isSent ? .toServer : .fromServer))
      }
    }
  }
}

/// Where connections are cut: a quarter at a byte that is sent, a quarter at one that is received.
private final class Cuts: Sendable {
  private let connections = Mutex(0)

  /// The place for the next connection; nil when it is left alone.
  func next() -> (count: Int, isSent: Bool)? {
    let number = connections.withLock { number in
      number += 1
      return number
    }
    guard number % 2 == 1 else { return nil }
    // A prime, so that all numbers come up.
    return (count: number * 61 % 3_000 + 1, isSent: number % 4 == 1)
  }
}

/// What the devices of a check have created between them.
private final class CreatedObjects: Sendable {
  private let keys = Mutex<Set<StoreKey>>([])

  /// Notes an object; false when it was known.
  func insert(_ key: StoreKey) -> Bool { keys.withLock { $0.insert(key).inserted } }

  func remove(_ key: StoreKey) { keys.withLock { _ = $0.remove(key) } }
}

/// A store over others of the same place, which are given up when one does not answer.
///
/// Like the log, it reads back what it may have created.
private final class PersistentStore: ObjectStore {
  private let connect: StoreCheck.Connect
  private let created: CreatedObjects
  private let current = Mutex<(any ObjectStore)?>(nil)
  private static let attempts = 40

  init(_ connect: @escaping StoreCheck.Connect, _ created: CreatedObjects) {
    self.connect = connect
    self.created = created
  }

  private func store() throws -> any ObjectStore {
    try current.withLock { current in
      if let current { return current }
      let store = try connect()
      current = store
      return store
    }
  }

  private func again<Result>(_ work: (any ObjectStore) throws -> Result) throws -> Result {
    var attempts = 0
    while true {
      do {
        return try work(store())
      } catch let error as CloudError where error.code == .networkUnavailable {
        attempts += 1
        if attempts == Self.attempts { throw error }
        current.withLock { $0 = nil }
      }
    }
  }

  func createIfAbsent(_ key: StoreKey, _ bytes: Data) -> CreateOutcome {
    do {
      let outcome = try again { store in
        let outcome = store.createIfAbsent(key, bytes)
        if case .failed(let error) = outcome { throw error }
        if case .unknown(let error) = outcome {
          current.withLock { $0 = nil }
          guard try read(key, limit: 1) != nil else { throw error }
        }
        return outcome
      }
      let isOurs = try outcome.isCreated || read(key, limit: bytes.count + 1) == bytes
      return isOurs && created.insert(key) ? .created : .exists
    } catch let error as CloudError {
      return .failed(error)
    } catch {
      return .failed(CloudError(.internalError, "\(error)"))
    }
  }

  func read(_ key: StoreKey, limit: Int) throws -> Data? {
    try again { try $0.read(key, limit: limit) }
  }

  func object(_ key: StoreKey, limit: Int) throws -> StoredObject? {
    try again { try $0.object(key, limit: limit) }
  }

  func objects(_ keys: [StoreKey], limit: Int) throws -> [StoredObject?] {
    try again { try $0.objects(keys, limit: limit) }
  }

  func list(
    _ prefix: StorePrefix, after name: String?, limit: Int, where isWanted: (String) -> Bool
  ) throws -> [StoreEntry] {
    try again { try $0.list(prefix, after: name, limit: limit, where: isWanted) }
  }

  func delete(_ key: StoreKey) throws {
    try again { try $0.delete(key) }
    created.remove(key)
  }

  func barrier(_ prefix: StorePrefix) throws { try again { try $0.barrier(prefix) } }

  func now(in prefix: StorePrefix) throws -> Int64? { try again { try $0.now(in: prefix) } }

  func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch {
    // One that cannot connect tells nothing.
    (try? store())?.watch(prefixes, onChange: onChange) ?? StoreWatch {}
  }
}

/// Its users, where the place has any.
extension PersistentStore: StoreUsers {
  var users: (any StoreUsers)? {
    // A place that cannot be reached at all fails the check by what is done next.
    let hasUsers = (try? again { $0.users != nil }) ?? false
    return hasUsers ? self : nil
  }

  private func asking<Result>(_ work: (any StoreUsers) throws -> Result) throws -> Result {
    try again { store in
      guard let users = store.users else { throw CloudError(.internalError, "There are no users.") }
      return try work(users)
    }
  }

  func owner(of prefix: StorePrefix) throws -> StoreUser? {
    try asking { try $0.owner(of: prefix) }
  }

  func user(of account: AccountID) throws -> StoreUser? {
    try asking { try $0.user(of: account) }
  }

  func account(of user: StoreUser) throws -> AccountID {
    try asking { try $0.account(of: user) }
  }

  func refusal(of account: AccountID) throws -> CloudError? {
    try asking { try $0.refusal(of: account) }
  }

  func allow(_ access: StoreAccess, in prefix: StorePrefix) throws {
    try asking { try $0.allow(access, in: prefix) }
  }

  func access(in prefix: StorePrefix) throws -> StoreAccess? {
    try asking { try $0.access(in: prefix) }
  }

  func canCreate(in prefix: StorePrefix) throws -> Bool {
    try asking { try $0.canCreate(in: prefix) }
  }
}
