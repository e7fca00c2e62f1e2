import Foundation

/// A store that whoever administers it can fill for its users, as when a whole cloud is copied.
protocol AdministeredStore: ObjectStore {
  /// Whether this user administers it.
  func isAdministered() throws -> Bool

  /// Why accounts can be nobody's here; where this user does not administer the store, also why
  /// they are not this user's.
  func refusals(of accounts: [AccountID]) throws -> [AccountID: CloudError]

  /// Creates an object for who administers the store.
  ///
  /// Directories belong to the user of the account.
  ///
  /// - Parameters:
  ///   - key: The object.
  ///   - bytes: What is in it.
  ///   - writer: Whose it is; nil for an object that vouches for nobody.
  func restore(_ key: StoreKey, _ bytes: Data, writer: StoreUser?) -> CreateOutcome

  /// Lets users into somebody's directory, for who administers the store.
  func restore(_ access: StoreAccess, in prefix: StorePrefix) throws
}
