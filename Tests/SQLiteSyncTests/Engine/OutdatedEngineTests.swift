import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// An engine goes on, and another version of the app migrates the database under it.
struct OutdatedEngineTests {
  private static let migration = "ALTER TABLE lists ADD COLUMN place TEXT"

  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Home')")
    try fleet.settle()
  }

  @Test func whatAnEarlierEngineDoesNotKnowIsNotTakenForSentByIt() throws {
    let former = ann.synchronizer
    try ann.relaunch { try $0.execute(sql: Self.migration + "; UPDATE lists SET place = 'hall'") }
    try ann.execute("INSERT INTO lists (id, place) VALUES ('m', 'attic')")
    let error = #expect(throws: SyncError.self) { try former.syncChanges() }
    #expect(error?.reason == .outdatedEngine)
    try ben.relaunch { try $0.execute(sql: Self.migration) }
    try fleet.settle()
    #expect(try ben.rows("SELECT id, place FROM lists ORDER BY id") == ["l|hall", "m|attic"])
    try fleet.expectExhausted()
  }

  @Test func anEngineForOtherTablesEndsTheWorkOfTheOneBefore() throws {
    let former = ann.synchronizer
    try ann.relaunch(tables: ann.tables.filter { $0 != "orphans" })
    try ann.execute("UPDATE lists SET title = 'House'")
    let error = #expect(throws: SyncError.self) { try former.syncChanges() }
    #expect(error?.reason == .outdatedEngine)
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM lists") == ["House"])
  }

  @Test func theEarlierEngineGoesOnWhereNobodyHasCreatedAnotherOne() throws {
    try ann.write { try $0.execute(sql: Self.migration + "; CREATE TABLE notes (text)") }
    try ann.execute("UPDATE lists SET title = 'House', place = 'hall'")
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM lists") == ["House"])
    try ann.relaunch()
    try ben.relaunch { try $0.execute(sql: Self.migration) }
    try fleet.settle()
    #expect(try ben.rows("SELECT place FROM lists") == ["hall"])
    try fleet.expectExhausted()
  }

  @Test func anEngineOfTheSameTablesIsInNobodysWay() throws {
    let former = ann.synchronizer
    try ann.relaunch { try $0.execute(sql: "CREATE TABLE notes (text)") }
    try ann.execute("UPDATE lists SET title = 'House'")
    try former.syncChanges()
    try ben.sync()
    #expect(try ben.rows("SELECT title FROM lists") == ["House"])
  }

  @Test func theLaterEngineTakesOver() async throws {
    let cloud = try TemporaryDirectory()
    let station = try Station(cloud: cloud)
    let former = try station.engine(starts: true)
    await former.waitUntilIdle()
    try station.execute(Self.migration)
    let later = try station.engine(over: station.connection(), starts: true)
    try station.execute("INSERT INTO lists (id, place) VALUES ('l', 'hall')")
    await later.wait { $0.sent == 1 }
    #expect(former.status.lastError?.contains("Another engine was created") == true)
    for engine in [former, later] { engine.stopAndWait() }
  }
}
