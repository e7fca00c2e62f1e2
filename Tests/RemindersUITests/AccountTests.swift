import Foundation
import RemindersCore
import RemindersTerminal
import RemindersTestSupport
import SQLiteSync
import SQLiteSyncCloud
import Testing

@testable import RemindersUI

/// The account screen: who, where, on which devices; in and out.
@MainActor
struct AccountTests {
  private func signedOut(pending: Int = 0) -> SyncStatus {
    var status = SyncStatus()
    status.phase = .signedOut
    status.pending = pending
    return status
  }

  private func signIn(_ database: AppDatabase) async throws {
    try await database.writer.write { db in
      try SyncEngine.prepare(
        db, tables: AppDatabase.synchronizedTables, privateTables: AppDatabase.privateTables)
      try db.execute(
        sql: """
          UPDATE sync_state SET account = '@ann', device = '3f2a0000-0000-4000-8000-000000000000';
          INSERT INTO sync_devices VALUES
            (1, '9f1c0000-0000-4000-8000-000000000000', '@ann'),
            (2, '77aa0000-0000-4000-8000-000000000000', '@ben');
          DELETE FROM sync_edits;
          """)
    }
  }

  @Test(arguments: [(80, 24), (100, 30), (200, 60)])
  func theScreenSaysWhoAndWhere(columns: Int, rows: Int) async throws {
    let driver = try await Driver(columns, rows, before: signIn)
    try await driver.press("@")
    try driver.expectScreen("account-\(columns)x\(rows)")
  }

  @Test func theScreenNeedsNeitherColourNorUnicode() async throws {
    let driver = try await Driver(
      80, 24, settings: Settings("set theme mono"), isUTF8: false, before: signIn)
    try await driver.press("@")
    try driver.expectScreen("account-mono-ascii")
  }

  @Test func signingOutIsAskedAbout() async throws {
    let driver = try await Driver(before: signIn)
    try await driver.press("@o")
    #expect(driver.shows("The reminders of ann leave this device."))
    try await driver.press("n")
    #expect(driver.syncCalls.withLock { $0 } == [])
    try await driver.press("oy")
    #expect(driver.syncCalls.withLock { $0 } == ["signOut 0"])
  }

  @Test func theQuestionNamesUnsentEdits() async throws {
    let driver = try await Driver(before: signIn)
    var status = SyncStatus.idle
    status.pending = 2
    try await driver.report(status)
    try await driver.press("@o")
    try driver.expectScreen("sign-out")
    try await driver.press("y")
    #expect(driver.syncCalls.withLock { $0 } == ["signOut 2"])
  }

  @Test(arguments: [SyncStatus.Phase.backingOff(attempts: 1), .accountChanged])
  func theQuestionSaysThatThisMayBeTheLastCopy(phase: SyncStatus.Phase) async throws {
    let driver = try await Driver(before: signIn)
    var status = SyncStatus.idle
    status.phase = phase
    try await driver.report(status)
    try await driver.press("@o")
    #expect(driver.shows("may be the last copy"))
    try await driver.press("y")
    #expect(driver.syncCalls.withLock { $0 } == ["signOut 0 without the cloud"])
  }

  @Test func aCloudThatDoesNotConfirmThatItHasEverythingIsAskedAbout() async throws {
    let doubt = SyncError(.cloudUnconfirmed, "There is no cloud. This may be the last copy.")
    let driver = try await Driver(
      before: signIn,
      signOut: { _, needsCloud in
        if needsCloud { throw doubt }
      })
    try await driver.press("@oy")
    #expect(driver.shows("There is no cloud. This may be the last copy."))
    try await driver.press("y")
    #expect(
      driver.syncCalls.withLock { $0 } == ["signOut 0", "signOut 0 without the cloud"])
  }

  @Test func afterSigningOutThereIsNothingToTakeBack() async throws {
    let driver = try await Driver()
    try await driver.press("f")
    await driver.report(.signOut(account: "ann"))
    #expect(driver.shows("Signed out of ann."))
    try await driver.press("u")
    #expect(driver.shows("Nothing to undo."))
  }

  @Test func signingInAsksWhoAndNamesTheLastOne() async throws {
    let driver = try await Driver(before: signIn)
    try await driver.report(signedOut())
    #expect(driver.lines[0].contains(" signed out "))
    try await driver.press("@i")
    #expect(try driver.line(with: "ann").contains("ann"))
    try await driver.press("<c-u>ben<enter>")
    #expect(driver.syncCalls.withLock { $0 } == ["signIn ben"])
    await driver.report(.signIn(account: "ben"))
    #expect(driver.shows("Signed in as ben."))
  }

  @Test func whatWasMadeSignedOutIsNamedBeforeItGoes() async throws {
    let driver = try await Driver(before: signIn)
    try await driver.report(signedOut())
    try await driver.press("aBread<enter>@i")
    #expect(driver.shows("1 record made here will go to this account."))
  }

  @Test func whatIsNotPossibleSaysWhy() async throws {
    let driver = try await Driver()
    try await driver.press("@i")
    #expect(driver.shows("ann is signed in: o signs out first."))
    try await driver.report(signedOut())
    for key in ["o", "s", "R"] {
      try await driver.press(key)
      #expect(driver.shows("Nobody is signed in: @ shows the account."))
    }
  }

  @Test func anotherCloudSaysWhatToDo() async throws {
    let driver = try await Driver()
    var status = SyncStatus.idle
    status.phase = .accountChanged
    status.lastError = "Another cloud is there."
    status.hint = "Use the directory of that cloud again."
    try await driver.report(status)
    try await driver.press("@")
    #expect(driver.shows("Another cloud is there."))
    #expect(driver.shows("Use the directory of that cloud again."))
  }

  @Test func everythingCanBeExported() async throws {
    let driver = try await Driver()
    try await driver.press("@e")
    #expect(driver.shows("Exported everything to"))
    let file = driver.directory.url.appending(path: "reminders-20261121-143200.json")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains("Dentist"))
    try await driver.press("e")
    #expect(driver.shows("cannot be written"))
  }

  @Test func withoutACloudTheScreenSaysSo() async throws {
    let driver = try await Driver(hasCloud: false)
    try await driver.press("@")
    #expect(driver.shows("There is no cloud: start with --cloud DIRECTORY"))
  }
}
