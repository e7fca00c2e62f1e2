import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Edits that no engine has folded yet: they are counted and shown all the same.
@Suite(.timeLimit(.minutes(10)))
struct UnfoldedEditsTests {
  /// What a device says that waits to be sent.
  private struct Waiting: Equatable {
    let count: Int
    let changes: [String]
    let rows: [String]

    init(_ device: Device) throws {
      (count, changes) = try device.database.read { db in
        let changes = try SyncPendingChange.all(db)
        return (
          try SyncCounts(db).pending,
          changes.map { "\($0.isDeletion ? "delete" : "save") \($0.table) \($0.key)" }.sorted()
        )
      }
      rows = try Self.rows(of: device)
      // Asked of some rows alone, it is the same of each.
      for half in 0...1 {
        let some = "SELECT id FROM reminders WHERE rowid % 2 = \(half)"
        let others = "AND id NOT IN (\(some))"
        let waiting = try Self.rows(of: device, among: some, where: "AND id IN (\(some))")
        let all = try (waiting + Self.rows(of: device, where: others)).sorted()
        #expect(all == rows.sorted(), "half \(half)")
      }
    }

    private static func rows(
      of device: Device, among keys: String? = nil, where condition: String = ""
    ) throws -> [String] {
      let isPending = SyncEngine.hasPendingChange(
        table: "reminders", key: "reminders.id", among: keys)
      return try device.rows(
        "SELECT id FROM reminders WHERE \(isPending) \(condition) ORDER BY id")
    }
  }

  @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6])
  func whatWaitsIsTheSameBeforeAndAfterTheFold(seed: UInt64) throws {
    let device = try Fleet(schema: SimulatedSchema.schema(.new)).device()
    var random = SplitMix64(seed: seed)
    for step in 0..<150 {
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        let edit = RandomEdit(version: .new, using: &random)
        do {
          try device.write { try edit.execute(in: $0) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
          continue
        }
      }
      let before = try Waiting(device)
      try device.synchronizer.foldEdits()
      let after = try Waiting(device)
      try #require(before == after, "seed \(seed), step \(step)")
      if Int.random(in: 0..<4, using: &random) == 0 { try device.sync() }
    }
  }

  @Test(arguments: [
    "UPDATE lists SET title = title", "INSERT OR IGNORE INTO lists (id, title) VALUES ('l', 'B')",
    "INSERT OR REPLACE INTO lists (id, title) VALUES ('l', 'A')",
    "INSERT INTO lists (id) VALUES ('m'); DELETE FROM lists WHERE id = 'm'",
  ])
  func whatChangesNothingDoesNotWait(sql: String) throws {
    let device = try Fleet().device()
    try device.execute("INSERT INTO lists (id, title) VALUES ('l', 'A')")
    try device.sync()
    try device.execute(sql)
    #expect(try device.counts() == SyncCounts())
    #expect(try device.database.read { try SyncPendingChange.all($0) } == [])
  }

  @Test func whoMakesAnEngineDoesNotWaitForTheEditsThatWait() async throws {
    let cloud = try TemporaryDirectory()
    let station = try Station(cloud: cloud)
    _ = try station.engine()
    try station.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal'), ('m', 'Family')")
    let engine = try station.engine()
    #expect(try station.texts("SELECT primaryKey FROM sync_edits") == ["l", "m"])
    #expect(engine.status.pending == 2)
    let waiting = try await station.database.read { try SyncPendingChange.all($0) }
    #expect(waiting.map(\.key).sorted() == ["l", "m"])
    engine.start()
    await engine.wait { $0.sent == 2 && $0.phase == .idle }
    #expect(try station.texts("SELECT primaryKey FROM sync_edits") == [])
  }

  @Test func aStartedEngineFoldsAlsoWhileTheCloudIsAway() async throws {
    let cloud = try TemporaryDirectory()
    let station = try Station(cloud: cloud)
    _ = try station.engine()
    try station.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    let store = FaultyStore(MemoryStore())
    store.plan { _ in .failure(FaultyStore.lost) }
    let engine = try station.engine(store: store, starts: true)
    await engine.wait { if case .backingOff = $0.phase { true } else { false } }
    #expect(try station.texts("SELECT primaryKey FROM sync_edits") == [])
    #expect(engine.status.pending == 1)
  }
}
