import RemindersCore

/// Everything that can be done in the app: each command with its keys, title, help and effect.
///
/// The rows stand by what they are about in the files `…Commands.swift` beside this one. Keys,
/// help, hints, the palette, the README and the tests are made of this table.
extension Command {
  /// All commands, in the order of the help screen.
  static let all: [Command] =
    homeCommands + reminderCommands + listCommands + movingCommands + searchCommands
    + agendaCommands + statsCommands + syncCommands + logCommands + accountCommands + shareCommands
    + historyCommands + formCommands + promptCommands
    + anywhereCommands

  /// The commands of a context that there are with a version of the schema.
  static func all(in context: Context, with schema: SchemaVersion) -> [Command] {
    all.filter { $0.context == context && schema.has($0.id) }
  }

  /// The command with an id.
  static func named(_ id: ID) -> Command {
    // The table has a row for every id; a test compares.
    byID[id]!
  }

  private static let byID = Dictionary(
    all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
}

extension SchemaVersion {
  /// Whether it has what a command is about.
  func has(_ id: Command.ID) -> Bool {
    switch id {
    case .openURL: fields.contains(.url)
    case .chooseImage, .removeImage, .toggleCovers: hasCovers
    case .nest, .unnest: fields.contains(.parent)
    case .saveSearch, .saveTypedSearch: hasSavedSearches
    case .snooze: fields.contains(.alarms)
    default: true
    }
  }
}

extension Command {
  /// The names of the commands, which a configuration can bind keys to.
  enum ID: String, CaseIterable, Sendable {
    case addReminder, newReminder, toggleDone, editReminder, deleteReminder, toggleFlag
    case nest, unnest
    case snooze
    case raisePriority, lowerPriority, pickTags, setDue, moveToList, openURL, copy
    case select, selectAll, moveUp, moveDown
    case openList, addList, editList, deleteList, moveListUp, moveListDown
    case nextPane, previousPane, leftPane, rightPane, chooseOrder, toggleCompleted
    case clearCompleted, addSampleData, toggleDensity, toggleCovers, toggleSidebar
    case goToday, goScheduled, goAll, goFlagged, goCompleted, goLists, deselectAll
    case cursorUp, cursorDown, halfPageUp, halfPageDown, pageUp, pageDown, first, last
    case search, nextHit, previousHit, showHits, makeToken, leaveSearchField, leaveSearch
    case saveSearch, saveTypedSearch, showCompletedHits, clearCompletedHits, orderHits
    case openSync, toggleSync, syncNow, leaveSync, copyLog, saveLog
    case nextLogFilter, findInLog, followLog, keepLogWords, dropLogWords
    case showLog, showWaiting, showConflicts, nextSyncPane
    case openShare, acceptShare, invite, toggleWriting, removeParticipant, changePublicPermission
    case copyLink, endShare, leaveShareScreen, peopleOfForm
    case openAccount, signIn, signOut, exportAll, leaveAccount
    case openAgenda, openEntry, laterMonth, earlierMonth, thisMonth, laterDay, earlierDay,
      leaveAgenda
    case openStats, leaveStats
    case goDeleted, openHistory, restore, leaveHistory
    case save, cancelForm, nextField, previousField, completeOrGoOn, editInEditor, takeTheirs
    case dayEarlier, dayLater, today, clearDue, chooseImage, removeImage
    case accept, cancel, toggleTag, ignoreDate, answerYes, answerNo
    case undo, redo, palette, messages, reload, help, helpInText, suspend, redraw, quit
  }
}

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
