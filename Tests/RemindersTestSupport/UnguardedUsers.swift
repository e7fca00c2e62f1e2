import SQLiteSyncCloud

/// Unix users whom a store of a test keeps from nothing, though it may know what is whose.
package protocol UnguardedUsers: UnixUsers {}

extension UnguardedUsers {
  /// Nil: directories are nobody's.
  public func owner(of prefix: StorePrefix) -> StoreUser? { nil }

  /// Does nothing: nobody is kept out.
  public func allow(_ access: StoreAccess, in prefix: StorePrefix) {}

  /// Nil: nothing is kept of what was allowed.
  public func access(in prefix: StorePrefix) -> StoreAccess? { nil }

  /// True: nobody is kept out.
  public func canCreate(in prefix: StorePrefix) -> Bool { true }
}
