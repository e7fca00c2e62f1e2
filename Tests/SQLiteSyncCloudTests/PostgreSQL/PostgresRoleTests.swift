import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSyncCloud

/// Whose a database is, and whose accounts are in it.
@Suite(.enabled(if: PostgresServer.isThere, "PostgreSQL is not installed"))
struct PostgresRoleTests {
  private let server: PostgresServer

  init() throws {
    server = try PostgresServer.shared.get()
  }

  // MARK: - Setting up

  /// Whoever owns a table reads and changes what is in it.
  @Test(arguments: [
    ("CREATE SCHEMA sqlitesync", "the schema sqlitesync"),
    (
      """
      CREATE SCHEMA sqlitesync;
      CREATE TABLE sqlitesync.objects (prefix text, name text, bytes bytea, author text,
        modified timestamptz, PRIMARY KEY (prefix, name))
      """, "sqlitesync"
    ),
  ])
  func whatSomebodyElseHasMadeIsNotAdopted(script: String, part: String) throws {
    let database = try server.emptyDatabase()
    try database.run("GRANT CREATE ON DATABASE \(database.name) TO cat")
    try database.run(script, as: "cat")
    try requireForeign(database, part)
    try database.run("DROP SCHEMA sqlitesync CASCADE")
    try database.store(as: "admin").makeSchema()
  }

  @Test func aFunctionOfSomebodyElseInASchemaOfOnesOwnIsFound() throws {
    let database = try server.database()
    try database.run("GRANT CREATE ON SCHEMA sqlitesync TO cat")
    try database.run(
      """
      CREATE FUNCTION sqlitesync.read(directory text) RETURNS text LANGUAGE sql
      AS $$ SELECT 'mine' $$
      """, as: "cat")
    try requireForeign(database, "the function sqlitesync.read")
  }

  private func requireForeign(_ database: PostgresDatabase, _ part: String) throws {
    let error = try #require(throws: CloudError.self) {
      try database.store(as: "admin").makeSchema()
    }
    #expect(error.code == .permissionFailure, "\(error)")
    #expect(error.reason.contains("belongs to the role cat"), "\(error)")
    #expect(error.reason.contains(part) && error.hint?.contains("DROP SCHEMA") == true, "\(error)")
  }

  /// Who owns the database can read all of it anyway.
  @Test func anOwnerOfTheDatabaseMaySetItUp() throws {
    let database = try server.emptyDatabase()
    try database.run("ALTER DATABASE \(database.name) OWNER TO ann")
    try database.store(as: "ann").makeSchema()
    try database.store(as: "ann").makeSchema()
    try database.store(as: "admin").makeSchema()
  }

  // MARK: - Accounts

  @Test func anAccountIsThatOfTheRoleThatAServiceFileNames() throws {
    let database = try server.database()
    let directory = try TemporaryDirectory()
    let file = directory.url.appending(path: "services").path
    let lines = "[\(database.name)]\nhost=\(server.directory)\ndbname=\(database.name)\nuser=ben\n"
    try lines.write(toFile: file, atomically: true, encoding: .utf8)
    // libpq takes it from nowhere else; no other test names a service.
    setenv("PGSERVICEFILE", file, 1)
    defer { unsetenv("PGSERVICEFILE") }
    let address = try #require(PostgresAddress("postgres://?service=\(database.name)"))
    #expect(try PostgresStore(address).ownAccount() == AccountID(name: "ben"))
  }

  @Test(arguments: ["Ann.B-C", "müller", "a b"])
  func aRoleThatNoAccountCanBeCalledLikeIsToldSo(role: String) throws {
    let database = try server.database()
    try database.run("CREATE ROLE \"\(role)\" LOGIN")
    let address = database.address(as: PercentEncoding.part(role))
    let error = try #require(throws: CloudError.self) {
      try PostgresStore(#require(PostgresAddress(address))).ownAccount()
    }
    #expect(error.code == .permissionFailure && error.reason.contains("“\(role)”"), "\(error)")
    #expect(error.hint?.contains("lower-case letters") == true, "\(error)")
    #expect(error.hint?.contains("account") == true, "\(error)")
  }
}
