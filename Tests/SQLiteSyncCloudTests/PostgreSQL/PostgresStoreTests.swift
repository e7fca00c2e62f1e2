import Foundation
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSyncCloud

/// A store in a real server, and before ones that do not do as they should.
///
/// What every store must do is in `ObjectStoreTests`.
@Suite(.enabled(if: PostgresServer.isThere, Comment(rawValue: PostgresServer.absence)))
struct PostgresStoreTests {
  private let database: PostgresDatabase
  private let store: PostgresStore
  private let layout = ZoneLayout(ZoneID(name: "test", owner: CloudFixture.ann))
  private var key: StoreKey { layout.commit(1, epoch: 1) }

  init() throws {
    database = try PostgresServer.shared.get().database()
    store = try database.store(as: "ann")
  }

  private func number(_ query: String) throws -> Int64? {
    let address = try #require(PostgresAddress(database.address(as: "admin")))
    let connection = try PostgresConnection.open(address, patience: .seconds(30))
    return try connection.run("SELECT (\(query))::bigint").rows.first?.number(0)
  }

  // MARK: - Objects

  @Test func bytesOfAnyLengthAndKindComeBack() throws {
    for (number, count) in [0, 1, 8_000, 3_000_000].enumerated() {
      let key = layout.commit(Int64(number + 1), epoch: 1)
      let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      #expect(store.createIfAbsent(key, bytes).isCreated)
      #expect(try store.read(key, limit: .max) == bytes)
      #expect(try store.read(key, limit: 500) == bytes.prefix(500))
    }
  }

  @Test func aLongListingComesInPagesOfTheServer() throws {
    _ = store.createIfAbsent(key, Data())
    try database.run(
      """
      INSERT INTO sqlitesync.objects (prefix, name, bytes)
        SELECT '\(key.prefix)', lpad(i::text, 16, '0') || '.json', ''
          FROM generate_series(2, 6000) i
      """, as: "ann")
    let all = try store.list(key.prefix, after: nil, limit: .max)
    #expect(all.map(\.name) == (1...6_000).map { ZoneLayout.fileName($0) })
    let some = try store.list(key.prefix, after: all.first?.name, limit: 3) { name in
      name.hasSuffix("000.json")
    }
    #expect(some.map(\.name) == [1_000, 2_000, 3_000].map { ZoneLayout.fileName($0) })
  }

  @Test func everyInsertionWaitsForTheDiskWhateverASessionSays() throws {
    _ = store.createIfAbsent(key, Data())
    try database.run(
      """
      SET synchronous_commit = off; BEGIN;
      INSERT INTO sqlitesync.objects (prefix, name, bytes) VALUES ('\(key.prefix)', 'x', '');
      DO $$ BEGIN ASSERT current_setting('synchronous_commit') = 'on'; END $$; COMMIT;
      """, as: "ann")
  }

  /// A device whose clock is years off deletes nothing too early: ages are those of one clock.
  @Test func agesAreThoseOfTheServersClock() throws {
    _ = store.createIfAbsent(key, Data())
    let entry = try #require(try store.list(key.prefix, after: nil, limit: 1).first)
    let now = try #require(try store.now(in: key.prefix))
    #expect((0...60_000).contains(now - entry.modified), "\(now - entry.modified)")
  }

  // MARK: - What may be removed

  @Test func commitsStayUntilACheckpointHoldsThem() throws {
    let cloud = try CloudFixture(over: store)
    try cloud.log.create()
    for title in ["one", "two", "three"] { try cloud.device.save("r:\(title)", title) }
    for number in 1...3 as ClosedRange<Int64> {
      let error = try #require(throws: CloudError.self) {
        try store.delete(cloud.log.layout.commit(number, epoch: 1))
      }
      #expect(error.code == .permissionFailure && error.reason.contains("still needs"), "\(error)")
    }
    var policy = MaintenancePolicy.standard
    (policy.commits, policy.bytes) = (1, 1)
    (policy.keptCommits, policy.keptCommitAge, policy.announcement) = (1, 0, 0)
    #expect(try cloud.log.maintain(policy).checkpoint == 3)
    #expect(try cloud.log.maintain(policy).deletedFiles == 2)
    #expect(try store.read(cloud.log.layout.commit(2, epoch: 1), limit: 1) == nil)
    #expect(throws: CloudError.self) { try store.delete(cloud.log.layout.commit(3, epoch: 1)) }
    #expect(throws: CloudError.self) { try store.delete(cloud.log.layout.metaEntry(1)) }
    let other = try cloud.other()
    try other.device.fetch()
    #expect(other.device.records.count == 3)
    try other.log.delete(reason: "a test")
    try store.delete(cloud.log.layout.commit(3, epoch: 1))
  }

  @Test func whatWasPutAsideMayGo() throws {
    let cloud = try CloudFixture(over: store)
    try cloud.log.create()
    try cloud.device.save("r:one", "one")
    let key = cloud.log.layout.commit(1, epoch: 1)
    let bytes = try #require(try store.read(key, limit: .max))
    #expect(store.createIfAbsent(cloud.log.layout.quarantine(key, bytes), bytes).isCreated)
    try store.delete(key)
    #expect(try store.read(key, limit: 1) == nil)
  }

  // MARK: - Users

  @Test func anAuthorCannotBeForgedNorAnythingChanged() throws {
    let cloud = try CloudFixture(over: store)
    try cloud.log.create()
    let prefix = cloud.log.layout.meta
    for forgery in [
      "INSERT INTO sqlitesync.objects (prefix, name, bytes, author) "
        + "VALUES ('\(prefix)', 'x', '', 'ben')",
      "INSERT INTO sqlitesync.objects (prefix, name, bytes, modified) "
        + "VALUES ('\(prefix)', 'x', '', now())",
      "UPDATE sqlitesync.objects SET bytes = ''", "DELETE FROM sqlitesync.objects",
      "SELECT * FROM sqlitesync.objects", "SELECT * FROM sqlitesync.grants",
      "SELECT * FROM sqlitesync.directories", "INSERT INTO sqlitesync.grants VALUES ('', 'ann', 7)",
      "UPDATE sqlitesync.directories SET owner = 'ann'", "DROP TABLE sqlitesync.objects",
      "CREATE TABLE sqlitesync.mine ()", "SET SESSION AUTHORIZATION ben",
    ] {
      #expect(throws: PostgresError.self, "\(forgery)") { try database.run(forgery, as: "ann") }
    }
    #expect(try number("SELECT count(*) FROM sqlitesync.objects WHERE author <> 'ann'") == 0)
  }

  @Test func aRolesAccountIsOnlyItsOwn() throws {
    _ = try CloudFixture(over: store)
    for (role, account, reason) in [
      ("ben", "@cat", "the account of the role cat is not that of ben"),
      ("ben", "u1001", "named like its roles"),
    ] {
      let id = try #require(AccountID(rawValue: account))
      let container = CloudContainer(
        store: try database.store(as: role), account: id, device: UUID(7), app: "test")
      let error = try #require(throws: CloudError.self) { try container.open() }
      #expect(error.code == .permissionFailure && error.reason.contains(reason), "\(error)")
    }
    // A name that no role has is whose who is first.
    let child = CloudContainer(
      store: try database.store(as: "ben"), account: "kid", device: UUID(7), app: "test")
    try child.open()
    #expect(try child.store.users?.user(of: "kid") == store.user(of: "ben"))
    #expect(throws: CloudError.self) {
      try CloudContainer(store: store, account: "kid", device: UUID(8), app: "test")
        .zone(ZoneID(name: "z", owner: "kid")).create()
    }
  }

  @Test func whoIsLetInReadsOrWritesAndNobodyElse() throws {
    let (ben, cat) = (try database.store(as: "ben"), try database.store(as: "cat"))
    #expect(store.createIfAbsent(key, Data([1])).isCreated)
    let second = layout.commit(2, epoch: 1)
    func outcomes(_ store: PostgresStore, _ number: Int64) -> (reads: Bool, writes: Bool) {
      let read = (try? store.read(key, limit: 1)) == Data([1])
      return (read, store.createIfAbsent(layout.commit(number, epoch: 1), Data([2])).isCreated)
    }
    #expect(outcomes(ben, 10) == (false, false))
    let error = try #require(throws: CloudError.self) { try ben.read(key, limit: 1) }
    #expect(error.code == .permissionFailure)
    let (benID, catID) = (
      try #require(try store.user(of: "ben")), try #require(try store.user(of: "cat"))
    )
    let access = StoreAccess(users: [benID: .read, catID: .write])
    try store.allow(access, in: key.prefix)
    #expect(try store.access(in: key.prefix) == access)
    #expect(try ben.access(in: key.prefix) == nil)
    #expect(outcomes(ben, 11) == (true, false))
    #expect(outcomes(cat, 12) == (true, true))
    #expect(try ben.list(key.prefix, after: nil, limit: 9).map(\.name).count == 2)
    #expect(try store.object(layout.commit(12, epoch: 1), limit: 1)?.owner == catID)
    #expect(try !ben.canCreate(in: key.prefix) && cat.canCreate(in: key.prefix))
    for stranger in [ben, cat] {
      #expect(throws: CloudError.self) { try stranger.delete(key) }
      #expect(throws: CloudError.self) {
        try stranger.allow(StoreAccess(others: .write), in: key.prefix)
      }
      #expect(throws: CloudError.self) {
        try stranger.list(CloudLayout.zones(of: "ann"), after: nil, limit: 9)
      }
    }
    // The others may, but not ben.
    try store.allow(StoreAccess(users: [benID: .none], others: .write), in: key.prefix)
    #expect(outcomes(ben, 13) == (false, false))
    #expect(outcomes(cat, 14) == (true, true))
    #expect(try store.read(second, limit: 1) == nil)
  }

  @Test func whoDropsAMessageSeesNoOthers() throws {
    let ann = try CloudFixture(over: store)
    let ben = CloudContainer(
      store: try database.store(as: "ben"), account: "ben", device: UUID(9), app: "test")
    try ben.open()
    let message = ShareMessage(
      .invitation, sender: "ben", zone: ZoneID(name: "party", owner: "ben"), title: "Party")
    try ben.send(message, to: "ann")
    let received = try ann.container.messages()
    #expect(received.map(\.message) == [message])
    let name = try #require(received.first?.key)
    #expect(try ben.store.read(name, limit: 9) == nil)
    #expect(throws: CloudError.self) { try ben.store.list(name.prefix, after: nil, limit: 9) }
    // ann's role does not make ben's messages.
    let forged = ShareMessage(
      .invitation, sender: "cat", zone: ZoneID(name: "party", owner: "cat"), title: "Party")
    try ben.send(forged, to: "ann")
    #expect(try ann.container.messages().map(\.message) == [message])
    try ann.container.discard(try #require(received.first))
    #expect(try ann.container.messages().isEmpty)
  }

  @Test func aRoleThatMayOnlyReadIsToldSo() throws {
    _ = store.createIfAbsent(key, Data([1]))
    let reading = try #require(
      PostgresAddress(
        database.address(as: "ann") + "&options=-cdefault_transaction_read_only%3Don"))
    let store = PostgresStore(reading)
    #expect(try store.read(key, limit: 9) == Data([1]))
    guard case .failed(let error) = store.createIfAbsent(layout.commit(2, epoch: 1), Data()) else {
      Issue.record("something was created")
      return
    }
    #expect(error.code == .permissionFailure && error.reason.contains("can only be read"))
    #expect(try !store.canCreate(in: key.prefix))
  }

  // MARK: - Watching

  @Test func aWatchGoesOnWhenItsConnectionHasBeenLost() throws {
    let called = DispatchSemaphore(value: 0)
    let watch = store.watch([key.prefix]) { called.signal() }
    func hears(_ number: Int64) -> Bool {
      while called.wait(timeout: .now()) == .success {}
      _ = store.createIfAbsent(layout.commit(number, epoch: 1), Data())
      return called.wait(timeout: .now() + 60) == .success
    }
    #expect(hears(1))
    try database.run(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'LISTEN%'
      """)
    #expect(hears(2))
    watch.cancel()
  }

  /// Lets nobody in, and ends the connections there are.
  private func beginOutage() throws {
    let name = database.name
    try database.run("ALTER DATABASE \(name) ALLOW_CONNECTIONS false", in: "postgres")
    try database.run(
      "SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE datname = '\(name)'",
      in: "postgres")
  }

  private func endOutage() throws {
    try database.run("ALTER DATABASE \(database.name) ALLOW_CONNECTIONS true", in: "postgres")
  }

  private static let never = 3_600

  /// A store and its watch, which have met an outage and wait so many seconds for its end.
  private func waiting(
    store pause: Int, watch watchPause: Int
  ) throws -> (store: PostgresStore, called: DispatchSemaphore, watch: StoreWatch) {
    let address = try #require(PostgresAddress(database.address(as: "ann")))
    let (called, waits) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let listener = PostgresListener(
      address, patience: .seconds(30),
      backOff: BackOff { _ in
        waits.signal()
        return watchPause
      })
    let store = PostgresStore(
      address, patience: .seconds(30), backOff: BackOff { _ in pause }, listener: listener)
    let watch = store.watch([key.prefix]) { called.signal() }
    called.wait()
    try beginOutage()
    waits.wait()
    #expect(throws: CloudError.self) { try store.read(key, limit: 1) }
    try endOutage()
    return (store, called, watch)
  }

  @Test func aWatchIsBackAsSoonAsACallReachesTheServer() throws {
    let (store, called, watch) = try waiting(store: 0, watch: Self.never)
    #expect(try store.read(key, limit: 1) == nil)
    #expect(called.wait(timeout: .now() + 60) == .success)
    watch.cancel()
  }

  @Test func aCallReachesTheServerAsSoonAsTheWatchIsBack() throws {
    let (store, called, watch) = try waiting(store: Self.never, watch: 1)
    #expect(called.wait(timeout: .now() + 60) == .success)
    #expect(try store.read(key, limit: 1) == nil)
    watch.cancel()
  }

  @Test func anotherDirectoryIsNotToldOf() throws {
    let (here, there) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let calls = Mutex(0)
    let watches = [
      store.watch([key.prefix]) {
        calls.withLock { $0 += 1 }
        here.signal()
      },
      store.watch([layout.meta]) { there.signal() },
    ]
    // Both are called when it begins to listen.
    here.wait()
    there.wait()
    let before = calls.withLock { $0 }
    _ = store.createIfAbsent(layout.metaEntry(1), Data())
    there.wait()
    #expect(calls.withLock { $0 } == before)
    for watch in watches { watch.cancel() }
  }
}
