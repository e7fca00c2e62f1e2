import RemindersCore

/// Work that `update` asks for: data, performed by `App`, whose outcome comes back as an action.
enum Effect: Equatable, Sendable {
  /// A write to the database.
  case write(Write)
  /// Claims announcements, to make those that nobody else has made.
  case announce([Announcement])
  /// Makes the sync engine, and starts it.
  case beginSync
  /// Starts the sync engine.
  case startSync
  /// Stops the sync engine.
  case stopSync
  /// Fetches and sends now.
  case syncNow
  /// Signs an account in, by its name.
  case signIn(String)
  /// Signs out, losing at most so many unsent edits, and not without the cloud if that is needed.
  case signOut(discarding: Int, needingCloud: Bool)
  /// Does something about sharing.
  case share(ShareRequest)
  /// Looks for invitations, to offer them.
  case findInvitations
  /// Looks for invitations that have come, to tell of them.
  case checkInvitations
  /// Writes everything to a new file.
  case export
  /// Writes the log of synchronization, as it is shown, to a new file.
  case saveLog(String)
  /// Counts the completed reminders of a place, to offer clearing them away.
  case countCompleted(ClearScope)
  /// Finds all reminders of a list or a search, to select them.
  case findAll(RowSource)
  /// Reads the configuration again.
  case readSettings
  /// Remembers how lists are shown.
  case remember(String)
  /// Keeps how to bring a deleted list back, for when the app is started again; nil: forgets it.
  case keepListDeletion(UndoStep?)
  /// Reads what was kept.
  case readListDeletion
  /// Keeps what was typed and not saved, for when the app is started again.
  case keepText(UnsavedText)
  /// Takes what was kept of it.
  case readText
  /// Puts a text on the clipboard.
  case copy(String)
  /// Opens a link.
  case openURL(String)
  /// Lends the terminal to an editor for a text.
  case editText(String)
  /// Stops the process as Ctrl-Z does.
  case suspend
  /// Paints everything anew.
  case redraw
  /// Ends the app, after what is under way.
  case quit
}
