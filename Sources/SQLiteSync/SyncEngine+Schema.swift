import Foundation
import GRDB
import SQLiteSyncCloud

/// What an app's migrations say to the engine, and what an engine says of tables before it
/// synchronizes them.
extension SyncEngine {
  /// Creates the engine's tables in a database that no engine has opened yet.
  ///
  /// For an app's migration, before triggers or queries of its own that use the expressions here.
  /// Capture begins with the first engine; it takes in the rows that are there by then.
  public static func prepare(_ db: Database) throws {
    try MetadataSchema.install(in: db, device: UUID())
  }

  /// Brings metadata and capture up to the tables, as every engine does when it is created.
  ///
  /// For an app whose migrations run without an engine. What came before for columns and tables
  /// that are new is in them afterwards, without a cloud.
  ///
  /// - Parameters:
  ///   - db: The database.
  ///   - tables: The tables to synchronize.
  ///   - privateTables: Tables that are synchronized and never shared.
  ///   - mergePolicies: Those of the engine: see `SyncConfiguration`.
  /// - Throws: `SyncError` for a table that cannot be synchronized; nothing is changed then.
  public static func prepare(
    _ db: Database, tables: [any TableRecord.Type], privateTables: [any TableRecord.Type] = [],
    mergePolicies: [String: [String: MergePolicy]] = [:]
  ) throws {
    try prepare(
      db, tableNames: tables.map { $0.databaseTableName },
      privateTableNames: privateTables.map { $0.databaseTableName }, mergePolicies: mergePolicies)
  }

  /// Brings metadata and capture up to tables given by name.
  ///
  /// See the other method.
  public static func prepare(
    _ db: Database, tableNames: [String], privateTableNames: [String] = [],
    mergePolicies: [String: [String: MergePolicy]] = [:]
  ) throws {
    try prepare(db)
    try Installation(
      db: db, device: try device(of: db), now: SyncConfiguration().now(), timeSQL: nil,
      mergePolicies: mergePolicies
    ).install(tableNames, private: privateTableNames)
  }

  /// Whether the edits of all these tables are captured, and what they overwrite is kept.
  ///
  /// - Throws: errors of the database.
  public static func captures(
    _ db: Database, tables: [any TableRecord.Type]
  ) throws -> Bool {
    try captures(db, tableNames: tables.map { $0.databaseTableName })
  }

  /// Whether the edits of all these tables, given by name, are captured.
  ///
  /// See the other method.
  public static func captures(_ db: Database, tableNames: [String]) throws -> Bool {
    try tableNames.allSatisfy { try !CaptureTriggers.areMissing(from: $0, in: db) }
  }

  // MARK: - Validation

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
  /// REPLACE DEFAULT`, of which a record may lack the value; defaults that are not constant;
  /// triggers that do not ask whether the engine writes, temporary ones of this connection among
  /// them.
  ///
  /// A record without a value, which a version of the app has made that does not know the column or
  /// lets it be `NULL`, waits in quarantine until it has one: see `SyncWaitingRecord`. Where the
  /// default is made anew each time, each device has another one. As long as all versions know the
  /// column, nothing comes of either. Of triggers without `isSynchronizingChanges`, one with
  /// `RAISE(IGNORE)` lets the engine believe that it has written a row, one with `RAISE(ROLLBACK)`
  /// keeps everything out that is fetched with the row, and what one writes to synchronized tables
  /// is not sent. `UNIQUE` over bytes that may be an asset holds only where they have come. A table
  /// that another installation spells with other capitals is another one.
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
    let spellings = try SchemaRegistry.otherSpellings(of: tables.map(\.name), in: db)
    return try spellings.map { other, name in
      SyncError(
        .otherSpelling, table: name,
        "The cloud has records of “\(other)”: they are kept, and are no rows of “\(name)”.",
        hint: "Let all installations of the app spell the table alike.")
    } + SchemaValidation.warnings(about: tables)
      + TriggerCautions.warnings(about: tables, in: db)
  }

  // MARK: - Renaming and dropping

  /// Notes that a migration renames a table that is synchronized, before or after `ALTER TABLE …
  /// RENAME TO`.
  ///
  /// The table keeps its records, their history and what is unsent of them, and in the cloud its
  /// name: versions of the app from before the migration go on with the old one. So a migration
  /// says it in every database, in new ones too.
  ///
  /// - Parameters:
  ///   - db: The database, in the migration.
  ///   - table: What the table was called.
  ///   - name: What it is called from now on.
  /// - Throws: `SyncError` with the reason `wrongRenaming` when a synchronized table would get the
  ///   name of one that never was. An engine that is created afterwards throws it where neither
  ///   name is there, or no `ALTER TABLE` has renamed the table.
  public static func rename(_ db: Database, table: String, to name: String) throws {
    try Renaming.rename(db, table: table, to: name)
  }

  /// Notes that a migration renames a column that is synchronized, before or after `ALTER TABLE …
  /// RENAME COLUMN`.
  ///
  /// The column keeps its values, their clocks and their history, and in the cloud its name: see
  /// `rename(_:table:to:)`.
  ///
  /// - Parameters:
  ///   - db: The database, in the migration.
  ///   - column: What the column was called.
  ///   - name: What it is called from now on.
  ///   - table: The table, as it is called when the call is made.
  /// - Throws: `SyncError`, here or when an engine is created: see `rename(_:table:to:)`.
  public static func rename(
    _ db: Database, column: String, to name: String, of table: String
  ) throws {
    try Renaming.rename(db, column: column, to: name, of: table)
  }

  /// Takes columns, or a whole table, out of synchronization, before a migration drops them.
  ///
  /// One that renames them calls `rename(_:table:to:)` or `rename(_:column:to:of:)` instead.
  ///
  /// Other versions of the app may still have them: the values that are here go on being sent with
  /// their rows, as those of any column that this version does not know, and so do the unsent edits
  /// of a table. Without this an engine refuses a database that lacks what was synchronized before.
  /// In a database that no engine has opened yet there is nothing to forget, and nothing happens.
  ///
  /// - Parameters:
  ///   - db: The database.
  ///   - table: A synchronized table.
  ///   - columns: The columns; nil for the table.
  /// - Throws: `SyncError` when there is no such table; errors of the database.
  public static func forget(
    _ db: Database, table: any TableRecord.Type, columns: [String]? = nil
  ) throws {
    try forget(db, tableName: table.databaseTableName, columns: columns)
  }

  /// Takes columns, or a whole table given by name, out of synchronization: also one of which the
  /// app has no type any more.
  ///
  /// See the other method.
  public static func forget(
    _ db: Database, tableName: String, columns: [String]? = nil
  ) throws {
    try Forgetting.forget(columns, of: tableName, now: SyncConfiguration().now(), in: db)
  }
}
