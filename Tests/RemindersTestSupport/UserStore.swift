import Foundation
import SQLiteSyncCloud
import Synchronization

/// A cloud in which every file has an owner, as one Unix user sees it.
///
/// It keeps nobody out: what is proved over it holds where the file system would let somebody write
/// anything.
public final class UserStore: ObjectStore, UnguardedUsers {
  /// Who owns what, for all who use the cloud.
  private final class Owners: Sendable {
    let files = Mutex<[StoreKey: StoreUser]>([:])
    /// By their paths.
    let directories = Mutex<[String: StoreUser]>([:])
  }

  private let base: any ObjectStore
  private let owners: Owners
  private let user: StoreUser

  /// The cloud in `base` as a user sees it.
  public init(_ base: any ObjectStore, user: StoreUser) {
    self.base = base
    self.user = user
    owners = Owners()
  }

  private init(_ other: UserStore, user: StoreUser) {
    base = other.base
    owners = other.owners
    self.user = user
  }

  /// Who owns a directory by its path; nil when it is absent.
  func owner(ofDirectory path: String) -> StoreUser? { owners.directories.withLock { $0[path] } }

  /// Who owns a file.
  func owner(ofFile key: StoreKey) -> StoreUser? { owners.files.withLock { $0[key] } }

  /// Makes a directory, if it is absent.
  func makeDirectory(_ path: String) {
    owners.directories.withLock { directories in
      var made = ""
      for component in path.split(separator: "/") {
        made += made.isEmpty ? "\(component)" : "/\(component)"
        directories[made] = directories[made] ?? user
      }
    }
  }

  /// The same cloud as another user sees it.
  public func seen(by user: StoreUser) -> UserStore { UserStore(self, user: user) }

  /// See `ObjectStore.read`.
  public func read(_ key: StoreKey, limit: Int) throws -> Data? {
    try base.read(key, limit: limit)
  }

  /// See `ObjectStore.object`.
  public func object(_ key: StoreKey, limit: Int) throws -> StoredObject? {
    try base.read(key, limit: limit).map { bytes in
      StoredObject(bytes: bytes, owner: owners.files.withLock { $0[key] })
    }
  }

  /// Those who have seen it.
  public var users: (any StoreUsers)? { self }

  /// See `StoreUsers.owner`.
  public func owner(of prefix: StorePrefix) -> StoreUser? {
    owners.directories.withLock { $0["\(prefix)"] }
  }

  /// See `ObjectStore.createIfAbsent`.
  public func createIfAbsent(_ key: StoreKey, _ bytes: Data) -> CreateOutcome {
    let outcome = base.createIfAbsent(key, bytes)
    if case .created = outcome {
      owners.files.withLock { $0[key] = user }
      makeDirectory("\(key.prefix)")
    }
    return outcome
  }

  /// See `ObjectStore.list`.
  public func list(
    _ prefix: StorePrefix, after name: String?, limit: Int, where isWanted: (String) -> Bool
  ) throws -> [StoreEntry] {
    try base.list(prefix, after: name, limit: limit, where: isWanted)
  }

  /// See `ObjectStore.delete`.
  public func delete(_ key: StoreKey) throws {
    try base.delete(key)
    owners.files.withLock { $0[key] = nil }
  }

  /// See `ObjectStore.barrier`.
  public func barrier(_ prefix: StorePrefix) throws { try base.barrier(prefix) }

  /// See `ObjectStore.now`.
  public func now(in prefix: StorePrefix) throws -> Int64? { try base.now(in: prefix) }

  /// See `ObjectStore.watch`.
  public func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch {
    base.watch(prefixes, onChange: onChange)
  }
}
