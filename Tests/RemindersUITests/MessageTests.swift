import RemindersTerminal
import Testing

@testable import RemindersUI
@testable import SQLiteSync

/// What is said at the foot of the screen, and how long.
@MainActor
struct MessageTests {
  @Test func whatTheEngineCouldNotDoBesideIsSaid() async throws {
    let driver = try await Driver()
    await driver.report(.failed(message: "Nobody called ben has used this cloud.", hint: nil))
    #expect(driver.shows("Nobody called ben has used this cloud."))
    try await driver.press("j")
    var status = SyncStatus.idle
    status.lastError = "The cloud is not there."
    try await driver.report(status)
    try await driver.press("j")
    await driver.report(.failed(message: "The cloud is not there.", hint: nil))
    #expect(!driver.shows("The cloud is not there."))
  }

  @Test func aGuestIsToldThatAShareEnded() async throws {
    let driver = try await Driver()
    await driver.report(.fetchedDatabaseChanges(zone: "share-1", owner: "ann", change: .ended))
    #expect(driver.shows("ann no longer shares a list with you."))
    // That its rows go is no news of its own.
    await driver.report(
      .fetchedRecordZoneChanges(
        modified: [], deleted: [.init(type: "reminders", name: "a:reminders")]))
    #expect(driver.shows("ann no longer shares a list with you."))
  }

  @Test func editsThatWereTakenBackAreSaidAtOnce() async throws {
    let driver = try await Driver()
    try await driver.press("f")
    await driver.report(
      .withdrawn([
        .init(type: "reminders", name: "x:reminders"),
        .init(type: "reminders", name: "y:reminders"),
      ]))
    #expect(driver.shows("Your edits of a reminder and 1 more were taken back"))
  }

  @Test func newsWaitsUntilTheAnswerToACommandHasBeenRead() async throws {
    let driver = try await Driver()
    try await driver.press("f")
    let answer = try #require(driver.app.state.message?.text)
    await driver.report(.signIn(account: "ann"))
    await driver.report(.fetchedDatabaseChanges(zone: "share-1", owner: "ben", change: .ended))
    #expect(driver.shows(answer))
    await driver.pass(seconds: 7)
    #expect(driver.shows("ben no longer shares a list with you."))
    try await driver.press("f")
    #expect(driver.app.state.message?.kind == .done)
    await driver.pass(seconds: 7)
    #expect(driver.app.state.message == nil)
    try await driver.press("gm")
    #expect(driver.shows("Signed in as ann."), "what was never on the line can be read here")
  }

  @Test func whatWasDoneIsSaidForFourSecondsAtLeastAndOnlyTheLatest() async throws {
    let driver = try await Driver()
    try await driver.press("f")
    let first = try #require(driver.app.state.message?.text)
    try await driver.press("+d")
    let last = try #require(driver.app.state.message?.text)
    #expect(driver.shows(last) && !driver.shows(first))
    await driver.pass(seconds: 4)
    #expect(driver.shows(last))
    await driver.pass(seconds: 3)
    #expect(driver.app.state.message == nil)
    #expect(driver.app.state.recentMessages.suffix(3).first?.message.text == first)
  }

  @Test func anErrorStaysUntilAKeyWhateverHappensMeanwhile() async throws {
    let driver = try await Driver()
    var status = SyncStatus.idle
    status.lastError = "The cloud is not there."
    try await driver.report(status)
    let conflict = SyncEvent.Conflict(
      record: SyncEvent.Record(type: "reminders", name: "x:reminders"), theirs: ["dueDate"],
      mine: ["title"])
    for event in [
      SyncEvent.merged([conflict]), .signIn(account: "ann"), .signOut(account: "ann"),
    ] {
      await driver.report(event)
      #expect(driver.shows("✗ The cloud is not there."), "\(driver.screen)")
    }
    await driver.pass(seconds: 59)
    #expect(driver.shows("✗ The cloud is not there."))
    try await driver.press("gm")
    #expect(driver.shows("was merged: title from here"))
    try await driver.press("<esc>f")
    #expect(!driver.shows("✗ The cloud is not there."))
    #expect(driver.app.state.message?.kind == .done)
  }

  @Test func anErrorGoesByItselfAfterAMinuteAndIsSaidOnce() async throws {
    let driver = try await Driver()
    var status = SyncStatus.idle
    status.lastError = "The cloud is not there."
    for pending in 1...3 {
      status.pending = pending
      try await driver.report(status)
      await driver.pass(seconds: 30)
    }
    #expect(driver.app.state.message == nil)
    status.lastError = nil
    try await driver.report(status)
    status.lastError = "The cloud is not there."
    try await driver.report(status)
    #expect(driver.shows("✗ The cloud is not there."), "it is another time")
  }

  @Test func aClickTakesAnErrorAwayAndSoDoesAPaste() async throws {
    let driver = try await Driver()
    for event in [
      TerminalEvent.mouse(MouseEvent(.click, at: Point(column: 40, row: 5))), .paste("Bread"),
    ] {
      try await driver.press("U")
      #expect(driver.app.state.message?.kind == .refused)
      await driver.send(event)
      #expect(driver.app.state.message == nil)
    }
  }

  @Test func whatWentWrongIsReadToItsEnd() async throws {
    let driver = try await Driver(80, 24)
    var status = SyncStatus.idle
    status.lastError = "Another program is writing the data file."
    status.hint = "It is tried again and again, until it ends, or until this one ends."
    try await driver.report(status)
    #expect(driver.shows("✗ Another program is writing the data file."))
    #expect(driver.lines[21...22].joined(separator: " ").contains("or until this one ends."))
    #expect(driver.lines[23].contains("? help"))
    try await driver.press("gm")
    #expect(driver.shows("Enter copy"))
  }
}
