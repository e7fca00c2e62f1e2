import RemindersCore

/// A screen with reminders, on which the commands of this file act.
protocol ReminderScreen: Screen {
  /// The reminder under the cursor.
  var currentRow: ReminderRow? { get }
  /// Why nothing can be selected; nil where it can.
  var selectionProblem: String? { get }
  /// Why there is no reminder under the cursor, where there is more to say than that.
  func rowProblem(in state: AppState) -> String?
}

extension ReminderScreen {
  var selectionProblem: String? { "Nothing can be selected here." }

  func rowProblem(in state: AppState) -> String? { nil }
}

extension Command {
  /// What can be done with reminders: the selected ones, else the one under the cursor.
  static let reminderCommands: [Command] = [
    Command(
      .toggleDone, .reminders, ["<space>", "x"], "Complete", hint: "done",
      help: "Complete; again within five seconds undoes it.",
      unless: needsWritableReminder, perform: { $0.toggleDone() }),
    Command(
      .editReminder, .reminders, ["e", "<enter>"], "Edit reminder", hint: "edit",
      help: "Edit all fields in a form, or read them.",
      unless: needsOneReminder, perform: { $0.openReminderForm() }
    ).hinting { needsWritableReminder($0) == nil ? "edit" : "read" },
    Command(
      .deleteReminder, .reminders, ["d", "<delete>"], "Delete reminder", hint: "delete",
      help: "Delete; u undoes it.",
      unless: needsWritableReminder, perform: { $0.deleteTargets() }),
    Command(
      .toggleFlag, .reminders, ["f", "!"], "Flag", hint: "flag",
      help: "Flag, or remove the flag.",
      unless: needsWritableReminder, perform: { $0.toggleFlag() }),
    Command(
      .setDue, .reminders, ["D"], "Set due date", hint: "due",
      help: "Set the due date: fri 9am, +3d, next week, none.",
      unless: needsWritableReminder, perform: { $0.open(DuePrompt($0.targets, in: $0.time)) }),
    Command(
      .skip, .reminders, ["gn"], "Skip this occurrence", hint: "skip",
      help: "Go on to the next occurrence, with nothing done.",
      unless: needsSeries, perform: { [.write(.skip($0.targets.ids))] }),
    Command(
      .pickTags, .reminders, ["t"], "Tags", hint: "tags", help: "Add or remove tags.",
      unless: needsReminder, perform: { $0.open(TagPicker($0.targets)) }),
    Command(
      .raisePriority, .reminders, ["+", "="], "Raise priority", hint: "priority",
      help: "Make it more important: low, medium, high.",
      unless: needsWritableReminder, perform: { $0.changePriority(by: 1) }),
    Command(
      .lowerPriority, .reminders, ["-"], "Lower priority", hint: "less",
      help: "Make it less important.",
      unless: needsWritableReminder, perform: { $0.changePriority(by: -1) }),
    Command(
      .moveToList, .reminders, ["m"], "Move to list", hint: "move", help: "Move to another list.",
      unless: needsWritableReminder, perform: { $0.openMoveChoice() }),
    Command(
      .nest, .reminders, [">"], "Make a subtask", hint: "subtask",
      help: "Make it a subtask of the reminder above.",
      unless: needsReminderAbove, perform: { $0.nest() }),
    Command(
      .unnest, .reminders, ["<lt>"], "Make no subtask", hint: "no subtask",
      help: "Make a subtask an ordinary reminder again.",
      unless: { state in
        needsWritableReminder(state) ?? needsOneReminder(state)
          ?? (state.targets.row?.parentTitle == nil ? "This is not a subtask." : nil)
      },
      perform: { [.write(.edit($0.targets.ids, [.set(\.parentID, nil)]))] }),
    Command(
      .select, .reminders, ["v"], "Select", hint: "select",
      help: "Select, to act on several at once.",
      unless: needsCursor, perform: { $0.toggleSelection() }),
    Command(
      .selectAll, .reminders, ["V"], "Select all", hint: "select all",
      help: "Select all reminders of this list or search, or none.",
      unless: needsCursor, perform: { $0.toggleSelectionOfAll() }),
    Command(
      .copy, .reminders, ["y"], "Copy", hint: "copy", help: "Copy the titles to the clipboard.",
      unless: needsReminder, perform: { $0.copyTargets() }),
    Command(
      .openHistory, .reminders, ["H"], "History", hint: "history",
      help: "Show who set each field, and restore what was overwritten.",
      unless: needsOneReminder, perform: { $0.openHistory() }),
    Command(
      .openURL, .reminders, ["O"], "Open link", hint: "open link",
      help: "Open the link of the reminder.",
      unless: { state in
        needsOneReminder(state)
          ?? unopenable(state.targets.row?.url)
      },
      perform: { $0.targets.row?.url.map { [.openURL($0)] } ?? [] }),
  ]

  /// Why a link cannot be opened: of one without end, a row has the beginning.
  private static func unopenable(_ link: String?) -> String? {
    guard let link else { return "This reminder has no link." }
    return link.isLongerThanAnyTitle
      ? "The link is too long: reminders show --json has all of it." : nil
  }

  /// Why a command on a single reminder is not possible.
  @Sendable private static func needsOneReminder(_ state: AppState) -> String? {
    if let reason = needsReminder(state) { return reason }
    guard state.targets.ids.count > 1 else { return nil }
    let deselect: Command.ID = state.searchScreen == nil ? .deselectAll : .leaveSearch
    return "Several are selected: \(state.keymap.keyName(of: deselect)) deselects them."
  }

  /// Why there is no next occurrence to go on to.
  @Sendable private static func needsSeries(_ state: AppState) -> String? {
    if let reason = needsWritableReminder(state) { return reason }
    guard let row = state.targets.row, row.recurrence == nil else { return nil }
    return "It does not come again."
  }

  /// Why what is under the cursor cannot be a part of what stands above it.
  @Sendable private static func needsReminderAbove(_ state: AppState) -> String? {
    if let reason = needsWritableReminder(state) ?? needsOneReminder(state) { return reason }
    if state.currentRow?.subtasks != nil { return "It has subtasks itself." }
    return state.reminderAbove == nil ? "Only below another reminder of the same list." : nil
  }

  /// Why what is under the cursor cannot be selected.
  @Sendable private static func needsCursor(_ state: AppState) -> String? {
    if let problem = state.reminderScreen?.selectionProblem { return problem }
    return state.currentRow == nil ? "There is no reminder here." : nil
  }

  /// Why a command on reminders is not possible.
  @Sendable static func needsReminder(_ state: AppState) -> String? {
    guard state.targets.ids.isEmpty else { return nil }
    return state.reminderScreen?.rowProblem(in: state) ?? "There is no reminder here."
  }
}

extension AppState {
  /// The reminder of the list that the one under the cursor can be a part of.
  fileprivate var reminderAbove: Reminder.ID? {
    guard screens.isEmpty, home.kind?.isOneList == true, let current = currentRow,
      !current.isUnderParent, let index = home.rows.firstIndex(where: { $0.id == current.id })
    else { return nil }
    return home.rows[..<index].last { !$0.isUnderParent && $0.status == .incomplete }?.id
  }

  fileprivate func nest() -> [Effect] {
    guard let parent = reminderAbove else { return [] }
    return [.write(.edit(targets.ids, [.set(\.parentID, parent)]))]
  }

  /// Deletes reminders; asks first when there is more to it than is seen.
  fileprivate mutating func deleteTargets() -> [Effect] {
    guard let row = targets.row, let parts = row.subtasks else {
      return [.write(.delete(targets.ids))]
    }
    return open(
      ConfirmationScreen(
        title: "Delete with \(counted(parts.total, "subtask"))?", text: row.title,
        answer: .write(.delete(targets.ids))))
  }

  fileprivate mutating func toggleDone() -> [Effect] {
    guard let row = targets.row, row.status == .incomplete, let parts = row.subtasks,
      parts.done < parts.total
    else { return completeTargets() }
    return open(
      ConfirmationScreen(
        title: "Complete with \(counted(parts.total - parts.done, "open subtask"))?",
        text: row.title, answer: .complete))
  }

  mutating func completeTargets() -> [Effect] {
    let ids = targets.ids
    completedHere.formUnion(ids)
    selection.ids = []
    return [.write(.toggleDone(ids))]
  }

  fileprivate mutating func toggleSelection() -> [Effect] {
    guard let id = currentRow?.id else { return [] }
    selection.ids.formSymmetricDifference([id])
    moveCursor(.down)
    return []
  }

  fileprivate mutating func toggleSelectionOfAll() -> [Effect] {
    guard selection.count < rowCount else {
      selection.ids = []
      return []
    }
    return rowSource.map { [.findAll($0)] } ?? []
  }

  /// Selects all that were found, if they are still what is shown.
  mutating func select(_ ids: Set<Reminder.ID>, in source: RowSource) {
    switch source {
    case .list(let query): if query.kind == home.shown?.query.kind { home.selection.ids = ids }
    case .search(let query):
      let shown = searchScreen?.query(in: query.time).map { RowSource.search($0) }
      if shown?.whole == source.whole { searchScreen?.selection.ids = ids }
    }
  }

  /// Flags all unless all are flagged.
  fileprivate func toggleFlag() -> [Effect] {
    let targets = targets
    return [.write(.edit(targets.ids, [.set(\.isFlagged, !targets.all.areAllFlagged)]))]
  }

  fileprivate mutating func changePriority(by step: Int) -> [Effect] {
    let targets = targets
    let last: Reminder.Priority? = step > 0 ? .high : nil
    guard targets.all.priorities != [last] else {
      notify("The priority is \(last?.name ?? "none") already.", .refused)
      return []
    }
    guard targets.ids.count == 1, let current = targets.all.priorities.first else {
      // Each from its own.
      return [.write(.changePriority(targets.ids, by: step))]
    }
    let priority = Reminder.Priority.moved(current, by: step)
    return [.write(.edit(targets.ids, [.set(\.priority, priority)]))]
  }

  fileprivate mutating func copyTargets() -> [Effect] {
    let titles = targets.all.titles
    notify(titles.count == 1 ? "Copied the title." : "Copied \(titles.count) titles.")
    return [.copy(titles.joined(separator: "\n"))]
  }
}
