import GRDB

extension DatabaseReader {
  /// Reads one state of the database, with statements that stay prepared.
  ///
  /// The one connection of a `DatabaseQueue` also writes. GRDB's `read` forbids that meanwhile by
  /// `PRAGMA query_only`, and after a pragma of its kind SQLite prepares every statement of the
  /// connection anew ([pragma.c](https://sqlite.org/src/file?name=src/pragma.c), `OP_Expire`): half
  /// of what a sync costs. `body` must not write.
  func readSnapshot<T>(_ body: (Database) throws -> T) throws -> T {
    guard let queue = self as? DatabaseQueue else { return try read(body) }
    return try queue.inDatabase { db in
      // GRDB's own transactions prepare these anew each time, a tenth of an idle sync.
      try db.cachedStatement(sql: "BEGIN DEFERRED").execute()
      do {
        let value = try body(db)
        try db.cachedStatement(sql: "COMMIT").execute()
        return value
      } catch {
        try db.rollback()
        throw error
      }
    }
  }
}
