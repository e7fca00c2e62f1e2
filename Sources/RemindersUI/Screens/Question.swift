import Reminders
import Terminal

/// Asks before something that is large or cannot be taken back.
struct Question: Equatable, Sendable {
  enum Answer: Equatable, Sendable {
    /// The form below is left without saving.
    case discard
    /// Reminders are added.
    case add([ReminderDraft])
    /// Reminders are deleted.
    case delete([Reminder.ID])

    /// What yes is called.
    var hint: String {
      switch self {
      case .discard: "yes, discard"
      case .add: "yes, add"
      case .delete: "yes, delete"
      }
    }
  }

  let title: String
  let text: String
  /// What yes means.
  let answer: Answer
}

extension AppState {
  mutating func answerYes() -> [Effect] {
    guard case .question(let question) = screens.popLast() else { return [] }
    switch question.answer {
    case .discard: return closeScreen()
    case .add(let drafts): return drafts.map { .write(.add($0)) }
    case .delete(let ids): return [.write(.delete(ids))]
    }
  }

  mutating func answerNo() -> [Effect] {
    screens.removeLast()
    return []
  }
}

extension Question {
  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    let box = rect.centered(Size(columns: 52, rows: 5))
    let inside = surface.box(box, title: title, glyphs: state.appearance.glyphs)
      .inset(columns: 2)
    surface.write(
      text, at: inside.origin, width: inside.size.columns,
      ellipsis: state.appearance.glyphs.ellipsis)
    surface.write(
      state.hintText([.answerYes, .answerNo]), at: inside.origin.moved(rows: 2),
      width: inside.size.columns)
    return inside.origin
  }
}
