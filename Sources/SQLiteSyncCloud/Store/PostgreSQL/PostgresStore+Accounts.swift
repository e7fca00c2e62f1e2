import Foundation

/// Whose an account is: that of the role that it was given to, or else of the role of its name.
extension PostgresStore {
  /// Makes roles that may log in, without a password: their people set one, or log in by what the
  /// server's pg_hba.conf says.
  ///
  /// For who may make roles. Those that are there stay as they are.
  ///
  /// - Throws: `permissionFailure` where the role that logs in may make none.
  public func makeRoles(_ names: [String]) throws {
    try administer("the roles") { connection throws(PostgresError) in
      for name in names {
        let command = try connection.run(
          """
          SELECT format('CREATE ROLE %I LOGIN', $1::text)
          WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = $1::text)
          """, .text(name))
        if let command = command.rows.first?.text(0) { _ = try connection.run(command) }
      }
    }
  }

  /// Gives accounts to roles, as those of Unix users whose cloud is to be copied here.
  ///
  /// For who has made the schema. A role has one account and an account one role. That a role has
  /// its account already is no error.
  ///
  /// - Parameter accounts: The accounts, each with the name of a role.
  /// - Throws: `invalidArguments` where there is no such role, an account is another role's, or a
  ///   role has another account or uses that of its name; then none is given.
  public func give(_ accounts: [AccountID: String]) throws {
    let roles = Dictionary(uniqueKeysWithValues: accounts.map { ($0.key.rawValue, $0.value) })
    let json = String(decoding: try JSONEncoder().encode(roles), as: UTF8.self)
    try administer("the accounts") { connection throws(PostgresError) in
      _ = try connection.run(
        "SELECT sqlitesync.give(key, value) FROM jsonb_each_text($1::jsonb)", .text(json))
    }
  }

  /// The account of the role that logs in.
  ///
  /// - Throws: `permissionFailure` where it was given none, and none can be called like it.
  public func ownAccount() throws -> AccountID {
    let (role, account) = try reporting("Looking for", "your account") {
      connection throws(PostgresError) in
      let reply = try connection.run(
        "SELECT session_user, sqlitesync.role_account(session_user)",
        older: "SELECT session_user, '@' || session_user")
      return (reply.rows.first?.text(0) ?? "", reply.rows.first?.text(1))
    }
    guard let account = account.flatMap(AccountID.init(rawValue:)) else {
      throw CloudError.noAccount(ofRole: role)
    }
    account.isCalled(role)
    return account
  }

  /// The account of a role; nil where there is no such role, or no account can be called like it.
  public func account(ofRole role: String) throws -> AccountID? {
    let account = try reporting("Looking for", role) { connection throws(PostgresError) in
      try connection.run(
        "SELECT sqlitesync.role_account(rolname) FROM pg_roles WHERE rolname = $1::text",
        older: "SELECT '@' || rolname FROM pg_roles WHERE rolname = $1::text", .text(role)
      ).rows.first?.text(0)
    }
    guard let account = account.flatMap(AccountID.init(rawValue:)) else { return nil }
    account.isCalled(role)
    return account
  }

  /// The role of the account, or else whoever owns its directory.
  public func user(of account: AccountID) throws -> StoreUser? {
    if let known = state.withLock({ $0.users[account] }) { return known }
    let row = try reporting("Reading", account) { connection throws(PostgresError) in
      try connection.run(
        "SELECT sqlitesync.speaker($1), sqlitesync.account_role($1)",
        older: "SELECT sqlitesync.account_user(substr($1::text, 2)) WHERE $1 LIKE '@%'",
        .text(account.rawValue)
      ).rows.first
    }
    guard let user = row?.user(0) else { return nil }
    if account.userID != nil, let role = row?.text(1) { account.isCalled(role) }
    state.withLock { $0.users[account] = user }
    return user
  }

  /// The account of the role of a number.
  ///
  /// That of a role that is no more, or that no account can be called like, is a number that no
  /// user has.
  public func account(of user: StoreUser) throws -> AccountID {
    if let known = state.withLock({ $0.accounts[user] }) { return known }
    let role = try reporting("Looking for", "a role") { connection throws(PostgresError) in
      try connection.run(
        "SELECT rolname FROM pg_roles WHERE oid = $1::oid", .text(user.name)
      ).rows.first?.text(0)
    }
    let account = try role.flatMap(account(ofRole:)) ?? AccountID(userID: .max)
    state.withLock { $0.accounts[user] = account }
    return account
  }

  // MARK: - Accounts that cannot be used

  /// An account is its role's, and one that is a number of no other.
  public func refusal(of account: AccountID) throws -> CloudError? {
    let holder = try holder(of: account)
    if holder.role == nil, account.userID != nil { return noRole([account]) }
    if let other = holder.other {
      return CloudError(
        .invalidArguments,
        "The account of the role \(account) of \(place) is \(other), and not \(account.rawValue).",
        hint: "Use that one.")
    }
    guard let role = holder.role, role != holder.ownRole else { return nil }
    return CloudError(
      .permissionFailure,
      "The account \(account.rawValue) is that of the role \(role) of \(place).",
      hint: "Log in as that role.")
  }

  private typealias Holder = (role: String?, other: String?, ownRole: String)

  /// The role of an account; of one that is called like a role which has another, that other one.
  private func holder(of account: AccountID) throws -> Holder {
    try reporting("Reading", account) { connection throws(PostgresError) in
      let reply = try connection.run(
        """
        SELECT session_user, sqlitesync.account_role($1), (
          SELECT sqlitesync.role_account(rolname) FROM pg_roles WHERE '@' || rolname = $1)
        """,
        older: """
          SELECT session_user, (SELECT rolname FROM pg_roles WHERE '@' || rolname = $1::text)
          """, .text(account.rawValue))
      guard let row = reply.rows.first, let own = row.text(0) else { throw .nonsense }
      let role = row.text(1)
      return (role, role == nil && row.count > 2 ? row.text(2) : nil, own)
    }
  }

  /// What to do about accounts that are numbers, and that no role has.
  private func noRole(_ accounts: [AccountID]) -> CloudError {
    let list = accounts.map(\.rawValue).joined(separator: ", ")
    let roles = accounts.map { account in
      let name = account.displayName
      return "\"\(account.rawValue)\": \"\(name == "\(account)" ? "ROLE" : name)\""
    }
    let isOne = accounts.count == 1
    return CloudError(
      .invalidArguments,
      (isOne ? "The account \(list) is of a user" : "The accounts \(list) are of users")
        + " of a machine, and of no role of \(place).",
      hint: "Whoever administers the database gives \(isOne ? "it to a role" : "each to a role")"
        + ", with an own role in the address: PostgresStore(PostgresAddress(typed: \"\(place)\"))"
        + ".give([\(roles.joined(separator: ", "))])")
  }
}

extension PostgresStore: AdministeredStore {
  /// See `AdministeredStore.isAdministered`.
  func isAdministered() throws -> Bool {
    try reporting("Looking for", "your rights") { connection throws(PostgresError) in
      let reply = try connection.run(
        "SELECT sqlitesync.administers()::integer::bigint", older: "SELECT 0::bigint")
      return reply.rows.first?.number(0) == 1
    }
  }

  /// Names all accounts at once that no role has.
  func refusals(of accounts: [AccountID]) throws -> [AccountID: CloudError] {
    var refusals: [AccountID: CloudError] = [:]
    for account in accounts { refusals[account] = try refusal(of: account) }
    let missing = accounts.filter {
      $0.userID != nil && refusals[$0]?.code == .invalidArguments
    }
    for account in missing { refusals[account] = noRole(missing) }
    guard !refusals.isEmpty, try isAdministered() else { return refusals }
    return refusals.filter { $0.value.code != .permissionFailure }
  }

  /// See `AdministeredStore.restore`.
  func restore(_ key: StoreKey, _ bytes: Data, writer: StoreUser?) -> CreateOutcome {
    create(key) { connection throws(PostgresError) in
      try connection.run(
        "SELECT sqlitesync.restore($1, $2, $3, $4::bigint)", .text("\(key.prefix)"),
        .text(key.name), .bytes(bytes), .text(writer?.name ?? "-1")
      ).rows.first?.number(0) == 1
    }
  }

  /// See `AdministeredStore.restore`.
  func restore(_ access: StoreAccess, in prefix: StorePrefix) throws {
    try reporting("Sharing", prefix) { connection throws(PostgresError) in
      _ = try connection.run(
        "SELECT sqlitesync.restore_access($1, $2::jsonb, $3::integer)", .text("\(prefix)"),
        .text(access.people), .number(access.others.rawValue))
    }
  }
}

extension PostgresConnection {
  /// Asks the functions for accounts; a database that an earlier version has set up, what it has
  /// instead of them.
  fileprivate func run(
    _ query: String, older: String, _ parameter: PostgresParameter? = nil
  ) throws(PostgresError) -> PostgresReply {
    func run(_ query: String) throws(PostgresError) -> PostgresReply {
      if let parameter { try self.run(query, parameter) } else { try self.run(query) }
    }
    do throws(PostgresError) {
      return try run(query)
    } catch {
      guard error.isOfMissingFunction else { throw error }
      return try run(older)
    }
  }
}

extension CloudError {
  /// A role whose name is not one of an account: see `AccountID.init(name:)`.
  static func noAccount(ofRole role: String) -> CloudError {
    CloudError(
      .permissionFailure, "No account can be called like the role “\(role)”.",
      hint: "Names of accounts are up to 32 lower-case letters from a to z, digits, dots, hyphens "
        + "and underscores. Use a role of such a name, or give the account another one.")
  }
}
