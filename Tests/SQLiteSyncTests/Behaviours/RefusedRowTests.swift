import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// Rows that a trigger of the app's refuses, which looks at what is elsewhere in the database.
struct RefusedRowTests {
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet(
      schema: Schema(
        sql: "CREATE TABLE things (id TEXT PRIMARY KEY NOT NULL, title TEXT);",
        tables: ["things"]))
    (ann, ben) = try fleet.pair()
    try ben.execute("CREATE TABLE rules (size INTEGER)")
    try ben.execute("INSERT INTO rules VALUES (2)")
    try ben.execute(
      """
      CREATE TRIGGER full BEFORE INSERT ON things
      WHEN (SELECT count(*) FROM things) >= (SELECT size FROM rules)
      BEGIN SELECT RAISE(ABORT, 'It is full.'); END
      """)
    try ann.execute("INSERT INTO things VALUES ('a', 'A'), ('b', 'B'), ('c', 'C')")
    try fleet.settle()
  }

  private func expectRefused() throws {
    #expect(try ben.rows("SELECT id FROM things") == ["a", "b"])
    let waiting = try ben.database.read { try SyncWaitingRecord.all($0) }
    #expect(waiting.map(\.key) == ["c"] && waiting[0].reason == .constraint("It is full."))
    #expect(try ben.counts().quarantined == 1)
  }

  private func expectAll() throws {
    #expect(try ben.rows("SELECT id FROM things") == ["a", "b", "c"])
    #expect(try ben.counts() == SyncCounts())
  }

  @Test func oneIsTriedAgainWhenAnythingWasFetched() throws {
    try expectRefused()
    try ann.execute("DELETE FROM things WHERE id = 'a'")
    try ann.sync()
    try ben.sync()
    #expect(try ben.rows("SELECT id FROM things") == ["b", "c"])
    #expect(try ben.counts() == SyncCounts())
  }

  @Test func oneIsTriedAgainWhenAnythingWasEditedHere() throws {
    try ben.execute("DELETE FROM things WHERE id = 'a'")
    try ben.sync()
    #expect(try ben.rows("SELECT id FROM things") == ["b", "c"])
  }

  @Test func oneIsTriedAgainWhenSomebodyAsks() throws {
    try ben.execute("UPDATE rules SET size = 3")
    try ben.sync()
    try expectRefused()
    ben.synchronizer.occasion = .manual
    try ben.sync()
    try expectAll()
  }

  @Test func oneIsTriedAgainAfterAWhile() throws {
    try ben.execute("UPDATE rules SET size = 3")
    fleet.clock.advance(milliseconds: 3_600_000)
    try ben.sync()
    try expectAll()
  }

  @Test func whatIsRefusedAsBeforeIsToldOnceAndIsAsOldAsItWas() throws {
    let since = try ben.database.read { try SyncWaitingRecord.all($0) }[0].since
    try ann.execute("UPDATE things SET title = 'Other' WHERE id = 'a'")
    try fleet.settle()
    ben.synchronizer.occasion = .manual
    try ben.sync()
    try expectRefused()
    #expect(try ben.database.read { try SyncWaitingRecord.all($0) }[0].since == since)
    let told = ben.events.filter { if case .quarantined = $0 { true } else { false } }
    #expect(told.count == 1)
  }

  @Test func manyAreTriedInTurn() throws {
    try ann.execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 349)
      INSERT INTO things SELECT 'n' || i, 'N' FROM n
      """)
    try fleet.settle()
    var left = try ben.counts().quarantined
    #expect(left == 251)
    try ben.execute("UPDATE rules SET size = 1000")
    for _ in 0..<5 where left > 0 {
      try ben.execute("UPDATE things SET title = title || '.' WHERE id = 'a'")
      try ben.fetch()
      let now = try ben.counts().quarantined
      #expect(now < left && left - now <= RefusedRetries.limit)
      left = now
    }
    #expect(left == 0)
  }
}
