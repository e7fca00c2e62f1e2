import RemindersCore
import RemindersTerminal

/// Asks when reminders are due, and shows how the answer is understood while it is typed.
struct DuePrompt: LinePrompt, DueEditing {
  let reminderIDs: [Reminder.ID]
  /// What they are called.
  let subject: String
  var line: DueField
  let acceptHint = "set"

  let contexts: [Context] = [.dueField, .prompt, .always]
  let hints: [Command.ID] = [
    .accept, .cancel, .clearDue, .today, .dayLater, .dayEarlier, .helpInText,
  ]

  init(_ targets: Targets, in time: LocalTime) {
    reminderIDs = targets.ids
    subject = targets.subject
    line = DueField(targets.row?.due, in: time)
  }

  mutating func changeDue(_ change: (inout DueField) -> Void) { change(&line) }

  /// Whether nothing was chosen yet for several reminders, each of which has a date of its own.
  private var keepsDates: Bool {
    reminderIDs.count > 1 && line.field.text.isEmpty && line.isUntouched
  }

  func accept(in state: inout AppState) -> [Effect] {
    guard !keepsDates else {
      return state.refuse(Problem("Type a date first, or none to remove all of them."))
    }
    do throws(Problem) {
      let due = try line.due(in: state.time)
      return state.closeScreen() + [.write(.edit(reminderIDs, [.set(\.due, due)]))]
    } catch {
      // Below the line it says why.
      return []
    }
  }

  func surroundings(in state: AppState) -> LineSurroundings {
    let glyphs = state.appearance.glyphs
    return LineSurroundings(
      columns: 60, title: "Due \(glyphs.separator) \(subject)",
      placeholder: ReminderField.due.example,
      explanation: keepsDates
        ? [StyledRun("each keeps its date until you type one, or none", .dim)]
        : line.explanation(in: state.time, glyphs), isExplainedApart: false)
  }
}
