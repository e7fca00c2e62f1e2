/// What text on the screen means.
///
/// Screens name meanings; a `Theme` turns them into looks.
public enum Role: String, CaseIterable, Hashable, Sendable {
  case text
  case dim
  /// The name of a group or a pane.
  case heading
  /// The line at the top of the screen.
  case titleBar
  /// The current row of the pane that has the focus.
  case cursor
  /// The current row of a pane without the focus.
  case cursorElsewhere
  /// A row that is selected, to act on several at once.
  case selected
  /// The part of a text that a search found.
  case match
  /// A line between panes, and the frame of a box.
  case rule
  case done, overdue, flag, priority, tag
  case success, warning, error
  /// Not sent yet.
  case pendingSend
  /// Arrived from elsewhere.
  case incoming
  /// A key in the line of hints.
  case hintKey
  /// What that key does.
  case hintText
  /// A hint whose command is not possible now.
  case hintDisabled
  /// A short message at the foot of the screen.
  case toast
  /// The name of a form's field.
  case label
  /// The text of a field.
  case field
  /// The field that has the focus.
  case fieldFocused
  /// What stands in an empty field.
  case placeholder
}
