import Reminders
import Terminal

/// Asks when reminders are due, and shows how the answer is understood while it is typed.
struct DuePrompt: Equatable, Sendable {
  let reminderIDs: [Reminder.ID]
  /// What they are called.
  let subject: String
  var due: DueField
}

extension AppState {
  mutating func openDuePrompt() -> [Effect] {
    let targets = targets
    screens.append(
      .duePrompt(
        DuePrompt(
          reminderIDs: targets.ids, subject: targets.subject,
          due: DueField(targets.row?.due, in: time))))
    return []
  }

  mutating func accept(_ prompt: DuePrompt) -> [Effect] {
    do throws(Problem) {
      let due = try prompt.due.due(in: time)
      screens.removeLast()
      return [.write(.edit(prompt.reminderIDs, [.set(\.due, due)]))]
    } catch {
      say(error.description, .refused)
      return []
    }
  }
}

extension DuePrompt {
  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    let glyphs = state.appearance.glyphs
    let box = rect.centered(Size(columns: 60, rows: 4))
    let inside = surface.box(box, title: "Due \(glyphs.separator) \(subject)", glyphs: glyphs)
      .inset(columns: 2)
    let caret = due.field.draw(
      on: &surface, in: inside.splitTop(1).top, style: Style(.fieldFocused),
      placeholder: ReminderField.due.example)
    let lines = inside.splitTop(1).rest
    surface.write(
      due.explanation(in: state.time, glyphs), at: lines.origin, width: lines.size.columns,
      ellipsis: glyphs.ellipsis)
    return caret
  }
}
