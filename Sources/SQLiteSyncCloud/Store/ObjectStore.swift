import Foundation

/// The seam beneath the cloud: immutable objects that are created whole, at most once.
///
/// Everything physical that can go wrong is expressible here, so the log above runs unchanged over
/// a directory, memory, and the tests' faulty decorator. Failures are thrown as `CloudError`.
///
/// A store needs `read`, `createIfAbsent`, `list`, `delete`, `barrier` and `watch`; the rest has
/// defaults, for a store that knows no users, no clock but the device's, and no way to read several
/// objects faster than one by one. Calls come from any thread, several at once, and wait for their
/// answer: one that asks another machine gives up after a while, with `networkUnavailable`. The
/// module `SQLiteSyncCloudConformance` checks a store.
public protocol ObjectStore: Sendable {
  /// The first `limit` bytes of an object; nil when it is absent, no bytes when it is not a regular
  /// file.
  func read(_ key: StoreKey, limit: Int) throws -> Data?

  /// The same with the object's owner, which tells whether its author can be who it says.
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

  /// The Unix user who owns a directory; nil when it is absent, or where there are no users.
  func owner(of prefix: StorePrefix) throws -> UInt32?

  /// The user of the store who speaks for an account, and whom others can let in; nil when only
  /// the account's name tells it from others.
  func user(of account: AccountID) throws -> UInt32?

  /// Why nobody can use an account here, or not this user; nil when he can.
  ///
  /// `permissionFailure` when it is another user's, who can. Asked before a cloud is copied, so
  /// that nothing is begun that cannot be finished.
  func refusal(of account: AccountID) throws -> CloudError?

  /// Creates an object with all of its bytes, durably, unless one of that key exists.
  func createIfAbsent(_ key: StoreKey, _ bytes: Data) -> CreateOutcome

  /// The objects under a prefix in the byte order of their names, after `name`.
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

  /// Lets other users into a directory and keeps the rest out; makes it if need be.
  ///
  /// Only its owner can. A store that knows no users does nothing.
  func allow(_ access: StoreAccess, in prefix: StorePrefix) throws

  /// What other users may do in a directory; nil when that is unknown.
  func access(in prefix: StorePrefix) throws -> StoreAccess?

  /// Why single users cannot be let into directories below a prefix; nil when they can.
  func userRefusal(in prefix: StorePrefix) throws -> CloudError?

  /// Why nothing can be shared with other people; nil when something can.
  var sharingRefusal: CloudError? { get }

  /// Whether this user may create objects under a prefix; true when it is not there yet.
  func canCreate(in prefix: StorePrefix) throws -> Bool

  /// Calls `onChange` after something may have changed under one of the prefixes, until cancelled.
  ///
  /// Calls may be spurious, late, or missing: they only say "look".
  func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch
}

extension ObjectStore {
  /// All objects under a prefix in the byte order of their names, after `name`.
  public func list(_ prefix: StorePrefix, after name: String?, limit: Int) throws -> [StoreEntry] {
    try list(prefix, after: name, limit: limit) { _ in true }
  }

  /// The object, whose owner is unknown: here are no users.
  public func object(_ key: StoreKey, limit: Int) throws -> StoredObject? {
    try read(key, limit: limit).map { StoredObject(bytes: $0, owner: nil) }
  }

  /// One after the other.
  public func objects(_ keys: [StoreKey], limit: Int) throws -> [StoredObject?] {
    try keys.map { try object($0, limit: limit) }
  }

  /// One: a second request would wait for the first.
  public var readsAtOnce: Int { 1 }

  /// Nil: here are no users.
  public func owner(of prefix: StorePrefix) throws -> UInt32? { nil }

  /// The Unix user whom the account is named after.
  public func user(of account: AccountID) -> UInt32? { account.userID }

  /// Nil: here are no users to tell apart.
  public func refusal(of account: AccountID) -> CloudError? { nil }

  /// Does nothing: here are no users.
  public func allow(_ access: StoreAccess, in prefix: StorePrefix) throws {}

  /// Nil: here are no users.
  public func access(in prefix: StorePrefix) throws -> StoreAccess? { nil }

  /// Nil: here are no users to keep out.
  public func userRefusal(in prefix: StorePrefix) throws -> CloudError? { nil }

  /// Nil: whoever can use the store trusts the others.
  public var sharingRefusal: CloudError? { nil }

  /// True: here are no users to keep out.
  public func canCreate(in prefix: StorePrefix) throws -> Bool { true }
}

/// An object as it was read.
public struct StoredObject: Hashable, Sendable {
  /// Its first bytes; none when it is not a regular file.
  public let bytes: Data
  /// The Unix user who owns it; nil where the store knows no users.
  public let owner: UInt32?

  /// An object with its owner.
  public init(bytes: Data, owner: UInt32?) {
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

  /// Who owns an object and who may do what with it.
  public struct Access: Hashable, Sendable {
    /// The Unix user.
    public let owner: UInt32
    /// The twelve bits that `chmod` sets.
    public let mode: UInt32

    /// The access of an object.
    public init(owner: UInt32, mode: UInt32) {
      self.owner = owner
      self.mode = mode
    }
  }

  /// The last part of its key.
  public let name: String
  /// Its size.
  public let byteCount: Int64
  /// When it was written: milliseconds since 1970 by the store's clock.
  public let modified: Int64
  /// Whether it is an object, or a directory, link or device in its place.
  public let kind: Kind
  /// Nil where the store knows no owners.
  public let access: Access?

  /// An object with its size and time.
  public init(
    name: String, byteCount: Int64, modified: Int64, kind: Kind = .file, access: Access? = nil
  ) {
    self.name = name
    self.byteCount = byteCount
    self.modified = modified
    self.kind = kind
    self.access = access
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
