import Foundation
import GRDB
import RemindersCore
import RemindersCoreTestSupport
import RemindersTestSupport
import SQLiteSync
import SQLiteSyncCloud
import Testing

@testable import RemindersUI

/// Another device, with a cloud in memory between it and the driver's.
///
/// Both engines do something only when a test says so; times and names of devices are fixed.
@MainActor
final class Elsewhere {
  let database: AppDatabase
  private let driver: Driver
  private let directory: TemporaryDirectory
  private let engines: [SyncEngine]

  init(beside driver: Driver) async throws {
    self.driver = driver
    directory = try TemporaryDirectory()
    let clock = driver.clock
    database = try AppDatabase.migrated(
      in: directory.url, makeID: { clock.makeID().uuidString.lowercased() },
      now: { Date(timeIntervalSince1970: Double(clock.now) / 1000) })
    let store = MemoryStore()
    engines = try zip([driver.database, database], ["a1a1", "b2b2"]).map { database, name in
      try Self.engine(for: database, device: name, store: store, clock: clock)
    }
    try await sync()
    // What comes later is later.
    try await pass(minutes: 1)
  }

  private static func engine(
    for database: AppDatabase, device name: String, store: MemoryStore, clock: TestClock
  ) throws -> SyncEngine {
    let device = try #require(UUID(uuidString: "\(name)0000-0000-4000-8000-000000000000"))
    try database.writer.write { db in
      try db.execute(
        sql: """
          UPDATE sync_state SET device = '\(device.uuidString.lowercased())';
          CREATE TABLE clock (now INTEGER NOT NULL);
          INSERT INTO clock VALUES (\(clock.now));
          """)
    }
    var configuration = SyncConfiguration()
    configuration.now = { clock.now }
    configuration.random = { 0 }
    configuration.editTimeSQL = "(SELECT now FROM clock)"
    return try SyncEngine(
      for: database.writer, tables: AppDatabase.synchronizedTables,
      privateTables: AppDatabase.privateTables,
      cloud: CloudContainer(
        store: store, account: try #require(AccountID(name: "ann")), device: device, app: "test",
        environment: clock.environment), configuration: configuration, startImmediately: false)
  }

  /// Lets time pass on both devices.
  func pass(minutes: Double) async throws {
    await driver.pass(seconds: minutes * 60)
    for database in [driver.database, database] {
      try await database.writer.write { [now = driver.clock.now] db in
        try db.execute(sql: "UPDATE clock SET now = ?", arguments: [now])
      }
    }
  }

  /// Lets both devices send and fetch, the driver's first or last.
  func sync(hereFirst: Bool = true) async throws {
    for _ in 1...2 {
      for engine in hereFirst ? engines : engines.reversed() { try await engine.syncChanges() }
    }
    await driver.app.settled()
  }
}
