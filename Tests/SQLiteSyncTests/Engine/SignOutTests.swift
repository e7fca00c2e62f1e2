import Foundation
import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// Signing out: what leaves the device and what stays, and how everything comes back.
@Suite(.timeLimit(.minutes(10)))
struct SignOutTests {
  private static let localSQL = """
    CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT);
    CREATE TABLE visits (id INTEGER PRIMARY KEY, listID TEXT REFERENCES lists (id)
      ON DELETE CASCADE);
    CREATE TABLE pins (id INTEGER PRIMARY KEY, listID TEXT REFERENCES lists (id));
    """

  private let cloud: TemporaryDirectory
  private let desk: Station
  private let laptop: Station

  init() throws {
    cloud = try TemporaryDirectory()
    desk = try Station(cloud: cloud, localSQL: Self.localSQL)
    laptop = try Station(cloud: cloud)
  }

  /// An engine of ann whose rows of every kind are in the cloud.
  private func signedIn(starts: Bool = false) async throws -> SyncEngine {
    try desk.execute(
      """
      INSERT INTO lists (id, title) VALUES ('l', 'Personal');
      INSERT INTO covers VALUES ('l', zeroblob(10000));
      INSERT INTO reminders (id, title, listID) VALUES ('r', 'Milk', 'l');
      INSERT INTO tags VALUES ('weekend');
      INSERT INTO reminderTags VALUES ('rt', 'r', 'weekend');
      INSERT INTO nodes (id, parentID) VALUES ('n', NULL), ('o', 'n');
      """)
    let engine = try desk.engine(starts: starts)
    if starts { await engine.waitUntilIdle() } else { try await engine.syncChanges() }
    return engine
  }

  private func rowCount() throws -> Int {
    try desk.database.read { db in
      try Schema.reminders.tables.reduce(0) {
        try $0 + (Int.fetchOne(db, sql: "SELECT count(*) FROM \($1)") ?? 0)
      }
    }
  }

  @Test func theRowsAndAllThatIsKnownOfThemGo() async throws {
    let engine = try await signedIn(starts: true)
    let events = engine.events
    // A row that was deleted is in the history.
    try desk.execute("DELETE FROM reminderTags")
    await engine.wait { $0.sent == 8 && $0.phase == .idle }
    try await engine.signOut()
    #expect(engine.status.phase == .signedOut)
    #expect(engine.status.account == nil)
    #expect(engine.status.sent == 0)
    #expect(try rowCount() == 0)
    let metadata = try desk.texts(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'sync_*'")
    let kept = ["sync_version", "sync_state", "sync_tables", "sync_columns"]
    for table in metadata where !kept.contains(table) {
      #expect(try desk.texts("SELECT 1 FROM \(table)") == [], "\(table)")
    }
    #expect(await events.first { $0 == .signOut(account: "ann") } != nil)
  }

  @Test func whatIsOnlyHereStays() async throws {
    let engine = try await signedIn()
    try desk.execute(
      "INSERT INTO settings VALUES ('theme', 'dark'); INSERT INTO visits (listID) VALUES ('l')")
    try await engine.signOut()
    #expect(try desk.texts("SELECT value FROM settings") == ["dark"])
    // It hung on a row that is gone.
    #expect(try desk.texts("SELECT id FROM visits") == [])
  }

  @Test func rowsThatOthersCannotBeWithoutPreventIt() async throws {
    let engine = try await signedIn()
    let before = try rowCount()
    try desk.execute("INSERT INTO pins (listID) VALUES ('l')")
    let error = await #expect(throws: SyncError.self) { try await engine.signOut() }
    #expect(error?.reason == .localReference)
    #expect(try rowCount() == before)
    #expect(try desk.account().isSignedOut == false)
    try await engine.syncChanges()
  }

  @Test func whatTheCloudLostIsUnsentAgain() async throws {
    let engine = try await signedIn()
    let before = try rowCount()
    let zone = desk.container("ann")
    _ = try zone.open(expecting: nil)
    try zone.zone(ZoneID(name: "default", owner: zone.account)).reset(reason: "damaged")
    for accepted in [0, before - 1] {
      let error = await #expect(throws: SyncError.self) {
        try await engine.signOut(discarding: accepted)
      }
      #expect(error?.reason == .unsentEdits)
      #expect(try rowCount() == before)
    }
    try await engine.syncChanges()
    try await engine.signOut()
    try await laptop.engine().syncChanges()
    #expect(try laptop.titles() == ["Personal"])
  }

  @Test(arguments: [true, false])
  func withoutItsCloudItNeedsAYes(isAnotherThere: Bool) async throws {
    let engine = try await signedIn()
    let before = try rowCount()
    try FileManager.default.removeItem(at: cloud.url)
    try FileManager.default.createDirectory(at: cloud.url, withIntermediateDirectories: false)
    if isAnotherThere { try await laptop.engine().syncChanges() }
    let error = await #expect(throws: SyncError.self) { try await engine.signOut() }
    #expect(error?.reason == .cloudUnconfirmed)
    #expect(try rowCount() == before)
    #expect(try desk.account().isSignedOut == false)
    try await engine.signOut(needingCloud: false)
    #expect(try rowCount() == 0)
  }

  /// The log goes on from where this device stands, and a new one could not read what came before.
  @Test(arguments: ["log", "assets"], [true, false])
  func whatTheCloudCanGiveBackToNobodyNeedsAYes(directory: String, isMissing: Bool) async throws {
    let engine = try await signedIn()
    try desk.execute("INSERT INTO reminders (id, title, listID) VALUES ('late', 'Late', 'l')")
    try await engine.syncChanges()
    let before = try rowCount()
    let zone = ZoneLayout(ZoneID(name: "default", owner: desk.container("ann").account))
    let place = cloud.url.appending(path: "\(zone.epoch(1))/\(directory)")
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: place.path).min())
    let (file, bytes) = (
      place.appending(path: name), try Data(contentsOf: place.appending(path: name))
    )
    try FileManager.default.removeItem(at: file)
    if !isMissing { try bytes.dropLast(30).write(to: file) }
    let error = await #expect(throws: SyncError.self) { try await engine.signOut() }
    #expect(error?.reason == .cloudUnconfirmed)
    #expect(error?.message.contains(name) == true)
    #expect(try rowCount() == before)
    try bytes.write(to: file)
    try await engine.signOut()
    #expect(try rowCount() == 0)
  }

  @Test func nothingOfItReachesTheCloudOrTheOtherDevices() async throws {
    let engine = try await signedIn(starts: true)
    try await laptop.engine().syncChanges()
    try await engine.signOut()
    let theirs = try laptop.engine()
    try await theirs.syncChanges()
    #expect(theirs.status.fetched == 0)
    #expect(try laptop.titles() == ["Personal"])
  }

  @Test func triggersOfTheAppCanTellThatTheyHaveNothingToDo() async throws {
    let engine = try await signedIn()
    try desk.execute(
      """
      CREATE TRIGGER neverEmpty AFTER DELETE ON lists
      WHEN NOT \(SyncEngine.isSynchronizingChanges) AND NOT EXISTS (SELECT 1 FROM lists)
      BEGIN INSERT INTO lists (id, title) VALUES ('default', 'Default'); END
      """)
    try await engine.signOut()
    #expect(try desk.titles() == [])
  }

  @Test func unsentEditsAreAskedFor() async throws {
    let engine = try await signedIn()
    try desk.execute("UPDATE lists SET title = 'Family'")
    try desk.execute("INSERT INTO reminders (id, listID) VALUES ('s', 'l')")
    let before = try rowCount()
    for accepted in [0, 1] {
      let error = await #expect(throws: SyncError.self) {
        try await engine.signOut(discarding: accepted)
      }
      #expect(error?.reason == .unsentEdits)
      #expect(error?.message == "2 records have edits that the cloud does not have yet.")
    }
    #expect(try rowCount() == before)
    #expect(try desk.account().isSignedOut == false)
    try await engine.signOut(discarding: 2)
    #expect(try rowCount() == 0)
    try await engine.signIn(desk.container("ann"))
    try await engine.syncChanges()
    #expect(try desk.titles() == ["Personal"])
  }

  @Test func signingInAgainBringsEverythingBack() async throws {
    let engine = try await signedIn(starts: true)
    let before = try rowCount()
    try await engine.signOut()
    try await laptop.engine().syncChanges()
    try laptop.execute("UPDATE lists SET title = 'Family'")
    try await laptop.engine().syncChanges()
    try await engine.signIn(desk.container("ann"))
    try await desk.waitForTitles(["Family"])
    await engine.waitUntilIdle()
    #expect(try rowCount() == before)
    #expect(try desk.texts("SELECT length(image) FROM covers") == ["10000"])
    #expect(engine.status.sent == 0)
    try desk.execute("UPDATE lists SET title = 'Home'")
    await engine.wait { $0.sent == 1 }
    try await laptop.engine().syncChanges()
    #expect(try laptop.titles() == ["Home"])
  }

  @Test func itOutlivesARestartWhateverCloudIsGiven() async throws {
    try await signedIn().signOut()
    let engine = try desk.engine(starts: true)
    await engine.wait { $0.phase == .signedOut }
    try desk.execute("INSERT INTO lists (id, title) VALUES ('m', 'Signed out')")
    let error = await #expect(throws: CloudError.self) { try await engine.syncChanges() }
    #expect(error?.code == .notAuthenticated)
    try await laptop.engine().syncChanges()
    #expect(try laptop.titles() == ["Personal"])
    try await engine.signIn(desk.container("ann"))
    await engine.waitUntilIdle()
    #expect(try desk.titles() == ["Personal", "Signed out"])
    #expect(engine.status.sent == 1)
    try await laptop.engine().syncChanges()
    #expect(try laptop.titles() == ["Personal", "Signed out"])
  }

  @Test func switchingNeverMixes() async throws {
    let engine = try await signedIn(starts: true)
    try laptop.execute("INSERT INTO lists (id, title) VALUES ('b', 'Of ben')")
    try await laptop.engine(account: "ben").syncChanges()
    try await engine.signOut()
    try await engine.signIn(desk.container("ben"))
    await engine.waitUntilIdle()
    #expect(try desk.titles() == ["Of ben"])
    #expect(engine.status.account == "ben")
    #expect(engine.status.sent == 0)
    try await engine.signOut()
    try await engine.signIn(desk.container("ann"))
    await engine.waitUntilIdle()
    #expect(try desk.titles() == ["Personal"])
    #expect(engine.status.sent == 0)
    let bens = try laptop.engine(account: "ben")
    try await bens.syncChanges()
    #expect(bens.status.fetched == 0)
  }

  @Test func aFetchThatTakesLongIsCutShort() async throws {
    for number in 0..<30 {
      try laptop.execute("INSERT INTO lists (id, title) VALUES ('\(number)', 'List')")
      try await laptop.engine().syncChanges()
    }
    let engine = try desk.engine(commitsPerTransaction: 1)
    let events = engine.events
    engine.start()
    for await event in events {
      if case .stateUpdate = event { break }
    }
    try await engine.signOut()
    #expect(engine.status.phase == .signedOut)
    #expect(try rowCount() == 0)
    try await engine.signIn(desk.container("ann"))
    await engine.waitUntilIdle()
    #expect(try rowCount() == 30)
  }

  @Test func itIsRefusedWhileAnotherProcessSynchronizes() async throws {
    let engine = try await signedIn(starts: true)
    let other = try desk.engine(over: desk.connection())
    let error = await #expect(throws: SyncError.self) { try await other.signOut() }
    #expect(error?.reason == .runsElsewhere)
    #expect(try desk.titles() == ["Personal"])
    #expect(engine.status.account == "ann")
  }

  @Test(arguments: ["ann", "ben"])
  func anEngineThatWasStoppedMeanwhileFollows(account: String) async throws {
    let engine = try await signedIn(starts: true)
    engine.stopAndWait()
    try await desk.engine(over: desk.connection()).signOut()
    engine.start()
    await engine.wait { $0.phase == .signedOut }
    // While it runs it does so too: see SignInTests.
    engine.stopAndWait()
    let other = try desk.engine(over: desk.connection(), account: nil)
    try await other.signIn(desk.container(account))
    engine.start()
    await engine.wait { $0.phase == .idle && $0.account == account }
    #expect(engine.status.lastError == nil)
    #expect(try desk.titles() == (account == "ann" ? ["Personal"] : []))
  }

  @Test func anEngineThatSleptThroughASwitchWorksByHandForWhoIsSignedIn() async throws {
    let engine = try await signedIn()
    let other = try desk.engine(over: desk.connection())
    try await other.signOut()
    try await other.signIn(desk.container("ben"))
    try desk.execute("INSERT INTO lists (id, title) VALUES ('b', 'Of ben')")
    try await engine.syncChanges()
    #expect(engine.status.account == "ben")
    let bens = try laptop.engine(account: "ben")
    try await bens.syncChanges()
    #expect(try laptop.titles() == ["Of ben"])
  }

  @Test func anAccountCanSignOutOfADifferentCloud() async throws {
    let engine = try await signedIn()
    try await engine.signOut()
    let other = DirectoryStore(directory: try TemporaryDirectory().url)
    // Nothing is there: it may be a disk that is not mounted.
    let error = await #expect(throws: CloudError.self) {
      try await engine.signIn(desk.container("ann", store: other))
    }
    #expect(error?.code == .accountTemporarilyUnavailable)
    let third = try Station(cloud: cloud)
    try third.execute("INSERT INTO lists (id, title) VALUES ('x', 'Elsewhere')")
    let another = MemoryStore()
    try await third.engine(store: another).syncChanges()
    try await engine.signIn(desk.container("ann", store: another))
    try await engine.syncChanges()
    #expect(try desk.titles() == ["Elsewhere"])
  }

  // MARK: - Keeping the rows

  @Test func anAppCanLeaveTheRowsHereUntilTheAccountComesBack() async throws {
    let engine = try await signedIn(starts: true)
    let before = try rowCount()
    try await engine.signOutKeepingRows()
    #expect(engine.status.phase == .signedOut)
    #expect(try rowCount() == before)
    try desk.execute("UPDATE lists SET title = 'Family'")
    #expect(try desk.pending() == 1)
    try await engine.signIn(desk.container("ann"))
    await engine.waitUntilIdle()
    #expect(engine.status.sent == 1)
    try await laptop.engine().syncChanges()
    #expect(try laptop.titles() == ["Family"])
  }

  @Test func rowsThatWereLeftHereAreNobodyElses() async throws {
    let engine = try await signedIn()
    try await engine.signOutKeepingRows()
    let error = await #expect(throws: SyncError.self) {
      try await engine.signIn(desk.container("ben"))
    }
    #expect(error?.reason == .accountChanged)
    try await engine.signOut()
    #expect(try rowCount() == 0)
    try await engine.signIn(desk.container("ben"))
    try await engine.syncChanges()
    #expect(try rowCount() == 0)
  }
}
