import Foundation
import GRDB
import RemindersFiles
import SQLiteSync
import SQLiteSyncHashing

/// The app's local file: opens it, observes queries, and is where the named writes live.
public struct AppDatabase: Sendable {
  /// The connections, for the sync engine.
  public let writer: any DatabaseWriter
  /// The version of the schema that it is run with.
  public let schema: SchemaVersion
  /// Makes the id of a new row: a lower-case UUID.
  let makeID: @Sendable () -> String
  /// The present moment.
  let now: @Sendable () -> Date
  /// The zone in which its days begin.
  let timeZone: @Sendable () -> TimeZone
  /// Hears of a write that waits for another program.
  let whenWaiting: (@Sendable () -> Void)?
  /// Why nothing can be written; nil where everything can.
  public let unwritable: AppError?
  private let watch = ChangeWatch()
  /// Hears how far a write is after each page, on any thread.
  private(set) var report: (@Sendable (WriteProgress) -> Void)?
  /// Hears what a write does, on any thread.
  private(set) var stage: (@Sendable (WriteStage) -> Void)?

  /// The same database, whose writes say how far they are.
  ///
  /// - Parameters:
  ///   - report: Is called after each page of rows, on any thread.
  ///   - stage: Is called when a write goes on, on any thread.
  public func reporting(
    _ report: @escaping @Sendable (WriteProgress) -> Void,
    stage: @escaping @Sendable (WriteStage) -> Void
  ) -> AppDatabase {
    var database = self
    (database.report, database.stage) = (report, stage)
    return database
  }

  /// The name of the file in the data directory.
  public static let fileName = "reminders.sqlite"

  /// How many connections to the file there are.
  public enum Connections: Sendable {
    /// One: for a command, which does one thing after the other. Each connection reads the schema
    /// for itself, which takes longer than most commands.
    case one
    /// One that writes and some that read at the same time: for the app.
    case many
  }

  /// Opens the file in a data directory, making both when they are not there.
  ///
  /// - Parameters:
  ///   - directory: Where the file is.
  ///   - schema: The version of the schema to run with; an earlier file is brought up to it.
  ///   - connections: How many connections to open.
  ///   - makeID: Makes the id of a new row.
  ///   - now: The present moment.
  ///   - timeZone: The zone in which the days of whoever writes begin.
  ///   - whenWaiting: Is called when a write has waited for another program for a second. With it,
  ///     one connection waits two minutes; else each waits five seconds.
  /// - Throws: `AppError`, when the directory cannot be made, or the file is not a database, cannot
  ///   be read or written, or was made by a newer version; `SyncError`, when it has several names.
  public init(
    directory: URL, schema: SchemaVersion = .current, connections: Connections = .many,
    makeID: @escaping @Sendable () -> String = { UUID().lowercaseString },
    now: @escaping @Sendable () -> Date = { Date() },
    timeZone: @escaping @Sendable () -> TimeZone = { .present },
    whenWaiting: (@Sendable () -> Void)? = nil
  ) throws {
    self.schema = schema
    self.timeZone = timeZone
    self.makeID = makeID
    self.now = now
    self.whenWaiting = whenWaiting
    let file = directory.appending(path: Self.fileName)
    let path = file.path
    do {
      try PrivateFile.makeDirectory(directory)
    } catch {
      throw AppError(
        .cannotCreate, "The data directory \(directory.path) cannot be made.",
        hint: "Give another with --data-dir, or check that you may write there.")
    }
    try Self.makePrivate(file)
    try SyncEngine.requireOneName(ofFileAt: path)
    do {
      (writer, unwritable) = try Self.openPrepared(
        path, connections, schema, isPatient: whenWaiting != nil)
      writer.add(transactionObserver: watch, extent: .databaseLifetime)
    } catch let error as DatabaseError {
      throw AppError(error, path: path)
    }
  }

  private static func openPrepared(
    _ path: String, _ connections: Connections, _ schema: SchemaVersion, isPatient: Bool
  ) throws -> (writer: any DatabaseWriter, unwritable: AppError?) {
    do {
      let writer = try open(path, connections, isPatient: isPatient)
      try prepare(writer, path: path, schema: schema)
      return (writer, nil)
    } catch let error as DatabaseError where connections == .one {
      let steps = Migrations.steps(upTo: schema, Migrations.migrator)
      let readable = UnwritableFile.open(path, after: error) {
        try Migrations.hasStamp(of: steps, $0)
      }
      guard let readable else { throw error }
      return (readable, AppError(error, path: path))
    }
  }

  /// Sees to it that nobody else can read the file and those beside it, which SQLite makes with the
  /// permissions of the file.
  private static func makePrivate(_ file: URL) throws {
    let paths = ["", "-wal", "-shm", "-journal", "-sync-lock"].map { file.path + $0 }
    if let path = paths.first(where: OrdinaryFile.isImpossible) {
      throw AppError(
        .cannotRead, "\(path) is not an ordinary file.",
        hint: "Move it away, or give another directory with --data-dir.")
    }
    // A file that cannot be made is SQLite's to complain about.
    try? PrivateFile.ensure(file)
    for path in paths { PrivateFile.tighten(path) }
    guard access(file.path, W_OK) == 0 else { return }
    for path in paths.dropFirst() { PrivateFile.letOwnerWrite(path) }
  }

  private static func open(
    _ path: String, _ connections: Connections, isPatient: Bool
  ) throws -> any DatabaseWriter {
    var configuration = Configuration.synchronized
    switch connections {
    case .many: return try DatabasePool(path: path, configuration: configuration)
    case .one:
      if isPatient { configuration.busyMode = .timeout(patience) }
      // Not by `journalMode`: GRDB then writes at each opening, and a command that only reads would
      // wait for whoever is writing.
      configuration.prepareDatabase {
        try $0.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
      }
      return try DatabaseQueue(path: path, configuration: configuration)
    }
  }

  /// How long a command waits for another program: an import of 100,000 reminders, which is one
  /// transaction, may take a minute.
  private static let patience: TimeInterval = 120

  private static func prepare(
    _ writer: any DatabaseWriter, path: String, schema: SchemaVersion
  ) throws {
    let migrator = Migrations.migrator
    let steps = Migrations.steps(upTo: schema, migrator)
    guard try !writer.read({ try Migrations.hasStamp(of: steps, $0) }) else { return }
    var attempts = 1
    while true {
      do {
        try migrate(writer, migrator, path: path, schema: schema)
        break
      } catch let error as DatabaseError
        where attempts <= steps.count
        && [.SQLITE_ERROR, .SQLITE_CONSTRAINT].contains(error.resultCode)
      {
        // Another process may migrate the same file: what it has done is found done the next time.
        attempts += 1
      }
    }
    // Without it the file is looked at as closely next time; one that is only read stays as it is.
    try? writer.write { db in try Migrations.setStamp(Migrations.stamp(of: steps), of: db) }
  }

  private static func migrate(
    _ writer: any DatabaseWriter, _ migrator: DatabaseMigrator, path: String, schema: SchemaVersion
  ) throws {
    let (applied, isNewer, captures) = try writer.read { db in
      (
        Set(try migrator.appliedIdentifiers(db)), try migrator.hasBeenSuperseded(db),
        try SyncEngine.captures(db, tables: schema.synchronizedTables + schema.privateTables)
      )
    }
    guard !isNewer else {
      throw AppError(
        .cannotRead, "\(path) was made by a newer version of reminders.",
        hint: "Update this one; your data is as it was.")
    }
    let isLater = SchemaVersion.allCases.contains {
      $0 > schema && !applied.isDisjoint(with: Migrations.ownSteps(of: $0))
    }
    guard !isLater else {
      throw AppError(
        .invalidInput, "\(path) has a later schema than \(schema.rawValue).",
        hint: "Run it without --schema, or give another directory with --data-dir.")
    }
    let steps = Migrations.steps(upTo: schema, migrator)
    guard !captures || !applied.isSuperset(of: steps) else { return }
    try migrator.migrate(writer, upTo: Migrations.lastStep(of: schema))
    // From the first edit on what it overwrites can be restored, also where no engine ever runs;
    // and what other versions sent for what is new shows at once.
    try writer.write { db in
      try SyncEngine.prepare(
        db, tables: schema.synchronizedTables, privateTables: schema.privateTables)
    }
  }

  /// What a query finds now.
  ///
  /// It waits for its turn: in a task, use `value(of:)`.
  ///
  /// - Throws: `AppError`.
  public func fetch<Q: Query>(_ query: Q) throws -> Q.Value {
    try read { db in try query.fetch(db) }
  }

  /// Reads with one snapshot of the database.
  func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    do {
      return try writer.read(body)
    } catch let error as DatabaseError {
      throw AppError(error)
    }
  }

  /// What a query finds now, without holding up a thread.
  ///
  /// Tasks have few threads, and whoever reads has to come back to one of them before the next can
  /// read: a task that waited in `fetch(_:)` for its turn could wait for ever.
  ///
  /// - Throws: `AppError`.
  public func value<Q: Query>(of query: Q) async throws -> Q.Value {
    do {
      return try await writer.read { db in try query.fetch(db) }
    } catch let error as DatabaseError {
      throw AppError(error)
    }
  }

  /// What a query finds now, and again after every change of what it reads.
  ///
  /// `interval`: how long the query does not run again by itself after it has run.
  public func values<Q: Query>(
    of query: Q, atMostEvery interval: Duration = .milliseconds(100)
  ) -> QueryValues<Q.Value> {
    QueryValues(of: query, in: writer, watch, interval: interval)
  }
}
