import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSyncCloud

/// Accounts that are given to roles, and clouds of Unix users that come into a database.
@Suite(.enabled(if: PostgresServer.isThere, Comment(rawValue: PostgresServer.absence)))
struct PostgresAccountTests {
  private let clock = TestTime()
  private let ann = AccountID(userID: 4_001)
  private let ben = AccountID(userID: 4_002)
  private let database: PostgresDatabase
  private let admin: PostgresStore
  /// The old place as its superuser sees it.
  private let machine: GuardedStore

  init() throws {
    database = try PostgresServer.shared.get().database()
    admin = try database.store(as: "admin")
    machine = GuardedStore(MemoryStore(now: { [clock] in clock.now }))
  }

  private func container(
    _ account: AccountID, on store: any ObjectStore, seed: UInt64 = 1
  ) throws -> CloudContainer {
    let container = CloudContainer(
      store: store, account: account, device: UUID(seed), app: "test 1",
      environment: .deterministic(seed: seed, clock: clock))
    try container.open()
    return container
  }

  private func user(_ account: AccountID) throws -> StoreUser {
    StoreUser(number: try #require(account.userID))
  }

  /// A zone of ann at the old place, into which ben has written as himself and in her name.
  private func sharedZone() throws -> Device {
    let owner = try container(ann, on: machine.seen(by: user(ann)))
    let log = owner.zone(ZoneID(name: "share-1", owner: ann))
    try log.create()
    let device = Device(log)
    try device.save("list", "Family")
    let share = Share(
      root: "list", title: "Family", participants: [ben: .init(permission: .write)])
    let record = share.record(over: nil) { clock in
      clock.edited(atMilliseconds: TestTime.beginning, device: 1)
    }
    try device.modify([.save(record, base: nil)])
    try log.protect(for: share)
    for (name, author) in [("own", ben), ("forged", ann)] as [(String, AccountID)] {
      let other = try container(ben, on: machine.seen(by: user(ben)), seed: 2)
      let writer = Device(
        (author == ben ? other : other.seen(by: ann)).zone(log.id))
      if author != ben { try writer.log.container.open() }
      try writer.fetch()
      try writer.save(name, name, parent: "list")
    }
    try device.fetch()
    return device
  }

  /// What is the same wherever a cloud is: who wrote which record, and whether that is so.
  private func authors(_ device: Device) -> [String] {
    device.copies.values.map { "\($0.name) \($0.author.rawValue) \($0.isAuthentic)" }.sorted()
  }

  // MARK: - Copies

  @Test func whatAnAdministratorCopiesStaysWhoseItWas() throws {
    let device = try sharedZone()
    #expect(authors(device).contains("forged \(ann.rawValue) false"))
    try admin.give([ann: "ann", ben: "ben"])
    let report = try CloudCopy(from: machine, to: admin).run()
    #expect(report.accounts == [ann, ben] && report.skipped.isEmpty && report.damage.isEmpty)
    #expect(report.sharing == nil)
    for creation in machine.takeCreations() {
      let key = creation.key
      #expect(try admin.read(key, limit: .max) == machine.read(key, limit: .max), "\(key)")
      guard key != CloudLayout.cloudFile else { continue }
      let role = try admin.user(of: creation.user == user(ann) ? ann : ben)
      #expect(try admin.object(key, limit: 1)?.owner == role, "\(key)")
      let owner = try admin.user(of: try #require(key.account))
      #expect(try admin.owner(of: key.prefix) == owner, "\(key)")
    }
    try requireThatAllGoOn(device)
    let again = try CloudCopy(from: machine, to: admin).run()
    #expect(again.copied == 0 && again.accounts == [ann, ben])
  }

  /// Ann's device goes on with what it has, ben writes to what is shared and to nothing else.
  private func requireThatAllGoOn(_ device: Device) throws {
    let (store, bens) = (try database.store(as: "ann"), try database.store(as: "ben"))
    #expect(try store.ownAccount() == ann && bens.ownAccount() == ben)
    let owner = try container(ann, on: store)
    let log = owner.zone(device.log.id)
    #expect(try log.changes(after: device.token, view: device.view).copies.isEmpty)
    let fresh = Device(log)
    try fresh.fetch()
    #expect(authors(fresh) == authors(device))
    let access = StoreAccess(users: [try #require(try store.user(of: ben)): .write])
    #expect(try store.access(in: log.layout.log(epoch: 1)) == access)
    #expect(try CloudCheck(owner).run().findings.filter { $0.severity == .damage }.isEmpty)

    let visitor = Device(try container(ben, on: bens, seed: 3).zone(device.log.id))
    try visitor.fetch()
    try visitor.save("milk", "Milk", parent: "list")
    try fresh.fetch()
    let copy = try #require(fresh.copies["milk"])
    #expect(copy.author == ben && copy.isAuthentic)
    // In ann's name: nothing of hers can be made, and what is written where he may is forged.
    let secret = ZoneLayout(ZoneID(name: "secret", owner: ann))
    for key in [secret.metaEntry(1), log.layout.metaEntry(9)] {
      guard case .failed(let error) = bens.createIfAbsent(key, Data()) else {
        Issue.record("\(key) was created")
        continue
      }
      #expect(error.code == .permissionFailure, "\(error)")
    }
    let forger = Device(visitor.log.container.seen(by: ann).zone(device.log.id))
    try forger.log.container.open()
    try forger.fetch()
    try forger.save("again", "again", parent: "list")
    try fresh.fetch()
    #expect(fresh.copies["again"]?.isAuthentic == false)
    #expect(try bens.refusal(of: ann)?.code == .permissionFailure)
  }

  @Test func eachRoleCopiesWhatItsAccountHas() throws {
    let device = try sharedZone()
    try admin.give([ann: "ann", ben: "ben"])
    let first = try CloudCopy(
      from: machine.seen(by: user(ann)), to: database.store(as: "ann")
    ).run()
    #expect(first.accounts == [ann] && first.sharing == nil)
    #expect(first.skipped[ben]?.contains("the role ben") == true, "\(first.skipped)")
    let second = try CloudCopy(
      from: machine.seen(by: user(ben)), to: database.store(as: "ben")
    ).run()
    #expect(second.accounts == [ben] && Set(second.skipped.keys) == [ann])
    let visitor = Device(
      try container(ben, on: database.store(as: "ben"), seed: 3).zone(device.log.id))
    try visitor.fetch()
    #expect(visitor.records.count == device.records.count)
    try visitor.save("milk", "Milk", parent: "list")
  }

  @Test func allAccountsThatNoRoleHasAreNamedBeforeAnythingIsWritten() throws {
    _ = try sharedZone()
    for store in try [admin, database.store(as: "ann")] {
      let error = try #require(throws: CloudError.self) {
        try CloudCopy(from: machine, to: store).run()
      }
      #expect(error.code == .invalidArguments)
      #expect(error.reason.contains("u4001, u4002 are of users of a machine"), "\(error)")
      let call = """
        PostgresStore(PostgresAddress(typed: "\(store.place)"))\
        .give(["u4001": "ROLE", "u4002": "ROLE"])
        """
      #expect(error.hint?.hasSuffix(call) == true, "\(error)")
    }
    try admin.give([ann: "ann"])
    let error = try #require(throws: CloudError.self) {
      try CloudCopy(from: machine, to: database.store(as: "ann")).run()
    }
    #expect(error.reason.contains("u4002 is of a user of a machine"), "\(error)")
    #expect(error.hint?.hasSuffix(".give([\"u4002\": \"ROLE\"])") == true, "\(error)")
    #expect(try admin.read(CloudLayout.cloudFile, limit: 1) == nil)
    #expect(try admin.list(CloudLayout.accounts, after: nil, limit: 9).isEmpty)
  }

  /// Somebody who was invited and has no role does not stop the copy.
  @Test func whoeverCannotBeLetInThereIsSaid() throws {
    let device = try sharedZone()
    let cat = AccountID(userID: 4_003)
    try machine.seen(by: user(ann)).allow(
      StoreAccess(users: [user(ben): .write, user(cat): .read]), in: device.log.layout.meta)
    try admin.give([ann: "ann", ben: "ben"])
    let report = try CloudCopy(from: machine, to: admin).run()
    #expect(report.sharing?.reason.contains("u4003") == true, "\(report)")
    let store = try database.store(as: "ann")
    let access = StoreAccess(users: [try #require(try store.user(of: ben)): .write])
    #expect(try store.access(in: device.log.layout.meta) == access)
  }

  // MARK: - Accounts and roles

  @Test func aRoleHasOneAccountAndAnAccountOneRole() throws {
    _ = try container("cat", on: database.store(as: "cat"))
    try admin.give([ann: "ann"])
    for (account, role, reason) in [
      (ben, "nosuch", "there is no role nosuch"),
      (ann, "ben", "the account u4001 is that of the role ann"),
      (ben, "ann", "the role ann has the account u4001 already"),
      ("ben", "locked", "the account @ben is that of the role ben"),
      (ben, "cat", "the role cat uses the cloud already"),
      ("cat", "locked", "the account @cat is that of the role cat"),
    ] as [(AccountID, String, String)] {
      let error = try #require(throws: CloudError.self) {
        try admin.give([account: role, AccountID(userID: 4_009): "nobody"])
      }
      #expect(error.code == .invalidArguments && error.hint != nil, "\(error)")
      #expect(error.reason.contains(reason), "\(error)")
      #expect(try admin.user(of: AccountID(userID: 4_009)) == nil, "all are given, or none")
    }
    // To repeat all of it changes nothing.
    for _ in 1...2 {
      try admin.makeSchema()
      try admin.give([ann: "ann", "cat": "cat"])
    }
    let store = try database.store(as: "ann")
    #expect(try store.ownAccount() == ann && store.account(ofRole: "ann") == ann)
    #expect(try store.account(ofRole: "ben") == "ben" && store.account(ofRole: "nosuch") == nil)
    for account in [ann, "ben", "cat"] as [AccountID] {
      let user = try #require(try store.user(of: account))
      #expect(try store.account(of: user) == account)
    }
  }

  /// Otherwise whoever is first could be called like somebody else.
  @Test func theNameOfARoleWithAnotherAccountIsNobodys() throws {
    try admin.give([ann: "ann"])
    let store = try database.store(as: "ann")
    #expect(try store.user(of: "ann") == nil)
    #expect(try store.refusal(of: "ann")?.reason.contains("is u4001") == true)
    #expect(try store.refusal(of: ann) == nil)
    for role in ["ann", "ben"] {
      let error = try #require(throws: CloudError.self) {
        try container("ann", on: database.store(as: role))
      }
      #expect(error.code == .permissionFailure && error.reason.contains("u4001"), "\(error)")
    }
    _ = try container(ann, on: store)
  }

  /// The name of a role that no account can be called like.
  @Test func anAccountCanBeANameToo() throws {
    try database.run("CREATE ROLE \"Kim.B\" LOGIN")
    try admin.give(["kim": "Kim.B"])
    let store = try database.store(as: "Kim.B")
    #expect(try store.ownAccount() == "kim")
    _ = try container("kim", on: store)
    #expect(try database.store(as: "ann").refusal(of: "kim")?.code == .permissionFailure)
    try database.run("CREATE ROLE kim LOGIN")
    let namesake = try database.store(as: "kim")
    #expect(try store.account(ofRole: "kim") == nil, "it is that of another role")
    #expect(throws: CloudError.self) { try namesake.ownAccount() }
    #expect(try namesake.refusal(of: "kim")?.code == .permissionFailure)
  }

  @Test func onlyTheAdministratorGivesAndRestores() throws {
    _ = try container("ann", on: database.store(as: "ann"))
    let meta = ZoneLayout(ZoneID(name: "z", owner: "ann")).meta
    for command in [
      "SELECT sqlitesync.give('u4001', 'ben')", "SELECT * FROM sqlitesync.accounts",
      "INSERT INTO sqlitesync.accounts VALUES ('u4001', 'ben')",
      "SELECT sqlitesync.restore('\(meta)', 'x', '', NULL)",
      "SELECT sqlitesync.restore('accounts/@ann', 'x', '', NULL)",
      "SELECT sqlitesync.restore('accounts/@ben', 'x', '', NULL)",
      "SELECT sqlitesync.make_for('\(meta)', 'ben')",
      "SELECT sqlitesync.make_for_role('\(meta)')",
      "SELECT sqlitesync.restore_access('accounts/@ann', '{}', 7)",
      "SELECT sqlitesync.set_access('accounts/@ann', '{}', 7)",
    ] {
      #expect(throws: PostgresError.self, "\(command)") { try database.run(command, as: "ben") }
    }
    #expect(throws: CloudError.self) { try database.store(as: "ben").give([ben: "ben"]) }
    #expect(try admin.user(of: ben) == nil)
  }

  // MARK: - A database that an earlier version has set up

  @Test func aDatabaseOfAnEarlierVersionIsUsedAndGainsAccounts() throws {
    try database.run(Self.earlier)
    let store = try database.store(as: "ann")
    let cloud = try CloudFixture(over: store)
    try cloud.log.create()
    try cloud.device.save("r:one", "one")
    #expect(try store.ownAccount() == "ann" && store.account(ofRole: "ben") == "ben")
    for name in ["ann", "ben"] as [AccountID] {
      let user = try #require(try store.user(of: name))
      #expect(try store.account(of: user) == name)
      #expect(try store.refusal(of: name) == nil || name == "ben")
    }
    #expect(try store.user(of: ann) == nil)
    let refusal = try #require(try store.refusal(of: ann))
    #expect(refusal.hint?.contains("\(store.place)\")).give([\"u4001\": ") == true)
    _ = try sharedZone()
    let error = try #require(throws: CloudError.self) {
      try CloudCopy(from: machine, to: admin).run()
    }
    #expect(error.reason.contains("u4001, u4002"), "\(error)")

    try admin.makeSchema()
    try admin.give([ann: "cat"])
    // The store that was opened before knows it.
    #expect(try store.user(of: ann) != nil && store.user(of: "cat") == nil)
    #expect(try store.refusal(of: ann)?.reason.contains("the role cat") == true)
    try cloud.device.save("r:two", "two")
    #expect(try cloud.device.log.container.zones() == [cloud.log.id])
  }

  /// What takes the functions for accounts away, and brings back those that were before them.
  private static let earlier = """
    DROP TABLE sqlitesync.accounts;
    DROP FUNCTION sqlitesync.account_role, sqlitesync.role_account, sqlitesync.speaker,
      sqlitesync.give, sqlitesync.make_for, sqlitesync.make_for_role, sqlitesync.restore,
      sqlitesync.restore_access;
    CREATE OR REPLACE FUNCTION sqlitesync.account_user(account text) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      SELECT coalesce(
        (SELECT oid::bigint FROM pg_roles WHERE rolname = account),
        (SELECT sqlitesync.user_number(owner) FROM sqlitesync.directories
          WHERE prefix = 'accounts/@' || account))
    $$;
    CREATE OR REPLACE FUNCTION sqlitesync.level(directory text) RETURNS integer
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      SELECT CASE WHEN d.owner = session_user THEN 7 ELSE coalesce(
        (SELECT g.level FROM sqlitesync.grants g
          WHERE g.prefix = directory AND g.who = session_user),
        (SELECT g.level FROM sqlitesync.grants g
          WHERE g.prefix = directory AND g.who = 'public'),
        0) END
      FROM sqlitesync.directories d WHERE d.prefix = directory
    $$;
    CREATE OR REPLACE FUNCTION sqlitesync.make(directory text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
      parts text[] := string_to_array(directory, '/');
      part text;
      above text := '';
    BEGIN
      IF EXISTS (SELECT FROM sqlitesync.directories WHERE prefix = directory) THEN RETURN; END IF;
      IF parts[2] !~ '^@' THEN
        RAISE EXCEPTION 'the accounts of a database are named like its roles, and % is not',
          parts[2] USING ERRCODE = '42501';
      END IF;
      FOR depth IN 1 .. array_length(parts, 1) LOOP
        part := array_to_string(parts[1:depth], '/');
        INSERT INTO sqlitesync.directories (prefix, parent, name)
          VALUES (part, above, parts[depth]) ON CONFLICT DO NOTHING;
        above := part;
      END LOOP;
    END $$;
    DROP FUNCTION IF EXISTS sqlitesync.administers;
    """
}
