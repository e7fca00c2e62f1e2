/// The users of a store that keeps them apart: who owns what, and who may do what where.
///
/// An optional capability: `ObjectStore.users`. Who its users are is for the store to say, and how
/// it knows them: a `StoreUser` is the number of a Unix user, a role of a database, an access key.
/// What it says must not depend on what the objects say, since anybody may write anything there.
///
/// - An object belongs to whoever created it, and a directory to whoever created the first object
///   in it. The store tells the owner with each object (`StoredObject`, `StoreEntry`). A commit
///   whose author cannot be its owner counts as forged.
/// - A new directory lets others do nothing. Exceptions are the root and `accounts`, where
///   everybody may create something (`StoreAccess.Level.write`), and the directory of an account
///   and those directly in it, which others may pass through (`enter`). Owners change that with
///   `allow`.
/// - The store itself keeps everybody to that, and answers `permissionFailure`. Devices ask what
///   they may do only in order to warn.
///
/// A store needs `owner`, `user`, `account`, `allow`, `access` and `canCreate`; the rest has
/// defaults.
public protocol StoreUsers: Sendable {
  /// Who owns a directory; nil when it is absent.
  func owner(of prefix: StorePrefix) throws -> StoreUser?

  /// The user who speaks for an account, and whom others can let in.
  ///
  /// Nil when only the account's name tells it from others: then it is that of whoever owns its
  /// directory, and nobody can let it in.
  func user(of account: AccountID) throws -> StoreUser?

  /// The account that is a user's own.
  ///
  /// It takes the place of an author who did not write what is in their name, and people know the
  /// user by it (`AccountID.displayName`). So no other user may speak for it.
  func account(of user: StoreUser) throws -> AccountID

  /// Whether a user may do everything anyway, as one who restores backups: any author counts whom
  /// an object of theirs names.
  func isAdministrator(_ user: StoreUser) -> Bool

  /// Why nobody can use an account here, or not this user; nil when he can.
  ///
  /// `permissionFailure` when it is another user's, who can. Asked before a cloud is copied, so
  /// that nothing is begun that cannot be finished.
  func refusal(of account: AccountID) throws -> CloudError?

  /// Lets other users into a directory and keeps the rest out; makes it if need be.
  ///
  /// Only its owner can.
  func allow(_ access: StoreAccess, in prefix: StorePrefix) throws

  /// What other users may do in a directory; nil when that is unknown.
  func access(in prefix: StorePrefix) throws -> StoreAccess?

  /// Why single users cannot be let into directories below a prefix; nil when they can.
  func userRefusal(in prefix: StorePrefix) throws -> CloudError?

  /// Whether this user may create objects under a prefix; true when it is not there yet.
  func canCreate(in prefix: StorePrefix) throws -> Bool
}

extension StoreUsers {
  /// False: what an administrator restores for others is forged in their name.
  public func isAdministrator(_ user: StoreUser) -> Bool { false }

  /// Nil: everybody can use any account that is not another's.
  public func refusal(of account: AccountID) throws -> CloudError? { nil }

  /// Nil: `allow` does what it is asked for.
  public func userRefusal(in prefix: StorePrefix) throws -> CloudError? { nil }
}

/// A user of a store, by the name that the store knows them by.
///
/// Names are compared byte for byte: two that only look the same are two users.
public struct StoreUser: Hashable, Sendable, CustomStringConvertible {
  private let exact: ExactString

  /// A user of that name.
  public init(_ name: String) {
    exact = ExactString(name)
  }

  /// The name.
  public var name: String { exact.string }

  /// The name.
  public var description: String { name }
}

extension StoreUser: ExpressibleByStringLiteral {
  /// A user of that name.
  public init(stringLiteral name: String) {
    self.init(name)
  }
}

extension ObjectStore {
  /// The users of the store, or what there is to say where it has none.
  var accessControl: any StoreUsers { users ?? NoAccessControl(sharingRefusal: sharingRefusal) }
}

/// What a store without users says of them: nobody is kept out, so nobody needs to be let in.
///
/// Accounts that are named after Unix users count as users all the same. A cloud of such people may
/// have been copied to where nothing can be shared: that is said to whoever lets them in.
private struct NoAccessControl: UnixUsers {
  let sharingRefusal: CloudError?

  func owner(of prefix: StorePrefix) -> StoreUser? { nil }

  func allow(_ access: StoreAccess, in prefix: StorePrefix) throws {
    if let sharingRefusal, !access.users.isEmpty { throw sharingRefusal }
  }

  func access(in prefix: StorePrefix) -> StoreAccess? { nil }

  func userRefusal(in prefix: StorePrefix) -> CloudError? { sharingRefusal }

  func canCreate(in prefix: StorePrefix) -> Bool { true }
}
