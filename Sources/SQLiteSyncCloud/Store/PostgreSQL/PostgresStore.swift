import Foundation
import Synchronization

/// A cloud in a PostgreSQL database.
///
/// An object is a row that is inserted unless there is one of that key. Users are the roles of the
/// server, which refuses what the grants of a directory do not allow; an account is called like its
/// role, or was given to it. See `PostgresSchema` for what must be there, and `makeSchema()` for
/// who makes it.
public final class PostgresStore: ObjectStore, StoreUsers {
  struct State {
    var connection: PostgresConnection?
    var backOff: BackOff
    /// Why there is no connection, and until when none is tried.
    var refusal: (error: PostgresError, end: ContinuousClock.Instant)?
    /// The roles that speak for accounts.
    var users: [AccountID: StoreUser] = [:]
    /// What those are called whose objects vouch for somebody else.
    var accounts: [StoreUser: AccountID] = [:]
  }

  let address: PostgresAddress
  private let patience: Duration
  private let listener: PostgresListener
  let state: Mutex<State>

  /// Where it is, for messages.
  var place: String { address.description }

  /// How long a server may be silent while it owes an answer.
  private static let patience = Duration.seconds(30)
  /// What the server gives up by itself: it ends before this side's patience does.
  private static let limits = """
    set_config('lock_timeout', '20s', false), set_config('statement_timeout', '600s', false)
    """
  /// How many names a listing asks for at a time.
  private static let page = 50...5_000

  /// The store of a database, which must have been set up as a cloud when it is used.
  public convenience init(_ address: PostgresAddress) {
    self.init(address, patience: Self.patience)
  }

  /// - Parameters:
  ///   - address: The database.
  ///   - patience: How long the server may be silent.
  ///   - backOff: How long to wait between two attempts to connect.
  ///   - listener: Hears what is created.
  init(
    _ address: PostgresAddress, patience: Duration, backOff: BackOff = BackOff(),
    listener: PostgresListener? = nil
  ) {
    (self.address, self.patience) = (address, patience)
    state = Mutex(State(backOff: backOff))
    self.listener = listener ?? PostgresListener(address, patience: patience)
  }

  /// Makes the tables and functions of a cloud, or adds what is missing; what is there stays.
  ///
  /// For a role that may make a schema in the database. See also `give(_:)`.
  public func makeSchema() throws {
    try administer("the cloud") { connection throws(PostgresError) in
      try connection.runScript(PostgresSchema.script)
    }
  }

  /// Does something over a connection of its own, whatever is set up.
  func administer(
    _ what: String, _ body: (PostgresConnection) throws(PostgresError) -> Void
  ) throws {
    do throws(PostgresError) {
      try body(PostgresConnection.open(address, patience: patience))
    } catch {
      guard case .server("42501", let message, _) = error else {
        throw error.cloudError("Setting up", what, place: place)
      }
      throw CloudError(
        .permissionFailure, "Setting up \(what): \(place) refuses it: \(message).",
        hint: "Whoever administers the database does that, with an own role in the address.")
    }
  }

  // MARK: - Reading

  /// See `ObjectStore.read`.
  public func read(_ key: StoreKey, limit: Int) throws -> Data? {
    try object(key, limit: limit)?.bytes
  }

  /// See `ObjectStore.object`.
  public func object(_ key: StoreKey, limit: Int) throws -> StoredObject? {
    try reporting("Reading", key) { connection throws(PostgresError) in
      let reply = try connection.run(
        "SELECT author, content FROM sqlitesync.read($1, $2, $3::integer)",
        .text("\(key.prefix)"), .text(key.name), .number(Int32(clamping: max(0, limit))))
      guard let row = reply.rows.first else { return nil }
      guard row.count == 2, let bytes = row[1] else { throw .nonsense }
      return StoredObject(bytes: bytes, owner: row.user(0))
    }
  }

  /// Several objects of one directory in one answer.
  public func objects(_ keys: [StoreKey], limit: Int) throws -> [StoredObject?] {
    guard let first = keys.first, keys.allSatisfy({ $0.prefix == first.prefix }) else {
      return try keys.map { try object($0, limit: limit) }
    }
    let found = try reporting("Reading", first) { connection throws(PostgresError) in
      let names = keys.map { "\"\($0.name)\"" }.joined(separator: ",")
      let reply = try connection.run(
        """
        SELECT r.author, r.content, n.name
          FROM unnest($2::text[]) n(name), sqlitesync.read($1, n.name, $3::integer) r
        """, .text("\(first.prefix)"), .text("{\(names)}"), .number(Int32(clamping: max(0, limit))))
      return reply.rows.reduce(into: [String: StoredObject]()) { found, row in
        guard let bytes = row[1], let name = row.text(2) else { return }
        found[name] = StoredObject(bytes: bytes, owner: row.user(0))
      }
    }
    return keys.map { found[$0.name] }
  }

  /// As many as one answer holds without much memory.
  public var readsAtOnce: Int { 64 }

  /// See `ObjectStore.list`.
  public func list(
    _ prefix: StorePrefix, after name: String?, limit: Int, where isWanted: (String) -> Bool
  ) throws -> [StoreEntry] {
    var entries: [StoreEntry] = []
    var last = name ?? ""
    var size = min(max(limit, Self.page.lowerBound), Self.page.upperBound)
    while entries.count < limit {
      let page = try page(of: prefix, after: last, size: size)
      entries += page.filter { isWanted($0.name) }.prefix(limit - entries.count)
      guard page.count == size, let end = page.last else { break }
      (last, size) = (end.name, Self.page.upperBound)
    }
    return entries
  }

  private func page(of prefix: StorePrefix, after name: String, size: Int) throws -> [StoreEntry] {
    try reporting("Listing", prefix) { connection throws(PostgresError) in
      try connection.run(
        "SELECT entry, size, changed, owner FROM sqlitesync.list($1, $2, $3::integer)",
        .text("\(prefix)"), .text(name), .number(size)
      ).rows.compactMap(StoreEntry.init)
    }
  }

  /// The server's time.
  public func now(in prefix: StorePrefix) throws -> Int64? {
    try reporting("Asking for the time in", prefix) { connection throws(PostgresError) in
      let reply = try connection.run("SELECT sqlitesync.milliseconds(clock_timestamp())")
      return reply.rows.first?.number(0)
    }
  }

  // MARK: - Writing

  /// See `ObjectStore.createIfAbsent`.
  public func createIfAbsent(_ key: StoreKey, _ bytes: Data) -> CreateOutcome {
    create(key) { connection throws(PostgresError) in
      try connection.run(
        """
        INSERT INTO sqlitesync.objects (prefix, name, bytes) VALUES ($1, $2, $3)
        ON CONFLICT DO NOTHING
        """, .text("\(key.prefix)"), .text(key.name), .bytes(bytes)
      ).count == 1
    }
  }

  /// Creates an object by a command that says whether it did, and is sent once.
  func create(
    _ key: StoreKey, _ body: (PostgresConnection) throws(PostgresError) -> Bool
  ) -> CreateOutcome {
    var isSent = false
    do throws(PostgresError) {
      return try once { connection throws(PostgresError) in
        isSent = true
        return try body(connection) ? .created : .exists
      }
    } catch {
      let told = error.cloudError("Creating", key.description, place: place)
      return isSent && error.leavesOutcomeOpen ? .unknown(told) : .failed(told)
    }
  }

  /// Removes an object that the format lets go of, or that is junk; throws `permissionFailure` for
  /// what the log still needs.
  public func delete(_ key: StoreKey) throws {
    try reporting("Deleting", key) { connection throws(PostgresError) in
      _ = try connection.run(
        "SELECT sqlitesync.remove($1, $2)", .text("\(key.prefix)"), .text(key.name))
    }
  }

  /// Does nothing: what is visible is on the disk, because every insertion waits for that.
  public func barrier(_ prefix: StorePrefix) {}

  // MARK: - Users

  /// The roles of the server, by their numbers.
  public var users: (any StoreUsers)? { self }

  /// See `StoreUsers.owner`.
  public func owner(of prefix: StorePrefix) throws -> StoreUser? {
    try reporting("Reading", prefix) { connection throws(PostgresError) in
      try connection.run("SELECT sqlitesync.owner($1)", .text("\(prefix)")).rows.first?.user(0)
    }
  }

  /// See `StoreUsers.allow`.
  public func allow(_ access: StoreAccess, in prefix: StorePrefix) throws {
    try reporting("Sharing", prefix) { connection throws(PostgresError) in
      _ = try connection.run(
        "SELECT sqlitesync.allow($1, $2::jsonb, $3::integer)", .text("\(prefix)"),
        .text(access.people), .number(access.others.rawValue))
    }
  }

  /// See `StoreUsers.access`: nil also when it is not the user's own directory.
  public func access(in prefix: StorePrefix) throws -> StoreAccess? {
    let rows = try reporting("Reading the permissions of", prefix) {
      connection throws(PostgresError) in
      try connection.run("SELECT who, may FROM sqlitesync.access($1)", .text("\(prefix)")).rows
    }
    guard !rows.isEmpty else { return nil }
    var access = StoreAccess()
    var users: [StoreUser: StoreAccess.Level] = [:]
    for row in rows {
      guard let number = row.number(1), let level = StoreAccess.Level(rawValue: UInt16(number & 7))
      else { return nil }
      if let user = row.user(0) {
        users[user] = level
      } else if level.rawValue > access.others.rawValue {
        access.others = level
      }
    }
    return StoreAccess(users: users, others: access.others)
  }

  /// See `StoreUsers.canCreate`.
  public func canCreate(in prefix: StorePrefix) throws -> Bool {
    try reporting("Reading the permissions of", prefix) { connection throws(PostgresError) in
      let reply = try connection.run(
        """
        SELECT (coalesce(sqlitesync.level($1), 7) & 2
          * (current_setting('transaction_read_only') = 'off')::integer)::bigint
        """, .text("\(prefix)"))
      return reply.rows.first?.number(0) != 0
    }
  }

  /// Tells as soon as the server does, over a connection of its own.
  public func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch {
    listener.watch(prefixes) { [weak self] in
      // The server has just been heard from, so it need not be left alone any longer.
      self?.state.withLock { $0.refusal = nil }
      onChange()
    }
  }

  // MARK: - The connection

  /// One call at a time; what it fails with is told as the caller of the cloud gets it.
  ///
  /// It is done once more when the connection turns out to have gone away meanwhile, as while the
  /// machine slept. After a silence it is not: nobody waits for two.
  func reporting<Result: Sendable>(
    _ action: String, _ path: some CustomStringConvertible,
    _ body: (PostgresConnection) throws(PostgresError) -> Result
  ) throws -> Result {
    do throws(PostgresError) {
      do throws(PostgresError) {
        return try once(body)
      } catch {
        if case .silent = error { throw error }
        guard error.leavesOutcomeOpen, state.withLock({ $0.refusal == nil }) else { throw error }
        return try once(body)
      }
    } catch {
      throw error.cloudError(action, "\(path)", place: place)
    }
  }

  private func once<Result: Sendable>(
    _ body: (PostgresConnection) throws(PostgresError) -> Result
  ) throws(PostgresError) -> Result {
    try state.withLock { state throws(PostgresError) in
      let connection = try connect(&state)
      do throws(PostgresError) {
        return try body(connection)
      } catch {
        let error = error.ofSchema
        if error.endsConnection { state.connection = nil }
        throw error
      }
    }
  }

  private func connect(_ state: inout State) throws(PostgresError) -> PostgresConnection {
    if let connection = state.connection, connection.isAlive { return connection }
    state.connection = nil
    if let refusal = state.refusal, refusal.end > .now { throw refusal.error }
    do throws(PostgresError) {
      let connection = try PostgresConnection.open(address, patience: patience)
      try requireSchema(connection)
      (state.connection, state.refusal) = (connection, nil)
      state.backOff.reset()
      listener.tryAgain()
      return connection
    } catch {
      state.refusal = (error, .now + .seconds(state.backOff.next()))
      throw error
    }
  }

  private func requireSchema(_ connection: PostgresConnection) throws(PostgresError) {
    let reply: PostgresReply
    do throws(PostgresError) {
      reply = try connection.run("SELECT sqlitesync.format_version(), \(Self.limits)")
    } catch {
      throw error.ofSchema
    }
    guard let version = reply.rows.first?.number(0) else {
      throw .noSchema("its version is missing")
    }
    guard version <= PostgresSchema.version else { throw .newerSchema(version) }
  }
}

extension StoreAccess {
  /// The numbers of roles with levels, as the functions of the schema take them.
  var people: String {
    "{" + users.map { "\"\($0.key)\":\($0.value.rawValue)" }.joined(separator: ",") + "}"
  }
}

extension [Data?] {
  /// The column as the number of a role; nil when it is null.
  func user(_ column: Int) -> StoreUser? {
    number(column).flatMap(UInt32.init(exactly:)).map(StoreUser.init(number:))
  }
}

extension StoreEntry {
  /// A row of a listing; nil for what is none.
  fileprivate init?(_ row: [Data?]) {
    guard let name = row.text(0), let modified = row.number(2), let owner = row.user(3) else {
      return nil
    }
    self.init(
      name: name, byteCount: row.number(1) ?? 0, modified: modified,
      kind: row.number(1) == nil ? .directory : .file,
      owner: owner)
  }
}
