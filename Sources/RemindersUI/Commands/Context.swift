/// Where a command's keys are listened to.
///
/// A screen that is the only one to listen somewhere says so in its own file.
struct Context: Hashable, Sendable {
  /// The heading above its commands in help; no two have the same.
  let title: String

  init(_ title: String) { self.title = title }

  /// All in which there are commands, in the order of the help screen.
  static let all: [Context] = Command.all.reduce(into: []) { contexts, command in
    if !contexts.contains(command.context) { contexts.append(command.context) }
  }

  /// On every screen, also while text is typed.
  static let always = Context("Always")
  /// On every screen, but not while text is typed.
  static let anywhere = Context("Anywhere outside of text")
  /// In everything that has a cursor to move.
  static let moving = Context("Moving")
  /// On reminders, in a list or a search.
  static let reminders = Context("On a reminder")
  /// On the home screen.
  static let home = Context("Home")
  /// In the pane with the lists.
  static let lists = Context("On a list, smart list or tag")
  /// On what a search found.
  static let hits = Context("Search results")
  /// While a search is typed.
  static let searchField = Context("While a search is typed")
  /// On the sync screen.
  static let sync = Context("Sync")
  /// On the log of the sync screen.
  static let syncLog = Context("Log of synchronization")
  /// While words are typed that the log is looked through for.
  static let syncLogField = Context("While the log is looked through")
  /// On something that lost: in Recently deleted, a history, the conflicts.
  static let historyEntries = Context("On what was deleted or overwritten")
  /// In forms.
  static let form = Context("Forms")
  /// In the form of a reminder.
  static let reminderForm = Context("Reminder form")
  /// In the form of a list.
  static let listForm = Context("List form")
  /// In a line of a form.
  static let line = Context("In a line of a form")
  /// In notes.
  static let notes = Context("In notes")
  /// In a due date.
  static let dueField = Context("In a due date")
  /// Wherever something can be picked from a list or answered in a line.
  static let prompt = Context("Prompts and pickers")
  /// While a reminder is added in one line.
  static let quickAdd = Context("Adding a reminder")
  /// While tags are picked.
  static let tagPicker = Context("Tag picker")
  /// While a question waits for an answer.
  static let confirmation = Context("Questions")
}
