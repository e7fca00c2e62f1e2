import Foundation
import SQLiteSync

/// What the screens know of synchronization.
struct SyncState: Equatable, Sendable {
  /// A fact of the log with its moment.
  struct Entry: Equatable, Sendable {
    var number: Int
    var moment: Date
    var event: SyncEvent
  }

  /// Whose cloud it is.
  var account: String
  /// Where the cloud is.
  var place: String
  /// How it stands.
  var status = SyncStatus()
  /// What waits by the database: a stopped engine does not count.
  var counts = SyncCounts()
  /// The latest facts, the newest last.
  private(set) var log: [Entry] = []
  private var filter = SyncLogFilter()

  init(account: String, place: String) {
    self.account = account
    self.place = place
  }

  /// Records with edits that the cloud does not have yet.
  var pending: Int { status.isRunning ? status.pending : counts.pending }

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
