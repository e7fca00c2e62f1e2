import Foundation
import RemindersCore
import RemindersTerminal
import SQLiteSync

extension SyncState {
  private static let barColumns = 60

  /// How synchronization stands, as wide as the screen.
  func statusLines(_ state: AppState) -> [[StyledRun]] {
    func moment(_ date: Date?) -> String {
      date.map { state.time.secondText(of: $0) } ?? "not yet"
    }
    func fact(_ label: String, _ value: String) -> [StyledRun] {
      [StyledRun(label + " ", .label), StyledRun(value + "    ")]
    }
    let summary = summary(state.appearance.glyphs)
    let first =
      [StyledRun(summary.text + "    ", summary.role)] + fact("account", account ?? "signed out")
      + fact("cloud", place)
    let second =
      fact("to send", "\(pending)") + fact("incomplete", "\(status.waiting)")
      + fact("quarantined", "\(status.quarantined)")
      + (status.notSynchronized > 0
        ? [StyledRun("cannot be sent \(status.notSynchronized)", .error)] : [])
    let third =
      fact("last fetch", moment(status.lastFetch)) + fact("fetched", "\(status.fetched)")
      + fact("last send", moment(status.lastSend)) + fact("sent", "\(status.sent)")
    // What is wrong and what to do about it must be readable to the end.
    let width = state.layout.body.size.columns - 2
    func lines(_ text: String?, _ role: Role) -> [[StyledRun]] {
      text.map { TextWidth.wrapped($0, to: width).map { [StyledRun($0, role)] } } ?? []
    }
    let bar = status.progress.map { progress in
      ProgressBar.runs(
        completed: progress.completed, of: progress.total, columns: min(width, Self.barColumns),
        glyphs: state.appearance.glyphs)
    }
    return [first] + lines(status.lastError, .error) + lines(status.advice, .dim)
      + (bar.map { [$0] } ?? []) + [second, third]
      + (status.unlistedTables.isEmpty
        ? []
        : lines(
          "Only on this device: \(status.unlistedTables.joined(separator: ", ")).", .warning))
  }
}
