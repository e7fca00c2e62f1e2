import ArgumentParser
import Foundation
import Glibc
import RemindersCore
import SQLiteSyncCloud

struct CloudInitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Make a PostgreSQL database a cloud, or a directory one for several users.",
    discussion: """
      A directory that all users of a machine may use is made by its administrator: whoever owns \
      it, or `accounts` or CLOUD.json in it, can take the cloud away from everybody. For \
      example:

        sudo reminders cloud init /srv/reminders

      A database, by whoever administers it:

        createdb cloud
        reminders cloud init postgres://postgres@example.org/cloud
        psql cloud -c "CREATE ROLE ann LOGIN PASSWORD '…'"

      and then on each of ann's devices, her password in ~/.pgpass:

        reminders --cloud postgres://ann@example.org/cloud

      It makes a schema “sqlitesync” with tables, functions and row-level security, or adds what \
      is missing; what is there stays, so it can be repeated. Every role that may connect may use \
      the cloud, each with the account of its own name; REVOKE USAGE ON SCHEMA sqlitesync FROM \
      PUBLIC, and GRANT it to some, decides otherwise. Other places need no such thing.
      """)

  @Argument(
    help:
      "A directory, or postgres://[role@]host[:port]/database with a role that may make schemas.")
  var place: String

  func run() async throws {
    let location = try CloudLocation(typed: place)
    switch location {
    case .directory(let directory): try prepare(directory, location)
    case .postgres(_, let store): try store.makeSchema()
    case .ssh, .s3:
      throw AppError(
        .invalidInput, "Only a database, or a directory of this machine, is to be set up.",
        hint: "Any other place becomes a cloud when it is first used.")
    }
    Messages.write("\(location.name) is set up as a cloud.".printable)
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
