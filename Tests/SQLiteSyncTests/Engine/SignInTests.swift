import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Signing in: what becomes of what was here before, and who may.
@Suite(.timeLimit(.minutes(10)))
struct SignInTests {
  private let cloud: TemporaryDirectory
  private let desk: Station
  private let laptop: Station

  init() throws {
    cloud = try TemporaryDirectory()
    desk = try Station(cloud: cloud)
    laptop = try Station(cloud: cloud)
  }

  @Test func beforeAnybodySignsInNothingIsSentAndEverythingIsCaptured() async throws {
    try desk.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    let engine = try desk.engine(account: nil, starts: true)
    await engine.wait { $0.phase == .signedOut }
    #expect(engine.status.account == nil)
    #expect(engine.status.lastError == nil)
    try desk.execute("INSERT INTO tags VALUES ('weekend')")
    #expect(try desk.pending() == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: cloud.url.path) == [])
  }

  @Test func theFirstSignInSendsWhatIsHereWithoutARestart() async throws {
    try desk.execute("INSERT INTO lists (id, title) VALUES ('l', 'Before the engine')")
    let engine = try desk.engine(account: nil, starts: true)
    await engine.wait { $0.phase == .signedOut }
    try desk.execute("INSERT INTO lists (id, title) VALUES ('m', 'Signed out')")
    try desk.execute("INSERT INTO reminders (id, listID) VALUES ('r', 'm')")
    let events = engine.events
    try await engine.signIn(desk.container("ann"))
    await engine.waitUntilIdle()
    #expect(engine.status.account == "ann")
    #expect(engine.status.sent == 3)
    try await laptop.engine().syncChanges()
    #expect(try laptop.titles() == ["Before the engine", "Signed out"])
    #expect(try laptop.texts("SELECT id FROM reminders") == ["r"])
    #expect(await events.first { _ in true } == .signIn(account: "ann"))
  }

  /// The disk with the cloud is lost, and nothing else.
  @Test func whatIsHereGoesToAnotherCloud() async throws {
    try desk.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal'), ('m', 'Work')")
    let (atDesk, atLaptop) = (try desk.engine(), try laptop.engine())
    for engine in [atDesk, atLaptop] { try await engine.syncChanges() }
    try laptop.execute("UPDATE lists SET title = 'Office' WHERE id = 'm'")
    try laptop.execute("INSERT INTO reminders (id, listID) VALUES ('r', 'l')")
    let store = MemoryStore()
    for (station, engine) in [(desk, atDesk), (laptop, atLaptop)] {
      try await engine.changeCloud(to: station.container("ann", store: store))
      try await engine.syncChanges()
    }
    try await atDesk.syncChanges()
    for station in [desk, laptop] {
      #expect(try station.titles() == ["Office", "Personal"])
      #expect(try station.texts("SELECT id FROM reminders") == ["r"])
      #expect(try station.pending() == 0)
    }
    #expect(try desk.account().cloud == laptop.account().cloud)
    // Once more is not another one.
    try await atDesk.changeCloud(to: desk.container("ann", store: store))
    let again = try await atDesk.syncChanges()
    #expect(again.sent == 0 && again.fetched == 0)
  }

  @Test func aCloudThatCannotBeReachedIsNotChangedTo() async throws {
    try desk.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    let engine = try desk.engine()
    try await engine.syncChanges()
    let before = try desk.account()
    let store = FaultyStore(MemoryStore())
    store.plan { _ in .failure(CloudError(.networkUnavailable, "no network")) }
    await #expect(throws: CloudError.self) {
      try await engine.changeCloud(to: desk.container("ann", store: store))
    }
    #expect(try desk.account() == before)
    #expect(try desk.titles() == ["Personal"])
    try await engine.syncChanges()
  }

  @Test func aStoppedEngineSignsInAndSynchronizesByHand() async throws {
    try desk.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    let engine = try desk.engine(account: nil)
    let error = await #expect(throws: CloudError.self) { try await engine.syncChanges() }
    #expect(error?.code == .notAuthenticated)
    try await engine.signIn(desk.container("ann"))
    #expect(engine.status.phase == .stopped)
    try await engine.syncChanges()
    #expect(engine.status.pending == 0)
    try await laptop.engine().syncChanges()
    #expect(try laptop.titles() == ["Personal"])
  }

  @Test func whatWasWrittenWhileNobodyWasSignedInMeetsWhatTheAccountHas() async throws {
    try laptop.execute("INSERT INTO tags VALUES ('weekend'), ('home')")
    try await laptop.engine().syncChanges()
    try desk.execute("INSERT INTO tags VALUES ('Weekend'), ('garden')")
    let engine = try desk.engine(account: nil)
    try await engine.signIn(desk.container("ann"))
    try await engine.syncChanges()
    try await laptop.engine().syncChanges()
    for station in [desk, laptop] {
      #expect(
        try station.texts("SELECT lower(title) FROM tags ORDER BY 1")
          == ["garden", "home", "weekend"])
    }
  }

  @Test func signingInTwiceIsSigningInOnce() async throws {
    let engine = try desk.engine(starts: true)
    await engine.waitUntilIdle()
    try await engine.signIn(desk.container("ann"))
    #expect(engine.status.phase == .idle)
  }

  @Test func whoIsSignedInIsRememberedInTheDatabase() async throws {
    #expect(try desk.account().id == nil)
    try await desk.engine().syncChanges()
    #expect(try desk.account().id?.description == "ann")
    #expect(try desk.account().isSignedOut == false)
    #expect(try desk.account().cloud != nil)
    let error = #expect(throws: SyncError.self) { try desk.engine(account: "ben") }
    #expect(error?.reason == .accountChanged)
  }

  @Test func anotherAccountMustWaitForASignOut() async throws {
    try desk.execute("INSERT INTO lists (id, title) VALUES ('l', 'Of ann')")
    let engine = try desk.engine(starts: true)
    await engine.waitUntilIdle()
    let error = await #expect(throws: SyncError.self) {
      try await engine.signIn(desk.container("ben"))
    }
    #expect(error?.reason == .accountChanged)
    #expect(engine.status.account == "ann")
    try desk.execute("UPDATE lists SET title = 'Still of ann'")
    await engine.wait { $0.sent == 2 }
  }

  @Test func aCloudThatCannotBeReachedSignsNobodyInAndClearsNothing() async throws {
    let store = FaultyStore(DirectoryStore(directory: cloud.url)) { _ in
      .failure(CloudError(.accountTemporarilyUnavailable, "Not mounted."))
    }
    try desk.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    let engine = try desk.engine(account: nil, starts: true)
    let error = await #expect(throws: CloudError.self) {
      try await engine.signIn(desk.container("ann", store: store))
    }
    #expect(error?.code == .accountTemporarilyUnavailable)
    await engine.wait { $0.phase == .signedOut }
    #expect(try desk.account().id == nil)
    #expect(try desk.titles() == ["Personal"])
    try await engine.signIn(desk.container("ann"))
    await engine.waitUntilIdle()
    #expect(engine.status.sent == 1)
  }

  @Test func aKeyThatTheCloudRefusesSignsNobodyOut() async throws {
    try await desk.engine().syncChanges()
    let store = FaultyStore(DirectoryStore(directory: cloud.url)) { _ in
      .failure(CloudError(.notAuthenticated, "The key is refused."))
    }
    let engine = try desk.engine(store: store, starts: true)
    await engine.wait { $0.lastError != nil }
    #expect(engine.status.phase != .signedOut && engine.status.account == "ann")
    #expect(engine.status.lastError?.contains("The key is refused.") == true)
  }

  @Test func aFileOfAnEarlierVersionIsSignedInAsBefore() async throws {
    try await desk.engine().syncChanges()
    try desk.execute("ALTER TABLE sync_state DROP COLUMN isSignedOut")
    #expect(try desk.account().isSignedOut == false)
    #expect(try desk.account().id?.description == "ann")
    let engine = try desk.engine()
    try await engine.syncChanges()
    try await engine.signOut()
    #expect(try desk.account().isSignedOut)
  }

  @Test(arguments: ["ann", "ben"])
  func aSignInByAnotherProcessIsNoticed(account: String) async throws {
    let engine = try desk.engine(starts: true)
    await engine.waitUntilIdle()
    try await engine.signOut()
    await engine.wait { $0.phase == .signedOut }
    try await desk.engine(over: desk.connection(), account: nil).signIn(desk.container(account))
    await engine.wait { $0.phase == .idle && $0.account == account }
    try desk.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    await engine.wait { $0.sent == 1 }
    try await laptop.engine(account: account).syncChanges()
    #expect(try laptop.titles() == ["Personal"])
  }

  // MARK: - Another cloud, or none

  @Test func aCloudThatIsGoneClearsNothing() async throws {
    try desk.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    try await desk.engine().syncChanges()
    let elsewhere = cloud.url.deletingLastPathComponent().appending(path: UUID().uuidString)
    try FileManager.default.moveItem(at: cloud.url, to: elsewhere)
    try FileManager.default.createDirectory(at: cloud.url, withIntermediateDirectories: false)
    let engine = try desk.engine(starts: true)
    await engine.wait { if case .backingOff = $0.phase { true } else { false } }
    #expect(engine.status.lastError == "There is no cloud where one was before.")
    #expect(try desk.titles() == ["Personal"])
    #expect(try desk.account().isSignedOut == false)
    try desk.execute("INSERT INTO reminders (id, listID) VALUES ('r', 'l')")
    engine.stopAndWait()
    try FileManager.default.removeItem(at: cloud.url)
    try FileManager.default.moveItem(at: elsewhere, to: cloud.url)
    engine.start()
    await engine.waitUntilIdle()
    // Of what it had sent before, nothing is sent again.
    #expect(engine.status.sent == 1)
  }

  @Test func whoIsSignedInAlreadyIsToldThatTheCloudIsAnother() async throws {
    try desk.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    let engine = try desk.engine()
    try await engine.syncChanges()
    try await engine.signIn(desk.container("ann"))
    let another = desk.container("ann", store: MemoryStore())
    _ = try another.open()
    do {
      try await engine.signIn(another)
      Issue.record("The other cloud was not noticed.")
    } catch let error as SyncError {
      #expect(error.reason == .cloudChanged)
    }
  }

  @Test func anotherCloudInThePlaceIsToldAndClearsNothing() async throws {
    try desk.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    try await desk.engine().syncChanges()
    let elsewhere = cloud.url.deletingLastPathComponent().appending(path: UUID().uuidString)
    try FileManager.default.moveItem(at: cloud.url, to: elsewhere)
    try FileManager.default.createDirectory(at: cloud.url, withIntermediateDirectories: false)
    try await laptop.engine().syncChanges()
    let engine = try desk.engine()
    let events = engine.events
    engine.start()
    await engine.wait { $0.phase == .accountChanged }
    #expect(engine.status.hint?.contains("change to this one") == true)
    #expect(await events.first { $0 == .accountChanged } != nil)
    #expect(try desk.titles() == ["Personal"])
    // The right one is back.
    engine.stopAndWait()
    try FileManager.default.removeItem(at: cloud.url)
    try FileManager.default.moveItem(at: elsewhere, to: cloud.url)
    engine.start()
    await engine.waitUntilIdle()
    #expect(engine.status.lastError == nil)
  }
}
