import GRDB
import Testing

@testable import SQLiteSync

/// Many rows are written with more memory than SQLite takes by itself, and only then.
@Suite struct PageCacheTests {
  private let queue: DatabaseQueue

  init() throws { queue = try DatabaseQueue() }

  private func size(_ db: Database) throws -> Int? {
    try Int.fetchOne(db, sql: "PRAGMA cache_size")
  }

  @Test func thereIsMoreRoomAndThenAsMuchAsBefore() throws {
    try queue.write { db in
      let before = try size(db)
      #expect(try db.withRoomForManyRows { try size(db) } == -32_000)
      #expect(try size(db) == before)
    }
  }

  @Test func soItIsAfterAnError() throws {
    struct Full: Error {}
    try queue.write { db in
      let before = try size(db)
      #expect(throws: Full.self) { try db.withRoomForManyRows { throw Full() } }
      #expect(try size(db) == before)
    }
  }

  @Test(arguments: [-64_000, 16_000])
  func whatAnAppHasGivenItStays(room: Int) throws {
    try queue.write { db in
      try db.execute(sql: "PRAGMA cache_size = \(room)")
      #expect(try db.withRoomForManyRows { try size(db) } == room)
      #expect(try size(db) == room)
    }
  }
}
