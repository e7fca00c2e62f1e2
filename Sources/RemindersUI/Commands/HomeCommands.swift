import RemindersCore

extension Command {
  /// What can be done on the home screen, wherever its cursor is.
  static let homeCommands: [Command] = [
    Command(
      .addReminder, .home, ["a"], "Add reminder", hint: "add",
      help: "Add in one line: Call the plumber fri 9am #home !!",
      unless: needsWritableListForNew, perform: { $0.openQuickAdd() }),
    Command(
      .newReminder, .home, ["N"], "New reminder in a form", hint: "form",
      help: "Add a reminder in a form with all fields.",
      unless: needsWritableListForNew, perform: { $0.openNewReminderForm() }),
    Command(
      .addList, .home, ["A"], "New list", hint: "new list", help: "Make a new list.",
      perform: { $0.open(ListForm(nil, with: $0.schema)) }),
    Command(
      .addSampleData, .home, ["E"], "Add sample data", hint: "sample data",
      help: "Fill an empty app with sample data.",
      unless: { $0.home.isEmpty ? nil : "Sample data is only for an empty app." },
      perform: { _ in [.write(.addSampleData)] }),
    Command(
      .snooze, .anywhere, ["Z"], "Snooze", hint: "snooze",
      help: "Snooze what is being announced, or the reminder here.",
      unless: { $0.snoozeProblem }, perform: { $0.openSnooze() }),
    Command(
      .search, .anywhere, ["/"], "Search", hint: "search",
      help: "Search \(ReminderField.searchedWords) as you type.",
      perform: { $0.openSearch() }),
    Command(
      .chooseOrder, .home, ["o"], "Order", hint: "order",
      help: "Choose the order of this list.", perform: { $0.openSortChoice() }),
    Command(
      .toggleCompleted, .home, ["."], "Show or hide completed", hint: "completed",
      help: "Show or hide completed reminders in this list.",
      unless: { $0.home.kind == .completed ? "These are all completed." : nil },
      perform: { $0.toggleCompleted() }),
    Command(
      .clearCompleted, .home, ["X"], "Clear completed", hint: "clear completed",
      help: "Delete completed reminders: all, or only old ones.",
      unless: { state in
        state.home.shown?.detail.completedCount ?? 0 > 0 ? nil : "Nothing is completed here."
      },
      perform: { state in state.home.kind.map { [.countCompleted(.list($0))] } ?? [] }),
    Command(
      .deselectAll, .home, ["<esc>"], "Deselect all", hint: "deselect",
      help: "Deselect all, or go back to the reminders.",
      perform: { $0.goBack() }),
    Command(
      .moveUp, .home, ["K"], "Move up", hint: "up",
      help: "Move the reminder up in the manual order.",
      unless: needsManualOrder, perform: { $0.moveReminder(by: -1) }),
    Command(
      .moveDown, .home, ["J"], "Move down", hint: "down",
      help: "Move the reminder down in the manual order.",
      unless: needsManualOrder, perform: { $0.moveReminder(by: 1) }),
    toggle(
      .toggleDensity, "zd", .compact, "Density: compact or normal",
      "Show one line for each reminder, or notes and tags, too."),
    toggle(
      .toggleCovers, "zc", .covers, "Show or hide covers", "Show or hide the covers of lists."),
    toggle(
      .toggleSidebar, "zs", .sidebar, "Show or hide the sidebar",
      "Show the lists always, or only while they have the keys."),
    Command(
      .nextPane, .home, ["<tab>"], "Next pane", hint: "panes", help: "Go to the next pane.",
      perform: { $0.focus($0.home.focus == .lists ? .reminders : .lists) }),
    Command(
      .previousPane, .home, ["<s-tab>"], "Previous pane", hint: "panes",
      help: "Go to the previous pane.",
      perform: { $0.focus($0.home.focus == .lists ? .reminders : .lists) }),
    Command(
      .leftPane, .home, ["h", "<left>"], "To the lists", hint: "lists", help: "Go to the lists.",
      perform: { $0.focus(.lists) }),
    Command(
      .rightPane, .home, ["l", "<right>"], "To the reminders", hint: "reminders",
      help: "Go to the reminders.",
      perform: { $0.focus(.reminders) }),
    Command(
      .goToday, .home, ["gt"], "Go to Today", hint: "today", help: "Go to Today.",
      perform: { $0.go(to: .smart(.today)) }),
    Command(
      .goScheduled, .home, ["gs"], "Go to Scheduled", hint: "scheduled",
      help: "Go to Scheduled.",
      perform: { $0.go(to: .smart(.scheduled)) }),
    Command(
      .goAll, .home, ["ga"], "Go to All", hint: "all", help: "Go to All.",
      perform: { $0.go(to: .smart(.all)) }),
    Command(
      .goFlagged, .home, ["gf"], "Go to Flagged", hint: "flagged", help: "Go to Flagged.",
      perform: { $0.go(to: .smart(.flagged)) }),
    Command(
      .goCompleted, .home, ["gc"], "Go to Completed", hint: "completed",
      help: "Go to Completed.",
      perform: { $0.go(to: .smart(.completed)) }),
    Command(
      .goDeleted, .home, ["gd"], "Go to Recently deleted", hint: "deleted",
      help: "Go to what was deleted in the last 30 days.",
      perform: { $0.open(DeletedScreen()) }),
    Command(
      .goLists, .home, ["gl"], "Go to the lists", hint: "lists", help: "Go to the first list.",
      perform: { $0.goToLists() }),
  ]

  private static func toggle(
    _ id: ID, _ keys: String, _ toggle: Toggle, _ title: String, _ help: String
  ) -> Command {
    Command(id, .home, [keys], title, hint: title.lowercased(), help: help) { $0.flip(toggle) }
  }

  @Sendable private static func needsReminderPane(_ state: AppState) -> String? {
    state.home.currentRow == nil ? "There is no reminder here." : nil
  }

  @Sendable private static func needsWritableListForNew(_ state: AppState) -> String? {
    state.listForNewReminder.flatMap { state.readOnlyReason(of: [$0.id]) }
  }

  @Sendable private static func needsManualOrder(_ state: AppState) -> String? {
    if let reason = needsReminderPane(state) { return reason }
    if let list = state.home.currentRow?.list, let reason = state.readOnlyReason(of: [list.id]) {
      return reason
    }
    return state.home.currentOptions.sort == .manual
      ? nil : "Only in the manual order: \(state.keymap.keyName(of: .chooseOrder)) chooses it."
  }
}

extension AppState {
  fileprivate mutating func openQuickAdd() -> [Effect] {
    open(QuickAdd(quickAddMemory.unfinished, in: listForNewReminder, isKept: true))
  }

  fileprivate mutating func openNewReminderForm() -> [Effect] {
    let draft = ReminderDraft(title: "", listID: listForNewReminder?.id)
    return open(ReminderForm(draft, of: nil, in: time, with: schema))
  }

  fileprivate mutating func toggleCompleted() -> [Effect] {
    home.currentOptions.showsCompleted.toggle()
    return []
  }

  /// One step back; at the root there is none.
  fileprivate mutating func goBack() -> [Effect] {
    if home.selection.isEmpty { home.focus = .reminders } else { home.selection.ids = [] }
    return []
  }

  fileprivate func moveReminder(by step: Int) -> [Effect] {
    guard let row = home.currentRow else { return [] }
    let id = row.id
    // A subtask moves among those of its parent, and others past whole parents.
    let parent = row.isUnderParent ? row.parentID : nil
    let ids = home.rows.filter { ($0.isUnderParent ? $0.parentID : nil) == parent }.map(\.id)
    guard let index = ids.firstIndex(of: id), ids.indices.contains(index + step) else { return [] }
    return [.write(.move(id, step < 0 ? .before : .after, ids[index + step]))]
  }

  mutating func focus(_ pane: HomeState.Pane) -> [Effect] {
    home.focus = pane
    return []
  }

  mutating func go(to item: SidebarItem) -> [Effect] {
    home.lists.moveCursor(to: item)
    return focus(.reminders)
  }

  fileprivate mutating func goToLists() -> [Effect] {
    if let first = home.sidebar?.lists.first { home.lists.moveCursor(to: .list(first.id)) }
    return focus(.lists)
  }
}
