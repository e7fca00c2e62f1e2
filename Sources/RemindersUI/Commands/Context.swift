/// Where a command's keys are listened to.
///
/// The title is the heading above them in help.
enum Context: String, CaseIterable, Sendable {
  /// On every screen, also while text is typed.
  case always
  /// On every screen, but not while text is typed.
  case anywhere
  /// In everything that has a cursor to move.
  case moving
  /// On reminders, in a list or a search.
  case reminders
  /// On the home screen.
  case home
  /// In the pane with the lists.
  case lists
  /// On what a search found.
  case hits
  /// While a search is typed.
  case searchField
  /// In the agenda.
  case agenda
  /// When looking back.
  case stats
  /// On the sync screen.
  case sync
  /// On the log of the sync screen.
  case syncLog
  /// While words are typed that the log is looked through for.
  case syncLogField
  /// On the screen about whom a list is shared with.
  case sharing
  /// On the account screen.
  case account
  /// On something that lost: in Recently deleted, a history, the conflicts.
  case historyEntries
  /// In forms.
  case form
  /// In the form of a reminder.
  case reminderForm
  /// In the form of a list.
  case listForm
  /// In a line of a form.
  case line
  /// In notes.
  case notes
  /// In a due date.
  case dueField
  /// Wherever something can be picked from a list or answered in a line.
  case prompt
  /// While a reminder is added in one line.
  case quickAdd
  /// While tags are picked.
  case tagPicker
  /// While a question waits for an answer.
  case confirmation

  var title: String {
    switch self {
    case .always: "Always"
    case .anywhere: "Anywhere outside of text"
    case .moving: "Moving"
    case .reminders: "On a reminder"
    case .home: "Home"
    case .lists: "On a list, smart list or tag"
    case .hits: "Search results"
    case .searchField: "While a search is typed"
    case .agenda: "Agenda"
    case .stats: "Looking back"
    case .sync: "Sync"
    case .syncLog: "Log of synchronization"
    case .syncLogField: "While the log is looked through"
    case .sharing: "People of a list"
    case .account: "Account"
    case .historyEntries: "On what was deleted or overwritten"
    case .form: "Forms"
    case .reminderForm: "Reminder form"
    case .listForm: "List form"
    case .line: "In a line of a form"
    case .notes: "In notes"
    case .dueField: "In a due date"
    case .prompt: "Prompts and pickers"
    case .quickAdd: "Adding a reminder"
    case .tagPicker: "Tag picker"
    case .confirmation: "Questions"
    }
  }
}
