import RemindersCore

extension Command {
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
        state.notify("Synchronizing.")
        return [.syncNow]
      }),
    Command(
      .showLog, .sync, ["1"], "Log", hint: "log", help: "Show the log of synchronization.",
      perform: { $0.show(.log) }),
    Command(
      .showWaiting, .sync, ["2"], "Pending changes", hint: "pending",
      help: "Show each pending change, why, and when it is tried again.",
      perform: { $0.show(.waiting) }),
    Command(
      .showConflicts, .sync, ["3"], "Conflicts", hint: "conflicts",
      help: "Show the conflicts that this device resolved, with both values.",
      perform: { $0.show(.conflicts) }),
    Command(
      .nextSyncPane, .sync, ["<tab>"], "Next of the three", hint: "panes",
      help: "Switch between the log, pending changes and conflicts.",
      perform: { $0.showNextPane() }),
    Command(
      .copyLog, .sync, ["y"], "Copy the log", hint: "copy log",
      help: "Copy the lines that are shown to the clipboard.",
      unless: needsLog,
      perform: { state in
        let lines = state.logText
        state.notify("Copied \(counted(lines.count, "line")) of the log.")
        return [.copy(lines.joined(separator: "\n"))]
      }),
    Command(
      .saveLog, .sync, ["w"], "Write the log to a file", hint: "write log",
      help: "Write the lines that are shown to a file in your home.",
      unless: needsLog, perform: { [.saveLog($0.logText.joined(separator: "\n") + "\n")] }),
    Command(
      .leaveSync, .sync, ["<esc>"], "Leave the sync screen", hint: "back",
      help: "Show all of the log again; then, leave the sync screen.",
      perform: { $0.leaveSync() }),
  ]

  /// What can be done with the log on the sync screen.
  static let logCommands: [Command] = [
    Command(
      .nextLogFilter, .syncLog, ["f"], "Show other lines of the log", hint: "filter",
      help: "Show all, or only what was fetched, sent, merged, or wrong.",
      perform: { state in
        let filter = state.syncScreen?.log.filter ?? .all
        state.syncScreen?.log.filter = filter.next
        return []
      }),
    Command(
      .findInLog, .syncLog, ["/"], "Find in the log", hint: "find",
      help: "Show only the lines with these words.",
      perform: { state in
        state.syncScreen?.log.isTyping = true
        return []
      }),
    Command(
      .followLog, .syncLog, ["F"], "Follow the log", hint: "follow",
      help: "Go to the newest line, and stay at it.",
      perform: { state in
        state.syncScreen?.log.follow()
        return []
      }),
    Command(
      .keepLogWords, .syncLogField, ["<enter>"], "To the lines", hint: "to the lines",
      help: "Go to the lines with these words.",
      perform: { state in
        state.syncScreen?.log.isTyping = false
        return []
      }),
    Command(
      .dropLogWords, .syncLogField, ["<esc>", "<c-c>"], "Show all of the log", hint: "all",
      help: "Show all of the log again.",
      perform: { state in
        state.syncScreen?.log.showAll()
        return []
      }),
  ]

  @Sendable private static func needsRunningSync(_ state: AppState) -> String? {
    if let reason = needsAccount(state) { return reason }
    return state.sync?.status.isRunning == true
      ? nil : "Sync is stopped: \(state.keymap.keyName(of: .toggleSync)) starts it."
  }

  @Sendable private static func needsLog(_ state: AppState) -> String? {
    if let reason = needsCloud(state) { return reason }
    return state.syncScreen?.log.lines.isEmpty == false ? nil : "No line of the log is shown."
  }
}

extension AppState {
  fileprivate mutating func openSync() -> [Effect] {
    screens.last is SyncScreen ? [] : open(SyncScreen())
  }

  fileprivate mutating func toggleSync() -> [Effect] {
    let isRunning = sync?.status.isRunning == true
    set(.sync, !isRunning)
    notify(isRunning ? "Sync stopped; edits are kept here." : "Sync started.")
    return [isRunning ? .stopSync : .startSync]
  }

  fileprivate mutating func leaveSync() -> [Effect] {
    guard let screen = syncScreen, screen.pane == .log, screen.log.isFiltered else {
      return closeScreen()
    }
    syncScreen?.log.showAll()
    return []
  }

  /// The lines of the log that are shown, as text.
  fileprivate var logText: [String] {
    guard let log = syncScreen?.log else { return [] }
    return log.lines.map { line in
      let words = line.fact.words(.unicode)
      let record = line.fact.record.map { "\(log.title(of: $0)) (\($0.name))" }
      return [time.secondText(of: line.moment), words.what, record, words.outcome].compactMap { $0 }
        .joined(separator: "  ")
    }
  }
}
