import Dispatch
import Foundation
import GRDB
import SQLiteSyncCloud
import Synchronization

/// Keeps the tables of a SQLite database in step with a cloud, on a queue of its own.
///
/// ```swift
/// let engine = try SyncEngine(
///   for: database, tables: [RemindersList.self, Reminder.self], cloud: container)
/// ```
///
/// Every write to the tables is captured by stored triggers, by whichever program it is made,
/// whether the engine runs, is stopped, or does not even exist at the time. Edits are merged field
/// by field: the later one wins on every device. See `SyncEvent` for what it tells and `SyncStatus`
/// for how it stands.
public final class SyncEngine: Sendable {
  let core: EngineCore
  private let weakDelegate: Mutex<WeakDelegate>

  /// Creates an engine, validates the tables and installs metadata and triggers in the database.
  ///
  /// It writes, so it is created outside of any `read` or `write` of that database: GRDB's accesses
  /// are not reentrant.
  ///
  /// - Parameters:
  ///   - database: Any GRDB writer. The engine's tables have the prefix `sync_`.
  ///   - tables: The tables to synchronize, by any record type that names them.
  ///   - privateTables: Tables that are synchronized and never shared.
  ///   - cloud: The cloud as one account and device see it; nil for nobody, until `signIn`. The
  ///     device should be the database's: `device(of:)`, after `prepare`. For a cloud in a
  ///     directory there is an initializer that makes it.
  ///   - configuration: See `SyncConfiguration`.
  ///   - startImmediately: Whether to start now; else call `start()`.
  ///   - delegate: Is asked when accounts change; kept weakly.
  ///   - logger: Where the log goes.
  /// - Throws: `SyncError` for a table that cannot be synchronized, with the column and a hint;
  ///   errors of the database. The database is unchanged then.
  public convenience init(
    for database: any DatabaseWriter, tables: [any TableRecord.Type],
    privateTables: [any TableRecord.Type] = [], cloud: CloudContainer?,
    configuration: SyncConfiguration = SyncConfiguration(), startImmediately: Bool = true,
    delegate: (any SyncEngineDelegate)? = nil, logger: SyncLogger = .off
  ) throws {
    try self.init(
      for: database, tableNames: tables.map { $0.databaseTableName },
      privateTableNames: privateTables.map { $0.databaseTableName }, cloud: cloud,
      configuration: configuration, startImmediately: startImmediately, delegate: delegate,
      logger: logger)
  }

  /// Creates an engine for tables given by name.
  ///
  /// See the other initializer.
  public init(
    for database: any DatabaseWriter, tableNames: [String], privateTableNames: [String] = [],
    cloud: CloudContainer?, configuration: SyncConfiguration = SyncConfiguration(),
    startImmediately: Bool = true, delegate: (any SyncEngineDelegate)? = nil,
    logger: SyncLogger = .off
  ) throws {
    try configuration.requireZone()
    let file = try SyncError.explaining { try database.mainFile() }
    if let file { try Self.requireOneName(ofFileAt: file) }
    let setup = EngineSetup(
      database: database, tables: tableNames, privateTables: privateTableNames,
      configuration: configuration, logger: logger)
    weakDelegate = Mutex(WeakDelegate(value: delegate))
    core = try SyncError.explaining { try EngineCore(setup, cloud: cloud) }
    if startImmediately { start() }
  }

  deinit {
    core.shutDown()
  }

  // MARK: - Lifecycle

  /// Whether the engine was started and not stopped.
  public var isRunning: Bool {
    // What observes this is told when the status says it, too.
    _ = core.status.isRunning
    return core.isRunning
  }

  /// Who is asked when accounts change; kept weakly.
  public var delegate: (any SyncEngineDelegate)? {
    get { weakDelegate.withLock { $0.value } }
    set { weakDelegate.withLock { $0.value = newValue } }
  }

  /// Starts: fetches, sends, and goes on doing so whenever something changes here or there.
  public func start() {
    core.start()
  }

  /// Stops, between two batches if one is under way, also one that was asked for by hand.
  ///
  /// Edits go on being captured.
  public func stop() {
    core.stop()
  }

  /// Sends what a running engine has not sent yet: before a process ends or is suspended.
  ///
  /// Returns when that is done, when the cloud refuses it, or after `limit`: a cloud that does not
  /// answer keeps nobody. Whoever has stopped the engine wants nothing sent.
  ///
  /// - Returns: Whether the cloud has answered in time; false at once where the engine itself
  ///   calls, as by its logger.
  @discardableResult
  public func flush(within limit: DispatchTimeInterval = .seconds(2)) -> Bool {
    core.flush(within: limit)
  }

  /// Stops and waits until the engine is done with what it was doing: before a process ends.
  ///
  /// A process may end without it at any moment: what counts is stored, and goes on the next time.
  ///
  /// - Returns: Whether it was done within `limit`; not where the cloud does not answer, nor where
  ///   the engine itself calls, which cannot wait for itself: see `stopAndWait()`.
  @discardableResult
  public func stop(within limit: DispatchTimeInterval) -> Bool {
    core.stop()
    return core.wait(within: limit)
  }

  /// Stops and waits until the engine is done with what it was doing, however long that takes: for
  /// ever on a mount that does not answer.
  ///
  /// Called by the engine itself, from its logger or a closure of its configuration, it stops and
  /// does not wait: what is under way ends when that returns.
  public func stopAndWait() {
    core.stop()
    core.wait()
  }

  // MARK: - To watch
  //
  // The properties can be observed with the Observation framework, too.

  /// How synchronization stands now.
  public var status: SyncStatus { core.status.value }

  /// Whether the engine fetches or sends right now.
  public var isSynchronizing: Bool { isFetchingChanges || isSendingChanges }

  /// Whether the engine fetches right now.
  public var isFetchingChanges: Bool { core.status.isFetching }

  /// Whether the engine sends right now.
  public var isSendingChanges: Bool { core.status.isSending }

  /// A stream of every fact from now on, until the engine is stopped or goes.
  ///
  /// It ends with the next stop, also where a start follows at once: then ask for another.
  /// One that is asked for while the engine is stopped, or after `stop()`, tells what is done by
  /// hand, and what comes when it starts.
  public var events: AsyncStream<SyncEvent> { core.events.stream() }

  /// A stream of what a log shows: every fact from now on but the fetches and sends that found
  /// nothing, which wake nobody.
  ///
  /// A log goes on when the engine is stopped and started: the stream ends when the engine goes.
  public var news: AsyncStream<SyncEvent> { core.news.stream() }

  /// A stream of the status: as it is now, and each time it changes, until the engine goes.
  public var statuses: AsyncStream<SyncStatus> { core.status.stream() }

  /// An SQL expression, true while the engine writes.
  ///
  /// For the `WHEN` of an app's own triggers.
  public static let isSynchronizingChanges = DeviceState.isApplying
}
