import Foundation
import GRDB
import SQLiteSyncCloud

extension SyncEngine {
  /// Creates an engine over a cloud in a directory, for the database's own device.
  ///
  /// ```swift
  /// let engine = try SyncEngine(
  ///   for: database, tables: [Garden.self, Plant.self], cloud: directory, account: "ann")
  /// ```
  ///
  /// - Parameters:
  ///   - database: Any GRDB writer. The engine's tables have the prefix `sync_`.
  ///   - tables: The tables to synchronize, by any record type that names them.
  ///   - privateTables: Tables that are synchronized and never shared.
  ///   - cloud: The directory that all devices can reach. It must exist: one that is missing may be
  ///     a disk that is not mounted.
  ///   - account: Whose data it is; nil for the Unix user who runs the process.
  ///   - deviceName: What people call this device; the account's other devices are told, and nobody
  ///     else.
  ///   - configuration: See `SyncConfiguration`.
  ///   - startImmediately: Whether to start now; else call `start()`. Nil starts, but not in a
  ///     process that runs tests, where calls by hand are deterministic.
  ///   - delegate: Is asked when accounts change; kept weakly.
  ///   - logger: Where the log goes.
  /// - Throws: `SyncError` for tables that cannot be synchronized, with everything that is wrong in
  ///   `others`; errors of the database. The database is unchanged then.
  public convenience init(
    for database: any DatabaseWriter, tables: [any TableRecord.Type],
    privateTables: [any TableRecord.Type] = [], cloud: URL, account: AccountID? = nil,
    deviceName: String? = nil, configuration: SyncConfiguration = SyncConfiguration(),
    startImmediately: Bool? = nil, delegate: (any SyncEngineDelegate)? = nil,
    logger: SyncLogger = .off
  ) throws {
    try self.init(
      for: database, tableNames: tables.map { $0.databaseTableName },
      privateTableNames: privateTables.map { $0.databaseTableName }, cloud: cloud,
      account: account, deviceName: deviceName, configuration: configuration,
      startImmediately: startImmediately, delegate: delegate, logger: logger)
  }

  /// Creates an engine over a cloud in a directory, for tables given by name.
  ///
  /// See the other initializer.
  public convenience init(
    for database: any DatabaseWriter, tableNames: [String], privateTableNames: [String] = [],
    cloud: URL, account: AccountID? = nil, deviceName: String? = nil,
    configuration: SyncConfiguration = SyncConfiguration(), startImmediately: Bool? = nil,
    delegate: (any SyncEngineDelegate)? = nil, logger: SyncLogger = .off
  ) throws {
    if let scheme = cloud.scheme, !cloud.isFileURL {
      throw SyncError(
        .notADirectory, "The URL “\(scheme):…” is not that of a directory.",
        hint: "Give the engine a CloudContainer with an S3Store, an SFTPStore or a "
          + "PostgresStore; a directory is URL(filePath:).")
    }
    try configuration.requireZone()
    let inspected = try SyncError.explaining {
      try database.read {
        try InspectedTables(
          tableNames, private: privateTableNames, mergePolicies: configuration.mergePolicies,
          in: $0)
      }
    }
    if let error = SyncError(inspected.objections) { throw error }
    let device = try SyncError.explaining {
      try database.write { db in
        try Self.prepare(db)
        return try Self.device(of: db)
      }
    }
    let container = CloudContainer(
      directory: cloud, account: account ?? .currentUser, device: device, deviceName: deviceName,
      app: ProcessInfo.processInfo.processName)
    try self.init(
      for: database, tableNames: tableNames, privateTableNames: privateTableNames,
      cloud: container, configuration: configuration, startImmediately: false,
      delegate: delegate, logger: logger)
    if startImmediately ?? !Self.isTesting { start() }
  }

  /// Whether this process runs tests: of XCTest or of Swift Testing.
  static let isTesting =
    ProcessInfo.processInfo.environment["XCTestConfigurationFilePath"] != nil
    || CommandLine.arguments.contains { argument in
      argument.hasSuffix(".xctest") || argument.hasPrefix("--testing-library")
        || argument.hasPrefix("--test-bundle-path")
    }
}
