import Reminders

extension Command {
  /// What can be done in a search.
  static let searchCommands: [Command] = [
    Command(
      .showHits, .searchField, ["<enter>"], "To the results", hint: "results",
      help: "Go to the results, where commands work on reminders.",
      perform: { $0.showHits() }),
    Command(
      .makeToken, .searchField, ["<tab>"], "Make a token", hint: "tag or near",
      help: "Only this tag (#word), or this word near others (word).",
      perform: { $0.makeToken() }),
    Command(
      .leaveSearchField, .searchField, ["<esc>", "<c-c>"], "Leave search", hint: "back",
      help: "Leave the search.", perform: { $0.closeScreen() }),
    Command(
      .nextHit, .hits, ["n"], "Next result", hint: "next", help: "Go to the next result.",
      perform: { $0.moveHit(.down) }),
    Command(
      .previousHit, .hits, ["N"], "Previous result", hint: "previous",
      help: "Go to the previous result.", perform: { $0.moveHit(.up) }),
    Command(
      .showCompletedHits, .hits, ["."], "Show or hide completed results", hint: "completed",
      help: "Show or hide completed reminders among the results.",
      perform: { $0.toggleCompletedHits() }),
    Command(
      .clearCompletedHits, .hits, ["X"], "Clear completed results", hint: "clear completed",
      help: "Delete completed results: all, or those left alone for long.",
      unless: { state in
        state.searchScreen?.result.completedCount ?? 0 > 0 ? nil : "No result is completed."
      },
      perform: { state in
        let query = state.searchScreen?.query(in: state.day)
        return query.map { [.countCompleted(.search($0))] } ?? []
      }),
    Command(
      .leaveSearch, .hits, ["<esc>"], "Leave search", hint: "back", help: "Leave the search.",
      perform: { $0.closeScreen() }),
  ]

  /// What can be done on the sync screen, and with synchronization everywhere.
  static let syncCommands: [Command] = [
    Command(
      .openSync, .anywhere, ["S"], "Sync screen", hint: "sync",
      help: "Show how synchronization stands, and its log.",
      perform: { $0.openSync() }),
    Command(
      .toggleSync, .anywhere, ["s"], "Stop or start sync", hint: "sync",
      help: "Stop or start synchronization; edits are kept.",
      unless: needsAccount, perform: { $0.toggleSync() }
    ).hinting { $0.sync?.status.isRunning == true ? "stop sync" : "start sync" },
    Command(
      .syncNow, .anywhere, ["R"], "Sync now", hint: "sync now", help: "Fetch and send now.",
      unless: needsRunningSync,
      perform: { state in
        state.say("Synchronizing.")
        return [.syncNow]
      }),
    Command(
      .showLog, .sync, ["1"], "Log", hint: "log", help: "Show the log of synchronization.",
      perform: { $0.show(.log) }),
    Command(
      .showWaiting, .sync, ["2"], "What waits", hint: "waiting",
      help: "Show each change that waits, why, and when it is tried again.",
      perform: { $0.show(.waiting) }),
    Command(
      .showConflicts, .sync, ["3"], "Conflicts", hint: "conflicts",
      help: "Show what was edited on two devices at once: both values.",
      perform: { $0.show(.conflicts) }),
    Command(
      .nextSyncPane, .sync, ["<tab>"], "Next of the three", hint: "panes",
      help: "Go on to the log, what waits, or the conflicts.",
      perform: { $0.showNextPane() }),
    Command(
      .copyLog, .sync, ["y"], "Copy the log", hint: "copy log",
      help: "Copy the log to the clipboard.",
      unless: needsCloud,
      perform: { state in
        state.say("Copied the log.")
        return [.copy(state.logText)]
      }),
    Command(
      .leaveSync, .sync, ["<esc>"], "Leave the sync screen", hint: "back",
      help: "Leave the sync screen.", perform: { $0.closeScreen() }),
  ]

  @Sendable private static func needsRunningSync(_ state: AppState) -> String? {
    if let reason = needsAccount(state) { return reason }
    return state.sync?.status.isRunning == true
      ? nil : "Sync is stopped: \(state.keymap.keyName(of: .toggleSync)) starts it."
  }

  /// What can be done wherever no text is typed, and what always can be.
  static let anywhereCommands: [Command] = [
    Command(
      .undo, .anywhere, ["u"], "Undo", hint: "undo", help: "Take back the last change made here.",
      unless: { $0.undoSteps.isEmpty ? "There is nothing to take back." : nil },
      perform: { state in state.undoSteps.popLast().map { [.write(.undo($0))] } ?? [] }),
    Command(
      .redo, .anywhere, ["U", "<c-r>"], "Redo", hint: "redo", help: "Do again what was taken back.",
      unless: { $0.redoSteps.isEmpty ? "There is nothing to do again." : nil },
      perform: { state in state.redoSteps.popLast().map { [.write(.redo($0))] } ?? [] }),
    Command(
      .palette, .anywhere, [":", "<c-p>"], "Commands", hint: "commands",
      help: "Find a command by its name.", perform: { $0.openPalette() }),
    Command(
      .help, .anywhere, ["?"], "Help", hint: "help", help: "Show what the keys do.",
      perform: { $0.openHelp() }),
    Command(
      .messages, .anywhere, ["gm"], "Messages", hint: "messages",
      help: "Look again at what was said; Enter copies it.",
      unless: { $0.saidMessages.isEmpty ? "Nothing was said yet." : nil },
      perform: { $0.openMessages() }),
    Command(
      .reload, .anywhere, ["gr"], "Reload the configuration", hint: "reload",
      help: "Read the configuration file again; SIGUSR1 does the same.",
      perform: { _ in [.readSettings] }),
    Command(
      .quit, .anywhere, ["q", "<c-c>"], "Quit", hint: "quit", help: "Quit; everything is saved.",
      perform: { $0.quit() }),
    Command(
      .helpInText, .always, ["<f1>"], "Help", hint: "help",
      help: "Show what the keys do, also in a form.", perform: { $0.openHelp() }),
    Command(
      .suspend, .always, ["<c-z>"], "Suspend", hint: "suspend",
      help: "Go back to the shell; fg returns.", perform: { _ in [.suspend] }),
    Command(
      .redraw, .always, ["<c-l>"], "Redraw", hint: "redraw", help: "Paint the screen anew.",
      perform: { _ in [.redraw] }),
  ]
}

extension AppState {
  mutating func closeScreen() -> [Effect] {
    screens.removeLast()
    return []
  }

  fileprivate mutating func moveHit(_ move: CursorMove) -> [Effect] {
    moveCursor(move)
    return []
  }

  fileprivate mutating func toggleCompletedHits() -> [Effect] {
    searchScreen?.showsCompleted.toggle()
    return []
  }

  fileprivate mutating func openSync() -> [Effect] {
    if case .sync = screens.last { return [] }
    screens.append(.sync(SyncScreen()))
    return []
  }

  fileprivate mutating func toggleSync() -> [Effect] {
    let isRunning = sync?.status.isRunning == true
    say(isRunning ? "Sync stopped; edits wait here." : "Sync started.")
    return [isRunning ? .stopSync : .startSync]
  }
}
