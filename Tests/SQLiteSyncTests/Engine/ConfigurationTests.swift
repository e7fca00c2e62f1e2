import Foundation
import GRDB
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// What an engine cannot do anything with is refused where it is given, and what it can bear is
/// borne.
@Suite(.timeLimit(.minutes(2)))
struct ConfigurationTests {
  private let cloud: TemporaryDirectory
  private let ann: Station

  init() throws {
    cloud = try TemporaryDirectory()
    ann = try Station(cloud: cloud)
  }

  private func engine(
    device: UUID = UUID(), logger: SyncLogger = .off,
    _ change: (inout SyncConfiguration) -> Void = { _ in }
  ) throws -> SyncEngine {
    var configuration = SyncConfiguration()
    configuration.pollMilliseconds = 86_400_000
    change(&configuration)
    return try SyncEngine(
      for: ann.database, tableNames: Schema.reminders.tables, cloud: ann.container("ann"),
      configuration: configuration, startImmediately: false, logger: logger)
  }

  private func refusal(
    _ change: (inout SyncConfiguration) -> Void
  ) throws -> SyncError? {
    let error = #expect(throws: SyncError.self) { try engine(change) }
    #expect(error?.hint?.isEmpty == false)
    #expect(try ann.texts("SELECT name FROM sqlite_schema WHERE name GLOB 'sync_*'") == [])
    return error
  }

  @Test(arguments: ["", "a\nb", "\0", String(repeating: "a", count: 256)])
  func aZoneThatCannotBeIsRefusedBeforeAnythingIsChanged(name: String) throws {
    #expect(try refusal { $0.zone = name }?.reason == .invalidConfiguration)
    var configuration = SyncConfiguration()
    configuration.zone = name
    let error = #expect(throws: SyncError.self) {
      try SyncEngine(
        for: ann.database, tableNames: Schema.reminders.tables, cloud: cloud.url,
        configuration: configuration, startImmediately: false)
    }
    #expect(error?.reason == .invalidConfiguration)
    #expect(try ann.texts("SELECT name FROM sqlite_schema WHERE name GLOB 'sync_*'") == [])
  }

  @Test(arguments: [
    "", "1 +", "(", "1); DROP TABLE lists; SELECT (1", "nothing", "1, 2", "?", "NULL", "'now'",
    "1.5", "x'00'", "1), (2",
  ])
  func aTimeOfEditsThatIsNoneIsRefused(sql: String) throws {
    let error = try refusal { $0.editTimeSQL = sql }
    #expect(error?.reason == .invalidConfiguration)
    #expect(error?.message.contains("editTimeSQL") == true)
  }

  /// From the first moment to the last that there are.
  private static let moments = [
    Int64.min, Int64.min + 1, -62_135_769_600_000, -1, 0, 1, 4_102_444_800_000,
    31_556_889_864_403_199, Int64.max - 1, Int64.max,
  ]

  @Test(arguments: moments)
  func anyTimeThatAClockCanShowIsBorne(now: Int64) async throws {
    var environment = CloudEnvironment.live
    environment.now = { now }
    environment.maintenance = .eager
    environment.maintenance.commits = 2
    let account = try #require(AccountID(name: "ann"))
    let store = FaultyStore(DirectoryStore(directory: cloud.url)) { call in
      call.kind == .create && call.path.contains("/assets/")
        ? .failure(CloudError(.quotaExceeded, "The disk is full.")) : nil
    }
    let container = CloudContainer(
      store: store, account: account, device: UUID(), app: "test", environment: environment)
    var configuration = SyncConfiguration()
    configuration.now = { now }
    configuration.editTimeSQL = "\(now)"
    let engine = try SyncEngine(
      for: ann.database, tableNames: Schema.reminders.tables, cloud: container,
      configuration: configuration, startImmediately: false)
    for round in 0..<4 {
      try ann.execute("INSERT INTO lists (id, title) VALUES ('\(round)', 'Home')")
      try ann.execute("INSERT INTO covers VALUES ('\(round)', zeroblob(10000))")
      try ann.execute("INSERT INTO lists (id, title) VALUES ('gone', 'Gone')")
      try ann.execute("DELETE FROM lists WHERE id = 'gone'")
      try await engine.syncChanges()
    }
    store.plan { _ in nil }
    try await engine.resynchronize()
    try await ann.database.read { db in
      _ = try (SyncPendingChange.all(db), SyncWaitingRecord.all(db), SyncHistory.entries(db))
      _ = try SyncEngine.check(db)
    }
    #expect(engine.status.lastFetch != nil)
    _ = try CloudCheck(container).run()
    let other = try Station(cloud: cloud)
    try await other.engine().syncChanges()
    #expect(try other.titles() == Array(repeating: "Home", count: 4))
  }

  // MARK: - Waiting for itself

  @Test func whatTheEngineCallsCanStopItWithoutWaitingForItself() async throws {
    let engine = Mutex<SyncEngine?>(nil)
    let answers = Mutex<[Bool]>([])
    let stopped = try self.engine { configuration in
      configuration.willSend = { _ in
        guard let engine = engine.withLock({ $0 }) else { return }
        engine.stopAndWait()
        let answer = [engine.stop(within: .seconds(60)), engine.flush(within: .seconds(60))]
        answers.withLock { $0 += answer }
      }
    }
    engine.withLock { $0 = stopped }
    defer { engine.withLock { $0 = nil } }
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Home')")
    stopped.start()
    await stopped.wait { $0.phase == .stopped && $0.account != nil }
    stopped.stopAndWait()
    #expect(answers.withLock { $0 } == [false, false])
    #expect(!stopped.isRunning)
  }

  // MARK: - A database that somebody else writes

  @Test func aLockedDatabaseIsSaidToBeSo() async throws {
    let engine = try engine()
    try await engine.syncChanges()
    let other = try DatabaseQueue(path: ann.path)
    let impatient = try DatabaseQueue(path: ann.path, configuration: .synchronized)
    try await other.write { db in
      try db.execute(sql: "INSERT INTO lists (id, title) VALUES ('l', 'Home')")
      let error = #expect(throws: SyncError.self) {
        try SyncEngine(
          for: impatient, tableNames: Schema.reminders.tables, cloud: nil,
          startImmediately: false)
      }
      #expect(error?.reason == .lockedDatabase)
      #expect(error?.hint?.isEmpty == false)
    }
  }
}
