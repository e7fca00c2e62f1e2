import Foundation
import Reminders
import SQLiteSync

/// What the screens know of synchronization.
struct SyncState: Equatable, Sendable {
  /// A fact of the log with its moment.
  struct Entry: Equatable, Sendable {
    var number: Int
    var moment: Date
    var event: SyncEvent
  }

  /// Where the cloud is.
  var place: String
  /// How it stands.
  var status: SyncStatus
  /// What the database says; nil before it was asked.
  var known: SyncQuery.Value?
  /// The latest facts, the newest last.
  private(set) var log: [Entry] = []
  private var filter = SyncLogFilter()

  init(place: String, status: SyncStatus) {
    self.place = place
    self.status = status
  }

  /// Who is signed in; nil while nobody is.
  var account: String? { status.account }

  /// Records with edits that the cloud does not have yet.
  ///
  /// By the database while the engine does not look.
  var pending: Int {
    let isLooking = ![.stopped, .signedOut, .accountChanged].contains(status.phase)
    return isLooking ? status.pending : known?.counts.pending ?? status.pending
  }

  mutating func append(_ event: SyncEvent, at moment: Date) {
    for event in filter.events(after: event) {
      log.append(Entry(number: (log.last?.number ?? 0) + 1, moment: moment, event: event))
    }
    if log.count > Self.maximumCount + Self.slack { log.removeFirst(Self.slack) }
  }

  private static let maximumCount = 1000
  /// The log is cut in steps, so that not every new fact moves all others.
  private static let slack = 200
}
