import Foundation
import SQLiteSyncCloud
import Synchronization

/// A cloud as the file system shows it to one Unix user: who may not, cannot.
///
/// It models what `DirectoryStore` makes: directories with access control lists and the sticky bit,
/// and files that everybody may read who may enter their directory. User 0 may do everything.
public final class GuardedStore: ObjectStore, UnixUsers {
  /// Somebody let others into a directory.
  public struct Grant: Sendable {
    /// The directory.
    public let path: String
    /// What others may do there from now on.
    public let access: StoreAccess
  }

  /// A file that somebody made.
  public struct Creation: Sendable {
    /// Who made it.
    public let user: StoreUser
    /// The file.
    public let key: StoreKey
  }

  private struct Rights {
    var access: [String: StoreAccess] = [:]
    var unreadable: Set<StoreKey> = []
    var grants: [Grant] = []
    var creations: [Creation] = []
    /// The owners of files by their paths.
    var owners: [String: StoreUser] = [:]
  }

  private final class Shared: Sendable {
    let rights = Mutex(Rights())
  }

  private let cloud: UserStore
  private let user: StoreUser
  private let shared: Shared

  /// An empty cloud, as the superuser sees it.
  public convenience init(_ base: any ObjectStore) {
    self.init(cloud: UserStore(base, user: "0"), user: "0", shared: Shared())
  }

  private init(cloud: UserStore, user: StoreUser, shared: Shared) {
    self.cloud = cloud
    self.user = user
    self.shared = shared
  }

  /// The same cloud as another user sees it.
  public func seen(by user: StoreUser) -> GuardedStore {
    GuardedStore(cloud: cloud.seen(by: user), user: user, shared: shared)
  }

  // MARK: - What happened

  /// Who was let in where since this was asked last.
  public func takeGrants() -> [Grant] {
    shared.rights.withLock { rights in
      defer { rights.grants = [] }
      return rights.grants
    }
  }

  /// What was created since this was asked last.
  public func takeCreations() -> [Creation] {
    shared.rights.withLock { rights in
      defer { rights.creations = [] }
      return rights.creations
    }
  }

  /// Lets nobody read a file any more: mode 0000.
  public func makeUnreadable(_ key: StoreKey) {
    shared.rights.withLock { _ = $0.unreadable.insert(key) }
  }

  /// Removes the files that nobody may read, as the owners of their directories may do.
  public func removeUnreadable() throws {
    let keys = shared.rights.withLock { rights in
      defer { rights.unreadable = [] }
      return rights.unreadable
    }
    for key in keys { try cloud.delete(key) }
  }

  // MARK: - Rights

  /// What a new directory lets others do, as the format says.
  private static func usualAccess(_ path: String) -> StoreAccess {
    let names = path.split(separator: "/")
    return switch names.count {
    case 0, 1: StoreAccess(others: .write)
    case 2: StoreAccess(others: .enter)
    case 3: StoreAccess(others: names[2] == "inbox" ? .drop : names[2] == "zones" ? .enter : .none)
    default: StoreAccess()
    }
  }

  /// The bits of what the user may do in a directory; nil when it is absent.
  private func bits(_ path: String) -> UInt16? {
    guard !isAdministrator(user), !path.isEmpty else { return 7 }
    guard let owner = cloud.owner(ofDirectory: path) else { return nil }
    guard owner != user else { return 7 }
    let access = shared.rights.withLock { $0.access[path] } ?? Self.usualAccess(path)
    return (access.users[user] ?? access.others).rawValue
  }

  /// Makes sure that the user may go as far as a directory, and returns what he may do in the last
  /// one that is there, and whether that is it.
  private func enter(_ prefix: StorePrefix) throws -> (bits: UInt16, isThere: Bool) {
    var path = ""
    var last = UInt16(7)
    for name in "\(prefix)".split(separator: "/") {
      guard last & 1 != 0 else { throw Self.refusal(path) }
      path += path.isEmpty ? "\(name)" : "/\(name)"
      guard let bits = bits(path) else { return (last, false) }
      last = bits
    }
    return (last, true)
  }

  private func require(_ wanted: UInt16, in prefix: StorePrefix) throws -> Bool {
    let (bits, isThere) = try enter(prefix)
    guard isThere else { return false }
    guard bits & wanted == wanted else { throw Self.refusal("\(prefix)") }
    return true
  }

  private static func refusal(_ path: String) -> CloudError {
    CloudError(.permissionFailure, "\(path): permission denied.")
  }

  // MARK: - The store

  /// See `ObjectStore.read`.
  public func read(_ key: StoreKey, limit: Int) throws -> Data? {
    try object(key, limit: limit)?.bytes
  }

  /// See `ObjectStore.object`.
  public func object(_ key: StoreKey, limit: Int) throws -> StoredObject? {
    guard try require(1, in: key.prefix) else { return nil }
    guard isAdministrator(user) || !shared.rights.withLock({ $0.unreadable.contains(key) }) else {
      throw CloudError(.internalError, "The file \(key) \(Self.unreadable)")
    }
    return try cloud.object(key, limit: limit)
  }

  /// How the error ends of a file that may not be read.
  public static let unreadable = "may not be read by this user."

  /// See `ObjectStore.createIfAbsent`.
  public func createIfAbsent(_ key: StoreKey, _ bytes: Data) -> CreateOutcome {
    do {
      guard try enter(key.prefix).bits & 3 == 3 else { throw Self.refusal("\(key.prefix)") }
    } catch {
      return .failed(error as? CloudError ?? Self.refusal("\(key)"))
    }
    let outcome = cloud.createIfAbsent(key, bytes)
    if case .created = outcome {
      shared.rights.withLock { rights in
        rights.creations.append(Creation(user: user, key: key))
        rights.owners["\(key)"] = user
      }
    }
    return outcome
  }

  /// See `ObjectStore.list`.
  public func list(
    _ prefix: StorePrefix, after name: String?, limit: Int, where isWanted: (String) -> Bool
  ) throws -> [StoreEntry] {
    guard try require(4, in: prefix) else { return [] }
    let entries = try cloud.list(prefix, after: name, limit: limit, where: isWanted)
    return shared.rights.withLock { rights in
      entries.map { entry in
        let owner = rights.owners["\(prefix)/\(entry.name)"]
        return StoreEntry(
          name: entry.name, byteCount: entry.byteCount, modified: entry.modified, kind: entry.kind,
          owner: owner)
      }
    }
  }

  /// See `ObjectStore.delete`.
  public func delete(_ key: StoreKey) throws {
    guard try require(3, in: key.prefix) else { return }
    let owners = [cloud.owner(ofFile: key), cloud.owner(ofDirectory: "\(key.prefix)")]
    guard isAdministrator(user) || owners.contains(user) else { throw Self.refusal("\(key)") }
    try cloud.delete(key)
  }

  /// See `ObjectStore.barrier`.
  public func barrier(_ prefix: StorePrefix) throws { _ = try enter(prefix) }

  /// See `ObjectStore.now`.
  public func now(in prefix: StorePrefix) throws -> Int64? { try cloud.now(in: prefix) }

  // MARK: - Users

  /// Those who have seen it.
  public var users: (any StoreUsers)? { self }

  /// See `StoreUsers.owner`.
  public func owner(of prefix: StorePrefix) -> StoreUser? { cloud.owner(of: prefix) }

  /// See `StoreUsers.allow`.
  public func allow(_ access: StoreAccess, in prefix: StorePrefix) throws {
    let path = "\(prefix)"
    let (bits, isThere) = try enter(prefix)
    if !isThere {
      guard bits & 3 == 3 else { throw Self.refusal(path) }
      cloud.makeDirectory(path)
    }
    guard isAdministrator(user) || cloud.owner(ofDirectory: path) == user else {
      throw Self.refusal(path)
    }
    shared.rights.withLock { rights in
      rights.access[path] = access
      rights.grants.append(Grant(path: path, access: access))
    }
  }

  /// See `StoreUsers.access`.
  public func access(in prefix: StorePrefix) throws -> StoreAccess? {
    guard try enter(prefix).isThere else { return nil }
    return shared.rights.withLock { $0.access["\(prefix)"] } ?? Self.usualAccess("\(prefix)")
  }

  /// True: who may not is told when he creates something.
  public func canCreate(in prefix: StorePrefix) -> Bool { true }

  /// See `ObjectStore.watch`.
  public func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch {
    cloud.watch(prefixes, onChange: onChange)
  }
}
