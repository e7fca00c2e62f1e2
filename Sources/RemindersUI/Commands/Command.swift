import Reminders
import Terminal

/// Something that the person can do: one row of the table that feeds keys, help, footer, palette
/// and the README.
struct Command: Identifiable, Sendable {
  /// Which command.
  let id: ID
  /// Where its keys are listened to.
  let context: Context
  /// The keys that perform it unless the person chose others, the first one shown first.
  let keys: [String]
  /// What it is called in the palette.
  let title: String
  /// What it is called in the footer.
  let hint: @Sendable (AppState) -> String
  /// What it does, in a sentence.
  let help: String
  /// Why it is not possible now; nil when it is.
  let disabledReason: @Sendable (AppState) -> String?
  /// Does it.
  let perform: @Sendable (inout AppState) -> [Effect]

  init(
    _ id: ID, _ context: Context, _ keys: [String], _ title: String, hint: String, help: String,
    unless disabledReason: @escaping @Sendable (AppState) -> String? = { _ in nil },
    perform: @escaping @Sendable (inout AppState) -> [Effect]
  ) {
    self.id = id
    self.context = context
    self.keys = keys
    self.title = title
    self.hint = { _ in hint }
    self.help = help
    self.disabledReason = disabledReason
    self.perform = perform
  }

  /// The command, called something else in the footer, by how things stand.
  func hinting(_ hint: @escaping @Sendable (AppState) -> String) -> Command {
    Command(self, hint: hint)
  }

  private init(_ command: Command, hint: @escaping @Sendable (AppState) -> String) {
    id = command.id
    context = command.context
    keys = command.keys
    title = command.title
    self.hint = hint
    help = command.help
    disabledReason = command.disabledReason
    perform = command.perform
  }

  /// All commands, in the order of the help screen.
  static let all: [Command] =
    homeCommands + reminderCommands + listCommands + movingCommands + searchCommands
    + syncCommands + logCommands + accountCommands + shareCommands
    + lossCommands + formCommands + promptCommands
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
    case .chooseImage, .removeImage: hasCovers
    default: true
    }
  }
}

extension Command {
  /// The names of the commands, which a configuration can bind keys to.
  enum ID: String, CaseIterable, Sendable {
    case addReminder, newReminder, toggleDone, editReminder, deleteReminder, toggleFlag
    case raisePriority, lowerPriority, pickTags, setDue, moveToList, openURL, copy
    case mark, markAll, moveUp, moveDown
    case openList, addList, editList, deleteList, moveListUp, moveListDown
    case nextPane, previousPane, leftPane, rightPane, chooseOrder, toggleCompleted
    case clearCompleted, addSampleData
    case goToday, goScheduled, goAll, goFlagged, goCompleted, goLists, dropMarks
    case cursorUp, cursorDown, halfPageUp, halfPageDown, pageUp, pageDown, first, last
    case search, nextHit, previousHit, showHits, makeToken, leaveSearchField, leaveSearch
    case showCompletedHits, clearCompletedHits, orderHits
    case openSync, toggleSync, syncNow, leaveSync, copyLog, saveLog
    case nextLogFilter, findInLog, followLog, keepLogWords, dropLogWords
    case showLog, showWaiting, showConflicts, nextSyncPane
    case openShare, acceptShare, invite, toggleWriting, removeParticipant, changePublicPermission
    case copyLink, endShare, leaveShareScreen, peopleOfForm
    case openAccount, signIn, signOut, exportAll, leaveAccount
    case goDeleted, openHistory, restore, leaveLosses
    case save, cancelForm, nextField, previousField, completeOrGoOn, editInEditor, takeTheirs
    case dayEarlier, dayLater, today, clearDue, chooseImage, removeImage
    case accept, cancel, toggleTag, ignoreDate, answerYes, answerNo
    case undo, redo, palette, messages, reload, help, helpInText, suspend, redraw, quit
  }
}
