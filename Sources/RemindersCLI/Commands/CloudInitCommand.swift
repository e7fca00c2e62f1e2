import ArgumentParser
import Foundation
import Glibc
import RemindersCore
import SQLiteSyncCloud

struct CloudInitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "init",
    abstract: "Make a PostgreSQL database a cloud, or a directory one for several users.",
    usage: "reminders cloud init <place> [--role <role> …] [--user <account>=<role> …]",
    discussion: """
      A directory that all users of a machine may use is made by its administrator: whoever owns \
      it, or `accounts` or CLOUD.json in it, can take the cloud away from everybody. For \
      example:

        sudo reminders cloud init /srv/reminders

      A database, by whoever administers it:

        createdb cloud
        reminders cloud init postgres://postgres@example.org/cloud --role ann
        psql cloud -c '\\password ann'

      and then on each of ann's devices, her password in ~/.pgpass:

        reminders --cloud postgres://ann@example.org/cloud

      It makes a schema “sqlitesync” with tables, functions and row-level security, or adds what \
      is missing; what is there stays, so it can be repeated. Every role that may connect may use \
      the cloud, each with the account of its own name; REVOKE USAGE ON SCHEMA sqlitesync FROM \
      PUBLIC, and GRANT it to some, decides otherwise. Other places need no such thing.

      The accounts of Unix users are their numbers, also in a copy of their cloud. Before \
      reminders cloud copy brings one into a database, each is given to a role:

        reminders cloud init postgres://postgres@example.org/cloud --user 1000=ann

      A role has one account, and an account one role. An account of another role's name is \
      refused, and so is a role that uses the cloud already with another account.
      """)

  @Argument(
    help:
      "A directory, or postgres://[role@]host[:port]/database with a role that may make schemas.")
  var place: String
  @Option(
    name: .customLong("role"),
    help: ArgumentHelp(
      "Make a role that may log in, without a password; one that is there stays.",
      valueName: "role"))
  var roles: [String] = []
  @Option(
    name: .customLong("user"),
    help: ArgumentHelp(
      "Give an account, such as the number of a Unix user, to a role of the database.",
      valueName: "account=role"))
  var users: [String] = []

  func run() async throws {
    let location = try CloudLocation(typed: place)
    let accounts = try Self.accounts(users)
    switch location {
    case .directory(let directory) where accounts.isEmpty && roles.isEmpty:
      try prepare(directory, location)
    case .directory:
      throw AppError(
        .invalidInput, "Only a database has roles that accounts can be given to.",
        hint: "Leave out --role and --user.")
    case .postgres(_, let store):
      try requireAccounts(besides: Set(accounts.values))
      try store.makeSchema()
      if !roles.isEmpty { try store.makeRoles(roles) }
      if !accounts.isEmpty { try store.give(accounts) }
    case .ssh, .s3:
      throw AppError(
        .invalidInput, "Only a database, or a directory of this machine, is to be set up.",
        hint: "Any other place becomes a cloud when it is first used.")
    }
    Messages.write("\(location.name) is set up as a cloud.".printable)
    for role in roles { Messages.write("There is a role \(role).".printable) }
    for (account, role) in accounts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      Messages.write("The account \(account.rawValue) is that of the role \(role).".printable)
    }
  }

  /// A role for whose name there is no account could use nothing.
  private func requireAccounts(besides given: Set<String>) throws {
    for role in roles where AccountID(name: role) == nil && !given.contains(role) {
      throw AppError(
        .invalidInput, "“\(role)” is not the name of an account.",
        hint: "Up to 32 lower-case letters, digits, “.”, “-” and “_”; or --user says whose account "
          + "the role has.")
    }
  }

  /// Accounts with roles, as typed: `1000=ann`, also `u1000=ann`, and `kim=Kim` for a name.
  private static func accounts(_ typed: [String]) throws -> [AccountID: String] {
    try typed.reduce(into: [:]) { accounts, text in
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      let name = parts.first ?? ""
      // A number is that of a user, and no name.
      let isNumber = !name.isEmpty && name.allSatisfy(\.isNumber)
      let account =
        AccountID(rawValue: isNumber ? "u\(name)" : name)
        ?? (isNumber ? nil : AccountID(name: name))
      guard parts.count == 2, let account else {
        throw AppError(
          .invalidInput, "“\(text)” is not an account and a role.",
          hint: "Such as --user 1000=ann.")
      }
      guard accounts.updateValue(parts[1], forKey: account) == nil else {
        throw AppError(
          .invalidInput, "The account \(account.rawValue) is given twice.",
          hint: "An account is that of one role.")
      }
    }
  }

  /// Makes a directory in which everybody can have an account, and nobody move another's away.
  private func prepare(_ directory: URL, _ location: CloudLocation) throws {
    try location.make()
    try requireOwn(directory)
    let accounts = directory.appending(path: "accounts")
    if mkdir(accounts.path, 0o700) != 0, errno != EEXIST { throw Self.failure(accounts) }
    try requireOwn(accounts)
    let container = CloudContainer(
      store: location.store, account: AccountID(userID: geteuid()), device: UUID(),
      app: "reminders")
    try container.begin()
    // Last: then nobody can put anything in the place of what was just made.
    for place in [accounts, directory] where chmod(place.path, 0o1777) != 0 {
      throw Self.failure(place)
    }
  }

  /// What somebody else has made, or a link to anywhere, is nobody's to open to everybody.
  private func requireOwn(_ place: URL) throws {
    var status = stat()
    guard lstat(place.path, &status) == 0 else { throw Self.failure(place) }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
      throw AppError(
        .notPermitted, "\(place.path) is not a directory of the user who sets it up.",
        hint: "Look at who made it, and move it away.")
    }
  }

  private static func failure(_ place: URL) -> AppError {
    AppError(
      .notPermitted, "\(place.path): \(String(cString: strerror(errno))).",
      hint: "Its administrator sets it up: sudo reminders cloud init.")
  }
}
