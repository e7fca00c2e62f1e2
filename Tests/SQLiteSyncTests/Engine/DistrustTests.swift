import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// A device that is wrong about the cloud notices it, says so, and loses nothing.
struct DistrustTests {
  @Test func ownCommitThatIsVoidIsSentAgainAndReported() async throws {
    let cloud = try TemporaryDirectory()
    let (ann, ben) = (try Station(cloud: cloud), try Station(cloud: cloud))
    let (engine, other) = (try ann.engine(), try ben.engine())
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal'), ('m', 'Work')")
    try await engine.syncChanges()
    let token = try ann.texts("SELECT token FROM sync_zones")[0]
    // As when two programs write to one database: what is known of the cloud is wrong.
    try ann.execute("UPDATE sync_records SET tag = '1.900.0'")
    try ann.execute("UPDATE lists SET title = 'Family' WHERE id = 'l'")
    try ann.execute("DELETE FROM lists WHERE id = 'm'")
    try ann.execute("INSERT INTO lists (id, title) VALUES ('n', 'New')")
    try await engine.syncChanges()
    try await other.syncChanges()
    #expect(try ben.titles() == ["Personal", "Work"])
    try ann.execute("UPDATE sync_zones SET token = '\(token)'")
    let error = await #expect(throws: SyncError.self) { try await engine.syncChanges() }
    #expect(error?.reason == .voidCommit)
    #expect(engine.status.lastError == error?.message)
    try await other.syncChanges()
    #expect(try ben.titles() == ["Family", "New"])
    #expect(try ann.titles() == ["Family", "New"])
    try await engine.syncChanges()
    #expect(engine.status.lastError == nil)
    #expect(try ann.pending() == 0)
  }

  @Test(arguments: [true, false])
  func secondSynchronizerOnTheDatabaseIsNoticed(_ sendsAtTheSameTime: Bool) throws {
    let fleet = try Fleet()
    let store = FaultyStore(fleet.store)
    let (ann, ben) = (try fleet.device(store: store), try fleet.device())
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    try fleet.settle()
    let twin = Twin(try Self.twin(of: ann, fleet))
    let kind: FaultyStore.Call.Kind = sendsAtTheSameTime ? .create : .read
    store.plan { call in
      if call.kind == kind, call.path.contains("/log/") { twin.syncOnce() }
      return nil
    }
    try ann.execute("UPDATE lists SET title = 'Family'")
    try ann.execute("INSERT INTO reminders (id, listID, title) VALUES ('r', 'l', 'Milk')")
    try ann.sync()
    store.plan { _ in nil }
    #expect(ann.synchronizer.distrust?.reason == .runsElsewhere)
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM lists") == ["Family"])
    #expect(try ben.rows("SELECT title FROM reminders") == ["Milk"])
    try fleet.expectExhausted()
  }

  private static func twin(of device: Device, _ fleet: Fleet) throws -> Synchronizer {
    var configuration = SyncConfiguration()
    configuration.now = { [clock = fleet.clock] in clock.now }
    configuration.editTimeSQL = "(SELECT now FROM test_clock)"
    let container = CloudContainer(
      store: fleet.store, account: fleet.account, device: device.container.device, app: "twin",
      environment: fleet.clock.environment)
    let twin = try Synchronizer(
      database: device.database, tables: device.tables, privateTables: [], container: container,
      configuration: configuration)
    try twin.open()
    return twin
  }
}

/// `@unchecked Sendable`: a device's calls to its store come from one thread.
private final class Twin: @unchecked Sendable {
  private var synchronizer: Synchronizer?
  private(set) var error: (any Error)?

  init(_ synchronizer: Synchronizer) { self.synchronizer = synchronizer }

  func syncOnce() {
    guard let twin = synchronizer else { return }
    synchronizer = nil
    do { try twin.syncChanges() } catch { self.error = error }
  }
}
