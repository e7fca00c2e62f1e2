import Foundation
import GRDB

/// Notices at once that a write of this process has made the edit log grow.
final class EditWatch: TransactionObserver {
  private let onEdit: @Sendable () -> Void
  private var hasEdits = false

  init(database: any DatabaseWriter, onEdit: @escaping @Sendable () -> Void) {
    self.onEdit = onEdit
    database.add(transactionObserver: self, extent: .observerLifetime)
  }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
    if case .insert(EditEntries.table) = eventKind { true } else { false }
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
