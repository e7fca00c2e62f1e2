import Foundation
import RemindersTerminal
import RemindersTestSupport
import SQLiteSync
import Testing

@testable import RemindersCore
@testable import RemindersUI

/// `update` alone: a state and an action in, a state and effects out.
struct UpdateTests {
  private static let now = Date(timeIntervalSince1970: 1_795_271_520.25)

  private var state: AppState {
    AppState(
      size: Size(columns: 100, rows: 30), time: LocalTime(now: Self.now, timeZone: .gmt),
      appearance: Appearance(glyphs: .unicode, theme: Theme(.auto)))
  }

  @Test func anIdleAppWakesOnceAMinute() {
    #expect(state.nextMoment == Date(timeIntervalSince1970: 1_795_271_580))
  }

  @Test func theFirstRemindersComeBeforeAllElse() throws {
    var state = state
    state.sync = .beginning
    let sidebar = SubscriptionResult(SidebarQuery(time: state.day), Sidebar())
    #expect(update(&state, .received(sidebar)) == [])
    #expect(state.subscriptions.map { "\(type(of: $0))" } == ["SidebarQuery", "ReminderListQuery"])
    let query = try #require(state.home.query(in: state.day))
    let reminders = SubscriptionResult(query, ReminderListQuery.Value())
    let effects = update(&state, .received(reminders))
    #expect(state.subscriptions.contains { $0 is SyncQuery })
    #expect(state.subscriptions.contains { $0 is SharesQuery })
    let begin = Self.now.addingTimeInterval(-5)
    #expect(
      effects == [
        .readListDeletion, .readText, .beginSync, .write(.endAbandonedGraces(begunBy: begin)),
      ])
    #expect(update(&state, .received(reminders)) == [])
  }

  @Test func aCountdownWakesEachSecondOfIt() {
    var state = state
    state.graces["one"] = Self.now.addingTimeInterval(4.5)
    #expect(state.nextMoment == Self.now.addingTimeInterval(0.5))
    state.time.now = state.nextMoment
    #expect(state.nextMoment == Self.now.addingTimeInterval(1.5))
  }

  @Test func aMessageWakesAtItsEnd() {
    var state = state
    state.notify("Done.")
    #expect(state.nextMoment == Self.now.addingTimeInterval(6))
  }

  @Test func graceEndsInOneWrite() {
    var state = state
    state.graces = ["b": Self.now, "a": Self.now, "c": Self.now.addingTimeInterval(1)]
    #expect(update(&state, .tick) == [.write(.endGrace(["a", "b"]))])
    #expect(state.graces.keys.sorted() == ["c"])
    #expect(update(&state, .tick) == [])
  }

  @MainActor
  @Test func anEngineThatCannotBeMadeEndsTheApp() async throws {
    let directory = try TemporaryDirectory()
    let database = try AppDatabase(directory: directory.url)
    let device = MemoryDevice(size: Size(columns: 80, rows: 24))
    await #expect(throws: Problem("Not this one.")) {
      try await runRemindersUI(database: database, device: device) {
        throw Problem("Not this one.")
      }
    }
    #expect(device.isClosed)
  }

  @Test func aHangupEndsTheApp() {
    var state = state
    #expect(update(&state, .terminal(.hangup)) == [.quit])
    #expect(state.isQuitting)
    #expect(update(&state, .terminal(.hangup)) == [])
  }

  @Test func aKeyThatDoesNotGoOnWithASequenceDoesNothing() {
    var state = state
    #expect(update(&state, .terminal(.key(.character("g")))) == [])
    #expect(state.pendingKeys == [.character("g")])
    #expect(update(&state, .terminal(.key(.character("q")))) == [])
    #expect(!state.isQuitting && state.pendingKeys.isEmpty)
  }

  @Test func aFailedUndoIsSaidAndNotRemembered() {
    var state = state
    let problem = Problem("The disk is full.", hint: "Make room.")
    _ = update(&state, .wrote(.addSampleData, .failure(problem)))
    #expect(state.message?.text == "The disk is full. Make room.")
    #expect(state.message?.kind == .failed && state.undoSteps.isEmpty)
  }

  @Test func anUndoThatFailsCanBeTriedAgain() {
    var state = state
    let step = UndoStep(label: "Deleted “Bread”", changes: [])
    state.undoSteps = [step]
    #expect(state.perform(.undo) == [.write(.undo(step))])
    #expect(state.undoSteps.isEmpty)
    _ = update(&state, .wrote(.undo(step), .failure(Problem("The data file is busy."))))
    #expect(state.undoSteps == [step] && state.redoSteps.isEmpty)
  }
}
