import Reminders

extension Command {
  /// What can be done with reminders: the marked ones, else the one under the cursor.
  static let reminderCommands: [Command] = [
    Command(
      .toggleDone, .reminders, ["<space>", "x"], "Complete", hint: "done",
      help: "Complete; again within five seconds takes it back.",
      unless: needsWritableReminder, perform: { $0.toggleDone() }),
    Command(
      .editReminder, .reminders, ["e", "<enter>"], "Edit reminder", hint: "edit",
      help: "Edit all fields in a form.",
      unless: needsWritableReminder, perform: { $0.openReminderForm() }),
    Command(
      .deleteReminder, .reminders, ["d", "<delete>"], "Delete reminder", hint: "delete",
      help: "Delete; u takes it back.",
      unless: needsWritableReminder, perform: { [.write(.delete($0.targetIDs))] }),
    Command(
      .toggleFlag, .reminders, ["f", "!"], "Flag", hint: "flag",
      help: "Flag, or take the flag off.",
      unless: needsWritableReminder, perform: { $0.toggleFlag() }),
    Command(
      .setDue, .reminders, ["D"], "Set due date", hint: "due",
      help: "Set the due date: fri 9am, +3d, next week, none.",
      unless: needsWritableReminder, perform: { $0.openDuePrompt() }),
    Command(
      .pickTags, .reminders, ["t"], "Tags", hint: "tags", help: "Put tags on, or take them off.",
      unless: needsReminder, perform: { $0.openTagPicker() }),
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
      .copy, .reminders, ["y"], "Copy", hint: "copy", help: "Copy the titles to the clipboard.",
      unless: needsReminder, perform: { $0.copyTargets() }),
    Command(
      .openHistory, .reminders, ["H"], "History", hint: "history",
      help: "Show who set each field, and restore what was overwritten.",
      unless: needsReminder, perform: { $0.openHistory() }),
    Command(
      .openURL, .reminders, ["O"], "Open link", hint: "open link",
      help: "Open the link of the reminder.",
      unless: { $0.targets.first?.url == nil ? "This reminder has no link." : nil },
      perform: { $0.targets.first?.url.map { [.openURL($0)] } ?? [] }),
  ]

  /// Why a command on reminders is not possible.
  @Sendable static func needsReminder(_ state: AppState) -> String? {
    state.targets.isEmpty ? "There is no reminder here." : nil
  }
}

extension AppState {
  fileprivate var targetIDs: [Reminder.ID] { targets.map(\.id) }

  fileprivate mutating func toggleDone() -> [Effect] {
    completedHere.formUnion(targetIDs)
    let effect = Effect.write(.toggleDone(targetIDs))
    home.marks = []
    return [effect]
  }

  /// Flags all unless all are flagged.
  fileprivate func toggleFlag() -> [Effect] {
    [.write(.edit(targetIDs, [.isFlagged(!targets.allSatisfy(\.isFlagged))]))]
  }

  fileprivate mutating func changePriority(by step: Int) -> [Effect] {
    // Several reminders become alike, beginning from the most important one.
    let current = targets.compactMap(\.priority).max()?.rawValue ?? 0
    let value = min(max(0, current + step), Reminder.Priority.allCases.count)
    let priority = Reminder.Priority(rawValue: value)
    guard targets.contains(where: { $0.priority != priority }) else {
      say("The priority is \(priority?.name ?? "none") already.", .refused)
      return []
    }
    return [.write(.edit(targetIDs, [.priority(priority)]))]
  }

  fileprivate mutating func copyTargets() -> [Effect] {
    let rows = targets
    let text = rows.map(\.title).joined(separator: "\n")
    say(rows.count == 1 ? "Copied the title." : "Copied \(rows.count) titles.")
    return [.copy(text)]
  }
}
