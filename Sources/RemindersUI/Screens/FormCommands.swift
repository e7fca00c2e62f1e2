import Reminders
import Terminal

// What the commands of forms do.

extension AppState {
  /// The reminder form that has the keys.
  var reminderForm: ReminderForm? {
    get {
      if case .reminderForm(let form) = screens.last { form } else { nil }
    }
    set {
      if let newValue { screens[screens.count - 1] = .reminderForm(newValue) }
    }
  }

  /// The list form that has the keys.
  var listForm: ListForm? {
    get {
      if case .listForm(let form) = screens.last { form } else { nil }
    }
    set {
      if let newValue { screens[screens.count - 1] = .listForm(newValue) }
    }
  }

  mutating func openReminderForm() -> [Effect] {
    guard let row = targets.row ?? home.currentRow else { return [] }
    // The row knows all but the whole notes; those come with the first finding.
    let known = home.current(row.id)?.details ?? row
    let form = ReminderForm(
      known.reminder.draft, of: row.id, in: time, with: schema,
      readOnlyReason: readOnlyReason(of: [row.list.id]))
    screens.append(.reminderForm(form))
    return []
  }

  mutating func openListForm(_ list: RemindersList?) -> [Effect] {
    screens.append(.listForm(ListForm(list, with: schema)))
    return []
  }

  /// Saves the form and leaves it; stays when something in it makes no sense.
  mutating func save() -> [Effect] {
    if listForm?.cover.outcome == .reading {
      listForm?.isSaving = true
      say("Reading the image; then it is saved.")
      return []
    }
    do throws(Problem) {
      let write =
        if let form = reminderForm { try form.write(in: time) } else { try listForm?.write() }
      return write.map { leave(for: $0) } ?? closeScreen()
    } catch {
      say(error.description, .refused)
      return []
    }
  }

  /// Leaves the form; asks first when something would be lost.
  mutating func cancelForm() -> [Effect] {
    let count = reminderForm?.changedFields(in: time).count ?? listForm?.changeCount ?? 0
    guard count > 0 else {
      screens.removeLast()
      return []
    }
    screens.append(
      .question(
        Question(
          title: "Discard changes?",
          text: "\(counted(count, "field")) changed and not saved.", answer: .discard)))
    return []
  }

  mutating func moveFocus(by count: Int) -> [Effect] {
    reminderForm?.moveFocus(by: count)
    listForm?.moveFocus(by: count)
    return []
  }

  /// Enter in a line: completes a tag or a path, else goes on; the short form of a list is saved.
  mutating func completeOrGoOn() -> [Effect] {
    let sidebar = home.sidebar
    if reminderForm?.completeTag(of: sidebar) == true { return [] }
    if listForm?.focus == .cover, listForm?.cover.complete() == true { return [] }
    if listForm != nil { return save() }
    return moveFocus(by: 1)
  }

  // MARK: - The due date

  mutating func changeDue(_ change: (inout DueField, LocalTime) -> Void) -> [Effect] {
    if var form = reminderForm {
      form.changeDue { change(&$0, time) }
      reminderForm = form
    } else if case .duePrompt(var prompt) = screens.last {
      change(&prompt.due, time)
      screens[screens.count - 1] = .duePrompt(prompt)
    }
    return []
  }
}
