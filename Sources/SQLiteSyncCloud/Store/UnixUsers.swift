/// The users of a Unix system, by their numbers: the account `u1001` is that of user 1001.
package protocol UnixUsers: StoreUsers {}

extension UnixUsers {
  /// The user whom the account is named after; nil for an account that is only a name.
  public func user(of account: AccountID) -> StoreUser? {
    account.userID.map(StoreUser.init(number:))
  }

  /// The account that is named after the user.
  public func account(of user: StoreUser) -> AccountID {
    // The number -1 is nobody's, to chown(2).
    AccountID(userID: user.number ?? .max)
  }

  /// Whether it is the superuser.
  public func isAdministrator(_ user: StoreUser) -> Bool { user.number == 0 }
}

extension StoreUser {
  /// The user of a number, as Unix systems and PostgreSQL have them.
  package init(number: UInt32) {
    self.init(String(number))
  }

  /// The number that the name is; nil for another name.
  package var number: UInt32? {
    // `+1` and `01` are numbers, and not the names of user 1.
    UInt32(name).flatMap { String($0) == name ? $0 : nil }
  }
}

extension Set<StoreEntry.PermissionIssue> {
  /// What is wrong with what Unix lets others do.
  ///
  /// - Parameters:
  ///   - mode: The twelve bits that `chmod` sets.
  ///   - kind: What has them.
  init(mode: UInt32, of kind: StoreEntry.Kind) {
    self = []
    // Everybody may do everything to a link, and nothing with it: what counts is its directory.
    guard kind != .link else { return }
    let isSticky = kind == .directory && mode & 0o1000 != 0
    if mode & 0o002 != 0, !isSticky { insert(.writableByAll) }
    if kind == .file, mode & 0o7000 != 0 { insert(.special) }
  }
}
