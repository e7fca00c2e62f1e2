import Foundation
import GRDB

/// Notices that the edit log has grown: at once for writes of this process, within milliseconds for
/// those of others.
///
/// Then those of others are also told to this process's observations.
final class EditWatch: TransactionObserver {
  private let onEdit: @Sendable () -> Void
  private var hasEdits = false
  private var foreign: ForeignWrites?

  init(database: any DatabaseWriter, onEdit: @escaping @Sendable () -> Void) {
    self.onEdit = onEdit
    database.add(transactionObserver: self, extent: .observerLifetime)
    foreign = ForeignWrites(database: database, onWrite: onEdit)
  }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
    if case .insert("sync_edits") = eventKind { true } else { false }
  }

  func databaseDidChange(with event: DatabaseEvent) {
    hasEdits = true
    stopObservingDatabaseChangesUntilNextTransaction()
  }

  func databaseDidCommit(_ db: Database) {
    guard hasEdits else { return }
    hasEdits = false
    onEdit()
  }

  func databaseDidRollback(_ db: Database) {
    hasEdits = false
  }
}
