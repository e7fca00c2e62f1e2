import Foundation

/// The seam beneath the cloud: names and bytes.
///
/// A store holds immutable objects that are created whole, at most once. Everything physical that
/// can go wrong is expressible here, so the log above runs unchanged over a directory, memory, and
/// the tests' faulty decorator.
///
/// - A key is a path: the components of its `prefix`, and its `name`. The `description` of a key or
///   a prefix is that path, with `/` between the components, and as good as the key itself: no
///   component is empty or has a `/` in it, and names are compared byte for byte. The root's is
///   empty. Directories come with the first object in them, and need not exist for themselves.
/// - An object never changes. `createIfAbsent` is the only way to make one, and the only promise
///   that is not trivial: of several callers at once, one creates.
/// - Failures are thrown as `CloudError`: `networkUnavailable` for what may succeed later,
///   `accountTemporarilyUnavailable` where the place itself is missing, `badContainer` where its
///   address is wrong, `notAuthenticated` where it refuses the password, `permissionFailure` for
///   what this user may not do, `quotaExceeded` where there is no room, `internalError` for an
///   object or directory that is damaged.
/// - Calls come from any thread, several at once, and wait for their answer: one that asks another
///   machine gives up after a while, with `networkUnavailable`.
///
/// A store needs `read`, `createIfAbsent`, `list`, `delete`, `barrier`, `now` and `watch`. The rest
/// has defaults, for a store that reads objects one by one and that only people use who trust each
/// other. One that keeps its users apart says so with `users`: `StoreUsers` is the second page. The
/// module `SQLiteSyncCloudConformance` checks a store.
public protocol ObjectStore: Sendable {
  /// The first `limit` bytes of an object; nil when it is absent, no bytes when something else has
  /// its name, such as a link in a directory.
  func read(_ key: StoreKey, limit: Int) throws -> Data?

  /// The same with the object's owner, which tells whether its author can be who it says.
  ///
  /// For a store that has `users`.
  func object(_ key: StoreKey, limit: Int) throws -> StoredObject?

  /// The same for several objects, in the order of their keys.
  func objects(_ keys: [StoreKey], limit: Int) throws -> [StoredObject?]

  /// How many objects it is worth asking for at once.
  var readsAtOnce: Int { get }

  /// The time by the clock that objects get their times from: milliseconds since 1970.
  ///
  /// Nil when that is the device's own. What is old enough to be deleted is judged by it.
  ///
  /// - Parameter prefix: A directory where this user may create objects: where only a new object
  ///   tells the time, one is created and removed there.
  func now(in prefix: StorePrefix) throws -> Int64?

  /// Creates an object with all of its bytes, durably, unless one of that key exists.
  func createIfAbsent(_ key: StoreKey, _ bytes: Data) -> CreateOutcome

  /// What lies directly under a prefix, objects and directories, in the byte order of the names,
  /// after `name`.
  ///
  /// One whose name is not wanted costs nothing but the reading of the name: anybody may put any
  /// number of files into a directory.
  func list(
    _ prefix: StorePrefix, after name: String?, limit: Int, where isWanted: (String) -> Bool
  ) throws -> [StoreEntry]

  /// Removes an object, if it is there. Only garbage collection calls it.
  func delete(_ key: StoreKey) throws

  /// Returns once everything that is visible under a prefix will survive a power cut.
  func barrier(_ prefix: StorePrefix) throws

  /// Calls `onChange` after something may have changed under one of the prefixes, until cancelled.
  ///
  /// Calls may be spurious, late, or missing: they only say "look".
  func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch

  /// The users of the store, where it keeps them apart; nil where all who use it trust each other.
  var users: (any StoreUsers)? { get }

  /// Why nothing can be shared with other people; nil when something can.
  var sharingRefusal: CloudError? { get }
}

extension ObjectStore {
  /// All that lies directly under a prefix, in the byte order of the names, after `name`.
  public func list(_ prefix: StorePrefix, after name: String?, limit: Int) throws -> [StoreEntry] {
    try list(prefix, after: name, limit: limit) { _ in true }
  }

  /// The object, which is nobody's.
  public func object(_ key: StoreKey, limit: Int) throws -> StoredObject? {
    try read(key, limit: limit).map { StoredObject(bytes: $0) }
  }

  /// One after the other.
  public func objects(_ keys: [StoreKey], limit: Int) throws -> [StoredObject?] {
    try keys.map { try object($0, limit: limit) }
  }

  /// One: a second request would wait for the first.
  public var readsAtOnce: Int { 1 }

  /// Nil: all who use the store trust each other.
  public var users: (any StoreUsers)? { nil }

  /// Nil: who uses the store can be shared with.
  public var sharingRefusal: CloudError? { nil }
}

/// An object as it was read.
public struct StoredObject: Hashable, Sendable {
  /// Its first bytes; none when something else has its name.
  public let bytes: Data
  /// Who created it; nil where the store has no users.
  public let owner: StoreUser?

  /// An object with its owner.
  public init(bytes: Data, owner: StoreUser? = nil) {
    self.bytes = bytes
    self.owner = owner
  }
}

/// What is known after an attempt to create an object.
public enum CreateOutcome: Sendable {
  /// It was created, by this call, and is durable.
  case created
  /// It was there already.
  case exists
  /// It was certainly not created.
  case failed(CloudError)
  /// It may or may not have been created: read it back.
  case unknown(CloudError)
}

/// An object as a listing shows it.
public struct StoreEntry: Hashable, Sendable {
  /// What a name stands for.
  public enum Kind: Hashable, Sendable {
    /// An object.
    case file
    /// A directory.
    case directory
    /// A symbolic link, which is never followed.
    case link
    /// A FIFO, a socket, a device.
    case other
  }

  /// What somebody has allowed that nothing in a cloud needs: a check of the cloud warns of it.
  public enum PermissionIssue: Hashable, Sendable {
    /// Everybody who gets at the store may write to it.
    case writableByAll
    /// An object has permissions that only programs and directories have a use for.
    case special
  }

  /// The last part of its key.
  public let name: String
  /// Its size.
  public let byteCount: Int64
  /// When it was written: milliseconds since 1970 by the store's clock.
  public let modified: Int64
  /// Whether it is an object, or a directory, link or device in its place.
  public let kind: Kind
  /// Who created it; nil where the store has no users.
  public let owner: StoreUser?
  /// What is wrong with its permissions; empty where objects have none of their own.
  public let permissionIssues: Set<PermissionIssue>

  /// An object with its size and time.
  public init(
    name: String, byteCount: Int64, modified: Int64, kind: Kind = .file, owner: StoreUser? = nil,
    permissionIssues: Set<PermissionIssue> = []
  ) {
    self.name = name
    self.byteCount = byteCount
    self.modified = modified
    self.kind = kind
    self.owner = owner
    self.permissionIssues = permissionIssues
  }

  /// Whether it is an object.
  public var isRegular: Bool { kind == .file }
}

/// Keeps a watch alive; cancels it when released.
public final class StoreWatch: Sendable {
  private let onCancel: @Sendable () -> Void

  /// A watch that ends by calling `onCancel`, which must be harmless to repeat.
  public init(onCancel: @escaping @Sendable () -> Void) {
    self.onCancel = onCancel
  }

  /// Ends the watch.
  ///
  /// A call that is under way may still finish.
  public func cancel() {
    onCancel()
  }

  deinit {
    onCancel()
  }
}
