import Foundation
import GRDB
import RemindersCore
import RemindersCoreTestSupport
import RemindersTerminal
import RemindersTestSupport
import SQLiteSync
import Synchronization
import Testing

@testable import RemindersUI

/// Drives the real app over a real database and a terminal in memory: keys in, screens out.
///
/// Nothing sleeps: each key waits until the app has settled, and the clock moves when told to.
@MainActor
final class Driver {
  let app: App
  let device: MemoryDevice
  let database: AppDatabase
  let clock: TestClock
  let directory: TemporaryDirectory
  /// Where it is remembered how lists are shown.
  let optionsFile: URL
  /// Where it is kept how to bring a deleted list back.
  let undoFile: URL
  /// Where it is kept what was typed and not saved.
  let unsavedDirectory: URL
  private let statuses: AsyncStream<SyncStatus>.Continuation
  private let events: AsyncStream<SyncEvent>.Continuation
  /// Where the person is.
  let zone = Zone()
  /// What the app asked of the sync engine, oldest first.
  let syncCalls = Mutex<[String]>([])

  /// Saturday, 21 November 2026, 14:32 UTC.
  static let start: Int64 = 1_795_271_520_000

  /// An app on a terminal of a size, with the sample data or without any.
  ///
  /// - Parameters:
  ///   - announces: Whether it announces what has no alarm of its own: most screens are about
  ///     something else.
  ///   - later: What the configuration says when it is read again.
  ///   - unsaved: What was typed when the app was ended before.
  ///   - answer: What the disk of the cloud waits for before it answers; nil where it does at once.
  ///   - beginSync: What happens before there is something that synchronizes.
  init(
    _ columns: Int = 100, _ rows: Int = 30, sampleData: Bool = true, hasCloud: Bool = true,
    settings: Settings = Settings(), later: Settings? = nil, isUTF8: Bool = true,
    announces: Bool = false, options: String = "", isCloudSilent: Bool = false,
    answer: DispatchSemaphore? = nil,
    colorDepth: ColorDepth = .palette256, hasClipboard: Bool = true, hasDesktop: Bool = false,
    withCovers: Bool = false, pictureCache: URL? = nil, schema: SchemaVersion = .current,
    invitations: [ListInvitation] = [], unsaved: UnsavedText? = nil,
    before: (AppDatabase) async throws -> Void = { _ in },
    signOut: @escaping @Sendable (AppDatabase, _ isCloudNeeded: Bool) async throws -> Void = {
      _, _ in
    }, beginSync: @escaping @Sendable () throws -> Void = {}
  ) async throws {
    let settings = announces ? settings : settings.silent
    let later = announces ? later : later?.silent
    let clock = TestClock(milliseconds: Self.start)
    self.clock = clock
    directory = try TemporaryDirectory()
    optionsFile = directory.url.appending(path: "options")
    undoFile = directory.url.appending(path: "undo/app.json")
    unsavedDirectory = directory.url.appending(path: "undo/unsaved")
    if let unsaved { try UIEnvironment(unsavedDirectory: unsavedDirectory).keep(unsaved) }
    try Data(options.utf8).write(to: optionsFile)
    let now = { @Sendable in Date(timeIntervalSince1970: Double(clock.now) / 1000) }
    let ids = Mutex(0)
    database = try AppDatabase.migrated(
      in: directory.url, schema: schema,
      makeID: {
        ids.withLock { count in
          count += 1
          return "id-\(String(repeating: "0", count: 4 - "\(count)".count))\(count)"
        }
      }, now: now)
    try await database.captureNothing()
    if sampleData {
      // Without covers unless asked for: most screens are about something else, and need the room.
      try await database.addSampleData(
        in: LocalTime(now: now(), timeZone: .gmt), withCovers: withCovers)
    }
    try await before(database)
    device = MemoryDevice(
      size: Size(columns: columns, rows: rows),
      capabilities: TerminalCapabilities(
        colorDepth: colorDepth, isUTF8: isUTF8, hasClipboard: hasClipboard))
    let (statusStream, statuses) = AsyncStream.makeStream(of: SyncStatus.self)
    let (eventStream, events) = AsyncStream.makeStream(of: SyncEvent.self)
    (self.statuses, self.events) = (statuses, events)
    let calls = WeakCalls()
    let zone = zone
    let cache = pictureCache ?? directory.url.appending(path: "images")
    try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
    var sync = SyncControl(
      place: "/mnt/cloud", start: { calls.add("start") },
      stop: { calls.add("stop") },
      syncNow: {
        calls.add("syncNow")
        if isCloudSilent { try await Self.waitUntilCancelled(.distantFuture) }
      },
      signIn: { calls.add("signIn \($0)") },
      signOut: { [database] accepted, isCloudNeeded in
        calls.add("signOut \(accepted)\(isCloudNeeded ? "" : " without the cloud")")
        try await signOut(database, isCloudNeeded)
      },
      share: { calls.add("share \($0)") },
      invitations: {
        calls.add("invitations")
        return invitations
      }, status: .idle, statuses: statusStream, events: eventStream)
    sync.flush = { calls.add("flush") }
    app = App(
      database: database, device: device,
      makeSync: hasCloud
        ? { @Sendable [sync] in
          answer?.wait()
          try beginSync()
          return sync
        } : nil,
      environment: UIEnvironment(
        now: now, timeZone: { zone.now }, wait: Self.waitUntilCancelled,
        editText: { $0 + " edited" }, openURL: { calls.add("open \($0)") },
        copy: { _ in hasDesktop }, optionsFile: optionsFile, undoFile: undoFile,
        unsavedDirectory: unsavedDirectory, pictureCache: cache,
        forgetAccount: { try FileManager.default.removeItem(at: cache) },
        picturesDirectory: directory.url.path, exportDirectory: directory.url,
        settings: settings, readSettings: { later ?? settings }))
    app.start()
    guard answer == nil else {
      while app.state.home.rows.isEmpty { await app.change() }
      calls.driver = self
      return
    }
    await app.settled()
    if hasCloud { try await report(SyncStatus.idle) }
    // What it asked to begin with is the same in every test.
    calls.driver = self
  }

  // MARK: - What happens

  /// Presses the keys that `names` spells, one after the other.
  func press(_ names: String) async throws {
    for key in try #require(Key.sequence(names), "“\(names)” does not spell keys.") {
      device.send(.key(key))
      await app.settled()
    }
  }

  /// Any other event of the terminal.
  func send(_ event: TerminalEvent) async {
    device.send(event)
    await app.settled()
  }

  /// Presses a key and does not wait for what comes of it.
  func pressAtOnce(_ name: String) throws {
    for key in try #require(Key.sequence(name)) { device.send(.key(key)) }
  }

  /// Lets time pass, and the app look at the clock, while something else does not come to an end.
  func passAtOnce(seconds: Double) {
    clock.advance(milliseconds: Int64(seconds * 1000))
    app.wake()
  }

  /// Lets time pass, and the app look at the clock.
  func pass(seconds: Double) async {
    clock.advance(milliseconds: Int64(seconds * 1000))
    app.wake()
    await app.settled()
  }

  /// The person clicks on the first letter of a text.
  ///
  /// - Parameter beginning: What stands before it in its line, or is its beginning.
  func click(
    on text: String, of beginning: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    func start(in line: String) -> String.Index? {
      guard let from = beginning.isEmpty ? line.startIndex : line.range(of: beginning)?.lowerBound
      else { return nil }
      return line[from...].range(of: text)?.lowerBound
    }
    let row = try #require(
      lines.firstIndex { start(in: $0) != nil }, "“\(text)” is not on the screen:\n\(screen)",
      sourceLocation: sourceLocation)
    let before = start(in: lines[row]).map { lines[row][..<$0] } ?? ""
    let point = Point(column: TextWidth.columns(of: before), row: row)
    await send(.mouse(MouseEvent(.click, at: point)))
  }

  /// The terminal gets another size.
  func resize(_ columns: Int, _ rows: Int) async {
    device.resize(to: Size(columns: columns, rows: rows))
    await app.settled()
  }

  /// The sync engine stands differently.
  func report(_ status: SyncStatus) async throws {
    statuses.yield(status)
    while app.state.sync?.status != status { await app.change() }
    await app.settled()
  }

  /// The sync engine tells a fact.
  func report(_ event: SyncEvent) async {
    let count = app.state.sync?.factCount ?? 0
    events.yield(event)
    while app.state.sync?.factCount == count { await app.change() }
    await app.settled()
  }

  /// Something is written elsewhere: by another program, or by the sync engine.
  func elsewhere(_ write: (AppDatabase) async throws -> Void) async throws {
    try await write(database)
    await app.settled()
  }

  // MARK: - What is seen

  var lines: [String] { device.lines }

  /// The first line that contains a text.
  func line(with text: String) throws -> String {
    try #require(lines.first { $0.contains(text) }, "“\(text)” is not on the screen:\n\(screen)")
  }

  func shows(_ text: String) -> Bool { lines.contains { $0.contains(text) } }

  var screen: String { lines.joined(separator: "\n") + "\n" }

  /// The title of the reminder under the cursor.
  var current: String? { app.state.home.currentRow?.title }

  /// Titles of the reminders in the pane, from the top.
  var titles: [String] { app.state.home.rows.map(\.title) }

  /// Compares the screen and its looks to the file with a name; `UPDATE_SCREENS=1` writes the file
  /// instead.
  ///
  /// - Parameter hidingLinks: Whether links to shares are another time others.
  func expectScreen(
    _ name: String, hidingLinks: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let picture = try #require(device.frame, sourceLocation: sourceLocation).styledText
    let screen = hidingLinks ? Self.hidingLinks(in: picture) : picture
    try expectPicture(screen, name, sourceLocation: sourceLocation)
  }

  private static func hidingLinks(in screen: String) -> String {
    screen.replacing(/share:\S+/) { link in
      "share:" + String(repeating: "x", count: link.output.count - 6)
    }
  }

  private static let waitUntilCancelled: @Sendable (Date) async throws -> Void = { _ in
    for await _ in AsyncStream<Never>.makeStream().stream {}
    throw CancellationError()
  }
}

/// A time zone that changes when somebody travels.
final class Zone: Sendable {
  private let zone = Mutex(TimeZone.gmt)

  var now: TimeZone {
    get { zone.withLock { $0 } }
    set { zone.withLock { $0 = newValue } }
  }
}

/// Passes on calls to the driver, which exists only after the closures that make them.
private final class WeakCalls: Sendable {
  private struct Reference: Sendable { weak var driver: Driver? }
  private let reference = Mutex(Reference())

  var driver: Driver? {
    get { reference.withLock { $0.driver } }
    set { reference.withLock { $0.driver = newValue } }
  }

  func add(_ call: String) { driver?.syncCalls.withLock { $0.append(call) } }
}

extension AppDatabase {
  /// From then on no edit is noted as unsent, as if each had been sent at once: most screens are
  /// about something else.
  ///
  /// An engine that a test starts notes them again.
  fileprivate func captureNothing() async throws {
    try await writer.write { db in
      let triggers = try String.fetchAll(
        db,
        sql: "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name GLOB 'sync_capture_*'")
      for trigger in triggers { try db.execute(sql: "DROP TRIGGER \(trigger)") }
      try db.execute(sql: "DELETE FROM sync_columns; DELETE FROM sync_tables")
    }
  }
}

extension SyncStatus {
  static var stopped: SyncStatus {
    var status = SyncStatus()
    status.account = "ann"
    return status
  }

  static var idle: SyncStatus {
    var status = stopped
    status.phase = .idle
    return status
  }
}

extension Settings {
  /// The same, without announcing what has no alarm of its own.
  fileprivate var silent: Settings {
    var settings = self
    settings.alarmRules = AlarmRules(announcesTimes: false, announcesDays: false)
    return settings
  }
}
