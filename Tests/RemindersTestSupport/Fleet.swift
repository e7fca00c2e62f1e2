import Foundation
import GRDB
import SQLiteSyncCloud

@testable import SQLiteSync

/// Several devices over one cloud in memory: production code throughout.
public final class Fleet {
  /// The objects of the cloud.
  public let store: any ObjectStore
  /// The time of everybody.
  public let clock: TestClock
  /// The account of all devices.
  public let account: AccountID
  /// The tables of the app, created in each device's database.
  public let schema: Schema
  private let configure: (inout SyncConfiguration) -> Void
  /// The devices so far.
  public private(set) var devices: [Device] = []

  /// A fleet without devices.
  ///
  /// `configure`: what its engines are told besides.
  public init(
    store: any ObjectStore = MemoryStore(), schema: Schema = .reminders,
    clock: TestClock = TestClock(),
    configure: @escaping (inout SyncConfiguration) -> Void = { _ in }
  ) throws {
    self.store = store
    self.schema = schema
    self.clock = clock
    self.configure = configure
    account = AccountID(userID: 1000)
  }

  /// A device with an empty database, in memory or in a file, whose rows of before the engine are
  /// written by `prepare`.
  ///
  /// - Parameters:
  ///   - schema: Its tables; nil is the fleet's.
  ///   - path: The file of its database.
  ///   - image: The database to begin with; nil is one with the tables of `schema`, in which the
  ///     engine is installed unless there is something to prepare.
  ///   - id: Its identity; nil is a new one.
  ///   - store: This device's own way to the cloud; nil is everybody's.
  ///   - account: Whose device it is; nil is the fleet's.
  ///   - opens: Whether to open the cloud; else a test does that itself.
  ///   - commitsPerTransaction: See `SyncConfiguration`.
  ///   - prepare: What is done to the database before the engine is installed.
  public func device(
    schema: Schema? = nil, path: String = ":memory:", image: DatabaseQueue? = nil, id: UUID? = nil,
    store: (any ObjectStore)? = nil, account: AccountID? = nil, opens: Bool = true,
    commitsPerTransaction: Int? = nil, prepare: ((Database) throws -> Void)? = nil
  ) throws -> Device {
    let schema = schema ?? self.schema
    let device = try Device(
      fleet: self, schema: schema, path: path,
      image: image ?? (prepare == nil ? schema.installedImage() : schema.image()),
      id: id ?? clock.makeID(),
      store: store ?? self.store, account: account ?? self.account,
      commitsPerTransaction: commitsPerTransaction, prepare: prepare)
    if opens { try device.synchronizer.open() }
    devices.append(device)
    return device
  }

  /// A device with the identity and the database of one of another fleet, whose cloud was copied:
  /// as if that one had ended and were started here.
  public func device(
    copying other: Device, store: (any ObjectStore)? = nil, opens: Bool = true
  ) throws -> Device {
    try device(
      image: other.database, id: other.container.device, store: store,
      account: other.container.account, opens: opens)
  }

  fileprivate func configuration(_ commitsPerTransaction: Int?) -> SyncConfiguration {
    let clock = clock
    var configuration = SyncConfiguration()
    configuration.commitsPerTransaction =
      commitsPerTransaction ?? configuration.commitsPerTransaction
    configuration.now = { clock.now }
    configuration.random = { clock.random() }
    configuration.editTimeSQL = "(SELECT now FROM test_clock)"
    configure(&configuration)
    return configuration
  }

  /// Two devices.
  public func pair() throws -> (Device, Device) {
    (try device(), try device())
  }

  /// Lets these devices, or all, fetch and send until nobody has anything new.
  public func settle(_ devices: Device...) throws {
    let devices = devices.isEmpty ? self.devices : devices
    for _ in 0..<3 {
      for device in devices { try device.sync() }
    }
  }
}

/// One device: a database and the engine's work, done when a test says so.
public final class Device {
  /// The app's database.
  public private(set) var database: DatabaseQueue
  /// What the engine said, in order.
  public private(set) var events: [SyncEvent] = []
  /// The engine without its queue.
  public private(set) var synchronizer: Synchronizer
  /// Milliseconds that this device's wall clock is ahead.
  public var skew: Int64 = 0

  /// The names of the synchronized tables.
  public private(set) var tables: [String]
  /// The cloud as this device sees it.
  public private(set) var container: CloudContainer
  private let path: String
  private let store: any ObjectStore
  private let clock: TestClock
  private var privateTables: [String]
  private let configuration: SyncConfiguration

  init(
    fleet: Fleet, schema: Schema, path: String, image: DatabaseQueue, id: UUID,
    store: any ObjectStore, account: AccountID, commitsPerTransaction: Int?,
    prepare: ((Database) throws -> Void)?
  ) throws {
    clock = fleet.clock
    self.path = path
    self.store = store
    configuration = fleet.configuration(commitsPerTransaction)
    tables = schema.tables
    privateTables = schema.privateTables
    database = try Self.openDatabase(path)
    try image.backup(to: database)
    try database.write { db in
      try db.execute(sql: "UPDATE test_clock SET now = ?", arguments: [fleet.clock.now])
      try prepare?(db)
    }
    container = CloudContainer(
      store: store, account: account, device: id, app: "test",
      environment: fleet.clock.environment)
    synchronizer = try Self.synchronizer(
      database, container, tables, privateTables, configuration)
    listen()
  }

  /// Creates the engine anew over the same database, as a relaunch does.
  ///
  /// `migrate` runs before. A database in a file is opened anew.
  public func relaunch(
    tables: [String]? = nil, privateTables: [String]? = nil,
    migrate: (Database) throws -> Void = { _ in }
  ) throws {
    self.privateTables = privateTables ?? self.privateTables
    try reinstall(tables: tables, migrate: migrate)
    try synchronizer.open()
  }

  /// The part of a relaunch that needs no cloud.
  public func reinstall(
    tables: [String]? = nil, migrate: (Database) throws -> Void = { _ in }
  ) throws {
    if path != ":memory:" { database = try Self.openDatabase(path) }
    try database.write(migrate)
    self.tables = tables ?? self.tables
    // What was read of the cloud's `meta` logs dies with the process.
    container = CloudContainer(
      store: store, account: container.account, device: container.device, app: "test",
      environment: clock.environment)
    synchronizer = try Self.synchronizer(
      database, container, self.tables, privateTables, configuration)
    listen()
  }

  /// Signs out: what is synchronized leaves the device.
  ///
  /// - Parameter discarding: How many records with unsent edits may be lost.
  public func signOut(discarding: Int = 0) throws {
    try setup.signOut(discarding: discarding, keepingRows: false)
  }

  /// Signs an account in; the cloud is not opened yet for the engine.
  public func signIn(_ account: AccountID) throws {
    let container = CloudContainer(
      store: store, account: account, device: container.device, app: "test",
      environment: clock.environment)
    synchronizer = try setup.signIn(container)
    self.container = container
    listen()
  }

  private var setup: EngineSetup {
    EngineSetup(
      database: database, tables: tables.filter { !privateTables.contains($0) },
      privateTables: privateTables, configuration: configuration)
  }

  /// Writes as the app does, a millisecond after whatever was before.
  @discardableResult
  public func write<T>(_ body: (Database) throws -> T) throws -> T {
    clock.advance()
    let now = clock.now + skew
    return try database.write { db in
      try db.cachedStatement(sql: "UPDATE test_clock SET now = ?").execute(arguments: [now])
      return try body(db)
    }
  }

  /// Writes one statement.
  public func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
    try write { try $0.execute(sql: sql, arguments: arguments) }
  }

  /// Fetches, then sends.
  public func sync() throws {
    clock.advance()
    try synchronizer.syncChanges()
  }

  /// Fetches and applies.
  public func fetch() throws {
    try synchronizer.fetchChanges()
  }

  /// Sends, without a fetch before.
  public func send() throws {
    try synchronizer.sendChanges()
  }

  /// The rows of a query as text, one line each, columns separated by `|`; NULL is `NULL`.
  public func rows(_ sql: String) throws -> [String] {
    try database.readSnapshot { db in
      try Row.fetchAll(db, sql: sql).map { row in
        row.databaseValues.map { value in
          switch value.storage {
          case .null: "NULL"
          case .blob(let data): "\(data.count) bytes"
          default: String.fromDatabaseValue(value) ?? "\(value)"
          }
        }.joined(separator: "|")
      }
    }
  }

  /// What waits to be sent or applied.
  public func counts() throws -> SyncCounts {
    try database.readSnapshot(SyncCounts.init)
  }

  /// Everything in the synchronized tables, for comparison.
  public func contents() throws -> [String: [String]] {
    var result: [String: [String]] = [:]
    for table in tables {
      result[table] = try rows("SELECT * FROM \(table.quotedIdentifier) ORDER BY 1")
    }
    return result
  }

  private func listen() {
    synchronizer.emit = { [unowned self] in events.append($0) }
  }

  /// A test's process dies and its machine does not, so nothing waits for the disk.
  private static func openDatabase(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration.synchronized
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  private static func synchronizer(
    _ database: DatabaseQueue, _ container: CloudContainer, _ tables: [String],
    _ privateTables: [String], _ configuration: SyncConfiguration
  ) throws -> Synchronizer {
    try Synchronizer(
      database: database, tables: tables.filter { !privateTables.contains($0) },
      privateTables: privateTables, container: container, configuration: configuration)
  }
}
