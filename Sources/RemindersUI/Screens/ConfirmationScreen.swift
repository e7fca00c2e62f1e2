import RemindersCore
import RemindersTerminal

/// Asks before something that is large or cannot be taken back.
struct ConfirmationScreen: Screen {
  enum Answer: Equatable, Sendable {
    /// The form below is left without saving.
    case discard
    /// Reminders are added.
    case add([ReminderDraft])
    /// A write is performed that does more than is seen.
    case write(Write)
    /// The reminder under the cursor is completed.
    case complete
    /// The account is signed out, and at most so many unsent edits are lost; without the cloud only
    /// if the person was told that it cannot be asked.
    case signOut(discarding: Int, needingCloud: Bool)
    /// A list is deleted that others have, too.
    case deleteList(RemindersList.ID)
    /// Sharing ends.
    case share(ShareRequest)

    /// What yes is called.
    var hint: String {
      switch self {
      case .discard: "yes, discard"
      case .add: "yes, add"
      case .write: "yes, delete"
      case .complete: "yes, complete"
      case .signOut: "yes, sign out"
      case .deleteList: "yes, delete"
      case .share(.leave): "yes, leave"
      case .share: "yes, stop sharing"
      }
    }
  }

  let title: String
  let text: String
  /// What yes means.
  let answer: Answer

  /// What can be undone is accepted with Enter as well, as the line is into which it was pasted.
  var contexts: [Context] { [.confirmation] + (isAddition ? [.prompt] : []) + [.always] }
  var hints: [Command.ID] { [isAddition ? .accept : .answerYes, .answerNo] }

  /// Whether yes adds reminders and does nothing else.
  var isAddition: Bool { if case .add = answer { true } else { false } }
}

extension AppState {
  mutating func answerYes() -> [Effect] {
    guard let question = screens[top: ConfirmationScreen.self] else { return [] }
    screens.removeLast()
    switch question.answer {
    case .discard: return closeScreen()
    case .add(let drafts):
      // The line into which they were pasted.
      if screens[top: QuickAdd.self] != nil { screens.removeLast() }
      return [.write(.add(drafts))]
    case .write(let write): return [.write(write)]
    case .complete: return completeTargets()
    case .signOut(let accepted, let needsCloud):
      return [.signOut(discarding: accepted, needingCloud: needsCloud)]
    case .deleteList(let id): return [.write(.deleteList(id))]
    case .share(let request): return [.share(request)]
    }
  }
}

extension ConfirmationScreen {
  private static let columns = 52

  /// Where it is on the screen: the box, its lines, and where the answers begin.
  func place(in rect: Rect) -> (box: Rect, lines: [String], answers: Point) {
    let lines = TextWidth.wrapped(text, to: min(Self.columns, rect.size.columns) - 6)
    let box = rect.centered(Size(columns: Self.columns, rows: lines.count + 4))
    return (box, lines, Self.inside(box).origin.moved(rows: lines.count + 1))
  }

  private static func inside(_ box: Rect) -> Rect { box.inset(columns: 3, rows: 1) }

  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    let (box, lines, answers) = place(in: rect)
    let inside = Self.inside(box)
    surface.box(box, title: title, glyphs: state.appearance.glyphs)
    for (row, line) in lines.enumerated() {
      surface.write(line, at: inside.origin.moved(rows: row), width: inside.size.columns)
    }
    surface.write(state.hintText(hints), at: answers, width: inside.size.columns)
    return inside.origin
  }
}
