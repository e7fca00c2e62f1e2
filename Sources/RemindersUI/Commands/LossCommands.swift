import Reminders

/// A screen with something that lost under its cursor.
protocol LossScreen: Screen {
  var selectedLoss: HistoryEntry.ID? { get }
}

extension LossScreen {
  var contexts: [Context] { [.losses, .moving, .anywhere, .always] }
  var hints: [Command.ID] { [.restore, .undo, .leaveLosses, .help] }
}

extension Command {
  /// What can be done with what was deleted or overwritten.
  static let lossCommands: [Command] = [
    Command(
      .restore, .losses, ["r", "<enter>"], "Restore", hint: "restore",
      help: "Restore it, here and on all devices; u undoes that.",
      unless: { $0.selectedLoss == nil ? "Nothing to restore here." : nil },
      perform: { $0.selectedLoss.map { [.write(.restore([$0]))] } ?? [] }),
    Command(
      .leaveLosses, .losses, ["<esc>"], "Leave", hint: "back", help: "Leave this screen.",
      perform: { $0.closeScreen() }),
  ]
}

extension AppState {
  /// What is under the cursor of Recently deleted, of a history or of the conflicts.
  fileprivate var selectedLoss: HistoryEntry.ID? { (screens.last as? any LossScreen)?.selectedLoss }
}
