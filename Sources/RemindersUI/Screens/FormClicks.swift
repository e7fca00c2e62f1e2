import RemindersCore
import RemindersTerminal

// A click in a form goes to a field; on a letter it puts the caret there, and what can be chosen it
// chooses.

extension ReminderForm {
  func isInOtherField(_ point: Point, in state: AppState) -> Bool {
    field(at: point, in: state).map { $0.0 != focus } ?? false
  }

  mutating func click(_ point: Point, in state: AppState) -> Bool? {
    guard let (field, place, area) = field(at: point, in: state) else { return nil }
    let wasFocused = field == focus
    moveFocus(to: field, in: state.time)
    guard place.column >= 0 else { return nil }
    // What is typed takes the place of a date, until somebody goes into it.
    if wasFocused || field.kind.isTextToEdit { moveCaret(to: place, in: area.size) }
    choose(atColumn: place.column, in: state)
    return nil
  }
}

extension ReminderField.Kind {
  /// Whether what is typed becomes part of what stands there at once.
  fileprivate var isTextToEdit: Bool { if case .due = self { false } else { true } }
}

extension ListForm {
  func isInOtherField(_ point: Point, in state: AppState) -> Bool {
    field(at: point, in: state).map { $0.0 != focus } ?? false
  }

  mutating func click(_ point: Point, in state: AppState) -> Bool? {
    guard let (field, column, columns) = field(at: point, in: state) else { return nil }
    moveFocus(to: field)
    guard column >= 0 else { return nil }
    switch field {
    case .title: title.moveCaret(toColumn: column, of: columns)
    case .cover: cover.moveCaret(toColumn: column, of: columns)
    case .color:
      let runs = colorRuns(state.appearance.glyphs)
      switch runs.index(atColumn: column) {
      case 0: step(-1)
      // Behind it stand only the digits.
      case runs.count - 2: step(1)
      default: break
      }
    }
    return nil
  }
}

extension ConfirmationScreen {
  func command(at point: Point, in state: AppState) -> Command.ID? {
    let place = place(in: state.layout.body)
    guard place.box.contains(point), point.row == place.answers.row else { return nil }
    return state.hint(atColumn: point.column - place.answers.column, of: hints)
  }
}

extension [StyledRun] {
  /// The run in a column, of runs that stand beside each other.
  func index(atColumn column: Int) -> Int? {
    var end = 0
    guard column >= 0 else { return nil }
    return firstIndex { run in
      end += TextWidth.columns(of: run.text)
      return column < end
    }
  }
}
