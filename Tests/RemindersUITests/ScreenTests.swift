import Foundation
import RemindersCore
import RemindersCoreTestSupport
import RemindersTerminal
import RemindersTestSupport
import SQLiteSync
import SQLiteSyncCloud
import Testing

@testable import RemindersUI
@testable import SQLiteSync

@MainActor
struct ScreenTests {
  // MARK: - Sync

  @Test(arguments: [(80, 24), (100, 30), (200, 60)])
  func theSyncScreenShowsStatusAndLog(columns: Int, rows: Int) async throws {
    let driver = try await Driver(columns, rows)
    try await fillLog(driver)
    try driver.expectScreen("sync-\(columns)x\(rows)")
  }

  @Test func theSyncScreenNeedsNeitherColourNorUnicode() async throws {
    let driver = try await Driver(80, 24, settings: Settings("set theme mono"), isUTF8: false)
    try await fillLog(driver)
    try driver.expectScreen("sync-mono-ascii")
  }

  @Test(arguments: [(200, true), (100, false)])
  func theEnginesOwnLogStandsBesideTheTableWhereThereIsRoom(
    columns: Int, isShown: Bool
  ) async throws {
    let driver = try await Driver(columns, 30)
    await driver.report(
      .fetchedRecordZoneChanges(
        modified: [.init(type: "reminders", name: "id-0004:reminders")], deleted: [],
        zone: .init(name: "share-1", sharedBy: "ben")))
    try await driver.press("S")
    #expect(driver.shows("fetchedRecordZoneChanges: share-1, shared by ben") == isShown)
    #expect(driver.shows("│ ✔ Modified │ reminders") == isShown)
  }

  private func fillLog(_ driver: Driver) async throws {
    var status = SyncStatus.idle
    status.pending = 2
    status.lastFetch = Date(timeIntervalSince1970: Double(Driver.start) / 1000 - 2)
    status.lastSend = Date(timeIntervalSince1970: Double(Driver.start) / 1000 - 1)
    (status.fetched, status.sent) = (12, 3)
    try await driver.report(status)
    await driver.report(.started)
    await driver.report(.signIn(account: "ann"))
    await driver.report(
      .fetchedRecordZoneChanges(
        modified: [.init(type: "reminders", name: "id-0004:reminders")], deleted: []))
    await driver.report(.failed(message: "The cloud cannot be read.", hint: "Is its disk there?"))
    try await driver.press("S")
  }

  @Test func longWorkShowsHowFarItIs() async throws {
    let driver = try await Driver(80, 24)
    var status = SyncStatus.idle
    (status.phase, status.pending) = (.sending, 550)
    status.progress = SyncProgress(completed: 450, total: 1000)
    try await driver.report(status)
    #expect(driver.lines[0].contains("⇡ sending 550 · 45 %"))
    try await driver.press("S")
    #expect(driver.shows("█░") && driver.shows("░ 45 %"))
    (status.phase, status.pending) = (.fetching, 0)
    try await driver.report(status)
    #expect(driver.lines[0].contains("⇣ fetching · 45 %"))
    status.progress = nil
    try await driver.report(status)
    #expect(!driver.shows("45 %"))
  }

  @Test func theLogScrollsAndFollows() async throws {
    let driver = try await Driver(80, 12)
    try await driver.press("S")
    for number in 1...20 { await driver.report(.signIn(account: "ann\(number)")) }
    #expect(driver.shows("ann20 signed in") && driver.shows("following"))
    try await driver.press("gg")
    #expect(driver.shows("ann1 signed in") && driver.shows("lines below"))
    await driver.report(.signIn(account: "ann21"))
    #expect(!driver.shows("ann21 signed in"))
    try await driver.press("F")
    #expect(driver.shows("ann21 signed in") && driver.shows("following"))
  }

  /// A long upload must fill neither the memory nor the time of the screen.
  @Test func theLogKeepsTheLatestLines() async throws {
    let driver = try await Driver(80, 12)
    try await driver.press("S")
    for number in 1...20 {
      await driver.report(
        .fetchedRecordZoneChanges(
          modified: (1...400).map { .init(type: "reminders", name: "\(number)-\($0):reminders") },
          deleted: []))
    }
    #expect(driver.shows("20-400 ") && driver.shows("following"))
    #expect((2000...3000).contains(driver.app.state.sync?.log.count ?? 0))
    await driver.report(
      .fetchedRecordZoneChanges(
        modified: (1...9000).map { .init(type: "reminders", name: "\($0)") }, deleted: []))
    #expect(driver.app.state.sync?.log.count == 2000)
  }

  @Test func theLogShowsOnlyWhatIsAskedFor() async throws {
    let driver = try await Driver(100, 30)
    try await fillLog(driver)
    #expect(driver.shows("[all] fetched sent conflicts errors"))
    try await driver.press("f")
    #expect(driver.shows("[fetched]") && driver.shows("✓ changed") && !driver.shows("signed in"))
    try await driver.press("fff")
    #expect(driver.shows("[errors]") && driver.shows("✗ The cloud cannot be read."))
    #expect(driver.shows("Is its disk there?") && !driver.shows("✓ changed"))
    try await driver.press("<esc>")
    #expect(driver.shows("[all]") && driver.shows("signed in"))
    try await driver.press("<esc>")
    #expect(driver.app.state.screens.isEmpty)
  }

  @Test func theLogIsLookedThroughByTheTitlesOfRecords() async throws {
    let driver = try await Driver(100, 30)
    try await fillLog(driver)
    let title = try #require(driver.app.state.home.row("id-0004")?.title)
    #expect(driver.shows(title))
    try await driver.press("/\(title.prefix(5).lowercased())<enter>")
    #expect(driver.shows("✓ changed") && !driver.shows("signed in"))
    try await driver.press("/zzz")
    #expect(driver.shows("No line of the log matches."))
    try await driver.press("<esc>")
    #expect(driver.shows("signed in"))
  }

  /// While much is sent, something is told many times a second.
  @Test func eachLineOfTheLogIsLookedThroughOnce() {
    func record(_ number: Int) -> SyncEvent.Record {
      SyncEvent.Record(type: "reminders", name: "\(number):reminders")
    }
    var state = SyncState.beginning
    for number in 1...2000 { state.append(.withdrawn([record(number)]), at: .distantPast) }
    var pane = SyncLogPane()
    #expect(pane.arrange(state.log, height: 20) == 0, "nothing is looked for")
    pane.field = TextField("milk")
    #expect(pane.arrange(state.log, height: 20) == 2000)
    for number in 2001...3500 {
      state.append(.withdrawn([record(number)]), at: .distantPast)
      #expect(pane.arrange(state.log, height: 20) == 1)
    }
    #expect(pane.lines.isEmpty)
    pane.receive([record(3499): "Milk"])
    #expect(pane.arrange(state.log, height: 20) == 1, "what it is called is new")
    #expect(pane.lines.map(\.fact.record) == [record(3499)])
    #expect(pane.arrange(state.log, height: 20) == 0)
  }

  @Test func theLineUnderTheCursorIsToldInFull() async throws {
    let driver = try await Driver(80, 24)
    try await driver.press("S")
    let record = SyncEvent.Record(type: "reminders", name: "id-0004:reminders")
    let error = CloudError(
      .quotaExceeded, "The owner’s storage is full, and this text is longer than any line is.",
      hint: "Ask the owner to make room.")
    await driver.report(
      .sentRecordZoneChanges(
        saved: [], deleted: [],
        failed: [SyncEvent.Failure(record: record, isDeletion: false, error: error)]))
    #expect(driver.shows("id-0004:reminders"))
    let details = driver.lines[18...22].map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(
      details.joined(separator: " ").contains(
        "this text is longer than any line is. Ask the owner to make room."), "\(driver.screen)")
  }

  @Test func theLogIsCopiedAndWrittenAsItIsShown() async throws {
    let driver = try await Driver(100, 30)
    try await fillLog(driver)
    try await driver.press("ffff")
    try await driver.press("y")
    #expect(driver.device.copied == ["14:32:00  error  ✗ The cloud cannot be read."])
    #expect(driver.shows("Copied 1 line of the log."))
    try await driver.press("w")
    let file = driver.directory.url.appending(path: "reminders-sync-20261121-143200.log")
    #expect(driver.shows("Wrote the log to "))
    #expect(try String(contentsOf: file, encoding: .utf8).hasSuffix("cannot be read.\n"))
    try await driver.press("w")
    #expect(driver.shows("reminders-sync-20261121-143200.log cannot be written."))
  }

  @Test func syncStopsAndStartsFromAnywhere() async throws {
    let driver = try await Driver()
    try await driver.press("s")
    try await driver.report(SyncStatus.stopped)
    #expect(driver.lines[0].contains(" sync stopped · ann"))
    try await driver.press("Ss")
    #expect(driver.syncCalls.withLock { $0 } == ["stop", "start"])
    try await driver.press("R")
    #expect(driver.shows("Sync is stopped: s starts it."))
  }

  @Test func whatIsNotSentIsSentBeforeTheProgramIsSuspended() async throws {
    let driver = try await Driver()
    try await driver.press("<c-z>")
    // And who comes back looks for what is new.
    #expect(driver.syncCalls.withLock { $0 } == ["flush", "syncNow"])
    #expect(driver.device.suspensions == 1)
  }

  @Test func editsAreCountedWhileSyncIsStopped() async throws {
    let driver = try await Driver(sampleData: false)
    // An engine that never runs: its triggers capture what is written.
    let container = CloudContainer(
      store: MemoryStore(), account: AccountID(userID: 1), device: UUID(), app: "test")
    let engine = try SyncEngine(
      for: driver.database.writer, tables: AppDatabase.synchronizedTables,
      privateTables: AppDatabase.privateTables, cloud: container,
      startImmediately: false)
    try await driver.report(SyncStatus.stopped)
    try await driver.press("aBread<enter>")
    #expect(driver.lines[0].contains("⇡ 2 to send · sync stopped"))
    #expect(try driver.line(with: "Bread").hasSuffix("⇡"))
    withExtendedLifetime(engine) {}
  }

  @Test func whatTheEngineTellsGoesOnAfterItWasStoppedAndStarted() async throws {
    let directory = try TemporaryDirectory()
    let database = try AppDatabase.migrated(in: directory.url)
    let container = CloudContainer(
      store: MemoryStore(), account: AccountID(userID: 1), device: UUID(), app: "test")
    let control = SyncControl(
      try database.engine(for: container), place: "memory", signIn: { _ in }, share: { _ in },
      invitations: { [] })
    for stops in 1...3 {
      control.start()
      let id = try await database.addList(title: "List").id
      var told: [SyncEvent] = []
      for await event in control.events {
        told.append(event)
        if case .sentRecordZoneChanges(let saved, _, _, _) = event,
          saved.contains(where: { $0.name == "\(id):remindersLists" })
        {
          break
        }
      }
      #expect(!told.contains { $0.isStop }, "a stop is told once, below")
      for _ in 1...stops { control.stop() }
      for await event in control.events where event.isStop { break }
    }
  }

  @Test func theHeaderSaysHowSyncStands() async throws {
    let driver = try await Driver()
    var status = SyncStatus.idle
    let expected: [(SyncStatus.Phase, Int, String)] = [
      (.idle, 0, "✓ in sync"), (.idle, 2, "⇡ 2 to send"), (.sending, 2, "⇡ sending 2"),
      (.fetching, 0, "⇣ fetching"), (.elsewhere, 0, "synced by another window"),
      (.backingOff(attempts: 3), 1, "⇡ 1 to send · ✗ cloud unreachable"),
    ]
    for (phase, pending, text) in expected {
      (status.phase, status.pending) = (phase, pending)
      try await driver.report(status)
      #expect(driver.lines[0].contains(" \(text) · ann"))
    }
  }

  @Test func aMergeIsSaid() async throws {
    let driver = try await Driver()
    let id = try #require(driver.app.state.home.currentRow?.id)
    await driver.report(
      .merged([
        .init(
          record: .init(type: "reminders", name: "\(id):reminders"),
          theirs: ["dueDate", "updatedAt"],
          mine: ["title"])
      ]))
    #expect(driver.shows("≠ “Dentist” was merged: title from here, due from elsewhere."))
  }

  @Test func withoutACloudTheKeysSaySo() async throws {
    let driver = try await Driver(hasCloud: false)
    #expect(driver.lines[0].contains("no cloud"))
    try await driver.press("s")
    #expect(driver.shows("There is no cloud to synchronize with."))
  }

  // MARK: - Help and palette

  @Test func helpShowsTheKeysOfThisScreenFirst() async throws {
    let driver = try await Driver(80, 24)
    try await driver.press("?")
    try driver.expectScreen("help")
  }

  @Test func helpNarrowsDownAndPerforms() async throws {
    let driver = try await Driver()
    try await driver.press("?remove the flag<enter>")
    #expect(driver.app.state.screens.isEmpty)
    #expect(driver.app.state.home.currentRow?.isFlagged == false)
  }

  @Test func thePaletteFindsACommandByItsName() async throws {
    let driver = try await Driver()
    try await driver.press(":flag")
    try driver.expectScreen("palette")
    try await driver.press("<enter>")
    #expect(driver.app.state.home.currentRow?.isFlagged == false)
  }

  @Test func aDisabledCommandSaysWhy() async throws {
    let driver = try await Driver()
    try await driver.press(":sample<enter>")
    #expect(driver.shows("Sample data is only for an empty app."))
  }

  // MARK: - Messages and the clock

  @Test func messagesGoAwayByThemselvesAndErrorsAtAKey() async throws {
    let driver = try await Driver()
    try await driver.press("f")
    #expect(driver.shows("u undo"))
    await driver.pass(seconds: 6)
    #expect(!driver.shows("u undo"))
    var status = SyncStatus.idle
    (status.lastError, status.hint) = ("The cloud cannot be read.", "Is its disk there?")
    try await driver.report(status)
    await driver.pass(seconds: 59)
    #expect(driver.shows("✗ The cloud cannot be read. Is its disk there?"))
    try await driver.press("j")
    #expect(!driver.shows("✗ The cloud"))
    // An hour later nobody needs it any more; the header says how things stand.
    status.lastError = "The cloud is not there."
    try await driver.report(status)
    await driver.pass(seconds: 60)
    #expect(!driver.shows("✗ The cloud is not there.") && driver.shows("✗ sync error"))
  }

  @Test func theClockOfTheDayGoesOn() async throws {
    let driver = try await Driver()
    #expect(driver.lines[0].hasSuffix("14:32 Sat 21 Nov"))
    await driver.pass(seconds: 28 * 60)
    #expect(driver.lines[0].hasSuffix("15:00 Sat 21 Nov"))
  }

  @Test func whatIsDueTodayChangesAtMidnight() async throws {
    let driver = try await Driver()
    try await driver.press("gt")
    await driver.pass(seconds: 10 * 3600)
    #expect(driver.titles.last == "Pack the swimming bag" && driver.titles.count == 6)
    #expect(driver.lines[2].contains("5 late 6"))
  }
}

extension SyncEvent {
  fileprivate var isStop: Bool { if case .stopped = self { true } else { false } }
}
