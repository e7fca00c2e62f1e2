import Foundation
import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// An error says what is the matter and what can be done.
struct HelpfulErrorTests {
  private static let names = Schema(
    sql: "CREATE TABLE names (id TEXT PRIMARY KEY NOT NULL, name TEXT UNIQUE)", tables: ["names"])

  @Test func whatARestoredValueIsInTheWayOfIsSaid() throws {
    let fleet = try Fleet(schema: Self.names)
    let ann = try fleet.device()
    try ann.execute("INSERT INTO names VALUES ('a', 'Ann')")
    try ann.execute("UPDATE names SET name = 'Anna'")
    try ann.execute("INSERT INTO names VALUES ('b', 'Ann')")
    try ann.write { db in
      let entry = try #require(
        try SyncHistory.entries(db, onlyConflicts: false).first { $0.key == "a" })
      let error = #expect(throws: SyncError.self) { try SyncHistory.restore(entry.id, in: db) }
      #expect(error?.reason == .constraintViolated)
      #expect(error?.table == "names")
      #expect(error?.hint?.isEmpty == false)
    }
    #expect(try ann.rows("SELECT id, name FROM names ORDER BY id") == ["a|Anna", "b|Ann"])
  }

  @Test(arguments: [
    ("CREATE VIEW t AS SELECT 1 AS id", "view"),
    ("CREATE VIRTUAL TABLE t USING fts5 (text)", "virtual table"), ("SELECT 1", "no such table"),
  ])
  func whatIsNoTableIsCalledWhatItIs(sql: String, kind: String) throws {
    let database = try DatabaseQueue()
    try database.write { try $0.execute(sql: sql) }
    let objections = try database.read { try SyncEngine.validate($0, tableNames: ["T"]) }
    #expect(objections.map(\.reason) == [.unknownTable])
    #expect(objections.first?.message.contains(kind) == true)
    #expect(objections.first?.hint?.isEmpty == false)
  }

  @Test func aDatabaseThatCannotBeWrittenIsSaidToBeSo() throws {
    let directory = try TemporaryDirectory()
    let path = directory.url.appending(path: "app.sqlite").path
    try DatabaseQueue(path: path).write { try $0.execute(sql: Self.names.sql) }
    var configuration = Configuration.synchronized
    configuration.readonly = true
    let database = try DatabaseQueue(path: path, configuration: configuration)
    let error = #expect(throws: SyncError.self) {
      try SyncEngine(
        for: database, tableNames: Self.names.tables, cloud: directory.url,
        startImmediately: false)
    }
    #expect(error?.reason == .readOnlyDatabase)
    #expect(error?.hint?.isEmpty == false)
    #expect(throws: SyncError.self) {
      try SyncEngine(
        for: database, tableNames: Self.names.tables, cloud: nil, startImmediately: false)
    }
  }

  @Test func aDatabaseThatWasClosedIsSaidToBeSo() async throws {
    let cloud = try TemporaryDirectory()
    let station = try Station(cloud: cloud)
    let engine = try station.engine()
    try await engine.syncChanges()
    try station.database.close()
    let error = await #expect(throws: SyncError.self) { try await engine.syncChanges() }
    #expect(error?.reason == .closedDatabase)
    #expect(error?.hint?.isEmpty == false)
  }

  @Test func theSecondEngineOfAProcessIsNotCalledAnotherProcess() async throws {
    let cloud = try TemporaryDirectory()
    let station = try Station(cloud: cloud)
    let lock = try EngineLock(database: station.database)
    let second = try station.engine(over: station.connection())
    let error = await #expect(throws: SyncError.self) { try await second.syncChanges() }
    #expect(error?.reason == .runsElsewhere)
    #expect(error?.message.contains("another engine") == true)
    withExtendedLifetime(lock) {}
  }

  /// Nobody's permissions are in the way of a mount.
  @Test func whatIsMountedForReadingIsNotAMatterOfPermissions() {
    let error = PosixError(number: EROFS).cloudError("cannot write", "/mnt/cloud")
    #expect(error.code == .permissionFailure)
    #expect(error.hint?.contains("owner") == false)
    #expect(error.hint?.contains("Mount") == true)
  }

  // MARK: - Triggers that leave rows out

  /// The warnings of a trigger, which are the same where it is the connection's alone.
  private func warnings(_ condition: String, _ body: String) throws -> [SyncError] {
    let found = try ["TRIGGER", "TEMP TRIGGER"].map { kind in
      let fleet = try Fleet(schema: Self.names)
      let ann = try fleet.device()
      try ann.execute("CREATE \(kind) odd BEFORE INSERT ON names \(condition) BEGIN \(body); END")
      return try ann.database.read { try SyncEngine.warnings($0) }
    }
    #expect(found[0] == found[1])
    return found[0]
  }

  @Test func oneThatIsOnATableOfAnotherDatabaseIsNot() throws {
    let database = try DatabaseQueue()
    try database.writeWithoutTransaction { db in
      try db.execute(sql: Self.names.sql)
      try db.execute(
        sql: """
          ATTACH ':memory:' AS more; CREATE TABLE more.names (id, name);
          CREATE TEMP TRIGGER odd BEFORE INSERT ON more.names BEGIN SELECT RAISE(IGNORE); END;
          """)
    }
    #expect(try database.read { try SyncEngine.warnings($0, tableNames: ["names"]) } == [])
  }

  @Test func oneThatNamesWhatIsNotThereIsToldBeforeAnythingIsFetched() throws {
    let ben = try Fleet(schema: Self.names).device()
    try ben.execute(
      "CREATE TRIGGER odd AFTER INSERT ON names BEGIN INSERT INTO gone VALUES (1); END")
    let found = try ben.database.read { try SyncEngine.warnings($0) }
    #expect(found.map(\.reason) == [.brokenTrigger])
    #expect(found.first?.message.contains("gone") == true)
  }

  @Test func aNegativeNumberOfWhatWaitsIsNothing() throws {
    let ann = try Fleet(schema: Self.names).device()
    try ann.execute("INSERT INTO names (id, name) VALUES ('a', 'Ann')")
    try ann.synchronizer.foldEdits()
    #expect(try ann.database.read { try SyncPendingChange.all($0, limit: -1) } == [])
    #expect(try ann.database.read { try SyncWaitingRecord.all($0, limit: -1) } == [])
  }

  @Test func aTriggerThatLeavesOutWhatComesFromElsewhereIsWarnedOf() throws {
    let found = try warnings(
      "WHEN NEW.name = ''", "SELECT raise ( /* quietly */ Ignore) WHERE NEW.id > ''")
    #expect(found.map(\.reason) == [.ignoringTrigger])
    #expect(found.first?.message.contains("odd") == true)
    #expect(found.first?.hint?.contains("isApplying") == true)
  }

  @Test func oneThatAsksWhetherTheEngineWritesIsNot() throws {
    #expect(
      try warnings(
        "WHEN NOT \(SyncEngine.isSynchronizingChanges) AND NEW.name = ''", "SELECT RAISE(IGNORE)")
        == [])
  }

  @Test func norIsOneThatOnlySpeaksOfIt() throws {
    #expect(try warnings("", "SELECT RAISE(ABORT, 'no IGNORE') WHERE NEW.name = ''") == [])
    #expect(try warnings("", "SELECT 'RAISE(IGNORE)'") == [])
  }

  @Test func oneThatEndsTheTransactionIsWarnedOf() throws {
    let found = try warnings("", "SELECT RAISE(ROLLBACK, 'no') WHERE NEW.name = ''")
    #expect(found.map(\.reason) == [.rollingBackTrigger])
    #expect(found.first?.hint?.contains("isApplying") == true)
  }

  @Test(arguments: [
    "UPDATE OR IGNORE Names SET name = upper(name) WHERE id = NEW.id",
    "INSERT INTO names VALUES (NEW.id || '2', NULL)", "DELETE FROM names WHERE name = NEW.name",
  ])
  func oneThatWritesToSynchronizedTablesIsWarnedOf(body: String) throws {
    let found = try warnings("", body)
    #expect(found.map(\.reason) == [.writingTrigger])
    #expect(found.first?.message.contains("names") == true)
    #expect(try warnings("WHEN NOT \(SyncEngine.isSynchronizingChanges)", body) == [])
  }

  @Test func oneThatWritesToOtherTablesIsNot() throws {
    #expect(try warnings("", "DELETE FROM test_clock WHERE now = 'names'") == [])
  }

  // MARK: - Places of clouds

  @Test(arguments: ["s3://bucket/path", "https://example.org/cloud", "ssh://host/path"])
  func aURLThatIsNoDirectoryIsNotTakenForOne(place: String) throws {
    let database = try DatabaseQueue()
    try database.write { try $0.execute(sql: Self.names.sql) }
    let url = try #require(URL(string: place))
    let error = #expect(throws: SyncError.self) {
      try SyncEngine(
        for: database, tableNames: Self.names.tables, cloud: url, startImmediately: false)
    }
    #expect(error?.reason == .notADirectory)
    for store in ["S3Store", "SFTPStore", "PostgresStore"] {
      #expect(error?.hint?.contains(store) == true)
    }
    #expect(try database.read { try !$0.tableExists("sync_state") })
  }
}
