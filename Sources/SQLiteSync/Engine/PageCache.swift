import GRDB

extension Database {
  /// KiB of pages that SQLite may keep in memory while many rows are written.
  ///
  /// With less it writes pages of the indexes out before the transaction ends, and reads them again
  /// for the rows that come next. SQLite's 2,000 make 100,000 rows of the app take twice as long;
  /// more than these gain nothing.
  private static let room = 32_000

  /// Writes many rows with more memory for pages, which is given back in the end.
  package func withRoomForManyRows<Value>(_ body: () throws -> Value) throws -> Value {
    let before = try Int.fetchOne(self, sql: "PRAGMA cache_size") ?? 0
    let pageSize = try Int.fetchOne(self, sql: "PRAGMA page_size") ?? 0
    // What is not negative counts pages.
    guard (before < 0 ? -before : before * pageSize / 1024) < Self.room else { return try body() }
    try execute(sql: "PRAGMA cache_size = -\(Self.room)")
    defer {
      // Room that stays is memory, and nothing else.
      try? execute(sql: "PRAGMA cache_size = \(before)")
    }
    return try body()
  }
}
