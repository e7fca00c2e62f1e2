import Foundation
import RemindersCore
import RemindersTerminal
import SQLiteSync

/// What happened: all that can change the state.
enum Action: Sendable {
  /// The person did something at the terminal.
  case terminal(TerminalEvent)
  /// A subscription has a value: its first, or another because something changed.
  case received(SubscriptionResult)
  /// A write takes long, and has come so far.
  case writing(WriteProgress)
  /// A write ended.
  case wrote(Write, Result<Written, Problem>)
  /// These are to be announced.
  case announced([Announcement])
  /// The completed reminders of a place were counted.
  case countedCompleted(ClearScope, [CompletedAge: Int])
  /// All reminders of a list or a search were found.
  case foundAll(RowSource, Set<Reminder.ID>)
  /// The configuration was read again, for a terminal that can do so much.
  case readSettings(Settings, TerminalCapabilities)
  /// The editor gave back a text.
  case edited(Result<String, Problem>)
  /// What was asked of sharing is done.
  case shared(ShareRequest)
  /// Invitations were looked for.
  case foundInvitations([ListInvitation])
  /// The inbox was looked at after a fetch.
  case knowsInvitations([ListInvitation])
  /// Signing out was refused: nobody can tell whether the cloud has everything, for this reason.
  case cloudUnconfirmed(String)
  /// Everything was written to a file.
  case exported(path: String)
  /// The log of synchronization was written to a file.
  case savedLog(path: String)
  /// It was kept how to bring a list back that was deleted before the app was started.
  case keptListDeletion(UndoStep)
  /// What was typed before the app was ended was kept.
  case keptText(UnsavedText)
  /// Something else was tried and failed.
  case failed(Problem)
  /// The moment came that the state wanted to be told of (`AppState.nextMoment`).
  case tick
  /// The sync engine was made.
  case beganSync(place: String, SyncStatus)
  /// Synchronization stands differently.
  case syncStatus(SyncStatus)
  /// A fact about synchronization.
  case syncEvent(SyncEvent)
}
