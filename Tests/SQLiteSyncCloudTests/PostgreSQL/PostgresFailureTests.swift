import Foundation
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSyncCloud

/// No database, a strange one, and connections that break.
@Suite(.enabled(if: PostgresServer.isThere, Comment(rawValue: PostgresServer.absence)))
struct PostgresFailureTests {
  private let server: PostgresServer
  private let layout = ZoneLayout(ZoneID(name: "test", owner: CloudFixture.ann))
  private var key: StoreKey { layout.commit(1, epoch: 1) }

  init() throws {
    server = try PostgresServer.shared.get()
  }

  private func error(of address: String) throws -> CloudError {
    let store = PostgresStore(try #require(PostgresAddress(address)), patience: .seconds(10))
    guard case .failed(let failure) = store.createIfAbsent(key, Data([1])) else {
      Issue.record("something was created")
      throw PostgresError.nonsense
    }
    let error = try #require(throws: CloudError.self) { try store.read(key, limit: 1) }
    #expect(failure.code == error.code)
    #expect(!"\(error)".contains("sesame"))
    return error
  }

  // MARK: - No database

  @Test(
    arguments: [
      (
        "postgres://ann@/base?host=/nowhere", "No such file or directory", "does the server run",
        .networkUnavailable
      ),
      (
        "postgres://ann@127.0.0.1:1/base", "Connection refused", "does it listen there",
        .networkUnavailable
      ),
      (
        "postgres://ann@/missing?host=DIR", #"database "missing" does not exist"#, "createdb",
        .accountTemporarilyUnavailable
      ),
      (
        "postgres://eve@/base?host=DIR", #"role "eve" does not exist"#, "createuser",
        .notAuthenticated
      ),
      (
        "postgres://locked@/base?host=DIR", "no password supplied", "~/.pgpass", .notAuthenticated
      ),
      (
        "postgres://locked:sesame2@/base?host=DIR", #"failed for user "locked""#,
        "taken from the address", .notAuthenticated
      ),
      (
        "postgres://nobody@/base?host=DIR", "is not permitted to log in", "ALTER ROLE",
        .notAuthenticated
      ),
      ("postgres://ann@host:99999/base", "invalid port number", "PGPORT", .badContainer),
      ("postgres://ann@/base?host=DIR&port=0", "invalid port number", "PGPORT", .badContainer),
      ("postgres://ann@/base?host=DIR&sslmode=bogus", "invalid sslmode", "Such as", .badContainer),
      ("postgres://ann@/base?host=DIR&nonsense=1", #""nonsense""#, "Such as", .badContainer),
      ("postgres://?service=nonsense", #""nonsense" not found"#, "service files", .badContainer),
      ("postgres://ann@h/base?hostaddr=1.2.3.4.5", "1.2.3.4.5", "Such as", .badContainer),
    ] as [(String, String, String, CloudError.Code)])
  func whyThereIsNoDatabaseIsSaid(
    address: String, reason: String, hint: String, code: CloudError.Code
  ) throws {
    let error = try error(of: address.replacing("DIR", with: server.directory))
    #expect(error.code == code, "\(error)")
    #expect(error.reason.contains(reason), "\(error)")
    #expect(error.hint?.lowercased().contains(hint.lowercased()) == true, "\(error)")
  }

  /// What the server of the tests never says.
  @Test(
    arguments: [
      (#"FATAL:  too many connections for role "ann""#, "tried again"),
      ("server does not support SSL, but SSL was required", "sslmode"),
    ])
  func aRefusalThatNoPasswordMendsIsNone(reason: String, hint: String) {
    let error = PostgresError.refused(reason, needsPassword: false, password: "~/.pgpass")
      .cloudError("Reading", "CLOUD.json", place: "postgres://ann@host/cloud")
    #expect(error.code == .networkUnavailable)
    #expect(error.hint?.contains(hint) == true, "\(error)")
  }

  @Test func aPasswordOfTheAddressIsUsed() throws {
    let database = try server.database()
    let address = "postgres://locked:sesame@/\(database.name)?host=\(server.directory)"
    let store = PostgresStore(try #require(PostgresAddress(address)))
    #expect(try store.read(CloudLayout.cloudFile, limit: 1) == nil)
  }

  @Test func aServerThatIsSilentIsGivenUp() throws {
    let proxy = try PostgresProxy(before: server)
    let database = try server.database()
    let store = try database.store(
      as: "ann", directory: proxy.directory, patience: .milliseconds(300))
    #expect(store.createIfAbsent(key, Data()).isCreated)
    proxy.keepSilent()
    let start = ContinuousClock.now
    guard case .unknown = store.createIfAbsent(layout.commit(2, epoch: 1), Data()) else {
      Issue.record("it cannot be known")
      return
    }
    let error = try #require(throws: CloudError.self) { try store.read(key, limit: 1) }
    #expect(error.reason.contains("has not answered"), "\(error)")
    #expect(ContinuousClock.now - start < .seconds(60))
    withExtendedLifetime(proxy) {}
  }

  @Test func afterASilenceNobodyWaitsForASecondOne() throws {
    let proxy = try PostgresProxy(before: server)
    let store = try server.database().store(
      as: "ann", directory: proxy.directory, patience: .milliseconds(300))
    #expect(store.createIfAbsent(key, Data()).isCreated)
    proxy.keepSilent()
    #expect(throws: CloudError.self) { try store.read(key, limit: 1) }
    #expect(proxy.connectionCount() == 1)
    withExtendedLifetime(proxy) {}
  }

  // MARK: - No cloud, or half of one

  @Test func whatIsNotSetUpIsSaid() throws {
    let database = try server.emptyDatabase()
    let error = try error(of: database.address(as: "ann"))
    #expect(error.code == .accountTemporarilyUnavailable)
    #expect(error.hint?.contains("PostgresStore.makeSchema()") == true, "\(error)")
  }

  @Test func settingUpIsSafeToRepeatAndMendsWhatIsMissing() throws {
    let database = try server.emptyDatabase()
    let admin = try database.store(as: "admin")
    try admin.makeSchema()
    let cloud = try CloudFixture(over: database.store(as: "ann"))
    try cloud.log.create()
    try cloud.device.save("r:one", "one")
    for damage in [
      "SELECT 1", "DROP FUNCTION sqlitesync.read", "DROP FUNCTION sqlitesync.format_version",
      "DROP TRIGGER admit ON sqlitesync.objects; DROP POLICY writing ON sqlitesync.objects",
      "DROP TABLE sqlitesync.grants", "DROP TABLE sqlitesync.format",
      "ALTER TABLE sqlitesync.objects DROP COLUMN modified",
    ] {
      try database.run(damage)
      let store = try database.store(as: "ann")
      if damage.contains("FUNCTION") || damage.contains("DROP TABLE") {
        let error = try #require(throws: CloudError.self) {
          try store.read(cloud.log.layout.commit(1, epoch: 1), limit: 1)
        }
        #expect(error.code == .accountTemporarilyUnavailable, "\(damage): \(error)")
        #expect(error.hint?.contains("PostgresStore.makeSchema()") == true, "\(damage): \(error)")
      }
      try admin.makeSchema()
      let next = try CloudFixture(over: database.store(as: "ann"), seed: UInt64(damage.count))
      try next.device.fetch()
      #expect(next.device.records.count == 1)
      #expect(store.createIfAbsent(cloud.log.layout.metaEntry(1), Data()).isCreated == false)
    }
  }

  @Test(arguments: ["directories DROP COLUMN owner", "objects DROP COLUMN author"])
  func whatOnlyABackupHasIsNotMadeUp(damage: String) throws {
    let database = try server.database()
    try database.run("ALTER TABLE sqlitesync.\(damage) CASCADE")
    let refusal = try #require(throws: CloudError.self) {
      try database.store(as: "admin").makeSchema()
    }
    #expect(refusal.reason.contains("restore it from a backup"), "\(refusal)")
  }

  @Test func aLaterFormatIsLeftAlone() throws {
    let database = try server.database()
    try database.run("UPDATE sqlitesync.format SET version = 2")
    let error = try error(of: database.address(as: "ann"))
    #expect(error.code == .incompatibleVersion, "\(error)")
    let refusal = try #require(throws: CloudError.self) {
      try database.store(as: "admin").makeSchema()
    }
    #expect(refusal.reason.contains("newer version"), "\(refusal)")
    #expect(refusal.code == .accountTemporarilyUnavailable && refusal.hint == nil, "\(refusal)")
  }

  @Test func whoMayNotUseTheCloudIsToldSo() throws {
    let database = try server.database()
    try database.run("REVOKE USAGE ON SCHEMA sqlitesync FROM PUBLIC")
    try database.store(as: "admin").makeSchema()
    #expect(try error(of: database.address(as: "ann")).code == .permissionFailure)
    let refusal = try #require(throws: CloudError.self) {
      try database.store(as: "ann").makeSchema()
    }
    #expect(refusal.hint?.contains("Whoever administers the database") == true, "\(refusal)")
  }

  @Test func aFullDiskIsSaidAndNothingIsCreated() throws {
    let database = try server.database()
    try database.run(
      """
      CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER fill BEFORE INSERT ON sqlitesync.objects
        FOR EACH ROW EXECUTE FUNCTION fill();
      """)
    let store = try database.store(as: "ann")
    guard case .failed(let error) = store.createIfAbsent(key, Data()) else {
      Issue.record("something was created")
      return
    }
    #expect(error.code == .quotaExceeded && error.hint != nil)
    #expect(try store.read(key, limit: 1) == nil)
  }

  // MARK: - Connections that break

  @Test func aConnectionThatWentAwayMeanwhileIsMadeAnew() throws {
    let database = try server.database()
    let store = try database.store(as: "ann")
    for number in 1...3 as ClosedRange<Int64> {
      #expect(store.createIfAbsent(layout.commit(number, epoch: 1), Data()).isCreated)
      try database.run(
        """
        SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity
          WHERE datname = current_database() AND usename = 'ann'
        """)
    }
    #expect(try store.read(key, limit: 1) == Data())
  }

  /// Whatever is known of the outcome is true, and what was created is whole.
  @Test(arguments: PostgresProxy.Direction.allCases)
  func aConnectionMayBreakAfterAnyByte(direction: PostgresProxy.Direction) throws {
    let database = try server.database()
    let (store, proxy) = (try database.store(as: "ann"), try PostgresProxy(before: server))
    let bytes = Data(repeating: 7, count: 500)
    // From the greeting on, and once more in the middle of a session.
    for isConnected in [false, true] {
      var isDone = false
      var outcomes: Set<String> = []
      for count in stride(from: 1, to: 6_000, by: isThorough ? 1 : isConnected ? 61 : 151)
      where !isDone {
        let number = Int64(count) * 2 + (isConnected ? 1 : 0)
        let key = layout.commit(number, epoch: 1)
        let cut = try database.store(
          as: "ann", directory: proxy.directory, patience: .seconds(20))
        proxy.cut(after: nil, direction)
        if isConnected { #expect(try cut.read(key, limit: 1) == nil) }
        proxy.cut(after: count, direction)
        let outcome = cut.createIfAbsent(key, bytes)
        // What the server has got meanwhile it still works on: its own insertion waits for that.
        _ = store.createIfAbsent(key, bytes)
        let found = try store.object(key, limit: 999)
        #expect(found?.bytes == bytes, "torn after \(count) bytes")
        if case .exists = outcome { Issue.record("nobody else has created it: \(count)") }
        outcomes.insert("\(outcome)".prefix { $0.isLetter }.description)
        isDone = outcome.isCreated
      }
      #expect(isDone && outcomes.contains("unknown"), "\(outcomes)")
      #expect(isConnected || outcomes.contains("failed"), "\(outcomes)")
    }
  }

  /// A whole commit, settled by the log: nothing is doubled, whatever is cut.
  @Test(arguments: PostgresProxy.Direction.allCases)
  func aCommitOverAConnectionThatBreaksIsThereOnce(direction: PostgresProxy.Direction) throws {
    let database = try server.database()
    let proxy = try PostgresProxy(before: server)
    let cloud = try CloudFixture(
      over: database.store(as: "ann", directory: proxy.directory, patience: .seconds(20)))
    try cloud.log.create()
    try cloud.device.save("r:0", "0")
    _ = proxy.passed()
    try cloud.device.save("r:0", "again")
    let total = try #require(proxy.passed()[direction])
    for count in stride(from: 1, through: total, by: isThorough ? 1 : max(1, total / 6)) {
      // A new store each time: one that has failed waits before it tries again.
      let store = try database.store(as: "ann", directory: proxy.directory, patience: .seconds(20))
      let cut = try CloudFixture(over: store, seed: UInt64(count) + 10)
      try cut.device.fetch()
      proxy.cut(after: count, direction)
      let isAcknowledged = (try? cut.device.save("r:\(count)", "\(count)")) != nil
      proxy.cut(after: nil, direction)
      let check = try CloudFixture(over: database.store(as: "ann"), seed: 2)
      try check.device.fetch()
      let isThere = check.device.records["r:\(count)"] != nil
      #expect(isThere || !isAcknowledged, "lost after \(count) bytes")
      #expect(check.device.voided == 0, "doubled after \(count) bytes")
    }
  }

  @Test func nothingIsLostNorDoubledWhenTheServerIsKilledUnderEightWriters() throws {
    let server = try PostgresServer()
    let database = try server.database()
    try KilledServer.expectNothingLost(rounds: 6) {
      try database.store(as: "ann")
    } kill: {
      try server.killAndRestart()
    }
  }
}
