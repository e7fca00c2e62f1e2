import Foundation

/// The new place of a copy.
///
/// What comes there is this user's. Where they administer the store, it is whose it was: an account
/// of the old place is that of the user who speaks for it at the new one.
struct CopyDestination: Sendable {
  let store: any ObjectStore
  private let source: any ObjectStore
  private let administered: (any AdministeredStore)?
  /// The accounts of whoever owns their directories at the old place.
  private let accounts: [StoreUser: [AccountID]]

  init(_ store: any ObjectStore, from source: any ObjectStore) throws {
    (self.store, self.source) = (store, source)
    let administered = store as? any AdministeredStore
    self.administered = try administered?.isAdministered() == true ? administered : nil
    guard self.administered != nil else {
      accounts = [:]
      return
    }
    accounts = try source.list(CloudLayout.accounts, after: nil, limit: .max)
      .reduce(into: [:]) { accounts, entry in
        guard let account = AccountID(rawValue: entry.name),
          let owner = try source.accessControl.owner(of: CloudLayout.account(account))
        else { return }
        accounts[owner, default: []].append(account)
      }
  }

  /// Creates an object of the old place.
  func create(_ key: StoreKey, _ object: StoredObject) throws -> CreateOutcome {
    // The root is everybody's.
    guard let administered, let account = key.account else {
      return store.createIfAbsent(key, object.bytes)
    }
    return administered.restore(
      key, object.bytes, writer: try writer(of: object, in: account))
  }

  /// Who has written an object; nil for somebody who has no account.
  private func writer(of object: StoredObject, in account: AccountID) throws -> StoreUser? {
    let users = store.accessControl
    guard let owner = object.owner, !source.accessControl.isAdministrator(owner) else {
      return try users.user(of: account)
    }
    let own = accounts[owner] ?? []
    let author = own.contains(account) ? account : own.first { $0.userID != nil } ?? own.first
    return try author.flatMap(users.user(of:))
  }

  /// Lets users of the old place into a directory.
  ///
  /// - Returns: Why some of them cannot be let in.
  func allow(_ access: StoreAccess, in prefix: StorePrefix) throws -> CloudError? {
    let users = store.accessControl
    var levels: [StoreUser: StoreAccess.Level] = [:]
    var refusal: CloudError?
    for (user, level) in access.users {
      let account = try source.accessControl.account(of: user)
      if let user = try users.user(of: account) {
        levels[user] = level
      } else {
        refusal = try users.refusal(of: account) ?? refusal
      }
    }
    let access = StoreAccess(users: levels, others: access.others)
    do {
      if let administered {
        try administered.restore(access, in: prefix)
      } else {
        try users.allow(access, in: prefix)
      }
    } catch let error as CloudError where error.code == .permissionFailure {
      return error
    }
    return refusal
  }
}

extension StoreKey {
  /// Whose directory it is in; nil for `CLOUD.json`.
  var account: AccountID? {
    prefix.components.count > 1 ? AccountID(rawValue: prefix.components[1]) : nil
  }
}
