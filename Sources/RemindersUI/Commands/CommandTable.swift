import RemindersCore

/// Everything that can be done in the app: each command with its keys, title, help and effect.
///
/// The rows stand by what they are about in the files `…Commands.swift` beside this one. Keys,
/// help, hints, the palette, the README and the tests are made of this table.
extension Command {
  /// All commands, in the order of the help screen.
  static let all: [Command] =
    anywhereCommands + movingCommands + reminderCommands + homeCommands + listCommands
    + searchCommands + agendaCommands + statsCommands + syncCommands + logCommands
    + accountCommands + shareCommands + historyCommands + formCommands + promptCommands

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
    case .skip: fields.contains(.recurrence)
    default: true
    }
  }
}

extension Command {
  /// The names of the commands, which a configuration can bind keys to.
  enum ID: String, CaseIterable, Sendable {
    case addReminder, newReminder, toggleDone, editReminder, deleteReminder, toggleFlag
    case nest, unnest
    case snooze, skip
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
