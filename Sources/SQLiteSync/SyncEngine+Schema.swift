import GRDB

/// What an engine says of tables before it synchronizes them.
extension SyncEngine {
  /// Everything that keeps tables from being synchronized: what an engine over them would throw.
  ///
  /// Changes nothing. Empty for tables that an engine accepts.
  public static func validate(
    _ db: Database, tables: [any TableRecord.Type], privateTables: [any TableRecord.Type] = [],
    mergePolicies: [String: [String: MergePolicy]] = [:]
  ) throws -> [SyncError] {
    try validate(
      db, tableNames: tables.map { $0.databaseTableName },
      privateTableNames: privateTables.map { $0.databaseTableName }, mergePolicies: mergePolicies)
  }

  /// Everything that keeps tables given by name from being synchronized.
  ///
  /// See the other method.
  public static func validate(
    _ db: Database, tableNames: [String], privateTableNames: [String] = [],
    mergePolicies: [String: [String: MergePolicy]] = [:]
  ) throws -> [SyncError] {
    try InspectedTables(
      tableNames, private: privateTableNames, mergePolicies: mergePolicies, in: db
    ).objections
  }

  /// What may come of tables that an engine accepts: `NOT NULL` columns without `ON CONFLICT
  /// REPLACE DEFAULT`, of which a record may lack the value; triggers that leave out what comes
  /// from other devices.
  ///
  /// A record without a value, which a version of the app has made that does not know the column or
  /// lets it be `NULL`, waits in quarantine until it has one: see `SyncWaitingRecord`. As long as
  /// all versions know the column, nothing comes of it. A trigger with `RAISE(IGNORE)` that does
  /// not ask `isSynchronizingChanges` lets the engine believe that it has written a row.
  public static func warnings(
    _ db: Database, tables: [any TableRecord.Type]
  ) throws -> [SyncError] {
    try warnings(db, tableNames: tables.map { $0.databaseTableName })
  }

  /// What may come of the tables that are synchronized.
  public static func warnings(_ db: Database) throws -> [SyncError] {
    try warnings(db, tableNames: SchemaRegistry.synchronizedTables(in: db).map(\.name))
  }

  /// What may come of tables given by name.
  public static func warnings(_ db: Database, tableNames: [String]) throws -> [SyncError] {
    let tables = try InspectedTables(tableNames, private: [], in: db).tables
    return SchemaValidation.warnings(about: tables)
  }
}
