import ArgumentParser
import RemindersCore
import SQLiteSyncCloud

struct CloudInitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Make a PostgreSQL database a cloud.",
    discussion: """
      For example, by whoever administers the database:

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

  @Argument(help: "postgres://[role@]host[:port]/database, with a role that may make schemas.")
  var address: String

  func run() async throws {
    guard address.lowercased().hasPrefix("postgres") else {
      throw AppError(
        .invalidInput, "Only a PostgreSQL database needs to be set up.",
        hint: "Any other place becomes a cloud when it is first used.")
    }
    let place = try CloudLocation.postgresAddress(typed: address)
    try PostgresStore(place).makeSchema()
    Messages.write("\(place) is set up as a cloud.")
  }
}
