import Foundation
import Synchronization

@testable import SQLiteSyncCloud

/// Debian's own PostgreSQL, on a Unix socket in a directory of its own, as another user than root.
///
/// It ends with the process: a shell waits for the end of its input, stops it and removes the
/// directory.
public final class PostgresServer: Sendable {
  /// Whether this machine has all that is needed.
  public static let isThere =
    binaries != nil && (try? PostgresLibrary.functions()) != nil
    && (geteuid() != 0 || FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv"))
  /// Why what needs a server is skipped.
  public static let absence = "the packages postgresql and libpq5 are not installed"
  /// The server of all tests that do not harm it.
  public static let shared = Result { try PostgresServer() }

  private static let binaries: String? = {
    let versions =
      (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    return
      (versions.sorted().reversed().map { "/usr/lib/postgresql/\($0)/bin" }
      + ["/usr/local/bin", "/usr/bin"])
      .first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
  }()

  /// Where its socket is.
  public let directory: String
  private let supervised: SupervisedServer
  private let databases = Mutex(0)

  /// Starts a server with the roles ann, ben and cat, who need no password, locked, who does,
  /// and nobody, who may not log in.
  public init() throws {
    guard let binaries = Self.binaries else {
      throw SupervisedServer.Failure(reason: Self.absence)
    }
    directory = try SupervisedServer.makeDirectory("postgres")
    var command = ["sh", "-c", Self.script, "sh", binaries, directory]
    if geteuid() == 0 {
      let nobody: uid_t = 65_534
      guard chown(directory, nobody, nobody) == 0 else {
        throw SupervisedServer.Failure(reason: "\(directory) cannot be given away.")
      }
      command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + command
    }
    supervised = try SupervisedServer("PostgreSQL", command, in: directory)
    let base = PostgresDatabase(server: self, name: "base")
    try base.run("CREATE DATABASE base", in: "postgres")
    try base.run("CREATE ROLE ann LOGIN; CREATE ROLE ben LOGIN; CREATE ROLE cat LOGIN;")
    try base.run("CREATE ROLE locked LOGIN PASSWORD 'sesame'; CREATE ROLE nobody NOLOGIN")
    try base.store(as: "admin").makeSchema()
  }

  private static let script = #"""
    bin=$1 dir=$2
    trap '' INT TERM HUP
    make() {
      "$bin/initdb" -D data -A trust -U admin --no-sync -E UTF8 --locale=C &&
      { echo 'local all locked scram-sha-256'; echo 'local all all trust'; } > data/pg_hba.conf
    }
    start() {
      "$bin/pg_ctl" -D data -l server -w -o "-k $dir -c listen_addresses= -c fsync=off \
        -c full_page_writes=off -c wal_level=minimal -c max_wal_senders=0 -c autovacuum=off \
        -c max_connections=200 -c shared_buffers=32MB" start > log 2>&1 < /dev/null
    }
    make > log 2>&1 < /dev/null && start && echo ready &&
    while read -r command; do
      # Not before the children of the one that was killed have ended.
      until start; do sleep 0.1; done
      echo ready
    done
    "$bin/pg_ctl" -D data -m immediate stop > log 2>&1
    rm -rf "$dir"
    """#

  /// A new database, in which a cloud is set up but not begun.
  public func database() throws -> PostgresDatabase {
    let number = databases.withLock { number in
      number += 1
      return number
    }
    let database = PostgresDatabase(server: self, name: "cloud\(number)")
    try database.run("CREATE DATABASE \(database.name) TEMPLATE base", in: "postgres")
    return database
  }

  /// A new database, empty.
  public func emptyDatabase() throws -> PostgresDatabase {
    let number = databases.withLock { number in
      number += 1
      return number
    }
    let database = PostgresDatabase(server: self, name: "empty\(number)")
    try database.run("CREATE DATABASE \(database.name)", in: "postgres")
    return database
  }

  /// Ends the server at once, as the kernel does when memory is short, and starts it again on the
  /// files that it left.
  public func killAndRestart() throws {
    let text = try String(contentsOfFile: "\(directory)/data/postmaster.pid", encoding: .utf8)
    guard let first = text.split(separator: "\n").first, let id = Int32(first), id > 1 else {
      throw SupervisedServer.Failure(reason: "There is no server.")
    }
    _ = kill(id, SIGKILL)
    try supervised.restart()
  }
}

/// A database of a test's own.
public struct PostgresDatabase: Sendable {
  let server: PostgresServer
  /// What it is called.
  public let name: String

  /// The address of the database, as a role; at another socket for what is between.
  public func address(as role: String, directory: String? = nil) -> String {
    "postgres://\(role)@/\(name)?host=\(directory ?? server.directory)"
  }

  /// The store of a role.
  public func store(
    as role: String, directory: String? = nil, patience: Duration = .seconds(30)
  ) throws -> PostgresStore {
    guard let address = PostgresAddress(address(as: role, directory: directory)) else {
      throw PostgresError.nonsense
    }
    return PostgresStore(address, patience: patience)
  }

  /// Carries out commands as its administrator, or another role.
  public func run(_ script: String, as role: String = "admin", in other: String? = nil) throws {
    let database = PostgresDatabase(server: server, name: other ?? name)
    guard let address = PostgresAddress(database.address(as: role)) else {
      throw PostgresError.nonsense
    }
    try PostgresConnection.open(address, patience: .seconds(60)).runScript(script)
  }
}
