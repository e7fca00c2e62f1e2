import Foundation
import GRDB
import Observation
import RemindersTestSupport
import SQLiteSyncCloud
import Synchronization
import Testing

@testable import SQLiteSync

/// An engine as a program in Swift has it: over a directory, without a container of its own.
@Suite(.timeLimit(.minutes(10)))
struct SwiftFaceTests {
  private struct List: Decodable, FetchableRecord, TableRecord {
    static let databaseTableName = "lists"
    let id: String
    let title: String
  }

  private let cloud: TemporaryDirectory

  init() throws {
    cloud = try TemporaryDirectory()
  }

  private func database(_ sql: String = "") throws -> DatabaseQueue {
    let database = try DatabaseQueue()
    try database.write { try $0.execute(sql: Schema.reminders.sql + sql) }
    return database
  }

  private func engine(
    _ database: DatabaseQueue, account: AccountID = "ann", delegate: Delegate? = nil,
    logger: SyncLogger = .off
  ) throws -> SyncEngine {
    try SyncEngine(
      for: database, tableNames: Schema.reminders.tables, cloud: cloud.url, account: account,
      delegate: delegate, logger: logger)
  }

  private func titles(_ database: DatabaseQueue) async throws -> [String] {
    try await database.read { try String.fetchAll($0, sql: "SELECT title FROM lists ORDER BY id") }
  }

  @Test func accountsAreWrittenAsLiterals() {
    let (ann, somebody): (AccountID, AccountID) = ("ann", "u1001")
    #expect(ann == AccountID(name: "ann"))
    #expect(somebody == AccountID(userID: 1001))
  }

  @Test func engineOverADirectoryDoesNotStartUnderTest() async throws {
    let database = try database()
    let engine = try SyncEngine(for: database, tables: [List.self], cloud: cloud.url)
    #expect(!engine.isRunning)
    try await engine.syncChanges()
    #expect(engine.status.account == AccountID.currentUser.displayName)
  }

  @Test func tablesThatAreRefusedLeaveTheDatabaseAsItWas() throws {
    let database = try DatabaseQueue()
    let error = #expect(throws: SyncError.self) {
      try SyncEngine(for: database, tableNames: ["a", "b"], cloud: cloud.url)
    }
    #expect(error?.others.count == 1)
    #expect(try database.read { try !$0.tableExists("sync_state") })
  }

  @Test func workByHandSaysWhatCameOfIt() async throws {
    let (desk, laptop) = (try database(), try database())
    let (ann, annToo) = (try engine(desk), try engine(laptop))
    try await desk.write { try $0.execute(sql: "INSERT INTO lists (id) VALUES ('l'), ('m')") }
    var expected = SyncResult()
    expected.sent = 2
    #expect(try await ann.sendChanges() == expected)
    expected = SyncResult()
    expected.fetched = 2
    #expect(try await annToo.fetchChanges() == expected)
    try await desk.write { try $0.execute(sql: "UPDATE lists SET title = 'A' WHERE id = 'l'") }
    try await ann.syncChanges()
    try await laptop.write { try $0.execute(sql: "UPDATE lists SET color = 1 WHERE id = 'l'") }
    let result = try await annToo.syncChanges()
    #expect(result.merged == 1)
    #expect(result.sent == 1)
    #expect(try await ann.fetchChanges().fetched == 1)
    #expect(try await ann.syncChanges() == SyncResult())
  }

  @Test func whetherItWorksCanBeObserved() async throws {
    let database = try database()
    let engine = try engine(database)
    let changes = Mutex(0)
    @Sendable func observe() {
      withObservationTracking {
        _ = (engine.isSynchronizing, engine.isRunning)
      } onChange: {
        changes.withLock { $0 += 1 }
      }
    }
    observe()
    try await database.write { try $0.execute(sql: "INSERT INTO lists (id) VALUES ('l')") }
    try await engine.syncChanges()
    #expect(changes.withLock { $0 } == 1)
    #expect(!engine.isSynchronizing && !engine.isFetchingChanges && !engine.isSendingChanges)
    observe()
    engine.start()
    await engine.waitUntilIdle()
    #expect(changes.withLock { $0 } == 2)
    engine.stopAndWait()
  }

  @Test func whatItDoesCanBeObserved() async throws {
    let (desk, laptop) = (try database(), try database())
    try await desk.write { try $0.execute(sql: "INSERT INTO lists (id) VALUES ('l')") }
    let (ann, annToo) = (try engine(desk), try engine(laptop))
    try await ann.syncChanges()
    try await desk.write { try $0.execute(sql: "UPDATE lists SET title = 'L'") }
    let sending = Observed(ann)
    try await ann.sendChanges()
    #expect(sending.phases == ["sends", "rests"])
    let fetching = Observed(annToo)
    try await annToo.fetchChanges()
    #expect(fetching.phases == ["fetches", "rests"])
    try await laptop.write { try $0.execute(sql: "UPDATE lists SET title = 'A'") }
    try await annToo.syncChanges()
    #expect(fetching.phases.dropFirst(2) == ["fetches", "sends", "rests"])
  }

  /// What an engine says that it does, each time that this is observed to change.
  private final class Observed: Sendable {
    private let engine: SyncEngine
    private let seen = Mutex<[String]>([])

    var phases: [String] { seen.withLock { $0 } }

    init(_ engine: SyncEngine) {
      self.engine = engine
      _ = observe()
    }

    private func observe() -> String {
      withObservationTracking {
        let (fetches, sends) = (engine.isFetchingChanges, engine.isSendingChanges)
        return fetches && sends ? "both" : fetches ? "fetches" : sends ? "sends" : "rests"
      } onChange: {
        let now = self.observe()
        self.seen.withLock { if $0.last != now { $0.append(now) } }
      }
    }
  }

  @Test func whoWatchesWhetherItRunsHearsOfNothingElse() async throws {
    let database = try database()
    let engine = try engine(database)
    engine.start()
    await engine.waitUntilIdle()
    let running = Mutex(0)
    let all = Mutex(0)
    withObservationTracking {
      _ = engine.isRunning
    } onChange: {
      running.withLock { $0 += 1 }
    }
    withObservationTracking {
      _ = engine.status
    } onChange: {
      all.withLock { $0 += 1 }
    }
    try await database.write { try $0.execute(sql: "INSERT INTO lists (id) VALUES ('l')") }
    try await engine.syncChanges()
    #expect(running.withLock { $0 } == 0)
    #expect(all.withLock { $0 } == 1)
    engine.stopAndWait()
    #expect(running.withLock { $0 } == 1)
  }

  @Test func logGoesWhereTheAppSays() async throws {
    let lines = Mutex<[String]>([])
    let database = try database("INSERT INTO lists (id) VALUES ('l');")
    let logger = SyncLogger { text in lines.withLock { $0.append(text) } }
    try await engine(database, logger: logger).syncChanges()
    #expect(lines.withLock { $0 }.contains { $0.contains("sentRecordZoneChanges") })
  }

  // MARK: - Accounts

  private final class Delegate: SyncEngineDelegate {
    let decision: SyncAccountDecision
    let asked = Mutex<[SyncAccountChange]>([])

    init(_ decision: SyncAccountDecision) { self.decision = decision }

    func syncEngine(
      _ engine: SyncEngine, decideAbout change: SyncAccountChange
    ) async -> SyncAccountDecision {
      asked.withLock { $0.append(change) }
      return decision
    }
  }

  private func container(_ account: AccountID, _ database: DatabaseQueue) async throws
    -> CloudContainer
  {
    let device = try await database.read { try SyncEngine.device(of: $0) }
    return CloudContainer(directory: cloud.url, account: account, device: device, app: "test")
  }

  @Test(arguments: [SyncAccountDecision.keep, .clear, .merge])
  func delegateDecidesWhatBecomesOfTheDataOfTheAccountBefore(
    _ decision: SyncAccountDecision
  ) async throws {
    let (desk, bens) = (try database(), try database())
    try await bens.write { try $0.execute(sql: "INSERT INTO lists (id) VALUES ('b')") }
    try await engine(bens, account: "ben").syncChanges()
    try await desk.write { db in
      try db.execute(
        sql: """
          INSERT INTO lists (id, title) VALUES ('a', 'Ann''s');
          INSERT INTO covers VALUES ('a', zeroblob(10000));
          """)
    }
    let delegate = Delegate(decision)
    let engine = try engine(desk, delegate: delegate)
    try await engine.syncChanges()
    let ben = try await container("ben", desk)
    if decision == .keep {
      let error = await #expect(throws: SyncError.self) { try await engine.signIn(ben) }
      #expect(error?.reason == .accountChanged)
      #expect(try await titles(desk) == ["Ann's"])
    } else {
      try await engine.signIn(ben)
      try await engine.syncChanges()
      let fetched = try await self.engine(bens, account: "ben").syncChanges()
      let expected = decision == .merge ? ["Ann's", ""] : [""]
      #expect(try await titles(desk) == expected)
      #expect(try await titles(bens) == expected)
      #expect(fetched.fetched == (decision == .merge ? 2 : 0))
    }
    #expect(
      delegate.asked.withLock { $0 } == [SyncAccountChange(from: "ann", to: "ben", pending: 0)])
    // Ann loses nothing in the cloud.
    let annToo = try database()
    try await self.engine(annToo).syncChanges()
    #expect(try await titles(annToo) == ["Ann's"])
  }

  @Test func whoDecidesIsToldWhatWouldBeLost() async throws {
    let desk = try database()
    let delegate = Delegate(.keep)
    let engine = try engine(desk, delegate: delegate)
    try await engine.syncChanges()
    try await desk.write { try $0.execute(sql: "INSERT INTO lists (id) VALUES ('a'), ('b')") }
    let ben = try await container("ben", desk)
    await #expect(throws: SyncError.self) { try await engine.signIn(ben) }
    #expect(delegate.asked.withLock { $0 }.map(\.pending) == [2])
  }

  // MARK: - Metadata

  @Test func metadataOfRowsAreRecords() async throws {
    let database = try database(
      """
      INSERT INTO lists (id, title) VALUES ('l', 'Home');
      INSERT INTO reminders (id, listID) VALUES ('r', 'l');
      """)
    let engine = try engine(database)
    try await engine.syncChanges()
    try await database.write { try $0.execute(sql: "INSERT INTO lists (id) VALUES ('m')") }
    let (list, reminder, missing) = try await database.read { db in
      (
        try SyncMetadata.fetchOne(db, id: .init(of: "l", in: List.self)),
        try SyncMetadata.fetchOne(db, id: .init(of: "r", in: "reminders")),
        try SyncMetadata.fetchOne(db, id: .init(of: "m", in: List.self))
      )
    }
    #expect(list?.recordName == "l:lists")
    #expect(list?.zone == ZoneID(name: "default", owner: "ann") && list?.permission == .owner)
    #expect(list?.hasServerRecord == true && list?.isPending == false && list?.isShared == false)
    #expect(abs(list?.userModificationDate.timeIntervalSinceNow ?? .infinity) < 3_600)
    #expect(reminder?.parent == list?.id)
    #expect(missing == nil)
    let names = try await database.read { db in
      try Row.fetchAll(
        db, List.select(Column("id")).including(required: List.syncMetadata()).order(Column("id"))
      ).map { $0.scopes["syncMetadata"]?["recordName"] as String? }
    }
    #expect(names == ["l:lists"])
  }
}
