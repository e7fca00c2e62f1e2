import RemindersCore

/// A screen with something that lost under its cursor.
protocol HistoryEntryScreen: Screen {
  var currentEntry: HistoryEntry.ID? { get }
}

extension HistoryEntryScreen {
  var contexts: [Context] { [.historyEntries, .moving, .anywhere, .always] }
  var hints: [Command.ID] { [.restore, .undo, .leaveHistory, .help] }
}

extension Command {
  /// What can be done with what was deleted or overwritten.
  static let historyCommands: [Command] = [
    Command(
      .restore, .historyEntries, ["r", "<enter>"], "Restore", hint: "restore",
      help: "Restore it, here and on all devices; u undoes that.",
      unless: { $0.currentEntry == nil ? "Nothing to restore here." : nil },
      perform: { $0.currentEntry.map { [.write(.restore([$0]))] } ?? [] }),
    Command(
      .leaveHistory, .historyEntries, ["<esc>"], "Leave", hint: "back", help: "Leave this screen.",
      perform: { $0.closeScreen() }),
  ]
}

extension AppState {
  /// What is under the cursor of Recently deleted, of a history or of the conflicts.
  fileprivate var currentEntry: HistoryEntry.ID? {
    (screens.last as? any HistoryEntryScreen)?.currentEntry
  }
}
