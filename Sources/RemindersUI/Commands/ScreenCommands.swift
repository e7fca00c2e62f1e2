import RemindersCore

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
      .saveTypedSearch, .searchField, ["<c-s>"], "Save the typed search", hint: "save",
      help: "Save the search under a name, as a smart list.",
      unless: needsSearch, perform: { $0.openSearchPrompt() }),
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
      help: "Delete completed results: all, or only old ones.",
      unless: { state in
        state.searchScreen?.result.completedCount ?? 0 > 0 ? nil : "No result is completed."
      },
      perform: { state in
        let query = state.searchScreen?.query(in: state.day)
        return query.map { [.countCompleted(.search($0))] } ?? []
      }),
    Command(
      .orderHits, .hits, ["o"], "Order of results", hint: "order",
      help: "Choose the order of the results, within each list.", perform: { $0.openSortChoice() }),
    Command(
      .saveSearch, .hits, ["W"], "Save the search", hint: "save search",
      help: "Save the search under a name, as a smart list.",
      unless: needsSearch, perform: { $0.openSearchPrompt() }),
    Command(
      .leaveSearch, .hits, ["<esc>"], "Leave search", hint: "back",
      help: "Deselect all, or leave the search.", perform: { $0.leaveHits() }),
  ]

  @Sendable private static func needsSearch(_ state: AppState) -> String? {
    state.searchScreen?.isEmpty == false ? nil : "Type a search first."
  }

  /// What can be done wherever no text is typed, and what always can be.
  static let anywhereCommands: [Command] = [
    Command(
      .undo, .anywhere, ["u"], "Undo", hint: "undo", help: "Undo the last change.",
      unless: { $0.undoSteps.isEmpty ? "Nothing to undo." : nil },
      perform: { state in state.undoSteps.popLast().map { [.write(.undo($0))] } ?? [] }),
    Command(
      .redo, .anywhere, ["U", "<c-r>"], "Redo", hint: "redo", help: "Redo the last undone change.",
      unless: { $0.redoSteps.isEmpty ? "Nothing to redo." : nil },
      perform: { state in state.redoSteps.popLast().map { [.write(.redo($0))] } ?? [] }),
    Command(
      .palette, .anywhere, [":", "<c-p>"], "Commands", hint: "commands",
      help: "Find a command by its name.", perform: { $0.openPalette() }),
    Command(
      .help, .anywhere, ["?"], "Help", hint: "help", help: "Show what the keys do.",
      perform: { $0.openHelp() }),
    Command(
      .messages, .anywhere, ["gm"], "Messages", hint: "messages",
      help: "Show recent messages; Enter copies one.",
      unless: { $0.recentMessages.isEmpty ? "No messages yet." : nil },
      perform: { $0.openMessages() }),
    Command(
      .reload, .anywhere, ["gr"], "Reload the configuration", hint: "reload",
      help: "Reload the configuration file; SIGUSR1 does the same.",
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
      .redraw, .always, ["<c-l>"], "Redraw", hint: "redraw", help: "Redraw the screen.",
      perform: { _ in [.redraw] }),
  ]
}

extension AppState {
  fileprivate mutating func moveHit(_ move: CursorMove) -> [Effect] {
    moveCursor(move)
    return []
  }

  fileprivate mutating func toggleCompletedHits() -> [Effect] {
    searchScreen?.options.showsCompleted.toggle()
    return []
  }
}
