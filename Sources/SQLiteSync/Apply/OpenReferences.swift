import GRDB
import GRDBSQLite

extension Database {
  /// Whether the transaction could not end now, because a row refers to one that is not there.
  var hasOpenReferences: Bool {
    var current: Int32 = 0
    var highest: Int32 = 0
    sqlite3_db_status(sqliteConnection, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
    return current != 0
  }

  /// Does writes, and takes them back when they leave a reference open.
  ///
  /// A foreign key that is `DEFERRABLE INITIALLY DEFERRED` refuses nothing before the end of the
  /// transaction. That would be too late: all that was fetched would be refused, for ever.
  ///
  /// - Throws: `DatabaseError` with `SQLITE_CONSTRAINT_FOREIGNKEY`, as for other foreign keys.
  func closingReferences(_ write: () throws -> Void) throws {
    // In a circle of rows references are open until the last of them is there.
    guard !hasOpenReferences else { return try write() }
    try inSavepoint {
      try write()
      guard !hasOpenReferences else {
        throw DatabaseError(
          resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY, message: "FOREIGN KEY constraint failed")
      }
      return .commit
    }
  }

  /// Whether any foreign key here is looked at only when a transaction ends.
  func hasDeferredForeignKeys() throws -> Bool {
    try Bool.fetchOne(
      cachedStatement(
        sql: """
          SELECT EXISTS (
            SELECT 1 FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%DEFERRED%')
          """)) ?? false
  }
}
