import RemindersCore
import RemindersTerminal

/// Fields to fill in and to save.
protocol Form: Screen {
  /// How many fields say something else than they did.
  func changeCount(in time: LocalTime) -> Int
  /// The changes as a write; nil when there are none.
  ///
  /// - Throws: `Problem` when a field makes no sense.
  func write(in time: LocalTime) throws(Problem) -> Write?
  /// Why what is typed in the field with the focus makes no sense; nil when it does.
  func problem(in time: LocalTime) -> Problem?
  /// Goes to another field.
  mutating func moveFocus(by count: Int, in time: LocalTime)
  /// Goes to the first field that makes no sense.
  mutating func moveFocusToProblem(in time: LocalTime)
  /// Whether a point is in another field than the one with the focus.
  func isInOtherField(_ point: Point, in state: AppState) -> Bool
  /// Completes what is typed.
  ///
  /// - Returns: Whether there was anything to complete.
  mutating func complete(in state: AppState) -> Bool
}

extension Form {
  func problem(in time: LocalTime) -> Problem? { nil }
  mutating func moveFocusToProblem(in time: LocalTime) {}
}

/// A screen in which a due date is typed.
protocol DueEditing: Screen {
  mutating func changeDue(_ change: (inout DueField) -> Void)
}

// What the commands of forms do.

extension AppState {
  /// The reminder form that has the keys.
  var reminderForm: ReminderForm? { screens[top: ReminderForm.self] }

  /// The list form that has the keys.
  var listForm: ListForm? {
    get { screens[top: ListForm.self] }
    set { screens[top: ListForm.self] = newValue }
  }

  mutating func openReminderForm() -> [Effect] {
    guard let row = targets.row ?? currentRow else { return [] }
    return openForm(of: row)
  }

  mutating func openForm(of row: ReminderRow) -> [Effect] {
    // The row knows all but the whole notes; those come with the first result.
    let known = home.current(row.id)?.details ?? row
    // Of neither a screen reads more than is needed to know that.
    for (word, text) in [("title", known.title), ("url", known.url ?? "")]
    where text.isLongerThanAnyTitle {
      return refuse(
        Problem(
          "The \(word == "url" ? "link" : word) is too long to be edited here.",
          hint: "Another one: reminders edit \(row.id) --\(word) \(word.uppercased())"))
    }
    return open(
      ReminderForm(
        known.reminder.draft, of: row.id, in: time, with: schema, under: row.parentTitle,
        readOnlyReason: readOnlyReason(of: [row.list.id])))
  }

  /// Saves the form and leaves it; stays when something in it makes no sense.
  mutating func save() -> [Effect] {
    // A file that could not be read may be there by now.
    if case .failed = listForm?.cover.outcome, listForm?.isSaving == false {
      listForm?.cover.readAgain()
    }
    if listForm?.cover.outcome == .reading {
      listForm?.isSaving = true
      notify("Reading the image; then it is saved.")
      return []
    }
    if let list = listForm?.list, let sidebar = home.sidebar {
      listForm?.isGone = !sidebar.lists.contains { $0.id == list.id }
    }
    guard let form = screens.last as? any Form else { return [] }
    do throws(Problem) {
      return try form.write(in: time).map { leave(for: $0) } ?? closeScreen()
    } catch {
      listForm?.isSaving = false
      let time = time
      changeForm { $0.moveFocusToProblem(in: time) }
      return refuse(error)
    }
  }

  /// Leaves the form; asks first when something would be lost.
  mutating func cancelForm() -> [Effect] {
    guard let form = screens.last as? any Form else { return [] }
    let count = form.changeCount(in: time)
    guard count > 0 else { return closeScreen() }
    return open(
      ConfirmationScreen(
        title: "Discard changes?", text: "\(counted(count, "field")) changed and not saved.",
        answer: .discard))
  }

  /// Goes to another field, unless what is typed in this one makes no sense.
  mutating func moveFocus(by count: Int) -> [Effect] {
    if let problem = (screens.last as? any Form)?.problem(in: time) { return refuse(problem) }
    let time = time
    changeForm { $0.moveFocus(by: count, in: time) }
    return []
  }

  /// Tab: completes a tag or a path, else goes on.
  mutating func completeOrMoveFocus() -> [Effect] {
    let state = self
    return changeForm({ $0.complete(in: state) }) == true ? [] : moveFocus(by: 1)
  }

  /// Enter in a line: completes a tag or a path, else goes on; the short form of a list is saved.
  mutating func completeOrGoOn() -> [Effect] {
    let state = self
    if changeForm({ $0.complete(in: state) }) == true { return [] }
    return listForm != nil ? save() : moveFocus(by: 1)
  }

  @discardableResult
  private mutating func changeForm<Value>(_ change: (inout any Form) -> Value) -> Value? {
    guard var form = screens.last as? any Form else { return nil }
    defer { screens[screens.count - 1] = form }
    return change(&form)
  }

  mutating func changeDue(_ change: (inout DueField, LocalTime) -> Void) -> [Effect] {
    guard var screen = screens.last as? any DueEditing else { return [] }
    screen.changeDue { change(&$0, time) }
    screens[screens.count - 1] = screen
    return []
  }
}
