import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud

@testable import SQLiteSync

/// A device as an app has it: a database file and a whole engine, over a cloud in a directory.
///
/// It polls so rarely that only what it is told can wake it.
final class Station {
  let path: String
  let database: DatabaseQueue
  private let cloud: URL
  private let device = UUID()
  private let directory: TemporaryDirectory

  /// A device whose cloud is in `cloud`, with tables besides the synchronized ones.
  init(cloud: TemporaryDirectory, localSQL: String = "") throws {
    self.cloud = cloud.url
    directory = try TemporaryDirectory()
    path = directory.url.appendingPathComponent("app.sqlite").path
    database = try Self.connection(to: path)
    try database.write { try $0.execute(sql: Schema.reminders.sql + localSQL) }
  }

  /// Another connection to the database, as another process has one.
  func connection() throws -> DatabaseQueue { try Self.connection(to: path) }

  /// As an app should: two connections wait for each other.
  private static func connection(to path: String) throws -> DatabaseQueue {
    var configuration = Configuration.synchronized
    configuration.busyMode = .timeout(30)
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  /// An engine over this device's database, or over another connection to it; without an account
  /// it is nobody's.
  func engine(
    over other: DatabaseQueue? = nil, account: String? = "ann", store: (any ObjectStore)? = nil,
    starts: Bool = false, commitsPerTransaction: Int = 64
  ) throws -> SyncEngine {
    var configuration = SyncConfiguration()
    configuration.pollMilliseconds = 86_400_000
    configuration.commitsPerTransaction = commitsPerTransaction
    return try SyncEngine(
      for: other ?? database, tableNames: Schema.reminders.tables,
      cloud: account.map { container($0, store: store) },
      configuration: configuration, startImmediately: starts)
  }

  /// The cloud as an account sees it on this device.
  func container(_ account: String, store: (any ObjectStore)? = nil) -> CloudContainer {
    guard let account = AccountID(name: account) else { preconditionFailure("a valid name") }
    return CloudContainer(
      store: store ?? DirectoryStore(directory: cloud), account: account, device: device,
      app: "test")
  }

  func execute(_ sql: String) throws {
    try database.write { try $0.execute(sql: sql) }
  }

  func titles() throws -> [String] {
    try texts("SELECT title FROM lists ORDER BY title")
  }

  /// The first column of a query.
  func texts(_ sql: String) throws -> [String] {
    try database.read { try String.fetchAll($0, sql: sql) }
  }

  /// Records with edits that the cloud does not have yet.
  func pending() throws -> Int {
    try database.read(SyncCounts.init).pending
  }

  /// Who the database says is signed in.
  func account() throws -> SyncAccount {
    try database.read(SyncAccount.init)
  }

  /// Returns once the titles of the lists are these.
  func waitForTitles(_ titles: [String]) async throws {
    let observation = ValueObservation.tracking { db in
      try String.fetchAll(db, sql: "SELECT title FROM lists ORDER BY title")
    }
    for try await now in observation.values(in: database) where now == titles { return }
  }
}

extension SyncEngine {
  /// Returns once the engine is idle and the cloud has everything.
  func waitUntilIdle() async {
    await wait { $0.phase == .idle && $0.pending == 0 }
  }

  /// Returns once the status is as wanted.
  func wait(for condition: (SyncStatus) -> Bool) async {
    for await status in statuses where condition(status) { return }
  }
}
